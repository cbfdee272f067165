"""Moments that are asked again and again whether one of them is near: sorted once, so that a log is not compared with
itself line by line.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")


class Moments(Generic[T]):
    """Things at their moments, in any one unit of time."""

    def __init__(self, things: Iterable[tuple[float, T]]) -> None:
        held = sorted(things, key=lambda one: one[0])
        self._at = [at for at, _ in held]
        self._things = [thing for _, thing in held]

    def has(self, first: float, last: float) -> bool:
        """Whether something is of that stretch, ends included."""
        place = bisect_left(self._at, first)
        return place < len(self._at) and self._at[place] <= last

    def within(self, first: float, last: float) -> Sequence[T]:
        """What is of that stretch, ends included, in order."""
        return self._things[bisect_left(self._at, first) : bisect_right(self._at, last)]


def at_all(moments: Iterable[float]) -> Moments[None]:
    """Bare moments."""
    return Moments((at, None) for at in moments)
