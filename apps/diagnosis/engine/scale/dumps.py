"""Dumps of Scale waiters, counted for the timeline."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import polars as pl

from apps.diagnosis.engine.core.dumps import DUMP_SCHEMA
from parsers.records import Waiter

if TYPE_CHECKING:
    from apps.diagnosis.engine.facts import CaseFacts


def dump_frames(case: CaseFacts) -> Iterator[pl.DataFrame]:
    """Dumps file by file, so that memory does not grow with the number of waiters."""
    if not case.facts.has(Waiter):
        return
    base = np.array([text.by_age.category or 0 for text in case.shapes.texts], np.int64)
    counted = zip(case.facts.files(Waiter), case.facts.parts(Waiter), strict=True)
    keys = ["node", "at", "category"]
    for _, parts in groupby(counted, key=lambda pair: pair[0][0].artifact):
        found = pl.concat(_dumps_of(case, part, base) for _, part in parts)
        yield found.group_by(keys).agg(pl.col("waiters").sum(), pl.col("longest_s").max()).cast(DUMP_SCHEMA)


def _dumps_of(case: CaseFacts, part: pl.LazyFrame, base: npt.NDArray[np.int64]) -> pl.DataFrame:
    """Of one part of a file; a dump may go on in the next."""
    rows = part.select("artifact", "node", "at", "shape", "seconds").filter(pl.col("at").is_not_null()).collect()
    places = case.shapes.places(rows["artifact"].to_numpy(), rows["shape"].to_numpy())
    category = pl.Series("category", base[case.shapes.numbers(places)])
    grouped = rows.with_columns(category).group_by("node", "at", "category")
    return grouped.agg(pl.len().alias("waiters"), pl.col("seconds").max().alias("longest_s")).cast(DUMP_SCHEMA)
