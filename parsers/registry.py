"""Which parser reads which text. A parser is a function with a decorator; all of ``formats/`` is imported at start."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Protocol

from parsers.dataclass import dataclass
from parsers.dispatch import Dispatch
from parsers.text import Owns

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections import OpenSection

Read = Callable[["OpenSection", "Output"], None]


@dataclass(frozen=True, slots=True)
class Parser:
    """One section format. ``claims`` matches the first line of its section, ``owns`` every further line."""

    name: str
    version: int
    product: str
    claims: str
    owns: Owns
    read: Read
    commands: tuple[str, ...]
    blanks: bool
    priority: int
    places: re.Pattern[str] | None = None
    banner: str = ""
    cuts: bool = False
    alone: Callable[[str], bool] | None = None


class Rows(Protocol):
    """The kinds of lines of an output, such as those of a table: what its parser claims and owns follows from them."""

    @property
    def claims(self) -> str:
        """Pattern of a line that opens a section."""

    @property
    def owns(self) -> str | Owns:
        """Whether a further line belongs to it."""


_PARSERS: dict[str, Parser] = {}


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
    command: a huge text of such sections is read in windows (``parsers.windows``).
    alone: whether a line is one of this format that lost its head, such as a message without its stamp: it is asked
    last of all, of lines that nobody claims and no command places.
    """
    claimed, owned = claims or (rows.claims if rows else ""), owns or (rows.owns if rows else None)

    def register(read: Read) -> Read:
        if name in _PARSERS:
            raise ValueError(f"two parsers are named {name}")
        if not claimed:
            raise ValueError(f"{name} claims no line")
        _PARSERS[name] = Parser(
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
    return re.compile(text)


@cache
def parsers() -> dict[str, Parser]:
    """All parsers by name. An import error in any format module stops the start."""
    import parsers.formats as package

    for module in sorted(info.name for info in pkgutil.walk_packages(package.__path__, "parsers.formats.")):
        importlib.import_module(module)
    return dict(sorted(_PARSERS.items(), key=lambda item: (-item[1].priority, item[0])))


@cache
def programs() -> frozenset[str]:
    """All programs whose output is read."""
    return frozenset(name for parser in parsers().values() for name in parser.commands)


@cache
def _claims() -> Dispatch[Parser]:
    return Dispatch((p.claims, p) for p in parsers().values())


@cache
def bannered(command: str) -> Parser | None:
    """The parser whose sections the banner of a command opens, also where nothing follows."""
    return next((p for p in parsers().values() if p.banner == command), None) if command else None


@lru_cache(maxsize=8)
def claimed(text: str) -> Parser | None:
    """The parser that claims a line, or None. Several ask about one line in turn."""
    stripped = text.lstrip()
    return _claims().find(stripped) if stripped else None


@lru_cache(maxsize=1024)
def placed(where: str) -> tuple[Parser, ...]:
    """Parsers of texts that are known only by the command or the path they come from."""
    return tuple(p for p in parsers().values() if p.places is not None and p.places.search(where))


@cache
def _of_lone_lines() -> tuple[Parser, ...]:
    return tuple(p for p in parsers().values() if p.alone is not None)


def known_alone(text: str) -> Parser | None:
    """The parser that knows a line without its head, where nobody claims it."""
    body = text.strip()
    return next((p for p in _of_lone_lines() if p.alone is not None and p.alone(body)), None) if body else None


# What no claim but the structure of a transcript may care for: prompts, banners, headings, date lines, codes to be
# cleaned away.
_STRUCTURE = re.compile(
    rb"[^\n]{0,330}[#$%][ \t]+\S|[=*#-]{2,20}|[^\n]{0,24}\d:\d\d:\d\d[^\n]{0,26}$"
    rb"|(?:node|host|server|from|on) |[^\n]{0,200}[\x1b\\&<\xc2]",
    re.IGNORECASE,
)


_BULLETS = frozenset((b"-", b"*", b"+", b"`"))


def noticed(text: bytes) -> int:
    """Where in raw text the first line begins that a claim or the structure could care for: all above may be passed
    over. -1: nowhere.
    """
    find, is_structure, start = _claims().find, _STRUCTURE.match, 0
    for line in text.split(b"\n"):
        plain = line.lstrip(b" \t>|")
        if plain and (is_structure(plain) or find(plain.decode("utf-8", "replace"))):
            return start
        if (
            plain[:1] in _BULLETS
            and (bare := plain.lstrip(b"-*+`1234567890.) \t"))
            and find(bare.decode("utf-8", "replace"))
        ):
            return start
        if plain and known_alone(plain.decode("utf-8", "replace")) is not None:
            return start
        start += len(line) + 1
    return -1
