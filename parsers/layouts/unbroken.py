"""Stretches of lines none of which is the rest of the one above, told by the shapes of the lines: dumps and samples
repeat few.

A shape is a line with all digits alike, and with addresses alike behind its first word. Whether a line may be a rest is
for its beginning, its words and its owner to say, and never for its digits.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, overload

from parsers.dataclass import dataclass
from parsers.headings.transcript import match_prompt
from parsers.layouts.broken_lines import WIDEST, WIDTHS, begin_alike, is_ruler, may_be_edge
from parsers.layouts.broken_messages import is_logged
from parsers.layouts.broken_stretch import is_dated_or_mark, may_be_put_behind, owner_of
from parsers.lookup import Parser, claimed, is_claimed_alike, programs
from parsers.patterns.digits import ALL_ALIKE
from parsers.text import Line, make_line

MOST: Final = 20_000
"""Shapes that are remembered; then again."""
MOST_IN_VAIN: Final = 40
"""Stretches in turn that may hold rests; then no more is asked."""
_ADDRESS: Final = re.compile(rb" 0x[0A-Fa-f]+")

_BEYOND: Final = 1 << 60
"""No line is so wide."""

Head = tuple[int, bool, str, int]


@dataclass(slots=True)
class _Shape:
    """The first line of a shape that was seen. head: what decides whether another line begins like it: the blanks in
    front, whether it is drawn, its first word, and how many they are; None of an empty line. raw, length, first: how
    long it is with the blanks behind it and without, and its first word. is_worded, is_several: whether it has letters
    or figures, and a blank between them.
    """

    number: int
    line: Line
    head: Head | None
    is_clean: bool
    is_logged: bool
    raw: int
    length: int
    first: int
    is_worded: bool
    is_several: bool
    is_own: bool | None = None
    """Whether no line of it is a rest of any other; None where that was not asked."""


def _is_none(_: str) -> bool:
    return False


class Unbroken:
    """Of one text."""

    def __init__(self) -> None:
        self._shapes: dict[bytes, _Shape] = {}
        self._alike: dict[tuple[Head, Head, int], bool] = {}
        self._apart: dict[tuple[int, int, int], bool] = {}
        self._behind: dict[tuple[str, str, int, Parser | None], bool] = {}
        """What was found of pairs of shapes, and of lines."""
        self._vain = 0
        self.are_logged: list[bool] = []
        """Which lines of the last stretch have stamps, where some have none and nothing else is against it."""

    def has(
        self, lines: Sequence[bytes], english: Callable[[str], str], is_head: Callable[[str], bool] = _is_none
    ) -> bool:
        """Whether none of the lines is the rest of the one above, nor of a message further up. is_head: whether a line
        is a heading of the text.
        """
        self.are_logged = []
        if self._vain >= MOST_IN_VAIN:
            return False
        if len(self._shapes) + len(self._alike) > MOST or len(self._apart) + len(self._behind) > MOST:
            for kept in (self._shapes, self._alike, self._apart, self._behind):
                kept.clear()
        get = self._shapes.get
        found = [
            get(shape) or self._shapes.setdefault(shape, _shape(len(self._shapes), line, english))
            for shape, line in zip(_shapes_of(lines), lines, strict=True)
        ]
        is_whole = all(one.is_clean for one in found)
        texts = Texts(lines)
        if is_whole and (heads := self._headings(texts, found, is_head)) is not False:
            is_whole = not heads or all(
                self._headings(texts[begin:end], found[begin:end], is_head) is not False
                for begin, end in pairwise(_outputs(texts, found))
            )
        else:
            is_whole = False
        self._vain = 0 if is_whole else self._vain + 1
        are_logged = [one.is_logged for one in found]
        self.are_logged = are_logged if is_whole and len(set(are_logged)) != 1 else []
        return is_whole and len(set(are_logged)) == 1

    def _headings(self, lines: Texts, found: Sequence[_Shape], is_head: Callable[[str], bool]) -> bool | None:
        """Whether nothing but headings may be put behind the lines above them; None where nothing may be at all."""
        numbers = [one.number for one in found]
        shapes = dict(zip(numbers, found, strict=True))
        margin = min((one.head[0] for one in shapes.values() if one.head is not None), default=0)
        pairs = list(pairwise(numbers))
        doubtful = {
            pair
            for pair in _near_the_edge(shapes, pairs, [one.raw for one in found])
            if not self._are_apart(shapes[pair[0]], shapes[pair[1]], margin)
        }
        if not doubtful:
            return None
        has_headings = None
        owners: dict[int, Parser | None] = {}
        for at, pair in enumerate(pairs, 1):
            if pair not in doubtful or not self._may_be_put_behind(lines, at, margin, owners):
                continue
            one, above = lines[at].text, lines[at - 1].text
            if not (is_dated_or_mark(one, above) or is_head(one) or is_head(above)):
                return False
            has_headings = True
        return has_headings

    def _may_be_put_behind(self, lines: Texts, at: int, margin: int, owners: dict[int, Parser | None]) -> bool:
        """Whether a line may be the rest of the one above, asked once of lines that come again. owners: those of lines
        of the stretch.
        """
        if at not in owners:
            owners[at] = owner_of(lines, at)
        key = lines[at - 1].text, lines[at].text, margin, owners[at]
        if (may_be := self._behind.get(key)) is None:
            may_be = self._behind[key] = may_be_put_behind(lines, at, margin)
        return may_be

    def _are_apart(self, above: _Shape, one: _Shape, margin: int) -> bool:
        """The same for pairs that were seen, once that is known for good."""
        pair = above.number, one.number, margin
        if (are_apart := self._apart.get(pair)) is None:
            are_apart = self._found_apart(above, one, margin)
            if are_apart or one.is_own is not None:
                self._apart[pair] = are_apart
        return are_apart

    def _found_apart(self, above: _Shape, one: _Shape, margin: int) -> bool:
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


class Texts(Sequence[Line]):
    """Lines that stand as they are, made where they are looked at."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        self._lines = lines
        self._made: list[Line | None] = [None] * len(lines)

    @overload
    def __getitem__(self, at: int) -> Line: ...

    @overload
    def __getitem__(self, at: slice) -> Texts: ...

    def __getitem__(self, at: int | slice) -> Line | Texts:
        if isinstance(at, int):
            if (line := self._made[at]) is None:
                raw = self._lines[at].decode("ascii")
                line = self._made[at] = Line(0, raw, raw.rstrip())
            return line
        part = Texts(self._lines[at])
        part._made = self._made[at]
        return part

    def __len__(self) -> int:
        return len(self._lines)


def _outputs(lines: Texts, found: Sequence[_Shape]) -> list[int]:
    """Where outputs begin, at prompts and below blank lines, and where the last one ends."""
    begins = (
        at
        for at, above in enumerate(found[:-1], 1)
        if above.head is None or match_prompt(lines[at].raw, programs()) is not None
    )
    return [0, *begins, len(lines)]


def _near_the_edge(
    shapes: Mapping[int, _Shape], pairs: Iterable[tuple[int, int]], widths_of_all: Sequence[int]
) -> Iterator[tuple[int, int]]:
    """Those of the pairs of lines, as they stand, whose second a break at any width may have left below the first."""
    worded = [one for one in shapes.values() if one.is_worded and one.length <= WIDEST]
    widest = max((one.length for one in worded), default=0)
    of_several = max((one.length for one in worded if one.is_several), default=0)
    own = [width for width in (of_several, widest) if 4 * width >= 3 * widest > 0]
    widest = own[-1] if own else 0
    widths = sorted({*own, *[width for width in WIDTHS if width >= widest][:2], WIDEST, _BEYOND})
    edge = max(widths_of_all, default=0)
    edge = edge if may_be_edge(edge, widths_of_all.count(edge)) else -1
    for pair in dict.fromkeys(pairs):
        above, one = shapes[pair[0]], shapes[pair[1]]
        length = above.length
        if one.first and (
            above.raw == edge
            or 2 * length >= widest >= length
            or widths[bisect_left(widths, length)] <= min(4 * length, length + one.first)
        ):
            yield pair


def _shape(number: int, raw: bytes, english: Callable[[str], str]) -> _Shape:
    line = make_line(0, raw)
    text = line.text
    words = text.split()
    head = (len(text) - len(text.lstrip()), is_ruler(text), _first(text), len(words)) if words else None
    is_clean = raw.isascii() and not line.quote and not line.note and text == line.raw.rstrip() == english(text)
    return _Shape(
        number,
        line,
        head,
        is_clean,
        is_logged(text),
        raw=len(line.raw),
        length=len(text),
        first=len(words[0]) if words else 0,
        is_worded=any(map(str.isalnum, text)),
        is_several=" " in text.strip(),
    )


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
