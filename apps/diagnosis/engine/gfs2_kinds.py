"""Which kind of the taxonomy a followed GFS2 wait is."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from apps.diagnosis.engine.taxonomy import Classification, GlockView, Taxonomy

if TYPE_CHECKING:
    from apps.diagnosis.engine.gfs2_facts import GlockFacts, Span

RGRP = "3/"


class Kinds:
    """Kinds of all spans of a case; equal views are classified once."""

    def __init__(self, facts: GlockFacts) -> None:
        self._facts = facts
        self._known: dict[GlockView, Classification] = {}

    @cached_property
    def _nodes(self) -> dict[tuple[str | None, str, int], set[str]]:
        found: dict[tuple[str | None, str, int], set[str]] = defaultdict(set)
        for wait in self._facts.waits:
            found[wait.fs, wait.glock, wait.round].add(wait.node)
        return found

    @cached_property
    def _rgrps(self) -> dict[tuple[str | None, int], int]:
        found: dict[tuple[str | None, int], set[str]] = defaultdict(set)
        for wait in self._facts.waits:
            if wait.glock.startswith(RGRP):
                found[wait.fs, wait.round].add(wait.glock)
        return {key: len(glocks) for key, glocks in found.items()}

    def of(self, span: Span) -> Classification:
        """Kind by the last sight of a wait and the number of captures that show it."""
        wait = span.last
        lock = self._facts.lock_of.get(wait.queue)
        kind, _, number = wait.glock.partition("/")
        holders = self._facts.queues.holders(wait).entries
        view = GlockView(
            role="waiter",
            type=int(kind or 0),
            number=int(number or "0", 16),
            state=wait.state,
            flags=wait.flags,
            function=wait.place or None,
            command=wait.command or None,
            glock_flags=lock.flags if lock else "",
            min_hold=lock.min_hold if lock else None,
            captures=span.dumps,
            waiting_nodes=len(self._nodes[wait.fs, wait.glock, wait.round]),
            holder_function=holders[0].place or None if holders else None,
            waited_rgrps=self._rgrps.get((wait.fs, wait.round), 0),
        )
        if view not in self._known:
            self._known[view] = Taxonomy.load().classified_gfs2(view)
        return self._known[view]


def kind_of(facts: GlockFacts, span: Span) -> Classification:
    """Kind of a followed wait."""
    return facts.kinds.of(span)
