"""Alarms: what logs and listings themselves call wrong. Those that no finding explains become findings of their own.

An alarm is a group of log lines of one kind about one thing on one node, or of rows of one kind of record about one
thing. It is explained where a finding cites one of its lines. What a later line or a later look shows to be over weighs
one step less.
"""

from __future__ import annotations

import re
import string
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any, Final, NamedTuple

import polars as pl

from apps.diagnosis.engine.core.events import once
from apps.diagnosis.engine.core.knowledge import limits, rows_of, rule_texts
from apps.diagnosis.engine.core.model import NEAR_US, SEVERITIES, Finding, NextStep, Ref
from apps.diagnosis.engine.core.records import Records
from apps.diagnosis.engine.core.redundancy import with_what_is_left
from apps.diagnosis.engine.core.seen import Seen, finding_of
from apps.diagnosis.engine.core.taught import Taught, TaughtRows
from apps.diagnosis.engine.core.things import Thing, sort_in_title, things_of, things_said
from apps.diagnosis.engine.core.wording import listed
from parsers.catalogue import OVER_LINK, WEIGHTS, Meaning, Weight, meanings
from parsers.records import RECORD_TYPES, Event, Quorum, Statement, StorageState
from parsers.site_entries import ENDINGS, KIND_ENDING, LEARNED

STATEMENTS: Final = tuple(kind for kind in RECORD_TYPES if issubclass(kind, Statement))
"""Kinds of records that say how a thing stands."""
MESSAGES: Final = "AL-01"
STATES: Final = "AL-02"
LINES_KEPT: Final = 8
WORDINGS_KEPT: Final = 20
BESIDE_KEPT: Final = 3
ONE_PRINT: Final = 24  # lines of one block about one object
NAMED: Final = 3
ANYWHERE: Final = "*"
"""In the place of a node: on which one it stands is of no matter."""
ALL_ROOM: Final = 600
TITLE_ROOM: Final = 110
"""Letters of a title for things and states, so that a verdict keeps to 140."""
DOUBTS_KEPT: Final = 200
LEAST_SAID: Final = 12
MOST_SAID: Final = 80
_OF_NODE: Final = re.compile(r"(?<!ile )\b(?:Node|node|Member|member|System|Host|host) \{about\}")
_DIGITS: Final = re.compile(r"\d+")
_NUMBER: Final = re.compile(r"(?<!\S)[A-Z]-\d{1,3}(?:-\d{1,6}){1,3}:?\s|^[\w.-]{1,80}: (?:ERROR|CRIT): ")
"""The number of a message, as catalogues of products give it; or the resource of which an agent speaks, which is named
already.
"""
LONG_US: Final = 300_000_000
"""A stall of this length harmed whoever waited, also when it is over."""
BRIEF_US: Final = 60_000_000
MEANT_US: Final = 120_000_000
BRIEF_LINES: Final = 2
BRIEF_TIMES: Final = 8
"""What came more often is no start any more."""
APART_US: Final = 1_800_000_000
"""So long passes at the least between two occasions that do not count: starts of the system, for one."""
SECOND_US: Final = 1_000_000
DAY_US: Final = 86_400_000_000
"""Stamps without a year keep the time of day."""
LOST_TO_ALL: Final = frozenset(("data", "quorum", "file system"))
DOUBTFUL: Final = ("unlisted-message", "log-warning")
"""Kinds of lines of which nobody can say whether they are harmless: no all-clear stands over them."""


@dataclass(frozen=True, slots=True)
class AlarmWords:
    """what: the thing and what is wrong with it; where: nodes; by: nodes that logged what is about another one; why:
    what more the title tells, behind a colon; often: occasions where there are several; since, until: us; text: a line;
    effects: what follows from it there, and states that name it as their reason; others: what other lines of no known
    kind say.
    """

    what: str
    why: str
    where: tuple[str, ...]
    by: tuple[str, ...]
    lines: int
    often: int | None
    since: int | None
    until: int | None
    text: str
    meaning: str
    over: bool
    effects: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarm:
    """Lines that say one thing of one object on one node. ``weight`` is that of the gravest; ``is_over``: a later line
    or look says so.

    most: the largest figure of the lines.
    occasions: how often it came, where lines within a minute of each other are once.
    beside: what the same print says of the object besides.
    texts: the wordings of the lines, each once.
    source: the tool or the log that showed it.
    is_placed: its words say on which node the thing is.
    is_brief: each time it was over within a minute, and came once or twice: a start, a change of cable, a pause of a
    server. is_long: who stood still did so for minutes until it was over. is_meant: the log says of the same thing that
    it was meant. is_settled: it is of a kind that is none where it is over. is_sum: it only sums up what else is listed
    of its node. effects: what is told with it. things: what its lines or rows name, by their sorts.
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
    is_placed: bool = False
    is_meant: bool = False
    is_settled: bool = False
    is_sum: bool = False
    effects: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    things: frozenset[Thing] = frozenset()


class _End(NamedTuple):
    """The last line of a kind that ends something."""

    kind: str
    at: int | None
    place: tuple[int, int]


@dataclass(frozen=True, slots=True)
class StateText:
    """What a standing of a kind of record weighs, and the words for it. harm: what follows from it, behind the state;
    sums: the object whose state only sums up those of the others on its node; sorts: other words where the record is
    of that sort.
    """

    weight: Weight
    object: tuple[str, ...]
    said: str
    meaning: str = ""
    next: str = ""
    commands: tuple[str, ...] = ()
    loses: str = ""
    harm: str = ""
    sums: str = ""
    sorts: Mapping[str, StateText] = field(default_factory=dict)


@cache
def state_texts() -> Mapping[tuple[str, str], StateText]:
    """Texts by the name of the record and its standing."""
    found = {}
    for kind, rows in rows_of("states").items():
        for standing, row in rows.items():
            if row.get("weight") not in WEIGHTS[1:]:
                raise ValueError(f"states: {kind}.{standing} has no weight that is known")
            plain = {key: value for key, value in row.items() if key != "sorts"}
            sorts = {sort: _state_text(plain | own) for sort, own in row.get("sorts", {}).items()}
            found[kind, standing] = replace(_state_text(plain), sorts=sorts)
    return found


def _state_text(row: Mapping[str, Any]) -> StateText:
    return StateText(**{**row, "object": tuple(row["object"]), "commands": tuple(row.get("commands", ()))})


def _kinds(weight: Weight) -> list[str]:
    return [kind for kind, meaning in meanings().items() if meaning.weight == weight]


def _is_alarm() -> pl.Expr:
    """Events that weigh trouble or more by their line, or by their kind where the line says nothing."""
    by_kind = pl.col("weight").eq("") & pl.col("kind").is_in(_kinds("trouble") + _kinds("disaster"))
    return pl.col("weight").is_in(["trouble", "disaster"]) | by_kind


class Alarms:
    """Alarms of a case: of its logs and of its listings."""

    def __init__(self, records: Records, taught: Taught) -> None:
        self._records = records
        self._taught = taught

    @cached_property
    def taught(self) -> tuple[Alarm, ...]:
        """Of rows and of lines that entries of people speak of."""
        return tuple(alarms_taught(self._taught.rows))

    @cached_property
    def logged(self) -> tuple[Alarm, ...]:
        """Of log lines that weigh trouble or more."""
        if not self._records.has(Event):
            return ()
        rows = once(self._records.frame(Event, _is_alarm()))
        if rows.is_empty():
            return ()
        grave = pl.col("weight").eq("disaster") | (pl.col("weight").eq("") & pl.col("kind").is_in(_kinds("disaster")))
        grouped = rows.group_by("kind", "node", "about", maintain_order=True).agg(
            grave.any().alias("grave"),
            pl.len().alias("lines"),
            pl.col("at").sort().diff().gt(BRIEF_US).sum().add(1).alias("occasions"),
            pl.col("at").min().alias("first"),
            pl.col("at").max().alias("last"),
            pl.struct("artifact", "line", "at").alias("marks"),
            pl.col("zone_min").first(),
            pl.col("value").max().alias("most"),
            pl.col("artifact", "line").head(LINES_KEPT),
            pl.col("text").get(pl.col("value").fill_null(-1.0).arg_max()),  # the one with the largest figure
            pl.struct("artifact", "line").last().alias("end"),
            pl.col("text").unique(maintain_order=True).head(WORDINGS_KEPT).alias("texts"),
        )
        return tuple(self._alarm(row) for row in grouped.iter_rows(named=True))

    def _alarm(self, row: dict[str, Any]) -> Alarm:
        end = self._end(
            row["kind"], row["node"], row["about"], row["last"], (row["end"]["artifact"], row["end"]["line"])
        )
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
            is_over=end is not None,
            is_brief=end is not None and self._is_brief(row["kind"], row["node"], row["about"], row["marks"]),
            is_long=end is not None and self._is_long(row["kind"], row["node"], row["about"], row["marks"]),
            is_meant=self._is_meant(row["kind"], row["node"], row["about"], row["marks"]),
            is_settled=end is not None and meanings()[row["kind"]].until_ended,
        )

    def _is_meant(
        self, kind: str, node: str | None, about: str | None, marks: Sequence[Mapping[str, int | None]]
    ) -> bool:
        """Whether each line stands within minutes of one that says that it was meant, and none contradicts."""
        meaning = meanings().get(kind)
        if meaning is None or not meaning.meant_by:
            return False
        said = self._said_of_intent
        if any((one, node) in said for one in meaning.not_meant_with):
            return False
        marks_of = [said.get((one, node), {}) for one in meaning.meant_by]
        times = [
            at
            for by_object in marks_of
            for name, own in by_object.items()
            if meaning.meant_anywhere or name in _names_of(about)
            for at in own
        ]
        return bool(times) and all(
            mark["at"] is not None and any(abs(mark["at"] - at) <= MEANT_US for at in times) for mark in marks
        )

    @cached_property
    def _said_of_intent(self) -> Mapping[tuple[str, str | None], Mapping[str | None, list[int]]]:
        """By kind and node, then by object: when lines said that something was meant, or that it was not."""
        kinds = {kind for one in meanings().values() for kind in (*one.meant_by, *one.not_meant_with)}
        found: dict[tuple[str, str | None], dict[str | None, list[int]]] = defaultdict(lambda: defaultdict(list))
        rows = self._records.frame(Event, pl.col("kind").is_in(sorted(kinds)) & pl.col("at").is_not_null())
        for kind, node, about, at in rows.select("kind", "node", "about", "at").iter_rows():
            found[kind, node][about].append(at)
        return found

    def _end(
        self, kind: str, node: str | None, about: str | None, last: int | None, place: tuple[int, int]
    ) -> _End | None:
        """The line that says that it is over."""
        meaning = meanings().get(kind)
        if meaning is None or not meaning.ended_by:
            return None
        place_of = ANYWHERE if meaning.ended_anywhere else node
        ends = (
            end
            for name in _named_in_ends(meaning, about)
            for end in self._ends.get((place_of, name), ())
            if end.kind in meaning.ended_by
        )
        return next((end for end in ends if _is_behind(end, last, place)), None)

    def _is_brief(
        self, kind: str, node: str | None, about: str | None, marks: Sequence[Mapping[str, int | None]]
    ) -> bool:
        """Whether every occasion had a line or two and ended within a minute, and long passed between two of them."""
        meaning = meanings()[kind]
        place = ANYWHERE if meaning.ended_anywhere else node
        names = _named_in_ends(meaning, about)
        ends = [
            end for one in meaning.ended_by for name in names for end in self._end_marks.get((one, place, name), ())
        ]
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
                if lines and (at - lines[0]) % DAY_US > BRIEF_US:
                    return False
                times += bool(lines)
                closed, lines = at, []
                continue
            if len(lines) >= BRIEF_LINES or (not lines and closed is not None and (at - closed) % DAY_US < APART_US):
                return False
            lines.append(at)
        return not lines and times <= BRIEF_TIMES

    def _is_long(
        self, kind: str, node: str | None, about: str | None, marks: Sequence[Mapping[str, int | None]]
    ) -> bool:
        """Whether somebody stood still for minutes, from a line to the next one that says that it is over."""
        meaning = meanings()[kind]
        if not meaning.stalls:
            return False
        place = ANYWHERE if meaning.ended_anywhere else node
        ends = sorted(
            at
            for one in meaning.ended_by
            for name in _named_in_ends(meaning, about)
            for end in self._end_marks.get((one, place, name), ())
            if (at := end["at"]) is not None
        )
        return any(
            (after := bisect_left(ends, at)) < len(ends) and ends[after] - at >= LONG_US
            for mark in marks
            if (at := mark["at"]) is not None
        )

    @cached_property
    def _end_marks(self) -> Mapping[tuple[str, str | None, str | None], Sequence[Mapping[str, int | None]]]:
        """Lines that say that something is over."""
        endings = sorted({kind for meaning in meanings().values() for kind in meaning.ended_by})
        rows = self._records.frame(Event, pl.col("kind").is_in(endings))
        found: dict[tuple[str, str | None, str | None], list[Mapping[str, int | None]]] = defaultdict(list)
        grouped = rows.group_by("kind", "node", "about").agg(pl.struct("artifact", "line", "at").alias("marks"))
        for row in grouped.iter_rows(named=True):
            for place in (row["node"], ANYWHERE):
                for about in _names_of(row["about"]):
                    found[row["kind"], place, about].extend(row["marks"])
        return found

    @cached_property
    def _ends(self) -> dict[tuple[str | None, str | None], list[_End]]:
        """By node and object: the last lines that end something."""
        endings = sorted({kind for meaning in meanings().values() for kind in meaning.ended_by})
        found = defaultdict[tuple[str | None, str | None], list[_End]](list)
        rows = self._records.frame(Event, pl.col("kind").is_in(endings))
        for row in rows.group_by("kind", "node", "about", maintain_order=True).last().iter_rows(named=True):
            end = _End(row["kind"], row["at"], (row["artifact"], row["line"]))
            for place in (row["node"], ANYWHERE):
                for about in _names_of(row["about"]):
                    found[place, about].append(end)
        return found

    def doubtful(self) -> tuple[str, ...]:
        """Texts of lines that nobody knows and that sound like trouble: the first of each wording."""
        if not self._records.has(Event):
            return ()
        rows = self._records.frame(Event, pl.col("kind").is_in(DOUBTFUL) & (pl.col("weight") == "notice"))
        texts = (str(text) for text in rows["text"].unique(maintain_order=True).head(DOUBTS_KEPT) if text)
        return tuple({re.sub(r"\d+", "0", text): text for text in reversed(list(texts))}.values())[::-1]

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
        of_storage = kind is StorageState
        for record in with_what_is_left(self._records.of(StorageState)) if of_storage else self._records.of(kind):
            by_object[record.node, object_of(record)].append(record)
        for (node, about), looks in by_object.items():
            bad = [
                one
                for one in looks
                if _weight(one) in ("trouble", "disaster") and (one.artifact, one.line) not in self._taught.judged
            ]
            if bad:
                worst = max(bad, key=lambda one: WEIGHTS.index(_weight(one)))
                times = [one.at for one in bad if one.at is not None]
                yield Alarm(
                    kind=_kind_of(worst),
                    node=node,
                    about=about,
                    weight=_weight(worst),
                    lines=len(bad),
                    refs=tuple(Ref(one.artifact, one.line) for one in bad[:LINES_KEPT]),
                    first=min(times, default=None),
                    last=max(times, default=None),
                    zone_min=worst.zone_min,
                    text=_said(worst),
                    beside=_said_beside(worst, bad),
                    source=worst.source or "",
                    is_over=_is_in_order(looks),
                    is_placed=_is_placed(worst),
                    is_sum=node is not None and (text := _text_of(worst)) is not None and text.sums == about,
                    things=frozenset(things_of(bad)),
                )


def _things_logged(kind: str, about: str | None, texts: Sequence[str | None]) -> frozenset[Thing]:
    """What messages name: by their own grammar, and what they are about by the sort that the kind gives it."""
    said = frozenset(thing for text in texts if text for thing in things_said(text))
    sort = sort_in_title(_meaning(kind).title)
    return said | {Thing(sort, about)} if sort and about else said


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


def _said_beside(worst: Statement, bad: Sequence[Statement]) -> tuple[str, ...]:
    """What the same print says of the object besides its worst state."""
    said = dict.fromkeys(_said(one) for one in bad if _is_one_look(one, worst))
    return tuple(text for text in said if text != _said(worst))[:BESIDE_KEPT]


def _is_one_look(one: Statement, worst: Statement) -> bool:
    """Whether two records are from one print: a tool may say several things of one object."""
    return one.artifact == worst.artifact and one.at == worst.at and abs(one.line - worst.line) <= ONE_PRINT


def _is_in_order(looks: Sequence[Statement]) -> bool:
    """Whether the latest look shows nothing bad while an earlier one did."""
    dated = [one for one in looks if one.at is not None]
    if len(dated) < len(looks) or len({one.at for one in dated}) < 2:
        return False
    latest = max(one.at or 0 for one in dated)
    return all(_weight(one) in ("", "everyday", "notice") for one in dated if one.at == latest)


def standing_of(record: Any) -> str:
    """The standing of a record: for quorum lost, held or unknown."""
    if isinstance(record, Quorum):
        return {True: "held", False: "lost", None: "unknown"}[record.quorate]
    return str(getattr(record, "standing", "unknown"))


def _text_of(record: Any) -> StateText | None:
    text = state_texts().get((type(record).__name__, standing_of(record)))
    return text.sorts.get(getattr(record, "sort", ""), text) if text is not None and text.sorts else text


def _kind_of(record: Any) -> str:
    """The kind of an alarm: of the record and its standing, and of its sort where that has words of its own."""
    kind = f"{type(record).__name__}.{standing_of(record)}"
    text = state_texts().get((type(record).__name__, standing_of(record)))
    sort = getattr(record, "sort", "")
    return f"{kind}.{sort}" if text is not None and sort in text.sorts else kind


def _weight(record: Any) -> Weight:
    text = _text_of(record)
    return text.weight if text is not None else ""


def object_of(record: Any) -> str:
    """Words for the thing that a record speaks of: the same in every standing."""
    parts = [_filled(part, record) for part in _object_parts(type(record).__name__)]
    return " ".join(part for part in parts if part) or _kind_words(record)


def _kind_words(record: Any) -> str:
    """A record that names no thing is one of its kind: ``Membership`` is the membership."""
    return f"the {re.sub(r'(?<=[a-z])(?=[A-Z])', ' ', type(record).__name__).lower()}"


@cache
def _object_parts(kind: str) -> tuple[tuple[tuple[str, tuple[str, ...]], ...], ...]:
    """Parts of the words for the things of a kind of record: literals, each with the columns that may follow it."""
    text = next(text for (one, _), text in state_texts().items() if one == kind)
    return tuple(
        tuple(
            (literal, tuple(name.split("|")) if name else ()) for literal, name, _, _ in string.Formatter().parse(part)
        )
        for part in text.object
    )


def _filled(part: Sequence[tuple[str, tuple[str, ...]]], record: Any) -> str:
    """The part with the values of the record; empty where one of them is not known. ``{a|b}`` is the first of two that
    is known.
    """
    said = []
    for literal, names in part:
        said.append(literal)
        if names:
            value = next((found for one in names if (found := getattr(record, one))), None)
            if value is None:
                return ""
            said.append(str(value))
    return "".join(said)


def _said(record: Any) -> str:
    text = _text_of(record)
    state = getattr(record, "state", None) or standing_of(record)
    if text is None:
        return str(state)
    return f"{text.said.format(state=state)}{f', {text.harm}' if text.harm else ''}"


@dataclass(frozen=True, slots=True)
class Unexplained:
    """A finding made of alarms that nothing explains, and what to do about it."""

    finding: Finding
    step: NextStep | None


def unexplained(alarms: Alarms, findings: Iterable[Finding], waits: Iterable[Alarm] = ()) -> Iterator[Unexplained]:
    """One finding for each kind of alarm that no finding above info cites. waits: what entries say of kinds of waits
    that the program does not know.
    """
    explaining = [finding for finding in findings if finding.severity != "info"]
    cited, alone = set[tuple[int, int]](), set[tuple[int, int]]()
    for finding in explaining:
        own = alone if rule_texts()[finding.ref].one_by_one else cited
        own.update((ref.artifact, ref.line) for ref in finding.evidence)
    stated = defaultdict[str, set[str | None]](set)
    for finding in explaining:
        for kind in rule_texts()[finding.ref].explains:
            stated[kind].update(finding.nodes or (None,))
    crowded = _crowded(alarms.logged)
    logged, listed_ones = (
        [one for one in _uncited(found, cited - crowded, alone - crowded) if _is_open(one, stated)]
        for found in (_known_first(alarms.logged), (*alarms.listed, *alarms.taught))
    )
    logged = _without_parts(logged, crowded & cited, explaining)
    for ref, open_ones in zip((MESSAGES, STATES), _with_their_effects(logged, listed_ones), strict=True):
        by_kind = defaultdict[str, list[Alarm]](list)
        for one in open_ones:
            by_kind[one.kind].append(one)
        for kind, group in by_kind.items():
            yield from _findings(ref, kind, group)
    yield from _of_waits(waits, explaining)


def _known_first(logged: Sequence[Alarm]) -> Sequence[Alarm]:
    """Without those that only their level calls wrong and whose lines hold a message that is known: an agent's error
    that goes on with what the volume manager told it.
    """
    known = {(ref.artifact, ref.line) for one in logged if not _meaning(one.kind).by_level for ref in one.refs}
    return [
        one
        for one in logged
        if not _meaning(one.kind).by_level
        or len(one.refs) < one.lines
        or any((ref.artifact, ref.line) not in known for ref in one.refs)
    ]


def _is_open(alarm: Alarm, stated: Mapping[str, set[str | None]]) -> bool:
    """Whether nothing speaks of it: no finding of its kind there, no end that settles it, no word that it was meant."""
    return not (
        _is_stated(alarm, stated.get(alarm.kind, set())) or alarm.is_brief or alarm.is_meant or alarm.is_settled
    )


def _with_their_effects(logged: Sequence[Alarm], listed_ones: Sequence[Alarm]) -> tuple[list[Alarm], list[Alarm]]:
    """Alarms with what follows from them: kinds that they bring on their node, and states whose row names them as the
    reason, whose weight they take. A state that only sums up others of its node goes with these.
    """
    followed = _brought(logged)
    heads = [one for one in logged if id(one) not in followed]
    effects = defaultdict[int, list[Alarm]](list)
    for one in logged:
        if id(one) in followed:
            effects[id(followed[id(one)])].append(one)
    states = _not_of_a_reason(heads, _not_counted_only(listed_ones), effects)
    states = _without_sums(heads, states, effects)
    return [_with_effects(one, effects[id(one)]) for one in heads], states


def _not_counted_only(states: Sequence[Alarm]) -> list[Alarm]:
    """States without those that count over a cluster what another row of the same text shows on a node, as gravely."""
    shown: dict[tuple[int, str | None], int] = {}
    for one in states:
        for ref in one.refs if one.node is not None else ():
            place = (ref.artifact, one.about)
            shown[place] = max(shown.get(place, 0), WEIGHTS.index(one.weight))
    return [
        one
        for one in states
        if one.node is not None
        or not all(shown.get((ref.artifact, one.about), -1) >= WEIGHTS.index(one.weight) for ref in one.refs)
    ]


def _not_of_a_reason(heads: Sequence[Alarm], states: Sequence[Alarm], effects: dict[int, list[Alarm]]) -> list[Alarm]:
    """States whose row names no reason that is told; the others go to the effects of theirs. A reason may stand in a
    row of its own, which names the part of the component that the state is of; the component goes with its part.
    """
    reasons = dict[tuple[int, str | None, int | str], Alarm]()
    for head in reversed(heads):
        for ref in head.refs:
            reasons[ref.artifact, head.node, ref.line] = head
            if head.about:
                reasons[ref.artifact, head.node, f" {head.about}"] = head
    kept = []
    for state in states:
        whole, blank, part = (state.about or "").rpartition(" ")
        reason = _reason_of(state, reasons, f"{blank}{part}")
        if reason is None:
            kept.append(state)
            continue
        effects[id(reason)].append(state)
        if whole:
            reasons.update({(ref.artifact, state.node, whole): reason for ref in state.refs})
    open_ones = []
    for state in kept:
        if (reason := _reason_of(state, reasons, state.about or "")) is not None:
            effects[id(reason)].append(state)
        else:
            open_ones.append(state)
    return open_ones


def _reason_of(state: Alarm, reasons: Mapping[tuple[int, str | None, int | str], Alarm], what: str) -> Alarm | None:
    """What is told on a line of the state, or of what it is about in the same text."""
    for ref in state.refs:
        for key in (ref.line, what):
            if (reason := reasons.get((ref.artifact, state.node, key))) is not None:
                return reason
    return None


def _without_sums(heads: Sequence[Alarm], states: Sequence[Alarm], effects: dict[int, list[Alarm]]) -> list[Alarm]:
    """States without those that only sum up others of their node, where one of these is told."""
    told = {(one.node, ref.artifact): one for one in reversed(heads) for ref in one.refs if effects.get(id(one))}
    parts = {(one.node, ref.artifact) for one in states if not one.is_sum for ref in one.refs}
    kept = []
    for state in states:
        places = [(state.node, ref.artifact) for ref in state.refs] if state.is_sum else []
        head = next((told[place] for place in places if place in told), None)
        if head is not None:
            effects[id(head)].append(state)
        elif not any(place in parts for place in places):
            kept.append(state)
    return kept


def _brought(logged: Sequence[Alarm]) -> dict[int, Alarm]:
    """By the identity of an alarm: the one on its node that brings it at about its time."""
    by_node = defaultdict[str | None, list[Alarm]](list)
    for one in logged:
        if _meaning(one.kind).brings and not one.is_over:
            by_node[one.node].append(one)
    found = {}
    for one in logged:
        causes = (head for head in by_node[one.node] if one.kind in _meaning(head.kind).brings)
        cause = next((head for head in causes if _is_near(head, one)), None)
        if cause is not None:
            found[id(one)] = cause
    return found


def _is_near(one: Alarm, other: Alarm) -> bool:
    """Whether both came at about one time, or stand in one listing that tells none."""
    if one.first is not None and other.first is not None:
        return abs(one.first - other.first) <= NEAR_US
    return (
        one.first is None
        and other.first is None
        and bool({ref.artifact for ref in one.refs} & {ref.artifact for ref in other.refs})
    )


def _with_effects(alarm: Alarm, effects: Sequence[Alarm]) -> Alarm:
    """An alarm that tells what follows from it, as grave as the gravest of it."""
    if not effects:
        return alarm
    told = dict.fromkeys(
        "".join(_what(MESSAGES, _meaning(one.kind), [one])) if one.kind in meanings() else _states_of([one])
        for one in effects
    )
    weight = max((one.weight for one in (alarm, *effects)), key=WEIGHTS.index)
    refs = dict.fromkeys((*alarm.refs, *(ref for one in effects for ref in one.refs)))
    return replace(alarm, weight=weight, refs=tuple(refs)[:LINES_KEPT], effects=tuple(told))


def _of_waits(waits: Iterable[Alarm], explaining: Sequence[Finding]) -> Iterator[Unexplained]:
    """What people say of waits is told beside the rules, which know such waits by their age only: as symptoms."""
    by_entry = defaultdict[str, list[Alarm]](list)
    for one in waits:
        by_entry[one.kind].append(one)
    for kind, group in by_entry.items():
        lines = {(ref.artifact, ref.line) for one in group for ref in one.refs}
        symptoms = (one.ref for one in explaining if any((ref.artifact, ref.line) in lines for ref in one.evidence))
        causes = tuple(dict.fromkeys(symptoms))
        yield from (replace(one, finding=replace(one.finding, causes=causes)) for one in _findings(STATES, kind, group))


def _is_stated(alarm: Alarm, nodes: set[str | None]) -> bool:
    return None in nodes or alarm.node in nodes or (alarm.node is None and bool(nodes))


def _uncited(
    alarms: Sequence[Alarm], cited: Collection[tuple[int, int]], alone: Collection[tuple[int, int]]
) -> Iterator[Alarm]:
    """Alarms of which no line is cited; one cited line speaks for its kind on that node, save for those that speak for
    their own thing alone.
    """
    known = {(one.kind, one.node) for one in alarms if _is_cited(one, cited)}
    return (one for one in alarms if (one.kind, one.node) not in known and not _is_cited(one, alone))


def _crowded(alarms: Sequence[Alarm]) -> set[tuple[int, int]]:
    """Lines on which alarms of more than one kind stand, as where a whole log came on one line: that a finding cites
    such a line does not say which of them it explains. They stay open, save for those that are as grave as the
    gravest finding of their node, of which they may be a part.
    """
    kinds: dict[tuple[int, int], str] = {}
    return {
        line
        for one in alarms
        for line in ((ref.artifact, ref.line) for ref in one.refs)
        if kinds.setdefault(line, one.kind) != one.kind
    }


def _gravity(severity: str) -> int:
    return [str(one) for one in SEVERITIES].index(severity)


def _without_parts(alarms: list[Alarm], lines: Collection[tuple[int, int]], findings: Sequence[Finding]) -> list[Alarm]:
    """Alarms without those on some lines that may be a part of the gravest finding of their node."""
    if not lines:
        return alarms
    worst = _worst_by_node(findings)
    return [one for one in alarms if not (_is_cited(one, lines) and _is_as_grave(one, worst))]


def _worst_by_node(findings: Iterable[Finding]) -> dict[str | None, set[str]]:
    """The severity of the gravest finding of each node."""
    worst: dict[str | None, set[str]] = {}
    for finding in findings:
        for node in (*finding.nodes, None):
            [so_far] = worst.setdefault(node, {finding.severity})
            worst[node] = {min(so_far, finding.severity, key=_gravity)}
    return worst


def _is_as_grave(alarm: Alarm, worst: Mapping[str | None, set[str]]) -> bool:
    return _level(alarm.weight, _meaning(alarm.kind).loses, over=alarm.is_over) in worst.get(alarm.node, ())


def _is_cited(alarm: Alarm, cited: Collection[tuple[int, int]]) -> bool:
    return any((ref.artifact, ref.line) in cited for ref in alarm.refs)


def _findings(ref: str, kind: str, group: Sequence[Alarm]) -> Iterator[Unexplained]:
    standing = [one for one in group if not one.is_over]
    for some, over in ((standing, False), ([one for one in group if one.is_over], True)):
        if some:
            yield _finding(ref, kind, some, over=over)


def finding_of_alarms(ref: str, kind: str, group: Sequence[Alarm]) -> Finding:
    """The finding that alarms of one kind would make."""
    return _finding(ref, kind, group, over=False).finding


def _finding(ref: str, kind: str, group: Sequence[Alarm], *, over: bool) -> Unexplained:
    worst = max(group, key=lambda one: WEIGHTS.index(one.weight))
    meaning = _as_shown(_meaning(kind), kind, group) if ref == STATES else _meaning(kind)
    lines = sum(one.lines for one in group)
    where = tuple(dict.fromkeys(one.node for one in group if one.node))
    first = min((one.first for one in group if one.first is not None), default=None)
    last = max((one.last for one in group if one.last is not None), default=None)
    about = _nodes_spoken_of(meaning, group) if ref == MESSAGES else ()
    what, why = _what(ref, meaning, group)
    words = AlarmWords(
        what=what,
        why=why,
        where=where if not (about or _names_node(group)) else (),
        by=tuple(node for node in where if node not in about) if about else (),
        lines=lines,
        often=often if (often := _occasions(group)) > 1 else None,
        since=first,
        until=last if first is not None and last is not None and last - first >= SECOND_US else None,
        text=worst.text[:200] if ref == MESSAGES else ", ".join([_states_of(group, ALL_ROOM), *worst.beside]),
        meaning=meaning.meaning,
        over=over,
        effects=tuple(dict.fromkeys(text for one in group for text in one.effects)),
        others=_other_messages(group) if ref == MESSAGES and meaning.by_level else (),
    )
    seen = Seen(
        level=_level(
            worst.weight, meaning.loses, over=meaning.asked or (over and not any(one.is_long for one in group))
        ),
        words=words,
        lines=[line for one in group for line in one.refs],
        nodes=(*about, *where),
        times=[first, last],
        zone_min=worst.zone_min,
        parts=(_part(meaning, kind),),
        weight=0.0 if meaning.by_level else float(lines),  # what has a name goes before what has none
        borne_by=(lines, len(where)),
        things={thing for one in group for thing in one.things},
    )
    finding, _ = finding_of(rule_texts()[ref], seen, limits(ref))
    step = NextStep(meaning.next, _commands(meaning, group)) if meaning.next and not over else None
    entry = kind if kind.endswith(LEARNED) else ""
    return Unexplained(replace(finding, verdict=finding.verdict or finding.title, entry=entry), step)


def _occasions(group: Sequence[Alarm]) -> int:
    """How often it came: what a node says of several things at a time is one occasion."""
    of_nodes = defaultdict[str | None, int](int)
    for one in group:
        of_nodes[one.node] = max(of_nodes[one.node], one.occasions)
    return sum(of_nodes.values())


def _commands(meaning: Meaning, group: Sequence[Alarm]) -> tuple[str, ...]:
    """What to look with: the tools that showed it, each where it was seen."""
    sources = dict.fromkeys(one.source for one in group)
    again = dict.fromkeys(command for source in sources for command in _looks().get(source, ()))
    return tuple(again) or meaning.commands


@cache
def _looks() -> Mapping[str, tuple[str, ...]]:
    return {source: tuple(row["commands"]) for source, row in rows_of("looks").items()}


def _as_shown(meaning: Meaning, kind: str, group: Sequence[Alarm]) -> Meaning:
    """What a standing means where the one tool that showed it has words of its own for it."""
    sources = {one.source for one in group}
    row = rows_of("looks").get(next(iter(sources)), {}) if len(sources) == 1 else {}
    words = row.get(kind.split(".")[1] if "." in kind else "", {})
    return replace(meaning, **words) if words else meaning


def _is_behind(end: _End, last: int | None, place: tuple[int, int]) -> bool:
    """Whether the line stands behind the last one of an alarm: within one second, below it in the same file."""
    if end.at is None or last is None:
        return end.place > place
    return end.at > last or (end.at == last and end.place[0] == place[0] and end.place[1] > place[1])


def _nodes_spoken_of(meaning: Meaning, group: Sequence[Alarm]) -> tuple[str, ...]:
    """Nodes that the messages are about, where the kind speaks of a node and its name is told; others logged them."""
    if _OF_NODE.search(meaning.title) is None:
        return ()
    return tuple(dict.fromkeys(name for one in group if (name := _names_of(one.about)[-1]) and not name.isdigit()))


def _named_in_ends(meaning: Meaning, about: str | None) -> tuple[str | None, ...]:
    """Of what a line may speak that says that it is over: of the same thing, of one peer or all, of nothing."""
    names = [about]
    if about and meaning.until_ended:
        names.append(about.partition(" ")[0])
    if meaning.ended_unnamed:
        names.append(None)
    return tuple(dict.fromkeys(names))


def _names_of(about: str | None) -> tuple[str | None, ...]:
    """Under what a message is known: what it is about, and the node alone where that is one over a link."""
    node, over, _ = (about or "").partition(OVER_LINK)
    return (about, node) if over else (about,)


def _names_node(group: Sequence[Alarm]) -> bool:
    return any(one.is_placed or (one.node is not None and one.node in (one.about or "").split()) for one in group)


def _is_placed(record: Any) -> bool:
    """Whether the record says itself on which node its thing is: then the node that printed it says nothing more."""
    return any(getattr(record, name, None) is not None for name in ("on", "member"))


def _meaning(kind: str) -> Meaning:
    if (found := meanings().get(kind)) is not None:
        return found
    name, _, rest = kind.partition(".")
    standing, _, sort = rest.partition(".")
    text = state_texts().get((name, standing))
    if text is not None:
        text = text.sorts.get(sort, text)
        return Meaning(
            kind=kind,
            product="",
            weight=text.weight,
            title="",
            meaning=text.meaning,
            next=text.next,
            commands=text.commands,
            loses=text.loses,
            basis="stated",
        )
    title = kind.replace("-", " ").capitalize()
    return Meaning(kind=kind, product="", weight="trouble", title=title, basis="recalled", by_level=True)


def _what(ref: str, meaning: Meaning, group: Sequence[Alarm]) -> tuple[str, str]:
    """The thing and what is wrong with it, in one clause; and what more the title tells, behind a colon."""
    if ref == STATES and not meaning.kind.endswith(tuple(ENDINGS.values())):
        return _states_of(group), ""
    about = listed(dict.fromkeys(one.about for one in group if one.about), NAMED)
    title, colon, more = (meaning.title if about else without_object(meaning.title)).partition(": ")
    title, more = (part.replace("{about}", about) for part in (title, more))
    most = max((one.most for one in group if one.most is not None), default=None)
    if meaning.said_figure and most is not None:
        said = meaning.said_figure.replace("{value}", f"{most:g}")
        title, more = (title, f"{more} {said}") if more else (f"{title} {said}", "")
    if meaning.by_level:
        return title, f": {_message_of(group[0].text).rstrip(' .')}"
    is_name = not title.partition(" ")[0].islower()  # iSCSI: names are left as they are written
    return title if is_name else title[:1].upper() + title[1:], f"{colon}{more}"


def _message_of(line: str) -> str:
    """What a line says behind the number of its message, at most so long as a title bears."""
    number = _NUMBER.search(line[:200])
    said = line[number.end() :] if number is not None and len(line) - number.end() >= LEAST_SAID else line
    if len(said) <= MOST_SAID:
        return said
    return f"{said[:MOST_SAID].rpartition(' ')[0] or said[:MOST_SAID]} \u2026"


def _other_messages(group: Sequence[Alarm]) -> tuple[str, ...]:
    """What the lines say besides the one that the title tells; the same words with other numbers are one message."""
    messages = [_message_of(text).rstrip(" .") for one in group for text in (one.text, *one.texts)]
    by_shape = {_DIGITS.sub("0", message): message for message in reversed(messages)}
    by_shape.pop(_DIGITS.sub("0", messages[0]), None)
    return tuple(reversed(by_shape.values()))


def _states_of(group: Sequence[Alarm], room: int = TITLE_ROOM) -> str:
    """Things with their states: ``Disk a of g and disk b of g: failed``, ``Disk a: failed; disk b: online failing; 3
    more``.
    """
    by_state: dict[str, list[str]] = {}
    for one in group:
        things = by_state.setdefault(one.text, [])
        if one.about and one.about not in things:
            things.append(one.about)
    parts: list[str] = []
    for state, things in by_state.items():
        part = f"{listed(things, NAMED)}: {state}" if things else state
        if parts and len("; ".join([*parts, part])) > room:
            parts.append(f"{len(by_state) - len(parts)} more")
            break
        parts.append(part)
    said = "; ".join(parts)
    is_word = said.partition(" ")[0].isalpha()  # a name is left as it is written
    return said[:1].upper() + said[1:] if is_word else said


SORT_WORDS: Final = 2
"""Words that name the sort of an object, at most."""
_NAMED_AHEAD: Final = ("a", "an", "the", "its", "this", "all", "one")
_JOINTS: Final = ("of", "to", "on", "for", "by", "in", "from", "with", "over", "as", "named")


def without_object(title: str) -> str:
    """A title whose object is not known: ``Disk failed`` of ``Disk {about} failed``."""
    before, _, after = title.partition("{about}")
    words = before.rstrip(" :(,").split()
    after = after.removeprefix(")") if before.endswith("(") else after
    if words[-1:] == ["node"] and words[-2:-1] and words[-2] in _JOINTS:
        words.pop()
    of_object = bool(words) and words[-1] in _JOINTS  # what stands in front is no sort of it
    while words and words[-1] in _JOINTS:
        words.pop()
    sort = _with_article(words) if "{about}" in title and not of_object else words
    return " ".join([*sort, *after.split()]) or "Something"


def _with_article(words: Sequence[str]) -> list[str]:
    """Words that end with the sort of the object behind a joint: ``the log of file system`` has no name for it."""
    joint = next((place for place in reversed(range(len(words))) if words[place] in _JOINTS), None)
    if joint is None or not 1 <= len(words) - joint - 1 <= SORT_WORDS or words[joint + 1] in _NAMED_AHEAD:
        return list(words)
    article = "an" if words[joint + 1][0] in "aeiouAEIOU" else "a"
    return [*words[: joint + 1], article, *words[joint + 1 :]]


def _level(weight: Weight, loses: str, *, over: bool) -> str:
    if over:
        return "medium" if weight == "disaster" else "low"
    if weight == "disaster":
        return "critical" if loses in LOST_TO_ALL else "high"
    return "medium"


def _part(meaning: Meaning, kind: str) -> str:
    if kind.endswith((KIND_ENDING, ENDINGS["site"])):
        return "by-site"
    if kind.endswith(ENDINGS["team"]):
        return "by-team"
    if meaning.by_level:
        return "by-level"
    return "recalled" if meaning.basis == "recalled" else "looked-up"
