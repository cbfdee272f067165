"""Who blocks whom at the glocks: by the queue of the node itself, else by what other nodes show in the same round.

    mail1   UN  W SH 41, W EX 42, W SH 43          41, 42 are blocked by mail2:17; 43 stands behind 42
    mail2   EX  H EX 17

Holders stand first, waiters in the order of their arrival, and nobody overtakes: a request waits for the first entry
that excludes it, granted or not. Other nodes count only in the same round of captures. Where no dump shows a holder,
the lock manager's tables are asked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from functools import lru_cache
from typing import Final

from apps.diagnosis.engine.gfs2.dlm import DlmView
from apps.diagnosis.engine.gfs2.dumps import GlockDumps
from apps.diagnosis.engine.gfs2.entries import Entry, Lock
from parsers.dataclass import dataclass

RoundKey = tuple[str | None, str, int]
COMPATIBLE: Final = frozenset((("SH", "SH"), ("DF", "DF")))
NOTHING: Final = frozenset(("UN", "IV", "??", ""))


def excludes(held: str, wanted: str) -> bool:
    """Whether a granted mode keeps another one out."""
    return held not in NOTHING and (held, wanted) not in COMPATIBLE


@lru_cache(maxsize=4_096)
def _keeps_out(held: str, wanted: frozenset[str]) -> bool:
    """Whether a granted mode keeps one of others out."""
    return any(excludes(held, one) for one in wanted)


@dataclass(frozen=True, slots=True)
class Blockers:
    """What keeps a wait: processes (granted, or ahead in the queue), or nodes that keep the lock without a process."""

    entries: tuple[Entry, ...] = ()
    nodes: tuple[Lock, ...] = ()

    @property
    def known(self) -> bool:
        return bool(self.entries or self.nodes)


@dataclass(slots=True)
class Group:
    """Waits of one queue that the same entries block."""

    blockers: Blockers
    waits: list[Entry] = field(default_factory=list)


class Queues:
    """The queues of all captures, and the answers drawn from them."""

    def __init__(self, facts: GlockDumps, manager: DlmView) -> None:
        self._facts = facts
        self._manager = manager
        self._granted: dict[int, list[Entry]] = defaultdict(list)
        self._waiting: dict[int, list[Entry]] = defaultdict(list)
        self._held_in: dict[RoundKey, list[Entry]] = defaultdict(list)
        self._kept_in: dict[RoundKey, list[Lock]] = defaultdict(list)
        self._holders: dict[int, Blockers] = {}
        self._found: dict[tuple[int, int, int, int, frozenset[str]], Blockers] = {}
        """What was found of other nodes, by the wait that asks and what is wanted."""
        for entry in facts.holds:
            self._granted[entry.queue].append(entry)
            self._held_in[entry.fs, entry.glock, entry.round].append(entry)
        for entry in facts.waits:
            self._waiting[entry.queue].append(entry)
        for lock in facts.locks:
            if lock.queue not in self._granted and lock.state not in NOTHING:
                self._kept_in[lock.fs, lock.object, lock.round].append(lock)

    def granted(self, queue: int) -> Sequence[Entry]:
        """Holders on the node itself."""
        return self._granted.get(queue, ())

    def waiting(self, queue: int) -> Sequence[Entry]:
        """Waiters on the node itself, in order of arrival."""
        return self._waiting.get(queue, ())

    def waited(self) -> Iterable[tuple[int, list[Entry]]]:
        """All queues that somebody waits in."""
        return self._waiting.items()

    def groups(self, queue: int) -> Iterator[Group]:
        """Waits of a queue by what blocks them. A try lock fails instead of waiting and is left out."""
        first: dict[str, Entry] = {}
        ahead_of: dict[str, Entry | None] = {}
        found: dict[tuple[str, int, bool], Group] = {}
        for wait in sorted(self._waiting[queue], key=_position):
            if wait.is_try:
                continue
            state = wait.state
            if state not in ahead_of:
                ahead_of[state] = _ahead(first, wait)
            ahead = ahead_of[state]
            key = (state, ahead.line if ahead else 0, "n" in wait.flags)
            group = found.get(key)
            if group is None:
                group = found[key] = Group(self._find(wait, ahead))
            group.waits.append(wait)
            if state not in first:
                first[state] = wait
                ahead_of.clear()
        yield from found.values()

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
        return self._elsewhere(wait, frozenset((wait.state,)))

    def _elsewhere(self, wait: Entry, wanted: frozenset[str]) -> Blockers:
        key = wait.queue, wait.artifact, wait.line, wait.pair, wanted
        if (found := self._found.get(key)) is None:
            found = self._found[key] = self._of_others(wait, wanted)
        return found

    def _of_others(self, wait: Entry, wanted: frozenset[str]) -> Blockers:
        def keeps_out(state: str) -> bool:
            return _keeps_out(state, wanted)

        held = self._held_in.get((wait.fs, wait.glock, wait.round), ())
        entries = tuple(h for h in held if h.node != wait.node and keeps_out(h.state))
        if entries:
            return Blockers(entries)
        kept = self._kept_in.get((wait.fs, wait.glock, wait.round), ())
        nodes = tuple(k for k in kept if k.node != wait.node and keeps_out(k.state))
        if nodes:
            return Blockers(nodes=nodes)
        return Blockers(tuple(self._manager.holders(wait, keeps_out)))

    def holders(self, wait: Entry) -> Blockers:
        """Who has the lock that a wait is for: on its own node, else on others in a mode that keeps the queue out."""
        found = self._holders.get(wait.queue)
        if found is None:
            granted = tuple(self.granted(wait.queue))
            wanted = frozenset(one.state for one in self.waiting(wait.queue))
            found = self._holders[wait.queue] = Blockers(granted) if granted else self._elsewhere(wait, wanted)
        return found


def _position(entry: Entry) -> int:
    return entry.position


def _ahead(first: dict[str, Entry], wait: Entry) -> Entry | None:
    """The first waiter ahead in the queue that excludes this one."""
    before = [one for state, one in first.items() if excludes(state, wait.state) and one.position < wait.position]
    return min(before, key=_position, default=None)


def _excludes_here(holder: Entry, wait: Entry) -> bool:
    """Inside one node, exclusive holders with node scope (n) share the lock."""
    return excludes(holder.state, wait.state) and not ("n" in holder.flags and "n" in wait.flags)
