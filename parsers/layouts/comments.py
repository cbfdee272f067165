"""Marks of a comment in front of every line of an output: in notes, scripts, tickets and files of settings.

    # disk         driver   sector     failure        ; Port a gen 51c001 membership 01        // Waiting 2.5 sec since
    # name         type       size       group        ; Port h gen 51c002 membership 01        // Waiting 1.3 sec since

The whole stretch of lines with the mark decides, once: it is an output where a reader of a tool's output claims lines
of it without their marks, or where a prompt with its command stands in it, and few of its lines are nobody's; where a
prompt of a host stands among the lines, readers that go by shape alone count too. Blank lines part no stretch. A
setting that is commented out stays one: lines of a name and a value prove nothing, and nothing is uncovered right
beside lines that the same reader claims without a mark. Where all of a text stands under marks, nobody put anything out
of force: then one line is enough, as one with its moment is anywhere. Where each line has the mark several times, all
of them go. Lines that a difference of two files adds or leaves lose its sign.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Final

from parsers.documents.line_marks import clean
from parsers.headings.transcript import match_mark, match_prompt
from parsers.ledger import Fate
from parsers.line_kinds import is_heading, is_prose
from parsers.lookup import Parser, claimed, known_alone, placed, programs
from parsers.text import Line

FIRST: Final = frozenset("#;/* +@")
MOST_LOOKED_AT: Final = 60
"""Lines of a stretch that decide for all of it."""
_MARK: Final = re.compile(r"[ \t]{0,16}(?P<mark>#{1,4}|;{1,2}|//|\*|\+)(?: |$)")
_HUNK: Final = re.compile(r"@@ -\d{1,9}(?:,\d{1,9})? \+\d{1,9}(?:,(?P<lines>\d{1,9}))? @@")
"""Above lines that a difference of two files shows."""
_SETTING: Final = re.compile(
    r"[\w./*-]{1,80}(?:[ \t]{0,40}[=:][ \t]{0,40}|[ \t]{1,40})\S{0,200}(?:[ \t]{1,4}[\w.%]{1,24}){0,2}$"
)
_TITLE: Final = re.compile(r"[a-z]{2,20} [a-z]{4,20}$")
_CASED: Final = re.compile(r"[A-Z]\w{0,40}:? |.{0,200}\d:\d\d:\d\d")
_STAMPED: Final = re.compile(r"\d\d:\d\d:\d\d")
STAMP_WITHIN: Final = 60
"""Letters of a single line within which its moment stands: then it is one of a log."""
_AT_A_HOST: Final = re.compile(r"\[?[a-z_][\w.-]{0,31}@[A-Za-z0-9][\w.-]{0,62}[ :][^\s\]]{1,80}\]?[#$] \S")
MOST_UNKNOWN: Final = 0.34
MOST_UNKNOWN_OF_ALL: Final = 0.67
"""Where the whole text stands under marks."""
MOST_BLANK: Final = 3
MOST_MARKS: Final = 4
"""In front of one line."""
GUESSED: Final = -50
"""Priority of readers that go by shape alone."""


class Comments:
    """Takes the marks off the lines of one text."""

    def __init__(self, english: Callable[[str], str] = str) -> None:
        """english: makes figures and stamps of a line English, as readers expect them."""
        self._english = english
        self._mark = ""
        self._depth = 0
        """Marks in front of each line of the output; 0: the stretch is none."""
        self._last = 0
        self._shown_to = 0
        """Number of the last line that a difference of two files may show."""

    def is_inside(self, number: int) -> bool:
        """Whether a difference of two files may show the line."""
        return number <= self._shown_to

    def bare(self, line: Line, below: Iterable[Line], above: Callable[[], str]) -> Line:
        """The line without its mark, where the stretch is an output. ``below``: the lines that follow it, made as far
        as they are looked at; ``above``: the text of the one before it.
        """
        if (hunk := _HUNK.match(line.text)) is not None:
            self._shown_to = line.number + int(hunk["lines"] or 1)
            return replace(line, fate=Fate.FRAME)
        if line.number <= self._shown_to:
            return _shown(line)
        match = _MARK.match(line.text)
        if match is None:
            return line
        if match["mark"] != self._mark or not self._goes_on(line.number, above):
            self._mark = match["mark"]
            self._depth = _depth(line, match["mark"], below, above, self._english)
        self._last = line.number
        return _without(line, match["mark"], self._depth) if self._depth else line

    def _goes_on(self, number: int, above: Callable[[], str]) -> bool:
        """Whether a line belongs to the stretch of the last one with a mark."""
        if self._last <= number <= self._last + 1:
            return True
        return self._depth > 0 and 0 < number - self._last <= 1 + MOST_BLANK and not above().strip()

    def peeked(self, line: Line, below: Iterable[Line], above: Callable[[], str]) -> Line:
        """What ``bare`` would make of a line that is not read yet."""
        before = (self._mark, self._depth, self._last, self._shown_to)
        found = self.bare(line, below, above)
        self._mark, self._depth, self._last, self._shown_to = before
        return found


def _shown(line: Line) -> Line:
    """A line of a difference of two files without its sign; lines that it takes away stay as they are."""
    return replace(line, text=line.text[1:], quote=line.quote + 1) if line.text[0] in "+ " else line


def _without(line: Line, mark: str, depth: int) -> Line:
    """It counts as quoted once more for each mark: none is a prompt of the superuser."""
    text, quote = _bare(line.text, mark, depth)
    return replace(line, text=text, quote=line.quote + quote)


def _bare(text: str, mark: str, depth: int) -> tuple[str, int]:
    """A text without so many marks, as far as it has them, and how often it was quoted with them."""
    quotes = 0
    for _ in range(depth):
        match = _MARK.match(text)
        if match is None or match["mark"] != mark:
            break
        text, quote = clean(text[match.end() :])
        quotes += quote + 1
    return text, quotes


def _depth(
    first: Line, mark: str, below: Iterable[Line], above: Callable[[], str], english: Callable[[str], str]
) -> int:
    """How many marks stand in front of each line of a stretch that is an output of a tool under them; 0 for others."""
    lines, end = _stretch(first, mark, below)
    depth = min((_marks(text, mark) for text in lines if _bare(text, mark, MOST_MARKS)[0].strip()), default=1)
    bare = [english(_bare(text, mark, depth)[0]) for text in lines]
    return depth if _is_output(bare, mark, above(), end, is_all=first.number == 1 and end is None) else 0


def _marks(text: str, mark: str) -> int:
    return _bare(text, mark, MOST_MARKS)[1]


def _is_output(lines: list[str], mark: str, above: str, end: str | None, *, is_all: bool) -> bool:
    """Whether the lines of a stretch, without their marks, are an output of a tool."""
    is_typed = len(lines) == 1 and mark == "#" and match_prompt(f"# {lines[0]}", programs()) is not None
    if is_typed or not (len(lines) > 1 or is_all or _is_logged(lines)):
        return False  # one line of a superuser may hold all that the command printed
    found = [claimed(text) or known_alone(text) for text in lines]
    has_prompt = any(_AT_A_HOST.match(text.strip()) for text in lines)
    owners = {one for one, text in zip(found, lines, strict=True) if one is not None and _proves(one, text, has_prompt)}
    typed = [prompt for text in lines if text and (prompt := match_prompt(text, programs())) is not None]
    is_beside = bool(owners & {claimed(above), claimed(end or "")})
    if not (owners or typed) or is_beside or _prints_mark(lines, found, mark):
        return False
    placed_by = {one for prompt in typed for one in placed(prompt.command.text)}
    most = MOST_UNKNOWN_OF_ALL if is_all else MOST_UNKNOWN
    return _unknown(lines, found, owners | placed_by) <= most * len(lines)


def _is_logged(lines: list[str]) -> bool:
    return bool(lines) and _STAMPED.search(lines[0][:STAMP_WITHIN]) is not None


def _prints_mark(lines: list[str], found: list[Parser | None], mark: str) -> bool:
    """Whether the tool itself prints such a mark: readers claim most lines with it that others claim without."""
    by_mark = 0
    for text, bare in zip(lines, found, strict=True):
        owner = claimed(f"{mark} {text}")
        by_mark += owner is not None and owner is not bare and owner.priority > GUESSED
    return 2 * by_mark > sum(owner is not None for owner in found)


def _unknown(lines: list[str], found: list[Parser | None], owners: set[Parser]) -> int:
    """How many of the lines are nobody's."""
    unknown, previous = 0, ""
    for text, owner in zip(lines, found, strict=True):
        if not text.strip():
            continue
        is_known = owner is not None or any(one.owns(text, previous) for one in owners)
        is_known = is_known or _is_structure(text)
        unknown += not is_known or (owner is None and (is_heading(text) or is_prose(text)))
        previous = text
    return unknown


def _stretch(first: Line, mark: str, below: Iterable[Line]) -> tuple[list[str], str | None]:
    """The lines with the mark, as many as are looked at; and the first line without it, None where the text ends
    before.
    """
    lines: list[str] = []
    for line in _chain(first, below):
        match = _MARK.match(line.text)
        if match is None and not line.text.strip():
            continue
        if match is None or match["mark"] != mark:
            return lines, line.text
        lines.append(line.text)
        if len(lines) == MOST_LOOKED_AT:
            break
    return lines, None


def _chain(first: Line, below: Iterable[Line]) -> Iterator[Line]:
    yield first
    yield from below


def _proves(owner: Parser, text: str, has_prompt: bool) -> bool:
    """Whether a line is one of a tool's output, and no setting that somebody put out of force. has_prompt: a prompt
    stands among the lines, so they are of a session, whatever their shape.
    """
    if owner.priority <= GUESSED:
        return has_prompt
    stripped = text.strip()
    return (_CASED.match(stripped) or _TITLE.match(stripped)) is not None or _SETTING.match(stripped) is None


def _is_structure(text: str) -> bool:
    return match_mark(text) is not None or match_prompt(text, programs()) is not None or not text.strip(" -=+|*_")
