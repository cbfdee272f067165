"""Rules on contended GFS2 glocks: over nodes (GL-01), inside one node (GL-11), and that nothing is wrong (GL-00)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal

import polars as pl

from apps.diagnosis.engine.core.facts.events import Events
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import LINES_SHOWN, Seen
from apps.diagnosis.engine.core.model import SEVERITIES, Ref, Severity
from apps.diagnosis.engine.core.words.knowledge import Limits, limits
from apps.diagnosis.engine.core.words.metrics import metric
from apps.diagnosis.engine.gfs2.blocked import Awaited, StackedProcesses
from apps.diagnosis.engine.gfs2.cluster import Cluster, Figure, short_fs
from apps.diagnosis.engine.gfs2.contention import Contention
from apps.diagnosis.engine.gfs2.demotes import demotes
from apps.diagnosis.engine.gfs2.entries import Entry, Lock
from apps.diagnosis.engine.gfs2.glocks import GlockFacts
from apps.diagnosis.engine.gfs2.programs import handles_mail, walks_or_copies
from apps.diagnosis.engine.gfs2.waits import Pending, pending
from parsers.dataclass import dataclass
from parsers.records import Section

UNREAD_SHARE: Final = 20  # one damaged line in so many is a cut; more of them may hide a wait

INODE_DEMOTES: Final = metric("inode-demotes-for-others")
SHOWN: Final = 5


def contended(facts: GlockFacts) -> list[Contention]:
    """Glocks that GL-01 speaks of, in its order."""
    one = limits("GL-01")
    found = [c for c in facts.contentions if not c.is_local and _is_contended(c, one)]
    found += [c for c in facts.lone if c.moves > 1]  # ping-pong that harms somebody now and then
    return sorted(found, key=lambda c: SEVERITIES.index(severity_of(c, one)))


def _is_contended(one: Contention, limits: Limits) -> bool:
    return one.most_in_one_dump >= limits.waiters or one.recurs or one.on_many_nodes


def _is_busy(one: Contention) -> bool:
    """Never two at a time and nobody seen twice: a lock that is used a lot, and let go each time."""
    return one.most_waiters < 2 and not one.lasting


def severity_of(one: Contention, limits: Limits) -> Severity:
    """How much harm the fight over a lock does."""
    if one.is_directory and one.most_waiters >= limits.critical_waiters:
        return "critical"
    if (one.moves and not _is_busy(one)) or one.moves > 1:
        return "high"
    if _is_busy(one) and not one.on_many_nodes:
        return "low"
    if one.recurs or one.on_many_nodes:
        return "high"
    return "medium" if one.most_in_one_dump >= limits.medium_waiters else "low"


@dataclass(frozen=True, slots=True)
class ContentionWords:
    """Who wants a glock and who has it: a process, else a node that keeps it without one, else nobody that is seen.

    where: nodes that wait, None where they are too many to name; all_waiters: over the whole time, where it differs
    from waiters. seen of captures show it; changes_per_s: how often it can change node by its minimum hold time,
    each_per_s: for each of the nodes. one, other: two dumps of one moment that exclude each other. rest: further glocks
    of this sort. stands: what the holder waits for itself, by its stack.
    """

    glock: str
    inode: int
    what: Literal["directory", "file", "unknown"]
    fs: str
    waiters: int
    where: str | None
    nodes: tuple[str, ...]
    waiting_nodes: int
    all_waiters: int | None
    processes: int
    holder: Entry | None
    keeper: Lock | None
    pending: Pending
    held_s: float | None
    longest_s: float | None
    seen: int
    captures: int
    moves: int
    hold_jiffies: int | None
    changes_per_s: float
    each_per_s: float | None
    sharing: int
    one: Lock | None
    other: Lock | None
    rest: int
    stands: Awaited | None = None


@dataclass(frozen=True, slots=True)
class RequestWords:
    """rate: requests of other nodes per second over ``seconds`` of a trace; device as the trace names it."""

    glock: str
    inode: int
    device: str | None
    node: str | None
    rate: float
    seconds: float


@rule("GL-01", needs=(GlockFacts, Cluster, StackedProcesses), words=(ContentionWords, RequestWords))
def contended_inode(glocks: GlockFacts, cluster: Cluster, stacks: StackedProcesses, limits: Limits) -> Iterator[Seen]:
    """Symptom: processes of several nodes hang on one file or directory.

    Reasoning: holder lines with W on one inode glock in several captures or on several nodes; the H line names who has
    it. Source: kernel documentation of glocks, and the limits that glocktop_analyze uses.
    """
    hits = contended(glocks)
    causes = ("GL-02",) if hits and _explains(glocks, hits, severity_of(hits[0], limits)) else ()
    for number, one in enumerate(hits[:SHOWN]):
        rest = len(hits) - SHOWN if number == 0 else 0
        yield _seen(one, glocks, stacks, severity_of(one, limits), causes=causes, rest=rest)
    yield from _by_trace(cluster, {one.glock for one in hits}, limits)


def _explains(glocks: GlockFacts, hits: Sequence[Contention], severity: Severity) -> bool:
    """Whether all overdue requests to release a lock belong to the contended locks, and none is the graver fact."""
    keys = {(one.fs, one.glock) for one in hits}
    return all(
        d.lock.key in keys and SEVERITIES.index(d.severity) >= SEVERITIES.index(severity) for d in demotes(glocks)
    )


def _by_trace(cluster: Cluster, known: set[str], limits: Limits) -> Iterator[Seen]:
    """Glocks that other nodes ask for again and again, as a trace counts it."""
    counted = cluster.figures(INODE_DEMOTES)
    found = [(_rate(one), one) for one in counted if (one.interval_s or 0) >= limits.trace_window_s]
    often = [pair for pair in found if pair[0] >= limits.trace_per_s]
    for rate, figure in sorted(often, key=lambda pair: -pair[0])[:SHOWN]:
        glock = figure.name.partition(" ")[0]
        if glock not in known:
            inode = int(glock.partition("/")[2], 16)
            yield Seen(
                level="trace",
                words=RequestWords(glock, inode, figure.scope, figure.node, rate, figure.interval_s or 0.0),
                lines=(figure.ref,),
                nodes=(figure.node,),
                borne_by=(1, 1),
                parts=("trace",),
                weight=rate,
            )


def _rate(figure: Figure) -> float:
    return figure.value / (figure.interval_s or 1)


@rule("GL-11", needs=(GlockFacts, StackedProcesses), words=ContentionWords)
def local_contention(glocks: GlockFacts, stacks: StackedProcesses, limits: Limits) -> Iterator[Seen]:
    """Symptom: processes of one node hang on one file or directory.

    Reasoning: all waiters and the holder are on one node: no cluster traffic is behind it.
    Source: kernel documentation of glocks.
    """
    hits = [one for one in glocks.contentions if one.is_local]
    hits += [one for one in glocks.lone if one.is_local and one.held_s >= limits.lone_s]
    alone = "alone_" if len({node for node, _ in glocks.captures}) < 2 else ""
    for number, one in enumerate(hits[:SHOWN]):
        severity = "info" if len(one.processes) == 1 else severity_of(one, limits)
        rest = len(hits) - SHOWN if number == 0 else 0
        yield _seen(one, glocks, stacks, f"{alone}{severity}", rest=rest)


@dataclass(frozen=True, slots=True)
class QuietWords:
    """What was looked at: single short waits, captures and nodes."""

    waits: int
    captures: int
    nodes: int


@rule("GL-00", needs=(GlockFacts, Events, Records), words=QuietWords)
def healthy_glocks(glocks: GlockFacts, events: Events, records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: none, or a complaint that has another cause.

    Reasoning: no glock is waited for twice, by two processes or by two nodes, and no node is late with releasing one.
    Source: the limits of the rules on contention and on pending requests.
    """
    if not glocks.any or not _is_quiet(glocks) or events.lines("gfs2-withdraw"):
        return  # the dump that a withdraw leaves in the log says nothing on how the locks were
    if _is_half_read(records):
        return  # the waits may stand in the lines that could not be read
    if glocks.waits and len({lock.artifact for lock in glocks.locks if not lock.node}) > 1:
        return  # dumps of nobody knows which nodes: what each waits for may be held in the other
    nodes = {node for node, _ in glocks.captures if node}
    some = glocks.waits[0] if glocks.waits else glocks.locks[0] if glocks.locks else None
    captures = sum(map(len, glocks.captures.values()))
    yield Seen(
        level="quiet",
        words=QuietWords(len(glocks.waits), captures, max(1, len(nodes))),
        lines=(Ref(some.artifact, some.line),) if some else (),
        nodes=nodes,
        times=[one.at for own in glocks.captures.values() for one in own],
        zone_min=some.zone_min if some else None,
        parts=("captures", "sent"),
    )


def _is_half_read(records: Records) -> bool:
    """Whether a dump of glocks has so many damaged lines that what it lacks says nothing."""
    unread, read = pl.col("not_understood"), pl.col("understood")
    return not records.frame(Section, (pl.col("format") == "gfs2_glocks") & (unread * UNREAD_SHARE > read)).is_empty()


def _is_quiet(glocks: GlockFacts) -> bool:
    """Only lone waits of every day: nobody seen twice, no late release, no circle."""
    if any(span.dumps > 1 for span in glocks.spans) or glocks.circles:
        return False
    if any("F" in lock.flags for lock in glocks.locks):
        return False  # a recovery holds replies back
    overdue = any(one.severity != "info" for one in demotes(glocks))
    crowded = any(len(glocks.queues.waiting(wait.queue)) > 1 for wait in glocks.waits)
    return not overdue and not crowded and not glocks.contentions


def _seen(
    one: Contention,
    glocks: GlockFacts,
    stacks: StackedProcesses,
    level: str,
    *,
    causes: tuple[str, ...] = (),
    rest: int = 0,
) -> Seen:
    words, lines = _words(one, glocks, stacks, rest), _lines(one, glocks)
    return Seen(
        level=level,
        words=words,
        lines=lines,
        nodes=one.nodes,
        times=one.times,
        zone_min=one.waits[0].zone_min,
        borne_by=(len(lines), len(one.nodes)),
        parts=(
            _completeness(one, glocks),
            "disagree" if one.conflict is not None else "again" if len(one.by_round) > 1 else "once",
        ),
        causes=causes,
        tunings=_tunings(one),
        weight=one.most_waiters * max(1.0, words.longest_s or 0.0, one.held_s),
    )


def _words(one: Contention, glocks: GlockFacts, stacks: StackedProcesses, rest: int) -> ContentionWords:
    waiting, holds = one.waiting_nodes, [lock.min_hold for lock in one.locks if lock.min_hold]
    changes = limits("GL-01").hz_if_unknown / min(holds) if holds else 0.0
    first, second = one.conflict or (None, None)
    keeper, holder = one.lone_keeper, one.main_holder
    return ContentionWords(
        glock=glocks.label(one.fs, one.glock),
        inode=one.inode,
        what=one.what,
        fs=short_fs(one.fs),
        waiters=one.most_waiters,
        where=" and ".join(waiting) if 0 < len(waiting) < 3 else None,
        nodes=waiting,
        waiting_nodes=max(1, len(waiting)),
        all_waiters=len(one.processes) if len(one.processes) != one.most_waiters else None,
        processes=len(one.processes),
        holder=holder,
        keeper=keeper,
        pending=pending(keeper) if keeper else "unknown",
        held_s=one.held_s if one.held_s >= 1 else None,
        longest_s=max((glocks.span_at[wait.nth].seconds or 0.0 for wait in one.waits), default=0.0) or None,
        seen=len(one.by_round),
        captures=max(len(one.by_round), glocks.rounds_of(one.fs)),
        moves=one.moves,
        hold_jiffies=min(holds, default=None),
        changes_per_s=changes,
        each_per_s=changes / len(one.nodes) if len(one.nodes) > 1 else None,
        sharing=len(one.nodes),
        one=first,
        other=second,
        rest=max(0, rest),
        stands=stacks.awaited(holder.node, holder.pid) if holder is not None else None,
    )


def _lines(one: Contention, glocks: GlockFacts) -> list[Ref]:
    """The holder with its glock, and the first waiters of each node in the round with most of them."""
    refs: list[Ref] = []
    holder = one.main_holder
    if holder is not None:
        lock = glocks.lock_of.get(holder.queue)
        refs += [Ref(lock.artifact, lock.line)] if lock else []
        refs.append(Ref(holder.artifact, holder.line))
    elif one.keepers:
        refs.append(Ref(one.keepers[-1].artifact, one.keepers[-1].line))
    worst = [wait for wait in one.waits if wait.round == one.worst_round]
    for node in one.waiting_nodes or ("",):
        refs += [Ref(wait.artifact, wait.line) for wait in worst if wait.node == node][:2]
    return list(dict.fromkeys(refs))[:LINES_SHOWN]


def _completeness(one: Contention, glocks: GlockFacts) -> str:
    if not one.holders and not one.keepers:
        return "unseen"
    if one.is_local and len({node for node, _ in glocks.captures}) < 2:
        return "alone"
    return "holder" if one.holders else "keeper"


def _tunings(one: Contention) -> tuple[str, ...]:
    """Only what the commands and the inode of this case give a reason for; nothing of the cluster for a quarrel inside
    a node.
    """
    commands = {entry.command.lower() for entry in (*one.waits, *one.holders)}
    chosen = []
    if not one.is_local:
        chosen.append("one-node-per-tree-gfs2")
    if any(map(walks_or_copies, commands)):
        chosen.append("backup-one-node")
    if not one.is_local and any(map(handles_mail, commands)):
        chosen.append("mail-affinity")
    if one.is_directory:
        chosen.append("split-directory")
    return (*chosen, "noatime") if not one.is_local else tuple(chosen)
