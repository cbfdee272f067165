"""Alarms: what logs and listings themselves call wrong.

An alarm is a group of log lines of one kind about one thing on one node, or of rows of one kind of record about one
thing. What a later line or a later look shows to be over weighs one step less.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import chain, islice
from typing import Any, Final

import polars as pl

from apps.diagnosis.engine.core.alarms.ends import BRIEF_US, AlarmEnds, Marks
from apps.diagnosis.engine.core.facts.events import once
from apps.diagnosis.engine.core.facts.lost_disks import lost_with
from apps.diagnosis.engine.core.facts.records import Records, cells, picked
from apps.diagnosis.engine.core.facts.redundancy import Spares, with_servers_left, with_what_is_left
from apps.diagnosis.engine.core.facts.sessions import Sessions
from apps.diagnosis.engine.core.facts.taught import Taught, TaughtRows
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.things import Thing, sort_in_title, things_in, things_of
from apps.diagnosis.engine.core.times.line_order import Stand
from apps.diagnosis.engine.core.words.standings import (
    STATEMENTS,
    kind_of,
    meaning_of,
    object_of,
    state_text,
    state_texts,
    text_of,
    weight_of,
)
from parsers.dataclass import dataclass
from parsers.messages.catalogue import WEIGHTS, Weight, meanings
from parsers.records import CommandRun, Event
from parsers.records.states import HealthState, Statement, StorageState

MESSAGES: Final = "AL-01"
STATES: Final = "AL-02"
"""Refs of the findings that alarms of logs and alarms of listings make."""
LINES_KEPT: Final = 8
WORDINGS_KEPT: Final = 20
BESIDE_KEPT: Final = 3
ONE_PRINT: Final = 24  # lines of one block about one object
DOUBTS_KEPT: Final = 200
MARKED: Final = ("artifact", "line", "at")
"""What is known of every line of an alarm."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarm:
    """Lines that say one thing of one object on one node. ``weight`` is that of the gravest; ``is_over``: a later line
    or look says so.

    most: the largest figure of the lines.
    occasions: how often it came, where lines within a minute of each other are once.
    beside: what the same print says of the object besides.
    texts: the wordings of the lines, each once.
    source: the tool or the log that showed it.
    on: the node on which the thing is, where its words say so.
    is_brief: each time it was over within a minute, and came once or twice: a start, a change of cable, a pause of a
    server. is_long: who stood still did so for minutes until it was over. is_meant: the log says of the same thing that
    it was meant. is_begun: its service had just begun when the log ends, so that nobody knows how it went on.
    is_settled: it is of a kind that is none where it is over. is_spared: what it lost is there once
    more. is_sum: it only sums up what else is listed
    of its node. effects: what is reported with it; follows: what of its node took it along, as that is called.
    gravest: the one that is graver than itself and ``loses`` that.
    things: what its lines or rows name, by their sorts.
    """

    kind: str
    node: str | None
    about: str | None
    weight: Weight
    lines: int
    refs: tuple[Ref, ...]
    occasions: int = 1
    first: int | None = None
    last: int | None = None
    zone_min: int | None = None
    text: str = ""
    most: float | None = None
    beside: tuple[str, ...] = ()
    source: str = ""
    is_over: bool = False
    is_brief: bool = False
    is_long: bool = False
    on: str | None = None
    is_meant: bool = False
    is_begun: bool = False
    is_settled: bool = False
    is_spared: bool = False
    is_sum: bool = False
    effects: tuple[str, ...] = ()
    follows: str | None = None
    gravest: str = ""
    loses: str = ""
    texts: tuple[str, ...] = ()
    things: frozenset[Thing] = frozenset()


@cache
def _kinds(weight: Weight) -> list[str]:
    return [kind for kind, meaning in meanings().items() if meaning.weight == weight]


@cache
def _doubtful() -> list[str]:
    """Kinds of lines of which nobody can say whether they are harmless, warnings of no known kind and failures of what
    may or may not matter here among them: no all-clear stands over them.
    """
    return [
        "unlisted-message",
        *(
            kind
            for kind in _kinds("notice")
            if meanings()[kind].doubted or (kind.endswith("-warning") and meanings()[kind].by_level)
        ),
    ]


@cache
def _alarm_kinds() -> frozenset[str]:
    return frozenset(_kinds("trouble") + _kinds("disaster"))


@cache
def _is_alarm() -> pl.Expr:
    """Events that weigh trouble or more by their line, or by their kind where the line says nothing."""
    by_kind = pl.col("weight").eq("") & pl.col("kind").is_in(sorted(_alarm_kinds()))
    return pl.col("weight").is_in(["trouble", "disaster"]) | by_kind


class Alarms:
    """Alarms of a case: of its logs and of its listings."""

    def __init__(self, records: Records, taught: Taught) -> None:
        self._records = records
        self._taught = taught
        self._ends = AlarmEnds(records)
        self._spares = Spares(records)
        self._sessions = Sessions(records)

    @cached_property
    def taught(self) -> tuple[Alarm, ...]:
        """Of rows and of lines that entries of people speak of."""
        return tuple(alarms_taught(self._taught.rows))

    @cached_property
    def logged(self) -> tuple[Alarm, ...]:
        """Of log lines that weigh trouble or more."""
        if not self._records.has(Event):
            return ()
        rows = once(self._alarm_rows())
        if rows.is_empty():
            return ()
        grave = pl.col("weight").eq("disaster") | (pl.col("weight").eq("") & pl.col("kind").is_in(_kinds("disaster")))
        grouped = rows.group_by("kind", "node", "about", maintain_order=True).agg(
            grave.any().alias("grave"),
            pl.len().alias("lines"),
            pl.col("at").sort().diff().gt(BRIEF_US).sum().add(1).alias("occasions"),
            pl.col("at").min().alias("first"),
            pl.col("at").max().alias("last"),
            *(pl.col(column).alias(f"{column} of all") for column in MARKED),
            pl.col("zone_min").first(),
            pl.col("value").max().alias("most"),
            pl.col("artifact", "line").head(LINES_KEPT),
            pl.col("text").get(pl.col("value").fill_null(-1.0).arg_max()),  # the one with the largest figure
            pl.struct("at", "zone_min", "artifact", "line").last().alias("end"),
            pl.col("text").unique(maintain_order=True).head(WORDINGS_KEPT).alias("texts"),
        )
        return tuple(self._alarm(row) for row in grouped.iter_rows(named=True))

    def _alarm_rows(self) -> pl.DataFrame:
        """Of few events those that alarm are picked by their words, without a query."""
        events = self._records.few(Event)
        if events is None:
            return self._records.frame(Event, _is_alarm())
        return picked(
            events,
            (
                weight in ("trouble", "disaster") or (weight == "" and kind in _alarm_kinds())
                for weight, kind in cells(events, "weight", "kind")
            ),
        )

    def _alarm(self, row: dict[str, Any]) -> Alarm:
        spoken = row["kind"], row["node"], row["about"]
        is_over = self._ends.is_over(*spoken, row["last"], Stand(**row["end"])) or self._was_repeated(row)
        meaning = meanings().get(row["kind"])
        marks = _marks_of(row) if is_over or (meaning is not None and (meaning.meant_by or meaning.begun_by)) else ()
        own = self._ends.without_starts(row["kind"], row["node"], marks, over=is_over) if marks else marks
        return Alarm(
            kind=row["kind"],
            node=row["node"],
            about=row["about"],
            weight="disaster" if row["grave"] else "trouble",
            lines=row["lines"],
            occasions=row["occasions"],
            refs=tuple(Ref(artifact, line) for artifact, line in zip(row["artifact"], row["line"], strict=True)),
            first=row["first"],
            last=row["last"],
            zone_min=row["zone_min"],
            text=row["text"] or "",
            texts=tuple(text for text in row["texts"] if text),
            things=_things_logged(row["kind"], row["about"], row["texts"]),
            most=row["most"],
            is_over=is_over,
            is_brief=is_over and self._ends.is_brief(*spoken, own),
            is_long=is_over and self._ends.is_long(*spoken, marks),
            is_meant=self._ends.is_meant(*spoken, marks) or (not own and bool(marks)),
            is_begun=not own and bool(marks) and not is_over,
            is_settled=is_over and meanings()[row["kind"]].until_ended,
            is_spared=self._spares.is_spared(*spoken),
        )

    def _was_repeated(self, row: Mapping[str, Any]) -> bool:
        """Whether each line answers a command that went through when it was typed once more."""
        if row["lines"] > LINES_KEPT or not self._records.has(CommandRun):
            return False
        return all(
            self._sessions.went_through_later(artifact, line, self._alarm_lines.get(artifact, frozenset()))
            for artifact, line in zip(row["artifact"], row["line"], strict=True)
        )

    @cached_property
    def _alarm_lines(self) -> dict[int, frozenset[int]]:
        """Lines of alarms by artifact, of texts in which commands were typed."""
        typed = {one.artifact for one in self._records.of(CommandRun)}
        rows = self._records.frame(Event, _is_alarm() & pl.col("artifact").is_in(sorted(typed)))
        return {int(key[0]): frozenset(group["line"].to_list()) for key, group in rows.group_by("artifact")}

    @cached_property
    def beside_others(self) -> frozenset[tuple[int, int]]:
        """Lines on which an alarm stands beside other messages: a log that lost its line ends."""
        lines = sorted({(ref.artifact, ref.line) for one in self.logged for ref in one.refs})
        if not lines:
            return frozenset()
        if (few := self._records.few(Event)) is not None:
            texts: dict[tuple[int, int], set[str]] = {line: set() for line in lines}
            for artifact, line, text in cells(few, "artifact", "line", "text"):
                if (artifact, line) in texts:
                    texts[artifact, line].add(text)
            return frozenset(line for line, some in texts.items() if len(some) > 1)
        own = pl.DataFrame(lines, schema={"artifact": pl.Int64, "line": pl.Int64}, orient="row").lazy()
        rows = (
            self._records.scan(Event)
            .select(pl.col("artifact").cast(pl.Int64), pl.col("line").cast(pl.Int64), "text")
            .join(own, on=["artifact", "line"], how="semi")
            .group_by("artifact", "line")
            .agg(pl.col("text").n_unique().alias("texts"))
            .filter(pl.col("texts") > 1)
            .collect()
        )
        return frozenset((int(artifact), int(line)) for artifact, line, _ in rows.iter_rows())

    def doubtful(self) -> tuple[str, ...]:
        """Texts of lines that nobody knows and that sound like trouble: the first of each wording."""
        if not self._records.has(Event):
            return ()
        begun = (one.text for one in self.logged if one.is_begun)
        texts = [str(text) for text in islice(chain(self._doubtful_texts(), begun), DOUBTS_KEPT) if text]
        return tuple({re.sub(r"\d+", "0", text): text for text in reversed(texts)}.values())[::-1]

    def _doubtful_texts(self) -> Iterator[Any]:
        if (few := self._records.few(Event)) is not None:
            rows = cells(few, "kind", "weight", "text")
            kinds, known = frozenset(_doubtful()), meanings()
            return iter(
                dict.fromkeys(
                    text
                    for kind, weight, text in rows
                    if (weight in ("notice", "") and kind in kinds) or (weight == "notice" and kind not in known)
                )
            )
        doubted = pl.col("kind").is_in(_doubtful()) & pl.col("weight").is_in(["notice", ""])
        nameless = pl.col("weight").eq("notice") & ~pl.col("kind").is_in(list(meanings()))
        found = self._records.frame(Event, doubted | nameless)
        return iter(found["text"].unique(maintain_order=True))

    def noted(self) -> tuple[str, ...]:
        """Things that are not wrong and not quite in order, with their states by the last look: an all-clear names
        them.
        """
        rows = state_texts().items()
        kinds = {kind for (kind, _), text in rows if text.noted or any(sort.noted for sort in text.sorts.values())}
        last: dict[tuple[str, str | None, str], Any] = {}
        for kind in STATEMENTS:
            if kind.__name__ in kinds and self._records.has(kind):
                last.update(((kind.__name__, one.node, object_of(one)), one) for one in self._records.of(kind))
        found = ((name, one) for (_, _, name), one in last.items() if (text := text_of(one)) is not None and text.noted)
        return tuple(dict.fromkeys(f"{name}: {state_text(one)}" for name, one in found))

    @cached_property
    def listed(self) -> tuple[Alarm, ...]:
        """Of records whose last look shows a standing that weighs trouble or more; one that is in order again
        is over.
        """
        kinds = {kind for kind, _ in state_texts()}
        return tuple(
            alarm
            for kind in STATEMENTS
            if kind.__name__ in kinds and self._records.has(kind)
            for alarm in self._of(kind)
        )

    def _of(self, kind: type[Statement]) -> Iterator[Alarm]:
        by_object = defaultdict[tuple[str | None, str], list[Any]](list)
        records: Iterable[Any] = self._records.of(kind)
        lost: Mapping[tuple[str | None, str], str] = {}
        if kind is StorageState:
            records = list(with_what_is_left(self._records.of(StorageState)))
            lost = lost_with(records)
        elif kind is HealthState:
            records = list(with_servers_left(self._records.of(HealthState)))
        for record in records:
            by_object[record.node, object_of(record)].append(record)
        for (node, about), looks in by_object.items():
            bad = [
                one
                for one in looks
                if weight_of(one) in ("trouble", "disaster") and (one.artifact, one.line) not in self._taught.judged
            ]
            if bad:
                worst = max(bad, key=lambda one: WEIGHTS.index(weight_of(one)))
                times = [one.at for one in bad if one.at is not None]
                yield Alarm(
                    kind=kind_of(worst),
                    node=node,
                    about=about,
                    weight=weight_of(worst),
                    lines=len(bad),
                    refs=tuple(Ref(one.artifact, one.line) for one in bad[:LINES_KEPT]),
                    first=min(times, default=None),
                    last=max(times, default=None),
                    zone_min=worst.zone_min,
                    text=state_text(worst),
                    beside=_further_states(worst, bad),
                    source=worst.source or "",
                    is_over=_is_in_order(looks) or self._was_put_right(looks, bad) or self._is_quoted(looks, bad),
                    on=_place_of(worst),
                    is_sum=node is not None and (text := text_of(worst)) is not None and text.sums == about,
                    things=frozenset(things_of(bad)),
                    follows=lost.get((node, about)),
                )

    def _was_put_right(self, looks: Sequence[Statement], bad: Sequence[Statement]) -> bool:
        """Whether the same command showed nothing bad, after somebody who typed it in this session had acted."""
        worst, latest = max(bad, key=_place), max(looks, key=_place)
        is_one_text = len({one.artifact for one in looks}) == 1
        return is_one_text and self._sessions.acted_between(worst.artifact, worst.line, latest.line)

    def _is_quoted(self, looks: Sequence[Statement], bad: Sequence[Statement]) -> bool:
        """Whether what is bad stands in quotations alone, which somebody answers with a look that shows nothing bad."""
        last = looks[-1]
        now = self._records.depth(last.artifact, last.line)
        return last not in bad and all(
            one.artifact == last.artifact and self._records.depth(one.artifact, one.line) > now for one in bad
        )


def _marks_of(row: Mapping[str, Any]) -> Marks:
    """All lines of a row of alarms: few rows are asked for them."""
    columns = (row[f"{column} of all"] for column in MARKED)
    return [dict(zip(MARKED, values, strict=True)) for values in zip(*columns, strict=True)]


def _place(record: Statement) -> tuple[int, int]:
    return record.artifact, record.line


def _things_logged(kind: str, about: str | None, texts: Sequence[str | None]) -> frozenset[Thing]:
    """What messages name: by their own grammar, and what they are about by the sort that the kind gives it."""
    named = frozenset(thing for text in texts if text for thing in things_in(text))
    sort = sort_in_title(meaning_of(kind).title)
    return named | {Thing(sort, about)} if sort and about else named


def alarms_taught(rows: Iterable[TaughtRows]) -> Iterator[Alarm]:
    """What entries call trouble or worse."""
    for one in rows:
        if one.entry.weight in ("trouble", "disaster"):
            yield Alarm(
                kind=one.entry.kind,
                node=one.node,
                about=one.about,
                weight=one.entry.weight,
                lines=one.lines,
                refs=one.refs,
                first=one.first,
                last=one.last,
                zone_min=one.zone_min,
                text=one.text,
            )


def _further_states(worst: Statement, bad: Sequence[Statement]) -> tuple[str, ...]:
    """What the same print says of the object besides its worst state."""
    states = dict.fromkeys(state_text(one) for one in bad if _is_one_look(one, worst))
    return tuple(text for text in states if text != state_text(worst))[:BESIDE_KEPT]


def _is_one_look(one: Statement, worst: Statement) -> bool:
    """Whether two records are from one print: a tool may say several things of one object."""
    return one.artifact == worst.artifact and one.at == worst.at and abs(one.line - worst.line) <= ONE_PRINT


def _is_in_order(looks: Sequence[Statement]) -> bool:
    """Whether the latest look shows nothing bad while an earlier one did."""
    dated = [one for one in looks if one.at is not None]
    if len(dated) < len(looks) or len({one.at for one in dated}) < 2:
        return False
    latest = max(one.at or 0 for one in dated)
    return all(weight_of(one) in ("", "everyday", "notice") for one in dated if one.at == latest)


def _place_of(record: Any) -> str | None:
    """The node on which the thing is, where the record says so itself: who printed it says nothing more then."""
    return getattr(record, "on", None) or getattr(record, "member", None)
