"""Which pattern matches a line: all claims as one pattern, so that hundreds of them are not tried one by one.

The regular expression engine passes over an alternative whose first character differs, at the cost of one comparison.
An empty group behind each alternative says which one matched. An alternative that begins with almost anything
(``\\S{1,80} ...``) costs more, most of all on lines that nobody claims. So where many lines begin with the same
character, only alternatives that can begin so are tried, and those that begin with almost anything only where one of
their needles stands in the line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final, Generic, TypeVar

from parsers.alternatives import Alternative, Needles, alternatives

Owner = TypeVar("Owner")
Match = Callable[[str], re.Match[str] | None]
FREQUENT: Final = 400  # lines after which a pattern of their own costs less than it saves
WIDE: Final = 8  # characters that an alternative can begin with, beyond which its needles are looked for
FEW: Final = 4  # needles that are sooner looked for than the alternative tried
_LOOKS_AHEAD: Final = ("(?=", "(?i:(?=")  # over all of the line: dearer than any number of needles


class Dispatch(Generic[Owner]):
    """Patterns with their owners, in the order in which they are tried. Their groups must not capture."""

    def __init__(self, patterns: Iterable[tuple[str, Owner]]) -> None:
        self._pairs = list(patterns)
        together = _together(pattern for pattern, _ in self._pairs)
        if together.groups != len(self._pairs):
            owner = next(owner for pattern, owner in self._pairs if re.compile(pattern).groups)
            raise ValueError(f"a claim must not capture: {owner}")
        self._match: Match = together.match
        self._begun: dict[str, int] = {}
        self._lanes: dict[str, _Lane] = {}

    def find(self, text: str) -> Owner | None:
        """The owner of the first pattern that matches at the beginning of a text."""
        if text.isascii():  # other letters can be equal to one of ASCII where case does not count
            first = text[:1]
            if (lane := self._lanes.get(first)) is not None:
                at = lane.find(text)
                return None if at is None else self._alternatives[at][1]
            count = self._begun[first] = self._begun.get(first, 0) + 1
            if count >= FREQUENT and first:
                self._lanes[first] = self._lane(first)
        found = self._match(text)
        return None if found is None or found.lastindex is None else self._pairs[found.lastindex - 1][1]

    @cached_property
    def _alternatives(self) -> list[tuple[Alternative, Owner]]:
        return [(one, owner) for pattern, owner in self._pairs for one in alternatives(pattern)]

    def _lane(self, first: str) -> _Lane:
        able = [(at, one) for at, (one, _) in enumerate(self._alternatives) if first in one.begins]
        plain = [(at, one.pattern) for at, one in able if not _is_for_needles(one)]
        return _Lane(
            _together(pattern for _, pattern in plain).match,
            tuple(at for at, _ in plain),
            tuple((at, one.needles, one.pattern) for at, one in able if _is_for_needles(one)),
        )


def _is_for_needles(one: Alternative) -> bool:
    is_dear = one.pattern.startswith(_LOOKS_AHEAD)
    return len(one.begins) > WIDE and bool(one.needles) and (is_dear or len(one.needles) <= FEW)


def _together(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})()" for pattern in patterns) or "(?!)")


@dataclass(frozen=True, slots=True)
class _Lane:
    """Alternatives for lines that begin with one character, each by its place in the order of all. order: places of
    those in ``match``. gated: those that are tried where one of their needles stands in the line.
    """

    match: Match
    order: tuple[int, ...]
    gated: tuple[tuple[int, Needles, str], ...]

    def find(self, text: str) -> int | None:
        """The place of the first alternative that matches."""
        found = self.match(text)
        last = None if found is None or found.lastindex is None else self.order[found.lastindex - 1]
        lower = text.lower()
        for at, needles, pattern in self.gated:
            if last is not None and at > last:
                break
            for needle in needles:
                if needle in lower:
                    if _compiled(pattern).match(text):
                        return at
                    break
        return last


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
