"""Lines of an output, each kind of them defined once: a name, a pattern, and what is made of it.

Claim, ownership and fate follow from the list: what a parser calls a row it claims and owns, a row of which a record
was made is a fact, one of which none was made is unread, and a line without data has its kind named (a frame, or an
everyday row).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

from parsers.dataclass import dataclass
from parsers.ledger import Fate
from parsers.line_kinds import is_elision
from parsers.patterns.kept_start import compiled

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

Make = Callable[["OpenSection", "Line", re.Match[str]], None]
_GROUP = re.compile(r"(?<!\\)\(\?P<\w{1,40}>")


@dataclass(frozen=True, slots=True)
class Row:
    """A kind of line. Groups of its pattern have names; the pattern is matched at the first character that is not
    blank.

    make: puts out the records. fate: FACT where it puts out some, FRAME or EVERYDAY where the line holds no data; the
    maker of a frame may keep what stands in it. opens: whether such a line may begin a section.
    """

    name: str
    pattern: str
    make: Make | None = None
    fate: Fate = Fate.FACT
    opens: bool = True


def everyday(name: str, *patterns: str, opens: bool = True) -> Row:
    """A row of a list of which nothing is judged: any of the patterns."""
    return Row(name, f"(?:{'|'.join(patterns)})", fate=Fate.EVERYDAY, opens=opens)


def heading(name: str, *patterns: str) -> Row:
    """A line above such rows that holds no data."""
    return Row(name, f"(?:{'|'.join(patterns)})", fate=Fate.FRAME)


class Rows:
    """The kinds of lines of an output, in the order in which they are tried."""

    def __init__(self, *rows: Row, also: str = "(?!)") -> None:
        """also: lines that belong to the output and are no whole row, such as cut ones: they are unread."""
        self._kinds = rows
        self._also = also
        self.claims: Final = _either([row.pattern for row in rows if row.opens])

    # Compiled where a text first needs them.
    @cached_property
    def _rows(self) -> list[tuple[Row, re.Pattern[str]]]:
        return [(row, compiled(row.pattern)) for row in self._kinds]

    @cached_property
    def _owned(self) -> re.Pattern[str]:
        return compiled(_either([*(row.pattern for row in self._kinds), self._also]))

    def owns(self, text: str, before: str) -> bool:  # noqa: ARG002  the form of an owner
        """Whether a line is one of these, or a mark for left-out ones."""
        return self._owned.match(text.strip()) is not None or is_elision(text)

    def read(self, section: OpenSection, out: Output, reason: str) -> None:
        """Read a section to its end. reason: why a line was not read that is none of the rows, or gave no record."""
        for line in section:
            text = line.text.strip()
            found = next(
                ((row, match) for row, pattern in self._rows if (match := pattern.match(text)) is not None), None
            )
            if found is None:
                if is_elision(text):
                    out.ignore()
                else:
                    out.skip(line, reason)
                continue
            row, match = found
            before = out.rows
            if row.make is not None:
                row.make(section, line, match)
            if row.fate is not Fate.FACT:
                out.ledger.change(1, row.fate)
            elif out.rows == before:
                out.skip(line, reason)


def _either(patterns: Sequence[str]) -> str:
    """One of the patterns; nothing captures."""
    return rf"(?:{'|'.join(_GROUP.sub('(?:', pattern) for pattern in patterns)})"


def lines_of(
    section: OpenSection, out: Output, pattern: re.Pattern[str], reason: str
) -> Iterator[tuple[Line, re.Match[str]]]:
    """The lines of an output that has one kind of them, each with its match. reason: why another one was not read."""
    for line in section:
        if (match := pattern.match(line.text.strip())) is None:
            out.skip(line, reason)
        else:
            yield line, match


def whole(section: OpenSection, out: Output, goes_on: Callable[[str, str], bool]) -> Iterator[tuple[Line, str]]:
    """The lines of a section, each with the text of what was broken off it. goes_on: whether a line is the rest of the
    one above it.
    """
    first, text, above = None, "", ""
    for line in section:
        body = line.text.strip()
        if first is not None and goes_on(above, body):
            text, above = f"{text} {body}", body
            out.frame()
            continue
        if first is not None:
            yield first, text
        first, text, above = line, body, body
    if first is not None:
        yield first, text
