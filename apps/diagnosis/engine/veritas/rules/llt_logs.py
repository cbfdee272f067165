"""Rule on what LLT and GAB log of heartbeats (R16)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from apps.diagnosis.engine.core.facts.events import SECOND_US, Events, LogLine
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.times.moments import at_all
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.knowledge import limits as limits_of
from apps.diagnosis.engine.veritas.cluster import CRASHES, ClusterFacts, Logged, most_within, unwrapped
from apps.diagnosis.engine.veritas.llt_facts import TIMERS
from parsers.dataclass import dataclass

_ABOUT: Final = re.compile(r"link (\d{1,3}) \(([^)]{0,64})\) node (\d{1,3})")
_MEMBERS: Final = re.compile(r"\bmembership ([\d ]{1,64})")
_NAMED: Final = ("kernel-oops", "panic-in-module")  # of a function or a module
CLUSTER_PORT: Final = "port a"
PULSE: Final = ("link-trouble", "heartbeat-delayed", "heartbeat-lost")


def _times(rows: Iterable[Logged]) -> list[int | None]:
    return [row.at for row in rows]


@dataclass(frozen=True, slots=True)
class PulseWords:
    """hour, minute: most late heartbeats within one; links: those that they are about."""

    node: str | None
    losses: int
    hour: int
    minute: int
    links: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SilentWords:
    """silent_s: for how long no link to a peer heard it; gone: links that LLT gave up; lost: they are all of them."""

    node: str | None
    peer: str
    silent_s: float
    silent: tuple[str, ...]
    gone: tuple[str, ...]
    lost: bool


@dataclass(frozen=True, slots=True)
class CrashedWords:
    """A peer that fell silent behind the crash of its kernel; crash: in which function or module, where shown."""

    node: str | None
    peer: str
    crash: str | None
    silent_s: float


@dataclass(frozen=True, slots=True)
class LeftWords:
    """A peer that fell silent behind its exit; silent: the links."""

    node: str | None
    peer: str
    silent: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RequestWords:
    """left: the fewest requests that were left."""

    node: str | None
    peer: str
    left: float


@dataclass(frozen=True, slots=True)
class CorruptWords:
    """Packets that were damaged."""

    node: str | None
    corrupt: int


@rule(
    "R16",
    needs=(ClusterFacts, Events),
    words=(PulseWords, SilentWords, CrashedWords, LeftWords, RequestWords, CorruptWords),
)
def llt_messages(cluster: ClusterFacts, events: Events, limits: Limits) -> Iterator[Seen]:
    """Symptom: heartbeats between nodes are late or missing.

    Reasoning: how often links are called in trouble; silence on all links of a peer, which only follows where GAB had
    counted it out or its kernel crashed before; last requests before a peer is given up.
    Source: VCS 6.0 administration guide; V-14-1-10205.
    """
    by_node: dict[str | None, list[Logged]] = defaultdict(list)
    for row in cluster.events:
        if row.interconnect:
            by_node[row.node].append(row)
    crashes = events.lines(*CRASHES)
    for node, rows in by_node.items():
        yield from _silent(cluster, crashes, node, rows, limits)
        yield from _requested(cluster, node, rows)
        yield from _pulse(cluster, node, rows, limits)
        if corrupt := [row for row in rows if row.kind == "corrupt-packet"]:
            words = CorruptWords(node, len(corrupt))
            yield Seen(
                level="corrupt",
                words=words,
                lines=[row.ref for row in corrupt[:6]],
                nodes=(node,),
                times=_times(corrupt),
            )


def _peer(cluster: ClusterFacts, number: str) -> str:
    """A peer in a sentence: one of which only the id is known is called a node."""
    name = cluster.host_ids.get(number, number)
    return f"node {name}" if name.isdigit() else name


def _is_silence(row: Logged, limits: Limits) -> bool:
    return row.kind == "link-expired" or (row.kind == "link-inactive" and (row.value or 0) >= limits.silent_s)


def _silences(rows: Sequence[Logged], limits: Limits) -> dict[str, list[tuple[float, str, Logged]]]:
    """By peer the moments at which a link had been silent for long: second, link, message."""
    found: dict[str, list[tuple[float, str, Logged]]] = defaultdict(list)
    for second, row in zip(unwrapped(rows), rows, strict=True):
        about = _ABOUT.search(row.about or "")
        if about and _is_silence(row, limits):
            found[about[3]].append((second, about[2] or about[1], row))
    return found


def _silent(
    cluster: ClusterFacts, crashes: Sequence[LogLine], node: str | None, rows: Sequence[Logged], limits: Limits
) -> Iterator[Seen]:
    """All links of a peer silent at one time. How many it has comes from the tables, else from the whole log."""
    logged, counts = _links_logged(rows), _counts_of_members(rows)
    for peer, all_found in _silences(rows, limits).items():
        known = _links_to(cluster, node, peer) or logged.get(peer, set())
        gone_before = _out_of_cluster(peer, counts)
        found = [one for one in all_found if not gone_before(one[2])]
        if len(found) < len(all_found):
            yield _left(cluster, node, peer, [row for _, _, row in all_found if gone_before(row)])
        together = _together(found, max(2, len(known)), limits.together_s)
        if not together:
            continue
        shown = [row for _, _, row in together]
        gone = {link for _, link, row in together if row.kind == "link-expired"}
        longest = _silent_on_all(together)
        links = tuple(sorted({link for _, link, _ in together}))
        lost = len(gone) >= max(2, len(known))
        if crash := _crash_before(cluster, crashes, node, peer, _times(shown), limits):
            yield _crashed(crash, node, longest, shown)
            continue
        yield Seen(
            level="silent",
            words=SilentWords(node, _peer(cluster, peer), longest, links, tuple(sorted(gone)), lost),
            lines=[row.ref for row in shown[:8]],
            nodes=(node, cluster.host_ids.get(peer)),
            times=_times(shown),
            weight=longest,
        )


def _crash_before(
    cluster: ClusterFacts,
    crashes: Sequence[LogLine],
    node: str | None,
    peer: str,
    silent: Sequence[int | None],
    limits: Limits,
) -> Sequence[LogLine]:
    """What a peer logged of the crash of its kernel shortly before it fell silent. A peer of which only the id is known
    is the only other node whose log shows a crash then.
    """
    moments = [at for at in silent if at is not None]
    if not moments:
        return ()
    since, until = min(moments) - int(limits.crash_s * SECOND_US), max(moments)
    near = [one for one in crashes if one.at is not None and since <= one.at <= until and one.node not in (None, node)]
    name = cluster.host_ids.get(peer)
    if name is None and len({one.node for one in near}) > 1:
        return ()
    return [one for one in near if one.node == name or name is None]


def _crashed(crash: Sequence[LogLine], node: str | None, silent_s: float, shown: Sequence[Logged]) -> Seen:
    return Seen(
        level="crashed",
        words=CrashedWords(
            node,
            crash[0].node or "",
            next((one.about for one in crash if one.about and one.kind in _NAMED), None),
            silent_s,
        ),
        lines=[*(one.ref for one in crash[:4]), *(row.ref for row in shown[:4])],
        nodes=(crash[0].node, node),
        times=[*(one.at for one in crash), *_times(shown)],
        weight=silent_s,
    )


def _silent_on_all(together: Iterable[tuple[float, str, Logged]]) -> float:
    """For how long no link had heard anything: as long as the one that was silent for the shortest; one that was given
    up was silent for the whole limit.
    """
    longest = defaultdict[str, float](float)
    for _, link, row in together:
        silent_s = row.value or 0.0
        if row.kind == "link-expired":
            silent_s = max(silent_s, limits_of("llt").peerinact_s)
        longest[link] = max(longest[link], silent_s)
    return min(longest.values(), default=0.0) or limits_of("llt").peerinact_s


def _left(cluster: ClusterFacts, node: str | None, peer: str, rows: Sequence[Logged]) -> Seen:
    links = (about[2] or about[1] for row in rows if (about := _ABOUT.search(row.about or "")))
    return Seen(
        level="left",
        words=LeftWords(node, _peer(cluster, peer), tuple(sorted(set(links)))),
        lines=[row.ref for row in rows[:8]],
        nodes=(node, cluster.host_ids.get(peer)),
        times=_times(rows),
    )


Counts = Sequence[tuple[tuple[int, int], str]]  # artifact and line, and the members of the port that GAB counted there


def _counts_of_members(rows: Sequence[Logged]) -> Counts:
    return [
        ((row.artifact, row.line), found[1])
        for row in rows
        if row.kind == "port-membership" and row.about == CLUSTER_PORT
        if (found := _MEMBERS.search(row.members or "")) is not None
    ]


def _out_of_cluster(peer: str, counts: Counts) -> Callable[[Logged], bool]:
    """Whether GAB had counted a peer out before a line: who stops in order leaves the ports first and falls silent
    then, who dies or is cut off falls silent first.
    """
    places = [place for place, _ in counts]
    members = [_is_member(int(peer), found) for _, found in counts]

    def gone(row: Logged) -> bool:
        above = bisect_left(places, (row.artifact, row.line)) - 1
        return above >= 0 and places[above][0] == row.artifact and not members[above]

    return gone


def _is_member(peer: int, members: str) -> bool:
    """GAB prints the last digit of each id at the place of the id, and a blank for who is out."""
    return str(peer) in members if peer <= 9 else members[peer : peer + 1] == str(peer % 10)


def _together(found: list[tuple[float, str, Logged]], least: int, span_s: float) -> list[tuple[float, str, Logged]]:
    """Moments near which so many links were silent."""
    ordered, near, first, last = sorted(found, key=lambda one: one[0]), Counter[str](), 0, 0
    kept: list[tuple[float, str, Logged]] = []
    for one in ordered:
        while last < len(ordered) and ordered[last][0] <= one[0] + span_s:
            near[ordered[last][1]] += 1
            last += 1
        while ordered[first][0] < one[0] - span_s:
            near[ordered[first][1]] -= 1
            first += 1
        if len(+near) >= least:
            kept.append(one)
    return kept


def _links_to(cluster: ClusterFacts, node: str | None, peer: str) -> set[str]:
    name = cluster.host_ids.get(peer, peer)
    return {row.link for row in cluster.links if row.link and row.node == node and row.peer == name}


def _links_logged(rows: Sequence[Logged]) -> dict[str, set[str]]:
    """Links to each peer that lines speak of."""
    logged: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        if about := _ABOUT.search(row.about or ""):
            logged[about[3]].add(about[2])
    return logged


def _requested(cluster: ClusterFacts, node: str | None, rows: Sequence[Logged]) -> Iterator[Seen]:
    by_peer: dict[str, list[Logged]] = defaultdict(list)
    for row in rows:
        if row.kind == "heartbeat-requested" and (about := _ABOUT.search(row.about or "")):
            by_peer[about[3]].append(row)
    for peer, found in by_peer.items():
        left = min((row.value for row in found if row.value is not None), default=0)
        yield Seen(
            level="requests",
            words=RequestWords(node, _peer(cluster, peer), left),
            lines=[row.ref for row in found[:6]],
            nodes=(node, cluster.host_ids.get(peer)),
            times=_times(found),
        )


def _pulse(cluster: ClusterFacts, node: str | None, rows: Sequence[Logged], limits: Limits) -> Iterator[Seen]:
    """How often heartbeats were late for a moment."""
    found = _passing(rows, limits)
    if not found:
        return
    moments = unwrapped(found)
    hour, minute = most_within(moments, 3600), most_within(moments, 60)
    flood = hour > limits.flood_per_h or minute > limits.flood_per_min
    lost = any((row.value or 0) >= limits.silent_s for row in rows if row.kind == "link-inactive")
    level = "few" if hour < limits.low_per_h else "some"
    if flood:
        level = "flood" if lost or not _may_wait(cluster, node, limits) else "chatter"
    links = tuple(sorted({row.about for row in found if row.about}))
    words = PulseWords(node, len(found), hour, minute, links)
    yield Seen(level=level, words=words, lines=[row.ref for row in found[:4]], nodes=(node,), times=_times(found))


def _passing(rows: Sequence[Logged], limits: Limits) -> list[Logged]:
    """Late heartbeats that no longer silence of the same peer followed: that one is a finding of its own."""
    moments = list(zip(unwrapped(rows), rows, strict=True))
    by_peer: dict[str, list[float]] = defaultdict(list)
    for second, row in moments:
        if _is_silence(row, limits) and (about := _ABOUT.search(row.about or "")):
            by_peer[about[3]].append(second)
    silences = {peer: at_all(seconds) for peer, seconds in by_peer.items()}

    def led(second: float, row: Logged) -> bool:
        about = _ABOUT.search(row.about or "")
        return about is not None and about[3] in silences and silences[about[3]].has(second, second + limits.together_s)

    return [row for second, row in moments if row.kind in PULSE and not led(second, row)]


def _may_wait(cluster: ClusterFacts, node: str | None, limits: Limits) -> bool:
    """Whether peertrouble may be raised to 4 s: not where peerinact was lowered towards it."""
    rows = (row for row in cluster.set_as(TIMERS) if row.name == "peerinact" and row.node in (node, None))
    values = [int(row.value) for row in rows if row.value.isdecimal()]
    return not values or values[-1] >= limits.peerinact_hundredths
