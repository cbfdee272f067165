"""Circles among Scale waits that cannot end by themselves: the greatest set of things waited for in which each waits
for the set.

An answer that several threads of the node asked may hold up is in the set only if all of them wait for it; a message to
several nodes is in it if one of them is. What is left over after that holds the circles, which Tarjan's search finds,
and the queues that lead to them.

    cn1 ─tmMsgRevoke▸ cn2 ─tmMsgRevoke▸ cn3 ─tmMsgRevoke▸ cn1        circle cn1, cn2, cn3
    cn9 ─sgmMsgSGMount▸ cn2                                          queue: cn9 is a victim
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from apps.diagnosis.engine.core.arrays.graph import cycles
from apps.diagnosis.engine.scale.groups import Vertex

Seen = Callable[[Vertex], Sequence[Vertex]]


def closed(vertices: Sequence[Vertex], seen: Seen) -> dict[Vertex, tuple[Vertex, ...]]:
    """Things waited for that can never be had, with what each waits for inside the set. Linear: each edge is looked at
    twice.
    """
    after = {vertex: tuple(seen(vertex)) for vertex in vertices}
    before: dict[Vertex, list[Vertex]] = {vertex: [] for vertex in after}
    for vertex, nexts in after.items():
        for one in nexts:
            before.setdefault(one, []).append(vertex)
    gone = _ending(after, before)
    return {
        vertex: tuple(one for one in nexts if one not in gone) for vertex, nexts in after.items() if vertex not in gone
    }


def _ending(after: Mapping[Vertex, tuple[Vertex, ...]], before: Mapping[Vertex, Sequence[Vertex]]) -> set[Vertex]:
    """What waits for nothing, and what waits for that; a message only once all that it waits for is had."""
    alive = {vertex: len(nexts) for vertex, nexts in after.items()}
    gone = {vertex for vertex in before if not alive.get(vertex)}
    todo = list(gone)
    while todo:
        for vertex in before[todo.pop()]:
            alive[vertex] -= 1
            if vertex not in gone and (vertex.place != "message" or not alive[vertex]):
                gone.add(vertex)
                todo.append(vertex)
    return gone


def rings(stuck: Mapping[Vertex, tuple[Vertex, ...]]) -> list[tuple[Vertex, ...]]:
    """The circles inside a closed set, each in its own order from its first node on."""
    order = sorted(stuck)
    number = {vertex: place for place, vertex in enumerate(order)}
    found = cycles([[number[after] for after in stuck[vertex]] for vertex in order])
    return [_in_order({order[place] for place in members}, stuck) for members in found]


def _in_order(members: set[Vertex], stuck: Mapping[Vertex, tuple[Vertex, ...]]) -> tuple[Vertex, ...]:
    """Along the circle from the smallest name; where it branches, what is left follows by name."""
    left = sorted(members, key=lambda vertex: (vertex.node, vertex))
    path = [left[0]]
    placed = {left[0]}
    while nexts := [one for one in stuck[path[-1]] if one in members and one not in placed]:
        path.append(min(nexts))
        placed.add(path[-1])
    return (*path, *(vertex for vertex in left if vertex not in placed))
