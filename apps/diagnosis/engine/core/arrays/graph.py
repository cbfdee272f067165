"""Graphs of waits: who is in a circle, and where every chain ends. Linear, without recursion.

A graph is a list of successors: ``edges[v]`` holds the vertices that ``v`` waits for.

    edges = [[1], [2], [], [4], [3]]      0 → 1 → 2      3 ⇄ 4
    strongly_connected(edges)             [[2], [1], [0], [3, 4]]       (ends first)
    ends_of(edges)                        [(2,), (2,), (2,), (3,), (3,)]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

Edges = Sequence[Sequence[int]]
_NEW: Final = -1


class _Walk:
    """State of Tarjan's search (R. Tarjan, "Depth-first search and linear graph algorithms", 1972)."""

    def __init__(self, edges: Edges) -> None:
        self.edges = edges
        self.order = [_NEW] * len(edges)
        self.low = [0] * len(edges)
        self.open = [False] * len(edges)
        self.stack: list[int] = []
        self.found: list[list[int]] = []
        self.count = 0

    def run(self) -> list[list[int]]:
        for start in range(len(self.edges)):
            if self.order[start] == _NEW:
                self._from(start)
        return self.found

    def _from(self, start: int) -> None:
        path = [(start, self._enter(start))]
        while path:
            vertex, successors = path[-1]
            for successor in successors:
                if self.order[successor] == _NEW:
                    path.append((successor, self._enter(successor)))
                    break
                if self.open[successor]:
                    self.low[vertex] = min(self.low[vertex], self.order[successor])
            else:
                path.pop()
                self._leave(vertex, path[-1][0] if path else None)

    def _enter(self, vertex: int) -> Iterator[int]:
        self.order[vertex] = self.low[vertex] = self.count
        self.count += 1
        self.stack.append(vertex)
        self.open[vertex] = True
        return iter(self.edges[vertex])

    def _leave(self, vertex: int, above: int | None) -> None:
        if above is not None:
            self.low[above] = min(self.low[above], self.low[vertex])
        if self.low[vertex] != self.order[vertex]:
            return
        members = []
        while True:
            member = self.stack.pop()
            self.open[member] = False
            members.append(member)
            if member == vertex:
                break
        self.found.append(sorted(members))


def strongly_connected(edges: Edges) -> list[list[int]]:
    """All strongly connected components, each sorted; a component stands behind those it waits for."""
    return _Walk(edges).run()


def cycles(edges: Edges) -> list[list[int]]:
    """Components in which everybody waits for everybody: of two and more, or of one that waits for itself."""
    return [c for c in strongly_connected(edges) if len(c) > 1 or c[0] in edges[c[0]]]


def ends_of(edges: Edges) -> list[tuple[int, ...]]:
    """For every vertex where its chains end: vertices that wait for nobody, and circles (by their smallest member).

    Vertices with the same ends share one tuple, so a long chain costs one entry.
    """
    ends: list[int] = []
    sets = _Sets()
    reached = [_NEW] * len(edges)
    for component in strongly_connected(edges):
        found = {reached[successor] for vertex in component for successor in edges[vertex]} - {_NEW}
        if not found:
            found = {sets.single(len(ends))}
            ends.append(component[0])
        number = found.pop() if len(found) == 1 else sets.union(found)
        for vertex in component:
            reached[vertex] = number
    decoded = [(ends[-mask - 1],) if mask < 0 else _decode(mask, ends) for mask in sets.masks]
    return [decoded[number] for number in reached]


class _Sets:
    """Sets of ends, each kept once; a chain without forks passes on the number of its set.

    A set of several is the bits of a number. A single end, of which there may be as many as chains, is kept as ``-1 -
    end``: bits would need as much room for each of them as there are ends.
    """

    def __init__(self) -> None:
        self.masks: list[int] = []
        self._numbers: dict[int, int] = {}

    def single(self, end: int) -> int:
        """The set of a new end."""
        self.masks.append(-1 - end)
        return len(self.masks) - 1

    def union(self, numbers: set[int]) -> int:
        """The set of all ends of several sets."""
        mask = 0
        for number in numbers:
            own = self.masks[number]
            mask |= own if own >= 0 else 1 << (-1 - own)
        found = self._numbers.setdefault(mask, len(self.masks))
        if found == len(self.masks):
            self.masks.append(mask)
        return found


def _decode(mask: int, ends: Sequence[int]) -> tuple[int, ...]:
    found = []
    while mask:
        low = mask & -mask
        found.append(ends[low.bit_length() - 1])
        mask ^= low
    return tuple(sorted(found))
