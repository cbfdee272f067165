"""The screen of a recorded session (asciinema), piece by piece as it came, put together to lines.

    {"version": 2, "width": 120, "height": 40, "timestamp": 1932955880, "title": "curlew"}
    [0.21, "o", "[root@curlew ~]# gabcon"]
    [0.47, "o", "fig -a\\r\\nGAB Port Memberships\\r\\n"]

What was typed (``i``), marks (``m``) and new sizes (``r``) are no part of the screen. Version 1 has all its pieces in
one object, ``stdout``; version 3 differs in its times only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

MOST_PIECES: Final = 20_000
"""That are put together before a line has to end."""
MOST_CHARS: Final = 1 << 20
_HEADING: Final = re.compile(r'\{"version": ?[23], ?"(?:width|term|height)"')
_PIECE: Final = re.compile(r'\[ ?\d{1,9}(?:\.\d{1,20})?, ?"(?P<kind>[oimrx])", ?(?P<text>"(?:[^"\\]|\\.)*+") ?\]$')


def begins(text: str) -> bool:
    """Whether a heading or a piece stands on a line."""
    if text[:1] == "{":
        return _HEADING.match(text) is not None
    return text[:1] == "[" and _PIECE.match(text.rstrip()) is not None


def screen(lines: Iterator[str]) -> tuple[int, list[tuple[int, str]]]:
    """How many of some lines hold pieces of whole lines of the screen, and these with their distance from the first."""
    found: list[tuple[int, str]] = []
    count, rest, shown = 0, "", 0
    for text in islice(lines, MOST_PIECES):
        piece = _PIECE.match(text.rstrip())
        if piece is None and (count or _HEADING.match(text) is None):
            break
        count += 1
        if piece is None or piece["kind"] != "o":
            continue
        *whole, rest = (rest + _shown(piece["text"])).replace("\r\n", "\n").split("\n")
        found += [(count - 1, one) for one in whole]
        shown += sum(map(len, whole))
        if (whole and not rest) or shown + len(rest) > MOST_CHARS:
            break
    return count, [*found, (count - 1, rest)] if rest else found


def _shown(text: str) -> str:
    try:
        return str(json.loads(text, strict=False))
    except ValueError:
        return text.strip('"')
