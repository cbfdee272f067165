"""Finding text that is printed twice in one file, as exports of web pages do, so that its records count once."""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from typing import Final

from parsers.line_kinds import is_prose
from parsers.output import Output
from parsers.records import Repeat
from parsers.text import Line
from parsers.times.clock import find_instant

RUN_LINES: Final = 20
PROSE_LINES: Final = 3
SEED_LINES: Final = 4
TRACKED_LINES: Final = 200_000


class RepeatFinder:
    """Follows the lines of a text; a long enough run of lines seen before, with prose or a full date in it, is a
    Repeat.

    Loops that print the same idle output again and again hold neither prose nor the same date twice: they are no
    repeats.
    """

    def __init__(self, out: Output) -> None:
        self._out = out
        self._hashes: list[int] = []
        self._numbers: list[int] = []
        self._seeds: dict[tuple[int, ...], int] = {}
        self._at: int | None = None
        self._run: list[int] = []
        self._prose = 0
        self._dates = 0
        self._blocks: dict[int, int] = {}
        self._again: list[int] = []

    def line(self, line: Line) -> None:
        """Take the next non-blank line."""
        text = line.text.strip()
        if not text or len(self._hashes) >= TRACKED_LINES:
            return
        hashes, at, mark = self._hashes, self._at, hash((line.host, text) if line.host else text)
        goes_on = at is not None and hashes[at] == mark
        if at is not None and goes_on:
            self._at = at + 1
            self._count(line, text)
        elif at is not None:
            self._end()
        hashes.append(mark)
        self._numbers.append(line.number)
        own = len(hashes) - SEED_LINES
        if own < 0:
            return
        start = self._seeds.setdefault(tuple(hashes[own:]), own)
        if start != own and not goes_on:
            self._begin(start)

    def gap(self) -> None:
        """Lines went by unseen (a bulk stretch)."""
        self._end()

    def block(self, key: Hashable, first: int, last: int | None) -> None:
        """A dated block that a bulk parser read whole; without ``last`` it is only remembered, its lines were seen one
        by one.
        """
        mark = hash(key)
        if mark not in self._blocks:
            if len(self._blocks) < TRACKED_LINES:
                self._blocks[mark] = first
            return
        of = self._blocks[mark]
        if last is None or of == first:
            return
        if self._again and self._again[1] + 1 == first and of - self._again[2] == first - self._again[0]:
            self._again[1] = last
            return
        self._end_blocks()
        self._again = [first, last, of]

    def close(self) -> None:
        """The text ends."""
        self._end()
        self._end_blocks()

    def _end_blocks(self) -> None:
        if self._again:
            first, last, of = self._again
            self._out.structure(Repeat(line=first, last_line=last, of=of))
        self._again = []

    def _begin(self, start: int) -> None:
        """A run begins when the last lines stand together earlier in the text."""
        self._at = start + SEED_LINES
        self._run = self._numbers[-SEED_LINES:]
        self._prose = self._dates = 0

    def _count(self, line: Line, text: str) -> None:
        self._run.append(line.number)
        prose, dated = _telling(text)
        self._prose += prose
        self._dates += dated

    def _end(self) -> None:
        if self._at is not None and len(self._run) >= RUN_LINES and (self._prose >= PROSE_LINES or self._dates):
            first = self._numbers[self._at - len(self._run)]
            self._out.structure(Repeat(line=self._run[0], last_line=self._run[-1], of=first))
        self._at, self._run = None, []


@lru_cache(maxsize=4096)
def _telling(text: str) -> tuple[bool, bool]:
    """Whether a line is prose, and whether it begins with a date: loops print the same lines again and again."""
    return is_prose(text), any(c.isdigit() for c in text[:4]) and find_instant(text) is not None
