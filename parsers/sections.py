"""One pass over a text: cut it into sections, hand each to its parser, account for every line.

``read`` drives; a parser pulls. It iterates over its ``OpenSection`` and gets one ``Line`` after the other until the
section ends: at a prompt, a heading, a banner, a date line, a line that another parser claims, or a line it does not own.
Bulk parsers take whole stretches of bytes instead (``window`` and ``advance``). The law, for every text:
understood + ignored + not understood = all lines.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from parsers.above import Above
from parsers.claims import ClaimFinder
from parsers.clock import Instant
from parsers.lines import LineSource
from parsers.node_banners import LOOKED_AT, NodeBanners, asks_for_host, holds_host, is_rule, lone_name
from parsers.open_section import NO_INSTANT, Context, Dump, OpenSection, Row, Told
from parsers.output import SKIPPED_KEPT, Output
from parsers.paths import day_from_path
from parsers.prefixes import stamped
from parsers.reading import Hints, ReadResult
from parsers.records import CommandRun, Section
from parsers.registry import Parser, bannered, claimed, noticed, parsers, placed
from parsers.repeats import RepeatFinder
from parsers.standing import Standing
from parsers.text import Block, Line, is_elision, is_heading, is_pager, is_prose
from parsers.transcript import Mark, Prompt, match_loop_word, match_mark, match_prompt, typed_alone
from parsers.years import Years

__all__ = ["Context", "Hints", "LineSource", "OpenSection", "ReadResult", "Reader", "read"]

RESUME_LINES: Final = 25
UNKNOWN_LINES: Final = 200
PASS_BYTES: Final = 1 << 20
SAME_MOMENT_US: Final = 5_000_000
"""Stamps in front of lines that are this near belong to one capture."""
_BLANK: Final = re.compile(rb"^[ \t]*\n", re.MULTILINE)


class Reader:
    """Reads one text. Use ``read``."""

    def __init__(
        self, source: Iterable[Block], out: Output, hints: Hints, above: Standing | None = None, opening: bytes | None = None
    ) -> None:
        """``above``: where ``source`` is not the beginning of the text. ``opening``: the beginning, where ``source`` has less of it."""
        self.source = LineSource(source, above.line if above is not None else 0)
        self.out = out
        self.path = hints.path
        self.taken_us = day_from_path(hints.path)
        self._years: dict[int | None, Years] = {}
        self._programs = frozenset(name for p in parsers().values() for name in p.commands)
        self._above = Above(hints)
        self._row: Row | None = None
        self._run: CommandRun | None = None
        self._run_output = False
        self._run_quote = 0
        self._repeats = RepeatFinder(out)
        self._claims = ClaimFinder(out)
        self._sections = 0
        self._formats: dict[str, int] = {}
        self._understood = 0
        self._stuck_at = -1
        self._strays = 0
        self._first = self.source.number
        if above is not None:
            self._banners = above.banners
            self._stand(above)
        else:
            opening = self.source.window(LOOKED_AT) if opening is None else opening
            self._banners = NodeBanners(opening.decode("utf-8", "replace"))

    def _stand(self, above: Standing) -> None:
        """Go on below a text that another reader read."""
        self._above.stand(above)
        self.source.prefixes.standing = above.prefixes
        for taken, told in above.years:
            self.years(taken).standing = told

    def standing(self) -> Standing:
        """What a line below the end of the text takes over."""
        years = tuple(sorted(((taken, years.standing) for taken, years in self._years.items()), key=repr))
        is_certain = not self._claims.carries and self.out.skipped <= SKIPPED_KEPT
        return self._above.standing(self.source.number, years, self.source.prefixes.standing, self._banners, is_certain=is_certain)

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
        self._claims.end()
        out = self.out
        return ReadResult(
            total=self.source.number - self._first, understood=self._understood, ignored=out.ignored, not_understood=out.skipped,
            sections=self._sections, records=out.rows, formats=dict(self._formats),
        )  # fmt: skip

    # what the outer loop does with a line

    def _structure(self, line: Line) -> bool:
        """Blank lines, prompts, headings, banners, dates: True when the line was one."""
        if line.stamp or line.host:
            self._told_in_front(line)
        if not line.text.strip() or is_pager(line.text) or is_elision(line.text):
            self.out.ignore()
            self._above.elided = self._above.elided or is_elision(line.text)
            if self._row is not None:
                self._row.ignored += 1
            return True
        if self._above.context.command is not None and self._continues_the_prompt(line):
            self._understood += 1  # a shell's continuation prompt below a loop
            self._above.goes_on(line.text)
            return True
        if not self._enter(line):
            return False
        if not line.host:
            self._above.told_to_all()
        return True

    def _continues_the_prompt(self, line: Line) -> bool:
        """Whether a line is the rest of a loop, typed behind the ``>`` of a shell. What a parser claims is a quotation instead."""
        if self._run is None or self._run_output or line.quote <= self._run_quote:
            return False
        return claimed(line.text) is None and match_mark(line.text) is None

    def _told_in_front(self, line: Line) -> None:
        """Node and moment that stand in front of a line hold for it and for what follows."""
        if self._above.is_elsewhere(line.host):
            self._close_row()
            self._above.turn_to(line.host)
        if line.stamp and (instant := self._moved_on(line)) is not None:
            self._close_row()
            self._above.tell(clock=instant)

    def _moved_on(self, line: Line) -> Instant | None:
        """The moment in front of a line, where it is another one than that of the lines above."""
        found, clock = stamped(line.stamp, self.years(self.taken_us)), self._above.context.clock
        if found is None or (clock is not None and abs(found.us - clock.us) < SAME_MOMENT_US):
            return None
        return found

    def _enter(self, line: Line) -> bool:
        """Apply a prompt or a mark to the context."""
        if prompt := self._prompt(line) or self._typed_above(line):
            self._repeats.line(line)
            self._close_row()
            self._end_run()
            self._above.prompt(prompt, line.number)
            node, basis, clock = self._above.context[:3]
            at = clock.us if clock else None
            self._run = CommandRun(line=line.number, node=node, node_basis=basis, command=prompt.command.text, at=at)
            self._run_output, self._run_quote = False, line.quote
            self._understood += 1
            return True
        mark = match_loop_word(self._above.context.command, line.text) or self._mark(line.text) or self._lone_heading(line)
        if mark is None or claimed(line.text) is not None:
            return False
        self._repeats.line(line)
        self._close_row()
        if mark.instant is not None and self._claims.is_mail_head(line):
            self.out.ignore()
            return True
        self._apply(mark, line.number)
        self._open_bannered(mark, line.number)
        self._understood += 1
        return True

    def _open_bannered(self, mark: Mark, line: int) -> None:
        """A section that is there even if nothing follows its banner."""
        if (parser := bannered(mark.command or "")) is not None:
            self._row = self._new_row(parser, line)
            self._formats[parser.name] = self._formats.get(parser.name, 0) + 1

    def _prompt(self, line: Line) -> Prompt | None:
        """The prompt of a line as it stands, where ``<`` is the shell's; else of what is left without terminal codes and prefixes."""
        found = match_prompt(line.raw, self._programs) if line.quote == 0 else None
        return found or (match_prompt(line.text, self._programs) if line.quote or line.text != line.raw else None)

    def _typed_above(self, line: Line) -> Prompt | None:
        """A command alone on its line, right above what it prints."""
        prompt = typed_alone(line.text, self._programs)
        if prompt is None or claimed(line.text) is not None or (below := self.source.peek()) is None:
            return None
        is_output = claimed(below.text) or match_mark(below.text) or any(p.owns(below.text, "") for p in placed(prompt.command.text))
        return prompt if is_output else None

    def _mark(self, text: str) -> Mark | None:
        """A structural line that is no prompt, told by its own words or by those of the whole text."""
        if (mark := match_mark(text)) is not None:
            return mark
        host = self._banners.host_of(text)
        if host is None or (text.lstrip().startswith("[") and self._placed(text) is not None):
            return None  # a node in brackets may open a part of a list of settings
        return Mark(node=host, basis="heading")

    def _lone_heading(self, line: Line) -> Mark | None:
        """A name alone on its line: between two rules, or on the first line above what a command printed."""
        name = line.text.strip()
        if " " in name or not self._banners.may_be(name, self.source.number) or (line_below := self.source.peek()) is None:
            return None
        below = line_below.text
        host = self._banners.fenced(name, below)
        if host is None and self.source.number == 1 and (match_mark(below) or claimed(below)):
            host = name
        return None if host is None else Mark(node=host, basis="heading") if host else Mark(basis="unknown", ends=True)

    def _apply(self, mark: Mark, line: int) -> None:
        if mark.node:
            self._end_run()
        self._above.mark(mark, line)

    def _content(self, line: Line) -> None:
        """A line that is not structure: somebody claims it, or nobody does."""
        parser = claimed(line.text) or self._placed(line.text)
        if parser is not None and self._stuck_at != line.number:
            self._run_output = True
            self._strays = 0
            self._stuck_at = line.number
            self.source.push_back()
            self._run_parser(parser)
            return
        self._repeats.line(line)
        if self._counts(line) or self._names_host(line) or self._echoes(line):
            return
        self._stray(line)

    def _placed(self, text: str) -> Parser | None:
        """The parser that knows a line only by the command above it or by the path of the text."""
        command = self._above.context.command
        if command is not None and command.counts_lines:
            return None
        candidates = placed(command.text if command is not None else self.path)
        return next((one for one in candidates if one.owns(text, "")), None)

    def _counts(self, line: Line) -> bool:
        """The lone number that ``... | wc -l`` prints belongs to its command."""
        command, text = self._above.context.command, line.text.strip()
        if self._run is None or command is None or not command.counts_lines or not text.isdigit() or len(text) > 15:
            return False
        self._run = replace(self._run, output_count=int(text))
        self._understood += 1
        return True

    def _names_host(self, line: Line) -> bool:
        """The answer of ``hostname``, below its command or in a file of that name: it tells the node where the prompt does not."""
        command, name = self._above.context.command, lone_name(line.text)
        if name is None or not (holds_host(self.path, line.number) if command is None else asks_for_host(command.text)):
            return False
        self.is_on(name, "content")
        self._understood += 1
        return True

    def _echoes(self, line: Line) -> bool:
        """What ``echo`` prints stands in its own command."""
        command, text = self._above.context.command, line.text.strip()
        if command is None or command.program not in ("echo", "printf") or not text or text not in command.text:
            return False
        self._understood += 1
        return True

    def _pass_over(self) -> None:
        """Deep inside text that no parser knows (a system log): count its lines in bulk up to the next one worth a look."""
        if self._strays < UNKNOWN_LINES:
            return
        window = self.source.window(PASS_BYTES)
        start = noticed(window)
        size = len(window) if start < 0 else start
        text = window[:size]
        lines = text.count(b"\n") + (start < 0 and not text.endswith(b"\n") and bool(text))
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

    def _stray(self, line: Line) -> None:
        """Nobody's line: prose is ignored; output that no parser knows is counted as not understood."""
        self._strays += 1
        row = self._row
        if is_heading(line.text):
            if self._above.leaves_prompt():
                self._close_row()
            self.out.ignore()
            return
        prose = is_prose(line.text)
        if prose:
            self._claims.prose(line)
        if prose or is_rule(line.text) or self._claims.belongs(line):
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
        epoch = self._above.context.epoch
        resumed = row is not None and row.parser is parser and row.context.epoch == epoch and first - row.last_line <= RESUME_LINES
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

    def _new_row(self, parser: Parser | None, line: int) -> Row:
        above, context = self._above, self._above.context
        first = context.prompt_line if context.prompt_line and line - context.prompt_line <= RESUME_LINES and self._row is None else line
        if self._row_end >= first:
            first = line
        return Row(
            parser, context, first, line, node=context.node, node_basis=context.node_basis, instant=context.clock, elided=above.elided,
        )  # fmt: skip

    _row_end = 0
    _counted = (0, 0, 0)

    def _mark_counts(self) -> None:
        self._counted = (self.out.rows, self.out.skipped, self.out.ignored)

    def _settle(self, row: Row) -> None:
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
        self.out.structure_row(Section, row.values(self._sections))
        self._row_end = row.last_line
        self._sections += 1

    def _end_run(self) -> None:
        if self._run is not None:
            self.out.structure(self._run)
            self._run = None

    # called by OpenSection

    def years(self, taken_us: int | None) -> Years:
        """See OpenSection.years."""
        return self._years.setdefault(taken_us, Years(taken_us))

    def next_of(self, parser: Parser, row: Row, previous: str) -> Line | None:
        """The next line of a section, or None where it ends; blank lines are counted here."""
        while (line := self.source.next()) is not None:
            if not line.text.strip():
                if parser.blanks:
                    return self._give(row, line)
                self._blank(row)
                continue
            if is_pager(line.text) or (is_elision(line.text) and not parser.owns(line.text, previous)):
                self._blank(row)
                continue
            if self.ends(parser, line, previous):
                self.source.push_back()
                return None
            return self._give(row, line)
        return None

    def _blank(self, row: Row) -> None:
        self.out.ignored += 1
        self._counted = (self._counted[0], self._counted[1], self._counted[2] + 1)
        row.ignored += 1

    def _give(self, row: Row, line: Line) -> Line:
        self._repeats.line(line)
        self._understood += 1
        row.understood += 1
        row.last_line = line.number
        return line

    def ends(self, parser: Parser, line: Line, previous: str) -> bool:
        """Whether a line that is not blank ends the section of a parser."""
        if self._prompt(line):
            return True
        command = self._above.context.command
        if command is not None and command.loop and match_loop_word(command, line.text) is not None:
            return True
        if line.host and self._above.is_elsewhere(line.host):
            return True
        claim = claimed(line.text)
        if claim is parser and line.stamp and self._moved_on(line) is not None:
            return True
        if claim is not None and claim is not parser and not (claim.priority <= parser.priority and parser.owns(line.text, previous)):
            return True
        owned = claim is parser or parser.owns(line.text, previous)
        if not owned or claim is not None:
            return not owned
        if line.text.lstrip().startswith("["):
            return match_mark(line.text) is not None  # a node in brackets opens a part of a list of settings that the parser owns
        return self._mark(line.text) is not None

    def take(self, row: Row) -> Line | None:
        """See OpenSection.take."""
        line = self.source.next()
        return None if line is None else self._give(row, line)

    def advance(self, row: Row, size: int, understood: int, ignored: int) -> None:
        """See OpenSection.advance."""
        self.source.advance(size, understood + ignored)
        self._understood += understood
        self.out.ignored += ignored
        self._counted = (self._counted[0], self._counted[1], self._counted[2] + ignored)
        row.understood += understood
        row.ignored += ignored
        row.last_line = self.source.number
        self._repeats.gap()

    def give_many(self, row: Row, texts: Sequence[str], size: int) -> None:
        """See OpenSection.give_many."""
        for number, text in enumerate(texts, self.source.number + 1):
            self._repeats.line(Line(number, text, text))
        self.source.advance(size, len(texts))
        self._understood += len(texts)
        row.understood += len(texts)
        row.last_line = self.source.number

    def mark_of(self, line: Line) -> Mark | None:
        """See OpenSection.mark_of."""
        if self._prompt(line):
            return None
        mark = self._mark(line.text)
        return mark if mark is not None and claimed(line.text) is None else None

    def book(self, row: Row, understood: int, ignored: int, records: int, last_line: int) -> None:
        """See OpenSection.book."""
        self._understood += understood
        self.out.ignored += ignored
        rows, skipped, empty = self._counted
        self._counted = (rows + records, skipped, empty + ignored)
        row.understood += understood
        row.records += records
        row.ignored += ignored
        row.last_line = last_line or row.last_line

    def cross(self, parser: Parser, marks: Sequence[tuple[Mark, int]], line: int, blanks: int) -> Row:
        """See OpenSection.cross."""
        if self._row is not None:
            self._settle(self._row)
            self._close_row()
        for mark, at in marks:
            self._close_row()
            self._apply(mark, at)
            self._open_bannered(mark, at)
        self._understood += len(marks)
        self.out.ignored += blanks
        self._counted = (self._counted[0], self._counted[1], self._counted[2] + blanks)
        self._run_output = True
        row = self._row
        if row is None or row.parser is not parser:
            self._close_row()
            row = self._row = self._new_row(parser, line)
            self._formats[parser.name] = self._formats.get(parser.name, 0) + 1
        return row

    def cross_many(self, dumps: Sequence[Dump]) -> tuple[Row, list[Told]]:
        """See OpenSection.cross_many. One pass without calls: a text may hold a dump every few lines."""
        if self._row is not None:
            self._settle(self._row)
            self._close_row()
        told: list[Told] = []
        context, end, number = self._above.context, self._row_end, self._sections
        records = marked = first = last = 0
        row: tuple[Any, ...] = ()
        formats = self._formats
        for marks, first, last, parser in dumps:
            if row:
                self.out.structure_row(Section, row)
                end, number = row[3], number + 1
            for mark, at in marks:
                context = self._above.below(context, mark, at)
                if mark.command and at != marks[-1][1] and (empty := bannered(mark.command)) is not None:
                    self.out.structure_row(
                        Section, Row(empty, context, at, at, context.node, context.node_basis, None, context.clock).values(number)
                    )
                    end, number = at, number + 1
                    formats[empty.name] = formats.get(empty.name, 0) + 1
            node, basis, clock, command, prompt, _ = context
            begin = prompt if prompt and first - prompt <= RESUME_LINES and prompt > end else first
            moment, lines = clock or NO_INSTANT, last - first + 1
            row = (
                begin, number, parser.name, last, node, basis, command.text if command else None, None,
                moment.us, moment.us, moment.zone_min,
                moment.zone_name, moment.resolution_us, lines, lines, 0, 0,
            )  # fmt: skip
            told.append((node, moment.us, moment.zone_min))
            formats[parser.name] = formats.get(parser.name, 0) + 1
            records += lines
            marked += len(marks)
        self._above.context, self._row_end, self._sections = context, end, number
        if any(mark.node for marks, *_ in dumps for mark, _ in marks):
            self._end_run()
        self._above.elided, self._run_output = False, True
        self._understood += records + marked
        rows, skipped, ignored = self._counted
        self._counted = (rows + records, skipped, ignored)
        self._row = self._new_row(dumps[-1][3], first)
        self._row.last_line, self._row.records, self._row.understood = last, last - first + 1, last - first + 1
        return self._row, told

    def move(self, size: int, lines: int) -> None:
        """See OpenSection.move."""
        self.source.advance(size, lines)
        self._repeats.gap()

    def is_on(self, node: str, basis: str) -> None:
        """See OpenSection.is_on."""
        self._above.is_on(node, basis)

    def seen(self, key: Hashable, first_line: int, last_line: int | None) -> None:
        """See OpenSection.seen."""
        self._repeats.block(key, first_line, last_line)


def read(source: Iterable[Block], out: Output, hints: Hints | None = None) -> ReadResult:
    """Read one text into ``out``; the caller closes ``out``. Pure: no files, no settings, no clock. A part of one: ``parsers.windows``."""
    return Reader(source, out, hints or Hints()).read()
