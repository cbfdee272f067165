"""Rules on a Linux cluster of which several members show what they see: two parts of it, each without the other, and
lists that differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final

from apps.diagnosis.engine.core.facts.events import Events
from apps.diagnosis.engine.core.facts.looks import Looks
from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from parsers.dataclass import dataclass
from parsers.records.states import ClusterMember, Membership, Quorum, Statement

# Looks further apart are of two moments, between which members come and go, as where each is restarted on purpose.
MOST_PARTS: Final = 16
# One that left on purpose does not run on: where it does, and misses the other as well, nobody stopped it.
GONE: Final = frozenset(("down", "unclean", "leaving"))
ONE_SIDED: Final = frozenset(("down", "unclean", "unknown"))
LAYERS: Final = frozenset(("membership", "daemon", "services"))


@dataclass(frozen=True, slots=True)
class SplitWords:
    """left, right: the two parts; serving: each of them shows that it has quorum."""

    left: tuple[str, ...]
    right: tuple[str, ...]
    serving: bool


@rule("NW-12", needs=(Records, Events, Nodes), words=SplitWords)
def split(records: Records, events: Events, names: Nodes, _: Limits) -> Iterator[Seen]:
    """Symptom: two members each run the cluster's services.

    Reasoning: each shows the other as gone and itself as a member, or each counts votes of which the other's is
    missing, in looks of one time.
    Source: corosync-quorumtool(8), votequorum(5), crm_mon(8).
    """
    listed = _rows(records, names) | _votes(records, events, names)
    seen = {(min(a, b), max(a, b)) for a, gone in listed.items() for b in gone if b in listed and a != b}
    pairs = sorted(pair for pair in seen if _are_apart(listed[pair[0]], listed[pair[1]], *pair))
    if not pairs:
        return
    anchor = pairs[0][0]
    right = {b if a == anchor else a for a, b in pairs if anchor in (a, b)}
    left = {name for pair in pairs for name in pair} - right
    lines = [listed[a][b] for pair in pairs for a, b in (pair, pair[::-1])]
    last = {names.name(one.node): one.quorate for one in records.of(Quorum) if one.node}
    lacking = any(last.get(name) is False for name in left | right)
    yield Seen(
        level="apart" if lacking else "split",
        words=SplitWords(tuple(sorted(left)), tuple(sorted(right)), all(last.get(name) for name in left | right)),
        lines=list(dict.fromkeys(one.ref for one in lines)),
        nodes=(*sorted(left), *sorted(right)),
        times=[one.at for one in lines if one.at is not None],
        zone_min=lines[0].zone_min,
        borne_by=(len(lines), len(left | right)),
        weight=1e9,
    )


def _are_apart(one: Mapping[str, Statement], other: Mapping[str, Statement], left: str, right: str) -> bool:
    first, second = one.get(right), other.get(left)
    return first is not None and second is not None and not Looks((first, second)).are_of_two_times


def _rows(records: Records, names: Nodes) -> dict[str, dict[str, Statement]]:
    """By member whom it shows as gone, of those that show themselves as up."""
    last: dict[tuple[str, str], ClusterMember] = {}
    for one in records.of(ClusterMember):
        if one.node and one.member and one.layer in LAYERS:
            last[names.name(one.node), names.name(one.member)] = one
    up = {node for (node, member), one in last.items() if node == member and one.standing == "up"}
    listed: dict[str, dict[str, Statement]] = {}
    for (node, member), one in last.items():
        if node in up and one.standing in GONE:
            listed.setdefault(node, {})[member] = one
    return listed


def _votes(records: Records, events: Events, names: Nodes) -> dict[str, dict[str, Statement]]:
    """By member that counts itself those that do so and count others, of each part the first one: where one of the two
    lacks votes. Members of another cluster lack none here.
    """
    short = {line.node for line in events.lines("votes-missing") if line.node is not None}
    last = {name: one for one in records.of(Quorum) if one.node and one.members and (name := names.name(one.node))}
    parts: dict[frozenset[str], str] = {}
    for name in sorted(last, key=lambda name: (name not in short, name)) if short else ():
        members = frozenset(map(names.name, last[name].members.split()))
        if name in members:
            parts.setdefault(members, name)
    shown = dict(islice(parts.items(), MOST_PARTS))
    return {
        name: {other: last[name] for theirs, other in shown.items() if not theirs & members and {name, other} & short}
        for members, name in shown.items()
    }


@dataclass(frozen=True, slots=True)
class OneSidedWords:
    """Each of seen is up in its own eyes and shows by as up, which shows it as state."""

    by: str
    seen: tuple[str, ...]
    state: str
    one: bool


@rule("NW-14", needs=(Records, Nodes), words=OneSidedWords)
def one_sided(records: Records, names: Nodes, _: Limits) -> Iterator[Seen]:
    """Symptom: one member misses another, which does not miss it.

    Reasoning: in looks of one layer and one time, both show themselves and one shows the other as up; the other does
    not. Source: lltstat(1M), mmgetstate, corosync-quorumtool(8): links and connections have two directions.
    """
    last: dict[str, dict[str, dict[str, ClusterMember]]] = {}
    for one in records.of(ClusterMember):
        if one.node and one.member:
            own = last.setdefault(one.layer, {}).setdefault(names.name(one.node), {})
            own[names.name(one.member)] = one
    for layer, listed in last.items():
        up = sorted(node for node, rows in listed.items() if node in rows and rows[node].standing == "up")
        for by in up:
            lost = {a: found for a in up if a != by and (found := _lost(listed, by, a, layer)) is not None}
            if lost:
                yield _missed(by, lost, names)


def _missed(by: str, lost: Mapping[str, tuple[ClusterMember, ClusterMember]], names: Nodes) -> Seen:
    shown, looks = [mine for _, mine in lost.values()], Looks(one for pair in lost.values() for one in pair)
    # where it lists the other not at all, it shows itself
    states = {one.state or "" for one in shown if one.member and names.name(one.member) != by}
    return Seen(
        level=looks.level,
        words=OneSidedWords(by, tuple(sorted(lost)), min(states) if len(states) == 1 else "", len(lost) == 1),
        lines=list(dict.fromkeys(looks.refs)),
        nodes=(by, *sorted(lost)),
        times=[one.at for one in shown if one.at is not None],
        borne_by=(len(lost) * 2, len(lost) + 1),
        parts=looks.parts,
        weight=1e5,
    )


def _lost(
    listed: Mapping[str, Mapping[str, ClusterMember]], by: str, other: str, layer: str
) -> tuple[ClusterMember, ClusterMember] | None:
    """What ``other`` shows of ``by``, and ``by`` of ``other``, where the first is up and the second is not."""
    theirs, mine = listed[other].get(by), listed[by].get(other)
    if theirs is None or theirs.standing != "up":
        return None
    # These are listed with all peers that there are; of heartbeats a node may list itself alone.
    if mine is None and (layer == "fencing" or (layer == "heartbeat" and len(listed[by]) > 1)):
        mine = listed[by][by]
    elif mine is None or mine.standing not in ONE_SIDED:
        return None
    return None if Looks((theirs, mine)).are_of_two_times else (theirs, mine)


SORTS: Final = {
    "lock space": "lock space",
    "mount group": "mount group",
    "fence domain": "fence domain",
    "daemon group": "group",
}


@dataclass(frozen=True, slots=True)
class DisagreeWords:
    """larger, smaller: a node with the most and one with the least members; most, least: how many each names."""

    nodes: tuple[str, ...]
    sort: str
    group: str
    larger: str
    smaller: str
    most: int
    least: int


@rule("NW-13", needs=(Records, Nodes), words=DisagreeWords)
def disagree(records: Records, names: Nodes, _: Limits) -> Iterator[Seen]:
    """Symptom: locks that one node holds and another grants again, or waits that nobody ends.

    Reasoning: lists of the members of one group, settled on each node and of one time, name different members.
    Source: dlm_tool(8), group_tool(8), fence_tool(8).
    """
    last: dict[tuple[str, str], dict[str, Membership]] = {}
    for one in records.of(Membership):
        if one.node and one.group and one.sort in SORTS:
            last.setdefault((one.sort, one.group), {})[names.name(one.node)] = one
    for (sort, group), listed in last.items():
        settled = {node: one for node, one in listed.items() if one.standing == "normal" and one.members}
        looks = Looks(settled.values())
        if not looks.are_of_two_times and len({frozenset(one.members.split()) for one in settled.values()}) > 1:
            yield _disagreeing(SORTS[sort], group, settled, looks)


def _disagreeing(sort: str, group: str, settled: Mapping[str, Membership], looks: Looks) -> Seen:
    counts = {node: len(one.members.split()) for node, one in settled.items()}
    by_size = sorted(counts, key=lambda node: (-counts[node], node))
    larger, smaller = by_size[0], by_size[-1]
    words = DisagreeWords((larger, smaller), sort, group, larger, smaller, counts[larger], counts[smaller])
    return Seen(
        level=looks.level,
        words=words,
        lines=[settled[node].ref for node in (larger, smaller)],
        nodes=(larger, smaller),
        times=looks.times,
        borne_by=(2, 2),
        parts=looks.parts,
        weight=1e6,
    )
