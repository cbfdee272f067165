"""Rules on the use of glocks: allocation (GL-04), direct access (GL-09), number (GL-10), deleted and shared files
(GL-15, GL-16).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal, NamedTuple

import polars as pl

from apps.diagnosis.engine.core.facts.events import Events, LogLine
from apps.diagnosis.engine.core.facts.nodes import nodes_in
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.knowledge import limits as limits_of
from apps.diagnosis.engine.core.words.metrics import metric
from apps.diagnosis.engine.gfs2.cluster import Cluster, Figure, Task, short_fs
from apps.diagnosis.engine.gfs2.contention import Contention
from apps.diagnosis.engine.gfs2.entries import Entry, Lock
from apps.diagnosis.engine.gfs2.glocks import GlockFacts
from apps.diagnosis.engine.gfs2.mounts import Mounts
from apps.diagnosis.engine.gfs2.rules.glocks import severity_of
from parsers.dataclass import dataclass
from parsers.records.locks import Glock, GlockCount
from parsers.records.states import Room

CHANGES: Final = metric("changes-of-direct-io")
GLOCKS: Final = metric("glocks-in-memory")
GLOCKS_OF_A_MOUNT: Final = metric("glocks-of-a-mount")
SHOWN: Final = 3
REFS_MOST: Final = 6
GLOCK_WAITS: Final = frozenset(("gfs2_glock_wait", "gfs2_glock_nq", "gfs2_glock_holder_wait", "gfs2_glock_async_wait"))
ALLOCATION: Final = ("gfs2_inplace_reserve", "get_local_rgrp", "try_rgrp_", "gfs2_alloc_blocks", "gfs2_rgrp_lock")
RGRP: Final = "3/"
IOPEN: Final = "5/"
DELETING: Final = frozenset("PeEs")
MAPPED: Final = frozenset(("gfs2_page_mkwrite", "gfs2_fault"))
APPENDERS: Final = frozenset(
    ("rsyslogd", "syslog-ng", "syslogd", "logger", "mysqld", "mariadbd", "postgres", "mongod", "slapd", "auditd")
)
_DUMP: Final = ["node", "artifact", "dump"]


@dataclass(frozen=True, slots=True)
class RoomWords:
    """waiters: processes over all captures; worst: in the one with most of them; groups that they wait for, with their
    glocks, those with most waiters first.

    used_pct: how full the file system is; ``full`` is above the stated limit.
    """

    waiters: int
    nodes: tuple[str, ...]
    groups: int
    fs: str
    room: Literal["full", "free", "unknown"]
    used_pct: float | None
    captures: int
    worst: int
    glocks: tuple[str, ...]


class Use(NamedTuple):
    """How full a file system is, in per cent, and where it is shown."""

    value: float
    ref: Ref


@dataclass(frozen=True, slots=True)
class AllocatorWords:
    """tasks that wait for a glock while they allocate blocks; age_s: of the oldest."""

    tasks: int
    nodes: tuple[str, ...]
    age_s: float | None


@rule("GL-04", needs=(GlockFacts, Mounts, Records, Cluster), words=(RoomWords, AllocatorWords))
def rgrp_pressure(
    glocks: GlockFacts, mounts: Mounts, records: Records, cluster: Cluster, limits: Limits
) -> Iterator[Seen]:
    """Symptom: writes and creates hang now and then on all nodes.

    Reasoning: waiters on several resource groups at once, or many on one; stronger the fuller the file system is.
    Source: Red Hat guide to GFS2.
    """
    by_fs: dict[str | None, dict[int, list[Entry]]] = defaultdict(lambda: defaultdict(list))
    for _, waits in glocks.queues.waited():
        if waits[0].glock.startswith(RGRP):
            by_fs[waits[0].fs][waits[0].round].extend(waits)
    for fs, rounds in by_fs.items():
        bad = [waits for waits in rounds.values() if _is_pressure(waits, limits)]
        if bad:
            yield _pressure(fs, bad, _fullness(fs, mounts, records), limits)
    if not glocks.any:
        yield from _allocators(cluster.tasks, limits)


def _allocators(tasks: Sequence[Task], limits: Limits) -> Iterator[Seen]:
    """Tasks whose stacks wait for a glock inside the search for room, where no dump shows which one."""
    own = {
        (task.node, task.pid): task
        for task in tasks
        if set(task.frames) & GLOCK_WAITS and any(frame.startswith(ALLOCATION) for frame in task.frames)
    }
    if len(own) < limits.waiters:
        return
    nodes = nodes_in(own.values())
    age = max((task.seconds for task in own.values() if task.seconds is not None), default=None)
    yield Seen(
        level="stacks",
        words=AllocatorWords(len(own), nodes, age),
        lines=[task.ref for task in own.values()][:REFS_MOST],
        nodes=nodes,
        borne_by=(len(own), max(1, len(nodes))),
        parts=("stacks",),
        weight=age or 1.0,
    )


def _is_pressure(waits: Sequence[Entry], limits: Limits) -> bool:
    names: dict[str, set[str]] = defaultdict(set)
    for wait in waits:
        names[wait.glock].add(wait.name)
    return len(names) >= limits.groups or max(map(len, names.values())) >= limits.waiters


def _names_in(waits: Iterable[Entry]) -> int:
    return len({wait.name for wait in waits})


def _room(use: Use | None, limits: Limits) -> Literal["unknown", "full", "free"]:
    return "unknown" if use is None else "full" if use.value > limits.full_stated_pct else "free"


def _pressure(fs: str | None, rounds: Sequence[Sequence[Entry]], use: Use | None, limits: Limits) -> Seen:
    waits = [wait for own in rounds for wait in own]
    worst = max(rounds, key=_names_in)
    words = RoomWords(
        waiters=_names_in(waits),
        nodes=nodes_in(waits),
        groups=len({wait.glock for wait in waits}),
        fs=short_fs(fs),
        room=_room(use, limits),
        used_pct=use.value if use else None,
        captures=len(rounds),
        worst=_names_in(worst),
        glocks=tuple(glock for glock, _ in Counter(wait.glock for wait in waits).most_common()),
    )
    lines = (*(Ref(wait.artifact, wait.line) for wait in worst[:5]), *((use.ref,) if use else ()))
    return Seen(
        level="high" if (use and use.value > limits.full_pct) or len(rounds) >= limits.captures else "medium",
        words=words,
        lines=lines,
        nodes=words.nodes,
        times=[wait.at for wait in waits],
        zone_min=waits[0].zone_min,
        borne_by=(len(lines), max(1, len(words.nodes))),
        parts=("room" if use else "no_room", "again" if len(rounds) > 1 else "once"),
        tunings=("one-node-per-tree-gfs2",) if words.room == "free" else None,
        weight=float(len(worst)),
    )


def _fullness(fs: str | None, mounts: Mounts, records: Records) -> Use | None:
    """How full a file system is, where df shows it: by its mount, or by a mount point with its name."""
    points = {value.scope for mount in mounts.all for value in mount.points.values() if value.scope}
    name = short_fs(fs)
    for room in reversed(records.of(Room)):
        mount = room.name or ""
        is_meant = mount.rstrip("/").rsplit("/", 1)[-1] == name or (len(points) == 1 and mount in points)
        if room.sort == "file system" and room.share is not None and is_meant:
            return Use(room.share, room.ref)
    return None


@dataclass(frozen=True, slots=True)
class DumpWords:
    """The nodes that use an inode directly and through the page cache, there in ``state``."""

    inode: int
    fs: str
    direct: str
    buffered: str
    state: str


@dataclass(frozen=True, slots=True)
class TraceWords:
    """changes between direct and buffered states; device as the trace names it."""

    inode: int
    device: str | None
    node: str | None
    changes: float


@rule("GL-09", needs=(GlockFacts, Cluster), words=(DumpWords, TraceWords))
def direct_vs_buffered(glocks: GlockFacts, cluster: Cluster, limits: Limits) -> Iterator[Seen]:
    """Symptom: one file is slow on all nodes while each node alone is fast.

    Reasoning: the deferred state is direct I/O, shared and exclusive the page cache; both of one inode at nearly one
    time. Source: compatibility of glock states.
    """
    shown = 0
    for (fs, glock), locks in glocks.locks_of.items():
        if not glock.startswith("2/") or shown >= SHOWN:
            continue
        pair = _two_uses(locks)
        if pair is not None:
            shown += 1
            yield _mixed(fs, locks[0].number, pair)
    for figure in cluster.figures(CHANGES):
        if figure.value >= limits.changes:
            yield _mixed_in_trace(figure)


def _two_uses(locks: Sequence[Lock]) -> tuple[Lock, Lock] | None:
    """Direct on one node, buffered on another, in one round or in neighbouring ones."""
    direct = [lock for lock in locks if lock.state == "DF"]
    buffered = [lock for lock in locks if lock.state in ("SH", "EX")]
    return next(
        (
            (one, other)
            for one in direct
            for other in buffered
            if one.node != other.node and abs(one.round - other.round) <= 1
        ),
        None,
    )


def _mixed(fs: str | None, inode: int, pair: tuple[Lock, Lock]) -> Seen:
    direct, buffered = pair
    return Seen(
        level="dumps",
        words=DumpWords(inode, short_fs(fs), direct.node, buffered.node, buffered.state),
        lines=[Ref(lock.artifact, lock.line) for lock in pair],
        nodes=[lock.node for lock in pair],
        times=[lock.at for lock in pair],
        zone_min=direct.zone_min,
        borne_by=(2, 2),
        parts=("one_round" if direct.round == buffered.round else "next_round",),
    )


def _mixed_in_trace(figure: Figure) -> Seen:
    glock = figure.name.partition(" ")[0]
    return Seen(
        level="trace",
        words=TraceWords(int(glock.partition("/")[2] or "0", 16), figure.scope, figure.node, figure.value),
        lines=(figure.ref,),
        nodes=(figure.node,),
        borne_by=(1, 1),
        parts=("trace",),
    )


Counted = Literal["slabs", "summary", "dump"]


@dataclass(frozen=True, slots=True)
class PopulationWords:
    """glocks that a node has in memory, and the inodes that they stand for."""

    glocks: float
    inodes: float
    node: str | None
    counted: Counted


@rule("GL-10", needs=(Records, Cluster), words=PopulationWords)
def glock_population(records: Records, cluster: Cluster, limits: Limits) -> Iterator[Seen]:
    """Symptom: none by itself; memory, and slow scans of the lock tables.

    Reasoning: counted in a dump, in the kernel's slabs or in a summary of glocktop.
    Source: limit at which glocktop_analyze warns.
    """
    most: dict[str | None, tuple[float, Ref, Counted]] = {}
    for node, value, ref, counted in _populations(records, cluster):
        if node not in most or value > most[node][0]:
            most[node] = (value, ref, counted)
    for node, (value, ref, counted) in sorted(most.items(), key=lambda item: -item[1][0]):
        if value > limits.glocks:
            yield Seen(
                level="many",
                words=PopulationWords(value, value / 2, node, counted),
                lines=(ref,),
                nodes=(node,),
                borne_by=(1, 1),
                parts=("count",),
                weight=value,
            )


def _populations(records: Records, cluster: Cluster) -> Iterator[tuple[str | None, float, Ref, Counted]]:
    """Numbers of glocks by node, with where they are counted."""
    for figure in cluster.figures(GLOCKS):
        yield figure.node, figure.value, figure.ref, "slabs"
    for figure in cluster.figures(GLOCKS_OF_A_MOUNT):
        yield figure.node, figure.value, figure.ref, "summary"
    if not records.has(GlockCount):
        return
    idle = records.scan(GlockCount).group_by(_DUMP).agg(pl.col("count").sum().cast(pl.Int64))
    used = records.scan(Glock).group_by(_DUMP).agg(pl.len().cast(pl.Int64).alias("count"))
    sizes = pl.concat([idle, used]).group_by(_DUMP).agg(pl.col("count").sum()).collect()
    for node, artifact, dump, value in sizes.sort("artifact", "dump", "node").iter_rows():
        yield node, float(value), Ref(artifact, dump), "dump"


@dataclass(frozen=True, slots=True)
class OpenWords:
    """number: of the glock, in hex. opener: the line on who keeps the inode open; pid: of that process."""

    inode: int
    fs: str
    number: str
    is_waited: bool
    captures: int
    opener: LogLine | None
    pid: float | None


@rule("GL-15", needs=(GlockFacts, Events), words=OpenWords)
def unlinked_open(glocks: GlockFacts, events: Events, limits: Limits) -> Iterator[Seen]:
    """Symptom: removed files give no room back, and their deletion hangs.

    Reasoning: the open-lock of one inode is waited for, or marked for deletion, in several captures.
    Source: type 5 glocks; the use of it as a cause is recalled.
    """
    openers = events.lines("open-descriptor")
    for (fs, glock), locks in glocks.locks_of.items():
        if not glock.startswith(IOPEN):
            continue
        waits = glocks.contended.get((fs, glock), [])
        marked = {lock.round for lock in locks if DELETING & set(lock.flags)} | {wait.round for wait in waits}
        if len(marked) < limits.captures:
            continue
        number = glock[len(IOPEN) :]
        opener = next((event for event in openers if event.about in (glock, f"6/{number}")), None)
        pid = opener.value if opener else None
        lines = (*(Ref(lock.artifact, lock.line) for lock in locks[:4]), *((opener.ref,) if opener else ()))
        yield Seen(
            level="kept",
            words=OpenWords(locks[0].number, short_fs(fs), number, bool(waits), len(marked), opener, pid),
            lines=lines,
            nodes=[lock.node for lock in locks],
            borne_by=(len(lines), 1),
            parts=("opener" if opener else "no_opener",),
        )


@dataclass(frozen=True, slots=True)
class SharedWords:
    """nodes that write; mapped: through memory. writer: the first of them.

    hold_jiffies: the minimum hold time of the glock, which bounds its changes of node, ``changes_per_s``.
    """

    inode: int
    fs: str
    nodes: int
    mapped: bool
    writer: Entry
    hold_jiffies: int | None
    changes_per_s: float


@rule("GL-16", needs=(GlockFacts,), words=SharedWords)
def shared_write(glocks: GlockFacts, limits: Limits) -> Iterator[Seen]:
    """Symptom: one log or mapped file is slow on all nodes.

    Reasoning: exclusive waits of several nodes on one regular file, by page faults for writing or by programs that
    append. Source: exclusive excludes caching elsewhere; the two patterns are recalled.
    """
    for one in glocks.contentions:
        writers = _exclusive(one.waits) - {""}
        if one.is_local or len(writers | _exclusive(one.holders)) < 2 or not _is_file(one):
            continue
        entries = [*one.waits, *one.holders]
        mapped = [entry for entry in entries if entry.place in MAPPED]
        appending = [entry for entry in entries if entry.command in APPENDERS and entry.state == "EX"]
        if mapped or len({entry.node for entry in appending}) > 1:
            yield _shared(one, mapped or appending, len(writers), mapped=bool(mapped))


def _exclusive(entries: Iterable[Entry]) -> set[str]:
    """Nodes on which a process has it exclusively, or asks for that; nothing stands for one without a name."""
    return {entry.node for entry in entries if entry.state == "EX"}


def _is_file(one: Contention) -> bool:
    return {lock.inode_type for lock in one.locks if lock.inode_type is not None} == {8}


def _shared(one: Contention, chosen: Sequence[Entry], writers: int, *, mapped: bool) -> Seen:
    bounds = limits_of("GL-01")
    hold = min((lock.min_hold for lock in one.locks if lock.min_hold), default=None)
    changes = bounds.hz_if_unknown / hold if hold else 0.0
    lines = [Ref(entry.artifact, entry.line) for entry in chosen[:4]]
    return Seen(
        level=severity_of(one, bounds),
        words=SharedWords(one.inode, short_fs(one.fs), max(2, writers), mapped, chosen[0], hold, changes),
        lines=lines,
        nodes=one.nodes,
        times=one.times,
        zone_min=chosen[0].zone_min,
        borne_by=(len(lines), writers),
        parts=("waiters",),
    )
