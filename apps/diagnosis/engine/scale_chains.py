"""Who waits for whom among the nodes of a Scale cluster, and where the chains end.

Long waits are gathered by node and by what they wait for. A wait for a message or for an NSD server goes on at the node asked, with
(a) the thread that handles that very message, (b) threads that do such work, (c) the oldest wait there that is no message itself.
A wait for the recovery log goes on with the log's write, that one with the I/O that began with it.

    cn1 OpenHandler ──mnMsgForceInodeFlags──▸ mgr1 Msg handler ──LogFile──▸ log write ──▸ nsd2 NSDThread ──▸ disk dm-17

A token server only answers who holds the token, and the requester itself asks the holder: it is never blamed for the wait for an acquire.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import numpy as np
import polars as pl

from apps.diagnosis.engine.graph import ends_of
from apps.diagnosis.engine.knowledge import Limits, limits
from apps.diagnosis.engine.model import Ref
from apps.diagnosis.engine.scale_episodes import Window, episodes
from apps.diagnosis.engine.scale_samples import NO_ZONE
from apps.diagnosis.engine.scale_shapes import Text
from apps.diagnosis.engine.scale_spans import Columns, SpanTable
from apps.diagnosis.engine.scale_wants import ACQUIRE, LOG, NSD, SERVE, Want, family_of, is_token_lock, want_of
from apps.diagnosis.engine.spans import FINISHED, MOVING, NO_TIME, Flags, Ints

if TYPE_CHECKING:
    from apps.diagnosis.engine.facts import CaseFacts

Place = Literal["disk", "answer", "acquire", "lock", "write", "thread"]
LATEST: Final = np.iinfo(np.int64).max
EndKind = Literal["disk", "node", "lock", "thread"]


class Vertex(NamedTuple):
    """Something waited for. ``node`` is its node's name, or how a target is printed; ``asker`` only for acquires."""

    place: Place
    episode: int
    node: str
    name: str
    asker: str = ""


@dataclass(slots=True, kw_only=True, eq=False)  # not frozen: there are tens of thousands, and each is only itself
class Group:
    """Long waits of one node, in one episode, for one thing. The longest stands for all as evidence; ``ended`` did so in the data."""

    episode: int
    code: int
    node: str | None
    want: Want
    to: Vertex
    waits: int
    ended: int
    dumps: int
    longest_s: float
    start: int | None
    end: int | None
    zone_min: int | None
    category: int | None
    text: Text
    ref: Ref


@dataclass(frozen=True, slots=True, order=True)
class End:
    """Where chains end: a disk, a node whose own waits are not here, a lock without a visible holder, a thread."""

    kind: EndKind
    what: str
    node: str | None
    leaves_data: bool = False
    why: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Behind:
    """What an end holds up."""

    end: End
    groups: tuple[Group, ...]
    waiters: int
    relieves: int

    @property
    def longest_s(self) -> float:
        return max(group.longest_s for group in self.groups)

    @property
    def nodes(self) -> tuple[str, ...]:
        """Nodes with waits behind it."""
        return tuple(sorted({group.node for group in self.groups if group.node}))


class Chains:
    """The chains of one case."""

    def __init__(self, case: CaseFacts, table: SpanTable) -> None:
        self._case = case
        self._table = table
        self._names: dict[str, str] = {}
        self._bands: Limits = limits("scale-bands")
        self._rules: Limits = limits("scale-chains")
        self.columns, self.least_s = self._significant()

    def _significant(self) -> tuple[Columns, float]:
        """Waits that should be short, or whose kind is unknown and that wait for a node: the serious ones, else the slow ones."""
        kept = self._table.kept
        wanted = kept.where(self._counts(kept))
        serious = wanted.where(wanted.seconds >= self._bands.serious_s)
        if len(serious):
            return serious, self._bands.serious_s
        return wanted.where(wanted.seconds >= self._bands.slow_s), self._bands.slow_s

    def _counts(self, kept: Columns) -> Flags:
        texts = self._table.texts.texts
        young, aged = (np.array([_counts_at(text, age) for text in texts], np.bool_) for age in (None, float("inf")))
        is_aged = kept.seconds > self._table.texts.older_after_s[kept.text]
        return np.where(is_aged, aged[kept.text], young[kept.text])

    @cached_property
    def _episodes(self) -> tuple[Ints, list[Window]]:
        """Number of the episode of each wait, and their windows."""
        return episodes(self.columns, round(self._rules.episode_gap_s * 1e6))

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Long waits by episode, node and what they wait for."""
        columns = self.columns
        if not len(columns):
            return ()
        aged = columns.seconds > self._table.texts.older_after_s[columns.text]
        place, wants = self._want_codes(columns.text.astype(np.int64) * 2 + aged)
        frame = pl.DataFrame(
            {
                "row": np.arange(len(columns)),
                "episode": self._episodes[0],
                "node": columns.node,
                "want": place,
                "seconds": columns.seconds,
                "start": np.where(columns.start == NO_TIME, LATEST, columns.start),
                "end": columns.end,
                "ended": (columns.state == FINISHED) | (columns.state == MOVING),
                "dumps": columns.dumps,
                "artifact": columns.artifact,
                "line": columns.line,
            }
        )
        by_length = frame.sort("seconds", "artifact", "line", descending=[True, False, False])
        rows = (
            by_length.group_by("episode", "node", "want", maintain_order=True)
            .agg(
                pl.len().alias("waits"), pl.col("ended").sum(), pl.col("dumps").max(), pl.col("seconds").first(),
                pl.col("start").min(), pl.col("end").max(), pl.col("row").first(),
            )
            .sort("episode", "node", "want")
        )  # fmt: skip
        return tuple(self._group(wants, *row) for row in rows.iter_rows())

    def _want_codes(self, place: Ints) -> tuple[Ints, list[Want]]:
        """Texts that want the same get one number."""
        found, inverse = np.unique(place, return_inverse=True)
        codes: dict[Want, int] = {}
        numbers = []
        for value in found.tolist():
            number, aged = divmod(value, 2)
            want = want_of(self._table.texts.texts[number], _age(aged))
            numbers.append(codes.setdefault(want, len(codes)))
        return np.array(numbers, np.int64)[inverse], list(codes)

    def _group(
        self, wants: Sequence[Want], episode: int, node: int, want: int, waits: int, ended: int, dumps: int, seconds: float, start: int,
        end: int, row: int,
    ) -> Group:  # fmt: skip
        one, columns = wants[want], self.columns
        text = self._table.texts.texts[int(columns.text[row])]
        return Group(
            episode=episode,
            code=node,
            node=self._table.nodes.name(node),
            want=one,
            to=self._vertex(one, episode, node),
            waits=waits,
            ended=ended,
            dumps=dumps,
            longest_s=seconds,
            start=None if start == LATEST else start,
            end=None if end == NO_TIME else end,
            zone_min=None if columns.zone[row] == NO_ZONE else int(columns.zone[row]),
            category=text.at(seconds).category,
            text=text,
            ref=Ref(int(columns.artifact[row]), int(columns.line[row])),
        )

    def _name(self, target: str) -> str:
        """Canonical name of a target; asked very often."""
        if target not in self._names:
            self._names[target] = self._case.nodes.name(target)
        return self._names[target]

    def _label(self, code: int) -> str:
        """A node's name; one that no file names is told apart by its number."""
        return self._table.nodes.name(code) or f"#{code}"

    def _vertex(self, want: Want, episode: int, node: int) -> Vertex:
        label = self._label(node)
        if want.sort == "disk":
            return Vertex("disk", 0, label, want.name)
        if want.target is not None and want.sort in ("nsd", "rpc"):
            target = self._name(want.target)
            if want.name.startswith(ACQUIRE):
                return Vertex("acquire", episode, target, want.name, label)
            return Vertex("answer", episode, target, want.name)
        if want.sort == "nsd":
            return Vertex("thread", episode, label, f"{NSD}, server not printed")
        place: Place = "write" if want.sort == "write" else "lock" if want.sort == "lock" else "thread"
        return Vertex(place, episode, label, want.name)

    # the graph

    @cached_property
    def _at(self) -> dict[tuple[int, str], list[Group]]:
        """Groups of a node in an episode, the earliest first."""
        found: dict[tuple[int, str], list[Group]] = defaultdict(list)
        for group in self.groups:
            found[group.episode, self._label(group.code)].append(group)
        for own in found.values():
            own.sort(key=lambda group: (group.start is None, group.start or 0, -group.longest_s))
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
        own = self._at.get((vertex.episode, vertex.node), [])
        return answering(own, vertex.name) if vertex.place == "answer" else []

    def _next(self, vertex: Vertex) -> list[Vertex]:
        own = self._at.get((vertex.episode, vertex.node), [])
        if vertex.place == "answer":
            return [group.to for group in self.answers(vertex)]
        if vertex.place == "acquire":
            return self._after_acquire(vertex, own)
        if vertex.place == "write":
            return [group.to for group in self._write_io(own)]
        if vertex.place == "lock" and vertex.name == LOG:
            return list({group.to: None for group in own if group.want.sort == "write"})
        if vertex.place == "lock" and is_token_lock(vertex.name):
            return list({group.to: None for group in own if group.want.is_rpc and group.want.name.startswith("tmMsg")})
        return []

    def _after_acquire(self, vertex: Vertex, own: list[Group]) -> list[Vertex]:
        """The token server's own handler, where it shows one; else the revokes that the requester sent."""
        handlers = [group.to for group in own if group.want.role == vertex.name]
        asker = self._at.get((vertex.episode, vertex.asker), [])
        return handlers or [group.to for group in asker if group.want.is_rpc and "Revoke" in group.want.name]

    def _write_io(self, own: list[Group]) -> list[Group]:
        """I/O of the node that began together with the oldest log write."""
        writes = [group for group in own if group.want.sort == "write"]
        if not writes:
            return []
        together = self.began_with(max(writes, key=lambda group: group.longest_s))
        return [group for group in own if group.want.sort in ("nsd", "disk") and group.want in together]

    def began_with(self, one: Group) -> set[Want]:
        """What other waits of the node that began with the longest of a group want. Ages of one dump are compared: no clock errs there."""
        columns = self.columns
        rows = np.flatnonzero(columns.node == one.code)
        base = rows[(columns.line[rows] == one.ref.line) & (columns.artifact[rows] == one.ref.artifact)][0]
        same = (columns.end[rows] == columns.end[base]) & (columns.artifact[rows] == columns.artifact[base])
        close = np.abs(columns.seconds[rows] - columns.seconds[base]) <= self._rules.together_s
        texts, ages = self._table.texts, self._table.texts.older_after_s
        return {want_of(texts.texts[columns.text[r]], _age(columns.seconds[r] > ages[columns.text[r]])) for r in rows[same & close]}

    # the ends

    @cached_property
    def ends(self) -> dict[Vertex, tuple[End, ...]]:
        """Where the chains behind each thing end."""
        vertices = list(self.graph)
        number = {vertex: place for place, vertex in enumerate(vertices)}
        found = ends_of([[number[after] for after in self.graph[vertex]] for vertex in vertices])
        made: dict[int, End] = {}
        for places in set(found):
            made |= {place: self._end(vertices[place]) for place in places if place not in made}
        merged: dict[tuple[int, ...], tuple[End, ...]] = {}
        for places in found:
            if places not in merged:
                merged[places] = tuple(sorted({made[place] for place in places}, key=_order))
        return {vertex: merged[places] for vertex, places in zip(vertices, found, strict=True)}

    def _end(self, vertex: Vertex) -> End:
        node = None if vertex.node.startswith("#") else vertex.node
        if self.graph[vertex]:
            return End("node", vertex.node, node, why="these nodes wait for each other; which of them holds up the rest is not printed")
        if vertex.place == "disk":
            return End("disk", vertex.name, node, why="threads of the node wait for I/O on it")
        if vertex.place == "answer":
            return self._node_end(vertex)
        if vertex.place == "acquire":
            return End("lock", "token", vertex.asker if not vertex.asker.startswith("#") else None, leaves_data=False, why=NO_HOLDER)
        if vertex.place == "write":
            return End("lock", LOG, node, why="the write of the recovery log has not come back, and no I/O of that moment is seen")
        if vertex.place == "lock":
            return End("lock", vertex.name, node, why="no thread that holds it is seen")
        return End("thread", vertex.name, node, why="it waits for nothing that the dump names")

    def _node_end(self, vertex: Vertex) -> End:
        code = self._table.nodes.code(vertex.node)
        node = vertex.node if code is not None or self._case.nodes.known(vertex.node) else None
        if code is None or not self._is_covered(code, vertex.episode):
            return End("node", vertex.node, node, leaves_data=True, why="its own waiters of that time are not in these files")
        what = "no wait for a disk" if family_of(vertex.name) == SERVE else "no long wait"
        return End("node", vertex.node, node, why=f"its dumps of that time show {what}: the network, or a daemon without time to run")

    def _is_covered(self, code: int, episode: int) -> bool:
        window, moments = self._episodes[1][episode], self._table.moments.get(code)
        if window.start is None or window.end is None:
            return code in self._table.undated
        if moments is None:
            return False
        slack = round(self._rules.snapshot_s * 1e6)
        return moments[0] <= window.end + slack and moments[1] >= window.start - slack

    @cached_property
    def behind(self) -> tuple[Behind, ...]:
        """Every end with what waits for it, most waiters first."""
        groups: dict[End, list[Group]] = defaultdict(list)
        alone: dict[End, int] = defaultdict(int)
        for group in self.groups:
            ends = self.ends[group.to]
            for end in ends:
                groups[end].append(group)
            if len(ends) == 1:
                alone[ends[0]] += group.waits
        found = [Behind(end, tuple(own), sum(g.waits for g in own), alone[end]) for end, own in groups.items()]
        return tuple(sorted(found, key=lambda b: (-b.waiters, -b.relieves, _order(b.end))))

    def leading_to(self, vertex: Vertex) -> tuple[Group, ...]:
        """Waits whose chains pass through a vertex."""
        before: dict[Vertex, list[Vertex]] = defaultdict(list)
        for one, nexts in self.graph.items():
            for after in nexts:
                before[after].append(one)
        seen, todo = {vertex}, [vertex]
        while todo:
            for one in before[todo.pop()]:
                if one not in seen:
                    seen.add(one)
                    todo.append(one)
        return tuple(group for group in self.groups if group.to in seen)

    def log_writes(self) -> tuple[Vertex, ...]:
        """Recovery logs with a write that has not come back."""
        return tuple(sorted({group.to for group in self.groups if group.want.sort == "write"}))


NO_HOLDER: Final = "the acquire is not answered yet and the holder is not seen"


def _order(end: End) -> tuple[str, str, str]:
    return end.kind, end.what, end.node or ""


def _age(aged: object) -> float | None:
    """An age beyond or below the one at which a kind changes."""
    return float("inf") if aged else None


def _counts_at(text: Text, age: float | None) -> bool:
    """Waits that ought to be short. What is held back on purpose, and what may last, does not count."""
    found = text.at(age)
    if found.kind is not None and found.kind.throttling:
        return False
    if found.category is None:
        return text.shape.target is not None
    return found.category in (3, 4)


def answering(own: list[Group], message: str) -> list[Group]:
    """Waits at the node asked that hold up the answer."""
    family = family_of(message)
    if handlers := [group for group in own if message and group.want.role == message]:
        return handlers
    if family and (workers := [group for group in own if group.want.role == family]):
        return workers
    if family == SERVE:
        return [group for group in own if group.want.sort == "disk"]
    return [group for group in own if not group.want.is_rpc][:1] or own[:1]
