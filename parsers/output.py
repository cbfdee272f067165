"""Where parsers put what they read: records one by one, or whole columns; full batches go to a sink."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any, Final, Protocol, TypeGuard

from parsers.records import RECORD_TYPES, Problem, Record, Skipped
from parsers.text import Line, line_shape

BATCH_ROWS: Final = 200_000
SKIPPED_KEPT: Final = 2_000
PROBLEMS_KEPT: Final = 200

Columns = dict[str, list[Any]]
_VALUES: Final = {kind: attrgetter(*kind.columns()) for kind in RECORD_TYPES}


class Sink(Protocol):
    """Takes batches: the engine's Parquet writer, or a list in tests. All columns of a batch are equally long."""

    def write(self, kind: type[Record], columns: Columns) -> None: ...


class MemorySink:
    """Keeps every batch; for tests and small texts."""

    def __init__(self) -> None:
        self.columns: dict[type[Record], Columns] = {}

    def write(self, kind: type[Record], columns: Columns) -> None:
        held = self.columns.setdefault(kind, {name: [] for name in kind.columns()})
        for name, values in columns.items():
            held[name].extend(values)

    def records(self, kind: type[Record]) -> list[Any]:
        """The records of one kind as objects, in the order written."""
        held = self.columns.get(kind)
        if not held:
            return []
        names = list(held)
        return [kind(**dict(zip(names, row, strict=True))) for row in zip(*held.values(), strict=True)]


class Output:
    """Gathers records of one artifact. ``rows`` counts all records (not sections, skipped lines or problems)."""

    def __init__(self, sink: Sink, *, batch_rows: int = BATCH_ROWS) -> None:
        self._sink = sink
        self._batch_rows = batch_rows
        self._names = {kind: kind.columns() for kind in RECORD_TYPES}
        self._buffers: dict[type[Record], Columns] = {}
        self.interned: dict[str, Any] = {}
        """What parsers share over all sections of one artifact, such as numbered texts; each family has its key and bounds it."""
        self.rows = 0
        self.skipped = 0
        self.ignored = 0
        self.problems = 0

    def add(self, record: Record) -> None:
        """Add one record: for rare formats and irregular text."""
        kind = type(record)
        buffer = self._buffer(kind)
        for values, value in zip(buffer.values(), _VALUES[kind](record), strict=True):
            values.append(value)
        self.rows += 1
        self._flush_full(kind, buffer)

    def extend(self, kind: type[Record], /, **columns: Sequence[Any] | float | str | None) -> None:
        """Add many records as columns of one length; a scalar (str, number, None) stands for a constant column."""
        length = next(len(values) for values in columns.values() if _is_column(values))
        if not length:
            return
        buffer = self._buffer(kind)
        for name in self._names[kind]:
            values = columns[name] if name in columns else kind.__dataclass_fields__[name].default
            buffer[name].extend(values if _is_column(values) else [values] * length)
        self.rows += length
        self._flush_full(kind, buffer)

    def skip(self, line: Line, reason: str) -> None:
        """Count a line that should have been understood and was not; the first ones are kept whole."""
        self.skipped += 1
        if self.skipped <= SKIPPED_KEPT:
            self._append_uncounted(Skipped(line=line.number, reason=reason, shape=line_shape(line.text)))

    def ignore(self, lines: int = 1) -> None:
        """Count lines that carry no data."""
        self.ignored += lines

    def pass_over(self, unknown: int, empty: int) -> None:
        """Count lines of a long unknown stretch: so many not understood, so many without data. None of them is kept."""
        self.skipped += unknown
        self.ignored += empty

    def problem(self, line: int, message: str) -> None:
        """Name something that could not be read, for the reader of the case."""
        self.problems += 1
        if self.problems <= PROBLEMS_KEPT:
            self._append_uncounted(Problem(line=line, message=message))

    def structure(self, record: Record) -> None:
        """Add a record about the text itself (Section, Repeat): it is not counted as data."""
        self._append_uncounted(record)

    def structure_row(self, kind: type[Record], values: Sequence[Any]) -> None:
        """The same as ``structure`` for values in the order of the columns, without building the record."""
        buffer = self._buffer(kind)
        for column, value in zip(buffer.values(), values, strict=True):
            column.append(value)
        self._flush_full(kind, buffer)

    def close(self) -> None:
        """Hand over what is left."""
        for kind, buffer in self._buffers.items():
            if buffer["line"]:
                self._sink.write(kind, buffer)
        self._buffers = {}

    def _append_uncounted(self, record: Record) -> None:
        self.add(record)
        self.rows -= 1

    def _buffer(self, kind: type[Record]) -> Columns:
        if kind not in self._buffers:
            self._buffers[kind] = {name: [] for name in self._names[kind]}
        return self._buffers[kind]

    def _flush_full(self, kind: type[Record], buffer: Columns) -> None:
        if len(buffer["line"]) >= self._batch_rows:
            self._sink.write(kind, buffer)
            self._buffers[kind] = {name: [] for name in self._names[kind]}


def _is_column(values: object) -> TypeGuard[Sequence[Any]]:
    return isinstance(values, (list, tuple, range)) or (isinstance(values, Sequence) and not isinstance(values, (str, bytes)))
