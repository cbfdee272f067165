"""How ``vxfsstat`` was called, and the header line of its samples; no parser of its own.

    16:20:31.207 Tue 03 Mar 2031 04:20:31 PM CET -- delta (10.000 sec sample)
    09:02:11.040 Mon Jun 11 09:02:11 2012 -- absolute sample
    09:02:11.040 Mon Jun 11 2012 -- absolute sample

The stamp is the end of the interval. Only the leading 24-hour clock gives the time of day: the date text follows the
locale. Layouts of Linux, Solaris and HP-UX. Any other date text leaves the date unknown.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from parsers.dataclass import dataclass
from parsers.grammars.cells import is_whole
from parsers.headings.paths import normal_mount
from parsers.headings.transcript import Command
from parsers.times.clock import MONTH_NUMBERS, Instant, time_of_day, wall, zone_offset

HEADER: Final = (
    r"\d{1,2}:\d\d:\d\d\.\d{3}\s{1,8}(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\s{1,4}\S"
    r"|\S.{4,80}?\s--\s{1,4}(?:absolute|delta))"
)
_STAMP = re.compile(
    r"(\d{1,2}:\d\d:\d\d\.\d{3})\s{1,8}(\S.{4,80}?)\s{1,8}--\s{1,8}(?:(absolute)\s{1,8}sample"
    r"|delta\s{1,8}\((\d{1,9}(?:\.\d{1,9})?)\s{1,4}sec(?:\s{1,4}sample\))?)"
)
_STAMP_START = re.compile(HEADER)
_DAY_FIRST = re.compile(r"\b(\d{1,2})[ -]{1,3}([A-Z][a-z]{2})[ -]{1,3}(\d{4})\b")
_MONTH_FIRST = re.compile(r"\b([A-Z][a-z]{2}) {1,3}(\d{1,2}),? {1,3}(?:[A-Z]{2,5} )?(\d{4})\b")
_ISO_DATE = re.compile(r"\b(\d{4})[-/](\d\d)[-/](\d\d)\b")
_SECOND_CLOCK = re.compile(r"\b(\d{1,2}:\d\d:\d\d)(?: ([AP]M))?")
_ZONE = re.compile(r" ([A-Z]{2,5}|[+-]\d{4})(?: \d{4})?$")
_HALF_DAY_US: Final = 43_200_000_000
_CLOCK_SLACK_US: Final = 2_000_000  # the two clocks are read one after the other


@dataclass(frozen=True, slots=True)
class Stamp:
    """A sample header. ``interval_s`` is None for an absolute sample; ``second_clock`` is the other clock where it
    disagrees.
    """

    instant: Instant
    interval_s: float | None
    second_clock: str
    length: int

    @property
    def is_delta(self) -> bool:
        """Whether the rows are differences."""
        return self.interval_s is not None


def looks_like_stamp(text: str) -> bool:
    """Whether a line begins as a header does, whole or not."""
    return _STAMP_START.match(text) is not None


def match_stamp(text: str) -> Stamp | None:
    """The header at the start of a text; None where it is damaged."""
    match = _STAMP.match(text)
    if match is None or (tod := time_of_day(match[1])) is None:
        return None
    interval_s = None if match[3] else float(match[4])
    if interval_s == 0:
        return None
    words, second_clock = match[2], ""
    if clock := _SECOND_CLOCK.search(words):
        words = words[: clock.start()] + words[clock.end() :]
        second_clock = "" if _agrees(clock, tod) else clock[0]
    day_us, zone = _calendar(words)
    instant = Instant(
        tod if day_us is None else day_us + tod, zone_offset(zone), zone if zone and zone[0].isalpha() else None, 1_000
    )
    return Stamp(instant, interval_s, second_clock, match.end())


def _agrees(clock: re.Match[str], tod: int) -> bool:
    """Whether the clock inside the date text says the same as the leading one."""
    other = time_of_day(clock[1])
    if other is None:
        return False
    if clock[2]:
        other = other % _HALF_DAY_US + (_HALF_DAY_US if clock[2] == "PM" else 0)
    return abs(tod - tod % 1_000_000 - other) < _CLOCK_SLACK_US


@lru_cache(maxsize=1024)
def _calendar(words: str) -> tuple[int | None, str | None]:
    """Microseconds of the day and the zone of a date text from which the clock was taken out."""
    zone = _ZONE.search(words)
    day_us = None
    if match := _DAY_FIRST.search(words):
        day_us = wall(int(match[3]), MONTH_NUMBERS.get(match[2], 0), int(match[1]), 0)
    elif match := _MONTH_FIRST.search(words):
        day_us = wall(int(match[3]), MONTH_NUMBERS.get(match[1], 0), int(match[2]), 0)
    elif match := _ISO_DATE.search(words):
        day_us = wall(int(match[1]), int(match[2]), int(match[3]), 0)
    return day_us, zone[1] if zone else None


_REPORTS: Final = "vsgibm"
_WITH_VALUE: Final = "tcewr"
_HIDING: Final = frozenset((
    "grep", "egrep", "fgrep", "zgrep", "rg", "head", "tail", "sed", "awk", "gawk", "nawk", "mawk", "more", "less",
    "cut", "uniq", "sort",
    "perl", "python", "python3",
))  # fmt: skip
_FIELD = re.compile(r"\$(\d{1,2})(?:!=0|>0|!=\"0\")?$")
_SHELL_END: Final = re.compile(r"[;&<>]|\d>")


@dataclass(frozen=True, slots=True)
class Invocation:
    """One call: report letters, mount, what filters did to the rows."""

    reports: str = ""
    mount: str | None = None
    repeats: bool = False
    absolute: bool = False
    filtered: bool = False
    zero_filter: bool = False

    @property
    def source(self) -> str | None:
        """Name of the counter report, where the options leave no doubt."""
        wanted = [letter for letter in self.reports if letter in "vsgm"]
        return f"vxfsstat -{wanted[0]}" if len(wanted) == 1 else None


def parse_invocation(command: Command | None) -> Invocation:
    """Options in any order, the mount before or behind them; nothing where the command is another."""
    if command is None or command.program != "vxfsstat":
        return Invocation()
    options, values, mount = _options(command.args)
    hiding, zero_only = _filters(command.filters, int(values["e"]) if is_whole(values.get("e", "")) else 2)
    return Invocation(
        reports="".join(letter for letter in dict.fromkeys(options) if letter in _REPORTS),
        mount=normal_mount(mount),
        repeats="t" in values and values.get("c") != "1",
        absolute="a" in options,
        filtered=hiding,
        zero_filter=zero_only,
    )


def _options(args: tuple[str, ...]) -> tuple[str, dict[str, str], str | None]:
    letters, values, mount, wanted = "", dict[str, str](), None, ""
    for word in args:
        if _SHELL_END.match(word):
            break
        if wanted:
            values[wanted], wanted = word, ""
        elif word.startswith("-") and len(word) > 1:
            letters, wanted = _cluster(word[1:], letters, values)
        elif mount is None:
            mount = word.rstrip(";&")
    return letters, values, mount


def _cluster(word: str, letters: str, values: dict[str, str]) -> tuple[str, str]:
    """``-bi``, ``-st10``, ``-st`` before its number: letters seen so far, and the option that still wants its value."""
    for index, letter in enumerate(word):
        if letter in _WITH_VALUE:
            if word[index + 1 :]:
                values[letter] = word[index + 1 :]
                return letters, ""
            return letters, letter
        letters += letter
    return letters, ""


def _filters(filters: tuple[str, ...], pairs_per_row: int) -> tuple[bool, bool]:
    """(rows that are missing are unknown, a missing row means that all its counters were zero)."""
    zero_only = False
    for part in filters:
        program = part.split(None, 1)[0].rsplit("/", 1)[-1]
        if program in _HIDING:
            if not _keeps_non_zero(part, pairs_per_row):
                return True, False
            zero_only = True
    return False, zero_only


def _keeps_non_zero(part: str, pairs_per_row: int) -> bool:
    """``awk '$2 != 0 || $4 != 0 {print}'``: drops a row exactly when every value of it is zero."""
    words = part.split(None, 1)
    if len(words) < 2 or not words[0].rsplit("/", 1)[-1].endswith("awk"):
        return False
    program = "".join(words[1].split()).strip("'\"")
    for action in ("{print}", "{print$0}", "{print;}"):
        program = program.removesuffix(action)
    tests = program.removeprefix("(").removesuffix(")").split("||")
    fields = [match[1] for test in tests if (match := _FIELD.match(test.strip("()")))]
    return len(fields) == len(tests) and {int(f) for f in fields} == set(range(2, 2 * pairs_per_row + 1, 2))
