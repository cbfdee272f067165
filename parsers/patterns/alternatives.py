r"""What can be known of a pattern before it is tried: its alternatives, the characters a match can begin with, and
letters of which every match holds some.

``alternatives(r"(?:ab|c)|\d x")`` gives ``ab``, ``c`` and ``\d x``. All answers are for texts of ASCII alone, and err
on the safe side: a construct that is not known here may begin with anything and needs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any, Final

from parsers.dataclass import dataclass
from parsers.patterns.digits import loosened, tells_digits

ASCII: Final = frozenset(map(chr, range(128)))
LEAST: Final = 3  # letters of a needle
MOST: Final = 24  # needles of one alternative
_parse: Callable[[str], Any] = import_module("re._parser").parse
_code: Any = import_module("re._constants")
_REPEATS: Final = (_code.MAX_REPEAT, _code.MIN_REPEAT, _code.POSSESSIVE_REPEAT)
_CATEGORIES: Final = {
    _code.CATEGORY_DIGIT: r"\d",
    _code.CATEGORY_NOT_DIGIT: r"\D",
    _code.CATEGORY_SPACE: r"\s",
    _code.CATEGORY_NOT_SPACE: r"\S",
    _code.CATEGORY_WORD: r"\w",
    _code.CATEGORY_NOT_WORD: r"\W",
}
_PART: Final = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[(|)]|[^\\\[(|)]+", re.DOTALL)
"""Parts of a pattern that no bar inside of them divides."""
Needles = tuple[str, ...]


def parsed(pattern: str) -> Any:
    """The tree of a pattern, as the library's own compiler makes it."""
    return _parse(pattern)


@dataclass(frozen=True, slots=True)
class Alternative:
    """begins: what a match can begin with. needles: in lower case, one of them stands in every match; none: not
    known. tells_digits: whether it does not take all of them alike; loose: a pattern that does and fits wherever this
    one does, where there is one.
    """

    pattern: str
    begins: frozenset[str]
    needles: Needles
    tells_digits: bool = False
    loose: str | None = None

    def values(self) -> tuple[str, str, Needles, bool, str | None]:
        """In plain values."""
        begins = "" if self.begins == ASCII else "".join(sorted(self.begins))
        return self.pattern, begins, self.needles, self.tells_digits, self.loose

    @classmethod
    def of(
        cls, pattern: str, begins: str, needles: Iterable[str], tells_digits: bool, loose: str | None
    ) -> Alternative:
        """From plain values. Every match has a first character."""
        return cls(pattern, frozenset(begins) if begins else ASCII, tuple(needles), tells_digits, loose)


def alternatives(pattern: str) -> Iterator[Alternative]:
    """Alternatives at the top of a pattern, also inside a group around all of it, in their order."""
    for one in _divided(pattern):
        tree = _parse(one)
        begins, can_be_empty = _begins(tree, tree.state.flags)
        tells = tells_digits(one)
        loose = loosened(one) if tells else None
        yield Alternative(one, ASCII if can_be_empty else begins, _needles(tree), tells, loose)


def _divided(pattern: str) -> Iterator[str]:
    parts, depth = [""], 0
    closes = 0  # how often the pattern is outside of all groups after a parenthesis
    for part in _PART.findall(pattern):
        depth += (part == "(") - (part == ")")
        closes += part == ")" and not depth
        if part == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += part
    if len(parts) > 1:
        for one in parts:
            yield from _divided(one)
    elif pattern.startswith("(?:") and pattern.endswith(")") and not pattern.endswith("\\)") and closes == 1:
        yield from _divided(pattern[3:-1])
    else:
        yield pattern


def _begins(sequence: Any, flags: int) -> tuple[frozenset[str], bool]:
    """First characters of a sequence; and whether it can match nothing, so that what follows it counts too."""
    found: frozenset[str] = frozenset()
    allowed = ASCII
    for code, value in sequence:
        if code is _code.ASSERT and value[0] > 0:
            ahead, can_be_empty = _begins(value[1], flags)
            allowed = allowed if can_be_empty else allowed & ahead
            continue
        begins, can_be_empty = _begins_one(code, value, flags)
        found |= begins
        if not can_be_empty:
            return found & allowed, False
    return (found, True) if allowed is ASCII else (allowed, False)


def _begins_one(code: Any, value: Any, flags: int) -> tuple[frozenset[str], bool]:
    if code is _code.LITERAL:
        return _cases(value, flags), False
    if code is _code.IN:
        return _set(value, flags), False
    if code is _code.BRANCH:
        each = [_begins(branch, flags) for branch in value[1]]
        return frozenset().union(*(begins for begins, _ in each)), any(empty for _, empty in each)
    if code is _code.SUBPATTERN:
        return _begins(value[3], (flags | value[1]) & ~value[2])
    if code is _code.ATOMIC_GROUP:
        return _begins(value, flags)
    if code in _REPEATS:
        begins, can_be_empty = _begins(value[2], flags)
        return begins, can_be_empty or value[0] == 0
    if code in (_code.ASSERT, _code.ASSERT_NOT, _code.AT):
        return frozenset(), True
    return ASCII, code not in (_code.ANY, _code.NOT_LITERAL)


def _cases(value: int, flags: int) -> frozenset[str]:
    letter = chr(value)
    return frozenset((letter.lower(), letter.upper()) if flags & re.IGNORECASE else letter)


def _set(parts: Any, flags: int) -> frozenset[str]:
    found: set[str] = set()
    negated = False
    for code, value in parts:
        if code is _code.NEGATE:
            negated = True
        elif code is _code.LITERAL:
            found |= _cases(value, flags)
        elif code is _code.RANGE:
            for each in range(value[0], min(value[1], 127) + 1):
                found |= _cases(each, flags)
        elif code is _code.CATEGORY and value in _CATEGORIES:
            found.update(letter for letter in ASCII if re.match(_CATEGORIES[value], letter))
        else:
            return ASCII
    return ASCII - found if negated else frozenset(found)


def _needles(sequence: Any) -> Needles:
    """The most telling of what a sequence cannot match without."""
    return max(_required(sequence), key=_telling, default=())


def _required(sequence: Any) -> Iterator[Needles]:
    run = ""
    for code, value in (*_flat(sequence), (_code.FAILURE, None)):
        if code is _code.LITERAL:
            run += chr(value).lower()
            continue
        if len(run) >= LEAST:
            yield (run,)
        run = ""
        yield from _required_by(code, value)


def _required_by(code: Any, value: Any) -> Iterator[Needles]:
    """What a part of a pattern that is no letter cannot match without."""
    if code is _code.BRANCH:
        each = [_needles(branch) for branch in value[1]]
        if all(each) and sum(map(len, each)) <= MOST:
            yield tuple(dict.fromkeys(needle for needles in each for needle in needles))
    elif code is _code.ATOMIC_GROUP:
        yield from _required(value)
    elif code in (_code.SUBPATTERN, _code.ASSERT) or (code in _REPEATS and value[0] > 0):
        yield from _required(value[-1])


def _flat(sequence: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """The sequence with groups that capture nothing taken apart."""
    for code, value in sequence:
        if code is _code.SUBPATTERN and value[0] is None:
            yield from _flat(value[3])
        else:
            yield code, value


def _telling(needles: Needles) -> float:
    letters = min(sum(letter.isalpha() for letter in needle) for needle in needles)
    return min(letters, 8) + min(map(len, needles)) / 8 - len(needles) / 3
