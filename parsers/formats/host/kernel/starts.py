"""When a host was started and stopped: ``last``, ``last -x reboot shutdown``, ``journalctl --list-boots``.

    reboot   system boot  5.14.0-362.8.1.e Tue Mar  5 09:01   still running      -F adds seconds and the year
    root     pts/0        10.1.0.4         Mon Mar  4 18:10 - crash  (14:51)
    shutdown system down  5.14.0-362.8.1.e Sun Mar  3 02:08 - 02:10  (00:02)
    -1 9b1c2d3e4f5061728394a5b6c7d8e9f0 Mon 2024-03-04 17:55:02 CET-Tue 2024-03-05 03:12:02 CET

Yields ``Event``: starts, starts behind a crash, and stops. A start is one behind a crash where the older life below it
ended by none of the stops: a session says so, or it is still running. A life that ended minutes before the next start
ended with a stop: without one ``last`` takes the next start, or a later stop, for its end. Sessions carry no data else.
Tolerated: rows without their end, a list that is cut. Source: last(1) of util-linux and sysvinit, journalctl(1).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records import Event
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line
from parsers.times.clock import find_instant
from parsers.times.years import Years

_WHEN: Final = r"(?:[A-Z][a-z]{2} )?(?P<month>[A-Z][a-z]{2}) {1,2}(?P<day>\d{1,2}) (?P<clock>\d\d:\d\d(?::\d\d)?)"
_BOOT: Final = r"reboot {1,6}system boot\b"
_DOWN: Final = r"(?:shutdown {1,6}system down|runlevel {1,6}\(to lvl [06]\))"
_OTHER: Final = r"(?:runlevel {1,6}\(to lvl \w\)|[wb]tmp\S{0,60} begins )"
_SESSION: Final = r"\S{1,32} {1,20}(?:pts/\d{1,5}|tty\w{1,4}|:\d{1,3}) {1,48}\S"
_ENDED: Final = rf"{_SESSION}.{{0,80}}(?:still logged in|\d\d:\d\d - (?:\d\d:\d\d|down|crash)\b)"
_BOOT_OF_JOURNAL: Final = r"-?\d{1,4} [0-9a-f]{32} [A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\b"
_HEAD_OF_JOURNAL: Final = r"IDX BOOT ID {1,40}FIRST ENTRY"
_OPENS: Final = rf"(?:{_BOOT}|{_DOWN}|{_OTHER}|{_ENDED}|{_BOOT_OF_JOURNAL}|{_HEAD_OF_JOURNAL})"
_CLOCK: Final = re.compile(_WHEN + r"(?: (?P<year>\d{4})\b)?")
_CRASHED: Final = re.compile(r"- crash\b")
_LASTED: Final = re.compile(r"- .{0,30}\((?:(?P<days>\d{1,4})\+)?(?P<hours>\d\d):(?P<minutes>\d\d)\)")
_MINUTE_US: Final = 60_000_000
_APART_US: Final = 2 * _MINUTE_US
"""Stops and starts are told to the minute, and the time between them is cut to it."""


@parser(
    "starts",
    version=1,
    product="",
    claims=_OPENS,
    owns=rf"(?:{_OPENS}|{_SESSION})",
    commands=("last",),
    places=r"^(?:sudo )?last\b",
)
def starts(section: OpenSection, out: Output) -> None:
    """``last``, ``journalctl --list-boots``: starts and stops of a host."""
    years: Years = section.state.setdefault("years", section.years)
    command = section.command
    is_full = command is not None and any(word.startswith("-") and "x" in word for word in command.args)
    younger: tuple[Line, int | None] | None = None
    for line in section:
        text = line.text.strip()
        if re.match(_BOOT_OF_JOURNAL, text):
            found = find_instant(text.split(maxsplit=3)[3])
            _put(section, line, found[0].us if found else None, "system-started", full=False)
        elif re.match(_BOOT, text):
            if younger is not None:
                _put(section, *younger, "system-crashed" if "still running" in text else "system-started", full=is_full)
            began = _moment(years, text)
            _put_end(section, line, began, _lasted_us(text), younger)
            younger = line, began
        elif re.match(_DOWN, text):
            is_full = True
            _put(section, line, _moment(years, text), "system-stopped", full=False)
        elif _CRASHED.search(text) and younger is not None:
            _put(section, *younger, "system-crashed", full=is_full)
            younger = None
        else:
            out.ignore()
    if younger is not None:
        _put(section, *younger, "system-started", full=False)  # nothing tells what was before the oldest one


def _lasted_us(text: str) -> int | None:
    """How long a life of the host was, where its row says when it ended."""
    if (match := _LASTED.search(text)) is None:
        return None
    minutes = (int(match["days"] or 0) * 24 + int(match["hours"])) * 60 + int(match["minutes"])
    return minutes * _MINUTE_US


def _put_end(
    section: OpenSection, line: Line, began: int | None, lasted: int | None, younger: tuple[Line, int | None] | None
) -> None:
    """The stop that ended a life of the host, where the next one began some time later."""
    if began is None or lasted is None or younger is None or younger[1] is None:
        return
    if began + lasted + _APART_US <= younger[1]:
        _put(section, line, began + lasted, "system-stopped", full=False)


def _moment(years: Years, text: str) -> int | None:
    if (match := _CLOCK.search(text)) is None:
        return None
    if match["year"] and (found := find_instant(match[0])) is not None:
        return found[0].us
    clock = match["clock"] if len(match["clock"]) > len("00:00") else f"{match['clock']}:00"
    return years.stamp(match["month"], match["day"], clock)


def _put(section: OpenSection, line: Line, at: int | None, kind: str, *, full: bool) -> None:
    section.add(
        Event,
        line.number,
        at=at,
        source="last",
        kind=kind,
        value=float(full),
        unit="log of programs",
        weight="everyday",
        text=line.text.strip()[:160],
    )
