"""Facts on disk: Parquet, a folder per artifact, a file (or several parts) per record type; never changed, only
replaced.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from types import UnionType
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

import polars as pl

from apps.diagnosis.engine.core.nodes_by_path import nodes_of_paths
from apps.diagnosis.engine.core.open_years import COLUMNS, settled, years_to_add
from parsers.output import Block, Columns
from parsers.records import DAY_US, RECORD_TYPES, DiskName, NodeAlias, Record, Repeat, Section
from parsers.years import is_open

PART_ROWS: Final = 200_000
THREAD_ROWS: Final = 50_000
_TYPES: Final[dict[type, pl.DataType]] = {int: pl.Int64(), float: pl.Float64(), str: pl.String(), bool: pl.Boolean()}
_ABOUT_OTHERS: Final = (NodeAlias, DiskName)
_UNSIGNED: Final = frozenset(("address", "wait_address", "thread", "condvar"))


def _column_type(name: str, hint: Any) -> pl.DataType:
    plain = next(t for t in get_args(hint) if t is not type(None)) if isinstance(hint, UnionType) else hint
    plain = str if get_origin(plain) is Literal else plain
    return pl.UInt64() if plain is int and name in _UNSIGNED else _TYPES[plain]


def _schema(kind: type[Record]) -> dict[str, pl.DataType]:
    hints = get_type_hints(kind)
    return {name: _column_type(name, hints[name]) for name in kind.columns()}


SCHEMAS: Final = {kind: _schema(kind) for kind in RECORD_TYPES}


ADDED: Final = {
    kind: {field.name: field.default for field in fields(kind) if field.metadata.get("added")} for kind in RECORD_TYPES
}
"""Columns that facts of older releases lack, with what stands for them."""


def _with_added(kind: type[Record], lazy: pl.LazyFrame) -> pl.LazyFrame:
    """The frame with the columns that came to its kind of record after it was written."""
    if not ADDED[kind]:
        return lazy
    there = set(lazy.collect_schema().names())
    lacking = {name: default for name, default in ADDED[kind].items() if name not in there}
    if not lacking:
        return lazy
    filled = lazy.with_columns(pl.lit(default, SCHEMAS[kind][name]).alias(name) for name, default in lacking.items())
    return filled.select(*SCHEMAS[kind], "artifact")


def file_stem(kind: type[Record]) -> str:
    """Name of the files of a record type: ``WaiterShape`` gives ``waitershape``."""
    return kind.__name__.lower()


class FactsWriter:
    """A sink for ``parsers.output.Output`` that writes Parquet parts of about ``PART_ROWS`` rows into ``directory``.

    A thread packs and writes a part while the text is read on; one part at a time, so that memory holds two at most.
    What fails there (a full disk) is raised by the next ``write`` or by ``close``.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._parts: dict[type[Record], int] = {}
        self._held: dict[type[Record], list[pl.DataFrame]] = {}
        self._thread: ThreadPoolExecutor | None = None
        self._writing: Future[None] | None = None
        directory.mkdir(parents=True, exist_ok=True)

    def write(self, kind: type[Record], columns: Columns | Block) -> None:
        """Take one batch of columns of equal length."""
        held = self._held.setdefault(kind, [])
        held.append(_frame(kind, columns))
        if sum(frame.height for frame in held) >= PART_ROWS:
            self._write_part(kind)

    def close(self) -> None:
        """Write what is held."""
        for kind in list(self._held):
            self._write_part(kind)
        self._wait()

    def _write_part(self, kind: type[Record]) -> None:
        part = self._parts.get(kind, 0)
        self._parts[kind] = part + 1
        path, held = self._directory / f"{file_stem(kind)}-{part:04d}.parquet", self._held.pop(kind)
        if sum(frame.height for frame in held) < THREAD_ROWS:
            _write(path, held)
            return
        self._wait()
        self._thread = self._thread or ThreadPoolExecutor(1, "facts")
        self._writing = self._thread.submit(_write, path, held)

    def _wait(self) -> None:
        writing, self._writing = self._writing, None
        if writing is not None:
            writing.result()

    def discard(self) -> None:
        """Remove what was written: its text could not be read to the end."""
        self._held = {}
        if self._writing is not None:
            wait((self._writing,))
        for part in self._directory.glob("*.parquet"):
            part.unlink()


def _frame(kind: type[Record], columns: Columns | Block) -> pl.DataFrame:
    schema = SCHEMAS[kind]
    if isinstance(columns, pl.DataFrame):
        return columns.select(pl.col(name).cast(dtype, strict=False) for name, dtype in schema.items())
    return pl.DataFrame([pl.Series(name, columns[name], dtype, strict=False) for name, dtype in schema.items()])


def _write(path: Path, frames: list[pl.DataFrame]) -> None:
    pl.concat(frames).write_parquet(path, compression="zstd", compression_level=1, statistics=True)


@dataclass(frozen=True, slots=True)
class Source:
    """The facts of one artifact: its number in the case, the path shown to people, the folder of its Parquet files.

    ``modified_us``: when the member was last written, UTC, where the archive tells.
    """

    artifact: int
    path: str
    directory: Path
    modified_us: int | None = None


class Facts:
    """All records of a case, read lazily. Lines that repeat earlier lines of the same file are left out."""

    def __init__(self, sources: Iterable[Source]) -> None:
        self.sources = tuple(sources)
        self.paths = {source.artifact: source.path for source in self.sources}

    def files(self, kind: type[Record]) -> list[tuple[Source, Path]]:
        """Parts of one record type over all artifacts, in artifact order."""
        stem = file_stem(kind)
        return [
            (source, part) for source in self.sources for part in sorted(source.directory.glob(f"{stem}-*.parquet"))
        ]

    def has(self, kind: type[Record]) -> bool:
        """Whether any artifact holds such a record."""
        return bool(self.files(kind))

    def scan(self, kind: type[Record]) -> pl.LazyFrame:
        """Records of one type with their ``artifact`` column, in artifact and line order of each part."""
        parts = self.parts(kind)
        if not parts:
            return pl.LazyFrame(schema={**SCHEMAS[kind], "artifact": pl.Int64()})
        return pl.concat(parts)

    def parts(self, kind: type[Record]) -> list[pl.LazyFrame]:
        """``scan`` part by part: for record types of which a case may hold millions."""
        return [self._named(kind, source, self._part(kind, source, path)) for source, path in self.files(kind)]

    def frame(self, kind: type[Record]) -> pl.DataFrame:
        """``scan`` collected: for record types of which a case holds few."""
        return self.scan(kind).collect()

    def _part(self, kind: type[Record], source: Source, path: Path) -> pl.LazyFrame:
        lazy = pl.scan_parquet(path).with_columns(pl.lit(source.artifact, pl.Int64()).alias("artifact"))
        lazy = _with_added(kind, lazy)
        for first, last in self._repeated.get(source.artifact, ()):
            lazy = lazy.filter(~pl.col("line").is_between(first, last))
        if source.artifact in self.years_added:
            moments = [name for name in COLUMNS if name in lazy.collect_schema()]
            lazy = lazy.with_columns(settled(name, self.years_added[source.artifact]) for name in moments)
        return lazy

    def _named(self, kind: type[Record], source: Source, lazy: pl.LazyFrame) -> pl.LazyFrame:
        """Rows whose node the text does not tell, with the one that the path of the file names."""
        if (
            kind in _ABOUT_OTHERS
            or "node" not in SCHEMAS[kind]
            or (node := self._told_by_path.get(source.artifact)) is None
        ):
            return lazy
        return lazy.with_columns(pl.col("node").fill_null(node))

    @cached_property
    def years_added(self) -> dict[int, int | None]:
        """Artifact -> years to add to its open ones, or None where nothing tells; for logs whose lines have no year."""
        spans: dict[int, list[tuple[int, int]]] = {}
        for source, path in self.files(Section):
            rows = pl.read_parquet(path, columns=["at", "last_at", "format"]).filter(
                pl.col("format") != "unknown", pl.col("at") >= DAY_US
            )
            spans.setdefault(source.artifact, []).extend(
                (at, last or at) for at, last in rows.select("at", "last_at").iter_rows()
            )
        dated = [span for held in spans.values() for span in held if not is_open(span[0])]
        last_open = {artifact: [last for at, last in held if is_open(at)] for artifact, held in spans.items()}
        written = {source.artifact: source.modified_us for source in self.sources}
        return {
            artifact: years_to_add(max(held), dated, written[artifact]) for artifact, held in last_open.items() if held
        }

    @cached_property
    def _told_by_path(self) -> dict[int, str]:
        """Artifact -> node, for files in which no other node speaks."""
        spoken: dict[int, set[str]] = {source.artifact: set() for source in self.sources}
        for source, path in self.files(Section):
            spoken[source.artifact].update(
                pl.read_parquet(path, columns=["node"])["node"].drop_nulls().unique().to_list()
            )
        names = set().union(*spoken.values())
        for _, path in self.files(NodeAlias):
            names.update(pl.read_parquet(path, columns=["node"])["node"].drop_nulls().unique().to_list())
        silent = {artifact: self.paths[artifact] for artifact, nodes in spoken.items() if not nodes}
        return nodes_of_paths(silent, names, (path for artifact, path in self.paths.items() if artifact not in silent))

    @cached_property
    def _repeated(self) -> dict[int, list[tuple[int, int]]]:
        ranges: dict[int, list[tuple[int, int]]] = {}
        for source, path in self.files(Repeat):
            rows = pl.read_parquet(path, columns=["line", "last_line"]).iter_rows()
            ranges.setdefault(source.artifact, []).extend((first, last) for first, last in rows)
        return ranges
