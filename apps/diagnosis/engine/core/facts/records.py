"""The records of a case by what they mean, each kind read once, whichever tool printed them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

import polars as pl

from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.store import FEW_ROWS, NONE, Facts
from apps.diagnosis.engine.core.words.metrics import Meaning
from parsers.records import Counter, Record, Section
from parsers.records.kinds import BULK
from parsers.records.states import Statement

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)
R = TypeVar("R", bound=Record)
Rows = TypeVar("Rows", pl.LazyFrame, pl.DataFrame)
_PLACE = ("artifact", "line")


def groups(rows: pl.DataFrame, *columns: str) -> Iterator[tuple[tuple[Any, ...], pl.DataFrame]]:
    """Rows by what stands in some columns, in the order of their first rows. Most cases have none, and a query that
    finds nothing costs as much as one of a thousand rows.
    """
    if rows.height:
        yield from rows.group_by(*columns, maintain_order=True)


def grouped(rows: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """Records by what they have in common, in the order of the first of each."""
    found: dict[K, list[T]] = {}
    for one in rows:
        found.setdefault(key(one), []).append(one)
    return found


def cells(rows: pl.DataFrame, *columns: str) -> Iterator[tuple[Any, ...]]:
    """What stands in some columns, row by row, without a query."""
    return zip(*(rows[name].to_list() for name in columns), strict=True)


def picked(rows: pl.DataFrame, wanted: Iterable[bool]) -> pl.DataFrame:
    """Few rows of which it is known one by one whether they are wanted."""
    places = [place for place, is_wanted in enumerate(wanted) if is_wanted]
    if len(places) == rows.height:
        return rows
    return rows[places] if places else rows.clear()


def in_order(rows: pl.DataFrame, *where: pl.Expr) -> pl.DataFrame:
    """Rows that meet all conditions, in the order of the files. Most cases have none to ask for."""
    found = rows.filter(*where) if where and rows.height else rows
    return ordered(found) if found.height <= FEW_ROWS else found.sort(_PLACE, maintain_order=True)


def of_meaning(rows: pl.DataFrame, meaning: Meaning) -> pl.DataFrame:
    """Few rows of one meaning, without a query."""
    known: dict[tuple[Any, ...], bool] = {}
    for values in set(cells(rows, *meaning.columns)):
        known[values] = meaning.is_among((values,))
    return picked(rows, map(known.__getitem__, cells(rows, *meaning.columns)))


def _are_in_order(rows: pl.DataFrame) -> bool:
    """Whether few rows stand in the order of the files already, which is checked sooner than made."""
    if rows.height < 2:
        return True
    places = list(cells(rows, *_PLACE))
    return not any(None in place for place in places) and places == sorted(places)


def ordered(rows: pl.DataFrame) -> pl.DataFrame:
    """Few rows in the order of the files."""
    return rows if _are_in_order(rows) else rows.sort(_PLACE, maintain_order=True)


class Records:
    """Typed reader of the facts of one case: nodes by their canonical names, in the order of artifacts and lines. What
    a text states as it quotes another one comes before what it states itself, wherever the quotation stands.
    """

    def __init__(self, store: Facts, nodes: Nodes) -> None:
        self._store = store
        self._nodes = nodes
        self._held: dict[type[Record], tuple[Any, ...]] = {}
        self._canonical: dict[type[Record], dict[str, dict[str, str]]] = {}
        self._meant: dict[Meaning, bool] = {}
        self._few: dict[type[Record] | Meaning, pl.DataFrame | None] = {}

    def has(self, kind: type[Record] | Meaning) -> bool:
        """Whether any artifact holds such a record; of a meaning: whether one may."""
        if isinstance(kind, Meaning):
            return self._store.has(kind.kind) and self._may_hold(kind)
        return self._store.has(kind)

    def of(self, kind: type[R], *where: pl.Expr) -> tuple[R, ...]:
        """Records of one kind as objects; those that meet all conditions. Without conditions they are read once and
        kept.

        Raises ValueError where all records of a kind are taken of which a case may hold millions: ``frame`` is for
        those.
        """
        if where:
            return self._objects(kind, *where)
        if kind not in self._held:
            if kind in BULK:
                raise ValueError(
                    f"A case may hold millions of {kind.__name__}: read them as a frame, or with a condition."
                )
            self._held[kind] = self._objects(kind)
        return self._held[kind]

    def meant(self, kind: type[R], meaning: Meaning, *where: pl.Expr) -> tuple[R, ...]:
        """Records of one meaning as objects; ``kind`` is that of the meaning. Those that meet all conditions."""
        if not self.has(meaning):
            return ()
        return tuple(kind(**row) for row in self.frame(meaning, *where).iter_rows(named=True))

    def counted(self, metric: Meaning) -> Iterator[tuple[Counter, float]]:
        """Readings of one metric that show a value, with it."""
        for one in self.meant(Counter, metric, pl.col("value").is_not_null()):
            yield one, one.value or 0.0

    def frame(self, kind: type[Record] | Meaning, *where: pl.Expr) -> pl.DataFrame:
        """Records of one kind, or of one meaning, as a table with their ``artifact``; those that meet all
        conditions.
        """
        if not self.has(kind):
            return NONE[kind.kind if isinstance(kind, Meaning) else kind]
        few = self.few(kind)
        if few is not None:
            return few.filter(*where) if where and few.height else few
        rows = self.scan(kind)
        return (rows.filter(*where) if where else rows).sort(_PLACE, maintain_order=True).collect()

    def few(self, kind: type[Record] | Meaning) -> pl.DataFrame | None:
        """All of ``frame`` where it is little, as it is held; None else, and where there are none."""
        if not self.has(kind):
            return None
        if kind not in self._few:
            self._few[kind] = self._in_order(kind)
        return self._few[kind]

    def scan(self, kind: type[Record] | Meaning) -> pl.LazyFrame:
        """The same before it is read, in artifact and line order of each part: for sums over kinds of which there are
        many.
        """
        if isinstance(kind, Meaning):
            return self.scan(kind.kind).filter(kind.rows) if self.has(kind) else NONE[kind.kind].lazy()
        return self._renamed(kind, self._store.scan(kind))

    def _renamed(self, kind: type[Record], rows: Rows) -> Rows:
        changed = self._changed(kind)
        return (
            rows.with_columns(self._nodes.spelt(column, names) for column, names in changed.items())
            if changed
            else rows
        )

    def _in_order(self, kind: type[Record] | Meaning) -> pl.DataFrame | None:
        """All of ``frame``, held where it is little."""
        if isinstance(kind, Meaning):
            of_kind = self.few(kind.kind)
            return None if of_kind is None else of_meaning(of_kind, kind)
        few = self._store.few(kind)
        if few is None:
            return None
        return ordered(self._renamed(kind, few))

    def has_any(self, kind: type[Record], column: str, values: Iterable[str]) -> bool:
        """Whether some record may have one of these values in a column of text."""
        if not self._store.has(kind):
            return False
        present = self._store.values_present(kind, column)
        return present is None or not present.isdisjoint((value,) for value in values)

    def _may_hold(self, meaning: Meaning) -> bool:
        """Whether some record may mean this."""
        if meaning not in self._meant:
            present = self._store.values_present(meaning.kind, *meaning.columns)
            self._meant[meaning] = present is None or meaning.is_among(present)
        return self._meant[meaning]

    def _objects(self, kind: type[R], *where: pl.Expr) -> tuple[R, ...]:
        if not self._store.has(kind):
            return ()
        found = tuple(kind(**row) for row in self.frame(kind, *where).iter_rows(named=True))
        if len(found) < 2 or not issubclass(kind, Statement) or not self._quoted:
            return found
        return tuple(sorted(found, key=lambda row: (row.artifact, -self.depth(row.artifact, row.line))))

    def depth(self, artifact: int, line: int) -> int:
        """How deep a line of an output is quoted."""
        return next((deep for first, last, deep in self._quoted.get(artifact, ()) if first <= line <= last), 0)

    @cached_property
    def _quoted(self) -> Mapping[int, Sequence[tuple[int, int, int]]]:
        """Quoted stretches by text, each with its depth: who answers above a quotation shows what is newer."""
        found = defaultdict[int, list[tuple[int, int, int]]](list)
        if not self._store.has(Section):
            return found
        columns = ("artifact", "line", "last_line", "quoted")
        if (few := self._store.few(Section)) is None:
            few = self._store.scan(Section).filter(pl.col("quoted").is_not_null()).select(*columns).collect()
        for artifact, first, last, deep in cells(few, *columns):
            if deep is not None:
                found[artifact].append((first, last, deep))
        return found

    def _changed(self, kind: type[Record]) -> dict[str, dict[str, str]]:
        """By column: spellings of nodes in records of one kind that are not the canonical ones."""
        if kind not in self._canonical:
            columns = kind.node_columns() if self._store.has(kind) else ()
            changed = {column: self._spelt_otherwise(kind, column) for column in columns}
            some = self._nodes.has_twice_given_ids
            self._canonical[kind] = {column: names for column, names in changed.items() if names or some}
        return self._canonical[kind]

    def _spelt_otherwise(self, kind: type[Record], column: str) -> dict[str, str]:
        names = {text: self._nodes.name(text) for text in self._store.texts(kind, column)}
        return {text: name for text, name in names.items() if name != text}
