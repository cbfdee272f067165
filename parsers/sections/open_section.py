"""A section while it is open: what its parser sees of it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Final, ParamSpec

from parsers.dataclass import dataclass
from parsers.enclosed.exported import has_stamp
from parsers.headings.context import HINTED
from parsers.headings.transcript import Command, Mark
from parsers.ledger import Fate, Ledger
from parsers.line_kinds import RESTARTED, is_elision, is_left_on_screen
from parsers.lookup import Parser, bannered
from parsers.output import Output
from parsers.records import DAY_US, Record
from parsers.records.kinds import RECORD_TYPES
from parsers.sections.above import Above
from parsers.sections.entries import Entries, Entry, Runs
from parsers.sections.lines import LineSource
from parsers.sections.repeats import RepeatFinder
from parsers.sections.structure import Structure
from parsers.text import Line
from parsers.times.clock import Instant
from parsers.times.years import Years, is_open

P = ParamSpec("P")
_FILLED: Final[dict[object, list[str]]] = {
    kind: [name for name in ("node", "at", "zone_min") if name in kind.columns()] for kind in RECORD_TYPES
}
_MINUTE_US: Final = 60_000_000
_NOTHING_BUT_A_COMMAND: Final = (None, "", None)
"""Node, basis and moment of a mark that tells none of them."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What the reader of a text and its open section work on."""

    source: LineSource
    out: Output
    above: Above
    structure: Structure
    entries: Entries
    runs: Runs
    repeats: RepeatFinder

    @property
    def ledger(self) -> Ledger:
        """What became of the lines."""
        return self.out.ledger

    def turn(self, mark: Mark, line: int) -> None:
        """Below a structural line other things hold: its node, its moment, its command."""
        self.entries.close()
        if mark.node:
            self.runs.end()
        self.above.mark(mark, line)
        self.entries.banner(mark, line)

    def turn_to_dump(self, head: Mark, banner: Mark, line: int) -> None:
        """The same in one step, below a collector's head and the banner under it (``_are_plain``)."""
        if self.entries.open is not None:
            self.entries.close()
        self.runs.end()
        self.above.dump(head, banner, line)

    def turn_to_whole(self, mark: Mark, line: int, parser: Parser) -> None:
        """The same above a section of a parser that is read and ends at once."""
        if mark.command and bannered(mark.command) is not parser:
            self.turn(mark, line)
            self.entries.close()
            return
        if mark.node:
            self.runs.end()
        self.above.mark(mark, line)


def _are_plain(head: Mark, banner: Mark, parser: Parser) -> bool:
    """Whether two structural lines above a section of a parser are the head of a collection, which names a node and
    nothing else but a moment, and a banner that names at most the command of the parser.
    """
    return (
        head.basis == "header"
        and head.node is not None
        and banner[:3] == _NOTHING_BUT_A_COMMAND
        and not (head.command or head.ends or banner.ends)
        and (not banner.command or bannered(banner.command) in (None, parser))
    )


Whole = tuple[Sequence[tuple[Mark, int]], Parser, int]
"""Structural lines with their numbers, and the parser of so many lines below them."""


def _is_later(one: Instant, us: int, zone_min: int | None) -> bool:
    """Whether a moment lies behind another one, by the offsets that both print: a wall clock runs twice over an hour in
    autumn.
    """
    if one.zone_min is None or zone_min is None or not one.dated or us < DAY_US:
        return one.us > us
    return one.us - one.zone_min * _MINUTE_US > us - zone_min * _MINUTE_US


class OpenSection:
    """What a parser sees: an iterator of its lines, and what is known about them."""

    def __init__(self, desk: Desk, parser: Parser, entry: Entry) -> None:
        self._desk = desk
        self._parser = parser
        self._entry = entry
        self.is_example = desk.above.is_example(desk.source.number + 1)
        """Whether a manual says that what stands here is an example of what can happen."""
        self.previous = ""
        """Text of the line above the next one, blank ones left out. Who reads windows sets it."""
        self.ended = False

    @property
    def node(self) -> str | None:
        """Node the section speaks about, if known."""
        return self._entry.node

    @property
    def heading_node(self) -> str | None:
        """The node, where a heading above names it."""
        return self._entry.node if self._entry.node_basis == "heading" else None

    @property
    def line_number(self) -> int:
        """Number of the last line read."""
        return self._desk.source.number

    @property
    def at(self) -> int | None:
        """Time of capture in microseconds of the wall clock, if known."""
        return self._entry.instant.us if self._entry.instant else None

    @property
    def zone_min(self) -> int | None:
        """Offset of that clock from UTC, if known."""
        return self._entry.instant.zone_min if self._entry.instant else None

    @property
    def years(self) -> Years:
        """Gives dates without a year one, from the clock above or the day in the path; one for all sections
        of a log.
        """
        clock, structure = self._entry.context.clock, self._desk.structure
        return structure.years(clock.us if clock is not None and clock.dated else structure.taken_us)

    @property
    def command(self) -> Command | None:
        """The command that produced the section, if a prompt or banner names it."""
        return self._entry.context.command

    @property
    def prompt_line(self) -> int:
        """Line of the prompt or banner above; 0 where there is none. It tells one run of a command from the next."""
        return self._entry.context.prompt_line

    @property
    def scope(self) -> str | None:
        """Mount point, disk or link, once set."""
        return self._entry.scope

    @property
    def path(self) -> str:
        """Display path of the text; empty where it has none."""
        return self._desk.structure.path

    @property
    def elided(self) -> bool:
        """Whether a mark for left-out lines stands between the prompt and the first line."""
        return self._entry.elided

    @property
    def state(self) -> dict[str, Any]:
        """A parser's own memory; it survives a stray line inside the section."""
        return self._entry.state

    def stamp(self, instant: Instant) -> None:
        """The parser found a time in its own lines: the earliest one stands for the section, the latest is its end, in
        any order.
        """
        entry = self._entry
        if entry.last_at is None:
            entry.instant, entry.last_at, entry.last_zone_min = instant, instant.us, instant.zone_min
            return
        first, has_no_year = entry.instant.us if entry.instant is not None else None, is_open(instant.us)
        if instant.dated == (entry.last_at >= DAY_US) and has_no_year == is_open(entry.last_at):
            if _is_later(instant, entry.last_at, entry.last_zone_min):
                entry.last_at, entry.last_zone_min = instant.us, instant.zone_min
        elif instant.dated and not has_no_year:
            entry.last_at, entry.last_zone_min = instant.us, instant.zone_min  # a date tells more than a time of day
        is_earlier = entry.instant is not None and _is_later(entry.instant, instant.us, instant.zone_min)
        if first is not None and is_earlier and instant.dated == (first >= DAY_US) and has_no_year == is_open(first):
            entry.instant = instant

    def speaks_of(self, *, node: str | None = None, basis: str = "content", scope: str | None = None) -> None:
        """The parser found node or scope in its own lines."""
        if node is not None:
            self._entry.node, self._entry.node_basis = node, basis
        if scope is not None:
            self._entry.scope = scope

    def is_on(self, node: str, basis: str = "content", *, stays: bool = True, renames: bool = False) -> None:
        """The parser found in its own lines which node printed them: that goes before what a path suggests.

        stays: what follows was printed there too, unless a prompt or a heading says otherwise. renames: it goes before
        what another output of its kind said above, too.
        """
        is_renamed = renames and self._entry.node_basis == basis
        if self._entry.node is None or self._entry.node_basis in HINTED or is_renamed:
            self.speaks_of(node=node, basis=basis)
            if stays:
                self._desk.above.is_on(node, basis)

    def is_foreign(self, *, value: bool) -> None:
        """Whether all lines so far are of programs that nobody here listens to."""
        self._entry.foreign = value or None

    def add(self, kind: Callable[P, Record], line: int, /, *columns: P.args, **named: P.kwargs) -> None:
        """Put out one record of the section. Node, moment and zone are those of the section where they are
        not given.
        """
        values: dict[str, Any] = {name: getattr(self, name) for name in _FILLED[kind]} | named
        make: Callable[..., Record] = kind
        self._desk.out.add(make(*columns, line=line, **values))

    # line by line

    def __iter__(self) -> Iterator[Line]:
        source, structure = self._desk.source, self._desk.structure
        while True:
            for line in source.run(known := structure.known_in(self._parser)):
                self.previous = self._given(line).text
                yield line
            if self._is_ended() or (next_line := self._next()) is None:
                break
            if source.key and source.key not in known:
                structure.learn(source.key, self._parser, next_line)
            self.previous = next_line.text
            yield next_line
        self.ended = True

    def _is_ended(self) -> bool:
        """Whether the next line is known to begin a section of another parser, as a look at it would tell."""
        found, parser = self._desk.structure.begun(), self._parser
        if found is None or found[0] is parser or parser.names_hosts:
            return False
        other, text = found
        return other.priority > parser.priority or not parser.owns(text, self.previous)

    def _next(self) -> Line | None:
        """The next line of the section, or None where it ends; blank lines and the like are booked here."""
        desk, parser = self._desk, self._parser
        above = self.previous
        while (line := desk.source.next()) is not None:
            if line.fate is Fate.FRAME and (line.stamp or has_stamp(self.previous)):
                desk.ledger.take_inside(1, Fate.FRAME)  # between two messages, or rows: they may be one report
                continue
            if not line.text.strip():
                is_given = parser.blanks
                above = f"{self.previous}\n"
            elif is_left_on_screen(line.text) or (is_elision(line.text) and not parser.owns(line.text, self.previous)):
                is_given = False
                if line.text.startswith(RESTARTED):
                    self.state["restarted"] = line.number
            elif desk.structure.ends(parser, line, above):
                desk.source.push_back()
                return None
            else:
                is_given = True
            if is_given:
                return self._given(line)
            desk.ledger.take_inside(1, Fate.ASIDE)
        return None

    def _given(self, line: Line) -> Line:
        self._desk.repeats.line(line)
        self._desk.ledger.take_inside(1, Fate.FACT)
        self._entry.last_line = line.number
        return line

    def peek(self) -> Line | None:
        """The next raw line of the text, whatever it is, without taking it."""
        return self._desk.source.peek()

    def beyond(self) -> Line | None:
        """Take the next line although the section does not own it (a value wrapped to the next line)."""
        line = self._desk.source.next()
        return None if line is None else self._given(line)

    # whole stretches of bytes

    @property
    def source(self) -> LineSource:
        """The lines of the text: for bulk parsers that work on blocks and ahead of them."""
        return self._desk.source

    def window(self, limit: int = 256 << 10) -> bytes:
        """Whole unread lines for a bulk parser, which takes by ``take`` what it read of them."""
        return self._desk.source.window(limit)

    def mark_of(self, line: Line) -> Mark | None:
        """What a line of a window tells if it is structure that no parser claims (a heading, a banner, a date)."""
        return self._desk.structure.mark_of(line)

    def owns(self, line: Line, previous: str, parser: Parser | None = None) -> bool:
        """Whether the iterator would hand out a line of a window below one that reads ``previous``, in a section of
        some parser.
        """
        return self._desk.structure.owns(parser or self._parser, line, previous)

    def take(self, lines: int, fate: Fate = Fate.FACT, *, size: int, blank: int = 0, texts: Sequence[str] = ()) -> None:
        """Take the next ``size`` bytes of a window, which are so many lines of one fate and so many blank ones.

        texts: the lines themselves, where there are few: a page that was printed twice is found by them.
        """
        desk = self._desk
        if texts:
            for number, text in enumerate(texts, desk.source.number + 1):
                desk.repeats.line(Line(number, text, text))
            self.previous = texts[-1]
        else:
            desk.repeats.gap()
        desk.source.advance(size, lines + blank)
        desk.ledger.take_inside(lines, fate)
        desk.ledger.take_inside(blank, Fate.ASIDE)
        if lines:
            self._entry.last_line = desk.source.number

    def cross(self, marks: Sequence[tuple[Mark, int]], parser: Parser, *, size: int, blank: int = 0) -> None:
        """Take the next ``size`` bytes of a window, which are structural lines with their numbers and so many blank
        ones.

        They end the section; one of ``parser`` begins below them.
        """
        desk = self._desk
        desk.entries.settle()
        desk.entries.close()
        for mark, line in marks:
            desk.turn(mark, line)
        desk.ledger.take(len(marks), Fate.FRAME)
        desk.ledger.take(blank, Fate.ASIDE)
        desk.source.advance(size, len(marks) + blank)
        desk.runs.has_output = True
        self._parser = parser
        entry = desk.entries.open
        self._entry = (
            entry
            if entry is not None and entry.parser is parser
            else desk.entries.begin(parser, desk.source.number + 1)
        )

    def cross_whole(self, dumps: Sequence[Whole], *, size: int) -> list[tuple[str | None, int | None, int | None]]:
        """Take the next ``size`` bytes of a window: one section below the other, each its structural lines with their
        numbers, its parser, and so many lines that are a record each. What another ``cross`` follows at once needs no
        section that is open. Gives node, moment and zone of each.
        """
        known = []
        desk, entries = self._desk, self._desk.entries
        desk.repeats.gap()
        entries.settle()
        frames = facts = 0
        for marks, parser, lines in dumps:
            last, number = marks[-1]
            if len(marks) == 2 and _are_plain(marks[0][0], last, parser):
                desk.turn_to_dump(marks[0][0], last, number)
            else:
                for mark, line in marks[:-1]:
                    desk.turn(mark, line)
                entries.close()
                desk.turn_to_whole(last, number, parser)
            entries.whole(parser, number + 1, lines)
            context = desk.above.context
            clock = context.clock
            known.append((context.node, clock.us if clock else None, clock.zone_min if clock else None))
            frames += len(marks)
            facts += lines
        desk.ledger.take(frames, Fate.FRAME)
        desk.ledger.take(facts, Fate.FACT)
        desk.source.advance(size, frames + facts)
        desk.runs.has_output = True
        return known

    def promise(self, records: int) -> None:
        """The section has so many records that its parser will put out later."""
        self._desk.entries.promise(records)

    def seen(self, key: Hashable, first_line: int, last_line: int | None = None) -> None:
        """Name a dated block by its content, so that a later copy read in bulk becomes a Repeat (see
        ``RepeatFinder.block``).
        """
        self._desk.repeats.block(key, first_line, last_line)
