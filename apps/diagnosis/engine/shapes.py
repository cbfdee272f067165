"""Messages of a log that are alike but for figures, and that no row of the catalogue knows: what new entries are tried
on, long after the log was read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Final

import polars as pl

from parsers.dataclass import dataclass
from parsers.log_lines import LoggedMessage, message_in
from parsers.messages.catalogue import find, group_of, judging_with
from parsers.messages.site_entries import TEXT_READ, Entries, blanked
from parsers.text import Block

LINE_CHARS: Final = 600
LINES_LOOKED_AT: Final = 20_000
"""Lines of one text that differ in more than figures; beyond them only what was met before is counted."""
SHAPES_MOST: Final = 3_000
HOSTS_KEPT: Final = 4


@dataclass(slots=True)
class LogShape:
    """Messages of one program that are alike. ``line``: of the first one, ``text``: how it reads."""

    program: str
    shape: str
    text: str
    line: int
    lines: int = 0
    hosts: list[str] = field(default_factory=list)


@dataclass(slots=True)
class LogShapes:
    """Shapes of one text. is_cut: there were more."""

    found: dict[tuple[str, str], LogShape] = field(default_factory=dict)
    is_cut: bool = False
    _of_lines: dict[str, LogShape | None] = field(default_factory=dict)

    def take(self, first: int, key: str, text: str, lines: int) -> None:
        """Lines of one text that are alike: the first of them, and how many."""
        if key not in self._of_lines:
            if len(self._of_lines) >= LINES_LOOKED_AT:
                self.is_cut = True
                return
            self._of_lines[key] = self._shape(first, text)
        shape = self._of_lines[key]
        if shape is not None:
            shape.lines += lines

    def _shape(self, first: int, text: str) -> LogShape | None:
        line = message_in(text)
        if line is None or not line.message or is_known(line):
            return None
        message = line.message[:TEXT_READ]
        key = (line.program, blanked(message))
        if key not in self.found:
            if len(self.found) >= SHAPES_MOST:
                self.is_cut = True
                return None
            self.found[key] = LogShape(line.program, key[1][:TEXT_READ], message, first)
        shape = self.found[key]
        if line.host and line.host not in shape.hosts and len(shape.hosts) < HOSTS_KEPT:
            shape.hosts.append(line.host)
        return shape


def is_known(line: LoggedMessage) -> bool:
    """Whether the catalogue says what a message means: then no entry is asked."""
    with judging_with(_NOBODY):
        group = group_of(line.program) or line.program
        return find(group, line.message, code=line.code, program=line.program) is not None


_NOBODY: Final = Entries()


def log_shapes(text: Iterable[Block]) -> LogShapes:
    """Shapes of the messages of a text."""
    shapes = LogShapes()
    for block in text:
        for first, key, line, lines in _alike(block):
            shapes.take(first, key, line, lines)
    return shapes


def _alike(block: Block) -> Iterator[tuple[int, str, str, int]]:
    """Lines of a block that differ in figures only: the number of the first, what they share, the first, how many."""
    lines = pl.Series("text", [block.data.decode("utf-8", "replace").removesuffix("\n")]).str.split("\n").explode()
    frame = lines.to_frame().with_columns(
        key=pl.col("text").str.slice(0, LINE_CHARS).str.replace_all(r"\d+", "0"),
        line=pl.int_range(pl.len(), dtype=pl.Int64) + block.first_line,
    )
    alike = frame.group_by("key", maintain_order=True).agg(pl.col("line", "text").first(), pl.len())
    for key, first, text, count in alike.iter_rows():
        yield first, key, text[:LINE_CHARS], count
