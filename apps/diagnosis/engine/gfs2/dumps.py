"""Who stands in the queues of GFS2 glocks, capture by capture and over all nodes of a file system.

A capture is one dump of one node and file system; captures of several nodes that show the same moment share a round.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cached_property
from typing import Any, Final

import polars as pl

from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.words.knowledge import limits
from apps.diagnosis.engine.core.words.metrics import metric
from apps.diagnosis.engine.gfs2.cluster import Cluster
from apps.diagnosis.engine.gfs2.entries import Capture, Entry, Lock, Span, SpanState
from apps.diagnosis.engine.gfs2.rounds import rounds
from parsers.records.locks import Glock, GlockCount, GlockHolder

DEMOTES_FOR_OTHERS: Final = metric("demotes-for-others")
_COLUMNS: Final = ("artifact", "dump", "line", "node", "at", "zone_min", "fs")
_HOLDER: Final = (*_COLUMNS, "glock", "position", "state", "flags", "pid", "command", "function", "waiting", "granted")
_LOCK: Final = (
    *_COLUMNS,
    "object",
    "number",
    "type",
    "state",
    "target",
    "demote",
    "demote_us",
    "flags",
    "min_hold",
    "inode_type",
)
_PID: Final = _HOLDER.index("pid") - _HOLDER.index("glock") - 1


class _Numbers:
    """Numbers for keys, from 0 in the order in which they come."""

    def __init__(self) -> None:
        self.of: dict[tuple[Any, ...], int] = {}

    def __call__(self, *key: Any) -> int:
        return self.of.setdefault(key, len(self.of))


class GlockDumps:
    """Queues of all captures of a case."""

    def __init__(self, store: Facts, nodes: Nodes, cluster: Cluster) -> None:
        self._store = store
        self._nodes = nodes
        self._cluster = cluster
        self.captures: dict[tuple[str, str | None], list[Capture]] = {}
        self.waits: list[Entry] = []
        self.holds: list[Entry] = []
        self.locks: list[Lock] = []
        self._queue_number = _Numbers()
        self._pair_number = _Numbers()
        if store.has(Glock) or store.has(GlockCount):
            self._read()

    @property
    def any(self) -> bool:
        """Whether there is a GFS2 dump."""
        return bool(self.captures)

    def _read(self) -> None:
        locks = self._cluster.timed(self._nodes.named(self._store.scan(Glock).select(_LOCK).collect()))
        queue = pl.col("waiting") | pl.col("granted")
        filled = (pl.col("command").fill_null(""), pl.col("function").fill_null(""))
        found = self._store.scan(GlockHolder).filter(queue).select(_HOLDER).with_columns(*filled).collect()
        holders = self._cluster.timed(self._nodes.named(found))
        places = self._places(locks)
        again = _begun_again(locks)
        for artifact, dump, line, node, at, zone, fs, *rest in locks.sort("artifact", "line").rows():
            capture, number = places[artifact, dump]
            queue_number = self._queue_number(node or "", fs, rest[0], capture)
            self.locks.append(
                Lock._make((artifact, line, node or "", at, zone, fs, *rest, capture, number, queue_number))
            )
        for artifact, dump, line, node, at, zone, fs, glock, *rest in holders.sort("artifact", "line").rows():
            capture, number = places[artifact, dump]
            part = bisect_right(again[artifact, dump], line) if (artifact, dump) in again else 0
            name = f"{node or ''}:{rest[_PID]}" + (f" of dump {part + 1}" if part else "")
            own = self.holds if rest[-1] else self.waits
            queue_number = self._queue_number(node or "", fs, glock, capture)
            pair = self._pair_number(name, fs, glock)
            head = (artifact, line, node or "", at, zone, fs, glock)
            own.append(Entry._make((*head, *rest, capture, number, name, queue_number, pair, len(own), False)))

    def _places(self, locks: pl.DataFrame) -> dict[tuple[int, int], tuple[int, int]]:
        """Capture and round of each dump.

        Two dumps of one node at one moment in different files are one capture, printed twice; in one file they stand
        back to back, and the second is the later one.
        """
        keys = ["artifact", "dump", "node", "fs", "at"]
        counts = self._cluster.timed(self._nodes.named(self._store.frame(GlockCount)))
        idle = counts.select(keys)  # a dump without queues counts as well
        dumps = (
            pl.concat([locks.select(keys), idle]).group_by("artifact", "dump").agg(pl.col("node", "fs", "at").first())
        )
        ordinals: dict[tuple[int, int], tuple[tuple[str, str | None], int]] = {}
        times: dict[tuple[str, str | None], list[int | None]] = {}
        first_of: dict[tuple[str, str | None], tuple[int, int | None, int]] = {}
        for artifact, dump, node, fs, at in dumps.sort("at", "artifact", "dump", nulls_last=True).iter_rows():
            key = (node or "", fs)
            own = times.setdefault(key, [])
            known = first_of.get(key)
            if known is None or at is None or known[1] != at:
                first_of[key] = (artifact, at, len(own))
                own.append(at)
                place = len(own) - 1
            elif known[0] == artifact:
                own.append((own[-1] or 0) + 1)
                place = len(own) - 1
            else:
                place = known[2]
            ordinals[artifact, dump] = (key, place)
        number = rounds(times, round(limits("glock-rounds").near_s * 1_000_000))
        self.captures = {
            key: [Capture(*key, at, n) for at, n in zip(own, number[key], strict=True)]
            for key, own in sorted(times.items(), key=str)
        }
        return {dump: (place, number[key][place]) for dump, (key, place) in ordinals.items()}

    @cached_property
    def wanted_by_others(self) -> set[str]:
        """Glocks of which a trace says that another node asked for them."""
        return {figure.name.partition(" ")[0] for figure in self._cluster.figures(DEMOTES_FOR_OTHERS)}

    @cached_property
    def lock_of(self) -> dict[int, Lock]:
        """Glock by the number of its queue."""
        return {lock.queue: lock for lock in self.locks}

    @cached_property
    def locks_of(self) -> dict[tuple[str | None, str], list[Lock]]:
        """All sightings of a glock."""
        found: dict[tuple[str | None, str], list[Lock]] = defaultdict(list)
        for lock in self.locks:
            found[lock.key].append(lock)
        return dict(found)

    @cached_property
    def exclusive_of(self) -> dict[tuple[str | None, str], list[Entry]]:
        """Exclusive holders of a glock over all nodes."""
        found: dict[tuple[str | None, str], list[Entry]] = defaultdict(list)
        for entry in self.holds:
            if entry.state == "EX":
                found[entry.key].append(entry)
        return dict(found)

    @cached_property
    def contended(self) -> dict[tuple[str | None, str], list[Entry]]:
        """Waits by glock over all nodes."""
        found: dict[tuple[str | None, str], list[Entry]] = defaultdict(list)
        for entry in self.waits:
            found[entry.fs, entry.glock].append(entry)
        return dict(found)

    @cached_property
    def _shared_names(self) -> set[str]:
        """Glocks that two file systems have under one name and somebody waits for."""
        seen = Counter(glock for _, glock in self.contended)
        return {glock for glock, times in seen.items() if times > 1}

    def label(self, fs: str | None, glock: str) -> str:
        """Name of a glock; with its file system where that is needed to tell two apart."""
        return f"{fs or '?'} {glock}" if glock in self._shared_names else glock

    def rounds_of(self, fs: str | None) -> int:
        """Rounds in which a node of the file system was dumped."""
        return len({one.round for (_, name), own in self.captures.items() if name == fs for one in own})

    @cached_property
    def spans(self) -> list[Span]:
        """Waiting processes followed over the captures of their node."""
        return list(self._spans())

    @cached_property
    def span_at(self) -> list[Span]:
        """Span of each wait, by the place of the wait."""
        found: list[Span] = [self.spans[0]] * len(self.waits) if self.spans else []
        for span in self.spans:
            for entry in span.entries:
                found[entry.nth] = span
        return found

    @cached_property
    def span_of(self) -> dict[tuple[int, int], Span]:
        """Span by artifact and line of each of its waits."""
        return {(entry.artifact, entry.line): span for span in self.spans for entry in span.entries}

    def _spans(self) -> Iterator[Span]:
        threads: dict[tuple[int, str], list[Entry]] = defaultdict(list)
        for entry in self.waits:
            threads[entry.pair, entry.function].append(entry)
        number = 0
        for entries in threads.values():
            # Dumps of several nodes that stand on one line of a text are told apart by nothing.
            total = max(len(self.captures.get((entries[0].node, entries[0].fs), ())), 1)
            if len(entries) == 1:
                state: SpanState = "finished" if entries[0].capture < total - 1 else "unknown"
                yield Span((entries[0],), None, 1, state, number)
                number += 1
                continue
            for run in _runs(entries):
                yield _span(run, total, number)
                number += 1


def _begun_again(locks: pl.DataFrame) -> dict[tuple[int, int], list[int]]:
    """Lines at which another dump begins inside one of which no node is known: a glock stands there in another state.

    One dump holds each glock once. Its processes are others then, whatever their numbers are.
    """
    found: dict[tuple[int, int], list[int]] = defaultdict(list)
    states: dict[tuple[int, int], dict[tuple[str | None, str], str]] = defaultdict(dict)
    unnamed = locks.filter(pl.col("node").is_null() | (pl.col("node") == ""))
    rows = unnamed.select("artifact", "dump", "line", "fs", "object", "state").sort("artifact", "line").iter_rows()
    for artifact, dump, line, fs, glock, state in rows:
        known = states[artifact, dump]
        if known.get((fs, glock), state) != state:
            found[artifact, dump].append(line)
            known.clear()
        known[fs, glock] = state
    return dict(found)


def _runs(entries: list[Entry]) -> list[list[Entry]]:
    """Rows of captures without a gap."""
    runs: list[list[Entry]] = []
    for entry in sorted(entries, key=lambda e: (e.capture, e.artifact, e.line)):
        if not runs or entry.capture > runs[-1][-1].capture + 1:
            runs.append([])
        runs[-1].append(entry)
    return runs


def _span(run: list[Entry], captures: int, number: int) -> Span:
    first, last = run[0], run[-1]
    seconds = (
        (last.at - first.at) / 1e6 if first.at is not None and last.at is not None and last.at > first.at else None
    )
    dumps = len({entry.capture for entry in run})
    return Span(tuple(run), seconds, dumps, _state(run, dumps, captures), number)


def _state(run: list[Entry], dumps: int, captures: int) -> SpanState:
    """``moving``: the queue before it became shorter between its last two captures."""
    last = run[-1]
    if last.capture < captures - 1:
        return "finished"
    if dumps < 2:
        return "unknown"
    before = next(entry for entry in reversed(run) if entry.capture < last.capture)
    return "moving" if last.position < before.position else "stuck"
