"""Who stands in the queues of GFS2 glocks, capture by capture and over all nodes of a file system.

A capture is one dump of one node and file system; captures of several nodes that show the same moment share a round.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import polars as pl

from apps.diagnosis.engine.core.knowledge import limits
from apps.diagnosis.engine.gfs2.cluster import figures, timed
from apps.diagnosis.engine.gfs2.contention import Contention, fights
from apps.diagnosis.engine.gfs2.dlm import DlmView, ManagerLock, lockspace_fits
from apps.diagnosis.engine.gfs2.graph import Circle, RoundGraph, circles, round_graphs
from apps.diagnosis.engine.gfs2.kinds import Kinds
from apps.diagnosis.engine.gfs2.queues import Queues
from apps.diagnosis.engine.gfs2.rounds import rounds
from parsers.records import Glock, GlockCount, GlockHolder

if TYPE_CHECKING:
    from apps.diagnosis.engine.facts import CaseFacts

_COLUMNS: Final = ("artifact", "dump", "line", "node", "at", "zone_min", "fs")
_HOLDER: Final = (*_COLUMNS, "glock", "position", "state", "flags", "pid", "command", "function", "waiting", "granted")
_LOCK: Final = (*_COLUMNS, "object", "number", "type", "state", "target", "demote", "demote_us", "flags", "min_hold", "inode_type")
_PID: Final = _HOLDER.index("pid") - _HOLDER.index("glock") - 1
_NO_PROCESS: Final = frozenset(("(ended)", "(none)"))
SpanState = Literal["stuck", "moving", "finished", "unknown"]


class Entry(NamedTuple):
    """A process in the queue of a glock in one capture. ``capture`` counts the dumps of its node and file system from 0.

    name: ``node:pid``. queue: number of the glock of this node in this capture. pair: number of this process at this glock over all
    captures. nth: its place among the waits, or among the holds. by_manager: known from the lock manager's tables only.
    """

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
    round: int
    name: str
    queue: int
    pair: int
    nth: int
    by_manager: bool = False

    @property
    def key(self) -> tuple[str | None, str]:
        """The glock over all nodes."""
        return self.fs, self.glock

    @property
    def place(self) -> str:
        """The kernel function, without offset."""
        return self.function.split("+", 1)[0]

    @property
    def is_process(self) -> bool:
        """Whether the pid names a living process."""
        return self.command not in _NO_PROCESS and (self.pid > 0 or (self.pid == 0 and bool(self.command)))

    @property
    def is_try(self) -> bool:
        """A try lock fails instead of waiting."""
        return "t" in self.flags or "T" in self.flags


class Lock(NamedTuple):
    """A glock in one capture. ``queue`` is the number that its entries carry."""

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
    round: int
    queue: int

    @property
    def key(self) -> tuple[str | None, str]:
        """The glock over all nodes."""
        return self.fs, self.object

    @property
    def is_directory(self) -> bool:
        """Whether the inode line below it says so."""
        return self.inode_type == 4

    @property
    def age_s(self) -> float:
        """How long ago the node was asked to release it."""
        return (self.demote_us or 0) / 1e6 if "D" in self.flags else 0.0


class Capture(NamedTuple):
    """One dump: where, when, and in which round."""

    node: str
    fs: str | None
    at: int | None
    round: int


class Span(NamedTuple):
    """A wait from the first to the last capture that shows it. ``seconds`` is a lower bound; None with one capture."""

    entries: tuple[Entry, ...]
    seconds: float | None
    dumps: int
    state: SpanState
    number: int

    @property
    def first(self) -> Entry:
        return self.entries[0]

    @property
    def last(self) -> Entry:
        return self.entries[-1]


class _Numbers:
    """Numbers for keys, from 0 in the order in which they come."""

    def __init__(self) -> None:
        self.of: dict[tuple[Any, ...], int] = {}

    def __call__(self, *key: Any) -> int:
        return self.of.setdefault(key, len(self.of))


class GlockFacts:
    """Queues of all captures of a case."""

    def __init__(self, case: CaseFacts) -> None:
        self._case = case
        self.captures: dict[tuple[str, str | None], list[Capture]] = {}
        self.waits: list[Entry] = []
        self.holds: list[Entry] = []
        self.locks: list[Lock] = []
        self._queue_number = _Numbers()
        self._pair_number = _Numbers()
        if case.facts.has(Glock) or case.facts.has(GlockCount):
            self._read()

    @property
    def any(self) -> bool:
        """Whether there is a GFS2 dump."""
        return bool(self.captures)

    def _read(self) -> None:
        locks = timed(self._case, self._case.named(self._case.facts.scan(Glock).select(_LOCK).collect()))
        queue = pl.col("waiting") | pl.col("granted")
        filled = (pl.col("command").fill_null(""), pl.col("function").fill_null(""))
        found = self._case.facts.scan(GlockHolder).filter(queue).select(_HOLDER).with_columns(*filled).collect()
        holders = timed(self._case, self._case.named(found))
        places = self._places(locks)
        for artifact, dump, line, node, at, zone, fs, *rest in locks.sort("artifact", "line").rows():
            capture, number = places[artifact, dump]
            queue_number = self._queue_number(node or "", fs, rest[0], capture)
            self.locks.append(Lock._make((artifact, line, node or "", at, zone, fs, *rest, capture, number, queue_number)))
        for artifact, dump, line, node, at, zone, fs, glock, *rest in holders.sort("artifact", "line").rows():
            capture, number = places[artifact, dump]
            name = f"{node or ''}:{rest[_PID]}"
            own = self.holds if rest[-1] else self.waits
            queue_number = self._queue_number(node or "", fs, glock, capture)
            pair = self._pair_number(name, fs, glock)
            head = (artifact, line, node or "", at, zone, fs, glock)
            own.append(Entry._make((*head, *rest, capture, number, name, queue_number, pair, len(own), False)))

    def _places(self, locks: pl.DataFrame) -> dict[tuple[int, int], tuple[int, int]]:
        """Capture and round of each dump.

        Two dumps of one node at one moment in different files are one capture, printed twice; in one file they stand back to back,
        and the second is the later one.
        """
        keys = ["artifact", "dump", "node", "fs", "at"]
        counts = timed(self._case, self._case.named(self._case.facts.frame(GlockCount)))
        idle = counts.select(keys)  # a dump without queues counts as well
        dumps = pl.concat([locks.select(keys), idle]).group_by("artifact", "dump").agg(pl.col("node", "fs", "at").first())
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
            key: [Capture(*key, at, n) for at, n in zip(own, number[key], strict=True)] for key, own in sorted(times.items(), key=str)
        }
        return {dump: (place, number[key][place]) for dump, (key, place) in ordinals.items()}

    @cached_property
    def manager(self) -> DlmView:
        """What the lock manager's tables show of these glocks."""
        return DlmView(self, self._case)

    @cached_property
    def asked_by_others(self) -> set[str]:
        """Glocks of which a trace says that another node asked for them."""
        return {figure.name.partition(" ")[0] for figure in figures(self._case, "trace", " demote requests remote$")}

    def wanted_elsewhere(self, fs: str | None, glock: str, node: str) -> list[ManagerLock]:
        """Requests of other nodes for a glock that the lock manager has not granted."""
        own = self.manager.waiting_on.get(glock, ())
        return [lock for lock in own if lock.owner not in ("", node) and lockspace_fits(lock.lockspace, fs)]

    @cached_property
    def queues(self) -> Queues:
        """Who blocks whom."""
        return Queues(self)

    @cached_property
    def kinds(self) -> Kinds:
        """Kinds of the waits."""
        return Kinds(self)

    @cached_property
    def graphs(self) -> list[tuple[int, RoundGraph]]:
        """Who waits for whom, by round."""
        return list(round_graphs(self))

    @cached_property
    def circles(self) -> list[Circle]:
        """Deadlocks, in the order of the first round that shows them."""
        return circles(self)

    @cached_property
    def _fights(self) -> tuple[list[Contention], list[Contention]]:
        return fights(self)

    @property
    def contentions(self) -> list[Contention]:
        """Inode glocks that processes fight over, those with most waiters first."""
        return self._fights[0]

    @property
    def lone(self) -> list[Contention]:
        """Inode glocks with single waits only, of which it is known who has them."""
        return self._fights[1]

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
            total = len(self.captures[entries[0].node, entries[0].fs])
            if len(entries) == 1:
                state: SpanState = "finished" if entries[0].capture < total - 1 else "unknown"
                yield Span((entries[0],), None, 1, state, number)
                number += 1
                continue
            for run in _runs(entries):
                yield _span(run, total, number)
                number += 1


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
    seconds = (last.at - first.at) / 1e6 if first.at is not None and last.at is not None and last.at > first.at else None
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
