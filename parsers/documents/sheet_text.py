"""The words of an output that somebody pasted into a spreadsheet and saved as a table of cells.

    "[root@carp1 ~]# mmgetstate -a"               [root@carp1;~]#;mmgetstate;-a;;
    "Node number";"Node name";"GPFS state"        Node;number;Node;name;GPFS;state
    "1";"carp1";"active"                          1;carp1;active;;;

The beginning decides: each line is one row of cells, and rows differ in how many of them hold words, as lines of a
session do. Rows of one length are those of an exported table and stay as they are. A line keeps its number; between
cells stand two blanks, and one where each word has its own cell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from parsers.documents.rich_text import in_parts

LOOKED_AT: Final = 16 << 10
"""Bytes of a text that decide."""
MOST_LINES: Final = 200
LEAST_LINES: Final = 3
LEAST_LENGTHS: Final = 2
"""Rows of so many different lengths are none of one table."""
LEAST_PADDED: Final = 0.4
"""Share of rows that end in cells without words, where a sheet was saved to its full width."""
_QUOTED: Final = r'"(?:[^"\r\n]|"")*"'
_BLANK: Final = re.compile(r"\s")
_WHOLE: Final = re.compile(r'"(?:[^"]|"")*"')


def sheet_words(head: bytes) -> Callable[[Iterator[bytes]], Iterator[bytes]] | None:
    """What gives the words of a text that begins so; None for any other text."""
    sample = head[:LOOKED_AT]
    if not (marks := _marks(sample)):
        return None
    lines = sample.decode("utf-8", "replace").split("\n")[: MOST_LINES + 1]
    lines = [line.rstrip("\r") for line in (lines[:-1] if len(lines) > 1 and len(head) > LOOKED_AT else lines)]
    lines = [line for line in lines if line.strip()]
    found = next((mark for mark in marks if len(lines) >= LEAST_LINES and _is_sheet(lines, mark)), None)
    if found is None:
        return None
    reader = _Reader(found, "  " if any(map(_BLANK.search, lines)) else " ")
    return lambda chunks: in_parts(chunks, reader.read, b"\n")


def _marks(sample: bytes) -> list[str]:
    """What may stand between cells: most texts are told from a sheet by their first lines."""
    if sample[:1] == b'"':
        return [mark for mark in ";,\t" if f'"{mark}"'.encode() in sample]
    found = [mark for mark in ";," if sample.count(mark.encode()) >= LEAST_LINES]
    if found and b" " in sample:
        rows = sample.split(b"\n", LEAST_LINES)[:LEAST_LINES]
        counts = {mark: {row.count(mark.encode()) for row in rows} for mark in found}
        found = [mark for mark in found if len(counts[mark]) == 1 and 0 not in counts[mark]]
    return found


def _is_sheet(lines: list[str], mark: str) -> bool:
    rows = [[cell.strip() for cell in _cells(line, mark)] for line in lines]
    lengths = {len(_held(row)) for row in rows}
    if len(lengths) < LEAST_LENGTHS or max(lengths) < LEAST_LENGTHS:
        return False
    if len({len(row) for row in rows}) == 1:  # saved to its full width
        padded = sum(row[-1] == "" for row in rows)
        return padded >= LEAST_PADDED * len(rows) and len(lengths) > LEAST_LENGTHS
    if all(line[0] == '"' for line in lines):
        row = re.compile(rf"{_QUOTED}(?:{mark}{_QUOTED})*$")
        return all(row.match(line) for line in lines)
    is_of_words = not any('"' in line or _BLANK.search(line) for line in lines)
    return is_of_words and len(lengths) > LEAST_LENGTHS and sum(len(row) > 1 for row in rows) > len(rows) / 2


def _held(row: list[str]) -> list[str]:
    """Cells up to the last one with words."""
    last = max((at for at, cell in enumerate(row) if cell), default=-1)
    return row[: last + 1]


def _cells(line: str, mark: str) -> list[str]:
    """As a spreadsheet saves them: quoted where they hold the mark. Text that fits no quotes stays as it is."""
    if '"' not in line:
        return line.split(mark)
    cells, at = list[str](), 0
    while at <= len(line):
        found = _WHOLE.match(line, at) if line[at : at + 1] == '"' else None
        if found is not None and line[found.end() : found.end() + 1] in ("", mark):
            cells.append(found[0][1:-1].replace('""', '"'))
            at = found.end() + 1
        else:
            end = line.find(mark, at)
            end = len(line) if end < 0 else end
            cells.append(line[at:end])
            at = end + 1
    return cells


class _Reader:
    """Takes rows of a sheet apart."""

    def __init__(self, mark: str, gap: str) -> None:
        self._mark = mark
        self._gap = gap

    def read(self, data: bytes) -> bytes:
        """The lines of whole rows."""
        rows = data.decode("latin-1").split("\n")
        return "\n".join(self._line(row.rstrip("\r")) if row.strip() else "" for row in rows).encode("latin-1")

    def _line(self, row: str) -> str:
        return self._gap.join(_held(_cells(row, self._mark)))
