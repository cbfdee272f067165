"""How far the clocks of nodes stand apart, from things that two nodes saw at one moment: an estimate with an error bar.

A ``Pair`` says by how much the clock of ``other`` was ahead of that of ``one`` when both printed the same thing. Pairs
of two nodes are joined to one figure (their median), figures to a tree over the nodes that goes by the smallest errors,
and every offset counts from the node with the most pairs. Nodes that no pair ties to it have none: unknown, not zero.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import count
from math import hypot
from statistics import median
from typing import Final, Literal, NamedTuple

from apps.diagnosis.engine.core.model import NodeName, Ref
from apps.diagnosis.engine.core.words.phrases import phrases
from parsers.dataclass import dataclass

Basis = Literal["message", "waits", "locks", "events"]
SPREAD: Final = 2.0  # the error covers the middle half of the pairs twice


class Pair(NamedTuple):
    """The clock of ``other`` minus that of ``one``, as one thing that both printed gives it."""

    one: str
    other: str
    ahead_s: float
    error_s: float
    basis: Basis
    ref: Ref
    other_ref: Ref


@dataclass(frozen=True, slots=True)
class Offset:
    """A node's clock is ``offset_s`` ahead of that of ``reference``, give or take ``error_s``."""

    node: str
    reference: str
    offset_s: float
    error_s: float
    pairs: int
    basis: tuple[Basis, ...]
    refs: tuple[Ref, ...] = ()


@dataclass(frozen=True, slots=True)
class _Edge:
    """All pairs of two nodes as one figure."""

    ahead_s: float
    error_s: float
    pairs: int
    basis: tuple[Basis, ...]
    refs: tuple[Ref, ...]

    def turned(self) -> _Edge:
        """Seen from the other node."""
        return _Edge(-self.ahead_s, self.error_s, self.pairs, self.basis, self.refs)


def offsets(pairs: Iterable[Pair]) -> tuple[Offset, ...]:
    """Offsets of all nodes that hang together, by name; the largest such group where there are several."""
    edges = _edges(pairs)
    if not edges:
        return ()
    neighbours: dict[str, dict[str, _Edge]] = defaultdict(dict)
    for (one, other), edge in edges.items():
        neighbours[one][other] = edge
        neighbours[other][one] = edge.turned()
    group = max(_groups(neighbours), key=lambda names: (len(names), [-ord(c) for c in names[0]]))
    reference = min(group, key=lambda name: (-sum(edge.pairs for edge in neighbours[name].values()), name))
    found = _spanned(neighbours, reference)
    return tuple(found[name] for name in group)


def _edges(pairs: Iterable[Pair]) -> dict[tuple[str, str], _Edge]:
    grouped: dict[tuple[str, str], dict[Basis, list[Pair]]] = defaultdict(lambda: defaultdict(list))
    for pair in pairs:
        if pair.one != pair.other:
            key = (min(pair.one, pair.other), max(pair.one, pair.other))
            grouped[key][pair.basis].append(pair if key[0] == pair.one else _turned(pair))
    return {
        key: _merged([_edge(sorted(rows, key=_place)) for _, rows in sorted(by_basis.items())])
        for key, by_basis in sorted(grouped.items())
    }


def _turned(pair: Pair) -> Pair:
    return pair._replace(one=pair.other, other=pair.one, ahead_s=-pair.ahead_s, ref=pair.other_ref, other_ref=pair.ref)


def _place(pair: Pair) -> tuple[float, ...]:
    return pair.ahead_s, pair.error_s, pair.ref.artifact, pair.ref.line, pair.other_ref.artifact, pair.other_ref.line


def _edge(rows: Sequence[Pair]) -> _Edge:
    middle = median(row.ahead_s for row in rows)
    spread = median(abs(row.ahead_s - middle) for row in rows)
    error = max(median(row.error_s for row in rows), SPREAD * spread)
    nearest = min(rows, key=lambda row: (abs(row.ahead_s - middle), _place(row)))
    return _Edge(middle, error, len(rows), (rows[0].basis,), (nearest.ref, nearest.other_ref))


def _merged(edges: list[_Edge]) -> _Edge:
    """Figures of several sorts: the sharpest one; where another contradicts it the error covers both."""
    best = min(edges, key=lambda edge: (edge.error_s, -edge.pairs, edge.basis))
    apart = max((abs(edge.ahead_s - best.ahead_s) - edge.error_s for edge in edges), default=0.0)
    basis = tuple(sorted({name for edge in edges for name in edge.basis}))
    return _Edge(best.ahead_s, max(best.error_s, apart), sum(edge.pairs for edge in edges), basis, best.refs)


def _groups(neighbours: dict[str, dict[str, _Edge]]) -> list[list[str]]:
    left, groups = set(neighbours), []
    for name in sorted(neighbours):
        if name not in left:
            continue
        group, todo = {name}, [name]
        while todo:
            fresh = set(neighbours[todo.pop()]) - group
            group |= fresh
            todo.extend(fresh)
        left -= group
        groups.append(sorted(group))
    return groups


def _spanned(neighbours: dict[str, dict[str, _Edge]], reference: str) -> dict[str, Offset]:
    """From the reference outward, nearest error first; errors of a chain add up as independent ones do."""
    found: dict[str, Offset] = {}
    total = sum(edge.pairs for edge in neighbours[reference].values())
    own = Offset(reference, reference, 0.0, 0.0, total, ())
    order = count()  # of two ways to a node that are equally sharp the one found first
    todo: list[tuple[float, str, int, Offset]] = [(0.0, reference, next(order), own)]
    while todo:
        error, name, _, offset = heapq.heappop(todo)
        if name in found:
            continue
        found[name] = offset
        for other, edge in sorted(neighbours[name].items()):
            if other not in found:
                further = hypot(error, edge.error_s)
                ahead = round(offset.offset_s + edge.ahead_s, 3)
                heapq.heappush(
                    todo,
                    (
                        further,
                        other,
                        next(order),
                        Offset(other, reference, ahead, round(further, 3), edge.pairs, edge.basis, edge.refs),
                    ),
                )
    return found


def with_clock(node: NodeName, offset: Offset | None) -> NodeName:
    """The node with what is known of its clock."""
    if offset is None:
        return node
    basis = ", ".join(phrases("clock-basis")[name] for name in offset.basis)
    return replace(
        node,
        clock_offset_s=offset.offset_s,
        clock_error_s=offset.error_s,
        clock_reference=offset.reference,
        clock_basis=basis,
    )


def ordered(first_us: int, first: Offset | None, second_us: int, second: Offset | None) -> int | None:
    """-1 where the first instant is earlier, 1 where it is later, None where the clocks do not allow to say."""
    if first is None or second is None:
        return None
    apart_s = (first_us - second_us) / 1e6 - (first.offset_s - second.offset_s)
    return None if abs(apart_s) <= hypot(first.error_s, second.error_s) else -1 if apart_s < 0 else 1
