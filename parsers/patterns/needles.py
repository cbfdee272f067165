"""Letters without which a pattern can't fit: a text that holds none of them need not be searched.

``needles_of(r"(?i)link (?:is )?down|carrier lost")`` gives ``("link ", "carrier lost")``: one of them, in lower case,
stands in every text that the pattern finds. Figures are no letters here, as the shape of a text has none.
"""

from __future__ import annotations

import re
from typing import Final

LEAST: Final = 3
MOST: Final = 12
_TOKEN: Final = re.compile(
    r"(?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])|(?P<opens>\((?:\?(?:P<\w+>|[aiLmsux]*:|<?[=!]))?)|(?P<flags>\(\?[aiLmsux]+\))"
    r"|(?P<closes>\))|(?P<count>\{[\d,]*\}|[?*+])|(?P<bar>\|)|(?P<plain>\\[^A-Za-z0-9]|[^\\^$.\d])|(?P<other>\\.|.)",
    re.DOTALL,
)
"""Parts of a pattern: sets, parentheses, counts, letters that stand for themselves, and all else."""
_LOOKS: Final = ("(?=", "(?!", "(?<=", "(?<!")
Needles = tuple[str, ...]


def needles_of(pattern: str) -> Needles:
    """Letters of which every text that fits holds some; empty where that is not plain."""
    flagged = re.sub(r"\(\?[aiLmsux]+\)", "", pattern)
    return _Reading(flagged).alternatives()


class _Reading:
    """Goes through a pattern once."""

    def __init__(self, pattern: str) -> None:
        self._tokens = [(found.lastgroup or "", found[0]) for found in _TOKEN.finditer(pattern)]
        self._at = 0

    def alternatives(self) -> Needles:
        """Of all alternatives up to the end of the group, together; empty where one of them has none."""
        found: list[Needles] = [self._sequence()]
        while self._at < len(self._tokens) and self._tokens[self._at][0] == "bar":
            self._at += 1
            found.append(self._sequence())
        self._at += 1  # the closing parenthesis
        together = tuple(dict.fromkeys(needle for needles in found for needle in needles))
        return together if all(found) and len(together) <= MOST else ()

    def _sequence(self) -> Needles:
        """The most telling part of what follows up to a bar or the end of the group."""
        parts: list[Needles] = []
        run = ""
        while self._at < len(self._tokens) and self._tokens[self._at][0] not in ("bar", "closes"):
            kind, text = self._tokens[self._at]
            self._at += 1
            inner = self.alternatives() if kind == "opens" else ()
            count = self._count()
            is_there = count == "" or count[0] == "+" or (count[0] == "{" and count[1:2] not in ("0", ","))
            if kind == "plain" and is_there:
                run += text[-1].lower()
            if kind == "plain" and count == "":
                continue
            parts.append((run,))
            run = ""
            if kind == "opens" and is_there and text not in _LOOKS:
                parts.append(inner)
        telling = [part for part in (*parts, (run,)) if part and min(map(len, part)) >= LEAST]
        return max(telling, key=lambda part: min(map(len, part)), default=())

    def _count(self) -> str:
        """How often the part before is repeated, as written; empty for once."""
        count = ""
        while self._at < len(self._tokens) and self._tokens[self._at][0] == "count":
            count = count or self._tokens[self._at][1]
            self._at += 1
        return count
