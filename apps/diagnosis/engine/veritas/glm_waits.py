"""Locks of the Group Lock Manager that nobody moved: who waits for whom, where the chains end, circles of nodes.

glmdump shows nodes, not threads. A node that waits for a lock it holds itself is no wait for another node. Dumps that
were taken within a minute of each other, or that have no time, are one picture; only waits of one picture make a
circle.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any, Final

from apps.diagnosis.engine.core.arrays.graph import ends_of, strongly_connected
from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.model import Edge, Ref, Root
from apps.diagnosis.engine.core.printing import Printer
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.veritas.cluster import ClusterFacts
from parsers.dataclass import dataclass
from parsers.records.locks import GlmLock

ROUND_US: Final = 60_000_000
DELAY_S: Final = 10.0  # of glmdump, where the command gives no other
Row = dict[str, Any]


@dataclass(slots=True)
class Stuck:
    """One lock in one dump: holders and waiters by node and mode, with their lines."""

    object: str
    artifact: int
    dump: int
    line: int
    node: str | None
    at: int | None
    zone_min: int | None
    inode: int | None = None
    fileset: int | None = None
    lock_class: str | None = None
    holders: dict[tuple[str, str], Ref] = field(default_factory=dict)
    waiters: dict[tuple[str, str], Ref] = field(default_factory=dict)
    counts: dict[tuple[str, str], int] = field(default_factory=dict)
    last_locker: str | None = None
    is_used: bool = False

    @property
    def holding(self) -> list[str]:
        """Nodes that hold it."""
        return sorted({node for node, _ in self.holders})

    @property
    def waiting(self) -> list[str]:
        """Nodes that wait for it."""
        return sorted({node for node, _ in self.waiters})

    @property
    def is_cached(self) -> bool:
        """Whether nobody waits and nobody works under it: its holders keep it for later, as their counts say."""
        return not self.waiters and bool(self.holders) and not self.is_used

    @property
    def waits(self) -> int:
        """Waiters as counted by the dump."""
        return sum(self.counts.get(waiter, 1) for waiter in self.waiters)

    @property
    def pairs(self) -> Iterator[tuple[str, str]]:
        """Who waits for which other node."""
        return ((waiter, holder) for waiter in self.waiting for holder in self.holding if waiter != holder)


class GlmWaits:
    """All stuck locks of a case."""

    def __init__(self, cluster: ClusterFacts) -> None:
        self._cluster = cluster

    @cached_property
    def printed(self) -> list[Stuck]:
        """Locks dump by dump, in artifact and line order."""
        found: dict[tuple[int, int, int], Stuck] = {}
        for row in self._cluster.glm:
            key = (row.artifact, row.dump, row.lock_line)
            if key not in found:
                found[key] = Stuck(
                    row.object or "",
                    row.artifact,
                    row.dump,
                    row.lock_line,
                    row.node,
                    row.at,
                    row.zone_min,
                )
            _add(found[key], row)
        return list(found.values())

    @cached_property
    def locks(self) -> list[Stuck]:
        """Those whose waiters are there; a dump that is cut may lack them."""
        return [lock for lock in self.printed if lock.waiters]

    @cached_property
    def rounds(self) -> list[list[Stuck]]:
        """Dumps of one time."""
        rounds: list[list[Stuck]] = []
        begun: int | None = None
        for lock in sorted(self.locks, key=lambda lock: (lock.at is not None, lock.at or 0, lock.artifact, lock.line)):
            if (
                not rounds
                or (lock.at is None) != (begun is None)
                or (lock.at is not None and begun is not None and lock.at - begun > ROUND_US)
            ):
                rounds.append([])
                begun = lock.at
            rounds[-1].append(lock)
        return rounds

    @cached_property
    def delay_s(self) -> float:
        """How long every printed lock was the same at least."""
        words = [run.command.split() for run in self._cluster.commands if "glmdump" in run.command]
        given = [words[at + 1] for words in words for at, word in enumerate(words[:-1]) if word == "-d"]
        return float(given[0]) if given and given[0].isdecimal() and len(given[0]) < 6 else DELAY_S

    def same(self, lock: Stuck) -> list[Stuck]:
        """Dumps that show the lock with a waiter and a holder in common."""
        return [one for one in self._by_object.get(lock.object, ()) if _shares(one, lock)]

    @cached_property
    def _by_object(self) -> dict[str, list[Stuck]]:
        found: dict[str, list[Stuck]] = defaultdict(list)
        for lock in self.locks:
            found[lock.object].append(lock)
        return found

    def seconds(self, lock: Stuck) -> float:
        """How long it is known to be stuck: the time between the dumps that show it so, and the delay of one."""
        known = [one.at for one in self.same(lock) if one.at is not None]
        return (max(known) - min(known)) / 1e6 + self.delay_s if known else self.delay_s

    # the picture of waits

    def edges(self) -> tuple[Edge, ...]:
        """Node waits for lock, lock is held by node."""
        rows: dict[tuple[str, str, str], tuple[set[tuple[str, str]], float, bool]] = {}
        for lock in self.locks:
            seconds = self.seconds(lock)
            for waiter, mode in lock.waiters:
                _count(rows, (waiter, lock.object, f"wants {mode}"), (waiter, mode), seconds, bool(lock.holders))
                for holder, held in lock.holders:
                    if holder != waiter:
                        _count(rows, (lock.object, holder, f"held {held}"), (waiter, mode), seconds, True)
        order = sorted(rows, key=lambda key: (-len(rows[key][0]), key))
        return tuple(
            Edge(
                frm=key[0],
                to=key[1],
                via=key[2],
                count=len(rows[key][0]),
                longest_s=rows[key][1],
                resolved=rows[key][2],
            )
            for key in order
        )

    @cached_property
    def circles(self) -> tuple[tuple[str, ...], ...]:
        """Nodes and locks of each circle, from its first node by name on."""
        found: dict[tuple[str, ...], None] = {}
        for locks in self.rounds:
            names, edges, via = _graph(locks)
            for component in strongly_connected(edges):
                if len(component) > 1:
                    for ring in _rings(edges, component):
                        found[_named(ring, names, via)] = None
        return tuple(found)

    def roots(self) -> tuple[Root, ...]:
        """Nodes at the end of the chains of the last picture, and locks of which no holder is shown."""
        if not self.rounds:
            return ()
        locks = self.rounds[-1]
        names, edges, _ = _graph(locks)
        ends = ends_of(edges)
        in_circle = {vertex for component in strongly_connected(edges) if len(component) > 1 for vertex in component}
        behind: dict[int, set[tuple[str, str]]] = defaultdict(set)
        alone: dict[int, set[tuple[str, str]]] = defaultdict(set)
        waited, held = _by_node(locks)
        for vertex, reached in enumerate(ends):
            waits = waited.get(names[vertex], set())
            for end in reached:
                if end != vertex and end not in in_circle:
                    behind[end] |= waits
                    alone[end] |= waits if len(reached) == 1 else set()
        roots = [_root(names[end], waits, alone[end], held[names[end]]) for end, waits in behind.items() if waits]
        return (*roots, *_unheld(locks))


def _shares(one: Stuck, other: Stuck) -> bool:
    """A waiter and a holder in common; where neither dump shows a holder a waiter is enough."""
    held = bool(one.holders.keys() & other.holders.keys()) or not (one.holders or other.holders)
    return held and bool(one.waiters.keys() & other.waiters.keys())


def _add(lock: Stuck, row: GlmLock) -> None:
    lock.inode = row.inode if lock.inode is None else lock.inode
    lock.fileset = row.fileset if lock.fileset is None else lock.fileset
    lock.lock_class = lock.lock_class or row.lock_class
    lock.last_locker = row.last_locker or lock.last_locker
    lock.is_used = lock.is_used or (row.holder is not None and row.count != 0)
    ref, mode = row.ref, row.mode or "a mode not shown"
    for parties, node in ((lock.holders, row.holder), (lock.waiters, row.waiter)):
        if node is not None:
            parties.setdefault((node, mode), ref)
            if row.waiter is not None:
                lock.counts[node, mode] = row.count or 1


def _count(
    rows: dict[tuple[str, str, str], tuple[set[tuple[str, str]], float, bool]],
    key: tuple[str, str, str],
    wait: tuple[str, str],
    seconds: float,
    resolved: bool,
) -> None:
    waits, longest, known = rows.get(key, (set(), 0.0, False))
    rows[key] = (waits | {wait}, max(longest, seconds), known or resolved)


def _graph(locks: Sequence[Stuck]) -> tuple[list[str], list[list[int]], dict[tuple[int, int], str]]:
    """Nodes by name, whom each waits for, and by which lock."""
    pairs = [(pair, lock.object) for lock in locks for pair in lock.pairs]
    names = sorted({name for pair, _ in pairs for name in pair})
    number = {name: index for index, name in enumerate(names)}
    edges: list[list[int]] = [[] for _ in names]
    via: dict[tuple[int, int], str] = {}
    for (waiter, holder), name in pairs:
        key = (number[waiter], number[holder])
        if key not in via:
            edges[key[0]].append(key[1])
            via[key] = name
    return names, edges, via


def _rings(edges: Sequence[Sequence[int]], component: Sequence[int]) -> Iterator[list[int]]:
    """Shortest rings that together cover a component."""
    inside, covered = set(component), set[int]()
    for start in component:
        if start not in covered:
            ring = _shortest(edges, start, inside)
            covered.update(ring)
            yield ring


def _shortest(edges: Sequence[Sequence[int]], start: int, inside: set[int]) -> list[int]:
    before: dict[int, int] = {}
    todo = [start]
    for vertex in todo:
        for successor in edges[vertex]:
            if successor == start:
                path = [vertex]
                while path[-1] != start:
                    path.append(before[path[-1]])
                return path[::-1]
            if successor in inside and successor not in before:
                before[successor] = vertex
                todo.append(successor)
    return [start]


def _named(ring: list[int], names: Sequence[str], via: dict[tuple[int, int], str]) -> tuple[str, ...]:
    first = min(range(len(ring)), key=lambda index: names[ring[index]])
    ring = [*ring[first:], *ring[:first]]
    following = [*ring[1:], ring[0]]
    return tuple(
        dict.fromkeys(
            name for one, next_ in zip(ring, following, strict=True) for name in (names[one], via[one, next_])
        )
    )


def _by_node(locks: Sequence[Stuck]) -> tuple[dict[str, set[tuple[str, str]]], dict[str, list[Stuck]]]:
    """The waits of each node, and the locks that it holds."""
    waited: dict[str, set[tuple[str, str]]] = defaultdict(set)
    held: dict[str, list[Stuck]] = defaultdict(list)
    for lock in locks:
        for node in lock.waiting:
            waited[node].add((node, lock.object))
        for node in lock.holding:
            held[node].append(lock)
    return waited, held


def _root(name: str, waits: set[tuple[str, str]], alone: set[tuple[str, str]], held: Sequence[Stuck]) -> Root:
    modes = sorted({mode for lock in held for node, mode in lock.holders if node == name})
    what = (
        f"{len(held)} locks"
        if len(held) != 1
        else f"lock {held[0].object}" + (f" (inode {held[0].inode})" if held[0].inode else "")
    )
    why = phrase("glm-ends.holds", what=what, modes=" and ".join(modes))
    return Root(kind="node", what=name, node=name, why=why, waiters=len(waits), relieves=len(alone))


def _unheld(locks: Sequence[Stuck]) -> Iterator[Root]:
    for lock in locks:
        if not lock.holders:
            why = phrase("glm-ends.unheld")
            yield Root(
                kind="lock",
                what=lock.object,
                node=None,
                why=why,
                waiters=lock.waits,
                relieves=lock.waits,
                leaves_data=True,
            )


def lock_rows(case: Case, report: Printer) -> Iterator[Row]:
    """Rows for ``locks`` of the JSON: one per lock and dump."""
    waits = case.get(GlmWaits)
    for lock in waits.printed:
        yield {
            "node": lock.node,
            "at": report.clock.text(lock.at, lock.zone_min),
            "kind": "vxfs_glm",
            "object": lock.object,
            "state": None,
            "target": None,
            "demote": None,
            "age_s": None,
            "flags": lock.lock_class,
            "holders": [
                {"node": node, "pid": None, "command": None, "mode": mode, "function": None}
                for node, mode in lock.holders
            ],
            "waiters": lock.waits,
            "dumps": len({(one.artifact, one.dump) for one in waits.same(lock)}),
            "path": report.path(lock.artifact),
            "line": lock.line,
        }
