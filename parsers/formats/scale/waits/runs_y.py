"""Runs of plain rows of ``mmdiag ... -Y``: a pattern made of the columns that the HEADER names takes the figures out of
a row.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple
from urllib.parse import unquote

from parsers.formats.scale.waits.line import WaiterLine
from parsers.formats.scale.waits.rows import Rows, WordedRow
from parsers.formats.scale.waits.runs import PLAIN_NODE, Runs
from parsers.formats.scale.waits.y import Row, Tables, waiter_of
from parsers.output import Output
from parsers.sections.reader import OpenSection
from parsers.times.clock import Instant, parse_instant

_CELL: Final = r"[ -9;-~]{0,400}"
_HEX: Final = r"(?!0{5,16}:)[0-9A-Fa-f]{5,16}"
_BEGINS: Final = re.compile(rf"{PLAIN_NODE}mm[a-z]{{1,20}}:")
_GROUPS: Final = (1, "thread", "address", "since", "seconds", "condition", "mutex")
_FIGURES: Final = {
    "threadId": r"(?P<thread>\d{1,18})",
    "threadAddr": rf"(?P<address>{_HEX})?",
    "waitStartTime": r"(?P<since>\d{4}-\d\d-\d\d_\d\d(?:%3A\d\d){2}(?:[+-]\d{4})?)",
    "waitTime": r"(?P<seconds>\d{1,12}(?:\.\d{1,12})?)",
    "condVarAddr": rf"(?P<condition>{_HEX})?",
    "mutexAddr": rf"(?P<mutex>{_HEX})?",
}


class PlainRow(NamedTuple):
    """The pattern of a plain row, and the groups of its wording: what stands between its figures."""

    pattern: re.Pattern[str]
    between: tuple[int, ...]


@lru_cache(maxsize=64)
def plain_row(table: str, columns: tuple[str, ...]) -> PlainRow | None:
    """None where a column lacks or comes twice; only the address of the thread may lack."""
    named = sorted(name for name in columns if name in _FIGURES)
    if named not in (sorted(_FIGURES), sorted(_FIGURES.keys() - {"threadAddr"})):
        return None
    cells = "".join(f":){_FIGURES[name]}(" if name in _FIGURES else f":{_CELL}" for name in columns)
    lacking = "" if "threadAddr" in named else "(?P<address>)"
    pattern = re.compile(rf"{PLAIN_NODE}(mmdiag:{table}:\d{{1,9}}{cells}(?::{_CELL}){{0,40}}){lacking}\n")
    taken = {1, *pattern.groupindex.values()}
    return PlainRow(pattern, tuple(group for group in range(2, pattern.groups + 1) if group not in taken))


@lru_cache(maxsize=20_000)
def _begun(text: str) -> Instant | None:
    return parse_instant(unquote(text))


class RunsY:
    """The runs of one section of a table."""

    def __init__(self, section: OpenSection, out: Output, rows: Rows, tables: Tables, table: str) -> None:
        self._runs = Runs(section, out, rows, _BEGINS)
        self._tables = tables
        self._table = table
        self._columns: tuple[str, ...] = ()
        self._row: PlainRow | None = None

    def run(self, flush: Callable[[], None]) -> None:
        """Read on while rows are plain."""
        self._runs.run(flush, self._pattern, self._take)

    def _pattern(self) -> re.Pattern[str] | None:
        columns = self._tables.columns(self._table)
        if columns is not self._columns:
            self._columns, self._row = columns, plain_row(self._table, columns)
        return self._row.pattern if self._row is not None else None

    def _take(self, match: re.Match[str], number: int) -> WordedRow | None:
        own, thread, address, since, seconds, condition, mutex = match.group(*_GROUPS)
        begun = _begun(since)
        if self._row is None or begun is None or (condition and mutex):
            return None
        key = (self._table, self._columns, *match.group(*self._row.between), bool(own), bool(condition), bool(mutex))
        wording = self._runs.wording(key, number, match, self._read)
        if wording is None:
            return None
        lock = condition or mutex if wording.has_lock else ""
        return (
            number,
            own,
            None,
            begun.zone_min,
            begun.us,
            float(seconds),
            int(address, 16) if address else None,
            int(thread),
            int(lock, 16) if lock else None,
            wording.shape,
        )

    def _read(self, match: re.Match[str]) -> WaiterLine | None:
        """The first row of a wording, as the line loop reads it; None where cells are missing: there, content tells
        what a cell is.
        """
        row = self._tables.read(match[0])
        return None if not isinstance(row, Row) or row.short else waiter_of(row)
