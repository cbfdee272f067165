"""Which lines are structure: prompts, headings, banners, dates; and where a section ends for that reason."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from parsers.headings.captions import is_command
from parsers.headings.dated_headings import plain_moment
from parsers.headings.node_banners import NodeBanners, looks_like_host
from parsers.headings.paths import day_from_path
from parsers.headings.process_headings import OPENS_FRAME, may_name_process, process_above_stack
from parsers.headings.transcript import Mark, Prompt, match_loop_word, match_mark, match_prompt, typed_alone
from parsers.layouts.prefixes import stamped
from parsers.line_kinds import is_fence
from parsers.lookup import Parser, claimed, known_alone, placed, programs, tells_claim
from parsers.sections.above import Above
from parsers.sections.lines import Known, LineSource
from parsers.text import Line
from parsers.times.clock import Instant, find_instant
from parsers.times.years import Years

SAME_MOMENT_US: Final = 5_000_000
"""Stamps in front of lines that are this near belong to one capture."""


LONGEST_LEAD: Final = 100
MOST_KNOWN: Final = 20_000
"""Keys of lines of a parser that are remembered; then again."""
_SIGNS: Final = frozenset("#$>%<")
"""Of prompts, and of elements that may name a node."""
_LEADS_TO_BLOCK: Final = re.compile(
    r"[ \t]{0,4}(?:(?i:this|that|here|das|hier|dies) (?:(?i:is|ist|comes|kommt|was) )?)?"
    r"(?:(?i:from|on|of|von|auf|node|host|server|output of) ){0,2}\*{0,2}(?P<name>[A-Za-z][\w.-]{1,80})\*{0,2}[:.]?$"
)
_FIELD: Final = re.compile(
    r"(?:Date|Content-[A-Za-z]{3,20}|Connection|From|To|Subject|Cache-Control|Last-Modified|Transfer-Encoding|Vary|ETag"
    r"|X-[A-Za-z-]{2,40}|Accept-Ranges|Location|Set-Cookie|Keep-Alive|Expires|Via|Received|MIME-Version|Message-ID"
    r"|Strict-Transport-Security|WWW-Authenticate|Pragma|Reply-To|Return-Path|Cc): ?\S",
    re.IGNORECASE,
)
"""Of the head of a page or a mail."""
_BLOCKS: Final = ("```", "~~~", "{code", "{noformat", "[code", "<pre")
"""How a marked block begins."""


def is_message(text: str, claim: Parser | None) -> bool:
    """Whether a line is one of a log, by its head or by words that no other program prints. claim: who claims it."""
    if claim is None:
        claim = known_alone(text)
    return claim is not None and claim.messages


def _is_of_another(claim: Parser | None, parser: Parser, text: str, previous: str) -> bool:
    """Whether a line in a section of a parser goes to another one: to who claims it, or to who reads messages."""
    if claim is not None and not (claim.priority <= parser.priority and parser.owns(text, previous)):
        return True
    return not parser.messages and is_message(text, claim)


class Structure:
    """Knows the structural lines of one text. It changes nothing of what stands ``above``."""

    def __init__(self, source: LineSource, above: Above, banners: NodeBanners, path: str) -> None:
        self.banners = banners
        self.path = path
        self.taken_us = day_from_path(path)
        self.all_years: dict[int | None, Years] = {}
        self._source = source
        self._above = above
        self._programs = programs()
        self._is_in_block = False
        """Whether a marked block is open."""
        self._known: dict[str, Known] = {}
        """By parser."""
        self._begun: dict[bytes, tuple[Parser, Callable[[str], bool]]] = {}
        """By the key of a plain line with which a section began the parser that claimed it, and what tells of one like
        it whether that claims it too.
        """
        self._begun_at = (-1, -1)
        self._begins: tuple[Parser, str] | None = None
        """What was found there: whoever ends a section and whoever begins the next one ask in turn."""

    def years(self, taken_us: int | None) -> Years:
        """Gives dates without a year one, by the day on which the text was taken; one for all sections of a log."""
        return self.all_years.setdefault(taken_us, Years(taken_us))

    def prompt(self, line: Line) -> Prompt | None:
        """The prompt of a line as it stands, where ``<`` is the shell's; else of what is left without terminal codes
        and prefixes.
        """
        is_as_typed = line.quote == 0 or line.raw.endswith("<<")  # marks of a heading on both sides are no quotation
        found = match_prompt(line.raw, self._programs) if is_as_typed else None
        return found or (match_prompt(line.text, self._programs) if line.quote or line.text != line.raw else None)

    def typed(self, line: Line) -> Prompt | None:
        """A prompt, or a command alone on its line, right above what it prints."""
        if (prompt := self.prompt(line)) is not None:
            return prompt
        prompt = typed_alone(line.text, self._programs)
        if prompt is None or claimed(line.text) is not None:
            return None
        if (below := self._source.peek(past_blank=True)) is None:
            return None
        is_output = (
            claimed(below.text)
            or below.text.strip() == line.text.strip()
            or match_mark(below.text)
            or match_loop_word(prompt.command, below.text)
            or any(p.owns(below.text, "") for p in placed(prompt.command.text))
        )
        return prompt if is_output else None

    def is_command(self, text: str) -> bool:
        """Whether a text is a command that people run, or one with the node on which they did."""
        return is_command(text.strip(), self._programs)

    def heading(self, line: Line) -> Mark | None:
        """What a structural line that is no prompt says. What a parser claims is none."""
        if is_fence(line.text):
            self._is_in_block = not self._is_in_block
        if claimed(line.text) is not None:
            return None
        return (
            self._process_heading(line)
            or match_loop_word(self._above.context.command, line.text)
            or self.mark(line.text)
            or self._lone_heading(line)
            or self._above_block(line)
            or self._dated_heading(line)
        )

    def mark(self, text: str) -> Mark | None:
        """A structural line that is no prompt, told by its own words or by those of the whole text."""
        mark = match_mark(text)
        if mark is not None and text.lstrip()[:7].lower() == "server:" and self._is_above_field():
            return None  # the program that sent a page or a mail
        if mark is not None and (mark.node is not None or mark.instant is None):
            return mark
        command = self._above.context.command
        host = self.banners.host_of(text, in_output=command is not None and not command.loop)
        if host is None or (text.lstrip().startswith("[") and self.placed(text) is not None):
            return mark  # a node in brackets may open a part of a list of settings
        moment = mark.instant if mark is not None else found[0] if (found := find_instant(text)) is not None else None
        return Mark(node=host, basis="heading", instant=moment)

    def _is_above_field(self) -> bool:
        """Whether the line below is a field of the head of a page or a mail."""
        below = self._source.peek()
        return below is not None and _FIELD.match(below.text) is not None

    def _process_heading(self, line: Line) -> Mark | None:
        """Number and name of a process, right above its stack."""
        if not may_name_process(line.text) or not self._source.may_show_below(OPENS_FRAME):
            return None
        if (below := self._source.peek()) is None:
            return None
        command = process_above_stack(line.text, below.text)
        return Mark(command=command) if command is not None else None

    def _lone_heading(self, line: Line) -> Mark | None:
        """A name alone on its line: between two rules, or on the first line above what a command printed."""
        name = line.text.strip()
        if (
            len(name.split()) > 1 + name.endswith(")")
            or not self.banners.may_be(name, self._source.number)
            or (line_below := self._source.peek()) is None
        ):
            return None
        below = line_below.text
        host = self.banners.fenced(name, below)
        if host is None and self._source.number == 1 and (match_mark(below) or claimed(below)):
            host = name
        return None if host is None else Mark(node=host, basis="heading") if host else Mark(basis="unknown", ends=True)

    def _above_block(self, line: Line) -> Mark | None:
        """What may well be a host, alone or in few words, right above a marked block: ``this is carp1``."""
        may_lead = len(line.text) < LONGEST_LEAD and not self._is_in_block  # else the mark below ends the block
        match = _LEADS_TO_BLOCK.match(line.text) if may_lead else None
        if match is None or not looks_like_host(match["name"]) or (below := self._source.peek()) is None:
            return None
        return Mark(node=match["name"], basis="heading") if below.raw.lstrip().startswith(_BLOCKS) else None

    def _dated_heading(self, line: Line) -> Mark | None:
        """A name beside a date without marks, right above an output."""
        if (found := plain_moment(line.text)) is None or (below := self._source.peek(past_blank=True)) is None:
            return None
        is_output = claimed(below.text) or match_mark(below.text) or self.prompt(below)
        return Mark(node=found.node, basis="heading", instant=found.instant) if is_output else None

    def placed(self, text: str) -> Parser | None:
        """The parser that knows a line only by the command above it or by the path of the text."""
        command = self._above.context.command
        if command is not None and command.counts_lines:
            return None
        candidates = placed(command.text if command is not None else self.path)
        found = next((one for one in candidates if one.owns(text, "")), None)
        return None if found is not None and not found.messages and is_message(text, None) else found

    def alone(self, text: str) -> Parser | None:
        """The parser that knows a line without the head of its log."""
        command = self._above.context.command
        return None if command is not None and command.counts_lines else known_alone(text)

    def moved_on(self, line: Line) -> Instant | None:
        """The moment in front of a line, where it is another one than that of the lines above."""
        found, clock = stamped(line.stamp, self.years(self.taken_us)), self._above.context.clock
        if found is None or (clock is not None and abs(found.us - clock.us) < SAME_MOMENT_US):
            return None
        return found

    def ends(self, parser: Parser, line: Line, previous: str) -> bool:
        """Whether a line that is not blank ends the section of a parser; ``previous`` is the line above it that is not
        blank.
        """
        if parser.names_hosts and line.fate is None and parser.owns(line.text, previous):
            return False
        if line.fate is not None or self.prompt(line):
            return True
        command = self._above.context.command
        if command is not None and command.loop and match_loop_word(command, line.text) is not None:
            return True
        if line.host and self._above.is_elsewhere(line.host):
            return True
        if line.text is not line.raw and line.raw.lstrip()[:1] == "<" and claimed(line.raw) is parser:
            return not parser.owns(line.raw, previous)  # an element of its own, though alone it would name a node
        claim = claimed(line.text)
        if claim is parser and line.stamp and self.moved_on(line) is not None:
            return True
        if claim is not parser and _is_of_another(claim, parser, line.text, previous):
            return True
        owned = claim is parser or parser.owns(line.text, previous)
        if not owned or claim is not None:
            return not owned
        if line.text.lstrip().startswith("["):
            return (
                match_mark(line.text) is not None
            )  # a node in brackets opens a part of a list of settings that the parser owns
        return self.mark(line.text) is not None

    def known_in(self, parser: Parser) -> Known:
        """By the key of a plain line what tells whether one like it goes on with a section of a parser, whatever stands
        above it.
        """
        command = self._above.context.command
        if command is not None and command.loop:
            return {}
        return self._known.setdefault(parser.name, {})

    def learn(self, key: bytes, parser: Parser, line: Line) -> None:
        """A plain line did not end a section of a parser: none does that is like it, where the parser claims it."""
        known = self.known_in(parser)
        is_claimed = claimed(line.text) is parser and not _SIGNS.intersection(line.text)
        tells = tells_claim(line.text, parser) if is_claimed else None
        if tells is not None or not is_claimed:
            if len(known) >= MOST_KNOWN:
                known.clear()
            known[key] = tells

    def begun(self) -> tuple[Parser, str] | None:
        """The parser that claims the next line, and its text, where it is known that lines like it are no structure.
        Logs in which programs take turns are read so.
        """
        if (spot := self._source.spot) == self._begun_at:
            return self._begins
        command = self._above.context.command
        is_in_loop = command is not None and bool(command.loop)
        found = self._source.known(self._begun) if self._begun and not is_in_loop else None
        if found is None:
            return None
        (parser, tells), text = found
        self._begun_at, self._begins = spot, (parser, text) if tells(text.lstrip()) else None
        return self._begins

    def learn_begun(self, key: bytes, parser: Parser, line: Line) -> None:
        """A plain line was no structure, and a parser claims it."""
        if key in self._begun or _SIGNS.intersection(line.text) or (tells := tells_claim(line.text, parser)) is None:
            return
        if len(self._begun) >= MOST_KNOWN:
            self._begun.clear()
        self._begun[key] = parser, tells

    # lines of a window, as the lines above it left things

    def mark_of(self, line: Line) -> Mark | None:
        """What a line tells if it is structure that no parser claims (a heading, a banner, a date)."""
        if self._source.prefixes.peeled(line) is not line or self.prompt(line):
            return None
        mark = self.mark(line.text)
        return mark if mark is not None and claimed(line.text) is None else None

    def owns(self, parser: Parser, line: Line, previous: str) -> bool:
        """Whether a line goes to a section of a parser below one that reads ``previous``."""
        seen = self._source.prefixes.peeled(line)
        return bool(seen.text.strip()) and not self.ends(parser, seen, previous)
