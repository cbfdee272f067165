"""Texts of Scale waiters, one table per case: each distinct text is classified once and has one number over
all files.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import polars as pl

from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.words.wait_kinds import Classification, fold
from apps.diagnosis.engine.scale.taxonomy import Taxonomy
from parsers.dataclass import dataclass
from parsers.records.waits import WaiterShape

UNREAD: Final = WaiterShape()
_TEXT: Final = ("thread", "wait_kind", "wait_name", "reason", "aux", "rpc", "target", "object", "long", "complete")
WHOLE, LOGGED, PARTIAL = range(3)  # how much of a node's waiters an output shows
_PARTIAL_STYLES: Final = ("deadlock", "note")


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A distinct text: what all its waiters print. ``by_age`` is its kind, which may depend on the age of the wait."""

    number: int
    shape: WaiterShape
    by_age: Classification

    def at(self, seconds: float | None) -> Classification:
        """Kind and category of a wait of this age."""
        return self.by_age.at(seconds)


class ShapeTable:
    """``texts`` by number, ``numbers`` finds them. Number 0 is a waiter whose text was not kept.

    ``wording`` gives for each text the one that stands for all with the same letters.
    """

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._first: dict[int, int] = {}
        self.wording: npt.NDArray[np.int32] = np.zeros(1, np.int32)
        self._lookup: npt.NDArray[np.int32] = np.zeros(1, np.int32)
        self._share: npt.NDArray[np.int8] = np.zeros(1, np.int8)
        self.texts: list[Text] = [Text(number=0, shape=UNREAD, by_age=Taxonomy.load().classified(UNREAD))]
        self._read()

    def _read(self) -> None:
        rows = self._facts.frame(WaiterShape)
        if rows.is_empty():
            return
        rows = rows.with_columns(
            ignored=pl.col("monitored").eq_missing(pl.lit(value=False)),
            delays=pl.col("delay_s").is_not_null(),
        )
        same = [*_TEXT, "ignored", "delays"]
        distinct = rows.unique(same, keep="first", maintain_order=True)
        self._classify(distinct)
        self._fold(rows.group_by(same, maintain_order=True).len()["len"].to_list())
        numbered = distinct.select(*same, pl.int_range(1, pl.len() + 1, dtype=pl.Int32).alias("number"))
        rows = rows.select("artifact", "shape", "style", "monitored", *same).join(
            numbered, on=same, how="left", nulls_equal=True
        )
        self._index(rows)

    def _classify(self, distinct: pl.DataFrame) -> None:
        """Target and number of the device do not matter to the kind, so texts that differ in them alone are classified
        once.
        """
        known: dict[tuple[Any, ...], Classification] = {}
        taxonomy = Taxonomy.load()
        for number, row in enumerate(distinct.select(WaiterShape.columns()).to_dicts(), start=1):
            shape = WaiterShape(**row)
            key = (
                shape.thread,
                shape.wait_kind,
                shape.wait_name,
                shape.reason,
                shape.aux,
                shape.rpc,
                shape.target is None,
                _device(shape.object),
                shape.long,
                shape.complete,
                shape.monitored is False,
                shape.delay_s is None,
            )
            found = known.get(key)
            if found is None:
                found = known[key] = taxonomy.classified(shape)
            self.texts.append(Text(number=number, shape=shape, by_age=found))

    def _fold(self, seen: list[int]) -> None:
        """One text for wordings that differ in blanks alone, as wrapped lines leave them: the whole and most frequent
        one.
        """
        best: dict[tuple[Any, ...], tuple[tuple[bool, int, int], int]] = {}
        keys = [_letters(text) for text in self.texts]
        for text, key, times in zip(self.texts[1:], keys[1:], seen, strict=True):
            rank = (text.shape.complete, times, -text.number)
            best[key] = max(best.get(key, (rank, text.number)), (rank, text.number))
        self.wording = np.array([0] + [best[key][1] for key in keys[1:]], np.int32)

    def _index(self, rows: pl.DataFrame) -> None:
        """One array over the shape numbers of all files, file after file."""
        sizes = rows.group_by("artifact").agg(pl.col("shape").max() + 1).sort("artifact")
        offset = 1
        for artifact, size in sizes.iter_rows():
            self._first[artifact] = offset
            offset += size
        self._lookup = np.zeros(offset, np.int32)
        self._share = np.zeros(offset, np.int8)
        first = rows["artifact"].replace_strict(self._first, return_dtype=pl.Int64).to_numpy()
        place = first + rows["shape"].to_numpy()
        self._lookup[place] = rows["number"].to_numpy()
        logged = (pl.col("style") == "new") & pl.col(
            "monitored"
        ).is_null()  # a log prints single waiters, without that word
        share = pl.when(pl.col("style").is_in(_PARTIAL_STYLES)).then(PARTIAL).when(logged).then(LOGGED).otherwise(WHOLE)
        self._share[place] = rows.select(share).to_series().to_numpy()

    def places(self, artifacts: npt.NDArray[np.int64], shapes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Where the shapes of some rows stand in the index; 0 for a shape that no table names."""
        top = max(self._first, default=0) + 1
        first = np.zeros(top + 1, np.int64)
        size = np.zeros(top + 1, np.int64)
        ends = [*list(self._first.values())[1:], len(self._lookup)]
        for (artifact, offset), end in zip(self._first.items(), ends, strict=True):
            first[artifact], size[artifact] = offset, end - offset
        known = np.clip(artifacts, 0, top)
        inside = (shapes >= 0) & (shapes < size[known])
        return np.where(inside, first[known] + shapes, 0)

    def numbers(self, places: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
        """Numbers of the texts."""
        return self._lookup[places]

    def share(self, places: npt.NDArray[np.int64]) -> npt.NDArray[np.int8]:
        """WHOLE, or how far an output shows only some waiters: who is absent there may wait still."""
        return self._share[places]

    @cached_property
    def category(self) -> npt.NDArray[np.int8]:
        """Category of each text by its number; 0 where none is known."""
        return np.array([text.by_age.category or 0 for text in self.texts], np.int8)

    @cached_property
    def older_after_s(self) -> npt.NDArray[np.float64]:
        """Age beyond which a text changes its kind; infinite for most."""
        ages = [text.by_age.later_after_s for text in self.texts]
        return np.array([np.inf if age is None else age for age in ages])


class WaiterTexts:
    """The texts of a case's waiters, classified once."""

    def __init__(self, store: Facts) -> None:
        self._store = store

    @cached_property
    def table(self) -> ShapeTable:
        """All of them."""
        return ShapeTable(self._store)


_folded = lru_cache(maxsize=50_000)(fold)


def _device(name: str | None) -> str | None:
    """``dm-`` for ``dm-17``."""
    return name.rstrip("0123456789") if name is not None and name.startswith(("dm-", "/dev/")) else name


def _letters(text: Text) -> tuple[Any, ...]:
    """What is left of a text when blanks and signs do not count."""
    shape = text.shape
    words = (shape.thread, shape.wait_name, shape.reason, shape.aux, shape.rpc)
    return (
        *(None if part is None else _folded(part) for part in words),
        shape.wait_kind,
        shape.target,
        shape.object,
        shape.long,
        shape.monitored is False,
        shape.delay_s is None,
    )
