"""How lines look that were broken, and how they are put together. A line is as wide as it can be where the first word
of the next one would not have fitted.
"""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from typing import Final, NamedTuple

from parsers.headings.transcript import match_prompt
from parsers.lookup import claimed, programs
from parsers.text import Line, make_line

NARROWEST: Final = 50
WIDEST: Final = 140
"""Columns at which a mail program breaks a line."""
NARROWEST_TERMINAL: Final = 76
WIDEST_TERMINAL: Final = 400
MOST_PIECES: Final = 6
"""Lines into which one is broken; where more in turn are as wide as they can be, they are rows of one width."""
WIDTHS: Final = (65, 72, 76, 78, 80, 100, 120, 132)
"""Columns that mail programs, terminals and people choose."""
LEAST_OF_WIDTH: Final = 3
"""Lines that are as wide as they can be by a width that nobody chooses."""
WIDEST_GAP: Final = 8
"""Blanks between two columns, of which a break leaves none."""
_SHAPE: Final = re.compile(r"\d{1,400}|[A-Za-z]{1,400}")
_ALIKE: Final = {ord(char): "0" if char.isdigit() else "a" for char in string.digits + string.ascii_letters}
"""Words of one length that are alike so have one shape: stamps of a log."""
_HYPHEN: Final = re.compile(r"[a-z]-$")


class Way(NamedTuple):
    """Of each line whether it is the rest of the one above, and what stands between the two."""

    rests: tuple[bool, ...]
    glue: str = " "

    def turned(self, at: int) -> Way:
        """The same but for one line."""
        return self._replace(rests=(*self.rests[:at], not self.rests[at], *self.rests[at + 1 :]))


def put_together(lines: Sequence[Line], way: Way) -> list[Line]:
    """The lines, each with its rests."""
    groups: list[list[Line]] = []
    for line, is_rest in zip(lines, way.rests, strict=True):
        if is_rest and groups:
            groups[-1].append(line)
        else:
            groups.append([line])
    return [_one(group, way.glue) for group in groups]


def _one(group: Sequence[Line], glue: str) -> Line:
    first = group[0]
    if len(group) == 1:
        return first
    if glue:
        text = first.text
        for line in group[1:]:
            # Some break a word at its hyphen.
            is_word = _HYPHEN.search(text) is not None and line.text.lstrip()[:1].islower()
            text += f"{'' if is_word else glue}{line.text.strip()}"
        whole = make_line(first.number, text.encode("utf-8", "replace"))
        whole.raw, whole.quote = glue.join(line.raw for line in group), whole.quote + first.quote
    else:
        whole = make_line(first.number, "".join(map(shown, group)).encode("utf-8", "replace"))
        whole.quote += first.quote
    whole.lines = len(group)
    return whole


def bounded(rests: Sequence[bool]) -> tuple[bool, ...]:
    """No line is put together of more than so many."""
    run, found = 0, []
    for is_rest in rests:
        run = run + 1 if is_rest and run + 1 < MOST_PIECES else 0
        found.append(run > 0)
    return tuple(found)


def widths_of(lines: Sequence[Line]) -> list[int]:
    """The widest line that a mail program may have left: of several words, and of any; a ruler is none."""
    words = [line for line in lines if any(map(str.isalnum, line.text)) and _length(line) <= WIDEST]
    widest = max(map(_length, words), default=0)
    of_several = max((_length(line) for line in words if " " in line.text.strip()), default=0)
    return [width for width in dict.fromkeys((of_several, widest)) if 4 * width >= 3 * widest > 0]


def widest_of(lines: Sequence[Line]) -> int:
    """Of the lines of several words."""
    return max((len(text) for line in lines if " " in (text := line.text.strip())), default=0)


def shown(line: Line) -> str:
    """A line as it stands, without the marks of a quotation."""
    return line.raw[line.raw.find(line.text) :] if line.quote and line.text in line.raw else line.raw


def _length(line: Line) -> int:
    """Letters of a line, a tab as one, without the marks of a quotation."""
    return min(len(line.raw), len(line.text))


def fills(above: str, text: str, width: int, gap: int = 1) -> bool:
    """Whether a line is as wide as it can be, for the first word of the next would not have fitted behind a gap."""
    words = text.split(None, 1)
    return bool(words) and 4 * len(above) >= width >= len(above) and len(above) + gap + len(words[0]) > width


def may_be_edge(width: int, lines: int) -> bool:
    """Whether a terminal may have been so wide, for so many lines are."""
    return NARROWEST_TERMINAL <= width <= WIDEST_TERMINAL and (width in WIDTHS or lines >= LEAST_OF_WIDTH)


def may_be_rest(above: Line, line: Line, margin: int) -> bool:
    """Whether a line can be the rest of the one above: it is no beginning by itself, and does not begin like it."""
    text = line.text
    if not text or not above.text or line.quote not in (above.quote, 0):
        return False
    if is_ruler(text) or is_ruler(above.text):
        return is_ruler(text) and is_ruler(above.text)
    if begin_alike(above.text, text, margin):
        return False
    return claimed(text) is None and match_prompt(line.raw, programs()) is None


def is_ruler(text: str) -> bool:
    """Whether a line is drawn, not written."""
    return not any(map(str.isalnum, text)) and len(text.strip()) > 2


def begin_alike(one: str, other: str, margin: int) -> bool:
    """Whether two lines begin as rows of one table, or messages of one log, do. margin: blanks in front of all."""
    indents = len(one) - len(one.lstrip()), len(other) - len(other.lstrip())
    if indents[1] > margin:
        return indents[0] == indents[1]
    first, second = one.split(None, 1)[0], other.split(None, 1)[0]
    if first.isalpha():
        return len(first) == len(second) and first[0] == second[0]
    if first.isdigit() and 2 * len(other.split()) < len(one.split()):
        return False  # what is left of a row, and begins with a figure as the row does
    return first.translate(_ALIKE) == second.translate(_ALIKE) or _shape(first) == _shape(second)


def _shape(word: str) -> str:
    return _SHAPE.sub(lambda match: "0" if match[0].isdigit() else "a", word)
