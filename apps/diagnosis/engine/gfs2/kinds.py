"""Which kind of the taxonomy a followed GFS2 wait is."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import Any, Final

from apps.diagnosis.engine.core.words.knowledge import limits
from apps.diagnosis.engine.core.words.wait_kinds import Classification
from apps.diagnosis.engine.gfs2.dumps import GlockDumps
from apps.diagnosis.engine.gfs2.entries import Span
from apps.diagnosis.engine.gfs2.queues import Blockers, Queues
from apps.diagnosis.engine.gfs2.taxonomy import GlockView, Taxonomy

RGRP = "3/"
LONG_S: Final = 300
"""A request that pends for so long shows as much as a second capture does."""
_NAMED_TYPES: Final = frozenset(("1", "4", "9"))  # of the others the number stands for an inode or a disk block


class Kinds:
    """Kinds of all spans of a case; equal views are classified once."""

    def __init__(self, facts: GlockDumps, queues: Queues) -> None:
        self._facts = facts
        self._queues = queues
        self._known: dict[tuple[Any, ...], Classification] = {}
        self._of: dict[int, Classification] = {}

    @cached_property
    def _nodes(self) -> dict[tuple[str | None, str, int], set[str]]:
        found: dict[tuple[str | None, str, int], set[str]] = defaultdict(set)
        for _, waits in self._queues.waited():
            one = waits[0]
            found[one.fs, one.glock, one.round].add(one.node)
        return found

    @cached_property
    def _rgrps(self) -> dict[tuple[str | None, int], int]:
        found: dict[tuple[str | None, int], set[str]] = defaultdict(set)
        for fs, glock, number in self._nodes:
            if glock.startswith(RGRP):
                found[fs, number].add(glock)
        return {key: len(glocks) for key, glocks in found.items()}

    def of(self, span: Span) -> Classification:
        """Kind by the last sight of a wait and the number of captures that show it."""
        found = self._of.get(span.number)
        if found is None:
            found = self._of[span.number] = self._classified(span)
        return found

    def _classified(self, span: Span) -> Classification:
        wait = span.entries[-1]
        lock = self._facts.lock_of.get(wait.queue)
        kind, _, number = wait.glock.partition("/")
        have = self._queues.holders(wait)
        holders = have.entries
        overdue = "D" if self._is_late(have) else ""  # a wait for a lock that is long overdue is no short one
        flags = (lock.flags if lock else "") + overdue
        seen = (
            kind,
            number if kind in _NAMED_TYPES else "0",
            wait.state,
            wait.flags,
            wait.place,
            wait.command,
            flags,
            lock.min_hold if lock else None,
            max(span.dumps, 2) if self._oldest_s(have) >= LONG_S else span.dumps,
            len(self._nodes[wait.fs, wait.glock, wait.round]),
            holders[0].place if holders else "",
            self._rgrps.get((wait.fs, wait.round), 0),
        )
        found = self._known.get(seen)
        if found is None:
            found = self._known[seen] = _classified(seen)
        return found

    def _is_late(self, have: Blockers) -> bool:
        """Whether the node that has the lock was asked to give it up a good while ago."""
        return self._oldest_s(have) >= limits("GL-02").low_s

    def _oldest_s(self, have: Blockers) -> float:
        """For how long the oldest request to give the lock up is pending, in s."""
        locks = (*have.nodes, *(self._facts.lock_of.get(holder.queue) for holder in have.entries))
        return max((lock.age_s for lock in locks if lock is not None), default=0.0)


def _classified(seen: tuple[Any, ...]) -> Classification:
    kind, number, state, flags, place, command, glock_flags, min_hold, dumps, nodes, holder, rgrps = seen
    view = GlockView(
        role="waiter",
        type=int(kind or 0),
        number=int(number or "0", 16),
        state=state,
        flags=flags,
        function=place or None,
        command=command or None,
        glock_flags=glock_flags,
        min_hold=min_hold,
        captures=dumps,
        waiting_nodes=nodes,
        holder_function=holder or None,
        waited_rgrps=rgrps,
    )
    return Taxonomy.load().classified(view)
