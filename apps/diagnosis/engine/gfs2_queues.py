"""Who blocks whom at the glocks: by the queue of the node itself, else by what other nodes show in the same round.

    mail1   UN  W SH 41, W EX 42, W SH 43          41, 42 are blocked by mail2:17; 43 stands behind 42
    mail2   EX  H EX 17

Holders stand first, waiters in the order of their arrival, and nobody overtakes: a request waits for the first entry that
excludes it, granted or not. Other nodes count only in the same round of captures.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from apps.diagnosis.engine.gfs2_facts import Entry, GlockFacts, Lock

QueueKey = tuple[str, str | None, str, int]
RoundKey = tuple[str | None, str, int]
COMPATIBLE: Final = frozenset((("SH", "SH"), ("DF", "DF")))
NOTHING: Final = frozenset(("UN", "IV", "??", ""))


def excludes(held: str, wanted: str) -> bool:
    """Whether a granted mode keeps another one out."""
    return held not in NOTHING and (held, wanted) not in COMPATIBLE


@dataclass(frozen=True, slots=True)
class Blockers:
    """What keeps a wait: processes (granted, or ahead in the queue), or nodes that keep the lock without a process."""

    entries: tuple[Entry, ...] = ()
    nodes: tuple[Lock, ...] = ()

    @property
    def known(self) -> bool:
        return bool(self.entries or self.nodes)


class Queues:
    """The queues of all captures, and the answers drawn from them."""

    def __init__(self, facts: GlockFacts) -> None:
        self._facts = facts
        self._granted: dict[QueueKey, list[Entry]] = defaultdict(list)
        self._waiting: dict[QueueKey, list[Entry]] = defaultdict(list)
        self._held_in: dict[RoundKey, list[Entry]] = defaultdict(list)
        self._kept_in: dict[RoundKey, list[Lock]] = defaultdict(list)
        self._cache: dict[tuple[QueueKey, str, int, bool], Blockers] = {}
        self._holders: dict[QueueKey, Blockers] = {}
        for entry in facts.holds:
            self._granted[entry.queue].append(entry)
            self._held_in[entry.fs, entry.glock, entry.round].append(entry)
        for entry in facts.waits:
            self._waiting[entry.queue].append(entry)
        for lock in facts.locks:
            if lock.queue not in self._granted and lock.state not in NOTHING:
                self._kept_in[lock.fs, lock.object, lock.round].append(lock)
        self._first = {key: _first_of_each(waits) for key, waits in self._waiting.items()}

    def granted(self, queue: QueueKey) -> Sequence[Entry]:
        """Holders on the node itself."""
        return self._granted.get(queue, ())

    def waiting(self, queue: QueueKey) -> Sequence[Entry]:
        """Waiters on the node itself, in order of arrival."""
        return self._waiting.get(queue, ())

    def blockers(self, wait: Entry) -> Blockers:
        """The first entries that exclude a wait; waits of one queue with equal answers share it."""
        ahead = self._ahead(wait)
        key = (wait.queue, wait.state, ahead.line if ahead else 0, "n" in wait.flags)
        if key not in self._cache:
            self._cache[key] = self._find(wait, ahead)
        return self._cache[key]

    def _find(self, wait: Entry, ahead: Entry | None) -> Blockers:
        granted = self.granted(wait.queue)
        excluding = tuple(holder for holder in granted if _excludes_here(holder, wait))
        if excluding:
            return Blockers(excluding)
        if ahead is not None:
            return Blockers((ahead,))
        lock = self._facts.lock_of.get(wait.queue)
        if granted and lock is not None and "D" in lock.flags:
            return Blockers(tuple(granted))  # nobody new comes in while the lock is to be given up
        return self._elsewhere(wait.queue, wait.round, {wait.state})

    def _ahead(self, wait: Entry) -> Entry | None:
        """The first waiter ahead in the queue that excludes this one."""
        first = self._first[wait.queue]
        before = [one for state, one in first.items() if excludes(state, wait.state) and one.position < wait.position]
        return min(before, key=lambda one: one.position, default=None)

    def _elsewhere(self, queue: QueueKey, number: int, wanted: set[str]) -> Blockers:
        node, fs, glock, _ = queue
        held = self._held_in.get((fs, glock, number), ())
        entries = tuple(h for h in held if h.node != node and any(excludes(h.state, state) for state in wanted))
        if entries:
            return Blockers(entries)
        kept = self._kept_in.get((fs, glock, number), ())
        return Blockers(nodes=tuple(k for k in kept if k.node != node and any(excludes(k.state, state) for state in wanted)))

    def holders(self, wait: Entry) -> Blockers:
        """Who has the lock that a wait is for: on its own node, else on others in a mode that keeps the queue out."""
        if wait.queue not in self._holders:
            granted = tuple(self.granted(wait.queue))
            wanted = {one.state for one in self.waiting(wait.queue)}
            self._holders[wait.queue] = Blockers(granted) if granted else self._elsewhere(wait.queue, wait.round, wanted)
        return self._holders[wait.queue]


def _first_of_each(waits: Sequence[Entry]) -> dict[str, Entry]:
    first: dict[str, Entry] = {}
    for wait in waits:
        if not wait.is_try and (wait.state not in first or wait.position < first[wait.state].position):
            first[wait.state] = wait
    return first


def _excludes_here(holder: Entry, wait: Entry) -> bool:
    """Inside one node, exclusive holders with node scope (n) share the lock."""
    return excludes(holder.state, wait.state) and not ("n" in holder.flags and "n" in wait.flags)
