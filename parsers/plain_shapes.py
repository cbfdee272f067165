"""Shapes of lines that reading leaves as they stand: logs repeat few, and what a line of one needs is not asked again.

A line of a shape (its bytes with all digits alike) is known to be plain once one like it was looked at in every way:
nothing stands in front of it, no other line stands in it, and nothing is cleaned away. That holds as long as the lines
above leave things as they were, and only where no digit decides: not for a number in front, nor for the seconds of an
epoch.
"""

from __future__ import annotations

from typing import Final

from parsers.text import Line

ALL_ALIKE: Final = bytes.maketrans(b"123456789", b"000000000")
LONGEST: Final = 400
MOST: Final = 20_000
"""Shapes that are remembered; then anew."""
MOST_IN_VAIN: Final = 4_000
GAIN: Final = 4
"""A line that is known saves more than one that is not has cost: a text whose lines are all of their own shape, such as
stacks with addresses, is no longer asked for them.
"""
_STARTS: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz[<_ 0")


class PlainShapes:
    """Of one text."""

    def __init__(self) -> None:
        self._known: set[bytes] = set()
        self._state: object = None
        self._vain = 0

    def key_of(self, data: bytes, begin: int, end: int, state: object) -> bytes:
        """What the line between two places is known by; nothing where it can't be plain. state: what the lines above
        left, by which others are plain.
        """
        if not 0 < end - begin <= LONGEST or self._vain > MOST_IN_VAIN:
            return b""
        raw = data[begin:end]
        shape = raw.translate(ALL_ALIKE)
        if shape[0] not in _STARTS:
            return b""
        if state != self._state:
            self._state = state
            self._known.clear()
        return raw[:2] + shape

    def has(self, key: bytes) -> bool:
        """Whether lines of it are plain."""
        is_known = key in self._known
        self._vain = max(self._vain - GAIN, 0) if is_known else self._vain + 1
        return is_known

    def add(self, key: bytes, line: Line, raw: bytes) -> None:
        """A line was looked at in every way and nothing was to be done: whether those like it are plain is to be seen
        by what was made of it.
        """
        is_clean = raw.isascii() and line.text == line.raw.rstrip() == raw.decode("ascii").rstrip() and not line.note
        if is_clean and not ("=> " in line.text or (line.text[0] == "[" and "] " not in line.text)):
            if len(self._known) >= MOST:
                self._known.clear()
            self._known.add(key)
