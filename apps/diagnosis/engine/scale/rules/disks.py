"""Rules on storage under Spectrum Scale: a disk at the end of the chains (SC-01)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, Literal

from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.knowledge import limits as limits_of
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.scale.awaited import UNNAMED_DISK
from apps.diagnosis.engine.scale.chains import Chains
from apps.diagnosis.engine.scale.counted_waits import Often, counted_waits, slow_shares
from apps.diagnosis.engine.scale.detector import Detector
from apps.diagnosis.engine.scale.disk_logs import by_its_log
from apps.diagnosis.engine.scale.evidence import (
    dumps_of,
    lines_of,
    longest_of,
    nodes_of,
    other_disks,
    repeated,
    span_of,
    waits_in,
    zone_of,
)
from apps.diagnosis.engine.scale.groups import Behind, Group, Vertex
from apps.diagnosis.engine.scale.history import DiskHistories, DiskHistory, median_of, requests_in, span_of_requests
from apps.diagnosis.engine.scale.spans import SpanTable
from apps.diagnosis.engine.scale.symptoms import KERNEL_ERRORS, Symptom, Symptoms
from apps.diagnosis.engine.scale.waits import ScaleWaits
from parsers.dataclass import dataclass

MEDIANS_SHOWN: Final = 5
Neighbours = Literal["only_slow", "one_slow", "some_slow", "quick", "none"]


AS_OLD: Final = 1.01
SAME_START_S: Final = 5.0  # of one event: the dumps of one look differ by so much


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskWords:
    """named: who names the disk. Times in s, medians in ms; own and rest: requests of the server's history to it and to
    its other disks.

    elsewhere: nodes with waits behind it beside its server. above: I/O waits older than the limit of the median check.
    more: further disks at which waits end, where there are many.
    """

    disk: str
    server: str | None
    named: Literal["waiters", "history", "log", "nothing"] = "waiters"
    hangs: bool = False
    waits: int | None = None
    elsewhere: int | None = None
    askers: int = 1
    log_node: str = ""
    longest: float | None = None
    longest_behind: float | None = None
    neighbours: Neighbours = "none"
    others: int = 0
    slow: int | None = None
    victims: tuple[str, ...] = ()
    dumps: int = 0
    nsd: str = ""
    fs: str | None = None
    own: int | None = None
    median: float | None = None
    rest: int = 0
    rest_median: float | None = None
    io_waits: int | None = None
    above: int | None = None
    requests: int | None = None
    others_median: float | None = None
    more: int | None = None


@rule("SC-01", needs=(ScaleWaits, DiskHistories, Symptoms, Detector, Records), words=DiskWords)
def disk_slow(
    waits: ScaleWaits,
    histories: DiskHistories,
    symptoms: Symptoms,
    detector: Detector,
    records: Records,
    limits: Limits,
) -> Iterator[Seen]:
    """Symptom: threads on many nodes hang; servers, log and tokens look guilty in turn.

    Reasoning: followed from node to node the waits end at the I/O completion of one disk, while other disks of that
    server answer. Source: IBM Spectrum Scale performance talk (waiters and their categories); how waits chain is
    inferred from the dumps' own words.
    """
    disks = [b for b in waits.behind if b.end.kind == "disk"]
    total = waits_in(waits.groups)
    known = {(b.end.node, b.end.what) for b in disks}
    chosen = [b for b in disks if b.waiters >= limits.share * total or _longest_on(b) >= limits.hangs_s]
    shown, rest = chosen[: int(limits.most)], chosen[int(limits.most) :]
    for behind in shown:
        disk = _by_its_history(histories, behind)
        known.add((behind.end.node, disk))
        seen = _with_history(histories, behind, disk, _at_the_end(waits, behind, detector.limit_s, limits))
        logged = by_its_log(symptoms, behind, limits.slack_s) if disk == UNNAMED_DISK else None
        seen = _logged(seen, logged, limits) if logged is not None else seen
        yield replace(seen, words=replace(seen.words, more=len(chosen) - 1)) if rest else seen
    if rest:
        yield _rest_of(rest, detector.limit_s)
    if waits.any:
        yield from _by_median(waits.spans, known)
    yield from _by_history(histories, known)
    yield from _by_client_history(histories)
    yield from _by_server(histories)
    yield from _by_counters(records, limits)


def _rest_of(rest: Sequence[Behind], limit_s: float) -> Seen:
    """Disks beyond those that are shown one by one."""
    own = [[g for g in b.groups if g.to.place == "disk" and g.node == b.end.node] for b in rest]
    longest = max(b.longest_s for b in rest)
    return Seen(
        level="rest" if longest >= limit_s else "rest_medium",
        words=DiskWords(
            disk="",
            server=None,
            waits=sum(b.waiters for b in rest),
            others=len(rest),
            longest=longest,
            victims=tuple(dict.fromkeys(b.end.node or "" for b in rest)),
        ),
        lines=[line for groups in own for line in lines_of(groups, (), ())[:1]],
        nodes=tuple(dict.fromkeys(node for b in rest for node in b.nodes)),
        times=span_of([g for groups in own for g in groups]),
        zone_min=zone_of([g for groups in own for g in groups]),
        borne_by=(len(rest), len({b.end.node for b in rest})),
        parts=("alone",),
        weight=0.0,
    )


def _by_counters(records: Records, limits: Limits) -> Iterator[Seen]:
    """The longest request of each interval: one is a moment, several are a disk that keeps its askers waiting."""
    often = Often(limits.counted_s, limits.counted_least, limits.counted_often)
    for one in counted_waits(records, limits.severe_s, often)[: int(limits.most)]:
        is_lasting = one.over > 1 or one.longest >= limits.hangs_s
        yield Seen(
            level=f"{'counted' if is_lasting else 'counted_once'}{'' if one.scope else '_unnamed'}",
            words=DiskWords(disk=one.scope, server=one.node, longest=one.longest, slow=one.over, requests=one.of),
            lines=one.refs,
            most_lines=4,
            nodes=(one.node,),
            times=one.times,
            borne_by=(one.over, 1),
            parts=("nobody_waits",),
            weight=one.longest,
        )
    for share in slow_shares(records, limits.counted_s)[: int(limits.most)]:
        yield Seen(
            level="ranged" if share.over > max(1, limits.counted_share * share.of) else "ranged_once",
            words=DiskWords(disk="", server=share.node, longest=share.longest, slow=share.over, requests=share.of),
            lines=share.refs,
            most_lines=4,
            nodes=(share.node,),
            borne_by=(share.over, 1),
            parts=("nobody_waits",),
            weight=share.longest,
        )


def _longest_on(behind: Behind) -> float:
    """Seconds of the longest wait for the disk itself."""
    return longest_of(g for g in behind.groups if g.to.place == "disk" and g.node == behind.end.node)


def _by_its_history(histories: DiskHistories, behind: Behind) -> str:
    """The disk; where its waiters do not name it, the only one that the server's I/O history shows to be slow."""
    if behind.end.what != UNNAMED_DISK:
        return behind.end.what
    slow = [disk for server, disk, _ in histories.slow if server == behind.end.node]
    return slow[0] if len(slow) == 1 else behind.end.what


def _logged(seen: Seen, logged: Symptom, limits: Limits) -> Seen:
    """The same with the disk by its log; threads that hang on a disk which the kernel gives errors for are harm."""
    is_hard = logged.kind in KERNEL_ERRORS and seen.words.longest is not None and seen.words.longest >= limits.severe_s
    return replace(
        seen,
        level="high" if is_hard else seen.level,
        lines=(*seen.lines, logged.ref) if is_hard else seen.lines,
        words=replace(seen.words, disk=logged.about, named="log"),
    )


def _with_history(histories: DiskHistories, behind: Behind, disk: str, seen: Seen) -> Seen:
    """The same with the name of the disk and what the server's I/O history says of it against its others."""
    server = behind.end.node
    history = histories.of(server, disk)
    nsd, fs, name_refs = histories.nsd_of(server, disk)
    contradicts = history.is_fast and not seen.words.hangs
    agreement = ("history_agrees",) if history.is_slow else ("history_contradicts",) if contradicts else ()
    by_waiters = behind.end.what != UNNAMED_DISK
    words = replace(
        seen.words,
        disk=disk,
        named="waiters" if by_waiters else "nothing" if disk == UNNAMED_DISK else "history",
        nsd=nsd,
        fs=fs,
    )
    if history.own:
        words = replace(
            words,
            own=requests_in(history.own),
            median=history.median_ms,
            rest=requests_in(history.others),
            rest_median=median_of(history.others),
        )
    return replace(
        seen,
        level="medium" if contradicts and seen.level == "high" else seen.level,
        lines=(*seen.lines, *name_refs, *history.refs),
        words=words,
        parts=(*seen.parts, *agreement),
    )


def _locks_are_as_old(waits: ScaleWaits, server: str | None, longest: float) -> bool:
    """Whether all waits for locks whose holder nobody sees are on this server and began with the wait for the disk or
    after it: who holds the lock is then most likely the thread that waits for the disk.
    """
    locks = [g for b in waits.behind if b.end.kind == "lock" for g in b.groups if g.to.place == "lock"]
    return bool(locks) and all(g.node == server and g.longest_s <= longest * AS_OLD + SAME_START_S for g in locks)


def _at_the_end(waits: ScaleWaits, behind: Behind, limit_s: float, limits: Limits) -> Seen:
    chains, end, groups = waits.chains, behind.end, behind.groups
    own = [g for g in groups if g.to.place == "disk" and g.to.name == end.what and g.node == end.node]
    victims = [g for g in groups if g not in set(own)]
    logs = [log for log in chains.log_writes() if end in chains.ends[log]]
    lines = lines_of(own, _waits_for_logs(groups, logs), victims)
    words = replace(
        _disk_words(waits, behind, own, limits),
        askers=len(_askers(groups, logs)) or 1,
        log_node=logs[0].node if logs else "",
        longest_behind=longest_of(victims),
        victims=tuple(node for node in nodes_of(victims) if node != end.node),
    )
    return Seen(
        level=_level(behind, victims, limit_s, limits),
        variant="log" if logs else "" if victims else "alone",
        words=words,
        lines=lines,
        nodes=behind.nodes,
        times=span_of(groups),
        zone_min=zone_of(groups),
        borne_by=(len(lines), len(behind.nodes)),
        parts=("slow" if words.slow else "quick" if words.others else "alone", repeated(own)),
        causes=(*_symptoms(chains, behind, logs), *_of_its_locks(waits, end.node, longest_of(own), limits)),
        weight=float(behind.waiters) + behind.longest_s,
    )


def _waits_for_logs(groups: Sequence[Group], logs: Sequence[Vertex]) -> list[Group]:
    """Waits for a log that is written to the disk, or for a lock on its node."""
    nodes = {log.node for log in logs}
    return [g for g in groups if g.to in logs or (g.awaited.sort == "lock" and g.to.node in nodes)]


def _level(behind: Behind, victims: Sequence[Group], limit_s: float, limits: Limits) -> str:
    if any(g.longest_s > limits.severe_s for g in victims) or behind.longest_s >= limit_s:
        return "high"
    return "medium" if behind.longest_s >= limits.severe_s or behind.waiters > 1 else "low"


def _disk_words(waits: ScaleWaits, behind: Behind, own: Sequence[Group], limits: Limits) -> DiskWords:
    """What the waits for the disk itself show."""
    end, longest = behind.end, longest_of(own)
    others, slow = other_disks(waits.spans, own[0].code, end.what, limits_of("scale-bands").slow_s)
    return DiskWords(
        disk=end.what,
        server=end.node,
        hangs=not any(g.ended for g in own) and longest >= limits.severe_s,
        waits=behind.waiters,
        elsewhere=sum(node != end.node for node in behind.nodes) or None,
        askers=1,
        log_node="",
        longest=longest,
        longest_behind=0.0,
        neighbours=_neighbours(others, slow),
        others=others,
        slow=slow,
        victims=(),
        dumps=dumps_of(own),
    )


def _of_its_locks(waits: ScaleWaits, server: str | None, longest: float, limits: Limits) -> tuple[str, ...]:
    return ("SC-21",) if longest >= limits.hangs_s and _locks_are_as_old(waits, server, longest) else ()


def _askers(groups: tuple[Group, ...], logs: list[Vertex]) -> tuple[str, ...]:
    """Nodes that wait for an answer: of the node with the log where there is one, else of any other."""
    loggers = {log.node for log in logs}
    return nodes_of(g for g in groups if g.to.place in ("answer", "acquire") and (not loggers or g.to.node in loggers))


def _neighbours(others: int, slow: int) -> Neighbours:
    if slow:
        return "only_slow" if others == 1 else "one_slow" if slow == 1 else "some_slow"
    return "quick" if others else "none"


def _symptoms(chains: Chains, behind: Behind, logs: list[Vertex]) -> tuple[str, ...]:
    """Findings that this disk explains."""
    locks = any(g.awaited.sort == "lock" for g in behind.groups if chains.ends[g.to] == (behind.end,))
    return (*(("SC-04",) if logs else ()), *(("SC-21",) if locks or logs else ()))


def _by_median(table: SpanTable, known: set[tuple[str | None, str]]) -> Iterator[Seen]:
    """Trouble below a second: half of very many I/O waits on one disk are older than a disk takes."""
    bands = limits_of("scale-bands")
    suspects = [
        row for row in table.io if row.disk is not None and row.waits >= bands.io_waits and row.above * 2 > row.waits
    ]
    for row in sorted(suspects, key=lambda row: -row.above)[:MEDIANS_SHOWN]:
        node, disk = table.nodes.name(row.node), row.disk or ""
        if (node, disk) not in known:
            yield Seen(
                level="median",
                words=DiskWords(disk=disk, server=node, io_waits=row.waits, above=row.above),
                lines=(row.ref,),
                nodes=(node,),
                borne_by=(1, 1),
                parts=("medium_unknown",),
                weight=float(row.above),
            )


def _by_history(histories: DiskHistories, known: set[tuple[str | None, str]]) -> Iterator[Seen]:
    """No waiters needed: one disk of a server much slower than its others in the server's own history."""
    for server, disk, history in histories.slow[:MEDIANS_SHOWN]:
        if (server, disk) in known:
            continue
        yield _of_history(histories, server, disk, history)


def _of_history(
    histories: DiskHistories, server: str | None, disk: str, history: DiskHistory, *clients: str | None
) -> Seen:
    """clients: whose own history it is, where it is none of the server."""
    nsd, fs, name_refs = histories.nsd_of(server, disk)
    return Seen(
        level=_history_level(history),
        variant="client" if clients else "",
        words=DiskWords(
            disk=disk,
            server=server,
            victims=tuple(client or phrase("unnamed.client") for client in clients),
            median=history.median_ms,
            others_median=median_of(history.others),
            requests=requests_in(history.own),
            nsd=nsd,
            fs=fs,
        ),
        lines=(*history.refs, *name_refs, *(one.ref for one in history.others[:2])),
        nodes=tuple(name for name in (*clients, server) if name),
        times=span_of_requests(history.own),
        borne_by=(1 + len(name_refs), 1),
        parts=("nobody_waits",),
        weight=history.median_ms / 1000,
    )


def _history_level(history: DiskHistory) -> str:
    return "history_severe" if history.is_severe else "history"


def _by_client_history(histories: DiskHistories) -> Iterator[Seen]:
    """One disk much slower for a client than its sisters behind the same server: the disk or its path there, for server
    and network are the same.
    """
    for client, server, disk, history in histories.slow_for_clients[:MEDIANS_SHOWN]:
        yield _of_history(histories, server, disk, history, client)


def _by_server(histories: DiskHistories) -> Iterator[Seen]:
    """All disks behind one server much slower for a client than those of others: what they have in common is slow."""
    for client, server, disks, history in histories.slow_servers[:MEDIANS_SHOWN]:
        yield Seen(
            level=_history_level(history),
            variant="server",
            words=DiskWords(
                disk=UNNAMED_DISK,
                server=server,
                victims=(client or phrase("unnamed.client"),),
                others=disks,
                median=history.median_ms,
                others_median=median_of(history.others),
                requests=requests_in(history.own),
            ),
            lines=(*history.refs, *(one.ref for one in history.others[:2])),
            nodes=tuple(name for name in (client, server) if name),
            times=span_of_requests(history.own),
            borne_by=(1, 1),
            parts=("nobody_waits",),
            weight=history.median_ms / 1000,
        )
