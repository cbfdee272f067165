"""Looks of several nodes at one thing, compared: whether they are of one time."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Final, Protocol

from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import limits

UNDATED: Final = ("undated",)
SECOND_US: Final = 1_000_000


class Look(Protocol):
    """A record of what a node shows at a moment, in µs."""

    @property
    def at(self) -> int | None: ...

    @property
    def ref(self) -> Ref: ...


class Looks:
    """Those that a rule compares."""

    def __init__(self, rows: Iterable[Look]) -> None:
        self._rows = tuple(rows)
        self.times = tuple(one.at for one in self._rows if one.at is not None)
        self.refs = tuple(one.ref for one in self._rows)
        self.are_dated = bool(self.times) and len(self.times) == len(self._rows)
        """Whether each of them has a moment."""

    @property
    def are_of_two_times(self) -> bool:
        """Whether all have moments, between which things may move on purpose."""
        return self.are_dated and max(self.times) - min(self.times) > _apart_us()

    @property
    def level(self) -> str:
        """Of a finding that rests on them."""
        return "near" if self.are_dated else "open"

    @property
    def parts(self) -> tuple[str, ...]:
        """What they take from its confidence."""
        return () if self.are_dated else UNDATED


@cache
def _apart_us() -> float:
    return limits("compared-looks").apart_s * SECOND_US
