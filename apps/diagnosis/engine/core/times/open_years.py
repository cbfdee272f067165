"""The year of a log whose lines have none (``Mar  5 10:00:00``), from the other files of the case, else from the time
of the file.

Other files of the case come first: they were taken for the same incident, so the log ends within weeks of them. The
time of a member of an archive counts only where the log ends shortly before it: a bundle that is packed again carries
the day of packing. What one file tells by its time counts for the others.

Where neither tells, month and day are still known. Moments of several days stay in the open years, so that order and
distance hold in a log and between logs (``lined_up``); they are shown without a year. Where all are of one day, the
time of day alone stays: it compares with the clocks of outputs that print no date.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import accumulate
from typing import Final

import polars as pl

from parsers.records import DAY_US, OPEN_YEARS_US
from parsers.times.years import OPEN_YEAR, is_open

NEAR_US: Final = 45 * DAY_US
AHEAD_US: Final = 2 * DAY_US  # zones, and a clock that runs ahead
_LATEST_YEAR: Final = 2100
_YEAR_US: Final = 366 * DAY_US
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


def lined_up(spans: Mapping[int, tuple[int, int]]) -> dict[int, int | None]:
    """Artifact -> years by which its open ones move, so that all logs lie in the shortest stretch that may hold them:
    one of the first of January is of the day after one that ends on the 31st of December. None where all are of one
    day, and for a log of so many years that it leaves the open ones. ``spans``: first and last moment of each log.
    """
    years = {artifact: _year_of(first) for artifact, (first, _) in spans.items()}
    begun = {artifact: _in_leap_year(first) for artifact, (first, _) in spans.items()}
    order = sorted(spans, key=lambda one: (begun[one], one))
    ends = [begun[one] + spans[one][1] - spans[one][0] for one in order]
    ends_before = list(accumulate(ends, max, initial=0))
    ends_behind = list(accumulate(reversed(ends), max, initial=0))[::-1]
    stretch = [
        max(ends_behind[at], ends_before[at] + _YEAR_US if at else 0) - begun[one] for at, one in enumerate(order)
    ]
    cut = min(range(len(order)), key=lambda at: (stretch[at], at))
    if begun[order[cut]] // DAY_US == (begun[order[cut]] + stretch[cut]) // DAY_US:
        return dict.fromkeys(order)
    # The 29th of February lies behind a turn of the year that is within the stretch, or there is none.
    first_year = OPEN_YEAR - (begun[order[cut]] + stretch[cut] >= _YEAR_US)
    moves = {one: first_year + (at < cut) - years[one] for at, one in enumerate(order)}
    return {one: by if _stays_open(spans[one], by) else None for one, by in moves.items()}


def _year_of(us: int) -> int:
    return (_EPOCH + timedelta(microseconds=us)).year


def _in_leap_year(us: int) -> int:
    """From the beginning of the year, as if that were a leap year."""
    at = _EPOCH + timedelta(microseconds=us)
    return (at.replace(year=OPEN_YEAR) - _EPOCH.replace(year=OPEN_YEAR)) // timedelta(microseconds=1)


def _stays_open(span: tuple[int, int], years: int) -> bool:
    return all(OPEN_YEARS_US[0] <= us + years * _YEAR_US < OPEN_YEARS_US[1] for us in span)


def known_part(us: int) -> int:
    """How much of a moment is known: 0 the time of day, 1 month and day too, 2 all."""
    return 0 if us < DAY_US else 2 - is_open(us)


def known_part_of(at: pl.Expr) -> pl.Expr:
    """The same of a column."""
    is_yearless = at.is_between(*OPEN_YEARS_US, closed="left")
    return pl.when(at < DAY_US).then(0).when(is_yearless).then(1).otherwise(2)


def apart(one: int, later: int) -> int:
    """Microseconds from one moment to a later one; a time of day may be of the next day."""
    return (later - one) % DAY_US if min(one, later) < DAY_US else abs(later - one)


def settled(column: str, years: int | None) -> pl.Expr:
    """A column of moments with its open years moved, or cut down to times of day."""
    at = pl.col(column)
    whole = at % DAY_US if years is None else at.cast(pl.Datetime("us")).dt.offset_by(f"{years}y").cast(pl.Int64)
    return pl.when(at.is_between(*OPEN_YEARS_US, closed="left")).then(whole).otherwise(at).alias(column)
