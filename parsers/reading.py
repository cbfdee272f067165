"""What is known of a text before it is read, and what came of it."""

from __future__ import annotations

from typing import Final

from parsers.dataclass import dataclass

STRUCTURE_VERSION: Final = 6
"""Grows when prompts, captions, headings or names in front of lines are read differently: stored files are then read
again.
"""


@dataclass(frozen=True, slots=True)
class Hints:
    """What is known of a text from outside it. ``node`` given by the user wins over all but line prefixes."""

    path: str = ""
    node: str | None = None


@dataclass(frozen=True, slots=True)
class ReadResult:
    """Line counts of one text; they add up to ``total``."""

    total: int
    understood: int
    ignored: int
    not_understood: int
    sections: int
    records: int
    formats: dict[str, int]

    @property
    def recognised(self) -> bool:
        """Whether any parser read something."""
        return bool(self.formats)
