"""Spans of all Scale waiters, what of them is kept for reasoning, and counts of the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from functools import cached_property, partial
from itertools import chain
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import polars as pl

from apps.diagnosis.engine.core.arrays.ahead import made_ahead
from apps.diagnosis.engine.core.arrays.aside import Aside
from apps.diagnosis.engine.core.arrays.ordering import in_order
from apps.diagnosis.engine.core.arrays.spans import FINISHED, NO_TIME, STATES, Codes, Flags, Floats, Ints, Keys, merge
from apps.diagnosis.engine.core.facts.case import SpanPart
from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits, limits
from apps.diagnosis.engine.scale.dumps import counted
from apps.diagnosis.engine.scale.samples import NO_ZONE, NodeCodes, Part, WaiterSource
from apps.diagnosis.engine.scale.waiter_texts import ShapeTable, Text
from parsers.dataclass import dataclass
from parsers.records import DAY_US, Event

TEST_KIND: Final = "scale-W15"
OPENING_KIND: Final = "scale-W14"
TELLING_KINDS: Final = frozenset((TEST_KIND, OPENING_KIND))
SPANS_AT_ONCE: Final = 250_000
IO_WORDS: Final = "I/O completion"
ENDS_KEPT: Final = 20_000
LATEST: Final = np.iinfo(np.int64).max
MARKS_MOST: Final = 50_000_000
END_SLACK_US: Final = 60_000_000


@dataclass(frozen=True, slots=True)
class Columns:
    """Spans as arrays of one length. ``artifact`` and ``line`` are the last sample; ``lines`` counts the samples."""

    node: Codes
    text: Codes
    thread_id: Ints
    start: Ints
    end: Ints
    seconds: Floats
    dumps: Codes
    lines: Codes
    state: npt.NDArray[np.uint8]
    zone: Codes
    artifact: Ints
    line: Ints
    address: Keys
    lock: Keys

    def __len__(self) -> int:
        return len(self.node)

    def where(self, chosen: Flags | Ints) -> Columns:
        """Some of the spans."""
        return Columns(*(getattr(self, f.name)[chosen] for f in fields(self)))

    def table(self) -> pl.DataFrame:
        """As they are laid aside for ``of_table``; without addresses, which only chains ask for."""
        return pl.DataFrame({f.name: getattr(self, f.name) for f in fields(self) if f.name not in ("address", "lock")})

    @staticmethod
    def of_table(table: pl.DataFrame) -> Columns:
        """Spans that were laid aside."""
        none = np.zeros(table.height, np.uint64)
        return Columns(**{column.name: column.to_numpy() for column in table}, address=none, lock=none)

    @staticmethod
    def joined(parts: list[Columns]) -> Columns:
        """One after the other; ``parts`` is not empty."""
        return Columns(*(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(Columns)))


@dataclass(frozen=True, slots=True)
class Tally:
    """Waiter lines of one text, below or above the age at which its kind changes; artifact and line of the longest."""

    text: int
    aged: bool
    lines: int
    longest_s: float | None
    artifact: int
    line: int
    nodes: tuple[int, ...]


class Tallies:
    """Lines, longest age and nodes of each text, added up part by part. A text has two places: ``2 * text + aged``."""

    def __init__(self, texts: int) -> None:
        size = 2 * texts
        self._lines = np.zeros(size, np.int64)
        self._longest = np.full(size, -2.0)  # -1 stands for an age that is not printed
        self._artifact = np.zeros(size, np.int64)
        self._line = np.zeros(size, np.int64)
        self._pairs = np.zeros(0, np.int64)

    def add(self, part: Part, place: Ints, nodes: int) -> None:
        """Count the waiters of a part; ``place`` is theirs, ``nodes`` the number of nodes."""
        seconds = np.where(np.isnan(part.samples.seconds), -1.0, part.samples.seconds)
        longest = np.full(len(self._lines), -2.0)
        np.maximum.at(longest, place, seconds)
        self._lines += np.bincount(place, minlength=len(self._lines))
        best = np.flatnonzero(seconds == longest[place])
        best = best[np.lexsort((part.line[best], part.artifact[best]))]
        found, first = np.unique(place[best], return_index=True)
        row = best[first]
        better = longest[found] > self._longest[found]
        found, row = found[better], row[better]
        self._longest[found] = longest[found]
        self._artifact[found], self._line[found] = part.artifact[row], part.line[row]
        self._pairs = np.union1d(self._pairs, _distinct(place * nodes + part.node, size=len(self._lines) * nodes))

    def rows(self, nodes: int) -> list[Tally]:
        """All texts that were seen."""
        place, node = np.divmod(self._pairs, max(1, nodes))
        first = np.flatnonzero(np.append(True, place[1:] != place[:-1])) if len(place) else place
        members = np.split(node, first[1:])
        chosen = place[first]
        columns = (chosen, self._lines[chosen], self._longest[chosen], self._artifact[chosen], self._line[chosen])
        return [
            Tally(at // 2, bool(at % 2), lines, None if age < 0 else age, artifact, line, tuple(own.tolist()))
            for at, lines, age, artifact, line, own in zip(*(c.tolist() for c in columns), members, strict=True)
        ]


def _distinct(numbers: Ints, *, size: int) -> Ints:
    """Each number once, in order; all are below ``size``. A mark for each is sooner made than a table of them."""
    if size > MARKS_MOST:
        return np.unique(numbers)
    marks = np.zeros(size, np.bool_)
    marks[numbers] = True
    return np.flatnonzero(marks)


@dataclass(frozen=True, slots=True)
class IoCount:
    """I/O waits of one node on one disk (None: of a server): how many, how many above the limit of the median check,
    the longest.
    """

    node: int
    disk: str | None
    waits: int
    above: int
    longest_s: float
    ref: Ref


class LogEnds:
    """Lines of the daemon's log by which a wait went away: ``... on thread 5214 has disappeared in 1322 seconds``."""

    def __init__(self, store: Facts, nodes: Nodes) -> None:
        self._ends: dict[int, list[tuple[str | None, int | None, float]]] = {}
        if store.has(Event):
            rows = store.scan(Event).filter(pl.col("kind") == "long-waiter-ended").head(ENDS_KEPT).collect()
            for row in nodes.named(rows).iter_rows(named=True):
                thread = (row["about"] or "").removeprefix("thread ")
                if thread.isdigit() and row["value"] is not None:
                    begun = None if row["at"] is None else row["at"] - round(row["value"] * 1e6)
                    self._ends.setdefault(int(thread), []).append((row["node"], begun, row["value"]))
        self.threads = np.array(sorted(self._ends), np.int64)

    @property
    def any(self) -> bool:
        """Whether there is such a line."""
        return bool(self._ends)

    def has(self, node: str | None, thread: int, start: int | None, seconds: float) -> bool:
        """Whether a wait went away: of this thread, begun about then, as old or older."""
        return any(
            (of is None or node is None or of == node)
            and not seconds > length + 1
            and (begun is None or start is None or _apart(begun, start) <= END_SLACK_US)
            for of, begun, length in self._ends.get(thread, ())
        )


def _apart(one: int, other: int) -> int:
    """Microseconds between two moments, of which one may be a time of day alone."""
    if (one < DAY_US) != (other < DAY_US):
        gap = abs(one - other) % DAY_US
        return min(gap, DAY_US - gap)
    return abs(one - other)


class SpanTable:
    """All spans of the Scale waiters. ``kept`` are those that may matter to a chain; ``frames`` gives them all."""

    def __init__(self, store: Facts, nodes: Nodes, texts: ShapeTable) -> None:
        self.texts = texts
        self._source = WaiterSource(store, nodes, texts)
        self._log_ends = LogEnds(store, nodes)
        self._bands: Limits = limits("scale-bands")
        self.tallies: list[Tally] = []
        self.io: list[IoCount] = []
        self.load: dict[int, tuple[int, float]] = {}  # by node: waits that show overload, and their seconds
        self._sizes: list[int] = []
        self.moments: dict[int, tuple[int, int]] = {}
        self.undated: set[int] = set()
        self._whole: Columns | None = None
        self._aside = Aside() if store.for_tables and len(self._source.slices) > 1 else None
        self.least_s: float = self._bands.slow_s
        """Of this age on waits are kept: higher where there are very many."""
        self.kept: Columns = self._read()

    @property
    def nodes(self) -> NodeCodes:
        """Numbers of the nodes."""
        return self._source.nodes

    @property
    def waiters(self) -> int:
        """Number of waiter lines."""
        return self._source.rows

    def frames(self, categories: list[int | None]) -> Iterator[pl.DataFrame]:
        """All spans, in parts that fit into memory, each of some time and sorted by start. ``categories``: of each
        text, young and aged.
        """

        def made(number: int) -> list[pl.DataFrame]:
            return [self._frame(one, categories) for one in self._by_start(number)]

        yield from chain.from_iterable(made_ahead(made, self._numbers))

    def parts(self, categories: list[int | None]) -> list[SpanPart]:
        """The same, each with the longest first."""

        def made(number: int) -> Iterator[pl.DataFrame]:
            if self._sizes[number] <= SPANS_AT_ONCE:
                yield self._frame(self._longest_first(self._spans_of(number)), categories)
                return
            for some in self._by_start(number):
                yield self._frame(self._longest_first(some), categories)

        return [SpanPart(-(-size // SPANS_AT_ONCE), partial(made, number)) for number, size in enumerate(self._sizes)]

    def _by_start(self, number: int) -> Iterator[Columns]:
        columns = self._spans_of(number)
        order = in_order(columns.start, columns.node, columns.line)
        return (columns.where(order[at : at + SPANS_AT_ONCE]) for at in range(0, len(order), SPANS_AT_ONCE))

    def dumps(self) -> Iterator[pl.DataFrame]:
        """Dumps counted for the timeline, each part of other nodes."""
        yield from made_ahead(self._dumps_of, self._numbers)

    @property
    def _numbers(self) -> range:
        return range(len(self._source.slices))

    def _spans_of(self, number: int) -> Columns:
        """Spans of one part: as they were laid aside, else followed once more."""
        if self._whole is not None:
            return self._whole
        if self._aside is not None:
            return Columns.of_table(self._aside.get(f"spans-{number}"))
        return self._spans(self._source.part(self._source.slices[number]))

    def _dumps_of(self, number: int) -> pl.DataFrame:
        if self._aside is not None:
            return self._aside.get(f"dumps-{number}")
        return counted(self._source.part(self._source.slices[number]), self.nodes)

    @property
    def spans(self) -> int:
        """Their number."""
        return sum(self._sizes)

    def _longest_first(self, some: Columns) -> Columns:
        """The order of the pages: by age, node, start and line, what is unknown last."""
        node = np.minimum(some.node, len(self.nodes.names))
        start = np.where(some.start == NO_TIME, LATEST, some.start)
        return some.where(in_order(-some.seconds, node, start, some.line, some.node))

    def _frame(self, some: Columns, categories: list[int | None]) -> pl.DataFrame:
        """Spans with their names and texts, which take more room than the numbers. Unknown is null."""
        aged = some.seconds > self.texts.older_after_s[some.text]
        return pl.DataFrame(
            {
                "node": _names(some.node, [self.nodes.name(code) for code in range(self.nodes.size)]),
                **self._texts_of(some.text, aged),
                "category": pl.Series(categories, dtype=pl.Int8).gather(some.text.astype(np.int64) * 2 + aged),
                "thread_id": pl.Series(some.thread_id).replace(-1, None),
                "gshape": some.text,
                "start": pl.Series(some.start).replace(NO_TIME, None),
                "end": pl.Series(some.end).replace(NO_TIME, None),
                "zone_min": pl.Series(some.zone).replace(NO_ZONE, None),
                "seconds": pl.Series(some.seconds).fill_nan(None),
                "dumps": some.dumps,
                "lines": some.lines,
                "state": _names(some.state.astype(np.int32), list(STATES)),
                "artifact": some.artifact,
                "line": some.line,
            }
        )

    def _texts_of(self, text: Codes, aged: Flags) -> dict[str, pl.Series]:
        """Columns that follow from the text and the age alone."""
        columns: dict[str, Any] = {}
        for name in ("thread", "wait_kind", "wait_name", "reason", "rpc", "target", "object"):
            columns[name] = _names(text, [getattr(t.shape, name) for t in self.texts.texts])
        columns["waits_on"] = self._waits_on.gather(text)
        place = text.astype(np.int64) * 2 + aged
        columns["kind_id"] = _names(
            place, [t.at(age).kind_id for t in self.texts.texts for age in (None, float("inf"))]
        )
        return columns

    @cached_property
    def _waits_on(self) -> pl.Series:
        """What each text waits for, in a few words."""
        parts = ("wait_kind", "wait_name", "reason", "rpc", "target", "object")
        rows = [tuple(getattr(text.shape, name) for name in parts) for text in self.texts.texts]
        table = pl.DataFrame(rows, schema=dict.fromkeys(parts, pl.String()), orient="row")
        return table.select(_in_few_words())["waits_on"]

    def _read(self) -> Columns:
        kept: list[Columns] = []
        tallies = Tallies(len(self.texts.texts))
        for part, columns in made_ahead(self._followed, self._numbers):
            tallies.add(
                part,
                part.text.astype(np.int64) * 2 + (part.samples.seconds > self.texts.older_after_s[part.text]),
                self.nodes.size,
            )
            self._count_io(columns)
            self._count_load(columns)
            self._note_moments(part)
            self._whole = None if self._sizes else columns
            self._sizes.append(len(columns))
            kept = self._thin([*kept, self._notable(columns)])
            del part, columns  # while the next ones are waited for
        self.tallies = tallies.rows(self.nodes.size)
        return Columns.joined(kept) if kept else _empty()

    def _followed(self, number: int) -> tuple[Part, Columns]:
        part = self._source.part(self._source.slices[number])
        columns = self._spans(part)
        if self._aside is not None:
            self._aside.put(f"spans-{number}", columns.table())
            self._aside.put(f"dumps-{number}", counted(part, self.nodes))
        return part, columns

    def _spans(self, part: Part) -> Columns:
        samples = part.samples
        spans = merge(samples)
        last = spans.last
        columns = Columns(
            node=part.node[last],
            text=part.text[last],
            thread_id=part.thread_id[last],
            start=samples.start[last],
            end=samples.end[last],
            seconds=samples.seconds[last],
            dumps=spans.dumps,
            lines=spans.rows.astype(np.int32),
            state=spans.state,
            zone=part.zone[last],
            artifact=part.artifact[last],
            line=part.line[last],
            address=part.address[last],
            lock=part.lock[last],
        )
        columns.state[self._is_over(columns)] = FINISHED
        return columns

    def _is_over(self, columns: Columns) -> Flags:
        """Waits of which the log of the daemon says later that they went away."""
        over = np.zeros(len(columns), np.bool_)
        if not self._log_ends.any:
            return over
        for row in np.flatnonzero(np.isin(columns.thread_id, self._log_ends.threads)).tolist():
            start = int(columns.start[row])
            over[row] = self._log_ends.has(
                self.nodes.name(int(columns.node[row])),
                int(columns.thread_id[row]),
                None if start == NO_TIME else start,
                float(columns.seconds[row]),
            )
        return over

    def _notable(self, columns: Columns) -> Columns:
        """Waits from one second on, and the few kinds that say something at any age; what the log calls over holds up
        nobody any more.
        """
        return columns.where(self._counts(columns) & ~self._is_over(columns))

    def _counts(self, columns: Columns) -> Flags:
        return (columns.seconds >= self.least_s) | self._telling[columns.text]

    def _thin(self, kept: list[Columns]) -> list[Columns]:
        """Where there are very many the longest decide: those below ten seconds go first, then the younger half of the
        room. What is left are all waits of ``least_s`` and more, in whichever order the parts came.
        """
        most = int(self._bands.kept_waits)
        if sum(map(len, kept)) > most:
            kept = self._from(self._bands.serious_s, kept)
        if sum(map(len, kept)) > most:
            ages = np.nan_to_num(np.concatenate([part.seconds for part in kept]))
            kept = self._from(float(np.partition(ages, -(most // 2))[-(most // 2)]), kept)
        return kept

    def _from(self, least_s: float, kept: list[Columns]) -> list[Columns]:
        self.least_s = max(self.least_s, least_s)
        return [part.where(self._counts(part)) for part in kept]

    @cached_property
    def _telling(self) -> Flags:
        return np.array([text.by_age.kind_id in TELLING_KINDS for text in self.texts.texts], np.bool_)

    def kept_of(self, kind_id: str) -> Columns:
        """Kept spans of one kind, in order of their lines."""
        own = np.array([text.by_age.kind_id == kind_id for text in self.texts.texts], np.bool_)
        some = self.kept.where(own[self.kept.text])
        return some.where(np.lexsort((some.line, some.artifact)))

    def waits_of(self, tallies: Iterable[Tally]) -> int:
        """How many waits these lines tell of: one that several dumps show is one wait."""
        counted = list(tallies)
        places = self.kept.text.astype(np.int64) * 2 + (self.kept.seconds > self.texts.older_after_s[self.kept.text])
        kept = int(np.isin(places, [2 * one.text + one.aged for one in counted]).sum())
        return kept or sum(one.lines for one in counted)

    @cached_property
    def is_io(self) -> Flags:
        """Texts that wait for the completion of an I/O, local or by an NSD server."""
        return np.array([is_io_wait(t.shape.reason, t.shape.aux) for t in self.texts.texts], np.bool_)

    def _count_io(self, columns: Columns) -> None:
        """I/O waits per node and disk: trouble of the storage hides below one second."""
        chosen = columns.where(self.is_io[columns.text] & ~np.isnan(columns.seconds))
        disks, codes = self._disks
        pair = chosen.node.astype(np.int64) * len(disks) + codes[chosen.text]
        found, group = np.unique(pair, return_inverse=True)
        waits = np.bincount(group, minlength=len(found))
        above = np.bincount(group, weights=chosen.seconds > self._bands.io_median_s, minlength=len(found)).astype(
            np.int64
        )
        order = in_order(group, chosen.seconds, -chosen.artifact, -chosen.line)
        longest = chosen.where(order[np.cumsum(waits) - 1])  # the last of each group
        node, disk = np.divmod(found, len(disks))
        rows = zip(*(column.tolist() for column in (node, disk, waits, above)), strict=True)
        ends = zip(*(column.tolist() for column in (longest.seconds, longest.artifact, longest.line)), strict=True)
        self.io.extend(
            IoCount(n, disks[d], w, a, s, Ref(file, line))
            for (n, d, w, a), (s, file, line) in zip(rows, ends, strict=True)
        )

    @cached_property
    def _disks(self) -> tuple[list[str | None], Codes]:
        """Names of disks, first of all none, and the number of the disk of each text."""
        numbers: dict[str | None, int] = {None: 0}
        codes = [numbers.setdefault(text.shape.object, len(numbers)) for text in self.texts.texts]
        return list(numbers), np.array(codes, np.int32)

    def _count_load(self, columns: Columns) -> None:
        """Waits of category 4; those that are held back on purpose say nothing about disks and network."""
        shows = np.array([_shows_load(text) for text in self.texts.texts], np.bool_)
        chosen = columns.where(shows[columns.text] & ~np.isnan(columns.seconds))
        waits = np.bincount(chosen.node, minlength=1)
        seconds = np.bincount(chosen.node, weights=chosen.seconds, minlength=1)
        for node in np.flatnonzero(waits).tolist():
            self.load[node] = (int(waits[node]), float(seconds[node]))

    def _note_moments(self, part: Part) -> None:
        """First and last moment at which each node was dumped, and nodes with dumps without a time."""
        known = part.samples.end != NO_TIME
        self.undated.update(np.unique(part.node[~known]).tolist())
        node, end = part.node[known], part.samples.end[known]
        first = np.full(self.nodes.size, np.iinfo(np.int64).max)
        last = np.full(self.nodes.size, NO_TIME)
        np.minimum.at(first, node, end)
        np.maximum.at(last, node, end)
        for code in np.flatnonzero(last != NO_TIME).tolist():
            self.moments[code] = (int(first[code]), int(last[code]))


def is_io_wait(reason: str | None, aux: str | None) -> bool:
    """Waits for the completion of an I/O, local or by an NSD server."""
    return any(text is not None and IO_WORDS in text for text in (reason, aux))


def _shows_load(text: Text) -> bool:
    kind = text.by_age.kind
    return text.by_age.category == 4 and not (kind is not None and kind.throttling)


def _in_few_words() -> pl.Expr:
    """What a wait is for, in a few words: the lock, the message and its target, or the disk."""
    through = pl.concat_str("rpc", pl.lit(" \u2192 "), "target")
    lock = pl.concat_str(pl.col("wait_kind").fill_null(""), pl.lit(" "), "wait_name").str.strip_chars()
    for_whom = pl.concat_str(pl.col("reason").fill_null(""), pl.lit(" "), "target")
    return pl.coalesce(through, "object", "rpc", for_whom, lock, "reason").alias("waits_on")


def _names(codes: Any, names: list[str | None]) -> pl.Series:
    return pl.Series(names, dtype=pl.String).gather(codes)


def _empty() -> Columns:
    return Columns(
        node=np.zeros(0, np.int32),
        text=np.zeros(0, np.int32),
        thread_id=np.zeros(0, np.int64),
        start=np.zeros(0, np.int64),
        end=np.zeros(0, np.int64),
        seconds=np.zeros(0),
        dumps=np.zeros(0, np.int32),
        lines=np.zeros(0, np.int32),
        state=np.zeros(0, np.uint8),
        zone=np.zeros(0, np.int32),
        artifact=np.zeros(0, np.int64),
        line=np.zeros(0, np.int64),
        address=np.zeros(0, np.uint64),
        lock=np.zeros(0, np.uint64),
    )
