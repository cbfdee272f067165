"""Sizes and times of I/O over the case, per node: single requests and intervals of tools, put together to a few
thousand moments.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.facts.records import Records
from parsers.records import DiskIo

MOMENTS: Final = 4000
LEAST_WIDTH_US: Final = 100_000
COLUMNS: Final = ("node", "at", "device", "source", "op", "artifact", "line")


def io_view(case: Case) -> pl.DataFrame:
    """A row for each node and moment: the slowest with its line, the largest, and what the means are made of.

    Counts since the start have no moment and are left out.
    """
    records = case.get(Records)
    if not records.has(DiskIo):
        return pl.DataFrame()
    single = pl.col("interval_s").is_null() & (pl.col("count") == 1) & ~pl.col("per_s")
    wanted = pl.col("at").is_not_null() & pl.col("mean_ms").is_not_null() & (pl.col("count") > 0)
    rows = records.scan(DiskIo).filter(wanted & (single | pl.col("interval_s").is_not_null()))
    requests = (
        pl.when(pl.col("per_s")).then(pl.col("count") * pl.col("interval_s").fill_null(1)).otherwise(pl.col("count"))
    )
    sized = pl.col("bytes") / pl.col("count")
    found = rows.select(*COLUMNS, "mean_ms", requests.alias("requests"), sized.alias("size")).collect()
    return found if found.is_empty() else _by_moment(found)


def _by_moment(rows: pl.DataFrame) -> pl.DataFrame:
    first, last = rows.select(first=pl.col("at").min(), last=pl.col("at").max()).row(0)
    width = max(LEAST_WIDTH_US, (last - first) // MOMENTS)
    weighed = rows.with_columns(
        (pl.col("at") // width * width).alias("moment"),
        (pl.col("mean_ms") * pl.col("requests")).alias("spent_ms"),
        (pl.col("size") * pl.col("requests")).alias("moved"),
        pl.when(pl.col("size").is_not_null()).then(pl.col("requests")).alias("sized"),
    )
    slowest = weighed.sort("mean_ms", "artifact", "line", descending=[True, False, False])
    return (
        slowest.group_by("node", "moment", maintain_order=True)
        .agg(
            pl.col("mean_ms").first().alias("worst_ms"),
            pl.col("device", "source", "op", "artifact", "line").first(),
            pl.col("size").max().alias("largest"),
            pl.col("requests", "spent_ms", "moved", "sized").sum(),
        )
        .rename({"moment": "at"})
        .sort("at", "node")
    )
