"""The clocks of the nodes of a case, by what each product shows of moments that two nodes share."""

from __future__ import annotations

from functools import cached_property

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.facts.clocks import Offset, offsets, with_clock
from apps.diagnosis.engine.core.facts.event_pairs import event_pairs
from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.model import NodeName


class Clocks:
    """How far the clocks of the nodes stand apart."""

    def __init__(self, case: Case, store: Facts, nodes: Nodes) -> None:
        self._case = case
        self._store = store
        self._nodes = nodes

    @cached_property
    def offsets(self) -> tuple[Offset, ...]:
        """Offsets of the nodes that hang together."""
        by_product = (pair for product in self._case.products for pair in product.clock_pairs(self._case))
        return offsets([*by_product, *event_pairs(self._store, self._nodes)])

    @cached_property
    def nodes(self) -> tuple[NodeName, ...]:
        """Nodes with their spellings and clocks."""
        found = {offset.node: offset for offset in self.offsets}
        return tuple(with_clock(node, found.get(node.name)) for node in self._nodes.all())
