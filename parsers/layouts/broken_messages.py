"""Messages of a log that were broken: what lies between them has no stamp of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import groupby
from typing import Final

from parsers.layouts.broken_lines import (
    NARROWEST,
    NARROWEST_TERMINAL,
    WIDEST_GAP,
    WIDTHS,
    Way,
    begin_alike,
    bounded,
    fills,
    shown,
    widest_of,
)
from parsers.lookup import claimed
from parsers.text import Line

LEAST_RESTS: Final = 2
LEAST_LOGGED: Final = 3
"""Messages with a stamp of their own: what stands between them without one is no message."""
NARROW_GAP: Final = 2
"""Blanks that may stand between two words of a message."""
_LOGGED: Final = re.compile(
    r"[ \t|>#;*/<+-]{0,8}(?:(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"
    r"|\d{4}[-/]\d\d[-/]\d\d[T _]\d\d:\d\d:\d\d"
    r"|\[ {0,5}\d{1,9}\.\d{2,6}\]|(?:time|ts|timestamp|t)=\"?\d)"
)
_TAGGED: Final = re.compile(r"[ \t]{0,8}[A-Za-z][\w./-]{1,60}(?:\[\d{1,10}\])?: \S")
"""A message of a program without its moment: ``mmremote: GPFS is not ready``."""
_LOW: Final = re.compile(r"[ \t]{0,8}[(]?[a-z\u00df-\u00ff]")


def is_logged(text: str) -> bool:
    """Whether a line has a stamp of its own."""
    return _LOGGED.match(text) is not None


def rests_of_messages(lines: Sequence[Line], is_own: Sequence[bool], is_head: Callable[[str], bool]) -> Iterator[Way]:
    """Ways in which what lies between messages of a log is the rest of them, where none of it would have fitted above:
    also what could be a line by itself, such as the frame of a stack; then without it. is_own: which lines have stamps.
    """
    if not any(is_own) or all(is_own):
        return

    @cache
    def begins(at: int) -> bool:
        """Whether it is no message and somebody's by itself, such as a row below the date of its dump."""
        return not is_own[at] and claimed(lines[at].text) is not None

    @cache
    def ends(at: int) -> bool:
        return is_head(lines[at].text)

    def ends_or_begins(at: int) -> bool:
        return ends(at) or begins(at)

    def ends_or_begins_below_none(at: int) -> bool:
        return ends(at) or (begins(at) and not is_own[at - 1]) or _opens_output(lines, at)

    before: dict[int, Line] = {}
    for ending in (ends_or_begins_below_none, ends_or_begins):
        above = _between(lines, is_own, ending)
        if above and above.keys() != before.keys() and (way := _way_of(lines, is_own, above)) is not None:
            yield way
        before = above


def _opens_output(lines: Sequence[Line], at: int) -> bool:
    """Whether a line is the first of an output that goes on below it, and no rest of a message."""
    owner = claimed(lines[at].text)
    if owner is None or owner.priority < 0 or owner.messages or at + 1 == len(lines):
        return False
    below = lines[at + 1].text
    return (
        bool(below) and not is_logged(below) and claimed(below) in (None, owner) and owner.owns(below, lines[at].text)
    )


def _between(lines: Sequence[Line], is_own: Sequence[bool], ending: Callable[[int], bool]) -> dict[int, Line]:
    """The lines that lie between messages up to one that ends them -> the line above each."""
    above: dict[int, Line] = {}
    is_inside = False
    for at, line in enumerate(lines):
        is_inside = bool(line.text) and (is_own[at] or (is_inside and not ending(at)))
        if is_inside and not is_own[at]:
            above[at] = lines[at - 1]
    return above


def _way_of(lines: Sequence[Line], is_own: Sequence[bool], above: dict[int, Line]) -> Way | None:
    """The way in which they are rests; a few messages are enough where their paragraphs are nothing else."""
    is_many = sum(is_own) >= LEAST_LOGGED and len(above) >= LEAST_RESTS
    is_all = _is_all(lines, is_own, above) and not any(
        begin_alike(line.text, lines[at].text, 0) or _TAGGED.match(lines[at].text) for at, line in above.items()
    )
    if not (is_many or is_all):
        return None
    # A line that begins with a small letter right below a long message is the rest of it, whatever the width.
    is_low = all(_LOW.match(lines[at].text) and len(line.text) >= NARROWEST for at, line in above.items())
    widths = (*WIDTHS, widest_of(lines)) if is_many or is_low else WIDTHS
    return _at_an_edge(lines, above) or _at_a_width(lines, above, widths)


def _is_all(lines: Sequence[Line], is_own: Sequence[bool], above: dict[int, Line]) -> bool:
    """Whether paragraphs with a message hold nothing but messages and what may be the rest of one."""
    begin = 0
    for is_filled, paragraph in groupby(lines, key=lambda line: bool(line.text)):
        end = begin + len(list(paragraph))
        places = range(begin, end)
        if is_filled and any(is_own[at] for at in places) and not all(is_own[at] or at in above for at in places):
            return False
        begin = end
    return True


def _at_an_edge(lines: Sequence[Line], above: dict[int, Line]) -> Way | None:
    """Most rests lie below lines that end where the terminal did. above: the line above each of them."""
    edge = max(len(shown(line)) for line in lines)
    at_edge = {at for at, line in above.items() if len(shown(line)) == edge}
    if edge < NARROWEST_TERMINAL or len(at_edge) < LEAST_RESTS or 2 * len(at_edge) <= len(above):
        return None
    return Way(bounded([at in at_edge for at in range(len(lines))]), "")


def _at_a_width(lines: Sequence[Line], above: dict[int, Line], widths: Sequence[int]) -> Way | None:
    """By one of the widths, no rest would have fitted on the line above it."""
    widest = widest_of(lines)
    gaps = {at: WIDEST_GAP if "  " in line.text else NARROW_GAP for at, line in above.items()}
    rows = [at for at in above if gaps[at] == WIDEST_GAP]
    column = max((len(above[at].text) for at in rows), default=0)  # where the cell behind the longest row begins
    gaps |= {at: max(WIDEST_GAP, column + NARROW_GAP - len(above[at].text)) for at in rows}
    for width in widths:
        is_cut = (_is_cut_at(line, lines[at].text, width, gaps[at]) for at, line in above.items())
        if widest <= width and all(is_cut):
            return Way(bounded([at in above for at in range(len(lines))]))
    return None


def _is_cut_at(above: Line, text: str, width: int, gap: int = 1) -> bool:
    """Whether a text would not have fitted above behind a gap, with the mark of a quotation or without it."""
    return fills(above.text, text, width, gap) or fills(above.raw, text, width, gap)
