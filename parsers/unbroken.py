"""Stretches of lines none of which is the rest of the one above, told by the shapes of the lines: dumps and samples
repeat few.

A shape is a line with all digits alike, and with addresses alike behind its first word. Whether a line may be a rest is
for its beginning, its words and its owner to say, and never for its digits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final, overload

from parsers.broken_lines import begin_alike, is_ruler
from parsers.broken_messages import is_logged
from parsers.broken_stretch import may_be_put_behind
from parsers.dataclass import dataclass
from parsers.digits import ALL_ALIKE
from parsers.lookup import claimed, is_claimed_alike, programs
from parsers.text import Line, make_line
from parsers.transcript import match_prompt

MOST: Final = 20_000
"""Shapes that are remembered; then anew."""
MOST_IN_VAIN: Final = 40
"""Stretches in turn that may hold rests; then no more is asked."""
_ADDRESS: Final = re.compile(rb" 0x[0A-Fa-f]+")

Head = tuple[int, bool, str, int]


@dataclass(slots=True)
class _Shape:
    """The first line of a shape that was seen. head: what decides whether another line begins like it: the blanks in
    front, whether it is drawn, its first word, and how many they are; None of an empty line.
    """

    line: Line
    head: Head | None
    is_clean: bool
    is_logged: bool
    is_own: bool | None = None
    """Whether no line of it is a rest of any other; None where that was not asked."""


class Unbroken:
    """Of one text."""

    def __init__(self) -> None:
        self._shapes: dict[bytes, _Shape] = {}
        self._alike: dict[tuple[Head, Head, int], bool] = {}
        self._vain = 0

    def has(self, lines: Sequence[bytes], english: Callable[[str], str]) -> bool:
        """Whether none of the lines is the rest of the one above, nor of a message further up."""
        if self._vain >= MOST_IN_VAIN:
            return False
        if len(self._shapes) + len(self._alike) > MOST:
            self._shapes.clear()
            self._alike.clear()
        get = self._shapes.get
        found = [
            get(shape) or self._shapes.setdefault(shape, _shape(line, english))
            for shape, line in zip(_shapes_of(lines), lines, strict=True)
        ]
        margin = min((one.head[0] for one in found if one.head is not None), default=0)
        is_whole = (
            all(one.is_clean for one in found)
            and len({one.is_logged for one in found}) == 1
            and all(
                self._are_apart(above, one, margin) or not may_be_put_behind(_Texts(lines), at, margin)
                for at, (above, one) in enumerate(pairwise(found), 1)
            )
        )
        self._vain = 0 if is_whole else self._vain + 1
        return is_whole

    def _are_apart(self, above: _Shape, one: _Shape, margin: int) -> bool:
        """Whether no line of a shape is the rest of one of the other above it, by how they begin or for its own
        sake.
        """
        if above.head is None or one.head is None or one.is_own:
            return True
        pair = above.head, one.head, margin
        if (are_alike := self._alike.get(pair)) is None:
            is_drawn = is_ruler(one.line.text) or is_ruler(above.line.text)
            are_alike = not is_drawn and begin_alike(above.line.text, one.line.text, margin)
            self._alike[pair] = are_alike
        if not are_alike and one.is_own is None:
            one.is_own = _is_own(one.line.text)
        return are_alike or bool(one.is_own)


class _Texts(Sequence[Line]):
    """Lines that are made where they are looked at."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        self._lines = lines

    @overload
    def __getitem__(self, at: int) -> Line: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Line]: ...

    def __getitem__(self, at: int | slice) -> Line | Sequence[Line]:
        return make_line(0, self._lines[at]) if isinstance(at, int) else _Texts(self._lines[at])

    def __len__(self) -> int:
        return len(self._lines)


def _shape(raw: bytes, english: Callable[[str], str]) -> _Shape:
    line = make_line(0, raw)
    text = line.text
    head = (len(text) - len(text.lstrip()), is_ruler(text), _first(text), len(text.split())) if text.strip() else None
    is_clean = raw.isascii() and not line.quote and not line.note and text == line.raw.rstrip() == english(text)
    return _Shape(line, head, is_clean, is_logged(text))


def _first(text: str) -> str:
    return "".join("0" if char.isdigit() else char for char in text.split(None, 1)[0])


def _shapes_of(lines: Sequence[bytes]) -> list[bytes]:
    shapes = b"\n".join(lines).translate(ALL_ALIKE).split(b"\n")
    return [_without_addresses(shape) if b" 0x" in shape else shape for shape in shapes]


def _without_addresses(shape: bytes) -> bytes:
    is_first = shape.lstrip().startswith(b"0x")
    return shape if is_first else b"%s%d" % (_ADDRESS.sub(b" 0x", shape), len(shape))


def _is_own(text: str) -> bool | None:
    """Whether no line with the shape of this one is a rest: one without digits is the same, others are claimed alike;
    None where that is not known yet.
    """
    if is_ruler(text) or (claimed(text) is None and match_prompt(text, programs()) is None):
        return False
    return not any(map(str.isdigit, text)) or is_claimed_alike(text) or None
