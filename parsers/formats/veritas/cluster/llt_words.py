"""Words of LLT output that were copied by hand: the right label behind a misspelt one. No parser of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

SLIPS: Final = 2


def nearest(text: str, labels: Sequence[str]) -> str:
    """The label that differs least, by two letters at most and less than any other; else the text itself."""
    lower = text.lower()
    found = sorted((_distance(lower, label.lower()), label) for label in labels if abs(len(label) - len(text)) <= SLIPS)
    if not found or found[0][0] > SLIPS or (len(found) > 1 and found[0][0] and found[1][0] == found[0][0]):
        return text
    return found[0][1]


def _distance(one: str, other: str) -> int:
    """Letters to change, add or leave out (V. Levenshtein, 1966)."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (a != b))
    return row[-1]
