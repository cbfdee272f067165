"""Times of day beside dated ones, placed on a day: dumps such as ``mmdiag --waiters`` print a clock and no date, and
the logs beside them have one.

The day is that on which the latest of these clocks falls nearest to the dated stretch; of several the last one. It is
inferred: pages say so, and the texts of findings keep the clock as printed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import polars as pl

from parsers.dataclass import dataclass
from parsers.records import DAY_US

MOMENTS: Final = ("at", "start", "end", "first", "last")
"""Columns of instants in the tables of the pages."""


@dataclass(frozen=True, slots=True)
class Placed:
    """Midnight of the day, and the first and last instant that were placed on it."""

    day_us: int
    start: int
    end: int

    def frame(self, rows: pl.DataFrame) -> pl.DataFrame:
        """A table with its times of day on that day."""
        columns = [name for name in MOMENTS if name in rows.columns and rows.schema[name].is_integer()]
        return rows.with_columns(
            pl.when(pl.col(name) < DAY_US).then(pl.col(name) + self.day_us).otherwise(pl.col(name)).alias(name)
            for name in columns
        )


def placed(clocks: Iterable[int | None], start: int | None, end: int | None) -> Placed | None:
    """Of instants of a case and its dated stretch; None where the case has no date, or nothing without one."""
    if start is None or end is None or start < DAY_US:
        return None
    times = [at for at in clocks if at is not None and at < DAY_US]
    if not times:
        return None
    last = max(times)
    days = range(start // DAY_US - 1, end // DAY_US + 2)
    day = min(days, key=lambda one: (_away(one * DAY_US + last, start, end), -one)) * DAY_US
    return Placed(day, day + min(times), day + last)


def _away(at: int, start: int, end: int) -> int:
    return max(0, start - at, at - end)
