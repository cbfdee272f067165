"""The one reader of tables with a heading: columns are found by what stands above them, never by their position.

    TASKID  PTID TYPE/STATE    PCT   PROGRESS
       162           RDWRBACK/R 06.54% 0/8388608/548864 RDWRBACK rolls

A column has a name, the headings that releases gave it, and what its cells look like. Headings come in any order,
optional ones may be missing, unknown ones are kept under their own words. A cell belongs to the heading at whose left
or right edge it stands, so that a blank cell stays blank; rows that were shifted are read by the count of their cells.
A reading counts only if every cell looks as its column says. A row that was wrapped is joined with the line below it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from parsers.grammars.cells import Cells
from parsers.patterns.kept_start import compiled

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

MOST_LEFT_OVER: Final = 3
"""Words of the last cell of a row beyond one."""
COLUMNS_MOST: Final = 60
ROW_MOST: Final = 4_000
REMARK: Final = "remark"
"""The one field of a line that says more of the row above it."""
_RULER = re.compile(r"[-=+| _]{3,4000}$")
_WORD = re.compile(r"\S{1,1000}")
_WIDE = re.compile(r"\S{1,1000}(?: \S{1,1000}){0,60}")
_ANYTHING: Final = re.compile(r".", re.DOTALL)


class Column:
    """A column that is known: its name, the headings it goes by, and the pattern of its cells (``re.match``)."""

    def __init__(self, name: str, *headings: str, cell: str = "", needed: bool = False) -> None:
        """headings: other spellings; the name is one of them. needed: no heading and no row without it."""
        self.name = name
        self.headings = tuple(dict.fromkeys((name, *headings)))
        self._cell = cell
        self.is_needed = needed

    @cached_property
    def cell(self) -> re.Pattern[str]:
        """The pattern of its cells, compiled where a text first needs it."""
        return compiled(self._cell) if self._cell else _ANYTHING


class Span(NamedTuple):
    """A heading as it stands in its line."""

    name: str
    start: int
    end: int


class Table:
    """A table as its columns tell it. ``claims`` and ``owns`` are what the registration of its parser needs."""

    def __init__(self, *columns: Column, row: str, frame: str = "(?!)", remark: str = "(?!)") -> None:
        """row: what a row begins with; frame: further lines that belong to the table and hold no data, such as totals
        of no use; remark: lines below a row that say more of it, which come as cells of ``REMARK`` alone.
        """
        self.columns = {column.name: column for column in columns}
        self._needed = frozenset(column.name for column in columns if column.is_needed)
        names = sorted(
            ((text, column.name) for column in columns for text in column.headings), key=lambda pair: -len(pair[0])
        )
        self._by_heading = {_plain(text): name for text, name in names}
        self._names = [text for text, _ in names]
        self._framed = frame
        self._remarked = remark
        first = "|".join(_spelt(text) for text, _ in names)
        others = "".join(
            rf"(?=(?:.{{0,400}}\s)?(?:{'|'.join(map(_spelt, column.headings))})(?!\S))"
            for column in columns
            if column.is_needed
        )
        self.claims: Final = rf"(?:{first})(?!\S)" if not others else rf"(?={first}){others}"
        self.owns: Final = rf"(?:{self.claims}|{row}|{frame}|{remark}|[-=+| _]{{3,400}}$)"

    # Compiled where a text first needs them.
    @cached_property
    def _heading(self) -> re.Pattern[str]:
        return compiled("|".join(rf"(?<!\S){_spelt(text)}(?!\S)" for text in self._names), re.IGNORECASE)

    @cached_property
    def _frame(self) -> re.Pattern[str]:
        return compiled(self._framed)

    @cached_property
    def _remark(self) -> re.Pattern[str]:
        return compiled(self._remarked)

    @cached_property
    def _claim(self) -> re.Pattern[str]:
        return compiled(self.claims, re.IGNORECASE)

    def heading(self, text: str) -> tuple[Span, ...] | None:
        """Columns of a heading, or None where the line is none."""
        if self._claim.match(text.lstrip()) is None:
            return None
        known = [
            Span(self._by_heading[_plain(found[0])], *found.span()) for found in self._heading.finditer(text[:ROW_MOST])
        ]
        if not known or not self._needed <= {span.name for span in known}:
            return None
        words = _WIDE if re.search(r"\S {2,}\S", text) else _WORD
        places = [*known, Span("", len(text), len(text))]
        spans, at = [], 0
        for span in places:
            spans += [
                Span(" ".join(other[0].split()), at + other.start(), at + other.end())
                for other in words.finditer(text[at : span.start])
            ]
            spans.append(span)
            at = span.end
        return tuple(spans[:-1][:COLUMNS_MOST])

    def cells(self, text: str, spans: Sequence[Span]) -> dict[str, str] | None:
        """Cells of a row by column, or None where no reading of it fits the columns."""
        return next((fields for fields in _ways_to_read(text, spans) if fields and self._fits(fields)), None)

    def _fits(self, fields: dict[str, str]) -> bool:
        columns = self.columns
        return self._needed <= fields.keys() and all(
            columns[name].cell.match(value) for name, value in fields.items() if name in columns
        )

    def rows(self, section: OpenSection, out: Output, reason: str) -> Iterator[Cells]:
        """Rows of a section. A line that is no row, or of which no record was made, is skipped for the reason."""
        held: Line | None = None
        for line in section:
            text = line.text.rstrip()
            if (spans := self.heading(text)) is not None:
                section.state["heading"] = spans
            if spans is not None or _RULER.match(text) or self._frame.match(text.lstrip()):
                out.frame()
                continue
            row = self._row(line, held, section.state.get("heading", ()))
            if held is not None and (row is None or row.line == line.number):
                out.skip(held, reason)
            held = line if row is None else None
            if row is not None:
                before = out.rows
                yield row
                if out.rows == before:
                    out.skip(line, reason)
        if held is not None:
            out.skip(held, reason)

    def _row(self, line: Line, held: Line | None, spans: Sequence[Span]) -> Cells | None:
        """The row that a line is, or that ends in it."""
        if self._remark.match(line.text.strip()):
            return Cells(line=line.number, fields={REMARK: line.text.strip()})
        if (fields := self.cells(line.text.rstrip(), spans)) is not None:
            return Cells(line=line.number, fields=fields)
        if held is not None and (fields := self.cells(f"{held.text.rstrip()} {line.text.strip()}", spans)) is not None:
            return Cells(line=held.number, fields=fields)
        return None


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def _spelt(text: str) -> str:
    """A heading as a pattern: any number of blanks between its words."""
    return r"\s{1,8}".join(map(re.escape, text.split()))


def _ways_to_read(text: str, spans: Sequence[Span]) -> Iterator[dict[str, str] | None]:
    """Cells of a row by column in one way after another; most rows are read by the first."""
    words = [Span(found[0], *found.span()) for found in _WORD.finditer(text[:ROW_MOST])]
    names = [span.name for span in spans]
    yield _by_edges(words, spans)
    yield _in_turn([word.name for word in words], names)
    yield _in_turn(_WIDE.findall(text[:ROW_MOST]), names)
    yield _with_rest(words, spans)
    yield _by_place(words, spans)


def _by_edges(words: Sequence[Span], spans: Sequence[Span]) -> dict[str, str] | None:
    """Each cell begins below the left edge of its heading or ends below its right edge; what follows a left edge goes
    on it.
    """
    fields: dict[str, str] = {}
    column, end, is_left = -1, 0, False
    for word in words:
        found = next(
            (i for i in range(column + 1, len(spans)) if word.start == spans[i].start or word.end == spans[i].end), None
        )
        limit = spans[column + 1].start if 0 <= column < len(spans) - 1 else ROW_MOST
        if found is not None:
            column, is_left = found, word.start == spans[found].start
            fields[spans[column].name] = word.name
        elif column >= 0 and is_left and word.start == end + 1 and word.end < limit:
            fields[spans[column].name] += f" {word.name}"
        else:
            return None
        end = word.end
    return fields or None


def _in_turn(cells: Sequence[str], names: Sequence[str]) -> dict[str, str] | None:
    """As many cells as columns."""
    return dict(zip(names, cells, strict=True)) if cells and len(cells) == len(names) else None


def _with_rest(words: Sequence[Span], spans: Sequence[Span]) -> dict[str, str] | None:
    """Below a heading whose gaps collapsed to one blank each: the last column takes what is left over, as bars and
    notes of several words stand there.
    """
    is_collapsed = all(one.end + 1 == other.start for line in (spans, words) for one, other in pairwise(line))
    if not is_collapsed or not len(spans) < len(words) <= len(spans) + MOST_LEFT_OVER:
        return None
    *cells, last = (span.name for span in spans)
    count = len(cells)
    found = {name: word.name for name, word in zip(cells, words, strict=False)}
    return {**found, last: " ".join(word.name for word in words[count:])}


def _by_place(words: Sequence[Span], spans: Sequence[Span]) -> dict[str, str] | None:
    """Each word goes to the heading that it stands below, else to the nearest one; none may come before that of the
    word to its left.
    """
    fields: dict[str, str] = {}
    column = 0
    for word in words:
        rest = range(column, len(spans))
        if not rest:
            return None
        column = min(rest, key=lambda i: (max(spans[i].start - word.end, word.start - spans[i].end, -1), i))
        name = spans[column].name
        fields[name] = f"{fields[name]} {word.name}" if name in fields else word.name
    return fields or None
