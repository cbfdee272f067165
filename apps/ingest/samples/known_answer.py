"""What a sample case is, and what the program must find in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from parsers.dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Root:
    """Where the chain of waits ends; words as in ``roots`` of the analysis."""

    kind: str
    what: str
    node: str | None
    through: str | None = None  # the lock or disk name by which it holds up the others


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """A stretch of the story. Times are the wall clock as printed in the dumps, without offset."""

    name: str
    start: str
    end: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownAnswer:
    """The truth behind a sample.

    ``rules`` must be found. ``rules_also_true`` are right as well, but a program that has not learnt them yet may stay
    silent. ``rules_forbidden`` contradict the story. A ``figures`` key ends in its unit; keys with ``about_`` are means
    over a phase and hold within 3 %, all others are exact to the last printed digit.
    """

    products: tuple[str, ...]
    nodes: tuple[str, ...]
    root: Root
    rules: tuple[str, ...]
    rules_also_true: tuple[str, ...]
    rules_forbidden: tuple[str, ...]
    figures: Mapping[str, float]
    phases: tuple[Phase, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One sample case. ``build`` gives the same bytes at every call."""

    key: str
    title: str
    customer: str
    description: str
    filename: str
    answer: KnownAnswer
    build: Callable[[], bytes]
