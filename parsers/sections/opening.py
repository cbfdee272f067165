"""The beginning of a text without what stands in front of all of its lines, for those who look at it as a whole.

    > === larch ===            # === larch ===           | === larch ===            12  === larch ===

Lines lose their marks one by one later, where somebody knows what is left; headings are told before that.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from parsers.documents.line_marks import clean
from parsers.lookup import claimed

LOOKED_AT: Final = 1 << 18
"""Bytes of a text that tell which of its lines are headings."""
MOST_LINES: Final = 20_000
TAB: Final = " " * 8
"""As lines are read."""
LEAST: Final = 3
FEW: Final = 0.1
"""Of the lines: those that may lack the mark that the others have."""
_HUNK: Final = re.compile(r"^@@ -\d", re.MULTILINE)
MOST_MARKS: Final = 4
"""In front of one line."""
_MARK: Final = re.compile(
    r"[ \t]{0,16}(?:(?P<mark>#{1,4}|;{1,2}|[|*+\u2502]|//)(?: |$)|(?P<number>\d{1,6})(?:[:|.)] ?| {8}| {1,2}|$))"
)
_BAR_BEHIND: Final = re.compile(r"[ \t]{1,400}[|\u2502]$")


def bare_opening(data: bytes) -> str:
    """The text of the first bytes, its lines without terminal codes, quotes, a margin and one mark of all of them."""
    text = data[:LOOKED_AT].decode("utf-8", "replace").replace("\r", "").replace("\t", TAB)
    lines = text.split("\n", MOST_LINES)[:MOST_LINES]
    if _HUNK.search(text) is not None:
        return "\n".join(line[1:] if line[:1] in ("+", " ") else line for line in lines)
    filled = [line for line in lines if line.strip()]
    if len(filled) < LEAST or not _may_be_marked(filled):
        return text
    cleaned = [clean(line)[0] for line in lines]
    for _ in range(MOST_MARKS):
        cleaned, above = _without_mark(cleaned), cleaned
        if cleaned == above or _MARK.match(next(filter(str.strip, cleaned), "")) is None:
            break
    return "\n".join(cleaned)


def _may_be_marked(lines: list[str]) -> bool:
    """Whether the first lines begin alike with something that may be a mark: asked of every text."""
    first = lines[:LEAST]
    return (
        any("\x1b" in line or "</" in line or line[2:4] == ". " for line in lines[: 4 * LEAST])
        or all(line[0] in "> \t" for line in first)
        or all(map(_MARK.match, first))
    )


def _without_mark(lines: list[str]) -> list[str]:
    filled = [line for line in lines if line.strip()]
    found = [_MARK.match(line) for line in filled]
    marks = [match["mark"] if match is not None else None for match in found]
    mark = max(set(marks) - {None}, key=marks.count, default=None)
    least = (1 - FEW) * len(filled)
    if mark is not None and marks.count(mark) >= least:
        return [_behind(line, mark) for line in lines]
    if sum(match is not None and match["number"] is not None for match in found) >= least and _counts(lines):
        return [line[match.end() :] if (match := _MARK.match(line)) and match["number"] else line for line in lines]
    margin = min((len(line) - len(line.lstrip()) for line in filled), default=0)
    return [line[margin:] for line in lines]


def _behind(line: str, mark: str) -> str:
    match = _MARK.match(line)
    if match is None or match["mark"] != mark:
        return line
    text = line[match.end() :]
    return _BAR_BEHIND.sub("", text) if mark in "|\u2502" else text


def _counts(lines: list[str]) -> bool:
    """Whether numbers in front of lines go up by one: else they are the first column of a table."""
    numbers = [int(match["number"]) for line in lines if (match := _MARK.match(line)) and match["number"]]
    steps = sum(after - before == 1 for before, after in pairwise(numbers))
    return steps >= (1 - FEW) * (len(numbers) - 1)


_STAMP: Final = (
    r"[\[(]?\d{4}-\d\d-\d\d[T _]\d\d:\d\d:\d\d[^\s\])]{0,16}[\])]?[ \t]{1,3}|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d "
)
_FRONTS: Final = tuple(
    re.compile(rf"^(?:{front})", re.MULTILINE)
    for front in (
        r"[ \t]{0,4}(?:[>|\u2502][ \t]?){1,8}|\+(?![+-])",
        r"[ \t]{0,8}\d{1,7}(?:[:|.)][ \t]?|\t| {2,8}|[,;](?:[\w-]{1,20}[,;]){0,2})",
        r"[\w./@+-]{1,250}(?::\d{1,8}|/[\w.@+-]{1,120}|\.(?:txt|log|out|dat)):",
        rf"(?:{_STAMP})(?:[|:-] )?",
        r"(?:[\[(]?\d{1,2}:\d\d(?::\d\d)?[\])]? {1,3})?<[A-Za-z@+][\w.-]{0,30}> ?",
        r"[A-Za-z][\w.-]{1,126}(?: {0,30}\||:)(?: {1,2}|$)|\[[\w./ -]{3,126}\] {1,3}",
    )
)
"""What may stand in front of each line of a text: marks of quotations, numbers, files, moments, people, nodes."""
_LINES_LOOKED_AT: Final = 40
_LONGEST_LINE: Final = 128
_SHARE: Final = 0.9
_SHARE_QUOTED: Final = 0.4
"""The rest is said by those who quote."""


def with_bare_lines(head: str) -> str:
    """A text, and behind it its lines without what stands in front of nearly all of them, where only so they are
    known.
    """
    lines = [line for line in head[: _LINES_LOOKED_AT * _LONGEST_LINE].split("\n")[:_LINES_LOOKED_AT] if line.strip()]
    for front in _FRONTS:
        bare = [line[match.end() :] for line in lines if (match := front.match(line)) is not None]
        share = _SHARE_QUOTED if front is _FRONTS[0] else _SHARE
        if len(bare) < max(LEAST, share * len(lines)) or any(claimed(line) is not None for line in lines):
            continue
        if any(claimed(line) is not None for line in bare if line.strip()):
            return f"{head}\n\n{front.sub('', head)}"
    return head
