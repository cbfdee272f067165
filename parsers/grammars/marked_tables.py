"""Cells of a table whose columns are parted by a mark, as spreadsheets, scripts and Markdown write them. No parser."""

from __future__ import annotations

import csv
import re
from typing import Final

LONGEST: Final = 4_000
RULER: Final = re.compile(r"[\s|:+=-]{3,600}$")
_CELL: Final = r"\"?[A-Za-z@_#%](?: ?[\w./()@%-]){0,40}\"?"
"""A blank stands inside it only, and alone: so there is one way to part a line, however long it is."""
HEADING: Final = (
    rf"(?:\|\s{{0,20}}{_CELL}(?:\s{{0,60}}\|\s{{0,20}}{_CELL}){{2,30}}\s{{0,60}}\|?"
    rf"|{_CELL}(?:\s{{0,4}},\s{{0,4}}{_CELL}){{2,30}},?|{_CELL}(?:\s{{0,4}};\s{{0,4}}{_CELL}){{2,30}};?"
    rf"|{_CELL}(?:\t{{1,4}}{_CELL}){{2,30}}|{_CELL}(?:\s{{2,60}}{_CELL}){{2,30}})\s{{0,8}}$"
)
"""Names of three columns and more: between bars, commas, semicolons, tabs or wide gaps."""
ROW: Final = r"[\s|:+=-]{3,600}$|[^\n]{0,900}(?:[|;,\t]|\s\s)[^\n]{0,900}(?:[|;,\t]|\s\s)"
"""What may be a row of one."""


def mark_of(heading: str) -> str:
    """What parts the cells of a heading: the commonest of the marks; nothing for wide gaps."""
    best = max("|;,\t", key=heading.count)
    return best if heading.count(best) > 1 else ""


def cells_of(text: str, mark: str, most: int = 0) -> list[str]:
    """Cells of a row; none of a line that is too long. most: where gaps part them, the last cell takes the rest."""
    if len(text) > LONGEST:
        return []
    if not mark and most and text.count("|") == most - 1:
        mark = "|"  # bars of the heading were taken for gaps
    if not mark:
        return re.split(r"\s{2,}", text, maxsplit=most - 1 if most else 0)
    if mark == "|":
        return [cell.strip() for cell in text.strip().removeprefix("|").removesuffix("|").split("|")]
    try:
        return [cell.strip() for cell in next(csv.reader([text], delimiter=mark, skipinitialspace=True), [])]
    except csv.Error:
        return []
