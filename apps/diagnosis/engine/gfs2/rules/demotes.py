"""Rules on GFS2 glocks that are not let go: late release (GL-02), deadlock (GL-05)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.gfs2.blocked import Awaited, StackedProcesses
from apps.diagnosis.engine.gfs2.demotes import Demote, Reason, demotes
from apps.diagnosis.engine.gfs2.glocks import GlockFacts
from apps.diagnosis.engine.gfs2.graph import Circle
from apps.diagnosis.engine.gfs2.manager_circles import ManagerCircles
from parsers.dataclass import dataclass

SHOWN: Final = 5
NAMES_MOST: Final = 12


@dataclass(frozen=True, slots=True)
class DemoteWords:
    """age_s and raw_us: how long the request is pending; inode: of an inode glock; holder: its command, pid and kernel
    function.

    asked_elsewhere: another node is seen to ask; waiting: most processes that wait in a round in which the request is
    pending, None for none. stands: what the holder waits for itself, by its stack.
    """

    node: str | None
    age_s: float
    raw_us: int | None
    glock: str
    inode: int | None
    state: str
    reason: Reason
    command: str | None
    pid: int | None
    function: str | None
    wanted_elsewhere: bool
    asker_unknown: bool
    waiting: int | None
    captures: int
    stands: Awaited | None


@rule("GL-02", needs=(GlockFacts, StackedProcesses), words=DemoteWords)
def demote_pending(glocks: GlockFacts, stacks: StackedProcesses, limits: Limits) -> Iterator[Seen]:
    """Symptom: a lock is wanted whose owner was asked to release it long ago.

    Reasoning: flag D and the age behind d:, beyond the minimum hold time.
    Source: kernel documentation of glocks; the bands of age are proposed.
    """
    for one in demotes(glocks)[:SHOWN]:
        lock, asking = (
            one.lock,
            sorted(one.asking, key=lambda wait: (wait.node or "", wait.line)),
        )  # not in order of files
        lines = (
            Ref(lock.artifact, lock.line),
            *(Ref(holder.artifact, holder.line) for holder in one.holders[:2]),
            *(Ref(wait.artifact, wait.line) for wait in asking[:2]),
        )
        yield Seen(
            level=one.severity,
            words=_demote_words(one, glocks, stacks),
            lines=lines,
            nodes=(lock.node,),
            times=(_requested_at(one), lock.at),
            zone_min=lock.zone_min,
            borne_by=(len(lines), 1 + bool(one.asking)),
            parts=("both" if one.holders and one.asking else "one_side", "again" if len(one.rounds) > 1 else "once"),
            causes=("GL-01",) if _is_cause(one, glocks) else (),
            tunings=_tunings(one),
            weight=lock.age_s,
        )


def _demote_words(one: Demote, glocks: GlockFacts, stacks: StackedProcesses) -> DemoteWords:
    lock, holder = one.lock, one.holders[0] if one.holders else None
    waiting = Counter(at for at, _ in {(wait.round, wait.name) for wait in glocks.contended.get(lock.key, ())})
    return DemoteWords(
        node=lock.node or None,
        age_s=lock.age_s,
        raw_us=lock.demote_us,
        glock=glocks.label(lock.fs, lock.object),
        inode=lock.number if lock.type == 2 else None,
        state=lock.state,
        reason=one.reason,
        command=holder.command if holder else None,
        pid=holder.pid if holder else None,
        function=holder.place if holder else None,
        wanted_elsewhere=bool(one.asking) or one.remote,
        asker_unknown=not one.asking and not one.remote,
        waiting=max((waiting[at] for at in one.rounds), default=0) or None,
        captures=len(one.rounds),
        stands=stacks.awaited(holder.node, holder.pid) if holder else None,
    )


def _requested_at(one: Demote) -> int | None:
    lock = one.lock
    return lock.at - (lock.demote_us or 0) if lock.at is not None and lock.at > (lock.demote_us or 0) else lock.at


def _is_cause(one: Demote, glocks: GlockFacts) -> bool:
    """Writing back without a process is the cause of the queue; with a process the queue's rule shows the
    same better.
    """
    queues = {(c.fs, c.glock) for c in glocks.contentions}
    return one.reason == "write-back" and queues == {one.lock.key}


def _tunings(one: Demote) -> tuple[str, ...]:
    """Where a process works under the lock and others want it, the work belongs elsewhere; else there is nothing to set
    here.
    """
    if one.reason != "holder" or not one.asking:
        return ()
    return ("one-node-per-tree-gfs2", "split-directory") if one.lock.is_directory else ("one-node-per-tree-gfs2",)


@dataclass(frozen=True, slots=True)
class CircleWords:
    """first: what the circle comes back to; circle: processes and glocks in the order of waiting; more: how many are
    left out.

    skew_s: how far apart its edges were read.
    """

    first: str
    circle: tuple[str, ...]
    more: int
    processes: int
    rounds: int
    skew_s: float


@rule("GL-05", needs=(GlockFacts, ManagerCircles), words=CircleWords)
def wait_cycle(glocks: GlockFacts, manager: ManagerCircles, limits: Limits) -> Iterator[Seen]:
    """Symptom: processes hang for ever, each holding what the next one wants.

    Reasoning: a circle of waits whose every edge is seen in one round of captures, or, without glock dumps, in the
    tables of the lock manager.
    Source: graph theory on the fields of the dump; a lock that does not move between two dumps is a bug.
    """
    found = glocks.circles
    causes = ("GL-01", "GL-02", "GL-11") if found and _explains_all(glocks, found) else ()
    for circle in sorted(found, key=lambda one: -one.rounds)[:SHOWN]:
        waits = {wait.name: wait for wait in circle.waits}
        lines = [Ref(wait.artifact, wait.line) for wait in waits.values()]
        nodes = {wait.node for wait in waits.values()}
        more = max(0, len(circle.names) - NAMES_MOST)
        yield Seen(
            level="stands" if circle.rounds >= limits.captures else "seen",
            words=CircleWords(
                circle.names[0], circle.names[:NAMES_MOST], more, len(waits), circle.rounds, circle.skew_s
            ),
            lines=lines,
            nodes=nodes,
            times=[wait.at for wait in circle.waits],
            zone_min=circle.waits[0].zone_min,
            borne_by=(len(lines[:8]), len(nodes)),
            parts=("apart" if circle.skew_s > limits.skew_s else "whole", "again" if circle.rounds > 1 else "once"),
            causes=causes,
            weight=1e9,
        )
    if not found:
        yield from _circles_of_the_manager(manager)


def _circles_of_the_manager(manager: ManagerCircles) -> Iterator[Seen]:
    """Those that tables of the lock manager alone show."""
    for known in manager.all:
        yield Seen(
            level="seen",
            words=CircleWords(known.names[0], known.names[:NAMES_MOST], 0, known.processes, 1, 0.0),
            lines=known.lines[:8],
            nodes=known.nodes,
            borne_by=(len(known.lines), len(known.nodes)),
            parts=("tables", "once"),
            causes=("GL-18",),
            weight=1e9,
        )


def _explains_all(glocks: GlockFacts, found: list[Circle]) -> bool:
    """Whether every contended or late glock is one of a circle's, or held by one of its processes."""
    members = {name for circle in found for name in circle.names}
    others = [
        h.name for one in glocks.contentions if glocks.label(one.fs, one.glock) not in members for h in one.holders
    ]
    late = [h.name for one in demotes(glocks) if glocks.label(*one.lock.key) not in members for h in one.holders]
    return all(name in members for name in (*others, *late))
