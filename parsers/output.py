"""Where parsers put what they read: records one by one, or whole columns; full batches go to a sink."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from operator import attrgetter
from typing import Any, Final, Protocol, TypeGuard

from parsers.ledger import Fate, Ledger
from parsers.line_kinds import line_shape
from parsers.messages.catalogue import is_alarming
from parsers.records import Problem, Record, Skipped
from parsers.records.kinds import RECORD_TYPES
from parsers.text import Line

BATCH_ROWS: Final = 200_000
HEARD_KEPT: Final = 200
"""Letters of a line that nobody reads and that sounds like trouble."""
SKIPPED_KEPT: Final = 2_000
PROBLEMS_KEPT: Final = 200

Columns = dict[str, list[Any]]


class Block(Protocol):
    """A table of columns, such as a data frame."""

    def __getitem__(self, name: str, /) -> Any: ...


_VALUES: Final = {kind: attrgetter(*kind.columns()) for kind in RECORD_TYPES}
_DEFAULTS: Final = {
    kind: {name: kind.__dataclass_fields__[name].default for name in kind.columns()} for kind in RECORD_TYPES
}
_SCALARS: Final = frozenset((str, int, float, bool, type(None), bytes))
_PLAIN_COLUMNS: Final = frozenset((list, tuple, range))


class Sink(Protocol):
    """Takes batches: the engine's Parquet writer, or a list in tests. All columns of a batch are equally long; any
    sequence will do.
    """

    def write(self, kind: type[Record], columns: Columns | Block) -> None: ...

    def close(self) -> None: ...


class MemorySink:
    """Keeps every batch; for tests and small texts."""

    def __init__(self) -> None:
        self.columns: dict[type[Record], Columns] = {}

    def write(self, kind: type[Record], columns: Columns | Block) -> None:
        held = self.columns.setdefault(kind, {name: [] for name in kind.columns()})
        for name, values in held.items():
            values.extend(columns[name])

    def close(self) -> None:
        """Nothing is left to write."""

    def records(self, kind: type[Record]) -> list[Any]:
        """The records of one kind as objects, in the order written."""
        held = self.columns.get(kind)
        if not held:
            return []
        names = list(held)
        return [kind(**dict(zip(names, row, strict=True))) for row in zip(*held.values(), strict=True)]


class Output:
    """Gathers records of one artifact, and the fates of its lines. ``rows`` counts records (no sections, skipped lines
    or problems).
    """

    def __init__(self, sink: Sink, *, batch_rows: int = BATCH_ROWS, numbers_from: int = 1) -> None:
        """``numbers_from``: the first of the numbers by which records of one artifact refer to each other."""
        self.numbers_from = numbers_from
        self._sink = sink
        self._batch_rows = batch_rows
        self._rows: dict[type[Record], list[tuple[Any, ...]]] = defaultdict(list)
        self._buffers: dict[type[Record], Columns] = {}
        self.interned: dict[str, Any] = {}
        """What parsers share over all sections of one artifact, such as numbered texts; each family has its key and
        bounds it.
        """
        self.rows = 0
        self.ledger = Ledger()
        """What became of the lines."""
        self.problems = 0
        self.last_skipped = 0
        """Number of the line that a parser was given last and did not understand."""

    def add(self, record: Record) -> None:
        """Add one record: for rare formats and irregular text."""
        kind = type(record)
        self.structure_row(kind, _VALUES[kind](record))
        self.rows += 1

    def add_row(self, kind: type[Record], values: tuple[Any, ...]) -> None:
        """The same as ``add`` for values in the order of the columns, without building the record."""
        self.structure_row(kind, values)
        self.rows += 1

    def extend(self, kind: type[Record], /, **columns: Sequence[Any] | float | str | None) -> None:
        """Add many records as columns of one length; a scalar (str, number, None) stands for a constant column."""
        length = next(len(values) for values in columns.values() if _is_column(values))
        if not length:
            return
        buffer = self._buffer(kind)
        for name, default in _DEFAULTS[kind].items():
            values = columns.get(name, default)
            if type(values) in _SCALARS or not _is_column(values):
                values = (values,) * length
            buffer[name].extend(values)
        self.rows += length
        if len(buffer["line"]) >= self._batch_rows:
            self._write(kind)

    def extend_block(self, kind: type[Record], block: Block) -> None:
        """Add many records as a table that the sink takes as it is; all columns are there."""
        self._write(kind)
        self._sink.write(kind, block)
        self.rows += len(block["line"])

    def skip(self, line: Line, reason: str) -> None:
        """A line that a parser was given should have been understood and was not."""
        self.last_skipped = line.number
        self.name_skipped(line, reason)
        self.ledger.change(1, Fate.UNREAD)

    def ignore(self, lines: int = 1) -> None:
        """Lines that a parser was given carry no data."""
        self.ledger.change(lines, Fate.ASIDE)

    def frame(self, lines: int = 1) -> None:
        """Lines that a parser was given are structure of its output: headings, rulers, captions."""
        self.ledger.change(lines, Fate.FRAME)

    def everyday(self, lines: int = 1) -> None:
        """Lines that a parser was given are messages of a kind that is known to be harmless."""
        self.ledger.change(lines, Fate.EVERYDAY)

    def name_skipped(self, line: Line, reason: str) -> None:
        """Keep the shape of a line that is going to be booked as not understood; of the first ones only."""
        if self.ledger.not_understood < SKIPPED_KEPT:
            text = line.text.strip()[:HEARD_KEPT] if is_alarming(line.text) else ""
            self._append_uncounted(Skipped(line=line.number, reason=reason, shape=line_shape(line.text), text=text))

    def problem(self, line: int, message: str) -> None:
        """Name something that could not be read, for the reader of the case."""
        self.problems += 1
        if self.problems <= PROBLEMS_KEPT:
            self._append_uncounted(Problem(line=line, message=message))

    def structure(self, record: Record) -> None:
        """Add a record about the text itself (Section, Repeat): it is not counted as data."""
        self._append_uncounted(record)

    def structure_row(self, kind: type[Record], values: tuple[Any, ...]) -> None:
        """The same as ``structure`` for values in the order of the columns, without building the record."""
        rows = self._rows[kind]
        rows.append(values)
        if len(rows) >= self._batch_rows:
            self._write(kind)

    def close(self) -> None:
        """Hand over what is left."""
        for kind in (kind for kind in RECORD_TYPES if kind in self._rows or kind in self._buffers):
            self._write(kind)
        self._sink.close()

    def _append_uncounted(self, record: Record) -> None:
        self.add(record)
        self.rows -= 1

    def _buffer(self, kind: type[Record]) -> Columns:
        """The columns gathered so far, with what was added row by row behind them."""
        buffer = self._buffers.setdefault(kind, {})
        if not buffer:
            buffer.update({name: [] for name in kind.columns()})
        rows = self._rows.pop(kind, None)
        if rows:
            for column, values in zip(buffer.values(), zip(*rows, strict=True), strict=True):
                column.extend(values)
        return buffer

    def _write(self, kind: type[Record]) -> None:
        if kind in self._buffers or self._rows.get(kind):
            buffer = self._buffer(kind)
            if buffer["line"]:
                self._sink.write(kind, buffer)
            del self._buffers[kind]


def _is_column(values: object) -> TypeGuard[Sequence[Any]]:
    kind = type(values)
    if kind in _SCALARS:
        return False
    return kind in _PLAIN_COLUMNS or (isinstance(values, Sequence) and not isinstance(values, (str, bytes)))
