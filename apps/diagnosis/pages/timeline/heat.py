"""Node by time: how long each node's longest wait had lasted, or how many locks it moved; the worst node first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import polars as pl

from apps.diagnosis.pages.timeline.clock_shift import Shifts, shifted
from apps.diagnosis.pages.timeline.silences import Fold
from apps.web.templatetags.lockscope import amount

HEAT_WAITS: Final = "nodes"
HEAT_LOCKS: Final = "lock-nodes"
UNNAMED: Final = "node unknown"
LEAST_NODES: Final = 2
MOST_NODES: Final = 1_000
MOST_CELLS: Final = 30_000
LEAST_COLUMNS: Final = 24
MOST_COLUMNS: Final = 160
MOST_SPANS: Final = 20_000
"""The longest of each part of the waits: what is left out is shorter than any of them."""
LOCK_COLUMNS: Final = ("h_grant", "h_revoke", "g_grant", "g_revoke", "rw_grant", "rw_revoke")
SECOND_US: Final = 1_000_000
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def longest_spans(parts: Iterable[pl.LazyFrame], start: int, end: int, nodes: frozenset[str] | None) -> pl.DataFrame:
    """(node, start, end) of the longest waits in a window, without those that are meant to be long."""
    harmful = pl.col("category").fill_null(0) != 1
    there = (pl.col("start") <= end) & (pl.col("end") >= start) & harmful
    if nodes is not None:
        there &= pl.col("node").is_in(list(nodes))
    frames = [part.filter(there).select("node", "start", "end").head(MOST_SPANS).collect() for part in parts]
    return pl.concat(frames) if frames else pl.DataFrame(schema={"node": pl.String, "start": pl.Int64, "end": pl.Int64})


def wait_heat(spans: pl.DataFrame, shifts: Shifts, columns: Columns) -> dict[str, Any] | None:
    """The lane of waits: seconds that the longest wait of a node had lasted, by column."""
    spans = shifted(shifted(spans, "start", shifts), "end", shifts)
    names, of_span = _names(spans)
    if len(names) < LEAST_NODES:
        return None
    columns = columns.for_nodes(len(names))
    starts, ends = spans["start"].to_numpy(), spans["end"].to_numpy()
    grid = np.full((len(names), len(columns.starts)), np.nan)
    for column, (begins, until) in enumerate(zip(columns.starts, columns.ends, strict=True)):
        there = (starts < until) & (ends >= begins)
        lasted = (np.minimum(ends[there], until) - starts[there]) / SECOND_US
        np.fmax.at(grid[:, column], of_span[there], lasted)
    return _lane({"id": HEAT_WAITS, "label": "Waits by node", "unit": "s"}, "longest wait", names, grid, columns)


def lock_heat(rows: pl.DataFrame, columns: Columns) -> dict[str, Any] | None:
    """The lane of lock traffic: the most grants and revokes a second of a node, by column."""
    rows = rows.with_columns(pl.sum_horizontal(LOCK_COLUMNS).alias("sum")).filter(pl.col("sum") > 0)
    names, of_row = _names(rows)
    if len(names) < LEAST_NODES:
        return None
    columns = columns.for_nodes(len(names))
    sums, ends = rows["sum"].to_numpy(), rows["at"].to_numpy()
    starts = ends - (rows["interval_s"].to_numpy() * SECOND_US).astype(np.int64)
    grid = np.full((len(names), len(columns.starts)), np.nan)
    for column, (begins, until) in enumerate(zip(columns.starts, columns.ends, strict=True)):
        there = (starts < until) & (ends > begins)
        np.fmax.at(grid[:, column], of_row[there], sums[there])
    of = {"id": HEAT_LOCKS, "label": "Lock traffic by node", "unit": "/s"}
    return _lane(of, "grants and revokes", names, grid, columns)


class Columns:
    """Stretches of equal length over the time that is not folded away; the last before a fold may be shorter."""

    def __init__(self, window: tuple[int, int], folds: tuple[Fold, ...], bucket_us: int) -> None:
        self._window, self._folds = window, folds
        start, end = window
        pieces = []
        for fold in folds:
            pieces.append((start, min(end, max(start, fold["start"]))))
            start = max(start, fold["end"])
        pieces.append((start, max(start, end)))
        self._pieces = [(begins, until) for begins, until in pieces if until > begins]
        self._step = max(1, bucket_us)
        edges = [np.arange(begins, until, self._step, dtype=np.int64) for begins, until in self._pieces]
        ends = [np.minimum(found + self._step, until) for found, (_, until) in zip(edges, self._pieces, strict=True)]
        none: list[Ints] = [np.empty(0, dtype=np.int64)]
        self.starts: Ints = np.concatenate(edges or none)
        self.ends: Ints = np.concatenate(ends or none)

    def for_nodes(self, nodes: int) -> Columns:
        """So few that all cells together can be sent."""
        return self.at_most(max(LEAST_COLUMNS, min(MOST_COLUMNS, MOST_CELLS // nodes)))

    def at_most(self, most: int) -> Columns:
        """The same stretches in no more columns."""
        if len(self.starts) <= most:
            return self
        return Columns(self._window, self._folds, self._step * -(-len(self.starts) // most))


def _names(rows: pl.DataFrame) -> tuple[list[str | None], Ints]:
    """Nodes, and of each row which of them it is of."""
    names = rows["node"].unique(maintain_order=True)
    places = pl.DataFrame({"node": names, "place": np.arange(names.len(), dtype=np.int64)})
    joined = rows.select("node").join(places, on="node", how="left", nulls_equal=True, maintain_order="left")
    return names.to_list(), joined["place"].to_numpy()


def _lane(
    of: dict[str, str], what: str, names: list[str | None], grid: Floats, columns: Columns
) -> dict[str, Any] | None:
    """Rows by their peak, then by their sum; columns without any value are left out."""
    peaks, sums = np.nanmax(grid, axis=1, initial=0.0), np.nansum(grid, axis=1)
    order = sorted(range(len(names)), key=lambda row: (-peaks[row], -sums[row], names[row] or ""))
    shown = [row for row in order if peaks[row] > 0][:MOST_NODES]
    filled = np.flatnonzero(~np.all(np.isnan(grid), axis=0))
    if len(shown) < LEAST_NODES:
        return None
    count = amount(len(shown)) if len(shown) == len(names) else f"{amount(len(shown))} of {amount(len(names))}"
    return {
        **of,
        "kind": "heat",
        "sub": f"{what} \u00b7 {count} nodes, worst first",
        "times": columns.starts[filled].tolist(),
        "ends": columns.ends[filled].tolist(),
        "rows": [
            {"name": names[row] or UNNAMED, "peak": _short(peaks[row]), "values": _values(grid[row, filled])}
            for row in shown
        ],
    }


def _values(row: Floats) -> list[float | None]:
    return [None if np.isnan(value) else _short(value) for value in row.tolist()]


def _short(value: float) -> float:
    """Three digits are enough for a colour."""
    return round(value) if value >= 100 else round(float(value), 1)
