"""Rows of ``mm... -Y`` that a terminal or a mail cut into lines: which line goes on with a row, and where a blank was
lost.

A terminal cuts anywhere, at its last column, so that all but the last line of a row are equally long. A mail or a
ticket cuts at a blank, which stands only inside the text of a cell, and takes it away; what has no blank, such as a
HEADER, stays whole however long it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from parsers.formats.scale.waits.line import BULLETS, NODE
from parsers.formats.scale.waits.wrap import HARD_COLUMNS, TERMINAL_COLUMNS
from parsers.sections.reader import OpenSection
from parsers.text import Line

ROW_LIMIT: Final = 20_000
_COLUMNS: Final = frozenset(width - lost for width in (72, 76, TERMINAL_COLUMNS, 132) for lost in (0, 1))
"""How long a line is that was cut at a column: one less where the cut took a blank."""
_START = re.compile(rf"{BULLETS}{NODE}mm[a-z]{{1,20}}:")
_CELLS = re.compile(r"[!-~]{1,400}(?: [!-~]{1,400}){0,60}$")


def goes_on(before: str, text: str) -> bool:
    """Whether a line is the rest of a row that a terminal or a ticket wrapped."""
    above, body = before.rstrip(), text.strip()
    if not body or len(body) > ROW_LIMIT or _START.match(body) or ":" not in above or ":" not in body or ": " in body:
        return False
    if len(above) in _COLUMNS and body.endswith(":") and _CELLS.match(body):
        return True
    return not above.endswith(":") or body.startswith(":") or body.endswith("::")


class CutRows:
    """Joins the lines of one row, and remembers of a section how long its longest line is."""

    def __init__(self, section: OpenSection) -> None:
        self._state = section.state

    def whole(self, lines: Sequence[Line]) -> str:
        """The text of a row."""
        widths = [len(line.raw) for line in lines]
        longest = self._state["longest_row"] = max(self._state.get("longest_row", 0), *widths)
        text = lines[0].text
        if len(lines) == 1:
            return text
        full = max(widths[:-1])
        # Whoever cuts at blanks leaves none behind the column that is too far for him.
        at_blanks = longest > full + 1 and not any(
            " " in line.raw[TERMINAL_COLUMNS + 1 :].rstrip() for line in lines[:-1]
        )
        at_column = not at_blanks and (full == TERMINAL_COLUMNS or full >= HARD_COLUMNS or _all_full(widths[:-1], full))
        for above, line in pairwise(lines):
            if at_column:
                lost = len(above.raw) == full - 1 and not above.raw[-1:].isspace()
                text += above.raw[len(above.raw.rstrip()) :] + (" " if lost else "") + line.text
            else:
                text = _joined(text, line.text, at_blank=at_blanks)
        return text


def _all_full(widths: Sequence[int], full: int) -> bool:
    """Whether several lines end at one column."""
    return len(widths) > 1 and min(widths) >= full - 1


def _joined(above: str, text: str, *, at_blank: bool) -> str:
    """Where the way of cutting is not known, a blank is lost between two words."""
    body = text.strip()
    above = above.rstrip()
    last, first = above[-1:], body[:1]
    parted = (
        (last.isalnum() or last in ",)>'") and (first.isalnum() or first in "<('")
        if at_blank
        else last.isalpha() and first.isalpha()
    )
    return f"{above} {body}" if parted else above + body
