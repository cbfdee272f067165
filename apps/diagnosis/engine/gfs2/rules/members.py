"""Rules on members that a Linux cluster lost, where its logs tell nothing but that they are gone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from apps.diagnosis.engine.core.facts.events import Events, LogLine
from apps.diagnosis.engine.core.facts.nodes import Nodes, nodes_in
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.gfs2.members import is_later
from parsers.dataclass import dataclass

# Other rules speak of a loss that one of these tells.
EXPLAINED: Final = (
    "totem-token-lost", "fence-request", "fence-result", "fence-status", "fence-pending", "node-unclean",
    "node-fenced", "quorum-lost",
)  # fmt: skip
GONE: Final = ("node-left", "coordinator-left")
MOST: Final = 8


@dataclass(frozen=True, slots=True)
class GoneWords:
    """gone: members that are called lost, tellers: on whose logs; coordinator: it led the cluster, and handed nothing
    over.
    """

    gone: tuple[str, ...]
    tellers: tuple[str, ...]
    coordinator: bool


@rule("NW-11", needs=(Events, Nodes), words=GoneWords)
def member_gone(events: Events, names: Nodes, _: Limits) -> Iterator[Seen]:
    """Symptom: Pacemaker calls a member lost, and no line tells why.

    Reasoning: nobody asked it to stop, no membership says that it took its leave (one that misses the message says that
    it did not), no rule on tokens, fencing or quorum speaks of it. One that is a member again later weighs little.
    Source: messages of Pacemaker, recalled.
    """
    unsaid = events.lines("totem-left")
    if events.of(EXPLAINED).height or (_took_leave(events) and not unsaid):
        return
    lost = _lost(events, names)
    back = _back(events, names, lost)
    for gone in ([name for name in lost if name not in back], [name for name in lost if name in back]):
        if gone:
            lines = [line for name in gone for line in lost[name]]
            yield _seen(gone, lines, unsaid, is_back=gone[0] in back)


def _seen(gone: Sequence[str], lines: Sequence[LogLine], unsaid: Sequence[LogLine], *, is_back: bool) -> Seen:
    tellers = nodes_in(lines)
    has_led = any(line.kind == "coordinator-left" for line in lines)
    return Seen(
        level="back" if is_back else "led" if has_led else "gone",
        words=GoneWords(tuple(gone[:MOST]), tellers, has_led),
        lines=[line.ref for line in (*_first_of_each(lines), *unsaid)],
        nodes=tuple(gone[:MOST]),
        times=[line.at for line in lines if line.at is not None],
        zone_min=lines[0].zone_min,
        borne_by=(len(lines), max(1, len(tellers))),
        parts=("one_side",),
        weight=float(len(gone)),
    )


def _lost(events: Events, names: Nodes) -> dict[str, list[LogLine]]:
    """Lines on each member that others call lost and nobody asked to stop."""
    meant = _meant(events, names)
    found: dict[str, list[LogLine]] = defaultdict(list)
    for line in events.lines(*GONE):
        name = names.name(line.about) if line.about else None
        if name and name != line.node and name not in meant:
            found[name].append(line)
    return found


def _took_leave(events: Events) -> bool:
    """Corosync names who left, and does not miss the message with which members take their leave."""
    return any("eft" in line.text for line in events.lines("totem-membership"))


def _meant(events: Events, names: Nodes) -> frozenset[str]:
    """Members that were asked to stop, or that stopped by themselves in order."""
    found = [names.name(line.about) if line.about else line.node for line in events.lines("member-stopped")]
    return frozenset(name for name in found if name)


def _back(events: Events, names: Nodes, lost: dict[str, list[LogLine]]) -> frozenset[str]:
    """Of the lost members those that somebody who called them lost calls members again, later."""
    return frozenset(
        name
        for line in events.lines("member-back")
        if line.about and (name := names.name(line.about)) in lost
        if any(is_later(line, one) for one in lost[name])
    )


def _first_of_each(lines: Sequence[LogLine]) -> Sequence[LogLine]:
    """The first line of each member, then the one on the coordinator, then others."""
    first = {line.about: line for line in reversed(lines)}.values()
    led = [line for line in lines if line.kind == "coordinator-left"]
    return list(dict.fromkeys([*led[:2], *list(first)[::-1], *lines]))[:MOST]
