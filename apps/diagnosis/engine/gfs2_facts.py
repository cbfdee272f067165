"""Who holds and who waits for GFS2 glocks, capture by capture and over all nodes of a file system.

A capture is one dump of one node. Captures of different nodes belong to one round when their times are near; where no
time is known the ordinal on each node stands for it, and says so nowhere as a fact.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from parsers.records import Glock, GlockCount, GlockHolder

if TYPE_CHECKING:
    from apps.diagnosis.engine.facts import CaseFacts

NEAR_US: Final = 45_000_000
COMPATIBLE: Final = frozenset((("SH", "SH"), ("DF", "DF")))
_COLUMNS: Final = ("artifact", "line", "node", "at", "zone_min", "fs", "dump")
_HOLDER: Final = (*_COLUMNS, "glock", "position", "state", "flags", "pid", "command", "function", "waiting", "granted")
_ENTRY: Final = ("artifact", "line", "at", "zone_min", "fs", "glock", "position", "state", "flags", "pid", "waiting", "granted")
_LOCK: Final = (*_COLUMNS, "object", "number", "type", "state", "target", "demote", "demote_us", "flags", "min_hold", "inode_type")


@dataclass(frozen=True, slots=True)
class Entry:
    """A process in the queue of a glock in one capture. ``capture`` counts the dumps of its node and file system from 0."""

    artifact: int
    line: int
    node: str
    at: int | None
    zone_min: int | None
    fs: str | None
    glock: str
    position: int
    state: str
    flags: str
    pid: int
    command: str
    function: str
    waiting: bool
    granted: bool
    capture: int

    @property
    def name(self) -> str:
        """``node:pid``."""
        return f"{self.node}:{self.pid}"

    @property
    def key(self) -> tuple[str | None, str]:
        """The glock over all nodes."""
        return self.fs, self.glock

    @property
    def thread(self) -> tuple[str, str | None, str, int]:
        """One process at one glock, over captures."""
        return self.node, self.fs, self.glock, self.pid


@dataclass(frozen=True, slots=True)
class Lock:
    """A glock in one capture."""

    artifact: int
    line: int
    node: str
    at: int | None
    zone_min: int | None
    fs: str | None
    object: str
    number: int
    type: int
    state: str
    target: str
    demote: str
    demote_us: int | None
    flags: str
    min_hold: int | None
    inode_type: int | None
    capture: int

    @property
    def key(self) -> tuple[str | None, str]:
        """The glock over all nodes."""
        return self.fs, self.object

    @property
    def is_directory(self) -> bool:
        """Whether the inode line below it says so."""
        return self.inode_type == 4


@dataclass(slots=True)
class Capture:
    """One dump: where and when, and its queues."""

    node: str
    fs: str | None
    at: int | None
    entries: list[Entry] = field(default_factory=list)


class GlockFacts:
    """Queues of all captures of a case."""

    def __init__(self, case: CaseFacts) -> None:
        self._case = case
        self.captures: dict[tuple[str, str | None], list[Capture]] = {}
        self.waits: list[Entry] = []
        self.holds: list[Entry] = []
        self.locks: list[Lock] = []
        if case.facts.has(Glock):
            self._read()

    @property
    def any(self) -> bool:
        """Whether there is a GFS2 dump with something in it."""
        return bool(self.locks)

    def _read(self) -> None:
        locks = self._case.named(self._case.facts.scan(Glock).select(_LOCK).collect())
        queue = pl.col("waiting") | pl.col("granted")
        holders = self._case.named(self._case.facts.scan(GlockHolder).filter(queue).select(_HOLDER).collect())
        ordinals = self._ordinals(locks)
        for row in locks.sort("artifact", "line").iter_rows(named=True):
            own: dict[str, Any] = {name: row[name] for name in _LOCK if name != "dump"}
            own["node"] = row["node"] or ""
            self.locks.append(Lock(**own, capture=ordinals[row["artifact"], row["dump"]]))
        for row in holders.sort("artifact", "line").iter_rows(named=True):
            self._add_entry(row, ordinals)

    def _ordinals(self, locks: pl.DataFrame) -> dict[tuple[int, int], int]:
        """Number of each dump among those of its node and file system, in order of time where it is known."""
        keys = ["artifact", "dump", "node", "fs", "at"]
        idle = self._case.named(self._case.facts.frame(GlockCount)).select(keys)  # a dump without queues counts as well
        all_dumps = pl.concat([locks.select(keys), idle]).group_by("artifact", "dump").agg(pl.col("node", "fs", "at").first())
        dumps = all_dumps.sort("at", "artifact", "dump", nulls_last=True)
        ordinals: dict[tuple[int, int], int] = {}
        for artifact, dump, node, fs, at in dumps.iter_rows():
            own = self.captures.setdefault((node or "", fs), [])
            ordinals[artifact, dump] = len(own)
            own.append(Capture(node or "", fs, at))
        return ordinals

    def _add_entry(self, row: dict[str, Any], ordinals: dict[tuple[int, int], int]) -> None:
        capture = ordinals.get((row["artifact"], row["dump"]), 0)
        values: dict[str, Any] = {name: row[name] for name in _ENTRY}
        values |= {name: row[name] or "" for name in ("node", "command", "function")}
        entry = Entry(**values, capture=capture)
        own = self.captures.get((entry.node, entry.fs))
        if own and capture < len(own):
            own[capture].entries.append(entry)
        (self.holds if entry.granted else self.waits).append(entry)

    @cached_property
    def lock_of(self) -> dict[tuple[str, str | None, str, int], Lock]:
        """Glock by node, file system, object and capture."""
        return {(lock.node, lock.fs, lock.object, lock.capture): lock for lock in self.locks}

    @cached_property
    def contended(self) -> dict[tuple[str | None, str], list[Entry]]:
        """Waits by glock over all nodes."""
        found: dict[tuple[str | None, str], list[Entry]] = defaultdict(list)
        for entry in self.waits:
            found[entry.key].append(entry)
        return dict(found)

    @cached_property
    def _holds_of(self) -> dict[tuple[str, str | None, str, int], list[Entry]]:
        found: dict[tuple[str, str | None, str, int], list[Entry]] = defaultdict(list)
        for entry in self.holds:
            found[entry.node, entry.fs, entry.glock, entry.capture].append(entry)
        return dict(found)

    def near_capture(self, node: str, fs: str | None, wait: Entry) -> int | None:
        """The capture of another node nearest in time; the same ordinal where times are not known."""
        own = self.captures.get((node, fs), [])
        if wait.at is None or any(capture.at is None for capture in own):
            return wait.capture if wait.capture < len(own) else None
        times = [capture.at or 0 for capture in own]
        place = bisect_left(times, wait.at)
        near = [i for i in (place - 1, place) if 0 <= i < len(times) and abs(times[i] - wait.at) <= NEAR_US]
        return min(near, key=lambda i: abs(times[i] - wait.at)) if near else None  # type: ignore[operator]

    def holders(self, wait: Entry) -> list[Entry]:
        """Who holds what an entry waits for: on its own node, else on other nodes in a mode that excludes it."""
        local = self._holds_of.get((wait.node, wait.fs, wait.glock, wait.capture))
        if local:
            return local
        found: list[Entry] = []
        for node, fs in self.captures:
            if fs == wait.fs and node != wait.node and (capture := self.near_capture(node, fs, wait)) is not None:
                found.extend(h for h in self._holds_of.get((node, fs, wait.glock, capture), ()) if excludes(h.state, wait.state))
        return found

    @cached_property
    def spans(self) -> list[Span]:
        """A waiting process followed over the captures of its node."""
        return list(self._spans())

    def _spans(self) -> Iterator[Span]:
        threads: dict[tuple[str, str | None, str, int], list[Entry]] = defaultdict(list)
        for entry in self.waits:
            threads[entry.thread].append(entry)
        for entries in threads.values():
            run: list[Entry] = []
            runs: list[list[Entry]] = []
            for entry in sorted(entries, key=lambda e: (e.capture, e.line)):
                if run and entry.capture > run[-1].capture + 1:
                    runs.append(run)
                    run = []
                run.append(entry)
            runs.append(run)
            total = len(self.captures.get((entries[0].node, entries[0].fs), []))
            yield from (self._span(one, total, again=len(runs) > 1) for one in runs)

    def _span(self, run: list[Entry], captures: int, *, again: bool) -> Span:
        first, last = run[0], run[-1]
        seconds = (last.at - first.at) / 1e6 if first.at is not None and last.at is not None and last.at > first.at else None
        dumps = len({entry.capture for entry in run})
        ended = last.capture < captures - 1
        state = "unknown" if captures < 2 else "moving" if again else "finished" if ended else "stuck" if dumps > 1 else "unknown"
        return Span(first, last, seconds, dumps, state)


@dataclass(frozen=True, slots=True)
class Span:
    """A wait from the first to the last capture that shows it. ``seconds`` is a lower bound; None with one capture."""

    first: Entry
    last: Entry
    seconds: float | None
    dumps: int
    state: str


def excludes(held: str, wanted: str) -> bool:
    """Whether a granted mode keeps another one out."""
    return held not in ("UN", "IV", "??") and (held, wanted) not in COMPATIBLE
