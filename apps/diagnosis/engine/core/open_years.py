"""The year of a log whose lines have none (``Mar  5 10:00:00``), from the other files of the case, else from the time
of the file.

Other files of the case come first: they were taken for the same incident, so the log ends within weeks of them. The
time of a member of an archive counts only where the log ends shortly before it: a bundle that is packed anew carries
the day of packing. Where neither tells, the date is dropped and the time of day stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

import polars as pl

from parsers.records import DAY_US, OPEN_YEARS_US
from parsers.years import OPEN_YEAR

NEAR_US: Final = 45 * DAY_US
AHEAD_US: Final = 2 * DAY_US  # zones, and a clock that runs ahead
_LATEST_YEAR: Final = 2100
_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001  the clock as printed, its zone is separate
COLUMNS: Final = ("at", "last_at", "since")


def years_to_add(last_us: int, dated: Sequence[tuple[int, int]], modified_us: int | None) -> int | None:
    """Years between the open year of a log and its own; None where nothing tells.

    ``last_us``: its last moment in open years; ``dated``: first and last moment of other files, with full dates.
    """
    if dated:
        first, last = min(start for start, _ in dated), max(end for _, end in dated)
        near = _nearest(last_us, first, last)
        if near is not None:
            return near
    if modified_us is None:
        return None
    years = _nearest(last_us, modified_us - NEAR_US, modified_us)
    moved = None if years is None else moved_by(last_us, years)
    return years if moved is not None and modified_us - NEAR_US <= moved <= modified_us + AHEAD_US else None


def _nearest(last_us: int, first: int, last: int) -> int | None:
    """The shift that brings a moment nearest to a window, if nearer than ``NEAR_US``."""
    about = 1970 + last // (365 * DAY_US) - OPEN_YEAR
    found: list[tuple[int, int]] = []
    for years in range(about - 6, about + 6):
        moved = moved_by(last_us, years)
        if moved is not None:
            found.append((max(0, first - moved, moved - last), years))
    away, years = min(found, default=(NEAR_US + 1, 0))
    return years if away <= NEAR_US else None


def moved_by(us: int, years: int) -> int | None:
    """The same day and time some years on; None where that year has no such day."""
    at = _EPOCH + timedelta(microseconds=us)
    try:
        moved = at.replace(year=at.year + years)
    except ValueError:
        return None
    return (moved - _EPOCH) // timedelta(microseconds=1) if moved.year <= _LATEST_YEAR else None


def is_open_year(us: int) -> bool:
    """Whether a moment is one whose year is unknown."""
    first, end = OPEN_YEARS_US
    return first <= us < end


def settled(column: str, years: int | None) -> pl.Expr:
    """A column of moments with its open years filled in, or cut down to times of day."""
    at = pl.col(column)
    whole = at % DAY_US if years is None else at.cast(pl.Datetime("us")).dt.offset_by(f"{years}y").cast(pl.Int64)
    return pl.when(at.is_between(*OPEN_YEARS_US, closed="left")).then(whole).otherwise(at).alias(column)
