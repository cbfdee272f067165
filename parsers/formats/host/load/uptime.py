"""How loaded a host is: ``uptime``, the first line of ``w``, ``/proc/loadavg``.

     18:14:55 up 12 days,  3:11,  2 users,  load average: 14.20, 9.81, 5.02
      6:14pm  up 12 day(s),  3:11,  2 users,  load average: 0.20, 0.15, 0.10           Solaris
    14.20 9.81 5.02 3/412 7312                                                        /proc/loadavg
    root     pts/0    10.20.4.9        17:55    1.00s  0.12s  0.00s w                 w: who is logged in carries no
    data

Yields ``Counter`` (gauge): load average over 1, 5 and 15 minutes, by the same names as ``top``; ``up`` in s;
``tasks running`` and ``tasks`` of ``/proc/loadavg``; ``Event`` of how long it is up, where the day is known. Time: the
clock printed in front, on the day known from above. Tolerated: a decimal comma, cut lines. Source:
uptime(1), w(1) of procps and of Solaris, proc(5).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records import DAY_US, Counter, Event
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.times.clock import Instant, time_of_day

_UP: Final = r"\d{1,2}:\d\d(?::\d\d|[ap]m)? {1,4}up {1,4}\S.{0,120}?load averages?:"
_AVERAGES: Final = r"\d{1,5}\.\d\d \d{1,5}\.\d\d \d{1,5}\.\d\d \d{1,7}/\d{1,8} \d{1,8}$"
_WHO_HEAD: Final = r"(?:USER|User) {1,12}(?:TTY|tty) "
_WHO: Final = r"[\w.+$@\\-]{1,64} {1,20}(?:pts/\d{1,5}|tty\S{1,8}|:\d\S{0,8}|console|system|\?) {1,40}\S"
_LOAD = re.compile(
    r"load averages?: {0,8}(\d{1,6}(?:[.,]\d{1,4})?)(?:, {1,8}| {1,8})(\d{1,6}(?:[.,]\d{1,4})?)(?:, "
    r"{1,8}| {1,8})(\d{1,6}(?:[.,]\d{1,4})?)$"
)
_CLOCK = re.compile(r"(\d{1,2}):(\d\d)(?::(\d\d)|([ap])m)?")
_UP_FOR = re.compile(
    r"\bup {1,4}(?:(\d{1,5}) day(?:s|\(s\))?, {0,4})?(?:(\d{1,2}):(\d\d)|(\d{1,2}) hrs?(?:\(s\))?"
    r"|(\d{1,2}) min(?:\(s\))?s?)?,"
)
_MINUTES: Final = (1, 5, 15)
_NOON: Final = 12


def _owns(text: str, before: str) -> bool:
    stripped = text.strip()
    if re.match(f"{_UP}|{_AVERAGES}", stripped):
        return True
    above = before.strip()
    if re.match(_WHO_HEAD, stripped):
        return re.match(_UP, above) is not None
    return re.match(_WHO, stripped) is not None and re.match(f"{_WHO_HEAD}|{_WHO}", above) is not None


@parser("uptime", version=3, product="", claims=f"{_UP}|{_AVERAGES}", owns=_owns, commands=("uptime", "w"))
def uptime(section: OpenSection, out: Output) -> None:
    """``uptime``, ``w``, ``/proc/loadavg``: load averages."""
    for line in section:
        text = line.text.strip()
        if re.match(_AVERAGES, text):
            _loadavg(section, out, line.number, text.split())
        elif re.match(_UP, text):
            _stamp(section, text)
            _started(section, line.number, text)
            if (match := _LOAD.search(text)) is None:
                out.skip(line, "the load averages are cut")
            else:
                _load(section, out, line.number, match.groups())
        else:
            out.ignore()


def _load(section: OpenSection, out: Output, line: int, figures: tuple[str, ...]) -> None:
    for minutes, figure in zip(_MINUTES, figures, strict=True):
        _count(section, out, line, f"load average {minutes} min", float(figure.replace(",", ".")))


def _loadavg(section: OpenSection, out: Output, line: int, words: list[str]) -> None:
    _load(section, out, line, tuple(words[:3]))
    running, _, tasks = words[3].partition("/")
    _count(section, out, line, "tasks running", float(running))
    _count(section, out, line, "tasks", float(tasks))


def _started(section: OpenSection, line: int, text: str) -> None:
    """How long the system has been up; a start of it too, where the day is known."""
    up = _UP_FOR.search(text)
    if up is None:
        return
    days, hours, minutes, of_hours, of_minutes = (int(part or 0) for part in up.groups())
    seconds = ((days * 24 + hours + of_hours) * 60 + minutes + of_minutes) * 60
    section.add(Counter, line, source="uptime", name="up", kind="gauge", unit="s", value=float(seconds), sample=line)
    if section.at is None or section.at < DAY_US:
        return
    section.add(
        Event,
        line,
        source="uptime",
        kind="system-up",
        value=float(seconds),
        unit="s",
        weight="everyday",
        text=text[:160],
    )


def _count(section: OpenSection, out: Output, line: int, name: str, value: float) -> None:
    section.add(Counter, line, source="uptime", name=name, kind="gauge", value=value, sample=line)


def _stamp(section: OpenSection, text: str) -> None:
    """The clock in front of the line, on the day that is known from above."""
    match = _CLOCK.match(text)
    if match is None:
        return
    hours, minutes, seconds, half = int(match[1]), match[2], match[3], match[4]
    if half:
        hours = hours % _NOON + (_NOON if half == "p" else 0)
    tod = time_of_day(f"{hours}:{minutes}:{seconds or '00'}")
    if tod is None:
        return
    above, exact = section.at, 1_000_000 if seconds else 60_000_000
    day = above // DAY_US * DAY_US if above is not None and above >= DAY_US else 0
    section.stamp(Instant(day + tod, section.zone_min, resolution_us=exact))
