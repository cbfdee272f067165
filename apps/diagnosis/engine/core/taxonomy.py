"""The taxonomy of waiters: which kind a wait is, how harmful that kind is, what it means and what to do next.

The words and patterns are in ``knowledge/waiter_kinds.toml``. A Scale wait takes the row with the most literal
characters among those that fit, catch-alls last; a GFS2 wait takes the row of the gravest category, in the order
3, 4, 2, 1. What no row describes has no kind and no category: it is unknown, never hidden.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import attrgetter
from pathlib import Path
from typing import Final

from apps.diagnosis.engine.core.taxonomy_file import (
    CATEGORY_NAMES,
    NameWord,
    TaxonomyError,
    WaiterKind,
    camel_words,
    read_rows,
)
from apps.diagnosis.engine.core.taxonomy_patterns import GlockView, TextPattern, WaiterText
from parsers.records import WaiterShape

__all__ = ["CATEGORY_NAMES", "Classification", "GlockView", "NameWord", "Taxonomy", "TaxonomyError", "WaiterKind"]

KNOWLEDGE: Final = Path(__file__).resolve().parents[2] / "knowledge" / "waiter_kinds.toml"
UNKNOWN_MEANING: Final = "No row of the taxonomy describes this wait."
PLACE: Final = attrgetter("place")
GRAVITY: Final[dict[int | None, int]] = {3: 0, 4: 1, 2: 2, 1: 3, None: 4}


@dataclass(frozen=True, slots=True, kw_only=True)
class Classification:
    """The kind of a wait, and the category that its flags or its age leave it."""

    kind: WaiterKind | None
    category: int | None
    meaning: str
    resource: str
    by_flag: bool = False
    later_after_s: float | None = None
    later: Classification | None = None

    @property
    def kind_id(self) -> str | None:
        return self.kind.kind_id if self.kind else None

    @property
    def category_name(self) -> str:
        return CATEGORY_NAMES[self.category]

    def at(self, seconds: float | None) -> Classification:
        """The classification of a wait of this age; an unknown age changes nothing."""
        if self.later is None or self.later_after_s is None or seconds is None:
            return self
        return self.later if seconds > self.later_after_s else self


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pattern with its row, at its place in the order of choice."""

    place: int
    pattern: TextPattern
    kind: WaiterKind


class Taxonomy:
    """All rows, indexed by the literals that a waiter must show to fit."""

    def __init__(self, kinds: Iterable[WaiterKind], names: Iterable[NameWord]) -> None:
        self.kinds: Final = {kind.kind_id: kind for kind in kinds}
        self.names: Final = tuple(names)
        self._flags: Final = {kind.flag: kind for kind in self.kinds.values() if kind.flag}
        self._all: Final = ordered_candidates(self.kinds.values())
        self._by_literal, self._unindexed = literal_index(self._all)
        self._glocks: Final = sorted(
            (k for k in self.kinds.values() if k.glock_patterns), key=lambda k: (k.catch_all, GRAVITY[k.category])
        )

    @staticmethod
    def load(path: Path = KNOWLEDGE) -> Taxonomy:
        """The taxonomy of a file, read once; raises ``TaxonomyError`` where the file has a fault."""
        return _load(path)

    def kind(self, kind_id: str) -> WaiterKind:
        return self.kinds[kind_id]

    def classified(self, shape: WaiterShape) -> Classification:
        """Kind and category of a Scale waiter of unknown age. One answer serves all waiters of the shape: see
        ``at``.
        """
        base, aged = self._choose(shape)
        now = self._with_flag(shape, base, base.category if base else None)
        after, later = self._later(shape, now, base, aged)
        return replace(now, later_after_s=after, later=later) if later else now

    def classify_gfs2(self, seen: GlockView) -> WaiterKind | None:
        """The row a GFS2 lock, holder or waiter matches: the gravest of those that fit, a catch-all last."""
        return next((k for k in self._glocks if any(p.fits(seen) for p in k.glock_patterns)), None)

    def classified_gfs2(self, seen: GlockView) -> Classification:
        kind = self.classify_gfs2(seen)
        if kind is None:
            return Classification(kind=None, category=None, meaning=UNKNOWN_MEANING, resource="")
        return Classification(kind=kind, category=kind.category, meaning=kind.meaning, resource=kind.resource)

    def resource_of(self, name: str | None) -> str | None:
        """What the name of a condition variable or mutex stands for: its first known word decides."""
        words = camel_words(name or "")
        for start in range(len(words)):
            for known in self.names:
                if words[start : start + len(known.parts)] == known.parts:
                    return known.resource
        return None

    def _choose(self, shape: WaiterShape) -> tuple[WaiterKind | None, WaiterKind | None]:
        """The first row that fits at any age, and one before it that fits beyond an age only."""
        seen = WaiterText.of(shape)
        aged: WaiterKind | None = None
        for candidate in self._candidates(seen):
            if not candidate.pattern.fits(seen):
                continue
            if candidate.kind.only_after_s is None:
                return candidate.kind, aged
            aged = aged or candidate.kind
        return None, aged

    def _candidates(self, seen: WaiterText) -> list[Candidate]:
        if not seen.shape.complete:
            return self._all  # a cut line shows only the beginning of a literal
        found = list(self._unindexed)
        for key in seen.index_keys():
            found += self._by_literal.get(key, ())
        found.sort(key=PLACE)
        return found

    def _with_flag(self, shape: WaiterShape, kind: WaiterKind | None, category: int | None) -> Classification:
        flag = (
            self._flags.get("ignored" if shape.monitored is False else "long")
            if shape.monitored is False or shape.long
            else None
        )
        words = kind or flag
        by_name = self.resource_of(shape.wait_name) if kind is None or kind.resource_from_name else None
        return Classification(
            kind=kind,
            category=flag.category if flag else category,
            meaning=words.meaning if words else UNKNOWN_MEANING,
            resource=by_name or (words.resource if words else ""),
            by_flag=flag is not None,
        )

    def _later(
        self, shape: WaiterShape, now: Classification, base: WaiterKind | None, aged: WaiterKind | None
    ) -> tuple[float | None, Classification | None]:
        """Beyond which age the classification becomes another: another row, or another category of the same row."""
        if aged is not None:
            return aged.only_after_s, self._with_flag(shape, aged, aged.category)
        if base is None or base.escalate_after_s is None or now.by_flag:
            return None, None
        return base.escalate_after_s, self._with_flag(shape, base, base.escalate_to)


def ordered_candidates(kinds: Iterable[WaiterKind]) -> list[Candidate]:
    """Ordinary rows by falling weight, then catch-alls by their place; equal rows keep the order of the file."""
    pairs = [(kind, pattern) for kind in kinds for pattern in kind.patterns]
    pairs.sort(key=lambda pair: (pair[0].catch_all, 0 if pair[0].catch_all else -pair[1].weight))
    return [Candidate(place, pattern, kind) for place, (kind, pattern) in enumerate(pairs)]


Index = dict[tuple[str, str], list[Candidate]]


def literal_index(candidates: Iterable[Candidate]) -> tuple[Index, list[Candidate]]:
    """Candidates under the literals one of which a waiter must show, and those that must always be tried."""
    index: Index = {}
    rest: list[Candidate] = []
    for candidate in candidates:
        for key in candidate.pattern.keys:
            index.setdefault(key, []).append(candidate)
        if not candidate.pattern.keys:
            rest.append(candidate)
    return index, rest


@lru_cache(maxsize=4)
def _load(path: Path) -> Taxonomy:
    return Taxonomy(*read_rows(path))
