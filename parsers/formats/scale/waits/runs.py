"""Runs of plain waiter rows, one like the other: read from the bytes, without the way of a line through the structure.

A run takes a row only where the line below begins another row, so that nothing of it can stand there, and only where
the text of both is printable ASCII. What else the line loop asks of a line (is it a prompt, whose is it, is it cleaned)
is asked once per wording: rows of one wording differ in figures alone. Rows, records, shapes and repeats come out as
the line loop would give them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from dataclasses import field
from typing import Final, NamedTuple

from parsers.dataclass import dataclass
from parsers.formats.scale.waits.detail import MEMO_KEPT
from parsers.formats.scale.waits.line import WaiterLine
from parsers.formats.scale.waits.rows import Rows, WordedRow
from parsers.output import Output
from parsers.sections.reader import OpenSection
from parsers.text import make_line

FIRST_BYTES: Final = 1_200
"""Enough to see whether two rows follow, which is asked after each line of the line loop."""
RUN_BYTES: Final = 64 << 10
LONGEST_ROW: Final = 1_000

PLAIN_NODE: Final = r"(?:([A-Za-z][\w-]{0,62}): {1,2})?"
"""A node in front of a row: without a dot, so that it is no file that ``grep`` names."""

Take = Callable[[re.Match[str], int], WordedRow | None]
Read = Callable[[re.Match[str]], WaiterLine | None]


class Wording(NamedTuple):
    """What rows of one wording have in common."""

    shape: int
    has_lock: bool


@dataclass(slots=True)
class _Known:
    """The wordings of one artifact, as long as the table of shapes is the same."""

    wordings: dict[Hashable, Wording | None] = field(default_factory=dict)
    tables: int = 0


class Runs:
    """The runs of one section. ``begins`` matches where a line begins a row of any sort that goes on with
    none above.
    """

    def __init__(self, section: OpenSection, out: Output, rows: Rows, begins: re.Pattern[str]) -> None:
        self._section = section
        self._out = out
        self._rows = rows
        self._begins = begins.match
        self._lines: list[str] = []
        self._known: _Known = out.interned.setdefault("scale_wordings", _Known())
        self._wordings: dict[Hashable, Wording | None] = self._known.wordings

    def run(self, flush: Callable[[], None], pattern: Callable[[], re.Pattern[str] | None], take: Take) -> None:
        """Read on while rows are plain. ``flush`` ends the row that the line loop holds open; ``take`` gives a row, or
        None to leave it.

        The row that is open may be a header: only behind it the ``pattern`` is known.
        """
        section = self._section
        command = section.command
        if command is not None and command.loop:
            return  # one of its words, alone on a line, is structure
        text = section.window(FIRST_BYTES).decode("latin-1")
        if not self._begins(text):
            return
        flush()
        row = pattern()
        if row is None or (first := row.match(text)) is None or self._begins(text, first.end()) is None:
            return
        text = section.window(RUN_BYTES).decode("latin-1")
        while text and (size := self._read(text, row, take)):
            section.take(len(self._lines), size=size, texts=self._lines)
            text = section.window(RUN_BYTES).decode("latin-1") if size > len(text) - LONGEST_ROW else ""

    def _read(self, text: str, row: re.Pattern[str], take: Take) -> int:
        """The length of the rows taken; their lines are kept as ``_lines``."""
        match, begins, number, at = row.match, self._begins, self._section.line_number, 0
        found: list[WordedRow] = []
        self._forget()
        while (one := match(text, at)) is not None and begins(text, one.end()) is not None:
            number += 1
            if (taken := take(one, number)) is None:
                break
            found.append(taken)
            at = one.end()
        self._rows.extend(found)
        self._lines = text[:at].split("\n")[:-1]
        return at

    def wording(self, key: Hashable, number: int, match: re.Match[str], read: Read) -> Wording | None:
        """What rows of a wording say; ``read`` is asked of its first one. None where the line loop has to see
        to them.
        """
        if key in self._wordings:
            return self._wordings[key]
        found = self._first(number, match, read)
        self._forget()
        self._wordings[key] = found
        return found

    def _forget(self) -> None:
        """Numbers of shapes hold as long as the table of shapes is the same."""
        if len(self._wordings) >= MEMO_KEPT or self._known.tables != self._rows.shapes.tables:
            self._wordings.clear()
            self._known.tables = self._rows.shapes.tables

    def _first(self, number: int, match: re.Match[str], read: Read) -> Wording | None:
        text = match[0].removesuffix("\n")
        line = make_line(number, text.encode("latin-1"))
        if len(text) > LONGEST_ROW or line.text != text or not self._section.owns(line, ""):
            return None
        waiter = read(match)
        if waiter is None:
            return None
        shape = self._rows.shapes.number(waiter.shape, number, self._out)
        return Wording(shape, waiter.detail.wait_address is not None)
