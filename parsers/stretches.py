"""Tables read line by line at the speed of bulk: clean stretches of a window are fed to a reader without cleaning each
line.

A reader is a function ``(number, text) -> bool``: whether it understood the line. It must take none that another parser
or the structure of a transcript could mean, for inside a stretch nobody else is asked. Blank lines are counted here.
What a reader does not take, and every line with codes, quotes or marks to be cleaned away, goes the slow way through
the section.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from parsers.open_section import OpenSection
from parsers.output import Output

Feed = Callable[[int, str], bool]

_FIRST_WINDOW: Final = 2 << 10  # a stretch may be short: no more is cut into lines than was used before
_LARGEST_WINDOW: Final = 256 << 10
_UNCLEAN: Final = re.compile(rb"[^\t\n -~]|[&<>\\]")
_CLEAN: Final = bytes(char for char in (9, 10, *range(32, 127)) if chr(char) not in "&<>\\")


def read_table(section: OpenSection, out: Output, feed: Feed, reason: str, rest: Feed | None = None) -> None:
    """Feed all lines of a section; what the reader does not take is skipped with the reason. ``rest``: is asked for a
    line that the section owns, when the reader did not take it: it may go on with the one above.
    """
    while True:
        if not section.source.is_prefixed:
            _feed_window(section, feed)
        line = next(iter(section), None)
        if line is None:
            return
        if not feed(line.number, line.text) and (rest is None or not rest(line.number, line.text)):
            out.skip(line, reason)


def _feed_window(section: OpenSection, feed: Feed) -> None:
    limit = _FIRST_WINDOW
    while data := _clean_part(section.window(limit)):
        if _feed_lines(section, data, feed) < len(data):
            return
        limit = min(_LARGEST_WINDOW, limit * 4)


def _clean_part(data: bytes) -> bytes:
    """Whole lines in front of the first one that needs cleaning."""
    if not data.translate(None, _CLEAN):
        return data
    unclean = _UNCLEAN.search(data)
    return data if unclean is None else data[: data.rfind(b"\n", 0, unclean.start()) + 1]


def _feed_lines(section: OpenSection, data: bytes, feed: Feed) -> int:
    """Feed lines until one is not taken; tell how many bytes were used."""
    number = section.line_number
    understood = blank = 0
    above = section.previous
    lines = data.decode("ascii").replace("\t", "        ").split("\n")
    if data.endswith(b"\n"):
        lines.pop()
    for text in lines:
        number += 1
        shown = text.rstrip()
        if not shown:
            blank += 1
            above = f"{above}\n"
        elif feed(number, shown):
            understood += 1
            above = shown
        else:
            break
    used = understood + blank
    if not used:
        return 0
    section.previous = above
    size = len(data) if used == len(lines) else _end_of(data, used)
    section.take(understood, size=size, blank=blank)
    return size


def _end_of(data: bytes, lines: int) -> int:
    """Where so many lines end."""
    at = 0
    for _ in range(lines):
        at = data.find(b"\n", at) + 1
    return at
