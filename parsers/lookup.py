"""Which parser reads which text. All of ``formats/`` is imported when the first line is looked up."""

from __future__ import annotations

import importlib
import pkgutil
import re
import string
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

from parsers.dataclass import dataclass
from parsers.patterns.digits import ALL_ALIKE
from parsers.patterns.dispatch import Dispatch
from parsers.text import Owns

Read = Callable[[Any, Any], None]
"""Of an open section and its output; ``parsers.registry`` holds each parser to these types."""


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
    alone_alike: Callable[[str], bool] | None = None
    names_hosts: bool = False
    messages: bool = False


_PARSERS: dict[str, Parser] = {}


def add(parser: Parser) -> None:
    """Names are given once."""
    if parser.name in _PARSERS:
        raise ValueError(f"two parsers are named {parser.name}")
    _PARSERS[parser.name] = parser


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


def prepare_claims() -> None:
    """Make now what frequent lines ask for: otherwise each process of a pool takes seconds for it with its first texts,
    and memory of its own.
    """
    _claims().prepare(f"0[<#|=-{string.ascii_letters}")


def tells_claim(text: str, parser: Parser) -> Callable[[str], bool] | None:
    """What tells whether a parser claims a line that differs from one of its own in the digits alone; None where it is
    not known.
    """
    return _claims().tells(text.lstrip(), parser)


def is_claimed_alike(text: str) -> bool:
    """Whether it is known that all lines that differ from one in the digits alone are claimed, by whomever."""
    return _claims().are_owned(text.lstrip())


@cache
def bannered(command: str) -> Parser | None:
    """The parser whose sections the banner of a command opens, also where nothing follows."""
    return next((p for p in parsers().values() if p.banner == command), None) if command else None


@lru_cache(maxsize=512)
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


@lru_cache(maxsize=512)
def known_alone(text: str) -> Parser | None:
    """The parser that knows a line without its head, where nobody claims it."""
    body = text.strip()
    return next((p for p in _of_lone_lines() if p.alone is not None and p.alone(body)), None) if body else None


def is_known(text: str) -> bool:
    """Whether some parser knows a line, with its head or without."""
    return claimed(text) is not None or known_alone(text) is not None


# What no claim but the structure of a transcript may care for: prompts, banners, headings, date lines, codes to be
# cleaned away.
_STRUCTURE = re.compile(
    rb"[^\n]{0,330}[#$%][ \t]+\S|[=*#-]{2,20}|[^\n]{0,24}\d:\d\d:\d\d[^\n]{0,26}$"
    rb"|(?:node|host|server|from|on) |[^\n]{0,200}[\x1b\\&<\xc2]",
    re.IGNORECASE,
)


_BULLETS = frozenset((b"-", b"*", b"+", b"`"))
_PASSED_KEPT = 20_000
_LONGEST_PASSED = 400


def noticed(text: bytes, passed: set[bytes] | None = None) -> int:
    """Where in raw text the first line begins that a claim or the structure could care for: all above may be passed
    over. -1: nowhere. passed: shapes of lines, with all digits alike, that nobody cared for; new ones are put there.
    """
    find, is_structure, start = _claims().find, _STRUCTURE.match, 0
    passed = set() if passed is None else passed
    for line, shape in zip(text.split(b"\n"), text.translate(ALL_ALIKE).split(b"\n"), strict=True):
        if shape in passed:
            start += len(line) + 1
            continue
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
        if plain and _is_passed_alike(plain):
            if len(passed) >= _PASSED_KEPT:
                passed.clear()
            passed.add(shape)
        start += len(line) + 1
    return -1


def _is_passed_alike(plain: bytes) -> bool:
    """Whether nobody cares for any line that differs in its digits alone from one that nobody cared for."""
    if len(plain) > _LONGEST_PASSED or not plain.isascii() or plain[:1] in _BULLETS:
        return False
    text = plain.decode("ascii")
    body = text.strip()
    return _claims().is_nobodys(text) and all(
        p.alone_alike is not None and p.alone_alike(body) for p in _of_lone_lines()
    )
