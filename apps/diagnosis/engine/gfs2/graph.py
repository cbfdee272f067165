"""The graph of GFS2 waits of one round: process waits for glock, glock is held by process; its circles and its ends.

    mail1:41 → 2/60a11 → mail2:17 → 1/3 → mail3:9          end: mail3:9
    mail1:42 → 2/60a11 → mail2:17 → 1/3 → mail1:42         circle: both processes and both glocks

Only glocks and processes that block somebody are vertices; a process that nobody waits for is kept with the glock it
waits for. Waits of one queue with the same blockers share one vertex, so the graph grows with the queues, and the work
with the lines.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from typing import Final, Literal

from apps.diagnosis.engine.core.arrays.graph import cycles, ends_of
from apps.diagnosis.engine.gfs2.dumps import GlockDumps
from apps.diagnosis.engine.gfs2.entries import Entry, Lock
from apps.diagnosis.engine.gfs2.queues import Group, Queues
from parsers.dataclass import dataclass

MOST_CIRCLES: Final = 50
VertexKind = Literal["process", "glock", "node"]


@dataclass(frozen=True, slots=True)
class Vertex:
    """A process, a node that keeps a lock without a process, or a glock as some processes wait for it."""

    kind: VertexKind
    name: str
    entry: Entry | None = None
    lock: Lock | None = None


@dataclass(slots=True)
class RoundGraph:
    """Vertices and successors of one round, the waits at each glock, and the wait behind each edge from a process to a
    glock.
    """

    vertices: list[Vertex] = field(default_factory=list)
    edges: list[list[int]] = field(default_factory=list)
    waits: dict[int, list[Entry]] = field(default_factory=dict)
    via: dict[tuple[int, int], Entry] = field(default_factory=dict)
    _numbers: dict[object, int] = field(default_factory=dict)

    def number(self, key: object, vertex: Vertex) -> int:
        """The vertex of a key, made at its first sight."""
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self.vertices)
            self.vertices.append(vertex)
            self.edges.append([])
        return found

    def process(self, entry: Entry) -> int:
        """A living process has one vertex; what is left of an ended one has a vertex per line."""
        key = entry.name if entry.is_process else (entry.artifact, entry.line, "line")
        return self.number(key, Vertex("process", entry.name, entry=entry))

    def add(self, facts: GlockDumps, group: Group) -> None:
        """A glock as some waits see it, with all that blocks them."""
        blockers, wait = group.blockers, group.waits[0]
        before = len(self.vertices)
        unknown = (wait.fs, wait.glock) if not blockers.known else id(blockers)
        glock = self.number(("glock", unknown), Vertex("glock", facts.label(wait.fs, wait.glock), entry=wait))
        self.waits.setdefault(glock, []).extend(group.waits)
        if glock < before:
            return
        self.edges[glock] += dict.fromkeys(self.process(holder) for holder in blockers.entries)
        for lock in blockers.nodes:
            self.edges[glock].append(
                self.number(("node", lock.node, lock.key), Vertex("node", lock.node or "a node", lock=lock))
            )

    def close(self) -> None:
        """All glocks are there: now it is known which waiting processes block others."""
        for glock, waits in self.waits.items():
            for wait in waits:
                process = self._numbers.get(wait.name)
                if process is not None and wait.is_process and (process, glock) not in self.via:
                    self.edges[process].append(glock)
                    self.via[process, glock] = wait


def round_graphs(facts: GlockDumps, queues: Queues) -> Iterator[tuple[int, RoundGraph]]:
    """Graphs of all rounds in order. A try lock fails instead of waiting and is left out."""
    by_round: dict[int, list[int]] = defaultdict(list)
    for queue, waits in queues.waited():
        by_round[waits[0].round].append(queue)
    for number in sorted(by_round):
        graph = RoundGraph()
        kept = []  # the vertices are told apart by the identity of what blocks them
        for queue in by_round[number]:
            for group in queues.groups(queue):
                kept.append(group)
                graph.add(facts, group)
        graph.close()
        if graph.waits:
            yield number, graph


@dataclass(frozen=True, slots=True)
class Circle:
    """A deadlock: names of its processes and glocks in the order of waiting, and the waits of all rounds that
    show it.
    """

    names: tuple[str, ...]
    waits: tuple[Entry, ...]
    rounds: int
    skew_s: float


def circles(graphs: Sequence[tuple[int, RoundGraph]]) -> list[Circle]:
    """All deadlocks, in the order of the first round that shows them."""
    found: dict[frozenset[str], dict[int, tuple[tuple[str, ...], list[Entry]]]] = defaultdict(dict)
    for number, graph in graphs:
        for component in cycles(graph.edges):
            for ring in _rings(graph.edges, component):
                names, waits = _named(graph, ring)
                found[frozenset(names)].setdefault(number, (names, waits))
    return [_circle(list(seen.values())) for seen in found.values()]


def _rings(edges: Sequence[Sequence[int]], component: Sequence[int]) -> Iterator[list[int]]:
    """Shortest rings that together cover a component: two deadlocks that share a process are two."""
    inside = set(component)
    covered: set[int] = set()
    count = 0
    for start in component:
        if start in covered or count >= MOST_CIRCLES:
            continue
        ring = _shortest_ring(edges, start, inside)
        covered.update(ring)
        count += 1
        yield ring


def _shortest_ring(edges: Sequence[Sequence[int]], start: int, inside: set[int]) -> list[int]:
    before: dict[int, int] = {}
    todo = deque([start])
    while todo:
        vertex = todo.popleft()
        for successor in edges[vertex]:
            if successor == start:
                return _path(before, vertex, start)
            if successor in inside and successor not in before:
                before[successor] = vertex
                todo.append(successor)
    return [start]


def _path(before: dict[int, int], vertex: int, start: int) -> list[int]:
    path = [vertex]
    while path[-1] != start:
        path.append(before[path[-1]])
    return path[::-1]


def _named(graph: RoundGraph, ring: list[int]) -> tuple[tuple[str, ...], list[Entry]]:
    """Names of a ring from its first process by name on, each once, and the waits that make it."""
    name = [graph.vertices[v].name for v in ring]
    first = min((k for k, v in enumerate(ring) if graph.vertices[v].kind == "process"), key=lambda k: name[k])
    pairs = zip(ring, [*ring[1:], ring[0]], strict=True)
    waits = [graph.via[pair] for pair in pairs if pair in graph.via]
    return tuple(dict.fromkeys([*name[first:], *name[:first]])), waits


def _circle(seen: list[tuple[tuple[str, ...], list[Entry]]]) -> Circle:
    return Circle(
        names=seen[0][0],
        waits=tuple(wait for _, waits in seen for wait in waits),
        rounds=len(seen),
        skew_s=min(_skew_s(waits) for _, waits in seen),
    )


def _skew_s(waits: Sequence[Entry]) -> float:
    """How far apart the captures of a ring's edges are."""
    times = [wait.at for wait in waits if wait.at is not None]
    return (max(times) - min(times)) / 1e6 if times else 0.0


@dataclass(slots=True)
class End:
    """Where waits end: what is there, the waits behind it in any round, those with no other end in their last round.

    A wait is the number of its pair of process and glock.
    """

    vertex: Vertex
    behind: set[int] = field(default_factory=set)
    relieved: set[int] = field(default_factory=set)


EndKey = tuple[str, str]


def chain_ends(queues: Queues, graphs: Sequence[tuple[int, RoundGraph]], counted: Sequence[bool]) -> list[End]:
    """Ends of the chains of the waits ``counted`` (by place). Circles have no end.

    That nobody is seen to hold a lock is an end only where no round shows a holder.
    """
    held = {waits[0].key for _, waits in queues.waited() if queues.holders(waits[0]).known}
    found: dict[EndKey, End] = {}
    last: dict[int, tuple[EndKey, ...]] = {}
    for _, graph in graphs:
        reached = ends_of(graph.edges)
        for glock, waits in graph.waits.items():
            here = [graph.vertices[v] for v in reached[glock] if not graph.edges[v]]
            here = [vertex for vertex in here if not _is_held(vertex, held)]
            pairs = {wait.pair for wait in waits if counted[wait.nth]} if here else ()
            if pairs:
                last.update(dict.fromkeys(pairs, tuple((vertex.kind, vertex.name) for vertex in here)))
                _count(found, here, pairs)
    for pair, keys in last.items():
        if len(keys) == 1:
            found[keys[0]].relieved.add(pair)
    return list(found.values())


def _is_held(vertex: Vertex, held: set[tuple[str | None, str]]) -> bool:
    return vertex.kind == "glock" and vertex.entry is not None and vertex.entry.key in held


def _count(found: dict[EndKey, End], here: Sequence[Vertex], pairs: Iterable[int]) -> None:
    for vertex in here:
        end = found.setdefault((vertex.kind, vertex.name), End(vertex))
        end.behind.update(pairs)
        end.vertex = vertex
