"""Dates that are printed without a year (``Mar  5 10:00:00``): the year from what else is known, or none.

A log is written forward, so the date at which its text was taken (a date line above it, the date in its name, the time of the file) is not
before any of its lines: the last year in which the line is not younger. From one line to the next the year changes where December turns
into January. Where nothing tells a year there is none; it is never taken from today's date.
"""

from __future__ import annotations

from typing import Final

from parsers.clock import wall
from parsers.records import DAY_US

LATER_US: Final = DAY_US  # a clock may run ahead, and a zone lies in between
HALF_YEAR: Final = 6


class Years:
    """Follows the stamps of one log. ``taken_us`` is when its text was taken, None where nothing tells."""

    def __init__(self, taken_us: int | None) -> None:
        self._taken = taken_us
        self._year: int | None = None
        self._month = 0
        self._last_us: int | None = None
        self.repeated_us = 0
        """By how much the last stamp lies before the one above it; an hour of it is the end of summer time, or a clock set back."""

    def wall(self, month: int, day: int, tod_us: int) -> int | None:
        """The wall clock of a stamp; None where its year is not known."""
        if self._taken is None or self._taken < DAY_US:
            return None
        if self._year is None:
            self._year = self._first_year(month, day, tod_us)
        elif self._month - month >= HALF_YEAR:
            self._year += 1
        elif month - self._month >= HALF_YEAR:
            self._year -= 1  # an older log was put behind a younger one
        self._month = month
        us = wall(self._year, month, day, tod_us)
        self.repeated_us = max(0, self._last_us - us) if us is not None and self._last_us is not None else 0
        self._last_us = us if us is not None else self._last_us
        return us

    def _first_year(self, month: int, day: int, tod_us: int) -> int:
        taken = self._taken or 0
        year = 1971 + taken // (365 * DAY_US)  # at most one too many
        for candidate in range(year, year - 6, -1):  # the 29th of February may be four years back
            us = wall(candidate, month, day, tod_us)
            if us is not None and us <= taken + LATER_US:
                return candidate
        return year - 1
