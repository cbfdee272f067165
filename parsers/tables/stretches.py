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
from itertools import takewhile
from typing import Final, Generic, TypeVar

from parsers.layouts.flattened import Look
from parsers.layouts.local_forms import ALL_ENGLISH
from parsers.output import Output
from parsers.patterns.digits import ALL_ALIKE
from parsers.sections.open_section import OpenSection
from parsers.text import Line

T = TypeVar("T")
Feed = Callable[[int, str], bool]

_FIRST_WINDOW: Final = 2 << 10  # a stretch may be short: no more is cut into lines than was used before
_LARGEST_WINDOW: Final = 256 << 10
_PLAIN_WINDOW: Final = 4 << 10
LEAST_BYTES: Final = 64 << 10
"""Where less is left, lines are read one by one: a text that somebody pasted may be broken at any column."""
MOST_IN_VAIN: Final = 64
LEAST_ALIKE: Final = 16 << 10
MOST_ALIKE_IN_VAIN: Final = 4_000
_ALIKE_WINDOW: Final = 256
MOST_SHAPES: Final = 4_000
LONGEST_SHAPE: Final = 1_000
_HEX: Final = re.compile(rb'"(?=[a-f]{0,63}0)(?:[0a-f]{8,64}|[0a-f]{8}(?:-[0a-f]{4}){3}-[0a-f]{12})"')
"""A mark in quotes of which no letter says anything, with all digits alike: of a request, or of a part of one."""
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


class PlainRun:
    """Reads runs of lines that nothing could change or claim, wherever many bytes are left; all others go the slow way.

    fits: whether a line, as it stands in the text, is one that cleaning, prefixes and wraps leave as it is and that the
    section owns: nobody else is asked. read: takes number and text of each line of a run.
    """

    def __init__(self, fits: Callable[[str], bool], read: Callable[[int, str], None]) -> None:
        self._fits = fits
        self._read = read
        self._patience = self._wait = 1
        self._look = _PLAIN_WINDOW

    def take(self, section: OpenSection) -> None:
        """Read the lines behind the one that was read last, up to the first that does not fit."""
        self._wait -= 1
        if self._wait > 0:
            return
        before, goes_on = section.line_number, True
        while goes_on and section.source.left >= LEAST_BYTES:
            goes_on = self._take(section)
        self._patience = 1 if section.line_number > before else min(2 * self._patience, MOST_IN_VAIN)
        self._wait = self._patience

    def _take(self, section: OpenSection) -> bool:
        """Read one window; whether all of it was read."""
        source = section.source
        if source.is_prefixed or source.forms is not ALL_ENGLISH or not (data := section.window(self._look)):
            return False
        lines = data.decode("latin-1").split("\n")[:-1]  # a character is a byte
        texts = list(takewhile(self._fits, lines))
        is_whole = len(texts) == len(lines)
        self._look = min(4 * self._look, LEAST_BYTES) if is_whole and texts else _PLAIN_WINDOW
        if not texts:
            return False
        number = section.line_number
        section.take(len(texts), size=sum(map(len, texts)) + len(texts), texts=texts)
        for text in texts:
            number += 1
            self._read(number, text)
        return is_whole


class AlikeRun(Generic[T]):
    """Passes over runs of lines like some that were read, which differ from them in their figures alone and in marks of
    figures and letters, wherever some bytes are left. One for all sections of a text.

    Each of these lines begins an output by itself, and what was read of one does not depend on its figures: ``note_of``
    says so of a line by what is to be kept of its shape, and is None of any other.
    """

    def __init__(self, note_of: Callable[[Line], T | None]) -> None:
        self._note_of = note_of
        self._known: dict[bytes, tuple[T, Look]] = {}
        self._vain = 0
        self._look = _ALIKE_WINDOW

    def take(self, section: OpenSection, line: Line) -> list[tuple[str, T]]:
        """The lines behind the one that was read last, up to the first that is not known, each with what was kept of
        its shape.
        """
        taken: list[tuple[str, T]] = []
        if self._vain < MOST_ALIKE_IN_VAIN and section.source.left >= LEAST_ALIKE and self._is_known(section, line):
            while section.source.left >= LEAST_ALIKE and self._takes(section, taken):
                pass
            self._vain = max(self._vain + 1 - len(taken), 0)
        return taken

    def _is_known(self, section: OpenSection, line: Line) -> bool:
        """Whether the line that was read last is one of them, and known by now."""
        look, text = section.source.look_at(line), line.text
        if look is None or len(text) > LONGEST_SHAPE or not text.isascii():
            return False
        data = text.encode("ascii")
        shape = _shapes(data)[0]
        if shape in self._known:
            return True
        if _UNCLEAN.search(data) is not None or (note := self._note_of(line)) is None:
            return False
        if len(self._known) >= MOST_SHAPES:
            self._known.clear()
        self._known[shape] = note, look
        return True

    def _takes(self, section: OpenSection, taken: list[tuple[str, T]]) -> bool:
        """Take lines of one window; whether all of it was taken."""
        lines = section.window(self._look).split(b"\n")[:-1]
        known: list[tuple[T, Look]] = []
        for shape in _shapes(b"\n".join(lines)):
            if (one := self._known.get(shape)) is None:
                break
            known.append(one)
        count = section.source.goes_on_alike([look for _, look in known])
        is_whole = bool(lines) and count == len(lines)
        self._look = min(4 * self._look, LEAST_BYTES) if is_whole else _ALIKE_WINDOW
        if count:
            texts = [line.decode("ascii") for line in lines[:count]]
            section.take(count, size=sum(map(len, texts)) + count, texts=texts)
            taken += zip(texts, (note for note, _ in known[:count]), strict=True)
        return is_whole


def _shapes(data: bytes) -> list[bytes]:
    """Of some lines, each with its length: all digits alike, and marks without their letters."""
    shapes = _HEX.sub(b'"0"', data.translate(ALL_ALIKE)).split(b"\n")
    return [b"%s%d" % (shape, len(line)) for shape, line in zip(shapes, data.split(b"\n"), strict=True)]
