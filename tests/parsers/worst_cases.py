"""For each regular expression the texts that cost it most: one of its repetitions is met very often, and then nothing
fits.
"""

from __future__ import annotations

import pkgutil
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from importlib import import_module
from types import ModuleType
from typing import Any, Final

parser: Any = import_module("re._parser")
compiler: Any = import_module("re._compiler")
code: Any = import_module("re._constants")
CHARS: Final = 5_000
LIMIT_S: Final = 0.1
NEITHER: Final = "\x01"
TRIED: Final = "a1 -/.:,=_A()[]<>|\"'\t#*\x01\u00e4\n"
"""What a class may hold, tried in this order."""
REPEATS: Final = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")


def modules_of(package: ModuleType) -> list[ModuleType]:
    return [import_module(one.name) for one in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]


def patterns_in(modules: Iterable[ModuleType]) -> dict[re.Pattern[Any], str]:
    """What they compile when they begin, in tables of theirs too, each with the name of one place."""
    found: dict[re.Pattern[Any], str] = {}
    for module in modules:
        for name, value in list(vars(module).items()):
            for pattern in _within(value, 0):
                found.setdefault(pattern, f"{module.__name__}.{name}")
    return found


def _within(value: Any, depth: int) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth < 4:
        parts: Iterable[Any] = ()
        if isinstance(value, dict):
            parts = value.values()
        elif isinstance(value, tuple | list | set | frozenset):
            parts = value
        elif is_dataclass(value) and not isinstance(value, type):
            parts = (getattr(value, one.name, None) for one in fields(value))
        for part in parts:
            yield from _within(part, depth + 1)


def worst(pattern: re.Pattern[Any]) -> Iterator[Any]:
    """As text, or as bytes where it looks at bytes."""
    is_bytes = isinstance(pattern.pattern, bytes)
    source = pattern.pattern.decode("latin-1") if is_bytes else pattern.pattern
    parsed = parser.parse(source, pattern.flags & ~re.UNICODE)
    for chosen in range(_Text.repeats(parsed)):
        text = f"{_Text(chosen).of(parsed)[: 4 * CHARS]}{NEITHER}"
        yield text.encode("latin-1", "replace") if is_bytes else text


class _Text:
    """The shortest that fits, but for one repetition."""

    def __init__(self, chosen: int) -> None:
        self._chosen, self._met = chosen, 0

    @classmethod
    def repeats(cls, parsed: Any) -> int:
        counted = cls(-1)
        counted.of(parsed)
        return counted._met

    def of(self, parsed: Any) -> str:
        return "".join(self._one(str(kind), given) for kind, given in parsed)

    def _one(self, kind: str, given: Any) -> str:
        if kind == "LITERAL":
            return chr(given)
        if kind in REPEATS:
            return self._repeated(*given)
        if kind == "SUBPATTERN":
            return self.of(given[-1])
        if kind == "ATOMIC_GROUP":
            return self.of(given)
        if kind == "BRANCH":
            return max((self.of(one) for one in given[1]), key=len)
        if kind == "ANY":
            return "a"
        if kind in {"NOT_LITERAL", "IN"}:
            return next((one for one in TRIED if _fits(kind, given, one)), "a")
        return ""

    def _repeated(self, least: int, most: Any, parsed: Any) -> str:
        is_chosen = False
        if most is code.MAXREPEAT or most > 20:
            is_chosen, self._met = self._met == self._chosen, self._met + 1
        text = self.of(parsed)
        return text * (CHARS // max(len(text), 1)) if is_chosen else text * least


def _fits(kind: str, given: Any, char: str) -> bool:
    part = parser.SubPattern(parser.State(), [(getattr(code, kind), given)])
    return compiler.compile(part).match(char) is not None


def slow(patterns: dict[re.Pattern[Any], str], way: str) -> list[str]:
    """Those that take more than a tenth of a second of processor, the least of three."""
    return [
        f"{name} {text[:40]!r}"
        for pattern, name in patterns.items()
        for text in worst(pattern)
        if all(_took(getattr(pattern, way), text) > LIMIT_S for _ in range(3))
    ]


def _took(look: Any, text: Any) -> float:
    began = time.thread_time()
    look(text)
    return time.thread_time() - began
