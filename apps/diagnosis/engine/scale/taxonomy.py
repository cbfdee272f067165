"""Kinds of Scale waiters: ``knowledge/scale/waiter_kinds.toml``.

A wait takes the row with the most literal characters among those that fit, catch-alls last; what no row describes takes
its resource from a known word in the name of the condition variable or mutex.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from apps.diagnosis.engine.core.model import BASES
from apps.diagnosis.engine.core.words.knowledge import FOLDER
from apps.diagnosis.engine.core.words.wait_kinds import (
    FIELD_LIMIT,
    UNKNOWN_MEANING,
    Classification,
    Form,
    WaiterKind,
    check_types,
    check_unique,
    fold,
    need,
    read_kinds,
)
from apps.diagnosis.engine.scale.waiter_patterns import TextPattern, WaiterText, read_text_pattern
from parsers.dataclass import dataclass
from parsers.records.waits import WaiterShape

KNOWLEDGE: Final = FOLDER / "scale" / "waiter_kinds.toml"
FORM: Final = Form(product="spectrum-scale", detect="waiter", read=read_text_pattern, tables=("name",))
PLACE: Final = attrgetter("place")
WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*|[a-z0-9]+")
NAME_TYPES: Final[dict[str, type | tuple[type, ...]]] = dict.fromkeys(("word", "resource", "source", "basis"), str)

Kind = WaiterKind[TextPattern]


@dataclass(frozen=True, slots=True, kw_only=True)
class NameWord:
    """A word inside the name of a condition variable or mutex, and the resource it stands for."""

    word: str
    resource: str
    source: str
    basis: str
    parts: tuple[str, ...]


def camel_words(name: str) -> tuple[str, ...]:
    """``LkObjCondvar`` as ``("lk", "obj", "condvar")``."""
    return tuple(word.lower() for word in WORDS.findall(name[:FIELD_LIMIT]))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pattern with its row, at its place in the order of choice."""

    place: int
    pattern: TextPattern
    kind: Kind


class Taxonomy:
    """All rows of Scale, indexed by the literals that a waiter must show to fit."""

    def __init__(self, kinds: Iterable[Kind], names: Iterable[NameWord]) -> None:
        self.kinds: Final = {kind.kind_id: kind for kind in kinds}
        self.names: Final = tuple(names)
        self._flags: Final = {kind.flag: kind for kind in self.kinds.values() if kind.flag}
        self._all: Final = ordered_candidates(self.kinds.values())
        self._by_literal, self._unindexed = literal_index(self._all)

    @staticmethod
    def load(path: Path = KNOWLEDGE) -> Taxonomy:
        """The taxonomy of a file, read once; raises ``TaxonomyError`` where the file has a fault."""
        return _load(path)

    def kind(self, kind_id: str) -> Kind:
        return self.kinds[kind_id]

    def classified(self, shape: WaiterShape) -> Classification:
        """Kind and category of a waiter of unknown age. One answer serves all waiters of the shape: see
        ``at``.
        """
        base, aged = self._choose(shape)
        now = self._with_flag(shape, base, base.category if base else None)
        after, later = self._later(shape, now, base, aged)
        return replace(now, later_after_s=after, later=later) if later else now

    def quoted(self, words: str) -> Kind | None:
        """The row whose reason somebody quotes in prose, where no line of a waiter is there: of several the one that
        asks for least else.
        """
        text = fold(words)
        fits = [one for one in self._all if one.pattern.sayings and text.startswith(one.pattern.sayings)]
        return min(fits, key=lambda one: one.pattern.conditions).kind if fits else None

    def resource_of(self, name: str | None) -> str | None:
        """What the name of a condition variable or mutex stands for: its first known word decides."""
        words = camel_words(name or "")
        for start in range(len(words)):
            for known in self.names:
                if words[start : start + len(known.parts)] == known.parts:
                    return known.resource
        return None

    def _choose(self, shape: WaiterShape) -> tuple[Kind | None, Kind | None]:
        """The first row that fits at any age, and one before it that fits beyond an age only."""
        seen = WaiterText.of(shape)
        aged: Kind | None = None
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

    def _with_flag(self, shape: WaiterShape, kind: Kind | None, category: int | None) -> Classification:
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
        self, shape: WaiterShape, now: Classification, base: Kind | None, aged: Kind | None
    ) -> tuple[float | None, Classification | None]:
        """Beyond which age the classification becomes another: another row, or another category of the same row."""
        if aged is not None:
            return aged.only_after_s, self._with_flag(shape, aged, aged.category)
        if base is None or base.escalate_after_s is None or now.by_flag:
            return None, None
        return base.escalate_after_s, self._with_flag(shape, base, base.escalate_to)


def ordered_candidates(kinds: Iterable[Kind]) -> list[Candidate]:
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


def _name(row: Mapping[str, Any]) -> NameWord:
    where = f"name {row.get('word', '?')}"
    check_types(row, NAME_TYPES, where, tuple(NAME_TYPES))
    need(row["basis"] in BASES, where, f"basis must be one of {', '.join(BASES)}")
    need(all(row.values()), where, "a text is empty")
    return NameWord(**row, parts=camel_words(row["word"]))


@lru_cache(maxsize=4)
def _load(path: Path) -> Taxonomy:
    kinds, tables = read_kinds(path, FORM)
    names = [_name(row) for row in tables["name"]]
    check_unique((name.word for name in names), path.name)
    return Taxonomy(kinds, names)
