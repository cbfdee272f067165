"""Ways in which the rows of an output that came on one line may be told apart: by their stamps, by the width of a
table, by the names of a list, by what a parser owns.

Which of them is right is for a trial to say (see ``parsers.layouts.flattened``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from typing import Final

from parsers.lookup import Parser
from parsers.patterns.kept_start import compiled
from parsers.times.clock import MONTH

LONGEST_ROW: Final = 24
"""Words of a row."""
MOST_WIDTHS: Final = 8
"""Widths of a table that are worth a trial."""
GUESSED: Final = -40
"""Priority of readers of any table: wide gaps make one of any few words."""
LEAST_CELLS: Final = 4
WIDEST: Final = 8
"""Blanks of a gap that tell more than less."""
LEAST_STAMPS: Final = 2
_WORD: Final = re.compile(r"\S+")
_DAY: Final = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_CLOCK: Final = r"\d\d:\d\d:\d\d"
_STAMPS: Final = tuple(
    re.compile(rf"(?<!\S){pattern}")
    for pattern in (
        rf"{_DAY} {MONTH} {{1,2}}\d{{1,2}} {_CLOCK}",
        rf"(?<!{_DAY} ){MONTH} {{1,2}}\d{{1,2}} {_CLOCK}",
        rf"(?<!\bback )(?<!\bfront )(?<!cutoff )(?<!deadline )(?<!since )\d{{4}}[-/]\d\d[-/]\d\d[T_ ]{_CLOCK}",
        r"\[ {0,8}\d{1,9}\.\d{6}\]",
    )
)
_RULER: Final = re.compile(r"[-=+_|]{3,}$")
_PAIR: Final = re.compile(r"(?<!\S)[\w./()%-]{1,60}\s?[=:](?=\s|\S)")
_NAMED: Final = re.compile(r"(?<=\S)(?: {0,40}[:=] {1,40})(?=\S)")
_BETWEEN_ELEMENTS: Final = re.compile(r">\s{1,60}(?=<)")
MOST_VALUES: Final = 200
MOST_ABOVE: Final = 8
"""Words above a list."""
WIDEST_NAME: Final = 60
_GAP: Final = re.compile(r"\s{2,}")
_OF_FIELDS: Final = re.compile(
    r"(?:[*-] )?[^:=]{3,100}: (?:[\w-]{1,40}=(?:'[^'=]{0,100}'|[^',=\s]{1,100}), ){2,12}"
    r"[\w-]{1,40}=(?:'[^'=]{0,100}'|[^',=\s]{1,100})(?: \([^()=]{1,100}\))?"
)
"""``reboot of n2 failed: delegate=n1, client=controld.7, last-failed='10:31' (a later attempt succeeded)``."""
_SIGN: Final = re.compile(r"\S[:=](?:\s|$)|\s[:=]\s|\w=\S")


def by_stamps(text: str) -> list[str]:
    """Rows that begin with a stamp of one form, with what stands in front of the first; empty where there are less
    than two.
    """
    begins = [sorted(match.start() for match in form.finditer(text)) for form in _STAMPS]
    first = min((found for found in begins if len(found) >= LEAST_STAMPS), key=lambda found: found[0], default=[])
    return _cut(text, [0, *(begin for begin in first if begin)]) if first else []


def is_one_entry(text: str) -> bool:
    """Whether a stamp opens the text and no other one follows: one line of a log. Or one row of a list whose fields
    have names and stand behind each other with commas, with a remark behind them or without.
    """
    is_logged = any(form.match(text) is not None and len(form.findall(text)) == 1 for form in _STAMPS)
    return is_logged or _OF_FIELDS.fullmatch(text) is not None


def by_names(text: str) -> list[str]:
    """Rows of a name, a sign and a value."""
    begins = [match.start() for match in _PAIR.finditer(text)]
    return _cut(text, sorted({0, *begins})) if len(begins) > 1 else []


def by_columns(text: str) -> list[str]:
    """Rows of a name, a sign and a value, all values below each other: where the next value stands tells where its row
    begins. Empty where less than three rows fit.
    """
    values = [match.end() for match in islice(_NAMED.finditer(text), MOST_VALUES)]
    best: list[int] = []
    for first in islice(_WORD.finditer(text), MOST_ABOVE):
        width = next((value - first.start() for value in values if value > first.start()), 0)
        begins = [begin for value in values if (begin := value - width) >= first.start() and _begins_at(text, begin)]
        if 0 < width <= WIDEST_NAME and len(begins) > max(len(best), LEAST_STAMPS) and 2 * len(begins) > len(values):
            best = begins
    return _cut(text, [*([0] if best[0] else []), *best]) if best else []


def _begins_at(text: str, begin: int) -> bool:
    """Whether a row may begin there: one blank, which stands for the end of the line above, is in front."""
    return not begin or (text[begin - 1] == " " and not text[begin].isspace() and text[begin - 2 : begin] != "  ")


def by_elements(text: str) -> list[str]:
    """Elements of XML."""
    return _cut(text, [0, *(match.end() for match in _BETWEEN_ELEMENTS.finditer(text))]) if text[:1] == "<" else []


def by_width(text: str, parser: Parser | None) -> Iterator[list[str]]:
    """A heading and rows of equally many words, or rows alone; the likeliest first. ``parser``: it has to own them."""
    words = [*_WORD.finditer(text)]
    bare = [*_WORD.finditer(" ".join(text.split()))]
    is_guess = parser is None or parser.priority < GUESSED

    def tables(shapes: Iterable[tuple[int, int]]) -> Iterator[list[str]]:
        for head, width in shapes:
            is_bare = is_guess and min(head or width, width) < LEAST_CELLS
            rows = _of_width(bare if is_bare else words, head, width)
            if rows and (parser is None or _owns_all(parser, rows)):
                yield rows

    shapes = [*_shapes([one[0] for one in words])]
    yield from islice(tables(shapes), MOST_WIDTHS)
    yield from islice(tables(one for one in shapes if not _is_cut(words, *one)), MOST_WIDTHS)


def _is_cut(words: list[re.Match[str]], head: int, width: int) -> bool:
    """Whether the last row of a shape has less words than the others."""
    rulers = head < len(words) and _RULER.match(words[head][0]) is not None
    return width < 1 or (len(words) - head - rulers) % width > 0


def _shapes(words: list[str]) -> Iterator[tuple[int, int]]:
    """Words of a heading and of a row: they hardly differ, and a ruler says where the heading ends."""
    ruler = next((at for at, word in enumerate(words) if at and _RULER.match(word)), 0)
    for gap in range(LONGEST_ROW):
        for head in [ruler] if ruler else range(LONGEST_ROW):
            yield from ((head, width) for width in sorted({max(head, 1) - gap, head + gap} if head else {gap}))


def _owns_all(parser: Parser, rows: list[str]) -> bool:
    return all(parser.owns(row, rows[0]) for row in rows[1:] if row[0] not in "-=")


def _of_width(words: list[re.Match[str]], head: int, width: int) -> list[str]:
    """The words as a heading and rows, with the gaps between them; the last row may be cut. Empty where less than one
    whole row follows.
    """
    rulers = next((at for at, word in enumerate(words[head:]) if not _RULER.match(word[0])), len(words) - head)
    if width < 1 or len(words) - head - rulers < width or len(words) - head > LONGEST_ROW * LONGEST_ROW:
        return []
    begins = [0] * bool(head) + [head] * bool(rulers) + [*range(head + rulers, len(words), width)]
    return [_between(words, begin, end) for begin, end in zip(begins, [*begins[1:], len(words)], strict=True)]


def _between(words: list[re.Match[str]], begin: int, end: int) -> str:
    return words[begin].string[words[begin].start() : words[end - 1].end()]


def by_parser(text: str, parser: Parser, *, one_sign: bool = False, gaps: int = 0) -> list[str]:
    """The text cut into as many rows as the parser owns, with as few words as possible outside of them; empty where it
    owns anything. one_sign: a row holds one name and one value. gaps: 1 where rows are set in, so that wide gaps are
    in front of them; -1 where they are not, so that wide gaps part their columns.
    """
    found = [*_WORD.finditer(text)]
    words, ends_of_words = [match.start() for match in found], [match.end() for match in found]
    if parser.owns("qq zz 7 xyx", ""):
        return []
    claims, ends = claim(parser), [*words, len(text)]
    best: list[tuple[int, int, int, int]] = [(0, 0, 0, 0)] + [(-1 << 30, 0, 0, 0)] * len(words)
    for begin in range(len(words)):
        lost, count, wide, before = best[begin]
        above = text[ends[before] : ends[begin]].rstrip()
        if gaps:
            blanks = ends[begin] - ends_of_words[begin - 1] if begin else 0
            wide += gaps * min(blanks, WIDEST) - text[ends[begin]].islower()
        best[begin + 1] = max(best[begin + 1], (lost - 1, count, wide, begin))
        for end in range(begin + 1, min(begin + LONGEST_ROW, len(words)) + 1):
            row = text[ends[begin] : ends[end]].rstrip()
            if one_sign and len(_SIGN.findall(row)) != 1:
                continue
            if parser.owns(row, above) or claims.match(row):
                best[end] = max(best[end], (lost, count + 1, wide, begin))
    rows, at = [], len(words)
    while at:
        begin = best[at][3]
        rows.append(text[ends[begin] : ends[at]].rstrip())
        at = begin
    return rows[::-1]


def by_gaps(text: str, parser: Parser, ways: list[list[str]]) -> list[list[str]]:
    """Some ways, with two more; first the one for rows that are set in, where most wide gaps are in front of rows."""
    wide, narrow = by_parser(text, parser, gaps=1), by_parser(text, parser, gaps=-1)
    inside = sum(len(_GAP.findall(row)) for row in wide)
    is_set_in = 3 * inside <= len(_GAP.findall(text))
    return [wide, *ways, narrow] if is_set_in else [*ways, narrow, wide]


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
    return compiled(parser.claims)


def _cut(text: str, begins: list[int]) -> list[str]:
    ends = [*begins[1:], len(text)]
    return [row for begin, end in zip(begins, ends, strict=True) if (row := text[begin:end].strip())]
