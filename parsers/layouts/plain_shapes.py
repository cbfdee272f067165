"""Shapes of lines that reading leaves as they stand: logs repeat few, and what a line of one needs is not asked again.

A line of a shape (its bytes with all digits alike, addresses, and long marks of figures and letters) is known to be
plain once one like it was looked at in every way: nothing stands in front of it, no other line stands in it, and
nothing is cleaned away. That holds as long as the lines above leave things as they were, and only where no digit
decides: not for a number in front, nor for the seconds of an epoch.

What the line alone decides holds for other texts too: a thousand small files of a bundle have the lines of one. Such a
shape is kept with what its look counts to, so that a text reads alike whichever were read before it.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from typing import Final

from parsers.documents.line_marks import quote_marks
from parsers.layouts.flattened import Look
from parsers.patterns.digits import ALL_ALIKE
from parsers.text import Line

LONGEST: Final = 400
MOST: Final = 20_000
"""Shapes that are remembered; then again."""
MOST_STATES: Final = 64
"""What lines above may leave, of which shapes are remembered for other texts; then again."""
MOST_IN_VAIN: Final = 4_000
GAIN: Final = 4
"""A line that is known saves more than one that is not has cost: a text whose lines are all of their own shape, such as
stacks with symbols, is no longer asked for them.
"""
_STARTS: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz[<_ 0123456789")
_NAMES: Final = re.compile(rb"/[A-Za-z]|={2,20} [A-Za-z]")
"""A path, and no mark of a comment; a banner, and no line below a title."""
_QUOTED: Final = re.compile(rb"(?:> ){1,12}(?= {0,16}[A-Za-z0-9_]|/[A-Za-z]|={2,20} [A-Za-z]|\[[A-Za-z_][\w.-]{0,31}@)")
QUOTES: Final = b">"[0]
_PROMPT: Final = re.compile(r"\[[A-Za-z_][\w.-]{0,31}@[A-Za-z][\w.-]{0,62} [^\s\[\]]{1,80}\][#$] [a-z]")
"""What begins with a bracket and opens no list."""
_OF_LINES_AROUND: Final = frozenset(b"[ >=")
"""Beginnings of lines that those above and below decide on: of objects, comments, quotations and titles."""
_ADDRESS: Final = re.compile(rb"0x[0A-Fa-f]+")
_MARK: Final = re.compile(
    rb"(?<![\w+/-])(?:(?=[a-f]{0,40}0)[0a-f]{12,64}|(?<=:)(?=[A-Za-z+/]{0,40}0)[A-Za-z0+/]{43})(?![\w+/-])"
)
"""Of a container, a request or a key, with all digits alike: no letter of it says anything."""
_of_all: Final[dict[Hashable, dict[bytes, Look]]] = {}
"""By what the lines above left: shapes that are plain in every text."""


class PlainShapes:
    """Of one text."""

    def __init__(self) -> None:
        self._known: set[bytes] = set()
        self._state: Hashable = None
        self._vain = 0

    def key_of(self, data: bytes, begin: int, end: int, state: Hashable) -> bytes:
        """What the line between two places is known by; nothing where it can't be plain. state: what the lines above
        left, by which others are plain.
        """
        if not 0 < end - begin <= LONGEST or self._vain > MOST_IN_VAIN:
            return b""
        marks = b""
        if data[begin] not in _STARTS and not _NAMES.match(data, begin):
            if (quoted := _QUOTED.match(data, begin, end)) is None:
                return b""
            marks, begin = quoted[0], quoted.end()
        raw = data[begin:end]
        shape = raw.translate(ALL_ALIKE)
        if b"0x" in shape:
            shape = b"%s%d" % (_ADDRESS.sub(b"0x", shape), end - begin)
        if state != self._state:
            self._state = state
            self._known.clear()
        key = marks + raw[:2] + shape
        if key not in self._known and (marked := _MARK.sub(b"0y", shape)) != shape:
            key = b"%s%s%s%d" % (marks, raw[:2], marked, end - begin)
        return key

    def knows(self, state: Hashable) -> bool:
        """Whether any lines are known to be plain where those above left this."""
        return state == self._state and bool(self._known)

    @staticmethod
    def keys_of(lines: Sequence[bytes]) -> list[bytes]:
        """The keys of many lines. One that cannot be plain has a key that nobody knows."""
        shapes = b"\n".join(lines).translate(ALL_ALIKE).split(b"\n")
        return [
            raw[:2] + (b"%s%d" % (_ADDRESS.sub(b"0x", shape), len(raw)) if b"0x" in shape else shape)
            for raw, shape in zip(lines, shapes, strict=False)  # of no lines there is one shape
        ]

    def goes_by(self, key: bytes) -> bool:
        """Whether lines of it are known to be plain: then one more was given."""
        return key in self._known and self.has(key)

    def has(self, key: bytes) -> bool:
        """Whether lines of it are plain."""
        is_known = key in self._known
        self._vain = max(self._vain - GAIN, 0) if is_known else self._vain + 1
        return is_known

    def add(self, key: bytes, line: Line, raw: bytes) -> bool:
        """A line was looked at in every way and nothing was to be done: whether those like it are plain is to be seen
        by what was made of it.
        """
        is_clean = raw.isascii() and raw.decode("ascii").rstrip() == line.raw.rstrip() and not line.note
        is_clean = is_clean and (line.text, line.quote) == bare(line.raw)
        is_plain = is_clean and not ("=> " in line.text or _may_open_list(line.text))
        if is_plain:
            self.keep(key)
        return is_plain

    def keep(self, key: bytes) -> None:
        """Lines of it are plain."""
        if len(self._known) >= MOST:
            self._known.clear()
        self._known.add(key)


def bare(raw: str) -> tuple[str, int]:
    """A line that is plain but for marks of a quotation in front of it, without those, and how many they are."""
    if raw[:1] != ">":
        return raw.rstrip(), 0
    marks = quote_marks(raw)
    return raw[len(marks) :].rstrip(), marks.count(">")


def _may_open_list(text: str) -> bool:
    return text[0] == "[" and "] " not in text and _PROMPT.match(text) is None


def elsewhere(key: bytes, state: Hashable) -> Look | None:
    """What the look at a line of it came to in another text."""
    known = _of_all.get(state)
    return None if known is None else known.get(key)


def add_for_all(key: bytes, state: Hashable, look: Look) -> None:
    """Lines of it are plain in every text, where the lines above left the same and a look came to the same."""
    if key[0] in _OF_LINES_AROUND:
        return
    if state not in _of_all and len(_of_all) >= MOST_STATES:
        _of_all.clear()
    known = _of_all.setdefault(state, {})
    if len(known) >= MOST:
        known.clear()
    known[key] = look
