r"""What a pattern makes of figures: whether it takes all digits alike, so that what it says of one line holds for every
line that differs from it in the digits alone.

``loosened(r"sd[a-z]\d{1,3} [01] v4")`` gives ``sd[a-z]\d{1,3} [01\d] v\d``, which fits wherever the pattern does, and
takes all digits alike. Of texts of ASCII alone, as all of ``parsers.patterns.alternatives``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any, Final

_parser: Any = import_module("re._parser")
_code: Any = import_module("re._constants")
_DIGITS: Final = frozenset(range(ord("0"), ord("9") + 1))
_OF_ALL: Final = (_code.CATEGORY_DIGIT, _code.CATEGORY_WORD, _code.CATEGORY_NOT_SPACE)
_OF_NONE: Final = (_code.CATEGORY_NOT_DIGIT, _code.CATEGORY_NOT_WORD, _code.CATEGORY_SPACE)
_BLIND: Final = (_code.ANY, _code.AT, _code.CATEGORY)
_REPEATS: Final = (_code.MAX_REPEAT, _code.MIN_REPEAT, _code.POSSESSIVE_REPEAT)
ALL_ALIKE: Final = bytes.maketrans(b"123456789", b"000000000")
_LETTERS_ALIKE: Final = str.maketrans("123456789", "000000000")
_TOKEN: Final = re.compile(
    r"(?P<name>\(\?P[<=]\w{1,60}[>)])|(?P<escape>\\[xuUN0-9])|(?P<unless>\(\?<?!)|(?P<not>\(\?>|\(\?\(|[+*?}]\+)|(?P<set>\[(?P<other>\^)?\]?(?:\\.|[^\]\\])*\])"
    r"|(?P<digit>\d)|(?:\\.|\{[\d,]{1,12}\}|[^\\\d\[])",
    re.DOTALL,
)


def shape_of(text: str) -> bytes:
    """A text of ASCII with all digits alike. Bytes: letters take eight times as long."""
    return text.encode("ascii").translate(ALL_ALIKE)


def alike(name: str) -> str:
    """The same of a text of any letters."""
    return name.translate(_LETTERS_ALIKE)


def tells_digits(pattern: str) -> bool:
    """Whether a pattern may fit a text and not another one of the same shape."""
    return _tells(_parser.parse(pattern))


def _tells(sequence: Any) -> bool:
    return any(_tells_one(code, value) for code, value in sequence)


def _tells_one(code: Any, value: Any) -> bool:
    if code in (_code.LITERAL, _code.NOT_LITERAL):
        return value in _DIGITS
    if code is _code.IN:
        return _divides(value)
    if code is _code.BRANCH:
        return any(map(_tells, value[1]))
    if code is _code.ATOMIC_GROUP:
        return _tells(value)
    if code in (_code.SUBPATTERN, _code.ASSERT, _code.ASSERT_NOT) or code in _REPEATS:
        return _tells(value[-1])
    return code not in _BLIND  # such as what a group before it has found


def _divides(parts: Any) -> bool:
    """Whether a set holds some of the digits and not the others."""
    held: set[int] = set()
    for code, value in parts:
        if code is _code.LITERAL:
            held |= _DIGITS & {value}
        elif code is _code.RANGE:
            held |= {digit for digit in _DIGITS if value[0] <= digit <= value[1]}
        elif code is _code.CATEGORY and value in _OF_ALL:
            held |= _DIGITS
        elif code is not _code.NEGATE and not (code is _code.CATEGORY and value in _OF_NONE):
            return True
    return 0 < len(held) < len(_DIGITS)


def loosened(pattern: str) -> str | None:
    """A pattern that fits wherever this one does, and takes all digits alike; None where that is not plain."""
    parts: list[str] = []
    tokens = _TOKEN.finditer(pattern)
    for found in tokens:
        if found["escape"] or found["not"]:
            return None
        if found["unless"]:
            parts.append(_unless(found, tokens))
            continue
        if found["digit"]:
            parts.append(r"\d")
        elif found["set"] and re.search(r"\d", found[0]):
            if found["other"]:
                return None
            parts.append(rf"{found[0][:-1]}\d]")
        else:
            parts.append(found[0])
    loose = "".join(parts)
    return None if tells_digits(loose) else loose


def _unless(begin: re.Match[str], tokens: Iterator[re.Match[str]]) -> str:
    """What must not follow, up to its end: as it is, and nothing at all where it tells digits."""
    text, depth = begin[0], 1
    for found in tokens:
        text += found[0]
        depth += (found[0][0] == "(" and found[0][-1] != ")") - (found[0] == ")")
        if not depth:
            break
    return "" if tells_digits(text) else text
