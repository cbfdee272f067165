"""Long waits of a case gathered by episode, node, and what they wait for: columns to groups."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

import numpy as np
import polars as pl

from apps.diagnosis.engine.core.arrays.spans import FINISHED, MOVING, NO_TIME, Flags, Ints
from apps.diagnosis.engine.core.facts.node_clocks import Clocks
from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits, limits
from apps.diagnosis.engine.scale.awaited import ACQUIRE, LOG, NSD, Awaited, awaited_of
from apps.diagnosis.engine.scale.clocks import ahead_us
from apps.diagnosis.engine.scale.episodes import Episode, episodes
from apps.diagnosis.engine.scale.groups import NONE, Group, Place, Vertex
from apps.diagnosis.engine.scale.messages import Messages
from apps.diagnosis.engine.scale.samples import NO_ZONE
from apps.diagnosis.engine.scale.spans import Columns, SpanTable
from apps.diagnosis.engine.scale.waiter_texts import Text
from parsers.records import Section

LATEST: Final = np.iinfo(np.int64).max
OBJECTS_APART: Final = 16
_KEYS: Final = ("episode", "node", "awaited", "object", "message", "serves")


class Grouping:
    """The waits that count, and their groups."""

    def __init__(self, table: SpanTable, store: Facts, nodes: Nodes, clocks: Clocks) -> None:
        self._table = table
        self._store = store
        self._nodes = nodes
        self._clocks = clocks
        self._names: dict[str, str] = {}
        self._codes = table.nodes
        self._bands: Limits = limits("scale-bands")
        self._rules: Limits = limits("scale-chains")
        self.messages = Messages(store, nodes, table.nodes)
        self.columns, self.least_s = self._significant()

    def _significant(self) -> tuple[Columns, float]:
        """Waits that should be short, or whose kind is unknown and that wait for a node: the serious ones, else the
        slow ones.
        """
        kept = self._table.kept
        wanted = kept.where(self._counts(kept))
        for least_s in (max(self._bands.serious_s, self._table.least_s), self._bands.slow_s):
            chosen = wanted.where(wanted.seconds >= least_s)
            if len(chosen):
                break
        return chosen, least_s

    def _counts(self, kept: Columns) -> Flags:
        texts = self._table.texts.texts
        young, aged = (np.array([_counts_at(text, age) for text in texts], np.bool_) for age in (None, float("inf")))
        is_aged = kept.seconds > self._table.texts.older_after_s[kept.text]
        return np.where(is_aged, aged[kept.text], young[kept.text])

    # episodes, on one clock

    @cached_property
    def ahead_us(self) -> Ints:
        """By node number: how far its clock is ahead of the others'."""
        return ahead_us(self._clocks, self._nodes, self._table, self.columns, self._rules)

    @cached_property
    def episodes(self) -> tuple[Ints, list[Episode]]:
        """Number of the episode of each wait, and their windows."""
        columns, ahead = self.columns, self.ahead_us[self.columns.node]
        start, end = (np.where(times == NO_TIME, NO_TIME, times - ahead) for times in (columns.start, columns.end))
        return episodes(start, end, round(self._rules.episode_gap_s * 1e6))

    def is_covered(self, code: int, episode: int) -> bool:
        """Whether dumps of a node show the time of an episode."""
        window, moments = self.episodes[1][episode], self._table.moments.get(code)
        if window.start is None or window.end is None:
            return code in self._table.undated
        if moments is None:
            return False
        slack, ahead = round(self._rules.snapshot_s * 1e6), int(self.ahead_us[code])
        return moments[0] - ahead <= window.end + slack and moments[1] - ahead >= window.start - slack

    def was_idle(self, node: str, episode: int) -> bool:
        """Whether a dump of a node near an episode shows no waiter at all: only its banner stands there."""
        window, slack = self.episodes[1][episode], round(self._rules.snapshot_s * 1e6)
        if window.start is None or window.end is None:
            return False
        return any(window.start - slack <= at <= window.end + slack for at in self._idle.get(node, ()))

    @cached_property
    def _idle(self) -> dict[str, list[int]]:
        """By node: moments of dumps without a waiter."""
        if not self._store.has(Section):
            return {}
        empty = (pl.col("format") == "scale_waiters_new") & (pl.col("records") == 0) & pl.col("at").is_not_null()
        found: dict[str, list[int]] = {}
        for node, at in (
            self._store.scan(Section)
            .filter(empty & pl.col("node").is_not_null())
            .select("node", "at")
            .collect()
            .iter_rows()
        ):
            found.setdefault(self.name(node), []).append(at)
        return found

    # groups

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Long waits by episode, node and what they wait for."""
        columns = self.columns
        if not len(columns):
            return ()
        aged = columns.seconds > self._table.texts.older_after_s[columns.text]
        awaited, all_awaited = self._awaited_codes(columns.text.astype(np.int64) * 2 + aged)
        message, serves = self.messages.joined(columns)
        frame = pl.DataFrame(
            {
                "row": np.arange(len(columns)),
                "episode": self.episodes[0],
                "node": columns.node,
                "awaited": awaited,
                "object": self._objects(awaited, all_awaited),
                "message": message,
                "serves": serves,
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
            by_length.group_by(*_KEYS, maintain_order=True)
            .agg(
                pl.len().alias("waits"),
                pl.col("ended").sum(),
                pl.col("dumps").max(),
                pl.col("end").n_unique().alias("moments"),
                pl.col("seconds").first(),
                pl.col("start").min(),
                pl.col("end").max(),
                pl.col("row").first(),
            )
            .sort(*_KEYS)
        )
        first = rows["row"].to_numpy()
        sources = zip(
            *(column[first].tolist() for column in (columns.text, columns.zone, columns.artifact, columns.line)),
            strict=True,
        )
        return tuple(
            self._group(all_awaited, *row, *one) for row, one in zip(rows.drop("row").iter_rows(), sources, strict=True)
        )

    def _awaited_codes(self, place: Ints) -> tuple[Ints, list[Awaited]]:
        """Texts that want the same get one number."""
        found, inverse = np.unique(place, return_inverse=True)
        codes: dict[Awaited, int] = {}
        numbers = []
        for value in found.tolist():
            number, aged = divmod(value, 2)
            awaited = awaited_of(self._table.texts.texts[number], age_of(aged))
            numbers.append(codes.setdefault(awaited, len(codes)))
        return np.array(numbers, np.int64)[inverse], list(codes)

    def _objects(self, awaited: Ints, all_awaited: Sequence[Awaited]) -> np.ndarray:
        """Addresses of locks: waits for one address wait for one thing. The log's is one per node; so are very many of
        one name.
        """
        is_lock = np.array([one.sort == "lock" and one.name != LOG for one in all_awaited], np.bool_)
        lock = np.where(is_lock[awaited], self.columns.lock, np.uint64(0))
        if not lock.any():
            return lock
        frame = pl.DataFrame({"node": self.columns.node, "awaited": awaited, "lock": lock})
        many = frame.select(pl.col("lock").n_unique().over("node", "awaited") > OBJECTS_APART).to_series().to_numpy()
        return np.where(many, np.uint64(0), lock)

    def _group(
        self,
        all_awaited: Sequence[Awaited],
        episode: int,
        node: int,
        awaited: int,
        lock: int,
        message: int,
        serves: int,
        waits: int,
        ended: int,
        dumps: int,
        moments: int,
        seconds: float,
        start: int,
        end: int,
        number: int,
        zone: int,
        artifact: int,
        line: int,
    ) -> Group:
        one, text = all_awaited[awaited], self._table.texts.texts[number]
        if message != NONE:
            one = self._with_message(one, node, message)
        return Group(
            episode=episode,
            code=node,
            node=self._codes.name(node),
            awaited=one,
            to=self._vertex(one, episode, node, lock, message),
            serves=serves,
            waits=waits,
            ended=ended,
            dumps=dumps,
            moments=max(dumps, moments),
            longest_s=seconds,
            start=None if start == LATEST else start,
            end=None if end == NO_TIME else end,
            zone_min=None if zone == NO_ZONE else zone,
            category=text.at(seconds).category,
            text=text,
            ref=Ref(artifact, line),
        )

    def _with_message(self, awaited: Awaited, node: int, message: int) -> Awaited:
        """What the list of messages says about a wait, also where the text lost it."""
        sent = self.messages.sent[self._codes.name(node) or "", message]
        name = sent.rpc or awaited.name
        return awaited._replace(sort="rpc", name=name, target=sent.peers[0], via=name or awaited.via)

    def name(self, target: str) -> str:
        """Canonical name of a target; asked very often."""
        if target not in self._names:
            self._names[target] = self._nodes.name(target)
        return self._names[target]

    def label(self, code: int) -> str:
        """A node's name; one that no file names is told apart by its number."""
        return self._codes.name(code) or f"#{code}"

    def _vertex(self, awaited: Awaited, episode: int, node: int, lock: int, message: int) -> Vertex:
        label = self.label(node)
        if awaited.sort == "disk":
            return Vertex("disk", 0, label, awaited.name)
        if awaited.target is not None and awaited.sort in ("nsd", "rpc"):
            return self._vertex_of_target(awaited, episode, label, message)
        if awaited.sort == "nsd":
            return Vertex("thread", episode, label, f"{NSD}, server not printed")
        place: Place = "write" if awaited.sort == "write" else "lock" if awaited.sort == "lock" else "thread"
        return Vertex(place, episode, label, awaited.name, object=lock)

    def _vertex_of_target(self, awaited: Awaited, episode: int, label: str, message: int) -> Vertex:
        if message != NONE and len(self.messages.sent[label, message].peers) > 1:
            return Vertex("message", episode, label, awaited.name, label, message)
        target = self.name(awaited.target or "")
        if awaited.name.startswith(ACQUIRE):
            return Vertex("acquire", episode, target, awaited.name, label)
        return Vertex("answer", episode, target, awaited.name, label if message != NONE else "", message)


def age_of(aged: object) -> float | None:
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
