"""One pass over a text: cut it into sections, hand each to its parser, account for every line.

``read`` drives; a parser pulls. It iterates over its ``OpenSection`` and gets one ``Line`` after the other until the
section ends: at a prompt, a heading, a banner, a date line, a line that another parser claims, or a line it does not
own. Bulk parsers take whole stretches of bytes instead (``window`` and ``take``). Each line that the reader does not
give to a parser has the fate that the step which knew it returns; the ledger adds up (``parsers.ledger``).
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from traceback import extract_tb
from typing import Final

from parsers.enclosed.opened import Enclosed
from parsers.grammars.cells import is_whole
from parsers.headings.context import RESUME_LINES
from parsers.headings.frames import is_frame, is_of_post, is_signature
from parsers.headings.node_banners import NodeBanners, asks_for_host, holds_host, is_rule, lone_name
from parsers.headings.transcript import match_mark
from parsers.layouts.flattened import UNREAD
from parsers.layouts.local_forms import ALL_ENGLISH, forms_of
from parsers.layouts.wrapped import Tried
from parsers.ledger import Fate
from parsers.line_kinds import (
    is_caption,
    is_closing,
    is_elision,
    is_error_of_tool,
    is_fence,
    is_heading,
    is_left_on_screen,
    is_lone_name,
    is_prose,
)
from parsers.lookup import Parser, claimed, is_known, noticed
from parsers.messages.catalogue import sounding
from parsers.output import SKIPPED_KEPT, Columns, Output
from parsers.output import Block as Table
from parsers.prose.claims import ClaimFinder
from parsers.reading import Hints, ReadResult
from parsers.records import Claim, CommandRun, Counter, Problem, Quotation, Record, Repeat, Section, Skipped
from parsers.records.states import ListedState
from parsers.sections.above import Above
from parsers.sections.carried_over import CarriedOver
from parsers.sections.entries import Entries, Runs
from parsers.sections.lines import LineSource
from parsers.sections.open_section import Desk, OpenSection
from parsers.sections.opening import LOOKED_AT, bare_opening, with_bare_lines
from parsers.sections.repeats import RepeatFinder
from parsers.sections.structure import Structure
from parsers.text import Block, Line
from parsers.times.clock import Instant

logger = logging.getLogger(__name__)

__all__ = ["Hints", "LineSource", "OpenSection", "ReadResult", "Reader", "read"]

UNKNOWN_LINES: Final = 200
PASS_BYTES: Final = 1 << 20
FIRST_PASS: Final = 1 << 13
"""Bytes in which a line worth a look is searched for first: where every other line is one, a large block would be taken
apart for each of them.
"""
DEFECTS: Final = (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""What a parser raises that a line makes no sense to; errors of the text's own stream go on up."""
READ_WITH: Final = ("polars", "re")
"""Modules whose own errors say the same; the first is loaded only where it is needed."""
FAILED: Final = "The reader {name} failed here ({error}): the rest of this section is not read."
CUT: Final = "The text ends inside of this line, which is not read: what followed is not here."
CUT_READ: Final = "The text ends inside of this line: the rest of it, and what followed, is not here."
CUTS: Final = (CUT, CUT_READ)
MOST_LINES_OF_ANSWER: Final = 3
"""Lines below a command that asks for the name of the host, in which its answer stands; a lone word further down is
none.
"""
MOST_LINES_APART: Final = 3
"""Of the answers of nodes that were asked for the time by one command."""
_COUNTS_SECONDS: Final = "date +%s"
_DATE: Final = re.compile(r"\bdate\b")
_ANSWERED: Final = re.compile(r"\| (?:CHANGED|SUCCESS) \| rc=\d{1,3} >>")
"""The head that Ansible puts above what a node answered."""
_SECONDS: Final = re.compile(r"\s{0,8}(?:(?P<node>[A-Za-z][\w.-]{0,126}):\s{1,8})?(?P<seconds>\d{10})\s{0,8}$")
LAST_LINES: Final = 4
LONE_SIGNS: Final = frozenset(("#", "$", "%", ">"))
MOST_TO_A_NAME: Final = 4
"""Lines from the end of a letter to the name below it."""
MOST_OF_A_ROW: Final = 0.8
LEAST_WORDS: Final = 2
"""Words that the last line shares with those above it, and as many that it lacks: then it is a row like them."""
LEAST_LETTERS: Final = 3
"""Of a word that is cut."""
_OF_LVM: Final = re.compile(r"(?:lv|vg|pv)[a-z]{1,16}$|lvm$")
_SET_IN: Final = re.compile(r" {2}(?!\d{1,6} logical volume|Reading all )\S")
_BLANK: Final = re.compile(rb"^[ \t]*\n", re.MULTILINE)


class Reader:
    """Reads one text. Use ``read``."""

    def __init__(
        self,
        source: Iterable[Block],
        out: Output,
        hints: Hints,
        above: CarriedOver | None = None,
        opening: bytes | None = None,
        *,
        is_trial: bool = False,
    ) -> None:
        """``above``: where ``source`` is not the beginning of the text. ``opening``: the beginning, where ``source``
        has less of it. ``is_trial``: of a few lines that may be those of a flattened one.
        """
        self.out = out
        trial = None if is_trial else tried
        wrap_trial = None if is_trial else read_alone
        self.source = LineSource(source, above.line if above is not None else 0, out.ledger, trial, wrap_trial)
        self.source.enclosed = None if is_trial else Enclosed()
        self._above = Above(hints)
        self._above.has_one_host = self.source.prefixes.has_one_host
        if above is not None:
            banners, forms = above.banners, above.forms
        else:
            opening = self.source.window(LOOKED_AT, is_opening=True) if opening is None else opening
            text = bare_opening(opening)
            banners, forms = NodeBanners(with_bare_lines(text)), forms_of(text, trial)
        self.source.forms = forms if forms != ALL_ENGLISH else ALL_ENGLISH
        self.source.prefixes.named = banners.in_front
        self.source.prefixes.tags = banners.tags
        self.source.prefixes.host_of = banners.host_of
        self._structure = Structure(self.source, self._above, banners, hints.path)
        self.source.is_structure = lambda text: self._structure.mark(text) is not None
        self._entries = Entries(out, self._above)
        self._runs = Runs(out)
        self._repeats = RepeatFinder(out)
        self._claims = ClaimFinder(out)
        self._desk = Desk(self.source, out, self._above, self._structure, self._entries, self._runs, self._repeats)
        self._stuck_at = (-1, 0)
        self._clock: tuple[Line, Instant, str] | None = None
        """The time that a node told, and its line."""
        self._named: tuple[int, str] = (0, "")
        """The heading that named a node last."""
        self._is_clock_put = False
        self._strays = 0
        self._passed: set[bytes] = set()
        """Shapes of lines that nobody cares for."""
        self._closed_at = -MOST_TO_A_NAME
        """Number of the last line with which a letter ended."""
        if above is not None:
            self._stand(above)

    def _stand(self, above: CarriedOver) -> None:
        """Go on below a text that another reader read."""
        self._above.stand(above)
        self.source.prefixes.carried = above.prefixes
        for taken, years in above.years:
            self._structure.years(taken).carried = years

    def carried(self) -> CarriedOver:
        """What a line below the end of the text takes over."""
        years = tuple(sorted(((taken, years.carried) for taken, years in self._structure.all_years.items()), key=repr))
        is_certain = not (self._claims.carries or self.source.has_joined)
        is_certain = is_certain and self.out.ledger.not_understood <= SKIPPED_KEPT
        prefixes, banners = self.source.prefixes.carried, self._structure.banners
        carried = self._above.carried(self.source.number, years, prefixes, banners, is_certain=is_certain)
        return replace(carried, forms=self.source.forms)

    def read(self) -> ReadResult:
        """Read to the end."""
        ledger, entries = self.out.ledger, self._entries
        while True:
            while (begun := self._structure.begun()) is not None and self._begins(begun[0], self.source.number + 1):
                pass
            if (line := self.source.next()) is None:
                break
            if (fate := line.fate) is not None:
                ledger.take(1, self._part(line, fate))
            elif (fate := self._frame(line)) is not None:
                ledger.take(1, fate)
            elif (fate := self._content(line)) is not None:
                ledger.take(1, fate)
                if ledger.not_understood > SKIPPED_KEPT:
                    self._pass_over()
        ledger.end_parts()
        if self.source.ends_open:
            if self.out.last_skipped == self.source.number:
                self.out.problem(self.source.number, CUT)
            elif is_cut(self.source.last_lines(LAST_LINES)):
                self.out.problem(self.source.number, CUT_READ)
        entries.close()
        self._runs.end()
        self._repeats.close()
        self._claims.end()
        return ReadResult(
            total=ledger.total,
            understood=ledger.understood,
            ignored=ledger.ignored,
            not_understood=ledger.not_understood,
            sections=entries.count,
            records=self.out.rows,
            formats=dict(entries.formats),
        )

    def _part(self, line: Line, fate: Fate) -> Fate:
        """A part of a flattened line that is no line of any output."""
        return self._lost(line, UNREAD, fate) if fate is Fate.UNREAD else fate

    # structure

    def _frame(self, line: Line) -> Fate | None:
        """The fate of blank lines, prompts, headings, banners, dates; None for any other line."""
        if line.stamp or line.host:
            self._apply_prefix(line)
        if not line.text.strip() or is_left_on_screen(line.text) or is_elision(line.text):
            self._above.elided = self._above.elided or is_elision(line.text)
            if self._entries.open is not None:
                self._entries.open.account.take(1, Fate.ASIDE)
            return Fate.ASIDE
        if self._above.context.command is not None and self._continues_the_prompt(line):
            self._above.goes_on(line.text)
            return Fate.FRAME  # a shell's continuation prompt below a loop
        fate = self._enter(line)
        if fate is not None and not line.host:
            self._above.sent_to_all()
        return fate

    def _continues_the_prompt(self, line: Line) -> bool:
        """Whether a line is the rest of a loop, typed behind the ``>`` of a shell. What a parser claims is a quotation
        instead.
        """
        return self._runs.goes_on(line.quote) and not is_known(line.text) and match_mark(line.text) is None

    def _apply_prefix(self, line: Line) -> None:
        """Node and moment that stand in front of a line hold for it and for what follows."""
        if self._above.is_elsewhere(line.host):
            self._entries.close()
            self._above.turn_to(line.host)
        if line.stamp and (instant := self._structure.moved_on(line)) is not None:
            self._entries.close()
            self._above.tell(clock=instant)

    def _enter(self, line: Line) -> Fate | None:
        """Apply a prompt or a mark to the context."""
        if prompt := self._structure.typed(line):
            self._repeats.line(line)
            self._entries.close()
            self._runs.end()
            self._above.prompt(prompt, line.number)
            self._runs.begin(prompt, self._above.context, line.number, line.quote)
            return Fate.FRAME
        if (mark := self._structure.heading(line)) is None:
            return Fate.FACT if self._reads_clock(line, *self._counted_seconds(line.text)) else None
        self._repeats.line(line)
        self._entries.close()
        if mark.node and mark.instant is None and self._may_tell_the_time(line.text):
            self._named = (line.number, mark.node)
        if mark.instant is not None and self._claims.is_mail_head(line):
            return Fate.ASIDE
        self._desk.turn(mark, line.number)
        return Fate.FACT if self._reads_clock(line, mark.instant) else Fate.FRAME

    def _may_tell_the_time(self, heading: str) -> bool:
        """Whether the line below the heading of a node may be the answer to a question for the time: dumps that are
        taken one after the other have their moment there, too.
        """
        command = self._above.context.command
        return _ANSWERED.search(heading) is not None or (command is not None and _DATE.search(command.text) is not None)

    def _reads_clock(self, line: Line, instant: Instant | None, named: str = "") -> bool:
        """Whether a node was asked for the time beside others, which may tell another one."""
        host = line.host or named or (self._named[1] if line.number == self._named[0] + 1 else "")
        if not host or instant is None or not instant.dated:
            return False
        above, self._clock = self._clock, (line, instant, host)
        if above is None or above[2] == host or line.number - above[0].number > MOST_LINES_APART:
            self._is_clock_put = False
            return False
        for source, moment, node in [self._clock] if self._is_clock_put else [above, self._clock]:
            value = moment.us / 1e6 - 60 * (moment.zone_min or 0)
            read = Counter(line=source.number, node=node, source="date", name="clock", unit="s", value=value)
            self.out.add(replace(read, at=moment.us, zone_min=moment.zone_min))
        self._is_clock_put = True
        return True

    def _counted_seconds(self, text: str) -> tuple[Instant | None, str]:
        """What ``date +%s`` printed, and the node in front of it."""
        command = self._above.context.command
        if command is None or _COUNTS_SECONDS not in command.text or (match := _SECONDS.match(text)) is None:
            return None, ""
        return Instant(int(match["seconds"]) * 1_000_000, zone_min=0), match["node"] or ""

    # content

    def _content(self, line: Line) -> Fate | None:
        """The fate of a line that is not structure; None where its parser takes it."""
        owner = claimed(line.text)
        if owner is not None and self.source.key:
            self._structure.learn_begun(self.source.key, owner, line)
        parser = owner or self._structure.placed(line.text) or self._structure.alone(line.text)
        if parser is not None and self._stuck_at != (place := self.source.place):
            self.source.push_back()
            self._begin(parser, place)
            return None
        self._repeats.line(line)
        if self._counts(line) or self._names_host(line):
            return Fate.FACT
        return Fate.FRAME if self._echoes(line) else self._stray(line)

    def _begins(self, parser: Parser, number: int) -> bool:
        """Whether a parser was asked to read from the next line on, which is known to be no structure."""
        if self._stuck_at == (place := (number, 0)):
            return False
        self._begin(parser, place)
        return True

    def _begin(self, parser: Parser, place: tuple[int, int]) -> None:
        self._runs.has_output = True
        self._strays = 0
        self._stuck_at = place
        self._run_parser(parser)

    def _run_parser(self, parser: Parser) -> None:
        before = self.source.place
        entry = self._entries.resumed(parser, before[0] + 1)
        if quote := self.source.quote_below():
            entry.quoted = quote
        section = OpenSection(self._desk, parser, entry)
        self._entries.count_from_here()
        given, rows = self.out.ledger.facts, self.out.rows
        try:
            parser.read(section, self.out)
        except Exception as error:
            if self.source.is_broken or not _is_defect(error):
                raise
            self._cut_short(parser, error, given=self.out.ledger.facts - given, rows=self.out.rows - rows)
        self._entries.settle()
        if self.source.place != before:
            self._stuck_at = (-1, 0)  # else it took nothing, and its first line is nobody's

    def _cut_short(self, parser: Parser, error: Exception, *, given: int, rows: int) -> None:
        """A parser met a line that it cannot stand: its section ends there, and the text goes on. What it had put out
        stays, as it would of an output that was cut.
        """
        where = extract_tb(error.__traceback__)[-1]  # the error's own words may be the customer's
        logger.error("parser %s failed: %s in %s:%s", parser.name, type(error).__name__, where.name, where.lineno)
        line = max(self.source.number, 1)
        self.out.problem(line, FAILED.format(name=parser.name, error=type(error).__name__))
        self.out.ledger.change(max(given - rows, min(given, 1)), Fate.UNREAD)
        self._entries.settle()
        self._entries.close()

    def _counts(self, line: Line) -> bool:
        """The lone number that ``... | wc -l`` prints belongs to its command."""
        command, text = self._above.context.command, line.text.strip()
        if command is None or not command.counts_lines or not is_whole(text, 15):
            return False
        return self._runs.counted(int(text))

    def _names_host(self, line: Line) -> bool:
        """The answer of ``hostname``, below its command or in a file of that name: it tells the node where the prompt
        does not.
        """
        command, name = self._above.context.command, lone_name(line.text)
        if name is None or not (
            holds_host(self._structure.path, line.number)
            if command is None
            else asks_for_host(command.text) and line.number - self._above.context.prompt_line <= MOST_LINES_OF_ANSWER
        ):
            return False
        self._above.is_on(name, "content")
        return True

    def _echoes(self, line: Line) -> bool:
        """What ``echo`` prints stands in its own command."""
        command, text = self._above.context.command, line.text.strip()
        return command is not None and command.program in ("echo", "printf") and bool(text) and text in command.text

    def _stray(self, line: Line) -> Fate:
        """Nobody's line: prose is ignored; output that no parser knows is counted as not understood."""
        self._strays += 1
        entry = self._entries.open
        if entry is None and is_lone_name(line.text):
            return Fate.ASIDE
        if is_heading(line.text):
            if self._above.leaves_prompt():
                self._entries.close()
            return Fate.ASIDE
        prose = is_prose(line.text) and not (is_error_of_tool(line.text) or self._is_answer(line))
        if prose:
            self._claims.prose(line)
            self._closed_at = line.number if is_closing(line.text) else self._closed_at
        if prose or self._is_aside(line):
            self._above.say(line)
            if entry is not None and entry.parser is None:
                self._entries.close()
            return Fate.ASIDE
        return self._lost(line, "no parser knows this line", Fate.UNKNOWN)

    def _is_answer(self, line: Line) -> bool:
        """A sentence of a tool: it sounds like trouble right below a prompt, where nobody puts a remark; or LVM set
        it in by two blanks.
        """
        context = self._above.context
        if context.command is None:
            return False
        if line.number - context.prompt_line == 1 and sounding(line.text):
            return True
        return _OF_LVM.match(context.command.program) is not None and _SET_IN.match(line.raw) is not None

    def _lost(self, line: Line, why: str, fate: Fate) -> Fate:
        """Output that nobody reads counts in its section, so that nobody calls the rest all there is."""
        entry = self._entries.open
        self.out.name_skipped(line, why)
        if entry is None or (entry.parser is not None and line.number - entry.last_line > RESUME_LINES):
            entry = self._entries.begin(None, line.number)
        if entry.parser is None:
            entry.last_line = line.number
        entry.account.take(1, fate)
        return fate

    def _is_aside(self, line: Line) -> bool:
        """Whether a line that nobody knows stands around outputs only."""
        text = line.text
        if text.strip() in LONE_SIGNS:
            return True  # a prompt at which nothing was typed
        if text[-1:] == ":" and self._structure.is_command(text[:-1]):
            return True  # what somebody says stands below, though nothing known does
        if is_rule(text) or is_fence(text) or is_caption(text) or is_frame(text) or self._claims.belongs(line):
            return True
        if line.number - self._closed_at < MOST_TO_A_NAME and is_signature(text):
            return True
        return text[:1].isupper() and (below := self.source.peek()) is not None and is_of_post(text, below.text.strip())

    def _pass_over(self) -> None:
        """Deep inside text that no parser knows (a system log): count its lines in bulk up to the next one worth a
        look.
        """
        if self._strays < UNKNOWN_LINES:
            return
        window, start = self._up_to_noticed()
        size = len(window) if start < 0 else start
        text = window[:size]
        lines = text.count(b"\n") + (start < 0 and not text.endswith(b"\n") and bool(text))
        if not lines:
            return
        blank = len(_BLANK.findall(text))
        entry = self._entries.open
        if entry is None or entry.parser is not None:
            entry = self._entries.begin(None, self.source.number + 1)
        self.source.advance(size, lines)
        self.out.ledger.take_inside(lines - blank, Fate.UNKNOWN)
        self.out.ledger.take_inside(blank, Fate.ASIDE)
        entry.last_line = self.source.number
        self._repeats.gap()

    def _up_to_noticed(self) -> tuple[bytes, int]:
        """Lines that are not read yet, and where in them the first begins that is worth a look; -1: nowhere."""
        limit = FIRST_PASS
        window = self.source.window(limit)
        start = noticed(window, self._passed)
        while start < 0 and limit < PASS_BYTES:
            limit = min(limit * 4, PASS_BYTES)
            known, window = len(window), self.source.window(limit)
            if len(window) == known:
                break
            if (found := noticed(window[known:], self._passed)) >= 0:
                start = known + found
        return window, start


def _is_defect(error: Exception) -> bool:
    return isinstance(error, DEFECTS) or type(error).__module__.split(".")[0] in READ_WITH


def read(source: Iterable[Block], out: Output, hints: Hints | None = None) -> ReadResult:
    """Read one text into ``out``; the caller closes ``out``. Pure: no files, no settings, no clock. A part of one:
    ``parsers.sections.windows``.
    """
    return Reader(source, out, hints or Hints()).read()


def is_cut(lines: list[str]) -> bool:
    """Whether the last of some lines stops where those above it, of the same parser, go on: in a quotation or in
    brackets, within a word that one of them has whole, or before words or names that all of them have.
    """
    *above, last = [line.strip(_OF_A_TREE) for line in lines]
    owner = claimed(last)
    alike = [line for line in above if owner is not None and claimed(line) is owner]
    if _STAMPED.match(last):
        return False  # messages of a log differ
    if above and _is_left_open(last) and not any(map(_is_left_open, above)):
        return True
    if not alike:
        return False
    if any(_stops_within_word(last, row) for row in alike) or _lacks_names(last, alike):
        return True
    if len(last) >= min(map(len, alike)):
        return False
    if _is_open(last) and not any(map(_is_open, alike)):
        return True
    if len(last) > MOST_OF_A_ROW * min(map(len, alike)):
        return False
    common = set.intersection(*(set(_WORDS.findall(line)) for line in alike))
    there = set(_WORDS.findall(last))
    return len(alike) > 1 and min(len(common & there), len(common - there)) >= LEAST_WORDS


def _stops_within_word(last: str, row: str) -> bool:
    """Whether a line ends with the beginning of the word or the time of day that a row has at that place, before more
    words.
    """
    words, whole = last.split(), row.split()
    if not 1 < len(words) < len(whole):
        return False
    word = whole[len(words) - 1]
    if _CLOCK.match(word):
        return _CUT_CLOCK.fullmatch(words[-1]) is not None
    if len(words[-1]) < LEAST_LETTERS or not _NAME.fullmatch(words[-1]):
        return False
    return word.startswith(words[-1]) and word[len(words[-1]) : len(words[-1]) + 1].isalpha()


def _lacks_names(last: str, alike: list[str]) -> bool:
    """Whether a list of names with values has only the first ones of those that each row of its sort has."""
    sort, names = last.split(maxsplit=1)[:1], _NAMED.findall(last)
    rows = [_NAMED.findall(row) for row in alike if row.split(maxsplit=1)[:1] == sort]
    more = [row for row in rows if row[: len(names)] == names and len(row) - len(names) >= LEAST_WORDS]
    return len(names) >= LEAST_WORDS and bool(rows) and more == rows


def _is_open(line: str) -> bool:
    return _is_left_open(line) or line.count("'") % 2 == 1 or line[-1:] in ",:(<="


def _is_left_open(line: str) -> bool:
    """Whether it ends inside of brackets."""
    return line.count("(") > line.count(")") or line.count("[") > line.count("]")


_WORDS: Final = re.compile(r"[A-Za-z]{2,40}")
_NAME: Final = re.compile(r"[A-Za-z]\w{1,60}(?<![\d_])")
_CLOCK: Final = re.compile(r"\d\d:\d\d:\d\d")
_CUT_CLOCK: Final = re.compile(r"\d{1,2}|\d\d:(?:\d{1,2}|\d\d:\d?)?")
_NAMED: Final = re.compile(r"(?<!\S)(\w{1,40})[:=](?=\S)")
_OF_A_TREE: Final = " \t|`+-\\_"
"""What draws the branches of a tree in front of a row."""
_STAMPED: Final = re.compile(r"\[|.{0,14}\d:\d\d")


def tried(text: str) -> ReadResult:
    """What would be read of a few lines alone; nothing is kept of it."""
    return _tried(text, _Nowhere())


def read_alone(lines: Sequence[str]) -> Tried:
    """What data would be read of a stretch of lines; nothing is kept of it."""
    sink = _Nowhere()
    _tried("\n".join(lines) + "\n", sink)
    unread = frozenset(number for number in sink.skipped if 0 < number <= len(lines))
    return Tried(sink.records, sum(len(lines[number - 1]) for number in unread), unread)


def _tried(text: str, sink: _Nowhere) -> ReadResult:
    data, out = text.encode("utf-8", "replace"), Output(sink)
    result = Reader([Block(data, 1)], out, Hints(), opening=b"", is_trial=True).read()
    out.close()
    return result


class _Nowhere:
    """A sink that keeps nothing but the number of records that hold data, and which lines nobody could read."""

    def __init__(self) -> None:
        self.records = 0
        self.skipped: set[int] = set()

    def write(self, kind: type[Record], columns: Columns | Table) -> None:
        """Count them."""
        if kind is Skipped:
            self.skipped.update(columns["line"])
        elif kind not in NO_DATA:
            self.records += len(columns["line"])

    def close(self) -> None:
        """Nothing is left to write."""


NO_DATA: Final = frozenset((Claim, CommandRun, ListedState, Problem, Quotation, Repeat, Section, Skipped))
"""Kinds that tell of the text itself, what people say, and what is guessed of a table that nobody knows."""
