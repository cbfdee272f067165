"""Waits of Spectrum Scale: kinds, spans, who waits for whom, ends of the chains."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Final

import polars as pl

from apps.diagnosis.engine.core.facts.case import SpanPart
from apps.diagnosis.engine.core.facts.node_clocks import Clocks
from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.model import Edge, Kind, Ref, Root
from apps.diagnosis.engine.scale.chains import Chains
from apps.diagnosis.engine.scale.groups import Behind, Deadlock, Group, Vertex
from apps.diagnosis.engine.scale.spans import SpanTable, Tally
from apps.diagnosis.engine.scale.waiter_texts import Text, WaiterTexts
from parsers.records.waits import Waiter

NAMED_OBJECTS: Final = 12
NO_NAME: Final = "node not named"
KindKey = tuple[
    str | None, int | None, str | None, str | None, str | None
]  # kind_id, category, thread, reason, waited for
_RESOURCES: Final = ("disk", "lock", "write", "thread")


class ScaleWaits:
    """All that is known of the Scale waiters of a case, worked out once."""

    def __init__(self, store: Facts, nodes: Nodes, clocks: Clocks, texts: WaiterTexts) -> None:
        self._store = store
        self._nodes = nodes
        self._clocks = clocks
        self._texts = texts
        self._known: dict[str, bool] = {}

    @property
    def any(self) -> bool:
        """Whether any waiter is in the files."""
        return self._store.has(Waiter)

    @cached_property
    def spans(self) -> SpanTable:
        """Waiters followed over dumps."""
        return SpanTable(self._store, self._nodes, self._texts.table)

    @cached_property
    def chains(self) -> Chains:
        """Who waits for whom."""
        return Chains(self.spans, self._store, self._nodes, self._clocks)

    @property
    def groups(self) -> tuple[Group, ...]:
        """Long waits by episode, node and what they wait for."""
        return self.chains.groups if self.any else ()

    @property
    def behind(self) -> tuple[Behind, ...]:
        """Where the chains end, with what waits there, most waiters first."""
        return self.chains.behind if self.any else ()

    @property
    def deadlocks(self) -> tuple[Deadlock, ...]:
        """Circles of nodes in which each edge is seen."""
        return self.chains.deadlocks if self.any else ()

    @property
    def log_writes(self) -> tuple[Vertex, ...]:
        """Recovery logs with a write that has not come back."""
        return self.chains.log_writes() if self.any else ()

    @property
    def tallies(self) -> list[Tally]:
        """Waiter lines by their text."""
        return self.spans.tallies if self.any else []

    def category_of(self, text: Text, seconds: float | None) -> int | None:
        """Category; a wait that inherits has the one of what is waited for, where that is seen."""
        found = text.at(seconds)
        if found.kind is None or not found.kind.inherits or found.by_flag:
            return found.category
        return self._inherited.get(int(self.spans.texts.wording[text.number]), found.category)

    @cached_property
    def _inherited(self) -> dict[int, int | None]:
        """By text: the category of the wait at the node asked, of the longest such wait."""
        chains = self.chains
        found: dict[int, int | None] = {}
        for group in sorted(chains.groups, key=lambda group: group.longest_s):
            kind = group.text.at(group.longest_s).kind
            if kind is None or not kind.inherits:
                continue
            answers = [answer for answer in chains.answers(group.to) if answer.category is not None]
            if answers:
                found[group.text.number] = answers[0].category
        return found

    def nodes_of(self, tallies: Iterable[Tally]) -> tuple[str, ...]:
        """Names of the nodes of some tallies, as far as they are known."""
        codes = {code for tally in tallies for code in tally.nodes}
        return tuple(sorted(name for code in codes if (name := self.spans.nodes.name(code))))

    def span_frames(self) -> Iterator[pl.DataFrame]:
        """All spans in parts that fit into memory, in order of their start."""
        if self.any:
            yield from self.spans.frames(self._categories())

    def span_parts(self) -> list[SpanPart]:
        """The same with the longest first, to be made by whoever needs them."""
        return self.spans.parts(self._categories()) if self.any else []

    def _categories(self) -> list[int | None]:
        """Of each text, young and aged."""
        ages = (None, float("inf"))
        return [self.category_of(text, age) for text in self.spans.texts.texts for age in ages]

    def dump_frames(self) -> Iterator[pl.DataFrame]:
        """Dumps counted for the timeline, part by part."""
        if self.any:
            yield from self.spans.dumps()

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """Waiter lines by kind, thread, reason and what is waited for."""
        return tuple(self._kinds())

    def _kinds(self) -> Iterator[Kind]:
        merged: dict[KindKey, list[Tally]] = defaultdict(list)
        for tally in self.tallies:
            text, age = self._text_and_age(tally)
            key = (
                text.at(age).kind_id,
                self.category_of(text, age),
                text.shape.thread,
                text.shape.reason,
                waits_on(text),
            )
            merged[key].append(tally)
        crowded = _crowded(merged)
        gathered: dict[KindKey, list[Tally]] = defaultdict(list)
        for key, rows in merged.items():
            gathered[(*key[:4], crowded.get(key[:4], key[4]))].extend(rows)
        for key, rows in gathered.items():
            yield self._kind(key, rows)

    def _text_and_age(self, tally: Tally) -> tuple[Text, float | None]:
        return self.spans.texts.texts[tally.text], float("inf") if tally.aged else None

    def _kind(self, key: KindKey, rows: Sequence[Tally]) -> Kind:
        longest = min(rows, key=lambda t: (-(-1.0 if t.longest_s is None else t.longest_s), t.artifact, t.line))
        text, age = self._text_and_age(rows[0])
        kind_id, category, thread, reason, wait_on = key
        return Kind(
            kind_id=kind_id,
            category=category,
            thread=thread,
            reason=reason,
            wait_on=wait_on,
            count=sum(tally.lines for tally in rows),
            longest_s=longest.longest_s,
            nodes=self.nodes_of(rows),
            meaning=text.at(age).meaning,
            ref=Ref(longest.artifact, longest.line),
        )

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """Long waits from node to node or resource, most first."""
        if not self.any:
            return ()
        found: dict[tuple[str, str, str, bool], list[tuple[int, float]]] = defaultdict(list)
        for group in self.groups:
            for vertex in self.chains.graph[group.to] if group.to.place == "message" else (group.to,):
                to, resolved = self._target(vertex)
                found[group.node or NO_NAME, to, group.awaited.via, resolved].append((group.waits, group.longest_s))
        for log, after in self._after_log_writes():
            found[self._target(log)[0], self._target(after)[0], "log write", self._target(after)[1]].append(
                self._oldest_write(log)
            )
        rows = [
            Edge(
                frm=frm,
                to=to,
                via=via,
                count=sum(n for n, _ in seen),
                longest_s=max(s for _, s in seen),
                resolved=resolved,
            )
            for (frm, to, via, resolved), seen in found.items()
        ]
        return tuple(sorted(rows, key=lambda e: (-e.count, -e.longest_s, e.frm, e.to, e.via)))

    def _after_log_writes(self) -> list[tuple[Vertex, Vertex]]:
        """From a recovery log to the I/O that its write waits for."""
        return [(log, after) for log in self.log_writes for after in self.chains.graph[log]]

    def _oldest_write(self, log: Vertex) -> tuple[int, float]:
        writes = [group for group in self.chains.groups if group.to == log]
        return sum(group.waits for group in writes), max(group.longest_s for group in writes)

    def _target(self, vertex: Vertex) -> tuple[str, bool]:
        """How a thing waited for is called in an edge, and whether it is one of the nodes and resources known
        by name.
        """
        if vertex.place not in _RESOURCES:
            return vertex.node, self._is_known(vertex.node)
        if len(self._owners.get((vertex.place, vertex.name), ())) > 1:
            return f"{vertex.name} of {NO_NAME if vertex.node.startswith('#') else vertex.node}", True
        return vertex.name, True

    def _is_known(self, node: str) -> bool:
        if node not in self._known:
            self._known[node] = self._nodes.known(node)
        return self._known[node]

    @cached_property
    def _owners(self) -> dict[tuple[str, str], set[str]]:
        """Nodes by resource: devices of two nodes may bear one name."""
        owners: dict[tuple[str, str], set[str]] = defaultdict(set)
        for vertex in self.chains.graph:
            if vertex.place in _RESOURCES:
                owners[vertex.place, vertex.name].add(vertex.node)
        return owners

    @cached_property
    def roots(self) -> tuple[Root, ...]:
        """Ends of the chains, most waiters first."""
        return tuple(
            Root(
                kind=b.end.kind,
                what=b.end.what,
                node=b.end.node,
                why=b.end.why,
                waiters=b.waiters,
                relieves=b.relieves,
                leaves_data=b.end.leaves_data,
            )
            for b in self.behind
        )

    @property
    def cycles(self) -> tuple[tuple[str, ...], ...]:
        """Deadlocks: exactly the nodes of each circle."""
        return tuple(deadlock.members for deadlock in self.deadlocks)


def waits_on(text: Text) -> str | None:
    """What a kind's row shows as waited for."""
    shape = text.shape
    if shape.wait_name:
        return f"{shape.wait_kind} {shape.wait_name}" if shape.wait_kind else shape.wait_name
    return f"disk {shape.object}" if shape.object else None


def _crowded(merged: Iterable[KindKey]) -> dict[tuple[Any, ...], str]:
    """Kinds that wait for very many disks are one row each: their common part and how many."""
    counts: dict[tuple[Any, ...], int] = defaultdict(int)
    for key in merged:
        counts[key[:4]] += key[4] is not None and key[4].startswith("disk ")
    return {key: f"{number} disks" for key, number in counts.items() if number > NAMED_OBJECTS}
