"""What entries say of rows of listings, of kinds of waits and of lines that nobody reads. What they say of messages of
logs stands in the facts.

Each is looked up by its shape or by its distinct values, so that the cost does not grow with the number of entries.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any, Final

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.model import Kind, Ref
from parsers.dataclass import dataclass
from parsers.messages.catalogue import entries_in_force
from parsers.messages.site_entries import UNKNOWN_OUTPUT, Entry, is_figure, key_of
from parsers.records import Section, Skipped
from parsers.records.kinds import RECORD_TYPES

REFS_KEPT: Final = 8
ROWS_MOST: Final = 200_000
"""Rows of one table that entries speak of; of more nobody would learn anything new."""
_TABLES: Final = {kind.__name__: kind for kind in RECORD_TYPES}
WAITS: Final = key_of("waits", "")


@dataclass(frozen=True, slots=True)
class TaughtRows:
    """Rows, lines or waits of one node that an entry speaks of; ``text``: what they say."""

    entry: Entry
    node: str | None
    about: str | None
    lines: int
    refs: tuple[Ref, ...]
    text: str
    first: int | None = None
    last: int | None = None
    zone_min: int | None = None


class Taught:
    """What the entries in force say of this case beside its logs."""

    def __init__(self, records: Records) -> None:
        self._records = records

    @cached_property
    def rows(self) -> tuple[TaughtRows, ...]:
        """Of listings and of lines that nobody reads."""
        return (*(one for group in self._of_tables for one in _grouped(*group)), *self._unread[0])

    @cached_property
    def judged(self) -> frozenset[tuple[int, int]]:
        """Artifact and line of the rows of listings that an entry speaks of: nothing else is said of them."""
        places = (frame.select("artifact", "line").iter_rows() for frame, _ in self._of_tables)
        return frozenset((artifact, line) for rows in places for artifact, line in rows)

    @property
    def read_lines(self) -> int:
        """Lines that no reader takes and an entry does."""
        return self._unread[1]

    @cached_property
    def _of_tables(self) -> list[tuple[pl.DataFrame, dict[str, Entry]]]:
        columns = defaultdict[tuple[str, str], list[Entry]](list)
        for entry in entries_in_force().rows:
            columns[entry.told_by, entry.column].append(entry)
        found = (self._of_column(table, column, entries) for (table, column), entries in columns.items())
        return [(frame, {one.kind: one for one in entries_in_force().rows}) for frame in found if frame is not None]

    def _of_column(self, table: str, column: str, entries: Sequence[Entry]) -> pl.DataFrame | None:
        kind = _TABLES[table]
        if not self._records.has(kind):
            return None
        conditions = Conditions(entries)
        wanted = self._records.scan(kind).filter(conditions.may_hold(column))
        frame = wanted.head(ROWS_MOST).collect()
        if frame.is_empty():
            return None
        values = frame[column].drop_nulls().unique().to_list()
        speaks = {value: entry.kind for value in values if (entry := conditions.of(value)) is not None}
        named = pl.col(column).replace_strict(speaks, default=None, return_dtype=pl.String)
        return frame.with_columns(named.alias("entry")).filter(pl.col("entry").is_not_null())

    @cached_property
    def _unread(self) -> tuple[tuple[TaughtRows, ...], int]:
        entries = entries_in_force()
        if not entries.outputs or not self._records.has(Skipped):
            return (), 0
        found = defaultdict[tuple[str, str | None], list[tuple[Ref, str]]](list)
        for row in self._skipped().iter_rows(named=True):
            hit = entries.find(key_of("output", tool_of(row["command"])), row["shape"].replace("#", "0"))
            if hit is not None:
                found[hit.entry.kind, row["node"]].append((Ref(row["artifact"], row["line"]), row["shape"]))
        by_kind = {one.kind: one for one in entries.all}
        rows = (
            TaughtRows(by_kind[kind], node, None, len(lines), tuple(ref for ref, _ in lines[:REFS_KEPT]), lines[0][1])
            for (kind, node), lines in found.items()
        )
        return tuple(rows), sum(len(lines) for lines in found.values())

    def _skipped(self) -> pl.DataFrame:
        """Lines that nobody reads, each with the command and the node of its output."""
        lines = self._records.frame(Skipped).select("artifact", "line", "shape").sort("line")
        own = self._records.scan(Section).filter(pl.col("artifact").is_in(lines["artifact"].unique().implode()))
        of = own.select("artifact", "line", "last_line", "command", "node").sort("line", maintain_order=True).collect()
        placed = lines.join_asof(of, on="line", by="artifact", check_sortedness=False)
        inside = pl.col("line") <= pl.col("last_line")
        return placed.with_columns(command=pl.when(inside).then("command"), node=pl.when(inside).then("node")).sort(
            "artifact", "line"
        )


def tool_of(command: str | None) -> str:
    """The tool that a command runs, as ``output`` of an entry names it."""
    words = (command or "").split()
    return words[0].rsplit("/", 1)[-1] if words else UNKNOWN_OUTPUT


def _grouped(frame: pl.DataFrame, by_kind: Mapping[str, Entry]) -> Iterator[TaughtRows]:
    groups = defaultdict[tuple[str, str | None, str | None], list[dict[str, Any]]](list)
    for row in frame.iter_rows(named=True):
        entry = by_kind[row["entry"]]
        about = str(row[entry.object]) if entry.object and row[entry.object] is not None else None
        groups[entry.kind, row.get("node"), about].append(row)
    for (kind, node, about), rows in groups.items():
        entry, times = by_kind[kind], [row["at"] for row in rows if row.get("at") is not None]
        yield TaughtRows(
            entry,
            node,
            about,
            len(rows),
            tuple(Ref(row["artifact"], row["line"]) for row in rows[:REFS_KEPT]),
            f"{entry.column.replace('_', ' ')} {rows[0][entry.column]}",
            min(times, default=None),
            max(times, default=None),
            rows[0].get("zone_min"),
        )


@dataclass(slots=True)
class Conditions:
    """Entries of one column by their operator. Of several that hold the narrowest speaks: ``is``, then the highest
    figure that is passed, then the longest word that is held, then ``is not``.
    """

    entries: Sequence[Entry]
    exact: dict[str | float, Entry] = field(default_factory=dict)
    above: list[tuple[float, Entry]] = field(default_factory=list)
    below: list[tuple[float, Entry]] = field(default_factory=list)
    held: list[Entry] = field(default_factory=list)
    other: list[Entry] = field(default_factory=list)

    def __post_init__(self) -> None:
        for one in sorted(self.entries, key=lambda entry: entry.name):
            if one.operator == "is":
                self.exact.setdefault(_plain(one, one.value), one)
            elif one.operator in ("above", "below"):
                (self.above if one.operator == "above" else self.below).append((float(one.value), one))
            else:
                (self.held if one.operator == "holds" else self.other).append(one)
        self.above.sort(key=lambda row: row[0])
        self.below.sort(key=lambda row: row[0])
        self.held.sort(key=lambda one: -len(one.value))

    @property
    def has_figures(self) -> bool:
        """Whether the column holds figures."""
        return bool(self.entries) and is_figure(self.entries[0].told_by, self.entries[0].column)

    def may_hold(self, column: str) -> pl.Expr:
        """Rows of which an entry may speak."""
        if self.other:
            return pl.col(column).is_not_null()
        value = pl.col(column) if self.has_figures else pl.col(column).str.to_lowercase()
        tests = [value.is_in(list(self.exact))] if self.exact else []
        tests += [value > self.above[0][0]] if self.above else []
        tests += [value < self.below[-1][0]] if self.below else []
        if self.held:
            tests.append(value.str.contains_any([one.value.lower() for one in self.held]))
        return pl.any_horizontal(tests)

    def of(self, value: Any) -> Entry | None:
        """The entry that speaks of a value."""
        plain: str | float = float(value) if isinstance(value, int | float) else str(value).lower()
        if (found := self.exact.get(plain)) is not None:
            return found
        if isinstance(plain, float):
            passed = bisect_left(self.above, plain, key=lambda row: row[0])
            if passed:
                return self.above[passed - 1][1]
            under = next((entry for limit, entry in self.below if plain < limit), None)
        else:
            under = next((one for one in self.held if one.value.lower() in plain), None)
        return under or next((one for one in self.other if _plain(one, one.value) != plain), None)


def _plain(entry: Entry, value: str) -> str | float:
    return float(value) if is_figure(entry.told_by, entry.column) else value.lower()


def words_of_wait(kind: Kind) -> str:
    """What entries of waits are compared with."""
    return " ".join(part for part in (kind.thread, kind.reason or kind.wait_on) if part)


def named_waits(kinds: Iterable[Kind]) -> Iterator[tuple[Kind, TaughtRows | None]]:
    """Kinds of waits, those that the program does not know with what an entry says of them."""
    for kind in kinds:
        hit = entries_in_force().find(WAITS, words_of_wait(kind)) if kind.category is None else None
        if hit is None:
            yield kind, None
            continue
        node = kind.nodes[0] if len(kind.nodes) == 1 else None
        rows = TaughtRows(hit.entry, node, hit.about, kind.count, (kind.ref,), words_of_wait(kind))
        yield replace(kind, meaning=hit.entry.meaning), rows
