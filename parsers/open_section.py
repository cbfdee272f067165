"""A section while it is open: what its parser sees of it, and what is booked on it."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from parsers.clock import Instant
from parsers.lines import LineSource
from parsers.registry import Parser
from parsers.text import Line
from parsers.transcript import Command, Mark
from parsers.years import Years

if TYPE_CHECKING:
    from parsers.sections import Reader


class Context(NamedTuple):
    """What the structure above a line says about it. ``epoch`` grows with every structural line."""

    node: str | None = None
    node_basis: str = "unknown"
    clock: Instant | None = None
    command: Command | None = None
    prompt_line: int = 0
    epoch: int = 0


class _Unknown(NamedTuple):
    """Stands for an Instant that is not known."""

    us: int | None = None
    zone_min: int | None = None
    zone_name: str | None = None
    resolution_us: int = 1_000_000


NO_INSTANT: Final = _Unknown()
HINTED: Final = frozenset(("unknown", "path"))
"""Bases of a node that give way to what the text itself says."""


Dump = tuple[Sequence[tuple[Mark, int]], int, int, Parser]
"""Structural lines with their numbers, the first and last line of what follows, and whose it is."""
Told = tuple[str | None, int | None, int | None]
"""Node, clock and zone of a dump."""


@dataclass(slots=True)
class Row:
    """A section while it is open: becomes a Section record when another begins."""

    parser: Parser | None
    context: Context
    first_line: int
    last_line: int = 0
    node: str | None = None
    node_basis: str = "unknown"
    scope: str | None = None
    instant: Instant | None = None
    last_at: int | None = None
    records: int = 0
    understood: int = 0
    ignored: int = 0
    skipped: int = 0
    elided: bool = False
    state: dict[str, Any] = field(default_factory=dict)

    def values(self, index: int) -> tuple[Any, ...]:
        """The columns of its Section record, in their order."""
        instant, command = self.instant or NO_INSTANT, self.context.command
        return (
            self.first_line, index, self.parser.name if self.parser else "unknown", self.last_line,
            self.node, self.node_basis, command.text if command else None, self.scope,
            instant.us, self.last_at or instant.us, instant.zone_min, instant.zone_name, instant.resolution_us,
            self.records, max(0, self.understood), max(0, self.ignored), self.skipped,
        )  # fmt: skip


class OpenSection:
    """What a parser sees: an iterator of its lines, and what is known about them."""

    def __init__(self, reader: Reader, parser: Parser, row: Row) -> None:
        self._reader = reader
        self._parser = parser
        self._row = row
        self._previous = ""
        self.ended = False

    @property
    def node(self) -> str | None:
        """Node the section speaks about, if known."""
        return self._row.node

    @property
    def line_number(self) -> int:
        """Number of the last line read."""
        return self._reader.source.number

    @property
    def at(self) -> int | None:
        """Time of capture in microseconds of the wall clock, if known."""
        return self._row.instant.us if self._row.instant else None

    @property
    def zone_min(self) -> int | None:
        """Offset of that clock from UTC, if known."""
        return self._row.instant.zone_min if self._row.instant else None

    @property
    def years(self) -> Years:
        """Gives dates without a year one, from the clock above or the day in the path; one for all sections of a log."""
        clock = self._row.context.clock
        return self._reader.years(clock.us if clock is not None and clock.dated else self._reader.taken_us)

    @property
    def command(self) -> Command | None:
        """The command that produced the section, if a prompt or banner names it."""
        return self._row.context.command

    @property
    def prompt_line(self) -> int:
        """Line of the prompt or banner above; 0 where there is none. It tells one run of a command from the next."""
        return self._row.context.prompt_line

    @property
    def scope(self) -> str | None:
        """Mount point, disk or link, once set."""
        return self._row.scope

    @property
    def path(self) -> str:
        """Display path of the text; empty where it has none."""
        return self._reader.path

    @property
    def elided(self) -> bool:
        """Whether a mark for left-out lines stands between the prompt and the first line."""
        return self._row.elided

    @property
    def state(self) -> dict[str, Any]:
        """A parser's own memory; it survives a stray line inside the section."""
        return self._row.state

    def stamp(self, instant: Instant) -> None:
        """The parser found a time of capture in its own lines; the first one stands for the section, the last is its end."""
        row = self._row
        row.instant = instant if row.last_at is None else row.instant
        row.last_at = instant.us

    def speaks_of(self, *, node: str | None = None, basis: str = "content", scope: str | None = None) -> None:
        """The parser found node or scope in its own lines."""
        if node is not None:
            self._row.node, self._row.node_basis = node, basis
        if scope is not None:
            self._row.scope = scope

    def is_on(self, node: str, basis: str = "content", *, stays: bool = True) -> None:
        """The parser found in its own lines which node printed them: that goes before what a path suggests.

        stays: what follows was printed there too, unless a prompt or a heading says otherwise.
        """
        if self._row.node is None or self._row.node_basis in HINTED:
            self.speaks_of(node=node, basis=basis)
            if stays:
                self._reader.is_on(node, basis)

    def seen(self, key: Hashable, first_line: int, last_line: int | None = None) -> None:
        """Name a dated block by its content, so that a later copy read in bulk becomes a Repeat (see ``RepeatFinder.block``)."""
        self._reader.seen(key, first_line, last_line)

    def __iter__(self) -> Iterator[Line]:
        while (line := self._reader.next_of(self._parser, self._row, self._previous)) is not None:
            self._previous = line.text
            yield line
        self.ended = True

    def peek(self) -> Line | None:
        """The next raw line of the text, whatever it is, without taking it."""
        return self._reader.source.peek()

    def take(self) -> Line | None:
        """Take the next line although the section does not own it (a value wrapped to the next line)."""
        return self._reader.take(self._row)

    def window(self, limit: int = 256 << 10) -> bytes:
        """Whole unread lines for a bulk parser, which must hand back by ``advance`` what it used of them."""
        return self._reader.source.window(limit)

    @property
    def source(self) -> LineSource:
        """The lines of the text: for bulk parsers that work on blocks and ahead of them."""
        return self._reader.source

    def advance(self, size: int, *, understood: int, ignored: int = 0) -> None:
        """Account for bytes of a window: so many lines understood, so many ignored."""
        self._reader.advance(self._row, size, understood, ignored)

    def give_many(self, texts: Sequence[str], size: int) -> None:
        """Take ``size`` bytes of a window whose lines, each of which the iterator would hand out as it stands, the parser has read."""
        self._reader.give_many(self._row, texts, size)
        self._previous = texts[-1]

    def mark_of(self, line: Line) -> Mark | None:
        """What a line of a window tells if it is structure that no parser claims (a heading, a banner, a date)."""
        return self._reader.mark_of(line) if self._reader.source.prefixes.peeled(line) is line else None

    def owns(self, line: Line, previous: str, parser: Parser | None = None) -> bool:
        """Whether the iterator would hand out a line of a window below one that reads ``previous``, in a section of some parser."""
        seen = self._reader.source.prefixes.peeled(line)
        return bool(seen.text.strip()) and not self._reader.ends(parser or self._parser, seen, previous)

    def book(self, *, understood: int = 0, ignored: int = 0, records: int = 0, last_line: int = 0) -> None:
        """Account for lines of a window one section at a time, and for records that the parser puts out later; then ``move``."""
        self._reader.book(self._row, understood, ignored, records, last_line)

    def cross(self, marks: Sequence[tuple[Mark, int]], line: int, parser: Parser, *, blanks: int = 0) -> None:
        """Structural lines of a window, which are understood, end the section; one of a parser begins at ``line``.

        ``blanks``: blank lines between them, and below.
        """
        self._parser = parser
        self._row = self._reader.cross(parser, marks, line, blanks)

    def cross_many(self, dumps: Sequence[Dump]) -> list[Told]:
        """The same as ``cross`` and ``book`` for dumps of which each line is a record; what is told of each."""
        self._parser = dumps[-1][3]
        self._row, told = self._reader.cross_many(dumps)
        return told

    def move(self, size: int, lines: int, previous: str) -> None:
        """What ``book`` and ``cross`` accounted for is read; ``previous`` is its last line that is not blank."""
        self._reader.move(size, lines)
        self._previous = previous or self._previous
