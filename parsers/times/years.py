"""Dates that are printed without a year (``Mar  5 10:00:00``): the year from what the text itself tells, or left open.

A log is written forward, so the date at which its text was taken (a date line above it, the date in its name) is not
before any of its lines: the last year in which the line is not younger. From one line to the next the year changes
where December turns into January.

Where the text tells no year it is left open: the moment is put into the years from ``OPEN_YEAR`` on, in which no
cluster ran, so that order and distance inside the log hold; whoever joins the files of a case fills the year in
(``is_open``). Today's date never counts, and the time of the file alone does not either: a bundle that is packed again
carries the day of packing.
"""

from __future__ import annotations

from typing import Final

from parsers.records import DAY_US, OPEN_YEARS_US
from parsers.times.clock import MONTH_NUMBERS, time_of_day, wall

LATER_US: Final = DAY_US  # a clock may run ahead, and a zone lies in between
HALF_YEAR: Final = 6
OPEN_YEAR: Final = 1976  # a leap year, amid the open years
CarriedYears = tuple[int | None, tuple[int, int], int | None, int | None, int]


def is_open(us: int) -> bool:
    """Whether month, day and time of a moment are known and its year is not."""
    return OPEN_YEARS_US[0] <= us < OPEN_YEARS_US[1]


class Years:
    """Follows the stamps of one log. ``taken_us`` is when its text was taken, None where nothing tells."""

    def __init__(self, taken_us: int | None) -> None:
        self._taken = taken_us if taken_us is not None and taken_us >= DAY_US else None
        self._year: int | None = None
        self._day = (0, 0)
        self._day_us: int | None = None
        self._last_us: int | None = None
        self.repeated_us = 0
        """By how much the last stamp lies before the one above it; an hour of it is the end of summer time, or a clock
        set back.
        """

    @property
    def is_open(self) -> bool:
        """Whether nothing tells the year."""
        return self._taken is None

    @property
    def carried(self) -> CarriedYears:
        """What the stamps so far told."""
        return self._year, self._day, self._day_us, self._last_us, self.repeated_us

    @carried.setter
    def carried(self, value: CarriedYears) -> None:
        self._year, self._day, self._day_us, self._last_us, self.repeated_us = value

    def wall(self, month: int, day: int, tod_us: int) -> int | None:
        """The wall clock of a stamp, with an open year where it is not known; None for a day that no calendar has."""
        if (month, day) != self._day:
            self._turn(month, day, tod_us)
        us = None if self._day_us is None else self._day_us + tod_us
        self.repeated_us = max(0, self._last_us - us) if us is not None and self._last_us is not None else 0
        self._last_us = us if us is not None else self._last_us
        return us

    def stamp(self, month: str, day: str, clock: str) -> int | None:
        """The wall clock of ``Mar``, ``5``, ``10:00:00``; the time of day alone where no calendar has such a day."""
        tod = time_of_day(clock)
        number = MONTH_NUMBERS.get(month)
        if tod is None or number is None:
            return tod
        us = self.wall(number, int(day), tod)
        return tod if us is None else us

    def _turn(self, month: int, day: int, tod_us: int) -> None:
        if self._year is None:
            self._year = self._first_year(month, day, tod_us)
        elif self._day[0] - month >= HALF_YEAR:
            self._year += 1
        elif month - self._day[0] >= HALF_YEAR:
            self._year -= 1  # an older log was put behind a younger one
        self._day = (month, day)
        self._day_us = wall(self._year, month, day, 0)
        if self._taken is None and self._day_us is not None and not is_open(self._day_us):
            self._day_us = None

    def _first_year(self, month: int, day: int, tod_us: int) -> int:
        if self._taken is None:
            return OPEN_YEAR - (month > HALF_YEAR)  # the 29th of February behind a turn of the year is in a leap year
        year = 1971 + self._taken // (365 * DAY_US)  # at most one too many
        for candidate in range(year, year - 6, -1):  # the 29th of February may be four years back
            us = wall(candidate, month, day, tod_us)
            if us is not None and us <= self._taken + LATER_US:
                return candidate
        return year - 1
