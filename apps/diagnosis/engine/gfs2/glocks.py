"""GFS2 glocks of a case: their dumps, who blocks whom, deadlocks, and what processes fight over."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.gfs2.cluster import Cluster
from apps.diagnosis.engine.gfs2.contention import Contention, fights
from apps.diagnosis.engine.gfs2.dlm import DlmView
from apps.diagnosis.engine.gfs2.dumps import GlockDumps
from apps.diagnosis.engine.gfs2.graph import Circle, End, RoundGraph, chain_ends, circles, round_graphs
from apps.diagnosis.engine.gfs2.kinds import Kinds
from apps.diagnosis.engine.gfs2.queues import Queues


class GlockFacts(GlockDumps):
    """The dumps, and the answers drawn from them."""

    def __init__(self, store: Facts, nodes: Nodes, cluster: Cluster) -> None:
        super().__init__(store, nodes, cluster)
        self.manager = DlmView(self, store, nodes, cluster)

    @cached_property
    def queues(self) -> Queues:
        """Who blocks whom."""
        return Queues(self, self.manager)

    @cached_property
    def kinds(self) -> Kinds:
        """Kinds of the waits."""
        return Kinds(self, self.queues)

    @cached_property
    def graphs(self) -> list[tuple[int, RoundGraph]]:
        """Who waits for whom, by round."""
        return list(round_graphs(self, self.queues))

    @cached_property
    def circles(self) -> list[Circle]:
        """Deadlocks, in the order of the first round that shows them."""
        return circles(self.graphs)

    def ends(self, counted: Sequence[bool]) -> list[End]:
        """Where the chains of the waits ``counted`` (by place) end."""
        return chain_ends(self.queues, self.graphs, counted)

    @cached_property
    def _fights(self) -> tuple[list[Contention], list[Contention]]:
        return fights(self, self.queues, self.manager)

    @property
    def contentions(self) -> list[Contention]:
        """Inode glocks that processes fight over, those with most waiters first."""
        return self._fights[0]

    @property
    def lone(self) -> list[Contention]:
        """Inode glocks with single waits only, of which it is known who has them."""
        return self._fights[1]
