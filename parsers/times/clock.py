"""Reading printed times. Nothing is converted: an instant is the wall clock as printed, its zone beside it."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Final

from parsers.dataclass import dataclass
from parsers.records import DAY_US, OPEN_YEARS_US
from parsers.times.local_dates import find_local

_EPOCH: Final = date(1970, 1, 1).toordinal()
MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
MONTH: Final = f"(?:{'|'.join(MONTHS)})"
"""A pattern for one of them."""
MONTH_NUMBERS: Final = {name: number for number, name in enumerate(MONTHS, 1)}

# Abbreviations that mean one offset wherever they are used. EST, CST, IST, BST and the like are ambiguous: kept as
# printed only.
_ZONES: Final = {
    "UTC": 0, "GMT": 0, "Z": 0, "WET": 0, "WEST": 60, "CET": 60, "CEST": 120, "EET": 120, "EEST": 180, "MSK": 180,
    "JST": 540, "KST": 540, "AWST": 480, "ACST": 570, "ACDT": 630, "AEST": 600, "AEDT": 660, "NZST": 720, "NZDT": 780,
    "PST": -480, "PDT": -420, "MDT": -360, "CDT": -300, "EDT": -240, "HKT": 480, "SGT": 480,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Instant:
    """``us``: microseconds of the wall clock (below one day: a time of day without a date)."""

    us: int
    zone_min: int | None = None
    zone_name: str | None = None
    resolution_us: int = 1_000_000

    @property
    def dated(self) -> bool:
        """Whether the date is known."""
        return self.us >= DAY_US


@lru_cache(maxsize=256)
def zone_offset(name: str | None) -> int | None:
    """Minutes from UTC of ``+0100``, ``-06:00``, ``-03`` or an unambiguous abbreviation; None where it is unknown."""
    if not name:
        return None
    if name[0] in "+-" and (digits := name[1:].replace(":", "")).isdigit() and len(digits) in (2, 4):
        minutes = int(digits[:2]) * 60 + int(digits[2:] or 0)
        return minutes if name[0] == "+" else -minutes
    return _ZONES.get(name)


def wall(year: int, month: int, day: int, seconds_us: int) -> int | None:
    """Microseconds of the wall clock of a date and a time of day; None for a date that does not exist."""
    try:
        return (date(year, month, day).toordinal() - _EPOCH) * DAY_US + seconds_us
    except ValueError:
        return None


def time_of_day(text: str) -> int | None:
    """``HH:MM:SS[.fff]`` in microseconds; None where it is no time of day (a leap second counts as the 59th)."""
    match = _TOD.fullmatch(text)
    if match is None:
        return None
    hours, minutes, seconds, fraction = int(match[1]), int(match[2]), int(match[3]), match[4] or ""
    if hours > 23 or minutes > 59 or seconds > 60:
        return None
    return ((hours * 60 + minutes) * 60 + min(seconds, 59)) * 1_000_000 + int(fraction[:6].ljust(6, "0") or 0)


_TOD = re.compile(r"(\d{1,2}):(\d\d):(\d\d)(?:[.,](\d{1,9}))?")
_ISO = re.compile(
    r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})[ T_]{1,2}(\d{1,2}:\d\d:\d\d)(?:[.,](\d{1,9}))? "
    r"?(Z|[+-]\d\d:?\d\d|[A-Z]{3,5})?(?![\w:])"
)
_UNIX = re.compile(
    r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? +)?(?:(\d{1,2})[ -]([A-Z][a-z]{2})|([A-Z][a-z]{2}) "
    r"+(\d{1,2}),?)(?:[ -](\d{4}))?,? +(\d{1,2}:\d\d:\d\d)(?:[.,](\d{1,9}))?(?: ([AP]M))?(?: "
    r"([A-Z]{1,5}|[+-]\d\d:?\d\d))?(?: (\d{4}))?(?![\w:])"
)


_TICKING = re.compile(rb"\d{4}-\d\d-\d\d[_T]\d\d:00:00\.000[+-]\d\d:?\d\d: {1,8}")
_SECONDS = re.compile(r"\d:\d\d:\d\d")


@lru_cache(maxsize=4096)
def find_instant(text: str) -> tuple[Instant, int, int] | None:
    """The first full date and time in a text, with where it stands. A date without a year is no instant."""
    if (match := _ISO.match(text)) is None and _SECONDS.search(text) is None:
        return _from_local(text)
    if match := match or _ISO.search(text):
        found = _from_iso(match)
    elif match := _UNIX.search(text):
        found = _from_unix(match)
    else:
        return _from_local(text)
    return (found, match.start(), match.end()) if found else None


def ticking(stamp: bytes) -> tuple[int, int | None] | None:
    """Moment and zone of ``2031-06-03_22:48:15.207+0200: ``, for lines by the million: what stands in front of the
    minutes and behind the seconds is looked at once for each hour. None for any other form of stamp.
    """
    within, part = _within_hour(stamp[14:20]), stamp[20:23]
    if within is None or not part.isdigit() or (hour := _hour(stamp[:14], stamp[23:])) is None:
        return None
    return hour[0] + within + int(part) * 1_000, hour[1]


@lru_cache(maxsize=4096)
def _within_hour(clock: bytes) -> int | None:
    """Of ``48:15.``."""
    minutes, seconds = clock[:2], clock[3:5]
    if clock[2:] != b":" + seconds + b"." or minutes > b"59" or seconds > b"59" or not (minutes + seconds).isdigit():
        return None
    return (int(minutes) * 60 + int(seconds)) * 1_000_000


@lru_cache(maxsize=4096)
def _hour(begin: bytes, zone: bytes) -> tuple[int, int | None] | None:
    whole = begin + b"00:00.000" + zone
    if _TICKING.fullmatch(whole) is None:
        return None
    found = find_instant(whole.decode("ascii").rstrip(": ").replace("_", " "))
    return (found[0].us, found[0].zone_min) if found else None


def parse_instant(text: str) -> Instant | None:
    """An instant when the whole text is a date and time (``date`` output, ISO forms), else None."""
    stripped = text.strip().strip("[]")
    if not 17 <= len(stripped) <= 48 or (found := find_instant(stripped)) is None:
        return None
    instant, start, end = found
    return instant if start == 0 and end == len(stripped) else None


def _resolution(fraction: str | None) -> int:
    return 10 ** max(0, 6 - len(fraction)) if fraction else 1_000_000


def _from_iso(match: re.Match[str]) -> Instant | None:
    year, month, day, clock, fraction, zone = match.groups()
    hours, minutes, seconds = int(clock[:-6]), int(clock[-5:-3]), int(clock[-2:])
    if hours > 23 or minutes > 59 or seconds > 60 or (midnight := _midnight(year, month, day)) is None:
        return None
    us = midnight + ((hours * 60 + minutes) * 60 + min(seconds, 59)) * 1_000_000
    us += int(fraction[:6].ljust(6, "0")) if fraction else 0
    name = zone if zone and zone[0].isalpha() and zone != "Z" else None
    return Instant(us, zone_offset(zone), name, _resolution(fraction))


@lru_cache(maxsize=1024)
def _midnight(year: str, month: str, day: str) -> int | None:
    """Of a day as printed: lines of a log share few."""
    return wall(int(year), int(month), int(day), 0)


def _from_unix(match: re.Match[str]) -> Instant | None:
    day, month, month2, day2, year, clock, fraction, half, zone, year2 = match.groups()
    number = MONTH_NUMBERS.get((month or month2).capitalize())
    if number is None or not (year or year2):
        return None
    return _printed(int(year or year2), number, int(day or day2), clock, fraction, half, zone)


def _from_local(text: str) -> tuple[Instant, int, int] | None:
    found = find_local(text)
    if found is None or (instant := _printed(*found[:7])) is None:
        return None
    return instant, found.start, found.end


def _printed(
    year: int, month: int, day: int, clock: str, fraction: str | None, half: str | None, zone: str | None
) -> Instant | None:
    """The instant of printed parts; None for a date or a time that does not exist."""
    tod = time_of_day(clock + (f".{fraction}" if fraction else ""))
    if tod is None:
        return None
    if half:
        hours = tod // 3_600_000_000
        tod += ((hours % 12) + (12 if half == "PM" else 0) - hours) * 3_600_000_000
    us = wall(year, month, day, tod)
    name = zone if zone and zone[0].isalpha() and zone != "Z" else None
    return None if us is None else Instant(us, zone_offset(zone), name, _resolution(fraction))


def format_instant(us: int | None, zone_min: int | None = None) -> str | None:
    """RFC 3339 with an offset where the zone is known; ``HH:MM:SS[.fff]`` where the date or its year is not."""
    if us is None:
        return None
    whole, micros = divmod(us, 1_000_000)
    fraction = "" if not micros else f".{micros:06d}" if micros % 1000 else f".{micros // 1000:03d}"
    moment = datetime(1970, 1, 1) + timedelta(seconds=whole)  # noqa: DTZ001  the clock as printed, its zone is separate
    if us < DAY_US or OPEN_YEARS_US[0] <= us < OPEN_YEARS_US[1]:
        return moment.strftime("%H:%M:%S") + fraction
    return moment.strftime("%Y-%m-%dT%H:%M:%S") + fraction + _offset(zone_min)


def _offset(zone_min: int | None) -> str:
    if zone_min is None:
        return ""
    hours, minutes = divmod(abs(zone_min), 60)
    return f"{'-' if zone_min < 0 else '+'}{hours:02d}:{minutes:02d}"
