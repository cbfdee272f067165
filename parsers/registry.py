"""How a parser is registered: a function with a decorator."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Protocol

from parsers.lookup import Parser, add
from parsers.output import Output
from parsers.patterns.kept_start import compiled
from parsers.sections.open_section import OpenSection
from parsers.text import Owns

Read = Callable[[OpenSection, Output], None]


class Rows(Protocol):
    """The kinds of lines of an output, such as those of a table: what its parser claims and owns follows from them."""

    @property
    def claims(self) -> str:
        """Pattern of a line that opens a section."""

    @property
    def owns(self) -> str | Owns:
        """Whether a further line belongs to it."""


def parser(
    name: str,
    *,
    version: int,
    product: str,
    rows: Rows | None = None,
    claims: str = "",
    owns: str | Owns | None = None,
    commands: tuple[str, ...] = (),
    blanks: bool = False,
    priority: int = 0,
    places: str | None = None,
    banner: str = "",
    cuts: bool = False,
    alone: Callable[[str], bool] | None = None,
    alone_alike: Callable[[str], bool] | None = None,
    names_hosts: bool = False,
    messages: bool = False,
) -> Callable[[Read], Read]:
    """Register a parser.

    rows: the kinds of its lines, from which ``claims`` and ``owns`` follow where they are not given.
    claims: pattern matched (``re.match``) against the text of a line without leading blanks; it must be specific.
    owns: pattern (``re.match``, without leading blanks) or function ``(text, text of the line before, with a line end
    where blank ones stand between) -> bool``: whether a further line belongs to the section. Default: the claim
    itself. Blank lines inside a section are counted as ignored and not handed out, unless ``blanks``.
    commands: names of programs whose output this is (a hint for the prompt, not a claim).
    priority: higher is asked first where two claims could match.
    places: pattern searched in the command at the prompt, or in the path of a text without one: there a line that
    nobody claims goes to this parser if it owns it. For files that hold nothing by which to know them, such as one
    number.
    banner: the command of a banner below which no line at all is an answer too: an empty section.
    cuts: a section of it below a structural line is read the same whatever stands above that line, save node, time and
    command: a huge text of such sections is read in windows (``parsers.sections.windows``).
    alone: whether a line is one of this format that lost its head, such as a message without its stamp: it is asked
    last of all, of lines that nobody claims and no command places.
    alone_alike: of a line of ASCII that ``alone`` is said no to, whether it says no to all that differ from it in their
    digits alone.
    names_hosts: a line that names a host, and else is a heading above the output of that host, is a part of it where
    it owns that line.
    messages: its lines are messages of a log, each whole by itself: one that it knows is no row of another output, even
    where that output may hold any words.
    """
    claimed, owned = claims or (rows.claims if rows else ""), owns or (rows.owns if rows else None)

    def register(read: Read) -> Read:
        if not claimed:
            raise ValueError(f"{name} claims no line")
        add(
            Parser(
                name,
                version,
                product,
                claimed,
                _owner(owned, claimed),
                read,
                commands,
                blanks,
                priority,
                _compiled(places),
                banner,
                cuts,
                alone,
                alone_alike,
                names_hosts,
                messages,
            )
        )
        return read

    return register


def _compiled(pattern: str | None) -> re.Pattern[str] | None:
    return re.compile(pattern) if pattern else None


def _owner(owns: str | Owns | None, claims: str) -> Owns:
    if callable(owns):
        return owns
    pattern = owns or claims
    return lambda text, before: _pattern(pattern).match(text.lstrip()) is not None


@cache
def _pattern(text: str) -> re.Pattern[str]:
    """Compiled where a text first needs it: most texts need few of all formats."""
    return compiled(text)
