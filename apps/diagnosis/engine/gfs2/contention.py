"""Glocks that processes fight over: the waits that count, who has the lock meanwhile, how often it changes hands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Final, Literal

from apps.diagnosis.engine.core.facts.nodes import nodes_in
from apps.diagnosis.engine.core.words.knowledge import limits
from apps.diagnosis.engine.gfs2.dlm import DlmView
from apps.diagnosis.engine.gfs2.dumps import GlockDumps
from apps.diagnosis.engine.gfs2.entries import Entry, Lock
from apps.diagnosis.engine.gfs2.queues import NOTHING, Queues, excludes
from parsers.dataclass import dataclass

INODE: Final = "2/"


@dataclass(frozen=True)
class Contention:
    """One glock: the waits that count for contention, the processes that hold it then, the nodes that keep it without
    one.

    ``lasting``: one process is seen waiting in two captures. ``moves``: changes of the node that holds it exclusively.
    """

    fs: str | None
    glock: str
    waits: list[Entry]
    holders: list[Entry]
    keepers: list[Lock]
    locks: list[Lock]
    lasting: bool
    moves: int
    wanted_elsewhere: bool = False

    @cached_property
    def by_round(self) -> dict[int, set[str]]:
        """Waiting processes of each round."""
        found: dict[int, set[str]] = defaultdict(set)
        for wait in self.waits:
            found[wait.round].add(wait.name)
        return dict(found)

    @cached_property
    def worst_round(self) -> int:
        """The last round with most waiters."""
        return max(self.by_round, key=lambda number: (len(self.by_round[number]), number), default=0)

    @cached_property
    def most_waiters(self) -> int:
        """Most processes in one round, over all nodes."""
        return len(self.by_round.get(self.worst_round, ()))

    @cached_property
    def most_in_one_dump(self) -> int:
        return max(map(len, self._by_dump.values()), default=0)

    @cached_property
    def _by_dump(self) -> dict[tuple[str, int], set[str]]:
        found: dict[tuple[str, int], set[str]] = defaultdict(set)
        for wait in self.waits:
            found[wait.node, wait.capture].add(wait.name)
        return dict(found)

    @property
    def dumps(self) -> int:
        return len(self._by_dump)

    @property
    def processes(self) -> set[str]:
        return {wait.name for wait in self.waits}

    @property
    def waiting_nodes(self) -> tuple[str, ...]:
        return nodes_in(self.waits)

    @property
    def nodes(self) -> tuple[str, ...]:
        """Nodes that wait, hold or keep."""
        seen = (
            {wait.node for wait in self.waits}
            | {holder.node for holder in self.holders}
            | {lock.node for lock in self.keepers}
        )
        return tuple(sorted(seen - {""}))

    @cached_property
    def recurs(self) -> bool:
        """Waited for in two captures of one node."""
        nodes = [node for node, _ in self._by_dump]
        return len(nodes) > len(set(nodes))

    @cached_property
    def on_many_nodes(self) -> bool:
        """Waited for on two nodes in one round."""
        return any(len({name.rsplit(":", 1)[0] for name in names}) > 1 for names in self.by_round.values())

    @property
    def inode(self) -> int:
        """Its number, as ``ls -i`` shows it."""
        return self.locks[0].number if self.locks else int(self.glock.split("/", 1)[1], 16)

    @property
    def is_directory(self) -> bool:
        return any(lock.is_directory for lock in self.locks)

    @property
    def what(self) -> Literal["directory", "file", "unknown"]:
        """What the inode of the glock is, as far as all dumps agree."""
        known = {lock.inode_type for lock in self.locks if lock.inode_type is not None}
        return "directory" if self.is_directory else "file" if known == {8} else "unknown"

    @property
    def lone_keeper(self) -> Lock | None:
        """The node that keeps it last, where no process is seen to hold it."""
        return self.keepers[-1] if self.keepers and self.main_holder is None else None

    @property
    def is_local(self) -> bool:
        """All waiters and all holders are on one node, a holder is seen, and nothing says that another node asked."""
        return bool(self.holders) and len(self.nodes) == 1 and not self.moves and not self.wanted_elsewhere

    @cached_property
    def main_holder(self) -> Entry | None:
        """The last sight of the process that holds it in most captures."""
        sights: dict[str, list[Entry]] = defaultdict(list)
        for holder in self.holders:
            sights[holder.name].append(holder)
        seen = max(sights.values(), key=lambda own: (len(own), own[-1].line), default=None)
        return max(seen, key=lambda h: (h.capture, h.line)) if seen else None

    @cached_property
    def held_s(self) -> float:
        """How long the main holder has held it at least: by captures in a row, or by the age of the request to release
        it.
        """
        main = self.main_holder
        if main is None:
            return max((lock.age_s for lock in self.keepers), default=0.0)
        times = {
            h.capture: h.at for h in self.holders if h.name == main.name and h.state == main.state and h.at is not None
        }
        ages = {lock.capture: lock.age_s for lock in self.locks if lock.node == main.node}
        first = last = main.capture
        while first - 1 in times and _same_hold(ages, first):
            first -= 1
        seen = (times[last] - times[first]) / 1e6 if last in times else 0.0
        return max(seen, ages.get(last, 0.0))

    @cached_property
    def conflict(self) -> tuple[Lock, Lock] | None:
        """Two nodes whose dumps of one round cannot both be true."""
        rounds: dict[int, list[Lock]] = defaultdict(list)
        for lock in self.locks:
            if lock.state not in NOTHING:
                rounds[lock.round].append(lock)
        near_us = limits("glock-rounds").skew_s * 1e6
        return next((pair for own in rounds.values() if (pair := _excluding(own, near_us)) is not None), None)

    @property
    def times(self) -> list[int]:
        return [wait.at for wait in self.waits if wait.at is not None]


def _same_hold(ages: dict[int, float], capture: int) -> bool:
    """Whether the lock was kept since the capture before: a request that has become younger tells of a new hold."""
    before, after = ages.get(capture - 1, 0.0), ages.get(capture, 0.0)
    return after >= before


def _excluding(locks: Sequence[Lock], near_us: float) -> tuple[Lock, Lock] | None:
    """Two nodes with modes that exclude each other, read so near in time that the lock cannot have moved unnoticed."""
    firsts: dict[str, Lock] = {}
    for lock in locks:
        for state, other in firsts.items():
            near = other.at is None or lock.at is None or abs(other.at - lock.at) <= near_us
            if other.node != lock.node and near and excludes(state, lock.state):
                return other, lock
        firsts.setdefault(lock.state, lock)
    return None


def fights(facts: GlockDumps, queues: Queues, manager: DlmView) -> tuple[list[Contention], list[Contention]]:
    """Inode glocks with waits that count, those with most waiters first; and those with single waits only."""
    fought, lone = [], []
    for (fs, glock), waits in facts.contended.items():
        if not glock.startswith(INODE):
            continue
        counted = _counted(waits) if len(waits) > 1 else []
        if counted:
            fought.append(_contention(facts, queues, manager, fs, glock, counted))
        elif _tells(facts, queues, fs, glock, waits):
            lone.append(_contention(facts, queues, manager, fs, glock, waits))
    return sorted(fought, key=lambda one: (-one.most_waiters, -one.dumps, one.glock)), lone


def _tells(facts: GlockDumps, queues: Queues, fs: str | None, glock: str, waits: Sequence[Entry]) -> bool:
    """Whether anything is known about who has a glock with single waits: of the others there is nothing to say."""
    return bool(facts.exclusive_of.get((fs, glock))) or any(queues.holders(wait).known for wait in waits)


def _contention(
    facts: GlockDumps, queues: Queues, manager: DlmView, fs: str | None, glock: str, waits: list[Entry]
) -> Contention:
    seen = [queues.holders(wait) for wait in {wait.queue: wait for wait in waits}.values()]
    holders = {(h.artifact, h.line): h for one in seen for h in one.entries}
    keepers = {(k.artifact, k.line): k for one in seen for k in one.nodes}
    lasting = any(facts.span_at[wait.nth].dumps > 1 for wait in waits)
    return Contention(
        fs,
        glock,
        waits,
        list(holders.values()),
        list(keepers.values()),
        facts.locks_of.get((fs, glock), []),
        lasting,
        _moves(facts.exclusive_of.get((fs, glock), ())),
        glock in facts.wanted_by_others or bool(manager.wanted_elsewhere(fs, glock, waits[0].node)),
    )


def _moves(holds: Sequence[Entry]) -> int:
    """How often a lock held exclusively was seen on another node than in an earlier round."""
    owners = sorted({(hold.round, hold.node) for hold in holds})
    return sum(before[1] != after[1] and before[0] < after[0] for before, after in pairwise(owners))


def _counted(waits: Sequence[Entry]) -> list[Entry]:
    """Without lone waits: one process, once, with nobody else waiting in its dump, the dumps around it or its round."""
    dumps: dict[tuple[str, int], set[str]] = defaultdict(set)
    rounds: dict[int, set[str]] = defaultdict(set)
    captures: dict[str, set[int]] = defaultdict(set)
    for wait in waits:
        dumps[wait.node, wait.capture].add(wait.name)
        rounds[wait.round].add(wait.node)
        captures[wait.name].add(wait.capture)

    def counts(wait: Entry) -> bool:
        return (
            len(dumps[wait.node, wait.capture]) > 1
            or len(rounds[wait.round]) > 1
            or len(captures[wait.name]) > 1
            or any((wait.node, wait.capture + step) in dumps for step in (-1, 1))
        )

    return [wait for wait in waits if counts(wait)]
