"""Dumps of Scale waiters, counted for the timeline."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import numpy as np
import numpy.typing as npt
import polars as pl

from apps.diagnosis.engine.core.case import Case
from apps.diagnosis.engine.core.dumps import DUMP_SCHEMA
from apps.diagnosis.engine.core.store import Facts
from apps.diagnosis.engine.scale.waiter_texts import ShapeTable, WaiterTexts
from parsers.wait_records import Waiter


def dump_frames(case: Case) -> Iterator[pl.DataFrame]:
    """Dumps part by part, so that memory does not grow with the number of waiters; one that two files of a part hold
    counts once.
    """
    store = case.get(Facts)
    if not store.has(Waiter):
        return
    texts = case.get(WaiterTexts).table
    base = np.array([text.by_age.category or 0 for text in texts.texts], np.int64)
    keys = ["artifact", "node", "at", "category"]
    for _, parts in groupby(store.parts(Waiter), key=lambda part: part.artifacts):
        found = pl.concat(_dumps_of(texts, part.rows, base) for part in parts)
        summed = found.group_by(keys).agg(pl.col("waiters").sum(), pl.col("longest_s").max())
        once = summed.group_by(keys[1:]).agg(pl.col("waiters").max(), pl.col("longest_s").max())
        yield once.cast(DUMP_SCHEMA)


def _dumps_of(texts: ShapeTable, part: pl.LazyFrame, base: npt.NDArray[np.int64]) -> pl.DataFrame:
    """Of one part; a dump may go on in the next."""
    rows = part.select("artifact", "node", "at", "shape", "seconds").filter(pl.col("at").is_not_null()).collect()
    places = texts.places(rows["artifact"].to_numpy(), rows["shape"].to_numpy())
    category = pl.Series("category", base[texts.numbers(places)])
    grouped = rows.with_columns(category).group_by("artifact", "node", "at", "category")
    return grouped.agg(pl.len().alias("waiters"), pl.col("seconds").max().alias("longest_s"))
