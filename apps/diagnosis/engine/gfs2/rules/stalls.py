"""Rules on waits that no ordinary glock shows: a frozen file system (GL-12), reclaim (GL-13), the VFS inode lock (GL-14).

They rest on recalled knowledge of the stacks, so they are hints; and the note on dumps that contradict the lock manager.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from apps.diagnosis.engine.core.model import Figure, Part, Ref, Severity
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.core.wording import listed, plural, seconds
from apps.diagnosis.engine.gfs2.cluster import Task, short_fs, tasks
from apps.diagnosis.engine.gfs2.disputes import Disputes
from apps.diagnosis.engine.prose.rules.contradictions import Note, note

if TYPE_CHECKING:
    from apps.diagnosis.engine.core.knowledge import Limits
    from apps.diagnosis.engine.facts import CaseFacts
    from apps.diagnosis.engine.gfs2.entries import Entry

SHOWN: Final = 3
FREEZE: Final = "1/2"
FROZEN: Final = frozenset(("__sb_start_write", "percpu_rwsem_wait", "__percpu_down_read", "percpu_down_read"))
RWSEM: Final = frozenset((
    "rwsem_down_write_slowpath", "rwsem_down_read_slowpath", "rwsem_down_write_failed", "rwsem_down_read_failed", "__mutex_lock_slowpath",
))  # fmt: skip
PATHS: Final = frozenset(
    ("path_openat", "do_unlinkat", "lock_rename", "do_last", "lookup_slow", "do_rmdir", "filename_create", "walk_component")
)
LOCK_WAITS: Final = frozenset(("dlm_lock", "gfs2_glock_wait", "gfs2_glock_nq", "gfs2_glock_holder_wait"))
DAEMONS: Final = frozenset(("kswapd0", "kswapd1", "dlm_controld", "corosync", "fenced", "pacemaker-fenced", "stonith-ng", "sbd"))


def _near_gfs2(task: Task) -> bool:
    return any(frame.startswith("gfs2_") for frame in task.frames)


@rule("GL-12")
def forgotten_freeze(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: every write to one file system hangs, reads go on.

    Reasoning: the freeze lock is held exclusively in two captures or for a minute, or writers stand before a frozen file system.
    Source: glock 1/2 is the freeze lock; the rest is recalled.
    """
    holds = [hold for hold in facts.glocks.holds if hold.glock == FREEZE and hold.state == "EX"]
    writers = [task for task in tasks(facts) if task.frames and set(task.frames[:4]) & FROZEN]
    for fs in sorted({hold.fs for hold in holds}, key=str):
        own = [hold for hold in holds if hold.fs == fs]
        if (draft := _frozen(facts, fs, own, writers, limits)) is not None:
            yield draft
    if not holds and len({(task.node, task.pid) for task in writers}) >= limits.tasks:
        yield _writers_only(writers)


def _frozen(facts: CaseFacts, fs: str | None, holds: Sequence[Entry], writers: Sequence[Task], limits: Limits) -> Draft | None:
    times = [hold.at for hold in holds if hold.at is not None]
    age = (max(times) - min(times)) / 1e6 if times else 0.0
    locks = [facts.glocks.lock_of[hold.queue] for hold in holds if hold.queue in facts.glocks.lock_of]
    age = max([age, *(lock.age_s for lock in locks)])
    captures = len({hold.round for hold in holds})
    if captures < limits.captures and age < limits.low_s:
        return None
    waiting = {wait.name for wait in facts.glocks.contended.get((fs, FREEZE), [])} | {f"{t.node}:{t.pid}" for t in writers}
    severity: Severity = "critical" if age >= limits.critical_s else "high" if age >= limits.high_s else "medium"
    last = holds[-1]
    evidence = (*(Ref(hold.artifact, hold.line) for hold in holds[-3:]), *(task.ref for task in writers[:3]))
    return Draft(
        severity=severity,
        evidence=evidence,
        words={
            "fs": short_fs(fs),
            "node": last.node or "a node",
            "who": f"{last.pid} [{last.command or '?'}]",
            "age": seconds(age) if age else f"{captures} captures",
            "waiting": plural(len(waiting), "writer waits", "writers wait"),
            "evidence": f"The freeze lock 1/2 is held EX in {plural(captures, 'capture')}.",
        },
        nodes=(last.node,) if last.node else (),
        start=min(times, default=None),
        end=max(times, default=None),
        zone_min=last.zone_min,
        figures=(Figure("Captures that show it", captures, "", limits.words("captures")), Figure("Held for, at least", round(age, 1), "s")),
        parts=(evidence_part(len(evidence), 1), Part("completeness", 0.9, "the holder of the freeze lock is seen")),
        causes=("GL-08",),
        weight=age,
        harm="nothing could be written to the file system meanwhile",
    )


def _writers_only(writers: Sequence[Task]) -> Draft:
    nodes = tuple(sorted({task.node for task in writers if task.node}))
    count = len({(task.node, task.pid) for task in writers})
    return Draft(
        severity="medium",
        evidence=tuple(task.ref for task in writers[:5]),
        words={
            "fs": "A file system",
            "node": "a node that is not known",
            "who": "no holder of the freeze lock is seen",
            "age": "this capture",
            "waiting": plural(count, "writer waits", "writers wait"),
            "evidence": f"Their stacks stand before a frozen file system on {listed(nodes) or 'a node'}.",
        },
        nodes=nodes,
        parts=(evidence_part(len(writers), max(1, len(nodes))), Part("completeness", 0.5, "stacks only, no dump of the freeze lock")),
        weight=float(count),
        harm="the writers wait",
    )


@rule("GL-13")
def reclaim_waits(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: a node with little memory stands still, its cluster daemons too.

    Reasoning: memory reclaim evicts an inode of GFS2 and waits for a lock inside the same stack.
    Source: order of the frames; recalled.
    """
    found = [task for task in tasks(facts) if _reclaims(task)]
    by_task: dict[tuple[str | None, int | None], list[Task]] = defaultdict(list)
    for task in found:
        by_task[task.node, task.pid].append(task)
    again = any(len({(task.at, task.ref.artifact) for task in own}) > 1 for own in by_task.values())
    if not found or not (again or len(by_task) >= limits.tasks):
        return
    longest = max(found, key=lambda task: task.seconds or 0.0)
    daemon = any(task.name.partition("/")[0] in DAEMONS for task in found)
    age = longest.seconds or 0.0
    severity: Severity = "critical" if age >= limits.stuck_s else "high" if daemon else "medium"
    nodes = tuple(sorted({task.node for task in found if task.node}))
    yield Draft(
        severity=severity,
        evidence=tuple(task.ref for task in found[:6]),
        words={
            "who": f"{longest.name or 'a task'}:{longest.pid}",
            "node": longest.node or "a node",
            "age": f" for {seconds(age)}" if age else "",
            "n": plural(len(by_task), "task"),
            "nodes": listed(nodes) or "a node",
        },
        nodes=nodes,
        start=longest.at,
        figures=(Figure("Tasks", len(by_task), "", limits.words("tasks")), Figure("Longest", age, "s", limits.words("stuck_s"))),
        parts=(evidence_part(len(found), max(1, len(nodes))), Part("completeness", 0.8, "stacks; the state of memory is judged elsewhere")),
        weight=age,
    )


def _reclaims(task: Task) -> bool:
    """Innermost first: the wait for a lock, then the eviction, then the reclaim."""
    frames = list(task.frames)
    evict = next((i for i, frame in enumerate(frames) if frame == "gfs2_evict_inode"), -1)
    shrink = next((i for i, frame in enumerate(frames) if frame.startswith("shrink_slab") or frame == "do_shrink_slab"), -1)
    wait = next((i for i, frame in enumerate(frames) if frame in LOCK_WAITS), -1)
    return 0 <= wait < evict < shrink


@rule("GL-14")
def vfs_inode_lock(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: many blocked tasks on one directory, few of them in the glock dump.

    Reasoning: their stacks wait for the VFS lock of an inode, whose holder waits for the glock.
    Source: names of the functions; recalled.
    """
    by_node: dict[str | None, dict[int | None, Task]] = defaultdict(dict)
    for task in tasks(facts):
        if task.frames and set(task.frames[:3]) & RWSEM and (_near_gfs2(task) or set(task.frames) & PATHS):
            by_node[task.node][task.pid] = task
    if not facts.glocks.any and not any(_near_gfs2(task) for own in by_node.values() for task in own.values()):
        return
    for node, own in by_node.items():
        waits = {wait.name for wait in facts.glocks.waits if node is None or wait.node == node}
        groups: dict[str, list[Task]] = defaultdict(list)
        for task in own.values():
            groups[_below(task)].append(task)
        below, most = max(groups.items(), key=lambda item: len(item[1]))
        if len(most) >= limits.tasks or len(own) - len(waits) >= limits.gap:
            yield _queue(facts, node, most, below, len(waits), limits)


def _below(task: Task) -> str:
    """The function that wanted the lock: the first one behind the wait for it."""
    last = max(
        (i for i, frame in enumerate(task.frames[:4]) if frame in RWSEM or frame.startswith(("down_", "mutex_", "rwsem_"))), default=-1
    )
    return task.frames[last + 1] if last + 1 < len(task.frames) else "an unknown function"


def _queue(facts: CaseFacts, node: str | None, own: Sequence[Task], below: str, waits: int, limits: Limits) -> Draft:
    holder = next(
        (t for t in tasks(facts) if t.node == node and t.frames and t.frames[0] in LOCK_WAITS | {"io_schedule"} and t not in own), None
    )
    what = "a glock" if holder is not None and set(holder.frames) & LOCK_WAITS else "storage"
    owner = f"probably held by {holder.pid} [{holder.name}], which itself waits for {what}" if holder else "its holder is not known"
    evidence = (*(task.ref for task in own[:5]), *((holder.ref,) if holder else ()))
    return Draft(
        severity="medium",
        evidence=evidence,
        words={
            "n": plural(len(own), "task"),
            "node": node or "a node",
            "frame": next((frame for frame in own[0].frames if frame in RWSEM), "a wait for a lock"),
            "below": below,
            "holder": f"The lock is {owner}."
            if holder
            else "Who holds it is not seen: look for the task of that path which waits elsewhere.",
            "owner": owner,
            "w": waits,
        },
        nodes=(node,) if node else (),
        figures=(Figure("Tasks", len(own), "", limits.words("tasks")), Figure("Waiting holder lines", waits)),
        parts=(evidence_part(len(evidence), 1), Part("completeness", 0.7 if holder else 0.5, "the holder is a guess from the stacks")),
        weight=float(len(own)),
    )


@note("CONTRADICTION")
def lock_views(facts: CaseFacts) -> Iterator[Note]:
    """The glock dump of a node and the lock manager's tables cannot both be true: shown, with both lines."""
    found = facts.glocks.manager.disagreements if facts.glocks.any else []
    for one in found[:SHOWN]:
        lock, granted = one.lock, one.manager
        rest = len(found) - SHOWN if one is found[0] else 0
        yield Note(
            title=f"The views of glock {lock.object} of {short_fs(lock.fs)} disagree: {one.words}",
            explanation=(
                f"Glock dump and lock manager are two files, read one after the other: either the lock moved between them, or one side has"
                f" lost track. The same in a second capture would be a fault.{f' {rest} further glocks disagree.' if rest > 0 else ''}"
            ),
            evidence=(Ref(lock.artifact, lock.line), Ref(granted.artifact, granted.line)),
            disproved_by="Both views equal in the next capture.",
            nodes=tuple(sorted({lock.node, granted.owner} - {""})),
            sure=0.8 if lock.at is not None and granted.at is not None else 0.5,
            why="read within seconds of each other"
            if lock.at is not None and granted.at is not None
            else "the times of the two files are not known",
            basis="derived",
        )


@note("CONTRADICTION")
def node_views(facts: CaseFacts) -> Iterator[Note]:
    """Dumps of two nodes that cannot both be true: shown, with both lines; none of them is taken for the truth."""
    found = facts.get(Disputes).all
    for one in found[:SHOWN]:
        more = len(found) - SHOWN if one is found[0] else 0
        rest = f" {plural(more, 'further sight disagrees', 'further sights disagree')}." if more > 0 else ""
        yield Note(
            title=f"The views of {one.what} disagree: {one.words}",
            explanation=(
                "The nodes' dumps are taken one after the other: either the lock moved between them, or one side has lost track. Take both"
                f" again in one second; the same in a second capture would be a fault.{rest}"
            ),
            evidence=one.refs,
            disproved_by="Both views equal in the next capture.",
            nodes=one.nodes,
            sure=0.8 if one.timed else 0.5,
            why="taken within seconds of each other" if one.timed else "the times of the two dumps are not known",
            basis="derived",
        )
