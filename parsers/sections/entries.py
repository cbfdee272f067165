"""The sections and the commands of a text, one after the other: open ones, and the records that they become."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any, Final, NamedTuple

from parsers.dataclass import dataclass
from parsers.headings.context import RESUME_LINES, Context
from parsers.headings.transcript import Mark, Prompt
from parsers.ledger import Account
from parsers.lookup import Parser, bannered
from parsers.output import Output
from parsers.records import CommandRun, Section
from parsers.sections.above import Above
from parsers.times.clock import Instant


class _Unknown(NamedTuple):
    """Stands for an Instant that is not known."""

    us: int | None = None
    zone_min: int | None = None
    zone_name: str | None = None
    resolution_us: int = 1_000_000


_NO_INSTANT: Final = _Unknown()


@dataclass(slots=True)
class Entry:
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
    last_zone_min: int | None = None
    foreign: bool | None = None
    quoted: int | None = None
    records: int = 0
    account: Account = field(default_factory=Account)
    elided: bool = False
    state: dict[str, Any] = field(default_factory=dict)

    def row(self, index: int) -> tuple[Any, ...]:
        """The columns of the Section that it becomes, as number ``index`` of the text: a row is sooner made than the
        record, and logs in which programs take turns have one every two lines.
        """
        instant, command, account = self.instant or _NO_INSTANT, self.context.command, self.account
        return (
            self.first_line,
            index,
            self.parser.name if self.parser else "unknown",
            self.last_line,
            self.node,
            self.node_basis,
            command.text if command else None,
            self.scope,
            instant.us,
            self.last_at or instant.us,
            instant.zone_min,
            instant.zone_name,
            instant.resolution_us,
            self.records,
            max(0, account.understood),
            max(0, account.ignored),
            account.not_understood,
            self.last_zone_min if self.last_at is not None and self.last_zone_min != instant.zone_min else None,
            self.foreign,
            self.quoted,
        )


class Entries:
    """The sections of a text; at most one is open."""

    def __init__(self, out: Output, above: Above) -> None:
        self.open: Entry | None = None
        self.count = 0
        self.formats: dict[str, int] = {}
        self._out = out
        self._above = above
        self._end = 0
        self._rows = 0

    def begin(self, parser: Parser | None, line: int) -> Entry:
        """Another section begins at a line, or at the prompt above it."""
        self.close()
        context = self._above.context
        prompt = context.prompt_line
        first = prompt if prompt and line - prompt <= RESUME_LINES and prompt > self._end else line
        entry = self.open = Entry(
            parser,
            context,
            first,
            line,
            node=context.node,
            node_basis=context.node_basis,
            instant=context.clock,
            elided=self._above.elided,
        )
        self._out.ledger.section = entry.account
        if parser is not None:
            self.formats[parser.name] = self.formats.get(parser.name, 0) + 1
        return entry

    def resumed(self, parser: Parser, line: int) -> Entry:
        """The open section, where it is the parser's and not too far above; else a new one."""
        entry = self.open
        is_near = (
            entry is not None
            and entry.context.epoch == self._above.context.epoch
            and line - entry.last_line <= RESUME_LINES
        )
        return entry if entry is not None and entry.parser is parser and is_near else self.begin(parser, line)

    def banner(self, mark: Mark, line: int) -> None:
        """A section that is there even if nothing follows its banner."""
        if mark.command and (parser := bannered(mark.command)) is not None:
            self.begin(parser, line)

    def whole(self, parser: Parser, first: int, lines: int) -> None:
        """A section from line ``first`` on that is read and ends at once: so many lines, each of them a record."""
        context = self._above.context
        prompt, instant = context.prompt_line, context.clock or _NO_INSTANT
        begin = prompt if prompt and first - prompt <= RESUME_LINES and prompt > self._end else first
        last = self._end = first + lines - 1
        command = context.command.text if context.command else None
        known = begin, self.count, parser.name, last, context.node, context.node_basis, command, None
        clock = instant.us, instant.us, instant.zone_min, instant.zone_name, instant.resolution_us
        self._out.structure_row(Section, (*known, *clock, lines, lines, 0, 0, None, None, None))
        self.count += 1
        self.formats[parser.name] = self.formats.get(parser.name, 0) + 1
        self._rows += lines

    def close(self) -> None:
        """The open section ends."""
        entry, self.open = self.open, None
        if entry is None:
            return
        self._out.ledger.section = None
        self._out.structure_row(Section, entry.row(self.count))
        self._end = entry.last_line
        self.count += 1

    # records of the open section

    def count_from_here(self) -> None:
        """What was put out up to now belongs to no section that is open."""
        self._rows = self._out.rows

    def settle(self) -> None:
        """Count what was put out since the last time for the open section; what was promised counted already."""
        rows = self._out.rows
        if self.open is not None:
            self.open.records += max(0, rows - self._rows)
        self._rows = max(self._rows, rows)

    def promise(self, records: int) -> None:
        """The open section has so many records that will be put out later."""
        if self.open is not None:
            self.open.records += records
        self._rows += records


class Runs:
    """Commands that were typed: the one whose output is being read becomes a CommandRun when it ends."""

    def __init__(self, out: Output) -> None:
        self.has_output = False
        """Whether a parser read a line below the command."""
        self._out = out
        self._open: CommandRun | None = None
        self._quote = 0

    def begin(self, prompt: Prompt, context: Context, line: int, quote: int) -> None:
        """A command at a prompt; ``context`` is that below it."""
        self.end()
        at = context.clock.us if context.clock else None
        self._open = CommandRun(
            line=line, node=context.node, node_basis=context.node_basis, command=prompt.command.text, at=at
        )
        self.has_output, self._quote = False, quote

    def end(self) -> None:
        """Its output ends."""
        if self._open is not None:
            self._out.structure(self._open)
            self._open = None

    def goes_on(self, quote: int) -> bool:
        """Whether a line so deep in quotes may be the rest of the command."""
        return self._open is not None and not self.has_output and quote > self._quote

    def counted(self, lines: int) -> bool:
        """The command only printed how many lines there are. False where none is open."""
        if self._open is None:
            return False
        self._open = replace(self._open, output_count=lines)
        return True
