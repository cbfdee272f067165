"""One pass over a text: cut it into sections, hand each to its parser, account for every line.

``read`` drives; a parser pulls. It iterates over its ``OpenSection`` and gets one ``Line`` after the other until the
section ends: at a prompt, a heading, a banner, a date line, a line that another parser claims, or a line it does not own.
Bulk parsers take whole stretches of bytes instead (``window`` and ``advance``). The law, for every text:
understood + ignored + not understood = all lines.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from parsers.clock import Instant
from parsers.output import SKIPPED_KEPT, Output
from parsers.records import CommandRun, Section
from parsers.registry import Parser, claimed, noticed, parsers
from parsers.repeats import RepeatFinder
from parsers.text import Block, Line, is_elision, is_heading, is_prose, make_line
from parsers.transcript import SHELL_WORDS, Command, Mark, match_mark, match_prompt, node_from_path, parse_command

RESUME_LINES: Final = 25
UNKNOWN_LINES: Final = 200
PASS_BYTES: Final = 1 << 20
_BLANK: Final = re.compile(rb"^[ \t]*\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Hints:
    """What is known of a text from outside it. ``node`` given by the user wins over all but line prefixes."""

    path: str = ""
    node: str | None = None


class Context(NamedTuple):
    """What the structure above a line says about it. ``epoch`` grows with every structural line."""

    node: str | None = None
    node_basis: str = "unknown"
    clock: Instant | None = None
    command: Command | None = None
    prompt_line: int = 0
    epoch: int = 0


@dataclass(frozen=True, slots=True)
class ReadResult:
    """Line counts of one text; they add up to ``total``."""

    total: int
    understood: int
    ignored: int
    not_understood: int
    sections: int
    records: int
    formats: dict[str, int]

    @property
    def recognised(self) -> bool:
        """Whether any parser read something."""
        return bool(self.formats)


class _Unknown(NamedTuple):
    """Stands for an Instant that is not known."""

    us: int | None = None
    zone_min: int | None = None
    zone_name: str | None = None
    resolution_us: int = 1_000_000


_NO_INSTANT: Final = _Unknown()


class LineSource:
    """Lines out of blocks, with one step back, and whole stretches of bytes for bulk parsers."""

    def __init__(self, source: Iterable[Block]) -> None:
        self._blocks = iter(source)
        self._data = b""
        self._pos = 0
        self._before = 0
        self.number = 0

    def next(self) -> Line | None:
        """The next line, or None at the end of the text."""
        if not self._fill():
            return None
        end = self._data.find(b"\n", self._pos)
        end = len(self._data) if end < 0 else end
        line = make_line(self.number + 1, self._data[self._pos : end])
        self._before, self._pos = self._pos, end + 1
        self.number += 1
        return line

    def push_back(self) -> None:
        """Undo the last ``next``."""
        self._pos = self._before
        self.number -= 1

    def window(self, limit: int) -> bytes:
        """Unread whole lines, about ``limit`` bytes of them; empty at the end of the text."""
        if not self._fill():
            return b""
        if self._pos + limit >= len(self._data):
            return self._data[self._pos :] if self._pos else self._data
        end = self._data.find(b"\n", self._pos + limit)
        return self._data[self._pos : len(self._data) if end < 0 else end + 1]

    def advance(self, size: int, lines: int) -> None:
        """Count ``size`` bytes of a window, which are ``lines`` whole lines, as read."""
        self._pos += size
        self.number += lines

    def _fill(self) -> bool:
        while self._pos >= len(self._data):
            block = next(self._blocks, None)
            if block is None:
                return False
            self._data, self._pos = block.data, 0
        return True


@dataclass(slots=True)
class _Row:
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


class OpenSection:
    """What a parser sees: an iterator of its lines, and what is known about them."""

    def __init__(self, reader: Reader, parser: Parser, row: _Row) -> None:
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
    def command(self) -> Command | None:
        """The command that produced the section, if a prompt or banner names it."""
        return self._row.context.command

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
        line = self._reader.source.next()
        if line is not None:
            self._reader.source.push_back()
        return line

    def take(self) -> Line | None:
        """Take the next line although the section does not own it (a value wrapped to the next line)."""
        return self._reader.take(self._row)

    def window(self, limit: int = 256 << 10) -> bytes:
        """Whole unread lines for a bulk parser, which must hand back by ``advance`` what it used of them."""
        return self._reader.source.window(limit)

    def advance(self, size: int, *, understood: int, ignored: int = 0) -> None:
        """Account for bytes of a window: so many lines understood, so many ignored."""
        self._reader.advance(self._row, size, understood, ignored)

    def mark_of(self, line: Line) -> Mark | None:
        """What a line of a window tells if it is structure that no parser claims (a heading, a banner, a date)."""
        return self._reader.mark_of(line)

    def owns(self, line: Line, previous: str) -> bool:
        """Whether the iterator would hand out a line of a window below one that reads ``previous``."""
        return bool(line.text.strip()) and not self._reader.ends(self._parser, line, previous)

    def book(self, *, understood: int = 0, ignored: int = 0, records: int = 0, last_line: int = 0) -> None:
        """Account for lines of a window one section at a time, and for records that the parser puts out later; then ``move``."""
        self._reader.book(self._row, understood, ignored, records, last_line)

    def cross(self, marks: Sequence[tuple[Mark, int]], line: int, *, blanks: int = 0) -> None:
        """Structural lines of a window, which are understood, end the section; one of the same format begins at ``line``.

        ``blanks``: blank lines between them, and below.
        """
        self._row = self._reader.cross(self._parser, marks, line, blanks)

    def move(self, size: int, lines: int, previous: str) -> None:
        """What ``book`` and ``cross`` accounted for is read; ``previous`` is its last line that is not blank."""
        self._reader.move(size, lines)
        self._previous = previous or self._previous


class Reader:
    """Reads one text. Use ``read``."""

    def __init__(self, source: Iterable[Block], out: Output, hints: Hints) -> None:
        self.source = LineSource(source)
        self.out = out
        self.path = hints.path
        self._programs = frozenset(name for p in parsers().values() for name in p.commands)
        hinted = hints.node or node_from_path(hints.path)
        self._context = Context(node=hinted, node_basis="given" if hints.node else "path" if hinted else "unknown")
        self._fixed_node = hints.node is not None
        self._hinted = hinted
        self._last_host: str | None = None
        self._row: _Row | None = None
        self._run: CommandRun | None = None
        self._run_output = False
        self._run_quote = 0
        self._elided = False
        self._repeats = RepeatFinder(out)
        self._structural = 0
        self._sections = 0
        self._formats: dict[str, int] = {}
        self._understood = 0
        self._stuck_at = -1
        self._strays = 0

    def read(self) -> ReadResult:
        """Read to the end."""
        while (line := self.source.next()) is not None:
            if not self._structure(line):
                self._content(line)
                if self.out.skipped > SKIPPED_KEPT:
                    self._pass_over()
        self._close_row()
        self._end_run()
        self._repeats.close()
        out = self.out
        return ReadResult(
            total=self.source.number, understood=self._understood, ignored=out.ignored, not_understood=out.skipped,
            sections=self._sections, records=out.rows, formats=dict(self._formats),
        )  # fmt: skip

    # what the outer loop does with a line

    def _structure(self, line: Line) -> bool:
        """Blank lines, prompts, headings, banners, dates: True when the line was one."""
        if not line.text.strip() or is_elision(line.text):
            self.out.ignore()
            self._elided = self._elided or bool(line.text.strip())
            if self._row is not None:
                self._row.ignored += 1
            return True
        if self._context.command is not None and not self._run_output and line.quote > self._run_quote and not line.text.startswith("G:"):
            self._understood += 1  # a shell's continuation prompt below a loop
            self._context = self._context._replace(command=_continued(self._context.command, line.text))
            return True
        return self._enter(line)

    def _enter(self, line: Line) -> bool:
        """Apply a prompt or a mark to the context."""
        if prompt := match_prompt(line.raw if line.quote == 0 else line.text, self._programs):
            self._repeats.line(line)
            self._close_row()
            self._end_run()
            node, basis = (prompt.host, "prompt") if prompt.host else self._host_before()
            self._renew(node=node, node_basis=basis, command=prompt.command, prompt_line=line.number)
            self._run = CommandRun(
                line=line.number,
                node=self._context.node,
                node_basis=self._context.node_basis,
                command=prompt.command.text,
                at=self._clock_us(),
            )
            self._run_output, self._run_quote = False, line.quote
            self._understood += 1
            return True
        if (mark := match_mark(line.text)) is None or claimed(line.text) is not None:
            return False
        self._repeats.line(line)
        self._close_row()
        self._apply(mark, line.number)
        self._understood += 1
        return True

    def _apply(self, mark: Mark, line: int) -> None:
        keep = self._context
        command = parse_command(mark.command) if mark.command else None if mark.ends or mark.node else keep.command
        if mark.node:
            self._end_run()
        given = self._fixed_node
        self._context = Context(
            keep.node if given else mark.node or keep.node,
            "given" if given else mark.basis or keep.node_basis,
            None if mark.ends else mark.instant or keep.clock,
            command,
            line if mark.command else 0 if command is None else keep.prompt_line,
            keep.epoch + 1,
        )
        self._elided = False

    def _renew(self, **changes: Any) -> None:
        if self._fixed_node:
            changes |= {"node": self._context.node, "node_basis": "given"}
        self._context = self._context._replace(epoch=self._context.epoch + 1, **changes)
        self._elided = False

    def _clock_us(self) -> int | None:
        return self._context.clock.us if self._context.clock else None

    def _content(self, line: Line) -> None:
        """A line that is not structure: somebody claims it, or nobody does."""
        parser = claimed(line.text)
        if parser is not None and self._stuck_at != line.number:
            self._run_output = True
            self._strays = 0
            self._stuck_at = line.number
            self.source.push_back()
            self._run_parser(parser)
            return
        self._repeats.line(line)
        if self._counts(line):
            return
        self._stray(line)

    def _counts(self, line: Line) -> bool:
        """The lone number that ``... | wc -l`` prints belongs to its command."""
        command, text = self._context.command, line.text.strip()
        if self._run is None or command is None or not command.counts_lines or not text.isdigit() or len(text) > 15:
            return False
        self._run = replace(self._run, output_count=int(text))
        self._understood += 1
        return True

    def _pass_over(self) -> None:
        """Deep inside text that no parser knows (a system log): count its lines in bulk up to the next one worth a look."""
        if self._strays < UNKNOWN_LINES:
            return
        window = self.source.window(PASS_BYTES)
        match = noticed().search(window)
        size = match.start() if match else len(window)
        text = window[:size]
        lines = text.count(b"\n") + (not match and not text.endswith(b"\n") and bool(text))
        if not lines:
            return
        blank = len(_BLANK.findall(text))
        if self._row is None or self._row.parser is not None:
            self._close_row()
            self._row = self._new_row(None, self.source.number + 1)
        row = self._row
        self.source.advance(size, lines)
        self.out.pass_over(lines - blank, blank)
        row.skipped += lines - blank
        row.ignored += blank
        row.last_line = self.source.number
        self._repeats.gap()

    def _host_before(self) -> tuple[str | None, str]:
        """For a bare prompt: it is typed where the prompt before it was, also when somebody wrote a remark between the two."""
        if self._context.node is None and self._last_host is not None:
            return self._last_host, "prompt"
        return self._context.node, self._context.node_basis

    def _leave_prompt(self) -> None:
        """A sentence ends the output of a prompt: what stands below it was not printed there, and its node is not known."""
        if self._context.node_basis == "prompt" and not self._fixed_node:
            self._last_host = self._context.node
            self._close_row()
            self._renew(node=self._hinted, node_basis="path" if self._hinted else "unknown", command=None, prompt_line=0)

    def _stray(self, line: Line) -> None:
        """Nobody's line: prose is ignored; output that no parser knows is counted as not understood."""
        self._strays += 1
        row = self._row
        if is_heading(line.text):
            self._leave_prompt()
            self.out.ignore()
            return
        if is_prose(line.text):
            self.out.ignore()
            if row is not None and row.parser is None:
                self._close_row()
            return
        self.out.skip(line, "no parser knows this line")
        if row is not None and (row.parser is None or line.number - row.last_line <= RESUME_LINES):
            if row.parser is None:
                row.last_line = line.number
                row.skipped += 1
            return
        self._close_row()
        self._row = self._new_row(None, line.number)
        self._row.skipped, self._row.last_line = 1, line.number

    # sections

    def _run_parser(self, parser: Parser) -> None:
        row = self._row
        first = self.source.number + 1
        resumed = (
            row is not None and row.parser is parser and row.context.epoch == self._context.epoch and first - row.last_line <= RESUME_LINES
        )
        if row is None or not resumed:
            self._close_row()
            row = self._row = self._new_row(parser, first)
        self._formats[parser.name] = self._formats.get(parser.name, 0) + (not resumed)
        section = OpenSection(self, parser, row)
        before = self.source.number
        self._mark_counts()
        parser.read(section, self.out)
        self._settle(self._row or row)
        if self.source.number == before:
            return  # it took nothing: the outer loop counts the line as not understood
        self._stuck_at = -1

    def _new_row(self, parser: Parser | None, line: int) -> _Row:
        context = self._context
        first = context.prompt_line if context.prompt_line and line - context.prompt_line <= RESUME_LINES and self._row is None else line
        if self._row_end >= first:
            first = line
        return _Row(
            parser, context, first, line, node=context.node, node_basis=context.node_basis, instant=context.clock, elided=self._elided,
        )  # fmt: skip

    _row_end = 0
    _counted = (0, 0, 0)

    def _mark_counts(self) -> None:
        self._counted = (self.out.rows, self.out.skipped, self.out.ignored)

    def _settle(self, row: _Row) -> None:
        """Book what the parser put out since the last mark on its section; skipped and ignored lines were counted as understood."""
        rows, skipped, ignored = self._counted
        row.records += max(0, self.out.rows - rows)  # records that were booked may come later
        wrong, empty = self.out.skipped - skipped, self.out.ignored - ignored
        row.skipped += wrong
        row.ignored += empty
        row.understood -= wrong + empty
        self._understood -= wrong + empty
        self._counted = (max(rows, self.out.rows), self.out.skipped, self.out.ignored)

    def _close_row(self) -> None:
        row, self._row = self._row, None
        if row is None:
            return
        instant, context = row.instant or _NO_INSTANT, row.context
        self.out.structure_row(
            Section,
            (
                row.first_line, self._sections, row.parser.name if row.parser else "unknown", row.last_line,
                row.node, row.node_basis, context.command.text if context.command else None, row.scope,
                instant.us, row.last_at or instant.us, instant.zone_min, instant.zone_name, instant.resolution_us,
                row.records, max(0, row.understood), max(0, row.ignored), row.skipped,
            ),
        )  # fmt: skip
        self._row_end = row.last_line
        self._sections += 1

    def _end_run(self) -> None:
        if self._run is not None:
            self.out.structure(self._run)
            self._run = None

    # called by OpenSection

    def next_of(self, parser: Parser, row: _Row, previous: str) -> Line | None:
        """The next line of a section, or None where it ends; blank lines are counted here."""
        while (line := self.source.next()) is not None:
            if not line.text.strip():
                if parser.blanks:
                    return self._give(row, line)
                self._blank(row)
                continue
            if is_elision(line.text) and not parser.owns(line.text, previous):
                self._blank(row)
                continue
            if self.ends(parser, line, previous):
                self.source.push_back()
                return None
            return self._give(row, line)
        return None

    def _blank(self, row: _Row) -> None:
        self.out.ignored += 1
        self._counted = (self._counted[0], self._counted[1], self._counted[2] + 1)
        row.ignored += 1

    def _give(self, row: _Row, line: Line) -> Line:
        self._repeats.line(line)
        self._understood += 1
        row.understood += 1
        row.last_line = line.number
        return line

    def ends(self, parser: Parser, line: Line, previous: str) -> bool:
        """Whether a line that is not blank ends the section of a parser."""
        if match_prompt(line.raw if line.quote == 0 else line.text, self._programs):
            return True
        claim = claimed(line.text)
        if claim is not None and claim is not parser and not (claim.priority <= parser.priority and parser.owns(line.text, previous)):
            return True
        owned = claim is parser or parser.owns(line.text, previous)
        return not owned or (claim is None and match_mark(line.text) is not None)

    def take(self, row: _Row) -> Line | None:
        """See OpenSection.take."""
        line = self.source.next()
        return None if line is None else self._give(row, line)

    def advance(self, row: _Row, size: int, understood: int, ignored: int) -> None:
        """See OpenSection.advance."""
        self.source.advance(size, understood + ignored)
        self._understood += understood
        self.out.ignored += ignored
        self._counted = (self._counted[0], self._counted[1], self._counted[2] + ignored)
        row.understood += understood
        row.ignored += ignored
        row.last_line = self.source.number
        self._repeats.gap()

    def mark_of(self, line: Line) -> Mark | None:
        """See OpenSection.mark_of."""
        if match_prompt(line.raw if line.quote == 0 else line.text, self._programs):
            return None
        mark = match_mark(line.text)
        return mark if mark is not None and claimed(line.text) is None else None

    def book(self, row: _Row, understood: int, ignored: int, records: int, last_line: int) -> None:
        """See OpenSection.book."""
        self._understood += understood
        self.out.ignored += ignored
        rows, skipped, empty = self._counted
        self._counted = (rows + records, skipped, empty + ignored)
        row.understood += understood
        row.records += records
        row.ignored += ignored
        row.last_line = last_line or row.last_line

    def cross(self, parser: Parser, marks: Sequence[tuple[Mark, int]], line: int, blanks: int) -> _Row:
        """See OpenSection.cross."""
        if self._row is not None:
            self._settle(self._row)
            self._close_row()
        for mark, at in marks:
            self._apply(mark, at)
        self._understood += len(marks)
        self.out.ignored += blanks
        self._counted = (self._counted[0], self._counted[1], self._counted[2] + blanks)
        self._row = self._new_row(parser, line)
        self._formats[parser.name] = self._formats.get(parser.name, 0) + 1
        self._run_output = True
        return self._row

    def move(self, size: int, lines: int) -> None:
        """See OpenSection.move."""
        self.source.advance(size, lines)
        self._repeats.gap()

    def seen(self, key: Hashable, first_line: int, last_line: int | None) -> None:
        """See OpenSection.seen."""
        self._repeats.block(key, first_line, last_line)


def _continued(command: Command, text: str) -> Command:
    """A loop typed over several lines: its producer is the first program that is not a word of the shell."""
    if command.program not in SHELL_WORDS or text.strip() in ("do", "done", "then"):
        return command
    return replace(parse_command(text.strip()), text=f"{command.text}; {text.strip()}"[:4000])


def read(source: Iterable[Block], out: Output, hints: Hints | None = None) -> ReadResult:
    """Read one text into ``out``; the caller closes ``out``. Pure: no files, no settings, no clock."""
    return Reader(source, out, hints or Hints()).read()
