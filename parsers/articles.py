"""Whether a text is an article on a fault, as support pages print them, and no report of somebody who has it.

    Error Message
    vxfs: msgcnt 14 mesg 037: V-2-37: ...
    Cause
    The loss of paths to the storage.
    Solution
    1. Unmount the file system ...

It has a heading for the fault and one for its answer, each alone on its line, and nobody in it speaks of himself. What
such a text quotes without a node and a moment happened somewhere, and not to whoever sends it.
"""

from __future__ import annotations

import re
from typing import Final

FORM: Final = "form of the text"
"""What a claim is about that tells this."""
_LONGEST: Final = 40
_FAULT: Final = frozenset((
    "problem", "issue", "error message", "error", "cause", "root cause", "symptom", "symptoms", "environment",
    "diagnostic steps", "applies to", "problem description", "problem summary", "diagnosing the problem", "error code",
))  # fmt: skip
_ANSWER: Final = frozenset((
    "solution", "resolution", "workaround", "resolving the problem", "corrective action", "recommended action",
    "recovery procedure", "fix",
))  # fmt: skip
_MARKS: Final = "#*:=- \t"
_OWN: Final = re.compile(
    r"(?i:\b(?:our|my)\b|\bwe (?:got|get|have|had|see|saw|are|were|lost|tried|use|run|need|noticed|found|did|do)\b)"
    r"|\bI\b"
)


class Article:
    """Headings of an article that a text has, and whether somebody reports."""

    def __init__(self) -> None:
        self._fault = self._answer = 0
        self._heads: list[str] = []
        self._is_report = False

    def line(self, number: int, text: str) -> None:
        """Take a line of prose, or one that nobody reads."""
        said = text.strip(_MARKS)
        if len(said) <= _LONGEST:
            head = said.lower()
            if head in _FAULT:
                self._fault = self._fault or number
                self._heads.append(said)
            elif head in _ANSWER:
                self._answer = self._answer or number
                self._heads.append(said)
        if not self._is_report and _OWN.search(text[:400]) is not None:
            self._is_report = True

    @property
    def began(self) -> int | None:
        """The line of its first heading, where the text is an article."""
        is_one = self._fault and self._answer and not self._is_report
        return min(self._fault, self._answer) if is_one else None

    @property
    def heads(self) -> str:
        """Its headings."""
        return ", ".join(dict.fromkeys(self._heads))
