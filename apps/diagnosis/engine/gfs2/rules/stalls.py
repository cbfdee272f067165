"""Rules on waits that no ordinary glock shows: a frozen file system (GL-12), reclaim (GL-13), the VFS inode lock
(GL-14).

They rest on recalled knowledge of the stacks, so they are hints.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, Literal

from apps.diagnosis.engine.core.facts.nodes import nodes_in
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.gfs2.cluster import Cluster, Task, short_fs
from apps.diagnosis.engine.gfs2.entries import Entry
from apps.diagnosis.engine.gfs2.glocks import GlockFacts
from parsers.dataclass import dataclass

FREEZE: Final = "1/2"
FROZEN: Final = frozenset(("__sb_start_write", "percpu_rwsem_wait", "__percpu_down_read", "percpu_down_read"))
RWSEM: Final = frozenset((
    "rwsem_down_write_slowpath", "rwsem_down_read_slowpath", "rwsem_down_write_failed", "rwsem_down_read_failed",
    "__mutex_lock_slowpath",
))  # fmt: skip
PATHS: Final = frozenset(
    (
        "path_openat",
        "do_unlinkat",
        "lock_rename",
        "do_last",
        "lookup_slow",
        "do_rmdir",
        "filename_create",
        "walk_component",
    )
)
# Who wants the lock under which the journal is flushed: it is one of GFS2 and of no inode.
OF_LOG: Final = frozenset(("__gfs2_trans_begin", "gfs2_trans_begin", "gfs2_log_reserve", "gfs2_log_flush"))
LOCK_WAITS: Final = frozenset(("dlm_lock", "gfs2_glock_wait", "gfs2_glock_nq", "gfs2_glock_holder_wait"))
DAEMONS: Final = frozenset(
    ("kswapd0", "kswapd1", "dlm_controld", "corosync", "fenced", "pacemaker-fenced", "stonith-ng", "sbd")
)


def _near_gfs2(task: Task) -> bool:
    return any(frame.startswith("gfs2_") for frame in task.frames)


@dataclass(frozen=True, slots=True)
class FreezeWords:
    """holder of the freeze lock, as seen last; age_s: for how long at least it is held; waiting: writers, also those
    seen in stacks.
    """

    fs: str
    holder: Entry
    age_s: float
    captures: int
    waiting: int


@dataclass(frozen=True, slots=True)
class WriterWords:
    """Writers before a frozen file system, without a sight of who froze it."""

    waiting: int
    nodes: tuple[str, ...]


@rule("GL-12", needs=(GlockFacts, Cluster), words=(FreezeWords, WriterWords))
def forgotten_freeze(glocks: GlockFacts, cluster: Cluster, limits: Limits) -> Iterator[Seen]:
    """Symptom: every write to one file system hangs, reads go on.

    Reasoning: the freeze lock is held exclusively in two captures or for a minute, or writers stand before a frozen
    file system. Source: glock 1/2 is the freeze lock; the rest is recalled.
    """
    writers = [task for task in cluster.tasks if task.frames and set(task.frames[:4]) & FROZEN]
    by_fs = _frozen_by(glocks)
    for fs, own in sorted(by_fs.items(), key=lambda one: str(one[0])):
        age, captures = _held_s(own, glocks), len({hold.round for hold in own})
        if captures >= limits.captures or age >= limits.low_s:
            waiting = {wait.name for wait in glocks.contended.get((fs, FREEZE), [])}
            waiting |= {f"{t.node}:{t.pid}" for t in writers}
            yield _frozen(FreezeWords(short_fs(fs), own[-1], age, captures, len(waiting)), own, writers, limits)
    if not by_fs and len({(task.node, task.pid) for task in writers}) >= limits.tasks:
        yield _writers_only(writers)


def _frozen_by(glocks: GlockFacts) -> dict[str | None, list[Entry]]:
    """Who holds the freeze lock for himself alone, by file system."""
    found: dict[str | None, list[Entry]] = defaultdict(list)
    for hold in glocks.holds:
        if hold.glock == FREEZE and hold.state == "EX":
            found[hold.fs].append(hold)
    return found


def _held_s(holds: Sequence[Entry], glocks: GlockFacts) -> float:
    """From the first to the last sight, or since another node asked for it."""
    times = [hold.at for hold in holds if hold.at is not None]
    ages = [glocks.lock_of[hold.queue].age_s for hold in holds if hold.queue in glocks.lock_of]
    return max([(max(times) - min(times)) / 1e6 if times else 0.0, *ages])


def _frozen(words: FreezeWords, holds: Sequence[Entry], writers: Sequence[Task], limits: Limits) -> Seen:
    lines = (*(Ref(hold.artifact, hold.line) for hold in holds[-3:]), *(task.ref for task in writers[:3]))
    return Seen(
        level="critical" if words.age_s >= limits.critical_s else "high" if words.age_s >= limits.high_s else "medium",
        words=words,
        lines=lines,
        nodes=(words.holder.node,),
        times=[hold.at for hold in holds],
        zone_min=words.holder.zone_min,
        borne_by=(len(lines), 1),
        parts=("holder",),
        causes=("GL-08",),
        harm="writes",
        weight=words.age_s,
    )


def _writers_only(writers: Sequence[Task]) -> Seen:
    nodes = nodes_in(writers)
    waiting = len({(task.node, task.pid) for task in writers})
    return Seen(
        level="writers",
        words=WriterWords(waiting, nodes),
        lines=[task.ref for task in writers[:5]],
        nodes=nodes,
        borne_by=(len(writers), max(1, len(nodes))),
        parts=("stacks",),
        harm="writers",
        weight=float(waiting),
    )


@dataclass(frozen=True, slots=True)
class ReclaimWords:
    """The task that the kernel reports for longest, age_s; tasks with such a stack, and their nodes."""

    name: str
    pid: int | None
    node: str | None
    age_s: float
    tasks: int
    nodes: tuple[str, ...]


@rule("GL-13", needs=(Cluster,), words=ReclaimWords)
def reclaim_waits(cluster: Cluster, limits: Limits) -> Iterator[Seen]:
    """Symptom: a node with little memory stands still, its cluster daemons too.

    Reasoning: memory reclaim evicts an inode of GFS2 and waits for a lock inside the same stack.
    Source: order of the frames; recalled.
    """
    found = [task for task in cluster.tasks if _reclaims(task)]
    by_task: dict[tuple[str | None, int | None], set[tuple[int | None, int]]] = defaultdict(set)
    for task in found:
        by_task[task.node, task.pid].add((task.at, task.ref.artifact))
    again = any(len(sights) > 1 for sights in by_task.values())
    stuck = any((task.seconds or 0.0) >= limits.stuck_s for task in found)
    if not found or not (again or stuck or len(by_task) >= limits.tasks):
        return
    longest = max(found, key=lambda task: task.seconds or 0.0)
    daemon = any(task.name.partition("/")[0] in DAEMONS for task in found)
    age = longest.seconds or 0.0
    nodes = nodes_in(found)
    yield Seen(
        level="stuck" if age >= limits.stuck_s else "daemon" if daemon else "task",
        words=ReclaimWords(longest.name, longest.pid, longest.node, age, len(by_task), nodes),
        lines=[task.ref for task in found[:6]],
        nodes=nodes,
        times=(longest.at,),
        goes_on=True,
        borne_by=(len(found), max(1, len(nodes))),
        parts=("stacks",),
        causes=("GL-17",),
        weight=age,
    )


def _reclaims(task: Task) -> bool:
    """Innermost first: the wait for a lock, then the eviction, then the reclaim."""
    frames = list(task.frames)
    evict = next((i for i, frame in enumerate(frames) if frame == "gfs2_evict_inode"), -1)
    shrink = next(
        (i for i, frame in enumerate(frames) if frame.startswith("shrink_slab") or frame == "do_shrink_slab"), -1
    )
    wait = next((i for i, frame in enumerate(frames) if frame in LOCK_WAITS), -1)
    return 0 <= wait < evict < shrink


@dataclass(frozen=True, slots=True)
class QueueWords:
    """tasks that wait in ``frame``, called from ``caller``; waits: processes of the node in its glock dump.

    holder: the task that may hold the lock, and what it waits for itself.
    """

    tasks: int
    node: str | None
    frame: str
    caller: str | None
    waits: int
    holder: Task | None
    behind: Literal["glock", "storage"] | None


@rule("GL-14", needs=(GlockFacts, Cluster), words=QueueWords)
def vfs_inode_lock(glocks: GlockFacts, cluster: Cluster, limits: Limits) -> Iterator[Seen]:
    """Symptom: many blocked tasks on one directory, few of them in the glock dump.

    Reasoning: their stacks wait for the VFS lock of an inode, whose holder waits for the glock.
    Source: names of the functions; recalled.
    """
    by_node: dict[str | None, dict[int | None, Task]] = defaultdict(dict)
    for task in cluster.tasks:
        if not task.frames or not set(task.frames[:3]) & RWSEM or _caller(task) in OF_LOG:
            continue
        if _near_gfs2(task) or set(task.frames) & PATHS:
            by_node[task.node][task.pid] = task
    if not glocks.any and not any(_near_gfs2(task) for task in cluster.tasks if task.node in by_node):
        return
    for node, own in by_node.items():
        waits = len({wait.name for wait in glocks.waits if node is None or wait.node == node})
        groups: dict[str | None, list[Task]] = defaultdict(list)
        for task in own.values():
            groups[_caller(task)].append(task)
        caller, most = max(groups.items(), key=lambda item: len(item[1]))
        if len(most) >= limits.tasks or len(own) - waits >= limits.gap:
            yield _queue(node, most, caller, waits, _holder(cluster, node, most))


def _caller(task: Task) -> str | None:
    """The function that wanted the lock: the first one behind the wait for it; None where the stack ends before it."""
    last = max(
        (
            i
            for i, frame in enumerate(task.frames[:4])
            if frame in RWSEM or frame.startswith(("down_", "mutex_", "rwsem_"))
        ),
        default=-1,
    )
    return task.frames[last + 1] if last + 1 < len(task.frames) else None


def _holder(cluster: Cluster, node: str | None, queue: Sequence[Task]) -> Task | None:
    """A task of the node, not of the queue, that waits for a glock or for storage: it may hold the lock."""
    queued = set(queue)
    on_node = (task for task in cluster.tasks if task.node == node and task.frames)
    return next(
        (task for task in on_node if task.frames[0] in LOCK_WAITS | {"io_schedule"} and task not in queued), None
    )


def _queue(node: str | None, own: Sequence[Task], caller: str | None, waits: int, holder: Task | None) -> Seen:
    behind: Literal["glock", "storage"] | None = None
    if holder is not None:
        behind = "glock" if set(holder.frames) & LOCK_WAITS else "storage"
    lines = (*(task.ref for task in own[:5]), *((holder.ref,) if holder else ()))
    return Seen(
        level="queue",
        words=QueueWords(len(own), node, next(f for f in own[0].frames if f in RWSEM), caller, waits, holder, behind),
        lines=lines,
        nodes=(node,),
        borne_by=(len(lines), 1),
        parts=("holder" if holder else "no_holder",),
        causes=("ST-22",),
        weight=float(len(own)),
    )
