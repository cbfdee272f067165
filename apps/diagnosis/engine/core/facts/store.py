"""Facts on disk: Parquet, a folder per artifact, a file (or several parts) per record type; never changed, only
replaced.
"""

from __future__ import annotations

import os
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import fields
from functools import cached_property
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from types import UnionType
from typing import Any, Final, Literal, NamedTuple, Protocol, Self, TypeVar, get_args, get_origin, get_type_hints

import polars as pl

from apps.diagnosis.engine.core.facts.nodes_by_path import nodes_of_paths, nodes_of_trees, same_host
from apps.diagnosis.engine.core.times.open_years import COLUMNS, lined_up, moved_by, settled, years_to_add
from parsers.dataclass import dataclass
from parsers.output import Block, Columns
from parsers.records import DAY_US, OPEN_YEARS_US, DiskName, NodeAlias, Record, Repeat, Section
from parsers.records.kinds import RECORD_TYPES
from parsers.times.years import is_open

PART_ROWS: Final = 200_000
THREAD_ROWS: Final = 50_000
SCAN_FILES: Final = 64
PACK_FILES: Final = 4_096
SMALL_BYTES: Final = 1 << 20
PACK_BYTES: Final = 4 << 20
"""Of small files that are put together, as they lie on disk: rows take ten times as much."""
HELD_BYTES: Final = 1 << 18
"""Packed facts of one kind that are read once and held: many questions are asked of few rows."""
ROWS_IN_MEMORY: Final = 100_000
GATHERED_ROWS: Final = 500_000
FEW_ROWS: Final = 1_000
"""A kind of record of which a case holds so few is asked as a table: a query costs more than what it looks at."""
PRESENT_MOST: Final = 5_000
"""Values of columns that are kept to answer what no record tells."""
LINES: Final = 1 << 40
"""More than any file has."""
_TYPES: Final[dict[type, pl.DataType]] = {int: pl.Int64(), float: pl.Float64(), str: pl.String(), bool: pl.Boolean()}
_ABOUT_OTHERS: Final = (NodeAlias, DiskName)
_OF_ITSELF: Final = ("member",)
_UNSIGNED: Final = frozenset(("address", "wait_address", "thread", "condvar"))


def _column_type(name: str, hint: Any) -> pl.DataType:
    plain = next(t for t in get_args(hint) if t is not type(None)) if isinstance(hint, UnionType) else hint
    plain = str if get_origin(plain) is Literal else plain
    return pl.UInt64() if plain is int and name in _UNSIGNED else _TYPES[plain]


def _schema(kind: type[Record]) -> dict[str, pl.DataType]:
    hints = get_type_hints(kind)
    return {name: _column_type(name, hints[name]) for name in kind.columns()}


T = TypeVar("T")


class _ByKind(dict[type[Record], T]):
    """What is made of a kind of record when it is first asked for: a text has few of them."""

    def __init__(self, make: Callable[[type[Record]], T]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, kind: type[Record]) -> T:
        made = self[kind] = self._make(kind)
        return made


SCHEMAS: Final = _ByKind(_schema)
NONE: Final = _ByKind(lambda kind: pl.DataFrame(schema={**SCHEMAS[kind], "artifact": pl.Int64()}))
"""No records of a kind, with its columns and ``artifact``."""
_CLASSES: Final = _ByKind(lambda kind: {name: dtype.base_type() for name, dtype in SCHEMAS[kind].items()})
"""The same types by their classes: a column of a few values is made in two thirds of the time that it takes by one's
instance.
"""


ADDED: Final = {
    kind: {field.name: field.default for field in fields(kind) if field.metadata.get("added")} for kind in RECORD_TYPES
}
"""Columns that facts of older releases lack, with what stands for them."""


def _with_added(kind: type[Record], lazy: pl.LazyFrame) -> pl.LazyFrame:
    """The frame with the columns that came to its kind of record after it was written: they are null so far."""
    known = {name: default for name, default in ADDED[kind].items() if default is not None}
    return lazy.with_columns(pl.col(name).fill_null(default) for name, default in known.items()) if known else lazy


def file_stem(kind: type[Record]) -> str:
    """Name of the files of a record type: ``WaiterShape`` gives ``waitershape``."""
    return kind.__name__.lower()


KINDS: Final = {file_stem(kind): kind for kind in RECORD_TYPES}


def part_path(directory: Path, kind: type[Record], number: int) -> Path:
    """Where a part of the records of one kind lies."""
    return directory / f"{file_stem(kind)}-{number:04d}.parquet"


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
        held.append(frame_of(kind, columns))
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
        path, held = part_path(self._directory, kind, part), self._held.pop(kind)
        if sum(frame.height for frame in held) < THREAD_ROWS:
            write_frames(path, held)
            return
        self._wait()
        self._thread = self._thread or ThreadPoolExecutor(1, "facts")
        self._writing = self._thread.submit(write_frames, path, held)

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


def frame_of(kind: type[Record], columns: Columns | Block) -> pl.DataFrame:
    """Columns of a kind of record as a table of its types."""
    if isinstance(columns, pl.DataFrame):
        return columns.select(pl.col(name).cast(dtype, strict=False) for name, dtype in SCHEMAS[kind].items())
    return pl.DataFrame([_column(name, columns[name], dtype) for name, dtype in _CLASSES[kind].items()])


def _column(name: str, values: Sequence[Any], dtype: Any) -> pl.Series:
    try:
        return pl.Series(name, values, dtype, strict=False)
    except UnicodeEncodeError:  # an escape of JSON may spell half a pair of surrogates, which is no character
        return pl.Series(name, [_writable(value) for value in values], dtype, strict=False)


def _writable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    return [_writable(one) for one in value] if isinstance(value, list | tuple) else value


def write_frames(path: Path, frames: list[pl.DataFrame]) -> None:
    """Write tables of one kind to a file."""
    pl.concat(frames).write_parquet(path, compression="zstd", compression_level=1, statistics=True)


@dataclass(frozen=True, slots=True)
class Source:
    """The facts of one artifact: its number in the case, the path shown to people, the folder of its Parquet files;
    None where they lie in a batch.

    ``modified_us``: when the member was last written, UTC, where the archive tells.
    """

    artifact: int
    path: str
    directory: Path | None
    modified_us: int | None = None


class Gathered(Protocol):
    """Facts of many small files together."""

    def rows(self, kind: type[Record]) -> pl.LazyFrame | None:
        """Records of a kind with their ``artifact``; None where there are none."""

    def table(self, kind: type[Record]) -> pl.DataFrame | None:
        """The same where they are held just as they are asked for."""


class FormatRead(NamedTuple):
    """What was read of one format. ``empty``: sections that were read whole and gave nothing. ``own``: lines understood
    of those logs to which somebody here listens.
    """

    name: str
    sections: int
    records: int
    empty: int
    understood: int
    own: int
    unread: int


@dataclass(frozen=True, slots=True)
class Part:
    """Records of one kind: of one large file, or of many small ones. ``artifacts``: those that it may hold rows of.
    ``few``: the same rows as a table, where they are few.
    """

    artifacts: frozenset[int]
    rows: pl.LazyFrame
    few: pl.DataFrame | None = None

    @classmethod
    def of(cls, artifacts: frozenset[int], rows: pl.DataFrame) -> Self:
        """Rows that stay in memory."""
        return cls(artifacts, rows.lazy(), rows if rows.height <= FEW_ROWS else None)


class Facts:
    """All records of a case, read lazily. Lines that repeat earlier lines of the same file are left out.

    Many small files of one kind are put together before anything reads them: no scan is over more than ``SCAN_FILES``.
    """

    def __init__(
        self, sources: Iterable[Source], batches: Sequence[Gathered] = (), *, for_tables: bool = False
    ) -> None:
        """``batches``: facts of small files of the case, with their artifacts, that lie in no folder of their own.
        ``for_tables``: whether rows of all waits are asked for after the diagnosis; they are laid aside then, not
        worked out again.
        """
        self.sources = tuple(sources)
        self.for_tables = for_tables
        self._batches = batches
        self._place = {source.artifact: place for place, source in enumerate(self.sources)}
        self.paths = {source.artifact: source.path for source in self.sources}
        self._parts: dict[type[Record], list[Part]] = {}
        self._has: dict[type[Record], bool] = {}
        self._values_present: dict[tuple[type[Record], tuple[str, ...]], frozenset[tuple[str | None, ...]] | None] = {}
        self._folder: TemporaryDirectory[str] | None = None

    @cached_property
    def _listed(self) -> dict[str, list[tuple[Source, Path]]]:
        """Parts by the stem of their names, in artifact order; each folder is listed once."""
        found: dict[str, list[tuple[Source, Path]]] = defaultdict(list)
        for source in self.sources:
            directory = source.directory
            if directory is None:
                continue
            for name in names_in(directory):
                found[name.rpartition("-")[0]].append((source, directory / name))
        return found

    def files(self, kind: type[Record]) -> list[tuple[Source, Path]]:
        """Files of one record type over all artifacts, in artifact order."""
        return self._listed.get(file_stem(kind), [])

    def has(self, kind: type[Record]) -> bool:
        """Whether any artifact holds such a record."""
        if kind not in self._has:
            self._has[kind] = bool(self.files(kind)) or any(batch.rows(kind) is not None for batch in self._batches)
        return self._has[kind]

    def scan(self, kind: type[Record]) -> pl.LazyFrame:
        """Records of one type with their ``artifact`` column, in artifact and line order of each part."""
        parts = self.parts(kind)
        if not parts:
            return NONE[kind].lazy()
        return parts[0].rows if len(parts) == 1 else pl.concat([part.rows for part in parts])

    def parts(self, kind: type[Record]) -> list[Part]:
        """``scan`` part by part: for record types of which a case may hold millions. The rows of an artifact may be in
        several parts that follow each other; a part of several artifacts holds all rows of each.
        """
        if kind not in self._parts:
            self._parts[kind] = list(self._made(kind))
        return self._parts[kind]

    def frame(self, kind: type[Record]) -> pl.DataFrame:
        """``scan`` collected: for record types of which a case holds few."""
        if not self.has(kind):
            return NONE[kind]
        few = self.few(kind)
        return self.scan(kind).collect() if few is None else few

    def few(self, kind: type[Record]) -> pl.DataFrame | None:
        """Records of one type as they are held, where they are few."""
        parts = self.parts(kind)
        return parts[0].few if len(parts) == 1 else None

    def distinct(self, kind: type[Record], *columns: str) -> Iterable[tuple[Any, ...]]:
        """What stands in some columns, each combination once, in any order."""
        few = self.few(kind)
        if few is None:
            return self.scan(kind).select(*columns).unique().collect().iter_rows()
        return set(zip(*(few[name].to_list() for name in columns), strict=True))

    def texts(self, kind: type[Record], column: str) -> set[str]:
        """What stands in a column of text."""
        return {text for (text,) in self.distinct(kind, column) if text is not None}

    @cached_property
    def formats(self) -> tuple[FormatRead, ...]:
        """Formats that were read, and how much of each: asked once for all who ask for sections by their format."""
        empty = (pl.col("records") == 0) & (pl.col("not_understood") == 0)
        tally = (
            pl.len().cast(pl.Int64).alias("sections"),
            pl.col("records").sum(),
            empty.sum().cast(pl.Int64).alias("empty"),
            pl.col("understood").sum(),
            pl.col("understood").filter(pl.col("foreign").is_null()).sum().alias("own"),
            pl.col("not_understood").sum(),
        )
        if (few := self.few(Section)) is not None:
            return _formats_of(few)
        # Part by part: a case may hold a section for each of a million dumps.
        by_part = [part.rows.group_by("format").agg(*tally).collect() for part in self.parts(Section)]
        summed = pl.concat(by_part).group_by("format").sum() if len(by_part) > 1 else (by_part or [pl.DataFrame()])[0]
        return tuple(FormatRead(*row) for row in sorted(summed.iter_rows()))

    def values_present(self, kind: type[Record], *columns: str) -> frozenset[tuple[str | None, ...]] | None:
        """What some columns of text hold, each combination once; None where these are too many to be kept. Read once:
        whoever asks for what no record tells need not look through all of them.
        """
        if (kind, columns) not in self._values_present:
            self._values_present[kind, columns] = self._combined(kind, columns)
        return self._values_present[kind, columns]

    def _combined(self, kind: type[Record], columns: tuple[str, ...]) -> frozenset[tuple[str | None, ...]] | None:
        if self.few(kind) is not None:
            return frozenset(self.distinct(kind, *columns))
        rows: set[tuple[str | None, ...]] = set()
        for part in self.parts(kind):
            found = part.rows.select(*columns).unique().head(PRESENT_MOST + 1).collect()
            rows.update(found.iter_rows())
            if len(rows) > PRESENT_MOST:
                return None
        return frozenset(rows)

    def _made(self, kind: type[Record]) -> Iterator[Part]:
        files = self.files(kind)
        rows = [found for batch in self._batches if (found := batch.rows(kind)) is not None]
        if not rows:
            yield from self._of_files(kind, files)
            return
        table = self._table(kind)
        if table is not None and self._is_in_order(table):
            yield self._put_apart(kind, table)
            return
        if len(files) > SCAN_FILES:
            small, files = _divided(files)
            rows += [
                _with_added(kind, _read(kind, some)) for pack in _packs(small) for some in _batched(pack, SCAN_FILES)
            ]
        left = deque(files)
        for together in self._gathered(rows):
            yield from self._side_by_side(kind, together, left)
        for one in left:
            yield self._part(kind, [one])

    def _gathered(self, rows: list[pl.LazyFrame]) -> Iterator[pl.DataFrame]:
        """Rows of several files in the order of the sources, in tables that follow each other."""
        place = pl.col("artifact").replace_strict(self._place, return_dtype=pl.Int64())
        if len(rows) == 1:
            yield rows[0].sort(place, maintain_order=True).collect()
            return
        spans = [
            lazy.select(place.min().alias("first"), place.max().alias("last"), pl.len()).collect() for lazy in rows
        ]
        order = sorted(range(len(rows)), key=lambda one: spans[one].row(0))
        held: list[pl.LazyFrame] = []
        height, end = 0, -1
        for one in order:
            first, last, count = spans[one].row(0)
            if held and height >= GATHERED_ROWS and first > end:
                yield pl.concat(held).sort(place, maintain_order=True).collect()
                held, height = [], 0
            held.append(rows[one])
            height, end = height + count, max(end, last)
        yield pl.concat(held).sort(place, maintain_order=True).collect()

    def _side_by_side(
        self, kind: type[Record], together: pl.DataFrame, files: deque[tuple[Source, Path]]
    ) -> Iterator[Part]:
        """Rows of several files, divided where files with a folder of their own come in between, and these."""
        if not files:
            yield self._put_apart(kind, together)
            return
        places = together["artifact"].replace_strict(self._place, return_dtype=pl.Int64())
        begin = 0
        while files and (place := self._place[files[0][0].artifact]) <= places[-1]:
            end = int(places.search_sorted(place))
            if end > begin:
                yield self._put_apart(kind, together[begin:end])
            begin = end
            yield self._part(kind, [files.popleft()])
        yield self._put_apart(kind, together[begin:])

    def _is_in_order(self, table: pl.DataFrame) -> bool:
        """Whether the rows stand in the order of the sources."""
        return all(artifact == place for artifact, place in self._place.items()) and table["artifact"].is_sorted()

    def _put_apart(self, kind: type[Record], rows: pl.DataFrame) -> Part:
        numbers = rows["artifact"]
        artifacts = frozenset((numbers if rows.height <= FEW_ROWS else numbers.unique()).to_list())
        as_written = rows.lazy()
        settled_rows = self._settled(kind, artifacts, as_written)
        rows = rows if settled_rows is as_written else settled_rows.collect()
        return self._held(artifacts, f"{file_stem(kind)}-{numbers[0]}-together", rows)

    def _of_files(self, kind: type[Record], files: list[tuple[Source, Path]]) -> Iterator[Part]:
        if not files:
            return
        if sum(path.stat().st_size for _, path in files) <= HELD_BYTES and len(files) <= SCAN_FILES:
            rows = pl.concat([self._part(kind, [file]).rows for file in files]).collect()
            yield Part.of(frozenset(source.artifact for source, _ in files), rows)
            return
        if len(files) <= SCAN_FILES:
            for source, path in files:
                yield self._part(kind, [(source, path)])
            return
        for is_small, run in groupby(files, key=lambda file: file[1].stat().st_size < SMALL_BYTES):
            if not is_small:
                for one in run:
                    yield self._part(kind, [one])
                continue
            for number, pack in enumerate(_packs(list(run))):
                rows = pl.concat([self._part(kind, some).rows.collect() for some in _batched(pack, SCAN_FILES)])
                artifacts = frozenset(source.artifact for source, _ in pack)
                yield self._held(artifacts, f"{file_stem(kind)}-{pack[0][0].artifact}-{number}", rows)

    def _held(self, artifacts: frozenset[int], name: str, rows: pl.DataFrame) -> Part:
        """What is little stays in memory, the rest goes to a file that ends with these facts."""
        if rows.height <= ROWS_IN_MEMORY:
            return Part.of(artifacts, rows)
        self._folder = self._folder or TemporaryDirectory(prefix="facts-")
        path = Path(self._folder.name) / f"{name}.parquet"
        write_frames(path, [rows])
        return Part(artifacts, pl.scan_parquet(path))

    def _part(self, kind: type[Record], files: Sequence[tuple[Source, Path]]) -> Part:
        artifacts = frozenset(source.artifact for source, _ in files)
        return Part(artifacts, self._settled(kind, artifacts, _with_added(kind, _read(kind, files))))

    def _settled(self, kind: type[Record], artifacts: frozenset[int], lazy: pl.LazyFrame) -> pl.LazyFrame:
        """Rows without those that repeat others, and with the years and nodes that only the case as a whole tells."""
        if not artifacts.isdisjoint(self._repeated.artifacts):
            lazy = lazy.filter(self._repeated.is_first_copy())
        moments = [name for name in COLUMNS if name in SCHEMAS[kind]]
        years = {artifact: self._years_moved[artifact] for artifact in sorted(artifacts & self._years_moved.keys())}
        for added in dict.fromkeys(years.values()) if moments else ():
            own = pl.col("artifact").is_in([artifact for artifact, years_of in years.items() if years_of == added])
            lazy = lazy.with_columns(
                pl.when(own).then(settled(name, added)).otherwise(pl.col(name)).alias(name) for name in moments
            )
        return self._named(kind, artifacts, lazy)

    def _named(self, kind: type[Record], artifacts: frozenset[int], lazy: pl.LazyFrame) -> pl.LazyFrame:
        """Rows whose node the text does not tell, with the one that the path of the file names."""
        if kind in _ABOUT_OTHERS or "node" not in SCHEMAS[kind]:
            return lazy
        names = {artifact: self._node_by_path[artifact] for artifact in artifacts & self._node_by_path.keys()}
        if not names:
            return lazy
        by_path = pl.col("artifact").replace_strict(names, default=None, return_dtype=pl.String())
        # A tool that names no member speaks of the node on which it ran.
        own = [pl.col(name).fill_null(by_path) for name in _OF_ITSELF if name in SCHEMAS[kind]]
        return lazy.with_columns(pl.col("node").fill_null(by_path), *own)

    def _table(self, kind: type[Record]) -> pl.DataFrame | None:
        """Records as they were written, where few files hold them all in memory."""
        if self.files(kind):
            return None
        batches = [batch for batch in self._batches if batch.rows(kind) is not None]
        return batches[0].table(kind) if len(batches) == 1 else None

    def _as_written(self, kind: type[Record], *columns: str) -> set[tuple[Any, ...]] | None:
        """What stands in some columns of few records as they were written, each combination once."""
        table = self._table(kind)
        if table is None or table.height > FEW_ROWS:
            return None
        return set(zip(*(table[name].to_list() for name in columns), strict=True))

    def _gathered_from(self, kind: type[Record], few: Callable[[pl.LazyFrame], pl.LazyFrame]) -> pl.DataFrame:
        """What is gathered from the records as they were written, some files at a time: there may be a section for each
        of a million dumps.
        """
        files = self.files(kind)
        rows = [_read(kind, some) for some in _batched(files, SCAN_FILES)]
        rows += [found for batch in self._batches if (found := batch.rows(kind)) is not None]
        return pl.concat([few(lazy).collect() for lazy in rows] or [few(NONE[kind].lazy()).collect()])

    @cached_property
    def years_added(self) -> dict[int, int | None]:
        """Artifact -> years to add to its open ones, or None where nothing tells; for logs whose lines have no year."""
        dated, logs = self._spans_of_logs
        written = {source.artifact: source.modified_us for source in self.sources}
        found = {artifact: years_to_add(last, dated, written[artifact]) for artifact, (_, last) in logs.items()}
        if not dated:  # the time of one file tells the year of its log, and that log the year of others
            moved = [
                moved_by(us, years) for artifact, years in found.items() if years is not None for us in logs[artifact]
            ]
            known = [us for us in moved if us is not None]
            if known:
                around = [(min(known), max(known))]
                unknown = [artifact for artifact, years in found.items() if years is None]
                found |= {artifact: years_to_add(logs[artifact][1], around, None) for artifact in unknown}
        return found

    @cached_property
    def _years_moved(self) -> dict[int, int | None]:
        """Artifact -> by how many years its open ones move; None where the time of day alone stays."""
        _, logs = self._spans_of_logs
        still_open = {artifact: logs[artifact] for artifact, years in self.years_added.items() if years is None}
        return self.years_added | (lined_up(still_open) if still_open else {})

    @cached_property
    def _spans_of_logs(self) -> tuple[list[tuple[int, int]], dict[int, tuple[int, int]]]:
        """First and last moment of all that has full dates, and of each log whose lines have no year."""

        def spans(rows: pl.LazyFrame) -> pl.LazyFrame:
            known = rows.filter(pl.col("format") != "unknown", pl.col("at") >= DAY_US)
            is_open = pl.col("at").is_between(*OPEN_YEARS_US, closed="left").alias("is_open")
            last = pl.when(pl.col("last_at") != 0).then("last_at").otherwise("at")
            return known.group_by("artifact", is_open).agg(first=pl.col("at").min(), last=last.max())

        moments = self._as_written(Section, "artifact", "format", "at", "last_at")
        if moments is not None:
            return _spans_of(moments)
        found = self._gathered_from(Section, spans)
        if not found["is_open"].any():
            return [], {}
        dated = found.filter(~pl.col("is_open")).select(pl.col("first").min(), pl.col("last").max()).drop_nulls().rows()
        logs = found.filter("is_open").group_by("artifact").agg(pl.col("first").min(), pl.col("last").max())
        return dated, {
            artifact: (first, last if is_open(last) else first)
            for artifact, first, last in logs.sort("artifact").iter_rows()
        }

    @cached_property
    def _node_by_path(self) -> dict[int, str]:
        """Artifact -> node, for files in which no other node speaks: some sections of a file may name its node, and
        others not.
        """
        spoken: dict[int, set[str]] = {source.artifact: set() for source in self.sources}
        for artifact, node in self._nodes_as_written(Section):
            spoken[artifact].add(node)
        names = set().union(*spoken.values())
        if self.has(NodeAlias):
            names.update(node for _, node in self._nodes_as_written(NodeAlias))
        of_one = {artifact: self.paths[artifact] for artifact, nodes in spoken.items() if len(nodes) < 2}
        named = (path for artifact, path in self.paths.items() if artifact not in of_one)
        trees = nodes_of_trees({one: self.paths[one] for one in spoken}, spoken)
        found = trees | nodes_of_paths(of_one, names, named)
        return {
            artifact: next(iter(spoken[artifact]), node)
            for artifact, node in found.items()
            if all(same_host(node, one) for one in spoken[artifact])
        }

    def _nodes_as_written(self, kind: type[Record]) -> Iterable[tuple[int, str]]:
        few = self._as_written(kind, "artifact", "node")
        if few is None:
            return self._gathered_from(kind, _nodes_by_artifact).iter_rows()
        return ((artifact, node) for artifact, node in few if node is not None)

    @cached_property
    def _repeated(self) -> _Repeated:
        if not self.has(Repeat):
            return _Repeated.of(NONE[Repeat])
        return _Repeated.of(self._gathered_from(Repeat, lambda rows: rows.select("artifact", "line", "last_line")))


def _formats_of(sections: pl.DataFrame) -> tuple[FormatRead, ...]:
    """``Facts.formats`` of few sections, without a query: nearly every case is of some files."""
    columns = ("format", "records", "understood", "foreign", "not_understood")
    found: dict[str, FormatRead] = {}
    for name, records, understood, foreign, unread in zip(*(sections[one].to_list() for one in columns), strict=True):
        was = found.get(name) or FormatRead(name, 0, 0, 0, 0, 0, 0)
        found[name] = FormatRead(
            name,
            was.sections + 1,
            was.records + records,
            was.empty + (not records and not unread),
            was.understood + understood,
            was.own + (understood if foreign is None else 0),
            was.unread + unread,
        )
    return tuple(found[name] for name in sorted(found))


def _nodes_by_artifact(rows: pl.LazyFrame) -> pl.LazyFrame:
    return rows.select("artifact", "node").drop_nulls().unique()


def _spans_of(
    sections: Iterable[tuple[int, str | None, int | None, int | None]],
) -> tuple[list[tuple[int, int]], dict[int, tuple[int, int]]]:
    """The same of few sections: artifact, format, first and last moment."""
    dated, logs = list[tuple[int, int]](), dict[int, tuple[int, int]]()
    for artifact, name, at, last_at in sections:
        if name is None or name == "unknown" or at is None or at < DAY_US:
            continue
        last = last_at or at
        if is_open(at):
            first, latest = logs.get(artifact, (at, last))
            logs[artifact] = min(first, at), max(latest, last)
        else:
            dated.append((at, last))
    if not logs:
        return [], {}
    around = [(min(at for at, _ in dated), max(last for _, last in dated))] if dated else []
    return around, {
        artifact: (first, last if is_open(last) else first) for artifact, (first, last) in sorted(logs.items())
    }


@dataclass(frozen=True, slots=True)
class _Repeated:
    """Lines that repeat others, of all files: found for each row by one look into a sorted list, however many they are.
    A line is known by its file and number in one.
    """

    artifacts: frozenset[int]
    firsts: pl.Series
    lasts: pl.Series
    """One more: before all others, a line that is none. Where stretches overlap, the furthest so far."""

    @classmethod
    def of(cls, stretches: pl.DataFrame) -> _Repeated:
        if stretches.is_empty():
            return cls(frozenset(), pl.Series(dtype=pl.Int64()), pl.Series([-1], dtype=pl.Int64()))
        keys = stretches.select("artifact", first=_place_of("line"), last=_place_of("last_line")).sort("first")
        lasts = pl.concat([pl.Series("last", [-1], pl.Int64()), keys["last"].cum_max()])
        return cls(frozenset(keys["artifact"]), keys["first"], lasts)

    def is_first_copy(self) -> pl.Expr:
        """Of rows with ``artifact`` and ``line``."""
        line = _place_of("line")
        return line > pl.lit(self.lasts).gather(pl.lit(self.firsts).search_sorted(line, side="right"))


def _place_of(line: str) -> pl.Expr:
    return pl.col("artifact") * LINES + pl.col(line)


def names_in(directory: Path) -> list[str]:
    """Names of the Parquet files of a folder, sorted; none where it is not there."""
    try:
        with os.scandir(directory) as entries:
            return sorted(entry.name for entry in entries if entry.name.endswith(".parquet"))
    except FileNotFoundError:
        return []


def rows_in(kind: type[Record], paths: list[Path]) -> pl.LazyFrame:
    """Rows of files that hold records of many texts, with their ``artifact``."""
    schema = {**SCHEMAS[kind], "artifact": pl.Int64()}
    return _with_added(kind, pl.scan_parquet(paths, schema=schema, missing_columns="insert", glob=False))


def _read(kind: type[Record], files: Sequence[tuple[Source, Path]]) -> pl.LazyFrame:
    """Rows of some files, with their artifact; a column that they lack is null."""
    paths = [path for _, path in files]
    rows = pl.scan_parquet(
        paths,
        schema=SCHEMAS[kind],
        missing_columns="insert",
        include_file_paths=None if len(files) == 1 else "artifact",
        glob=False,
    )
    if len(files) == 1:
        return rows.with_columns(pl.lit(files[0][0].artifact, pl.Int64()).alias("artifact"))
    numbers = {str(path): source.artifact for source, path in files}
    return rows.with_columns(pl.col("artifact").replace_strict(numbers, return_dtype=pl.Int64()))


def _batched(files: list[tuple[Source, Path]], size: int) -> Iterator[list[tuple[Source, Path]]]:
    for at in range(0, len(files), size):
        yield files[at : at + size]


def _divided(
    files: list[tuple[Source, Path]],
) -> tuple[list[tuple[Source, Path]], list[tuple[Source, Path]]]:
    """Files of sources that have small ones only, and the others."""
    large = {source.artifact for source, path in files if path.stat().st_size >= SMALL_BYTES}
    small = [file for file in files if file[0].artifact not in large]
    return small, [file for file in files if file[0].artifact in large]


def _packs(files: list[tuple[Source, Path]]) -> Iterator[list[tuple[Source, Path]]]:
    """Small files in packs; the parts of an artifact stay together."""
    pack: list[tuple[Source, Path]] = []
    size = 0
    for _, own in groupby(files, key=lambda file: file[0].artifact):
        more = list(own)
        grown = size + sum(path.stat().st_size for _, path in more)
        if pack and (len(pack) >= PACK_FILES or grown > PACK_BYTES):
            yield pack
            pack, grown = [], grown - size
        pack += more
        size = grown
    if pack:
        yield pack
