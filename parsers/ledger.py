"""What became of every line: each has one fate, and the fates of all lines of a text add up to its lines.

A line enters the books once, by ``take``, and only its fate can change after that (``change``): understood + ignored +
not understood is the number of lines taken whatever a parser does. A parser is handed its lines as facts; what it could
not read it gives back by ``Output.skip``, headings and the like by ``Output.frame``, what carries no data by
``Output.ignore``, what is known to be harmless by ``Output.everyday``.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final


class Fate(IntEnum):
    """What became of a line."""

    FACT = 0
    """A parser read it."""
    FRAME = 1
    """Structure: a prompt, a heading, a banner, a date, what ``echo`` prints."""
    EVERYDAY = 2
    """A message of a kind that is known to be harmless."""
    ASIDE = 3
    """Carries no data: blank lines, prose, quotations, marks of left-out lines."""
    UNREAD = 4
    """Lies in an output that a parser claims, and could not be read."""
    UNKNOWN = 5
    """No parser knows it."""


_NONE: Final = [0] * len(Fate)


class Account:
    """Lines by their fate: those of a text, or of one section of it."""

    __slots__ = ("_lines",)

    def __init__(self) -> None:
        self._lines = _NONE.copy()

    def take(self, lines: int, fate: Fate) -> None:
        """So many more lines."""
        self._lines[fate] += lines

    def change(self, lines: int, fate: Fate) -> None:
        """So many of the lines that were taken as facts have another fate."""
        lines = min(lines, self._lines[Fate.FACT])  # parts of one line may be booked as one already
        self._lines[Fate.FACT] -= lines
        self._lines[fate] += lines

    @property
    def facts(self) -> int:
        """Lines that a parser read."""
        return self._lines[Fate.FACT]

    @property
    def understood(self) -> int:
        """Facts, the frame around them, and everyday lines."""
        return sum(self._lines[: Fate.ASIDE])

    @property
    def ignored(self) -> int:
        """Lines that carry no data."""
        return self._lines[Fate.ASIDE]

    @property
    def not_understood(self) -> int:
        """Lines that nobody could read."""
        return self._lines[Fate.UNREAD] + self._lines[Fate.UNKNOWN]

    @property
    def total(self) -> int:
        """All lines taken."""
        return sum(self._lines)


class Ledger(Account):
    """The account of a text; what is taken inside a section is booked on that of the open section too."""

    __slots__ = ("_before_parts", "_count", "section")

    def __init__(self) -> None:
        super().__init__()
        self.section: Account | None = None
        """Of the section that is open."""
        self._before_parts: list[int] | None = None
        self._count = 1

    def begin_parts(self, lines: int = 1) -> None:
        """What is taken from here on, up to ``end_parts``, are parts of one line, or is one that was broken into so
        many.
        """
        self.end_parts()
        self._before_parts, self._count = list(self._lines), lines

    def end_parts(self) -> None:
        """The parts count as one line, or as those of the text that they are, which have the worst of their fates."""
        if self._before_parts is None:
            return
        before, self._before_parts = self._before_parts, None
        grown = [now - then for now, then in zip(self._lines, before, strict=True)]
        if sum(grown) == 0:
            return  # nothing was taken, and lines above may have another fate by now
        fates = [fate for fate in Fate if grown[fate] > 0]
        worst = next((fate for fate in fates if fate >= Fate.UNREAD), fates[0])
        above = max(-grown[Fate.FACT], 0)
        self._lines = before
        self._lines[Fate.FACT] -= above
        self._lines[worst] += above + self._count

    def take_inside(self, lines: int, fate: Fate) -> None:
        """So many more lines, which stand in the open section where there is one."""
        self.take(lines, fate)
        if self.section is not None:
            self.section.take(lines, fate)

    def change(self, lines: int, fate: Fate) -> None:
        """So many of the lines that the open section was given have another fate."""
        super().change(lines, fate)
        if self.section is not None:
            self.section.change(lines, fate)
