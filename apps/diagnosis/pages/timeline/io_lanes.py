"""Lanes of disks: how long I/O took and how large it was, out of what the engine put together by moment."""

from __future__ import annotations

from typing import Any, Final

import polars as pl

from apps.diagnosis.page_table_files import PageTableFiles
from apps.diagnosis.pages.timeline.clock_shift import Shifts, reach, shifted

KIB: Final = 1024
TIMES: Final = "io-times"
SIZES: Final = "io-sizes"
IO_LANES: Final = (TIMES, SIZES)


def io_lanes(rows: pl.DataFrame | None, start: int, bucket_us: int) -> list[dict[str, Any]]:
    """Slowest, largest and means; a lane whose files do not say it is left out."""
    if rows is None or rows.is_empty():
        return []
    moments = (
        rows.with_columns(((pl.col("at") - start) // bucket_us).alias("bucket"))
        .group_by("bucket")
        .agg(
            pl.col("at").sort_by("worst_ms").last(),
            pl.col("worst_ms", "largest").max(),
            pl.col("requests", "spent_ms", "moved", "sized").sum(),
        )
        .sort("at")
        .with_columns(
            (pl.col("worst_ms") / 1000).alias("slowest_s"),
            (pl.col("spent_ms") / pl.col("requests") / 1000).alias("mean_s"),
            (pl.col("largest") / KIB).alias("largest_kib"),
            pl.when(pl.col("sized") > 0).then(pl.col("moved") / pl.col("sized") / KIB).alias("mean_kib"),
        )
    )
    buckets = moments["at"].to_list()
    times = _lane(
        TIMES, "I/O times", "of a request, log scale", "s", buckets, moments, ("slowest_s", "mean_s"), "slowest"
    )
    sizes = _lane(
        SIZES, "I/O sizes", "of a request, log scale", "KiB", buckets, moments, ("largest_kib", "mean_kib"), "largest"
    )
    return [{**times, "scale": "log"}, *([{**sizes, "scale": "log"}] if moments["largest"].drop_nulls().len() else [])]


def _lane(
    key: str,
    label: str,
    sub: str,
    unit: str,
    buckets: list[int],
    moments: pl.DataFrame,
    columns: tuple[str, str],
    most: str,
) -> dict[str, Any]:
    series = [
        {
            "key": name,
            "name": words,
            "values": [None if value is None else round(value, 6) for value in moments[column].to_list()],
        }
        for name, words, column in (("max", most, columns[0]), ("mean", "mean", columns[1]))
    ]
    return {"id": key, "kind": "line", "label": label, "sub": sub, "unit": unit, "buckets": buckets, "series": series}


def slowest(tables: PageTableFiles, at: int, shifts: Shifts, most: int) -> list[dict[str, Any]]:
    """The slowest of a moment, for the lines behind a point."""
    more = reach(shifts)
    rows = tables.io(at - more, at + more)
    if rows is None:
        return []
    return (
        shifted(rows, "at", shifts).filter(pl.col("at") == at).sort("worst_ms", descending=True).head(most).to_dicts()
    )


def io_words(row: dict[str, Any]) -> str:
    """What such a line says."""
    what = " ".join(part for part in (row["op"], row["device"]) if part)
    size = "" if row["largest"] is None else f", up to {row['largest'] / KIB:.0f} KiB"
    return f"{row['node'] or 'node unknown'} {what}: {row['worst_ms']:.1f} ms by {row['source']}{size}"
