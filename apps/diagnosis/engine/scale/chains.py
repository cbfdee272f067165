"""Who waits for whom among the nodes of a Scale cluster, and where the chains end.

Long waits are gathered by node and by what they wait for. A wait for a message or for an NSD server goes on at the node
asked, with the thread that works on that very message where its id is known, else with (a) the thread that handles such
a message, (b) threads that do such work, (c) the oldest wait there that is no message itself. A wait for the recovery
log goes on with the log's write, that one with the I/O that began with it.

    cn1 OpenHandler ──mnMsgForceInodeFlags──▸ mgr1 Msg handler ──LogFile──▸ log write ──▸ nsd2 NSDThread ──▸ disk dm-17

A token server only answers who holds the token, and the requester itself asks the holder: it is never blamed for the
wait for an acquire.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import cached_property
from typing import Final

import numpy as np

from apps.diagnosis.engine.core.arrays.graph import ends_of
from apps.diagnosis.engine.core.facts.node_clocks import Clocks
from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.words.knowledge import Limits, limits
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.scale.awaited import (
    LOG,
    REVOKE,
    SERVE,
    UNGIVEN,
    Awaited,
    awaited_of,
    family_of,
    is_token_lock,
)
from apps.diagnosis.engine.scale.deadlocks import closed, rings
from apps.diagnosis.engine.scale.grouping import Grouping, age_of
from apps.diagnosis.engine.scale.groups import NONE, Behind, Deadlock, End, Group, Vertex, end_order
from apps.diagnosis.engine.scale.spans import Columns, SpanTable

__all__ = ["Behind", "Chains", "Deadlock", "End", "Group", "Vertex", "answering"]

MEMBERS_SHOWN: Final = 8

_SORTS: Final[dict[str, Callable[[Awaited], bool]]] = {
    "log": lambda awaited: awaited.sort == "write",
    "token": lambda awaited: awaited.is_rpc and awaited.name.startswith("tmMsg"),
    "revoke": lambda awaited: awaited.is_rpc and "Revoke" in awaited.name,
}


class Chains:
    """The chains of one case."""

    def __init__(self, table: SpanTable, store: Facts, nodes: Nodes, clocks: Clocks) -> None:
        self._nodes = nodes
        self._table = table
        self._rules: Limits = limits("scale-chains")
        self._grouping = Grouping(table, store, nodes, clocks)
        self.columns: Columns = self._grouping.columns
        self.least_s: float = self._grouping.least_s
        self._by_sort: dict[tuple[int, str, str], list[Vertex]] = {}

    @property
    def groups(self) -> tuple[Group, ...]:
        """Long waits by episode, node and what they wait for."""
        return self._grouping.groups

    # the graph

    @cached_property
    def _at(self) -> dict[tuple[int, str], list[Group]]:
        """Groups of a node in an episode, the earliest first."""
        found: dict[tuple[int, str], list[Group]] = defaultdict(list)
        for group in self.groups:
            found[group.episode, self._grouping.label(group.code)].append(group)
        for own in found.values():
            own.sort(key=lambda group: (group.start is None, group.start or 0, -group.longest_s))
        return found

    @cached_property
    def _serving(self) -> dict[tuple[int, int], list[Group]]:
        """Groups by episode and the message that their threads work on, where a dump says so."""
        found: dict[tuple[int, int], list[Group]] = defaultdict(list)
        for group in self.groups:
            if group.serves != NONE:
                found[group.episode, group.serves].append(group)
        return found

    @cached_property
    def graph(self) -> dict[Vertex, tuple[Vertex, ...]]:
        """What each thing waited for waits for itself."""
        found: dict[Vertex, tuple[Vertex, ...]] = {}
        todo = sorted({group.to for group in self.groups})
        while todo:
            vertex = todo.pop()
            if vertex not in found:
                found[vertex] = tuple(dict.fromkeys(self._next(vertex)))
                todo.extend(found[vertex])
        return found

    def answers(self, vertex: Vertex) -> list[Group]:
        """Waits at the node asked that hold up its answer."""
        if vertex.place != "answer":
            return []
        return self._exact(vertex) or answering(self._at.get((vertex.episode, vertex.node), []), vertex.name)

    def _exact(self, vertex: Vertex) -> list[Group]:
        """Waits of the thread that works on this very message."""
        if vertex.message == NONE:
            return []
        handler = self._grouping.messages.handler(vertex.node, vertex.asker, vertex.message)
        return self._serving.get((vertex.episode, handler), [])

    def _next(self, vertex: Vertex) -> list[Vertex]:
        if vertex.place == "answer":
            return [group.to for group in self.answers(vertex)]
        if vertex.place == "message":
            return self._parted(vertex)
        if vertex.place == "acquire":
            return self._after_acquire(vertex)
        if vertex.place == "write":
            return [group.to for group in self._write_io(self._at.get((vertex.episode, vertex.node), []))]
        if vertex.place == "lock" and vertex.name == LOG:
            return self._wanted(vertex.episode, vertex.node, "log")
        if vertex.place == "lock" and is_token_lock(vertex.name):
            return self._wanted(vertex.episode, vertex.node, "token")
        return []

    def _wanted(self, episode: int, node: str, sort: str) -> list[Vertex]:
        """What the threads of a node wait for in an episode: writes of the log, messages about tokens, or revokes that
        it sent.
        """
        key = (episode, node, sort)
        if key not in self._by_sort:
            is_meant = _SORTS[sort]
            self._by_sort[key] = list(
                {group.to: None for group in self._at.get((episode, node), []) if is_meant(group.awaited)}
            )
        return self._by_sort[key]

    def _parted(self, vertex: Vertex) -> list[Vertex]:
        """A message to several nodes is an answer of each."""
        sent = self._grouping.messages.sent[vertex.asker, vertex.message]
        return [vertex._replace(place="answer", node=self._grouping.name(peer)) for peer in sent.peers]

    def _after_acquire(self, vertex: Vertex) -> list[Vertex]:
        """The token server's own handler, where it shows one; else the revokes that the requester sent."""
        handlers = [group.to for group in self._handling.get((vertex.episode, vertex.node, vertex.name), [])]
        return handlers or self._wanted(vertex.episode, vertex.asker, "revoke")

    @cached_property
    def _handling(self) -> dict[tuple[int, str, str], list[Group]]:
        """Groups by episode, node and the message that their threads say to handle, the earliest first."""
        found: dict[tuple[int, str, str], list[Group]] = defaultdict(list)
        for (episode, node), own in self._at.items():
            for group in own:
                if group.awaited.role:
                    found[episode, node, group.awaited.role].append(group)
        return found

    def _write_io(self, own: list[Group]) -> list[Group]:
        """I/O of the node that began together with the oldest log write."""
        writes = [group for group in own if group.awaited.sort == "write"]
        if not writes:
            return []
        together = self.began_with(max(writes, key=lambda group: group.longest_s))
        return [group for group in own if group.awaited.sort in ("nsd", "disk") and group.awaited in together]

    def began_with(self, one: Group) -> set[Awaited]:
        """What other waits of the node that began with the longest of a group want. Ages of one dump are compared: no
        clock errs there.
        """
        columns = self.columns
        rows = np.flatnonzero(columns.node == one.code)
        base = rows[(columns.line[rows] == one.ref.line) & (columns.artifact[rows] == one.ref.artifact)][0]
        same = (columns.end[rows] == columns.end[base]) & (columns.artifact[rows] == columns.artifact[base])
        close = np.abs(columns.seconds[rows] - columns.seconds[base]) <= self._rules.together_s
        texts, ages = self._table.texts, self._table.texts.older_after_s
        return {
            awaited_of(texts.texts[columns.text[r]], age_of(columns.seconds[r] > ages[columns.text[r]]))
            for r in rows[same & close]
        }

    # deadlocks

    def handlers(self, vertex: Vertex) -> list[Group]:
        """Waits of threads that are seen to work on what is waited for, by message id or by their name; guesses are
        left out.
        """
        if vertex.place not in ("answer", "acquire"):
            return []
        own = self._exact(vertex)
        if not own:
            here = self._at.get((vertex.episode, vertex.node), [])
            own = [group for group in here if vertex.name and group.awaited.role == vertex.name]
            if not own and family_of(vertex.name) == REVOKE:
                own = [group for group in here if group.awaited.role == REVOKE]
        return [group for group in own if group.goes_on]

    def _seen(self, vertex: Vertex) -> list[Vertex]:
        if vertex.place == "message":
            return self._parted(vertex)
        return list({group.to: None for group in self.handlers(vertex)})

    @cached_property
    def deadlocks(self) -> tuple[Deadlock, ...]:
        """Circles of nodes in which each edge is seen, the longest wait first."""
        stuck = closed(list(self.graph), self._seen)
        found = [self._deadlock(ring) for ring in rings(stuck)]
        return tuple(sorted(found, key=lambda deadlock: (-deadlock.longest_s, deadlock.members)))

    def _deadlock(self, ring: tuple[Vertex, ...]) -> Deadlock:
        inside = set(ring)
        waits = [group for vertex in ring for group in self.handlers(vertex) if group.to in inside]
        own = {id(group) for group in waits}
        answers = [vertex for vertex in ring if vertex.place != "message"]
        return Deadlock(
            members=tuple(dict.fromkeys(vertex.node for vertex in answers)),
            ring=tuple({id(group): group for group in waits}.values()),
            queue=tuple(group for group in self.leading_to(*ring) if id(group) not in own),
            is_exact=all(self._exact(vertex) for vertex in answers),
        )

    @cached_property
    def _locked(self) -> dict[Vertex, Deadlock]:
        """Things waited for that lie on a circle."""
        return {group.to: deadlock for deadlock in self.deadlocks for group in deadlock.ring}

    # the ends

    @cached_property
    def ends(self) -> dict[Vertex, tuple[End, ...]]:
        """Where the chains behind each thing end."""
        vertices = list(self.graph)
        number = {vertex: place for place, vertex in enumerate(vertices)}
        found = ends_of([[number[after] for after in self.graph[vertex]] for vertex in vertices])
        made: dict[int, End] = {}
        alike: dict[End, End] = {}
        for places in set(found):
            for place in places:
                if place not in made:
                    end = self._end(vertices[place])
                    made[place] = alike.setdefault(end, end)  # equal ends are one object: they are told apart by it
        merged: dict[tuple[int, ...], tuple[End, ...]] = {}
        for places in found:
            if places not in merged:
                ends = {id(made[place]): made[place] for place in places}
                merged[places] = tuple(sorted(ends.values(), key=end_order) if len(ends) > 1 else ends.values())
        return {vertex: merged[places] for vertex, places in zip(vertices, found, strict=True)}

    def _end(self, vertex: Vertex) -> End:
        node = None if vertex.node.startswith("#") else vertex.node
        if self.graph[vertex]:
            return self._circle_end(vertex, node)
        if vertex.place == "disk":
            return End("disk", vertex.name, node, why=phrase("scale-ends.disk"))
        if vertex.place == "answer":
            return self._node_end(vertex)
        if vertex.place == "acquire":
            return End(
                "lock",
                UNGIVEN,
                vertex.asker if not vertex.asker.startswith("#") else None,
                leaves_data=False,
                why=phrase("scale-ends.holder"),
            )
        if vertex.place == "write":
            return End("lock", LOG, node, why=phrase("scale-ends.write"))
        if vertex.place == "lock":
            why = phrase("scale-ends.lock-at", address=vertex.object) if vertex.object else phrase("scale-ends.lock")
            return End("lock", vertex.name, node, object=vertex.object, why=why)
        return End("thread", vertex.name, node, why=phrase("scale-ends.thread"))

    def _circle_end(self, vertex: Vertex, node: str | None) -> End:
        deadlock = self._locked.get(vertex)
        if deadlock is None:
            return End("node", vertex.node, node, why=phrase("scale-ends.circle"), in_circle=True)
        first = min(deadlock.members)
        return End("node", first, first, why=_deadlock_words(deadlock.members), in_circle=True, is_deadlock=True)

    def _node_end(self, vertex: Vertex) -> End:
        code = self._table.nodes.code(vertex.node)
        node = vertex.node if code is not None or self._nodes.known(vertex.node) else None
        covered = code is not None and self._grouping.is_covered(code, vertex.episode)
        if not covered and not self._grouping.was_idle(vertex.node, vertex.episode):
            return End("node", vertex.node, node, leaves_data=True, why=phrase("scale-ends.leaves"))
        idle = "scale-ends.idle-server" if family_of(vertex.name) == SERVE else "scale-ends.idle"
        return End("node", vertex.node, node, why=phrase(idle))

    @cached_property
    def behind(self) -> tuple[Behind, ...]:
        """Every end with what waits for it, most waiters first.

        What would run if one end let go is found by trying it: all waits behind it go on but those that wait for
        another end too.
        """
        families: dict[int, list[Group]] = defaultdict(list)  # waits with the same ends
        for group in self.groups:
            families[id(self.ends[group.to])].append(group)
        found: dict[int, Behind] = {}
        for family in families.values():
            ends, waits = self.ends[family[0].to], sum(group.waits for group in family)
            for end in ends:
                if (behind := found.get(id(end))) is None:
                    behind = found[id(end)] = Behind(end)
                behind.add(family, waits, is_only=len(ends) == 1)
        return tuple(sorted(found.values(), key=lambda b: (-b.waiters, -b.relieves, end_order(b.end))))

    def leading_to(self, *vertices: Vertex) -> tuple[Group, ...]:
        """Waits whose chains pass through one of some vertices."""
        seen, todo = set(vertices), list(vertices)
        while todo:
            for one in self._before.get(todo.pop(), ()):
                if one not in seen:
                    seen.add(one)
                    todo.append(one)
        return tuple(group for group in self.groups if group.to in seen)

    @cached_property
    def _before(self) -> dict[Vertex, list[Vertex]]:
        before: dict[Vertex, list[Vertex]] = defaultdict(list)
        for one, nexts in self.graph.items():
            for after in nexts:
                before[after].append(one)
        return before

    def log_writes(self) -> tuple[Vertex, ...]:
        """Recovery logs with a write that has not come back."""
        return tuple(sorted({group.to for group in self.groups if group.awaited.sort == "write"}))


def _deadlock_words(members: tuple[str, ...]) -> str:
    shown, more = ", ".join(members[:MEMBERS_SHOWN]), len(members) - MEMBERS_SHOWN
    return (
        phrase("scale-ends.deadlock-many", members=shown, more=more)
        if more > 0
        else phrase("scale-ends.deadlock", members=shown)
    )


def answering(own: list[Group], message: str) -> list[Group]:
    """Waits at the node asked that hold up the answer."""
    family = family_of(message)
    if handlers := [group for group in own if message and group.awaited.role == message]:
        return handlers
    if family and (workers := [group for group in own if group.awaited.role == family]):
        return workers
    if family == SERVE:
        return [group for group in own if group.awaited.sort == "disk"]
    return [group for group in own if not group.awaited.is_rpc][:1] or own[:1]
