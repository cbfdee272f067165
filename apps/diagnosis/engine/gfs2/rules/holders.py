"""Rules on who holds a glock: a holder that is gone (GL-03), one that was not sent (GL-06), none at all (GL-07), odd
locks (GL-08).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal

from apps.diagnosis.engine.core.facts.nodes import nodes_in
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.gfs2.cluster import JOURNAL_WAITS, SCHEDULER, Alive, Cluster, Space, Task, short_fs
from apps.diagnosis.engine.gfs2.contention import Contention
from apps.diagnosis.engine.gfs2.dlm import lockspace_fits
from apps.diagnosis.engine.gfs2.entries import Entry
from apps.diagnosis.engine.gfs2.glocks import GlockFacts
from apps.diagnosis.engine.gfs2.queues import NOTHING
from apps.diagnosis.engine.gfs2.waits import pending
from parsers.dataclass import dataclass

SHOWN: Final = 3
ENDED: Final = "(ended)"
PROCESS_INDEPENDENT: Final = frozenset(
    ("1", "4", "5", "6", "9")
)  # types whose holders outlive the process that took them
ODD: Final = {"1/3": "rename", "4": "mount", "8": "quota", "9": "journal"}


def _refs(entries: Iterable[Entry]) -> tuple[Ref, ...]:
    return tuple(Ref(entry.artifact, entry.line) for entry in entries)


How = Literal["ended", "absent", "journal", "sleeps", "waits"]


@dataclass(frozen=True, slots=True)
class GoneWords:
    """how: what became of the holder; frame: the function it sleeps in, blocked_s: for how long, at least; waiting:
    processes that wait.
    """

    glock: str
    pid: int
    node: str | None
    how: How
    frame: str | None
    blocked_s: float | None
    waiting: int
    command: str | None
    place: str
    captures: int
    another_time: bool


@dataclass(frozen=True, slots=True)
class _Fate:
    """What became of a holder. part: how sure that is."""

    how: How
    part: str
    refs: tuple[Ref, ...] = ()
    frame: str | None = None
    blocked_s: float | None = None


class _Processes:
    """What the lists of processes and the stacks of a case show of one."""

    def __init__(self, cluster: Cluster, skew_s: float) -> None:
        self._alive = cluster.alive
        self._skew_us = skew_s * 1e6
        self._blocked: dict[tuple[str | None, int | None], list[Task]] = defaultdict(list)
        for task in cluster.tasks:
            if task.state.startswith("D") or task.seconds is not None:
                self._blocked[task.node, task.pid].append(task)

    def fate(self, holder: Entry) -> _Fate | None:
        """Why it will not let go; None where nothing shows that it will not."""
        if holder.command == ENDED:
            return _Fate("ended", "dump")
        if absent := self._absent(holder):
            is_near = absent.at is not None and holder.at is not None and abs(absent.at - holder.at) <= self._skew_us
            return _Fate("absent", "near" if is_near else "far", (absent.ref,))
        seen = self._blocked.get((holder.node, holder.pid), ())
        if (still := _still(seen)) is not None:
            return _asleep(still, "stack")
        shown = [task for task in seen if any(not SCHEDULER.match(frame) for frame in task.frames)]
        return _asleep(shown[-1], "look") if len(seen) == 1 and shown else None

    def _absent(self, holder: Entry) -> Alive | None:
        """The nearest whole list of that node's processes, if it lacks the holder."""
        lists = self._alive.get(holder.node, ())
        nearest = min(lists, key=lambda one: abs((one.at or 0) - (holder.at or 0)), default=None)
        return None if nearest is None or holder.pid <= 0 or holder.pid in nearest.pids else nearest


def _still(seen: Sequence[Task]) -> Task | None:
    """A task whose stack did not move between two captures, or that the kernel reports as hung."""
    hung = [task for task in seen if task.seconds is not None]
    if hung:
        return max(hung, key=lambda task: task.seconds or 0.0)
    tops = {(task.frames[:1], task.at) for task in seen if task.frames}
    return seen[-1] if len(tops) > 1 and len({frames for frames, _ in tops}) == 1 else None


def _asleep(task: Task, part: str) -> _Fate:
    """Where a blocked process waits: the first function that is no part of the scheduler, and what that means where it
    is known.
    """
    frame = next((frame for frame in task.frames if not SCHEDULER.match(frame)), None)
    how: How = "waits" if frame is None else "journal" if frame in JOURNAL_WAITS else "sleeps"
    return _Fate(how, part, (task.ref,), frame, task.seconds)


@rule("GL-03", needs=(GlockFacts, Cluster), words=GoneWords)
def holder_gone(glocks: GlockFacts, cluster: Cluster, limits: Limits) -> Iterator[Seen]:
    """Symptom: processes wait for a lock whose holder has ended or does not run any more.

    Reasoning: the holder line says (ended), the list of processes of the same node lacks the pid, or its stack does not
    move. One look alone at a holder that waits in the kernel says where it waits, not for how long.
    Source: kernel meaning of the holder line's fields.
    """
    held = _held(glocks)
    if not held:
        return
    processes = _Processes(cluster, limits.skew_s)
    found = [seen for holders in held.values() if (seen := _gone(glocks, holders, processes, limits)) is not None]
    yield from sorted(found, key=lambda seen: -seen.weight)[:SHOWN]


def _held(glocks: GlockFacts) -> dict[int, list[Entry]]:
    """Holders of locks that somebody waits for, by process and glock, in the order of captures. The manager's tables do
    not count.
    """
    found: dict[int, list[Entry]] = defaultdict(list)
    for _, waits in glocks.queues.waited():
        if waits[0].glock.partition("/")[0] in PROCESS_INDEPENDENT:
            continue
        for holder in glocks.queues.holders(waits[0]).entries:
            if not holder.by_manager:
                found[holder.pair].append(holder)
    return found


def _gone(glocks: GlockFacts, holders: list[Entry], processes: _Processes, limits: Limits) -> Seen | None:
    holder = max(holders, key=lambda h: (h.capture, h.line))
    rounds = {one.round for one in holders}
    waits = [wait for wait in glocks.contended.get(holder.key, ()) if wait.round in rounds]
    waiting = {wait.name for wait in waits} - {holder.name}
    fate = processes.fate(holder) if waiting else None
    if fate is None:
        return None
    again = len(rounds) > 1
    level = "again" if again else "once"
    if fate.part == "look":
        level = "queue" if len(waiting) >= limits.queue else "look"
    lines = (*_refs([holder]), *fate.refs, *_refs(waits[:3]))
    return Seen(
        level=level,
        words=GoneWords(
            glock=glocks.label(holder.fs, holder.glock),
            pid=holder.pid,
            node=holder.node or None,
            how=fate.how,
            frame=fate.frame,
            blocked_s=fate.blocked_s,
            waiting=len(waiting),
            command=holder.command if holder.command != ENDED else None,
            place=holder.place,
            captures=len(rounds),
            another_time=fate.part == "far",
        ),
        lines=lines,
        nodes=(holder.node,),
        times=[one.at for one in holders],
        zone_min=holder.zone_min,
        borne_by=(len(lines), 1),
        parts=(fate.part, "again" if again else "once"),
        causes=("GL-01",),
        weight=float(len(waiting)),
    )


@dataclass(frozen=True, slots=True)
class MissingWords:
    """owner: the node that has the lock by the lock manager's tables; space: the lock space of the file system."""

    waiters: int
    nodes: tuple[str, ...]
    glock: str
    owner: str | None
    fs: str | None
    space: str


@rule("GL-06", needs=(GlockFacts, Cluster), words=MissingWords)
def remote_holder_missing(glocks: GlockFacts, cluster: Cluster, limits: Limits) -> Iterator[Seen]:
    """Symptom: processes wait and nothing that was sent shows for whom.

    Reasoning: a change of state is in progress, and no local process holds the lock: another node has it.
    Source: kernel documentation of glocks.
    """
    dumped = {node for node, _ in glocks.captures}
    complete = _members(cluster.lock_spaces())
    shown = 0
    for one in glocks.contentions:
        unseen = [h for h in one.holders if h.by_manager and h.node not in dumped]
        if (one.holders and not unseen) or one.keepers or shown >= SHOWN or _all_dumped(complete, one.fs, dumped):
            continue
        lock = next((glocks.lock_of.get(w.queue) for w in one.waits if glocks.lock_of.get(w.queue) is not None), None)
        if lock is None or ("l" not in lock.flags and lock.state == lock.target):
            continue
        if pending(lock) == "unprocessed":  # nobody else is in the way: the answer of the lock manager is here
            continue
        shown += 1
        yield _missing(glocks, one, unseen)


def _missing(glocks: GlockFacts, one: Contention, unseen: Sequence[Entry]) -> Seen:
    names, nodes = {wait.name for wait in one.waits}, nodes_in(one.waits)
    owner = unseen[0].node if unseen else None
    lines = _refs((*one.waits[:3], *unseen[:1]))
    return Seen(
        level="gap",
        words=MissingWords(len(names), nodes, glocks.label(one.fs, one.glock), owner, one.fs, short_fs(one.fs)),
        lines=lines,
        nodes=nodes,
        borne_by=(len(lines), max(1, len(nodes))),
        parts=("known",),
        weight=float(len(names)),
    )


def _members(spaces: Iterable[Space]) -> dict[str, tuple[str, ...]]:
    """Members of each lock space, as the last table lists them."""
    return {space.name: space.members for space in spaces if space.members}


def _all_dumped(members: dict[str, tuple[str, ...]], fs: str | None, dumped: set[str]) -> int:
    """How many members the lock space of a file system has, if the dumps of all of them are here."""
    own = next((names for space, names in members.items() if fs is not None and lockspace_fits(space, fs)), ())
    return len(own) if own and set(own) <= dumped else 0


@dataclass(frozen=True, slots=True)
class NobodyWords:
    """most: processes that wait in one capture, at most; queue: requests that wait in the lock manager's tables."""

    most: int
    glock: str
    fs: str
    members: int
    nodes: tuple[str, ...]
    captures: int
    queue: int


@rule("GL-07", needs=(GlockFacts, Cluster), words=NobodyWords)
def waiters_no_holder(glocks: GlockFacts, cluster: Cluster, limits: Limits) -> Iterator[Seen]:
    """Symptom: processes wait for ever for a lock that nobody has.

    Reasoning: the dumps of all members are here, twice, and none shows a holder or a mode that keeps the waiters out.
    Source: graph of waits and holders; needs support to be sure.
    """
    spaces = cluster.lock_spaces() if glocks.contended else []
    members, standing = _members(spaces), {space.name: space.standing for space in spaces}
    dumped = {node for node, _ in glocks.captures}
    unanswered = {lock.glock for lock in glocks.manager.locks if lock.awaits_reply}
    for (fs, glock), waits in glocks.contended.items() if members else ():
        count = _all_dumped(members, fs, dumped)
        stopped = any(lockspace_fits(space, fs) and how in ("waiting", "stopped") for space, how in standing.items())
        if count and not stopped and glock not in unanswered and _is_nobodys(glocks, waits, limits):
            yield _nobodys(glocks, waits, count)


def _is_nobodys(glocks: GlockFacts, waits: list[Entry], limits: Limits) -> bool:
    """Whether the same processes wait again and no dump shows why."""
    rounds = {wait.round for wait in waits}
    locks = glocks.locks_of.get(waits[0].key, [])
    excused = any({"r", "F"} & set(lock.flags) or lock.state not in NOTHING for lock in locks)
    known = any(glocks.queues.holders(wait).known for wait in waits)
    lasting = any(glocks.span_at[wait.nth].dumps >= limits.captures for wait in waits)
    return len(rounds) >= limits.captures and not excused and not known and lasting


def _nobodys(glocks: GlockFacts, waits: list[Entry], members: int) -> Seen:
    fs, glock = waits[0].key
    rounds = sorted({wait.round for wait in waits})
    counts = [len({wait.name for wait in waits if wait.round == number}) for number in rounds]
    nodes, lines = nodes_in(waits), _refs(waits[:5])
    queue = [lock for lock in glocks.manager.waiting if lock.glock == glock and lockspace_fits(lock.lockspace, fs)]
    return Seen(
        level="grows" if counts[-1] > counts[0] else "stands",
        words=NobodyWords(max(counts), glocks.label(fs, glock), short_fs(fs), members, nodes, len(rounds), len(queue)),
        lines=lines,
        nodes=nodes,
        times=[wait.at for wait in waits],
        borne_by=(len(lines), len(nodes)),
        parts=("all",),
        weight=float(max(counts)),
    )


@dataclass(frozen=True, slots=True)
class OddWords:
    """holder: the first that is seen."""

    waiters: int
    glock: str
    fs: str
    captures: int
    nodes: tuple[str, ...]
    holder: Entry | None


@rule("GL-08", needs=(GlockFacts,), words=OddWords)
def odd_type(glocks: GlockFacts, limits: Limits) -> Iterator[Seen]:
    """Symptom: directory renames, mounts, quota or journals hang.

    Reasoning: the same file system shows waiters on a lock where nobody should wait long, in two captures.
    Source: kernel documentation of glocks.
    """
    for (fs, glock), waits in glocks.contended.items():
        level = ODD.get(glock) or ODD.get(glock.partition("/")[0])
        rounds = {wait.round for wait in waits}
        if level is None or len(rounds) < limits.captures:
            continue
        holder = next((h for w in waits for h in glocks.queues.holders(w).entries), None)
        names, nodes = {wait.name for wait in waits}, nodes_in(waits)
        lines = _refs((*((holder,) if holder else ()), *waits[:5]))
        yield Seen(
            level=level,
            words=OddWords(len(names), glocks.label(fs, glock), short_fs(fs), len(rounds), nodes, holder),
            lines=lines,
            nodes=nodes,
            times=[wait.at for wait in waits],
            borne_by=(len(lines), len(nodes)),
            parts=("holder" if holder else "unseen",),
            weight=float(len(names)),
        )
