"""The wall clock of a story, printed as the tools print it whatever the locale of this machine is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from parsers.dataclass import dataclass

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(frozen=True, slots=True)
class Clock:
    """Turns seconds since the start of the story into text. ``start`` holds the local time, labelled UTC."""

    start: datetime
    zone: str
    offset: str

    def at(self, s: float) -> datetime:
        return self.start + timedelta(seconds=s)

    def hms(self, s: float) -> str:
        second = self.start.hour * 3600 + self.start.minute * 60 + self.start.second + int(s // 1)
        return f"{second // 3600 % 24:02d}:{second // 60 % 60:02d}:{second % 60:02d}"

    def iso(self, s: float) -> str:
        return f"{self.at(s):%Y-%m-%d}T{self.hms(s)}"

    def date_output(self, s: float) -> str:
        """``date`` in the C locale: ``Tue Feb  4 14:20:00 CET 2025``."""
        now = self.at(s)
        return f"{_DAYS[now.weekday()]} {_MONTHS[now.month - 1]} {now.day:2d} {self.hms(s)} {self.zone} {now.year}"

    def long_date(self, s: float) -> str:
        """Twelve-hour form of an English locale: ``Wed 06 Nov 2024 09:00:10 AM GMT``."""
        now = self.at(s)
        half = "AM" if now.hour < 12 else "PM"
        twelve = (now.hour - 1) % 12 + 1
        day = f"{_DAYS[now.weekday()]} {now.day:02d} {_MONTHS[now.month - 1]} {now.year}"
        return f"{day} {twelve:02d}:{now.minute:02d}:{now.second:02d} {half} {self.zone}"

    def millis(self, s: float) -> str:
        """``09:00:10.412``; ``s`` should be a whole number of milliseconds."""
        now = self.at(s)
        return f"{now:%H:%M:%S}.{now.microsecond // 1000:03d}"

    def syslog(self, s: float) -> str:
        now = self.at(s)
        return f"{_MONTHS[now.month - 1]} {now.day:2d} {self.hms(s)}"

    def epoch(self, s: float) -> int:
        """Seconds since 1970 of that instant, the printed offset taken off."""
        sign = -1 if self.offset[0] == "-" else 1
        minutes = sign * (int(self.offset[1:3]) * 60 + int(self.offset[3:5]))
        return int(self.at(s).timestamp()) - minutes * 60


def clock(text: str, zone: str, offset: str) -> Clock:
    """``clock("2025-02-11T14:20:00", "CET", "+0100")``."""
    return Clock(datetime.fromisoformat(text).replace(tzinfo=UTC), zone, offset)
