"""Numbers and names as they stand in sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from parsers.times.clock import format_instant

_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
THIN_SPACE = "\u2009"
MOST_WORDS: Final = 14
"""Of a sentence at the top of a case."""

_BREAKS: Final = re.compile(r"[\s;|&()<>'\"=]+")


def count(value: float) -> str:
    """A whole number in groups of three."""
    return f"{round(value):,}".replace(",", THIN_SPACE)


def figure(value: float) -> str:
    """Four digits that count, or a whole number in groups of three: ``16.4``, ``0.0021``, ``350 877``."""
    return count(value) if abs(value) >= 1000 else f"{value:.4g}"


def per_s(value: float) -> str:
    """A rate without its unit: whole from ten on, one decimal below."""
    return count(value) if value >= 10 else f"{value:.1f}"


def seconds(value: float) -> str:
    """A duration: ``0.0073 s``, ``28.0 s``, ``2 m 43 s``, ``3 h 05 m``, ``2 d 04 h``."""
    if value < 1:
        return f"{value:.4f} s"
    if value < 120:
        return f"{min(value, 119.9):.1f} s"
    if value < 7200:
        return f"{int(value // 60)} m {int(value % 60):02d} s"
    if value < 172_800:
        return f"{int(value // 3600)} h {int(value % 3600 // 60):02d} m"
    return f"{int(value // 86_400)} d {int(value % 86_400 // 3600):02d} h"


_NUMBERS: Final = (
    "",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)


def time_in_words(value: float) -> str:
    """A length of time that a limit states: ``five minutes``, ``an hour``, ``90 s``."""
    for unit, length in (("hour", 3600), ("minute", 60)):
        number = value / length
        if number == 1:
            return f"{'an' if unit == 'hour' else 'a'} {unit}"
        if number in range(2, len(_NUMBERS)):
            return f"{_NUMBERS[int(number)]} {unit}s"
    return f"{value:g} s"


def span(low: float, high: float) -> str:
    """A range without its unit: ``0.25``, ``41.7 to 50.0``, ``1 200 to 1 500``; one figure where both read the same."""
    one, other = _rough(low), _rough(high)
    return one if one == other else f"{one} to {other}"


def _rough(value: float) -> str:
    return count(value) if value >= 100 else f"{value:.1f}" if value >= 1 else f"{value:.2g}"


def milliseconds(value: float) -> str:
    """A short duration given in ms: ``0.76 ms``, ``12 ms``, ``1.2 s``."""
    return f"{value / 1000:.1f} s" if value >= 1000 else f"{count(value)} ms" if value >= 10 else f"{value:.2f} ms"


def bit_rate(mbit: float) -> str:
    """The speed of a link: ``100 Mb/s``, ``10 Gb/s``."""
    return f"{mbit / 1000:g} Gb/s" if mbit >= 1000 else f"{mbit:g} Mb/s"


def size(value: float) -> str:
    """Bytes as whole KiB from one KiB on: ``4 KiB``, ``512 B``."""
    return f"{int(value) // 1024} KiB" if value >= 1024 else f"{int(value)} B"


def exact_size(value: float) -> str:
    """Bytes: ``8 MiB``, ``64 KiB``, ``1 000 bytes``."""
    if value >= 1 << 20 and value % (1 << 20) == 0:
        return f"{value // (1 << 20):g} MiB"
    return f"{value // 1024:g} KiB" if value % 1024 == 0 else f"{count(value)} bytes"


def gib(value: float) -> str:
    """GiB in the unit that shows something: ``2 235 GiB``, ``1.4 GiB``, ``467 MiB``, ``12 KiB``."""
    if value >= 10 or value == 0:
        return f"{count(value)} GiB"
    if value >= 1:
        return f"{value:.1f}".removesuffix(".0") + " GiB"
    return f"{value * 1024:.0f} MiB" if value * 1024 >= 1 else f"{value * 1024 * 1024:.0f} KiB"


def moment(us: int) -> str:
    """``6 Nov 2024 09:15:11``, or ``09:15:11`` where the date is not known; the clock as printed."""
    day, _, clock = (format_instant(us // 1_000_000 * 1_000_000) or "").rpartition("T")
    if not day:
        return clock
    year, month, date = day.split("-")
    return f"{int(date)} {_MONTHS[int(month) - 1]} {year} {clock}"


def plural(number: int, one: str, many: str | None = None) -> str:
    """``1 waiter``, ``2 waiters``."""
    return f"{count(number)} {one if number == 1 else many or one + 's'}"


def listed(words: Iterable[str], most: int = 4) -> str:
    """``a, b and c``; a long list is cut and says by how much."""
    items = list(words)
    if len(items) > most:
        items = [*items[: most - 1], f"{len(items) - most + 1} more"]
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}" if items else ""


def node_words(nodes: Iterable[str | None]) -> str:
    """Nodes in a sentence."""
    named = sorted({node for node in nodes if node})
    if not named:
        return "an unnamed node"
    return (
        named[0]
        if len(named) == 1
        else f"{', '.join(named[:-1])} and {named[-1]}"
        if len(named) < 6
        else f"{len(named)} nodes"
    )


def process_words(name: str) -> str:
    """``node:pid``; of a node without a name ``pid 4711``."""
    return f"pid {name[1:]}" if name.startswith(":") else name


def percent(share: float) -> str:
    """A share as per cent with as many digits as it needs: ``10.1 %``, ``0.012 %``."""
    value = 100 * share
    if 99.9 <= value < 100:
        return f"{value:.3f}\u00a0%"
    return (
        f"{value:.1f}\u00a0%"
        if value >= 1
        else f"{value:.3f}\u00a0%"
        if value >= 0.001 or value == 0
        else f"{value:.5f}\u00a0%"
    )


def names_path(command: str, mount: str) -> bool:
    """Whether a command names the mount or a path below it: ``/srv/media2`` is not below ``/srv/media``."""
    below = mount.rstrip("/") + "/"
    return any(word == mount or word.startswith(below) for word in _BREAKS.split(command))


_ONE_WORD: Final = (
    re.compile(rf"(?<=\d){THIN_SPACE}(?=\d)"),
    re.compile(rf"(?<=\d){THIN_SPACE}(?=\d)"),
    re.compile(r"\u201c[^\u201d]*\u201d"),  # quoted
    re.compile(rf"\b\d{{1,2}} (?:{'|'.join(_MONTHS)})(?: \d{{4}})?(?: \d\d:\d\d(?::\d\d)?)?"),  # a moment
    re.compile(
        r"\b\d[\d.,\u2009]*[ \u00a0](?:ms|s|m|h|d|%|B|bytes|[KMGT]i?B|[MG]b/s)(?![\w/])(?: \d\d [smh]\b)?"
    ),  # a quantity with its unit
    re.compile(r"(?<=logged first: )\S.*$"),  # what a log says of the cause is quoted, too
    re.compile(r"(?<!\S)\S+ \[\d+\]"),  # a process with its number
    re.compile(r"\(inode \d+\)"),
    re.compile(r"\blink \d+ \([\w.-]+\)"),
    re.compile(r"\b(?:[0-9a-f]{2} ){7}[0-9a-f]{2}\b"),  # the name of a port
    re.compile(r"\b(?:an unnamed node|the file system|[Nn]ode (?:id )?\d+)\b"),  # stands for a name
)
_NAMES: Final = re.compile(r"(?:(?<!\S)[^\s,;:]+, )+(?=[^\s,;:]+ and )")
_ENDS: Final = tuple(
    re.compile(end)
    for end in (
        "; ",
        ", (?=(?:so|which|while|after|since|for|over|as|until|and) )",
        r" (?=\([^()]*\)$)",
    )
)
"""Where a clause begins that a sentence can do without, those that it misses least first."""
LEAST_LEFT: Final = 4


def words(text: str) -> int:
    """Words of a sentence: a name, what is quoted, and a quantity with its unit are one each, and a list of names is
    as long as its last two.
    """
    for one in _ONE_WORD:
        text = one.sub("x", text)
    return sum(any(letter.isalnum() for letter in word) for word in _NAMES.sub("", text).split())


def brief(text: str, most: int = MOST_WORDS) -> str:
    """A sentence without the clauses at its end that make it too long; as it is where nothing would be left of it."""
    while words(text) > most:
        shorter = (text[: found[-1].start()] for end in _ENDS if (found := list(end.finditer(text))))
        text, before = next((one for one in shorter if words(one) >= LEAST_LEFT), text), text
        if text == before:
            break
    return text
