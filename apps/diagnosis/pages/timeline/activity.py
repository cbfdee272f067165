"""When any lane shows something, for the silences between."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import polars as pl

from apps.diagnosis.page_table_files import PageTableFiles
from apps.diagnosis.pages.timeline.clock_shift import Shifts, reach, shifted

SCHEMA: Final = {"start": pl.Int64, "end": pl.Int64}
SECOND_US: Final = 1_000_000


def moments(
    tables: PageTableFiles,
    window: tuple[int, int],
    nodes: frozenset[str] | None,
    shifts: Shifts,
    boxes: Iterable[Mapping[str, Any] | None],
    marks: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """Stretches with data (start, end): of the finest rollup, samples of locks, disks and links, and what the lanes of
    boxes hold.
    """
    start, end = window[0] - reach(shifts), window[1] + reach(shifts)
    at, finest = pl.col("at"), tables.rollup(start, end, 0, nodes, by_node=bool(shifts))
    interval = (pl.col("interval_s") * SECOND_US).cast(pl.Int64)
    frames = [
        _stretches(finest, shifts, "bucket_us", pl.col("bucket_us"), pl.col("bucket_us") + pl.col("width_us")),
        _stretches(tables.locks(start, end), shifts, "at", at - interval, at),
        _stretches(tables.links(start, end), shifts, "at", at, at),
        _stretches(tables.io(start, end, nodes), shifts, "at", at, at),
        None if marks is None else marks.select(start="at", end="at").unique(),
        pl.DataFrame([stretch for lane in boxes if lane for stretch in _boxes(lane)], schema=SCHEMA, orient="row"),
    ]
    return pl.concat([frame for frame in frames if frame is not None])


def _stretches(
    rows: pl.DataFrame | None, shifts: Shifts, column: str, start: pl.Expr, end: pl.Expr
) -> pl.DataFrame | None:
    if rows is None or rows.is_empty():
        return None
    return shifted(rows, column, shifts).select(start=start.cast(pl.Int64), end=end.cast(pl.Int64)).unique()


def _boxes(lane: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
    """A flag and a note stand at a moment, whatever stretch they speak of; a run covers its time."""
    for item in lane["items"]:
        start, end = item.get("start", item.get("at")), item.get("end", item.get("at"))
        start, end = (end if start is None else start), (start if end is None else end)
        if start is not None and end is not None:
            yield (start, end) if lane["kind"] == "runs" else (start, start)
