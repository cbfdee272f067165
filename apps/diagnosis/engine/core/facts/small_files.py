"""Facts of many small files together: a thousand dumps of fifty lines are a few tables, and not a folder for each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any, Final, Protocol, Self

import polars as pl

from apps.diagnosis.engine.core.facts.store import (
    KINDS,
    FactsWriter,
    frame_of,
    names_in,
    part_path,
    rows_in,
    write_frames,
)
from parsers.dataclass import dataclass
from parsers.output import Block, Columns
from parsers.records import Record

SMALL_ROWS: Final = 10_000
"""Records of one file beyond which it gets a folder of its own."""
BATCH_ROWS: Final = 50_000
Rows = Columns | Block


class Writer(Protocol):
    """A sink of one text, whose facts can be given up."""

    def write(self, kind: type[Record], columns: Rows) -> None: ...

    def close(self) -> None: ...

    def discard(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Batch:
    """Facts of some small files, by kind of record: a table, or Parquet files, with the numbers of the files when they
    were read as ``artifact``. numbers: those that they have now; rows of other files are left out.
    """

    held: Mapping[type[Record], pl.DataFrame | list[Path]]
    numbers: Mapping[int, int]
    is_whole: bool = False
    """All files in it are among the numbers."""

    @classmethod
    def stored(cls, directory: Path, numbers: Mapping[int, int]) -> Self:
        """As the reader of a batch left them in a folder."""
        held: dict[type[Record], list[Path]] = defaultdict(list)
        for name in names_in(directory):
            if kind := KINDS.get(name.rpartition("-")[0]):
                held[kind].append(directory / name)
        return cls(held, numbers)

    def rows(self, kind: type[Record]) -> pl.LazyFrame | None:
        """Records of a kind; None where no file has one."""
        held = self.held.get(kind)
        if held is None:
            return None
        lazy = held.lazy() if isinstance(held, pl.DataFrame) else rows_in(kind, held)
        if self._keeps_numbers:
            return lazy
        known = pl.col("artifact").replace_strict(dict(self.numbers), default=None, return_dtype=pl.Int64())
        return lazy.with_columns(known).filter(pl.col("artifact").is_not_null())

    @property
    def _keeps_numbers(self) -> bool:
        return self.is_whole and all(number == now for number, now in self.numbers.items())

    def table(self, kind: type[Record]) -> pl.DataFrame | None:
        """The same where it is held under the numbers that the files have now."""
        held = self.held.get(kind)
        return held if isinstance(held, pl.DataFrame) and self._keeps_numbers else None

    def without(self, apart: Collection[int]) -> Self:
        """The same for the other files. apart: numbers that some have now."""
        return replace(self, numbers={number: now for number, now in self.numbers.items() if now not in apart})

    def write_apart(self, number: int, directory: Path) -> None:
        """The facts of one file as those of a folder of its own. number: the one that it has now."""
        directory.mkdir(parents=True)
        for kind in self.held:
            lazy = self.rows(kind)
            rows = None if lazy is None else lazy.filter(pl.col("artifact") == number).drop("artifact").collect()
            if rows is not None and rows.height:
                write_frames(part_path(directory, kind, 0), [rows])


class SmallFiles:
    """Takes the facts of one file after the other; ``folder`` gets those that are too many to be held."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[type[Record], list[tuple[int, Rows]]] = defaultdict(list)
        self._rows = 0
        self._written: list[dict[type[Record], Path]] = []

    def writer(self, number: int, directory: Path) -> Writer:
        """A sink for the next file; ``directory`` is for its facts where it turns out to be large."""
        return _SmallFile(lambda rows: self._take(number, rows), directory)

    def batches(self, numbers: Mapping[int, int]) -> list[Batch]:
        """All that was taken; the last ones are held. numbers: of each file, when it was read -> now."""
        last = Batch({kind: _table(kind, held) for kind, held in self._held.items()}, numbers, is_whole=True)
        written = [{kind: [path] for kind, path in held.items()} for held in self._written]
        return [*(Batch(held, numbers, is_whole=True) for held in written), last]

    def store(self, directory: Path) -> None:
        """Everything that was taken as Parquet files of one folder (``Batch.stored``)."""
        directory.mkdir(parents=True, exist_ok=True)
        for number, written in enumerate(self._written):
            for kind, path in written.items():
                path.rename(part_path(directory, kind, number))
        for kind in list(self._held):
            write_frames(part_path(directory, kind, len(self._written)), [_table(kind, self._held.pop(kind))])

    def _take(self, number: int, rows: list[tuple[type[Record], Rows]]) -> None:
        for kind, columns in rows:
            self._held[kind].append((number, columns))
            self._rows += len(columns["line"])
        if self._rows >= BATCH_ROWS:
            self._written.append({kind: self._put_aside(kind) for kind in list(self._held)})
            self._rows = 0

    def _put_aside(self, kind: type[Record]) -> Path:
        folder = self._folder / f"batch-{len(self._written):04d}"
        folder.mkdir(parents=True, exist_ok=True)
        path = part_path(folder, kind, 0)
        write_frames(path, [_table(kind, self._held.pop(kind))])
        return path


class _SmallFile:
    """Holds what one text gives until it is read."""

    def __init__(self, take: Callable[[list[tuple[type[Record], Rows]]], None], directory: Path) -> None:
        self._take = take
        self._directory = directory
        self._held: list[tuple[type[Record], Rows]] = []
        self._rows = 0
        self._large: FactsWriter | None = None

    def write(self, kind: type[Record], columns: Rows) -> None:
        """Take one batch of columns of equal length."""
        self._rows += len(columns["line"])
        if self._large is None and self._rows > SMALL_ROWS:
            self._large = FactsWriter(self._directory)
            for held in self._held:
                self._large.write(*held)
            self._held = []
        if self._large is not None:
            self._large.write(kind, columns)
        else:
            self._held.append((kind, columns))

    def close(self) -> None:
        """Hand over what is held."""
        if self._large is not None:
            self._large.close()
        else:
            self._take(self._held)

    def discard(self) -> None:
        """Remove what was written: its text could not be read to the end."""
        self._held = []
        if self._large is not None:
            self._large.discard()


def _table(kind: type[Record], held: list[tuple[int, Rows]]) -> pl.DataFrame:
    """Rows of some files as one table; columns of plain lists are put together before it is made."""
    frames: list[pl.DataFrame] = []
    for is_block, run in groupby(held, key=lambda one: isinstance(one[1], pl.DataFrame)):
        if is_block:
            frames += [_numbered(frame_of(kind, rows), [number] * len(rows["line"])) for number, rows in run]
            continue
        together: dict[str, list[Any]] = {name: [] for name in kind.columns()}
        numbers: list[int] = []
        for number, rows in run:
            numbers += [number] * len(rows["line"])
            for name, values in together.items():
                values.extend(rows[name])
        frames.append(_numbered(frame_of(kind, together), numbers))
    return pl.concat(frames)


def _numbered(frame: pl.DataFrame, numbers: list[int]) -> pl.DataFrame:
    return frame.hstack([pl.Series("artifact", numbers, pl.Int64)])
