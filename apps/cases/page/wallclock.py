"""Times as the customer's nodes printed them: microseconds of a wall clock, shown as they are and never converted."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from parsers.times.years import is_open

DAY_US: Final = 86_400_000_000
# The zone is a vehicle only: nothing is converted, so the printed digits come out again.
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def as_datetime(us: int) -> datetime | None:
    """None beyond what a calendar holds."""
    try:
        return EPOCH + timedelta(microseconds=us)
    except OverflowError:
        return None


def moment_text(us: int | None, zone: str = "") -> str:
    """18 Mar 2027 18:14:02 CET; without the year, or only the time, where the text gave no more; empty where nothing is
    known.
    """
    at = None if us is None else as_datetime(us)
    if us is None or at is None:
        return ""
    clock = f"{at:%H:%M:%S}"
    text = clock if 0 <= us < DAY_US else f"{_date(at)} {clock}"
    return f"{text} {zone}".rstrip()


def day_text(us: int) -> str:
    """18 Mar 2027."""
    at = as_datetime(us)
    return "" if at is None else _date(at)


def stretch_text(start_us: int | None, end_us: int | None, zone: str = "") -> str:
    """18 Mar 2027 18:14:02 – 18:20:11 CET: the date once where both moments share it."""
    if start_us is None or end_us is None or end_us == start_us:
        return moment_text(start_us, zone)
    is_one_day = start_us // DAY_US == end_us // DAY_US
    end = moment_text(end_us % DAY_US if is_one_day else end_us, zone)
    return f"{moment_text(start_us)} – {end}"


def window_text(start_us: int | None, end_us: int | None, zone: str = "") -> tuple[str, str]:
    """Date and times, as two lines of a cell: ("18 Mar 2027", "18:14 – 18:20 CET"); the first is empty where no date is
    known.
    """
    start = None if start_us is None else as_datetime(start_us)
    end = None if end_us is None else as_datetime(end_us)
    if start is None or end is None or end_us is None:
        return "", ""
    has_date = end_us >= DAY_US
    if has_date and start.date() != end.date():
        return f"{_date(start)} {start:%H:%M} –", f"{_date(end)} {end:%H:%M} {zone}".rstrip()
    times = f"{start:%H:%M}" if f"{start:%H:%M}" == f"{end:%H:%M}" else f"{start:%H:%M} – {end:%H:%M}"
    return _date(start) if has_date else "", f"{times} {zone}".rstrip()


def zone_text(name: str, offset_min: int | None) -> str:
    """The zone as printed; else its offset; empty while unknown."""
    if name or offset_min is None:
        return name
    sign = "−" if offset_min < 0 else "+"
    return f"UTC{sign}{abs(offset_min) // 60:02d}:{abs(offset_min) % 60:02d}"


def _date(at: datetime) -> str:
    return f"{at.day} {at:%b}" if is_open((at - EPOCH) // timedelta(microseconds=1)) else f"{at.day} {at:%b %Y}"
