"""Whether what a log calls wrong was over later, after how long, and whether it was meant."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final, NamedTuple

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.times.line_order import Stand, is_behind
from apps.diagnosis.engine.core.times.open_years import apart
from parsers.messages.catalogue import OVER_LINK, Meaning, meanings
from parsers.records import DAY_US, Event

ANYWHERE: Final = "*"
"""In the place of a node: on which one it stands is of no matter."""
LONG_US: Final = 300_000_000
"""A stall of this length harmed whoever waited, also when it is over."""
BRIEF_US: Final = 60_000_000
MEANT_US: Final = 120_000_000
BRIEF_LINES: Final = 2
BRIEF_TIMES: Final = 8
"""What came more often is no start any more."""
APART_US: Final = 1_800_000_000
"""So long passes at the least between two occasions that do not count: starts of the system, for one."""
Marks = Sequence[Mapping[str, int | None]]
"""Lines of one kind about one thing on one node: ``artifact``, ``line``, ``at``."""


class _End(NamedTuple):
    """The last line of a kind that ends something."""

    kind: str
    stand: Stand


class AlarmEnds:
    """Lines of the logs of a case that end alarms or say that they were meant."""

    def __init__(self, records: Records) -> None:
        self._records = records

    def is_over(self, kind: str, node: str | None, about: str | None, last: int | None, stand: Stand) -> bool:
        """Whether a line behind the last one says so. last: the latest moment of all lines; stand: the last of them in
        the order of the files.
        """
        meaning = meanings().get(kind)
        if meaning is None or not meaning.ended_by:
            return False
        place_of = ANYWHERE if meaning.ended_anywhere else node
        return any(
            end.kind in meaning.ended_by and _is_behind(end.stand, last, stand)
            for name in _named_in_ends(meaning, about)
            for end in self._last_lines.get((place_of, name), ())
        )

    def is_brief(self, kind: str, node: str | None, about: str | None, marks: Marks) -> bool:
        """Whether every occasion had a line or two and ended within a minute, and long passed between two of them."""
        meaning = meanings()[kind]
        place = ANYWHERE if meaning.ended_anywhere else node
        names = _named_in_ends(meaning, about)
        ends = [end for one in meaning.ended_by for name in names for end in self._marks.get((one, place, name), ())]
        rows = sorted(
            (
                (mark["artifact"], mark["line"], mark["at"], is_end)
                for group, is_end in ((marks, False), (ends, True))
                for mark in group
            ),
            key=lambda row: row[:2],
        )
        lines: list[int] = []
        closed: int | None = None
        times = 0
        for _, _, at, is_end in rows:
            if at is None:
                return False
            if is_end:
                if lines and apart(lines[0], at) > BRIEF_US:
                    return False
                times += bool(lines)
                closed, lines = at, []
                continue
            if len(lines) >= BRIEF_LINES or (not lines and closed is not None and apart(closed, at) < APART_US):
                return False
            lines.append(at)
        return not lines and times <= (1 if meaning.noted else BRIEF_TIMES)

    def without_starts(self, kind: str, node: str | None, marks: Marks, *, over: bool) -> Marks:
        """Lines that do not stand within minutes behind a start of their service, where it is over, or the log ends
        before it could be.
        """
        begun = sorted(at for one in meanings()[kind].begun_by for at in self._begun.get((one, node), ()))
        last = self._last_at.get(node) if begun else None
        if last is None:
            return marks

        def is_start(at: int | None) -> bool:
            index = bisect_right(begun, at) if at is not None else 0
            if at is None or not index or at - begun[index - 1] > MEANT_US:
                return False
            return over or last - at <= MEANT_US

        return [mark for mark in marks if not is_start(mark["at"])]

    def is_long(self, kind: str, node: str | None, about: str | None, marks: Marks) -> bool:
        """Whether somebody stood still for minutes, from a line to the next one that says that it is over."""
        meaning = meanings()[kind]
        if not meaning.stalls:
            return False
        place = ANYWHERE if meaning.ended_anywhere else node
        ends = sorted(
            at
            for one in meaning.ended_by
            for name in _named_in_ends(meaning, about)
            for end in self._marks.get((one, place, name), ())
            if (at := end["at"]) is not None
        )
        return any(
            (after := bisect_left(ends, at)) < len(ends) and ends[after] - at >= LONG_US
            for mark in marks
            if (at := mark["at"]) is not None
        )

    def is_meant(self, kind: str, node: str | None, about: str | None, marks: Marks) -> bool:
        """Whether each line stands within minutes of one that says that it was meant, and none contradicts."""
        meaning = meanings().get(kind)
        if meaning is None or not meaning.meant_by:
            return False
        intent = self._marks_of_intent
        if any((one, node) in intent for one in meaning.not_meant_with):
            return False
        marks_of = [intent.get((one, node), {}) for one in meaning.meant_by]
        times = [
            at
            for by_object in marks_of
            for name, own in by_object.items()
            if meaning.meant_anywhere or name in names_of(about)
            for at in own
        ]
        return bool(times) and all(
            mark["at"] is not None and any(abs(mark["at"] - at) <= MEANT_US for at in times) for mark in marks
        )

    @cached_property
    def _marks_of_intent(self) -> Mapping[tuple[str, str | None], Mapping[str | None, list[int]]]:
        """By kind and node, then by object: when lines said that something was meant, or that it was not."""
        kinds = {kind for one in meanings().values() for kind in (*one.meant_by, *one.not_meant_with)}
        found: dict[tuple[str, str | None], dict[str | None, list[int]]] = defaultdict(lambda: defaultdict(list))
        rows = self._records.frame(Event, pl.col("kind").is_in(sorted(kinds)) & pl.col("at").is_not_null())
        for kind, node, about, at in rows.select("kind", "node", "about", "at").iter_rows():
            found[kind, node][about].append(at)
        return found

    @cached_property
    def _begun(self) -> Mapping[tuple[str, str | None], list[int]]:
        """By kind and node: when lines said that a service starts."""
        kinds = sorted({kind for one in meanings().values() for kind in one.begun_by})
        rows = self._records.frame(Event, pl.col("kind").is_in(kinds) & pl.col("at").is_not_null())
        found = rows.group_by("kind", "node").agg("at").iter_rows()
        return {(kind, node): times for kind, node, times in found}

    @cached_property
    def _last_at(self) -> Mapping[str | None, int]:
        """By node: when its last message came."""
        return dict(self._records.frame(Event).group_by("node").agg(pl.col("at").max()).drop_nulls("at").iter_rows())

    def _lines(self) -> pl.DataFrame:
        """Lines that say that something is over."""
        endings = sorted({kind for meaning in meanings().values() for kind in meaning.ended_by})
        return self._records.frame(Event, pl.col("kind").is_in(endings))

    @cached_property
    def _last_lines(self) -> dict[tuple[str | None, str | None], list[_End]]:
        """By node and object: the last line of each kind."""
        found = defaultdict[tuple[str | None, str | None], list[_End]](list)
        last = self._lines().group_by("kind", "node", "about", maintain_order=True).last()
        for kind, node, about, *stand in last.select("kind", "node", "about", *Stand._fields).iter_rows():
            end = _End(kind, Stand(*stand))
            for name in names_of(about):
                found[node, name].append(end)
                found[ANYWHERE, name].append(end)
        return found

    @cached_property
    def _marks(self) -> Mapping[tuple[str, str | None, str | None], Marks]:
        """By kind, node and object: all lines."""
        found: dict[tuple[str, str | None, str | None], list[Mapping[str, int | None]]] = defaultdict(list)
        rows = self._lines().select("kind", "node", "about", "artifact", "line", "at").iter_rows()
        for kind, node, about, artifact, line, at in rows:
            mark = {"artifact": artifact, "line": line, "at": at}
            for name in names_of(about):
                found[kind, node, name].append(mark)
                found[kind, ANYWHERE, name].append(mark)
        return found


def _is_behind(end: Stand, last: int | None, alarm: Stand) -> bool:
    """Whether the line stands behind the last one of an alarm; in another file: more than a moment later than all."""
    if end.at is None or last is None:
        return is_behind(end, alarm)
    if end.artifact == alarm.artifact and (last == alarm.at or max(last, end.at) < DAY_US):
        return is_behind(end, alarm)
    return end.at > last


def _named_in_ends(meaning: Meaning, about: str | None) -> tuple[str | None, ...]:
    """Of what a line may speak that says that it is over: of the same thing, of one peer or all, of nothing."""
    names = [about]
    if about and meaning.until_ended:
        names.append(about.partition(" ")[0])
    if meaning.ended_unnamed:
        names.append(None)
    return tuple(dict.fromkeys(names))


def names_of(about: str | None) -> tuple[str | None, ...]:
    """Under what a message is known: what it is about, and the node alone where that is one over a link."""
    node, over, _ = (about or "").partition(OVER_LINK)
    return (about, node) if over else (about,)
