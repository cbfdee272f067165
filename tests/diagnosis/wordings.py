"""Texts that fit a pattern of the catalogue: one for each way in which it can be said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import islice
from typing import Any, Final

sre: Any = import_module("re._constants")
sre_parse: Any = import_module("re._parser")
_FOR_CATEGORY: Final = {
    sre.CATEGORY_DIGIT: "4",
    sre.CATEGORY_WORD: "q",
    sre.CATEGORY_SPACE: " ",
    sre.CATEGORY_NOT_SPACE: "q",
    sre.CATEGORY_NOT_DIGIT: "q",
    sre.CATEGORY_NOT_WORD: "-",
}
_CANDIDATES: Final = "qm4 -.:/ABCxyz0123456789_,;'\"()[]{}=+*!?<>|@#"
_WAYS: Final = 40
_NAMED: Final = {"about": "mole7", "about2": "mole7", "named": "mole7", "boxed": "mole7"}


def texts_for(pattern: str) -> list[str]:
    """Texts that the pattern finds, without repetition; empty where none was found."""
    compiled = re.compile(pattern)
    ways = islice(_ways(sre_parse.parse(pattern), _names(compiled)), _WAYS)
    tried = (next(filter(compiled.search, (way.strip(), f"{way}quince", f"vole{way}quince")), "") for way in ways)
    return [text for text in dict.fromkeys(tried) if text]


def _names(pattern: re.Pattern[str]) -> dict[int, str]:
    return {number: name for name, number in pattern.groupindex.items()}


def _ways(tokens: Sequence[Any], names: dict[int, str]) -> Iterator[str]:
    """Texts for a run of tokens: each alternative of one token in turn, with the first way of all others."""
    options = [list(islice(_one(kind, value, names), _WAYS)) or [""] for kind, value in tokens]
    yield "".join(ways[0] for ways in options)
    for place, ways in enumerate(options):
        before, after = "".join(w[0] for w in options[:place]), "".join(w[0] for w in options[place + 1 :])
        for way in ways[1:]:
            yield before + way + after


def _one(kind: Any, value: Any, names: dict[int, str]) -> Iterator[str]:
    if kind is sre.LITERAL:
        yield chr(value)
    elif kind is sre.NOT_LITERAL:
        yield next(sign for sign in _CANDIDATES if ord(sign) != value)
    elif kind is sre.ANY:
        yield "q"
    elif kind is sre.IN:
        yield _of_set(value)
    elif kind is sre.BRANCH:
        for branch in value[1]:
            yield from _ways(branch, names)
    elif kind is sre.SUBPATTERN:
        yield from _group(value, names)
    elif kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        least, _, inner = value
        for way in _ways(inner, names):
            yield way * least
        if least == 0 and len(inner) == 1 and inner[0][0] is sre.SUBPATTERN and inner[0][1][0] in names:
            yield from _ways(inner, names)
    else:  # an anchor or a look around: the search at the end says whether it holds
        yield ""


def _group(value: Any, names: dict[int, str]) -> Iterator[str]:
    """A named group is a name where that fits."""
    number, inner = value[0], value[-1]
    plain = list(islice(_ways(inner, names), _WAYS))
    name = _NAMED.get(names.get(number, ""))
    if name is not None and len(inner) == 1 and inner[0][0] in (sre.MAX_REPEAT, sre.MIN_REPEAT):
        repeated = inner[0][1]
        if (
            repeated[1] != 1
            and len(repeated[2]) == 1
            and repeated[2][0][0] is sre.IN
            and _holds(repeated[2][0][1], name)
        ):
            yield name
    yield from plain


def _holds(of: Any, name: str) -> bool:
    return all(any(_is_in(part, sign) for part in of) for sign in name)


def _is_in(part: Any, sign: str) -> bool:
    kind, value = part
    if kind is sre.LITERAL:
        return bool(ord(sign) == value)
    if kind is sre.RANGE:
        return bool(value[0] <= ord(sign) <= value[1])
    if kind is sre.CATEGORY:
        return (
            re.match(
                {sre.CATEGORY_DIGIT: r"\d", sre.CATEGORY_SPACE: r"\s", sre.CATEGORY_NOT_SPACE: r"\S"}.get(value, r"\w"),
                sign,
            )
            is not None
        )
    return False


def _of_set(parts: Any) -> str:
    if parts[0][0] is sre.NEGATE:
        return next(sign for sign in _CANDIDATES if not any(_is_in(part, sign) for part in parts[1:]))
    kind, value = parts[0]
    if kind is sre.LITERAL:
        return chr(value)
    if kind is sre.RANGE:
        return chr(value[0])
    return _FOR_CATEGORY.get(value, "q")
