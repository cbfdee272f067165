"""Marks that people and ticket systems put in front of a line: bullets, numbers of a list, bars of a quotation, code
marks.

    - 0x7F12 waiting 3.012068863 seconds, ...        1) vxi_hlockgrant   5        | Waiting 2.5 sec since 10:00:00, ...

A mark goes only where nobody claims the line with it and somebody claims it without: a starred row of a table keeps its
star.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from parsers.lookup import claimed, known_alone
from parsers.text import Line

_FIRST: Final = frozenset("-*+|`\u2022\u00b7\u25e6\u25aa\u2013\u2014(0123456789")
_MARK: Final = re.compile(
    r"[ \t]{0,12}(?:(?:[-*+\u2022\u00b7\u25e6\u25aa\u2013\u2014][ \t]{1,4}){1,2}|\(?\d{1,3}[.)][ \t]{1,4}"
    r"|(?:\|{1,4}[ \t]{0,4}){1,4}|`{1,3}|\*\*)"
)
_END: Final = re.compile(r"(?:[ \t]{0,4}\|{1,2}|`{1,3}|\*\*)$")


def without_bullet(line: Line) -> Line:
    """The line without its mark, where that makes it somebody's."""
    text = line.text
    first = text.lstrip()[:1]
    if first not in _FIRST or not first or (match := _MARK.match(text)) is None:
        return line
    bare = _END.sub("", text[match.end() :]) if first in "|`*" else text[match.end() :]
    if not bare or claimed(text) is not None or (claimed(bare) is None and known_alone(bare) is None):
        return line
    return replace(line, text=bare)
