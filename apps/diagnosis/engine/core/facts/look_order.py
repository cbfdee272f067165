"""Looks at one thing one after the other: by their moments, by their place in one text, or by the names of files.

``df.1.txt`` is before ``df.2.txt``, ``2026-11-20_0800/carp/df.txt`` before ``2026-11-20_0900/carp/df.txt``, and
``before/df.txt`` before ``after/df.txt``: names that differ in nothing but a number that stands alone, or such words.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cmp_to_key
from typing import Final, Generic, TypeVar

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records, cells
from apps.diagnosis.engine.core.facts.store import Facts
from parsers.dataclass import dataclass
from parsers.headings.paths import plain_path
from parsers.records import CommandRun, Record

R = TypeVar("R", bound=Record)
_TOKEN: Final = re.compile(r"[A-Za-z]+|\d+|[^A-Za-z\d]+")
_EARLIER: Final = (
    *("before", "pre", "old", "first", "begin", "start", "yesterday", "baseline", "prev", "previous"),
    *("vorher", "gestern", "avant", "hier", "antes", "ayer", "prima", "ieri"),
)
_LATER: Final = (
    *("after", "post", "new", "second", "end", "later", "last", "today", "now", "current"),
    *("nachher", "heute", "apres", "despues", "depois", "hoy", "dopo", "oggi"),
)
_DAYS: Final = {day: place for place, day in enumerate(("mon", "tue", "wed", "thu", "fri", "sat", "sun"))}
"""Days of one week."""
_RANKS: Final = {word: rank for rank, words in enumerate((_EARLIER, _LATER)) for word in words}
_COUNTED: Final = re.compile(r"(?:run|look|snap|sample|set|step|day|t|pass|iter|capture|dump|no|nr|v|T)$")
"""Words in front of the number of a look; a name in front of one is another node's or another disk's."""
_IS_DAY: Final = re.compile(r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?$", re.IGNORECASE)
_PLACE: Final = ("artifact", "line", "command")
MOST_LOOKS: Final = 2_000
MOST_ROWS: Final = 200_000


@dataclass(frozen=True, slots=True)
class Look(Generic[R]):
    """What one listing shows of a node. at: when it was made, in us, where that is known."""

    node: str | None
    command: str | None
    artifact: int
    line: int
    at: int | None
    rows: tuple[R, ...]


class LookOrder:
    """Puts records into the listings that they stand in, and those into their order."""

    def __init__(self, records: Records, store: Facts) -> None:
        self._records = records
        self._store = store

    def series(self, rows: Sequence[R]) -> Iterator[tuple[Look[R], ...]]:
        """Looks of one node by one command, two or more of them, from the first to the last; none whose order is not
        known.
        """
        if not 1 < len(rows) <= MOST_ROWS:
            return
        by_place: dict[tuple[str | None, str | None, str], list[Look[R]]] = defaultdict(list)
        for look in self._looks(rows):
            mould = "" if look.command is not None else self._mould(look.artifact)
            by_place[look.node, look.command, mould].append(look)
        for looks in by_place.values():
            if 1 < len(looks) <= MOST_LOOKS and (ordered := self._ordered(looks)) is not None:
                yield ordered

    def _looks(self, rows: Sequence[R]) -> Iterator[Look[R]]:
        runs = self._runs(frozenset(row.artifact for row in rows))
        held: dict[tuple[int, int, str | None, int | None], list[R]] = defaultdict(list)
        for row in rows:
            above = bisect_right(runs[row.artifact][0], row.line) if row.artifact in runs else 0
            held[row.artifact, above, getattr(row, "node", None), getattr(row, "at", None)].append(row)
        for (artifact, above, node, at), own in held.items():
            command = runs[artifact][1][above - 1] if above else None
            yield Look(node, command, artifact, own[0].line, at, tuple(own))

    def _runs(self, artifacts: frozenset[int]) -> dict[int, tuple[list[int], list[str]]]:
        """By text the lines of its prompts, and their commands."""
        found: dict[int, tuple[list[int], list[str]]] = defaultdict(lambda: ([], []))
        if not self._store.has(CommandRun):
            return found
        if (few := self._records.few(CommandRun)) is None:
            own = self._records.scan(CommandRun).filter(pl.col("artifact").is_in(artifacts))
            few = own.select(*_PLACE).sort("artifact", "line").collect()
        for artifact, line, command in cells(few, *_PLACE):
            if artifact in artifacts:
                found[artifact][0].append(line)
                found[artifact][1].append(command)
        return found

    def _mould(self, artifact: int) -> str:
        """A path without what tells one look from another."""
        return "".join(
            "#" if token.isdecimal() or token.lower() in _RANKS or _IS_DAY.match(token) else token
            for token in _TOKEN.findall(plain_path(self._store.paths[artifact]))
        )

    def _ordered(self, looks: Sequence[Look[R]]) -> tuple[Look[R], ...] | None:
        times = [look.at for look in looks]
        if None not in times:
            return tuple(sorted(looks, key=lambda look: look.at or 0)) if len(set(times)) > 1 else None
        if len({look.artifact for look in looks}) == 1:
            return tuple(sorted(looks, key=lambda look: look.line))
        if len({look.artifact for look in looks}) < len(looks):
            return None
        first = looks[0]
        if any(self._compared(first.artifact, look.artifact) is None for look in looks[1:]):
            return None
        return tuple(sorted(looks, key=cmp_to_key(self._by_name)))

    def _by_name(self, one: Look[R], other: Look[R]) -> int:
        return self._compared(one.artifact, other.artifact) or 0

    def _compared(self, one: int, other: int) -> int | None:
        return by_names(self._store.paths[one], self._store.paths[other])


def by_names(one: str, other: str) -> int | None:
    """Below 0 where the first of two paths is the earlier look, above where it is the later; None where that is not
    told.
    """
    tokens = [_TOKEN.findall(plain_path(path)) for path in (one, other)]
    if len(tokens[0]) != len(tokens[1]):
        return None
    order = by_day = 0
    before = ""
    for left, right in zip(*tokens, strict=True):
        if _IS_DAY.match(left) and _IS_DAY.match(right):
            by_day = by_day or _DAYS[left[:3].lower()] - _DAYS[right[:3].lower()]
            continue
        step = _step(left, right, before) if left != right else 0
        if step is None:
            return None
        order, before = order or step, left
    return order or by_day or None  # a date beside the day goes before it


def _step(left: str, right: str, before: str) -> int | None:
    """The order of two parts of names; before: what stands in front of both."""
    if left.isdecimal() and right.isdecimal():
        is_alone = not before.isalpha() or _COUNTED.search(before.lower()) is not None
        return (int(left) > int(right)) - (int(left) < int(right)) if is_alone else None
    ranks = [_RANKS.get(word.lower()) for word in (left, right)]
    return None if None in ranks or ranks[0] == ranks[1] else int(str(ranks[0])) - int(str(ranks[1]))
