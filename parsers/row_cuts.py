"""Ways in which the rows of an output that came on one line may be told apart: by their stamps, by the width of a
table, by the names of a list, by what a parser owns.

Which of them is right is for a trial to say (see ``parsers.flattened``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Final

from parsers.clock import MONTH
from parsers.lookup import Parser

LONGEST_ROW: Final = 24
"""Words of a row."""
MOST_WIDTHS: Final = 8
"""Widths of a table that are worth a trial."""
LEAST_STAMPS: Final = 2
_WORD: Final = re.compile(r"\S+")
_DAY: Final = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_CLOCK: Final = r"\d\d:\d\d:\d\d"
_STAMPS: Final = tuple(
    re.compile(rf"(?<!\S){pattern}")
    for pattern in (
        rf"{_DAY} {MONTH} {{1,2}}\d{{1,2}} {_CLOCK}",
        rf"(?<!{_DAY} ){MONTH} {{1,2}}\d{{1,2}} {_CLOCK}",
        rf"\d{{4}}[-/]\d\d[-/]\d\d[T_ ]{_CLOCK}",
        r"\[ {0,8}\d{1,9}\.\d{6}\]",
    )
)
_RULER: Final = re.compile(r"[-=+_|]{3,}$")
_PAIR: Final = re.compile(r"(?<!\S)[\w./()%-]{1,60}\s?[=:](?=\s|\S)")
_SIGN: Final = re.compile(r"\S[:=](?:\s|$)|\s[:=]\s|\w=\S")


def by_stamps(text: str) -> list[str]:
    """Rows that begin with a stamp of one form, with what stands in front of the first; empty where there are less
    than two.
    """
    begins = [sorted(match.start() for match in form.finditer(text)) for form in _STAMPS]
    first = min((found for found in begins if len(found) >= LEAST_STAMPS), key=lambda found: found[0], default=[])
    return _cut(text, [0, *(begin for begin in first if begin)]) if first else []


def is_one_entry(text: str) -> bool:
    """Whether a stamp opens the text and no other one follows: one line of a log."""
    return any(form.match(text) is not None and len(form.findall(text)) == 1 for form in _STAMPS)


def by_names(text: str) -> list[str]:
    """Rows of a name, a sign and a value."""
    begins = [match.start() for match in _PAIR.finditer(text)]
    return _cut(text, sorted({0, *begins})) if len(begins) > 1 else []


def by_width(text: str, parser: Parser | None) -> Iterator[list[str]]:
    """A heading and rows of equally many words, or rows alone; the likeliest first. ``parser``: it has to own them."""
    words = [match[0] for match in _WORD.finditer(text)]
    tables = (rows for head, width in _shapes(words) if (rows := _of_width(words, head, width)))
    yield from islice((rows for rows in tables if parser is None or _owns_all(parser, rows)), MOST_WIDTHS)


def _shapes(words: list[str]) -> Iterator[tuple[int, int]]:
    """Words of a heading and of a row: they hardly differ, and a ruler says where the heading ends."""
    ruler = next((at for at, word in enumerate(words) if at and _RULER.match(word)), 0)
    for gap in range(LONGEST_ROW):
        for head in [ruler] if ruler else range(LONGEST_ROW):
            yield from ((head, width) for width in sorted({max(head, 1) - gap, head + gap} if head else {gap}))


def _owns_all(parser: Parser, rows: list[str]) -> bool:
    return all(parser.owns(row, rows[0]) for row in rows[1:] if row[0] not in "-=")


def _of_width(words: list[str], head: int, width: int) -> list[str]:
    """The words as a heading and rows; the last one may be cut. Empty where less than one whole row follows."""
    rows = [" ".join(words[:head])] if head else []
    rest = words[head:]
    rulers = next((at for at, word in enumerate(rest) if not _RULER.match(word)), len(rest))
    if width < 1 or len(rest) - rulers < width or len(rest) > LONGEST_ROW * LONGEST_ROW:
        return []
    if rulers:
        rows.append(" ".join(rest[:rulers]))
    rest = rest[rulers:]
    return rows + [" ".join(rest[at : at + width]) for at in range(0, len(rest), width)]


def by_parser(text: str, parser: Parser, *, one_sign: bool = False) -> list[str]:
    """The text cut into as many rows as the parser owns, with as few words as possible outside of them; empty where it
    owns anything. one_sign: a row holds one name and one value.
    """
    words = [match.start() for match in _WORD.finditer(text)]
    if parser.owns("qq zz 7 xyx", ""):
        return []
    claims, ends = claim(parser), [*words, len(text)]
    best: list[tuple[int, int, int]] = [(0, 0, 0)] + [(-1 << 30, 0, 0)] * len(words)
    for begin in range(len(words)):
        lost, count, before = best[begin]
        above = text[ends[before] : ends[begin]].rstrip()
        best[begin + 1] = max(best[begin + 1], (lost - 1, count, begin))
        for end in range(begin + 1, min(begin + LONGEST_ROW, len(words)) + 1):
            row = text[ends[begin] : ends[end]].rstrip()
            if one_sign and len(_SIGN.findall(row)) != 1:
                continue
            if parser.owns(row, above) or claims.match(row):
                best[end] = max(best[end], (lost, count + 1, begin))
    rows, at = [], len(words)
    while at:
        begin = best[at][2]
        rows.append(text[ends[begin] : ends[at]].rstrip())
        at = begin
    return rows[::-1]


def by_claims(text: str, parser: Parser) -> list[str]:
    """Rows each of which begins with what the parser claims by itself, such as one waiter; empty where there are less
    than two.
    """
    found = claim(parser)
    begins = [match.start() for match in _WORD.finditer(text) if found.match(text, match.start())]
    return _cut(text, sorted({0, *begins})) if len(begins) > 1 else []


@cache
def claim(parser: Parser) -> re.Pattern[str]:
    """What a parser claims a line by."""
    return re.compile(parser.claims)


def _cut(text: str, begins: list[int]) -> list[str]:
    ends = [*begins[1:], len(text)]
    return [row for begin, end in zip(begins, ends, strict=True) if (row := text[begin:end].strip())]
