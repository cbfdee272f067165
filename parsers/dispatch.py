"""Which patterns can match a line at all, told from how the patterns are built: a hundred claims are not tried one by one.

Of each pattern two things are worked out: the characters that a match can begin with, and a text that every match contains. Both are
cautious: where the pattern is too free to tell, it is tried on every line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from itertools import chain
from string import ascii_letters, digits, whitespace
from typing import Any, Final, Generic, NamedTuple, TypeVar

# The standard library's own reading of a pattern; it has no types, and whether a checker knows the modules differs.
codes: Any = import_module("re._constants")
grammar: Any = import_module("re._parser")

Owner = TypeVar("Owner")
Starts = frozenset[str] | None
Texts = tuple[str, ...]

_SETS: Final = {
    codes.CATEGORY_DIGIT: frozenset(digits),
    codes.CATEGORY_SPACE: frozenset(whitespace),
    codes.CATEGORY_WORD: frozenset(ascii_letters + digits + "_"),
}

_ALWAYS: Final = ("",)
MOST_TEXTS: Final = 4
"""Looking for more texts than that takes longer than trying the pattern."""


class _Option(NamedTuple):
    """One way to match: the characters it can begin with (None: any), and texts of which it holds at least one (none: not known)."""

    starts: Starts
    texts: Texts


class _Candidate(NamedTuple, Generic[Owner]):
    texts: Texts
    match: Callable[[str], object]
    owner: Owner


class Dispatch(Generic[Owner]):
    """Patterns with their owners, in the order in which they are asked."""

    def __init__(self, patterns: Iterable[tuple[str, Owner]]) -> None:
        self._all = [(_options(_parsed(pattern)), re.compile(pattern).match, owner) for pattern, owner in patterns]
        self._by_first: dict[str, tuple[_Candidate[Owner], ...]] = {}

    def find(self, text: str) -> Owner | None:
        """The owner of the first pattern that matches at the beginning of a text that is not empty."""
        first = text[0]
        candidates = self._by_first.get(first)
        if candidates is None:
            candidates = self._by_first[first] = tuple(self._starting_with(first))
        for texts, match, owner in candidates:
            for part in texts:
                if part in text:
                    if match(text):
                        return owner
                    break
        return None

    def _starting_with(self, first: str) -> Iterator[_Candidate[Owner]]:
        for options, match, owner in self._all:
            ways = [option.texts for option in options if option.starts is None or first in option.starts or first > "\x7f"]
            if ways:
                texts = tuple(dict.fromkeys(chain(*ways))) if all(ways) else ()
                yield _Candidate(texts if 0 < len(texts) <= MOST_TEXTS else _ALWAYS, match, owner)


def _parsed(pattern: str) -> Any:
    tree = grammar.parse(pattern)
    return [] if tree.state.flags & re.IGNORECASE else list(tree)


def _options(sequence: Any) -> list[_Option]:
    """The ways a sequence can match, parted where it begins with a choice."""
    if not sequence:
        return [_Option(None, ())]
    code, value = sequence[0]
    inner = None
    if code is codes.BRANCH:
        inner = [option for branch in value[1] for option in _options(list(branch))]
    elif code is codes.SUBPATTERN and not value[1]:
        inner = _options(list(value[3]))
    if inner is None:
        starts, is_optional = _starts(sequence)
        return [_Option(None if is_optional else starts, _texts(sequence))]
    rest = _texts(sequence[1:])
    return [_Option(option.starts, _better(option.texts, rest)) for option in inner]


def _starts(sequence: Any) -> tuple[Starts, bool]:
    """First characters of a sequence, and whether it can match nothing."""
    found: frozenset[str] = frozenset()
    for code, value in sequence:
        starts, is_optional = _starts_of(code, value)
        if starts is None:
            return None, False
        found |= starts
        if not is_optional:
            return found, False
    return found, True


def _starts_of(code: Any, value: Any) -> tuple[Starts, bool]:
    if code is codes.LITERAL:
        return frozenset(chr(value)), False
    if code is codes.IN:
        return _members(value), False
    if code is codes.BRANCH:
        return _either(value[1])
    if code is codes.SUBPATTERN and not value[1]:
        return _starts(value[3])
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT):
        starts, is_optional = _starts(value[2])
        return starts, is_optional or value[0] == 0
    if code in (codes.ASSERT, codes.ASSERT_NOT, codes.AT):
        return frozenset(), True
    return None, False


def _either(branches: Any) -> tuple[Starts, bool]:
    found: frozenset[str] = frozenset()
    any_optional = False
    for branch in branches:
        starts, is_optional = _starts(branch)
        if starts is None:
            return None, False
        found |= starts
        any_optional = any_optional or is_optional
    return found, any_optional


def _members(parts: Any) -> Starts:
    found: frozenset[str] = frozenset()
    for code, value in parts:
        if code is codes.LITERAL:
            found |= frozenset(chr(value))
        elif code is codes.RANGE:
            found |= frozenset(map(chr, range(value[0], min(value[1], 127) + 1)))
        elif code is codes.CATEGORY and value in _SETS:
            found |= _SETS[value]
        else:
            return None
    return found


def _texts(sequence: Any) -> Texts:
    """Texts of which every match of a sequence holds one: the ones that say most. Empty where none is known."""
    best: Texts = ()
    run = ""
    for code, value in sequence:
        if code is codes.LITERAL:
            run += chr(value)
            continue
        best = _better(_better(best, (run,)), _texts_of(code, value))
        run = ""
    return _better(best, (run,))


def _texts_of(code: Any, value: Any) -> Texts:
    if code is codes.SUBPATTERN and not value[1]:
        return _texts(value[3])
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT) and value[0] > 0:
        return _texts(value[2])
    if code is codes.BRANCH:
        branches = [_texts(branch) for branch in value[1]]
        return tuple(dict.fromkeys(chain(*branches))) if all(branches) else ()
    return ()


def _better(one: Texts, other: Texts) -> Texts:
    """Of two such groups the one whose shortest text is longer."""
    return max(one, other, key=lambda texts: min(map(len, texts), default=0)) if any(other) else one
