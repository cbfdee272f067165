"""The finding that alarms of one kind make, and what to do about it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from apps.diagnosis.engine.core.alarms.collected import MESSAGES, STATES, Alarm
from apps.diagnosis.engine.core.alarms.ends import names_of
from apps.diagnosis.engine.core.alarms.titles import NAMED, TITLE_ROOM, are_apart, other_messages, states_of, title_of
from apps.diagnosis.engine.core.findings.seen import Seen, finding_of
from apps.diagnosis.engine.core.model import Finding, NextStep
from apps.diagnosis.engine.core.words.knowledge import limits, rows_of, rule_texts
from apps.diagnosis.engine.core.words.standings import meaning_of
from apps.diagnosis.engine.core.words.wording import MOST_WORDS, brief, listed
from apps.diagnosis.engine.core.words.wording import words as words_in
from parsers.dataclass import dataclass
from parsers.messages.catalogue import WEIGHTS, Meaning, Weight
from parsers.messages.site_entries import ENDINGS, KIND_ENDING, LEARNED

ALL_ROOM: Final = 600
SECOND_US: Final = 1_000_000
AGAIN: Final = 5
"""What came as often as this is not over because its last time ended."""
ENDED: Final = 1e-9
"""What the lines of an alarm that ended weigh among alarms as grave as it."""
_OF_ANY_TOOL: Final = "ListedState."
LOST_TO_ALL: Final = frozenset(("data", "quorum", "file system"))
_OF_NODE: Final = re.compile(r"(?<!ile )\b(?:Node|node|Member|member|System|Host|host) \{about\}")


@dataclass(frozen=True, slots=True)
class AlarmWords:
    """what: the thing and what is wrong with it; where: nodes; by: nodes that logged what is about another one;
    why: what more the title tells, behind a colon; often: occasions where there are several; again: how many of
    them ended, where there were many; since, until: us; text: a line; effects: what follows from it there, and
    states that name it as their reason; gravest: the one that is graver than it; others: what other lines of no
    known kind say; short, also: what and why, as much as the verdict bears; listed_on: nodes that printed a table
    of which nobody knows whether it is about them.
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
    again: int | None = None
    effects: tuple[str, ...] = ()
    gravest: str = ""
    others: tuple[str, ...] = ()
    short: str = ""
    also: str = ""
    listed_on: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unexplained:
    """A finding made of alarms that nothing explains, and what to do about it."""

    finding: Finding
    step: NextStep | None


def findings_of(ref: str, kind: str, group: Sequence[Alarm]) -> Iterator[Unexplained]:
    """One of those that stand, and one of those that are over."""
    standing = [one for one in group if not one.is_over]
    for some, over in ((standing, False), ([one for one in group if one.is_over], True)):
        if some:
            yield _finding(ref, kind, some, over=over)


def finding_of_alarms(ref: str, kind: str, group: Sequence[Alarm]) -> Finding:
    """The finding that alarms of one kind would make."""
    return _finding(ref, kind, group, over=False).finding


def _finding(ref: str, kind: str, group: Sequence[Alarm], *, over: bool) -> Unexplained:
    worst = max(group, key=lambda one: WEIGHTS.index(one.weight))
    meaning = _as_shown(meaning_of(kind), kind, group) if ref == STATES else meaning_of(kind)
    where = tuple(dict.fromkeys(name for one in group if (name := _where(one))))
    about = _nodes_spoken_of(meaning, group) if ref == MESSAGES else ()
    words = _placed(ref, meaning, _words(ref, meaning, group, worst), group, where, about, over=over)
    is_ended = over and words.again is None and not any(one.is_long for one in group)
    is_over = _is_requested(meaning, group) or meaning.minor or is_ended
    loses = "" if all(one.is_spared for one in group) else meaning.loses or worst.loses
    seen = Seen(
        level="note" if len(group) == 1 and worst.is_brief else level_of(worst.weight, loses, over=is_over),
        words=words,
        lines=[line for one in group for line in one.refs],
        nodes=(*about, *where),
        times=_times(group),
        zone_min=worst.zone_min,
        parts=(_part(meaning, kind),),
        # What has a name goes before what has none, and what stands before what ended.
        weight=0.0 if meaning.by_level else float(words.lines) * (ENDED if is_ended else 1.0),
        borne_by=(words.lines, len(where)),
        things={thing for one in group for thing in one.things},
    )
    finding, _ = finding_of(rule_texts()[ref], seen, limits(ref))
    finding = replace(finding, verdict=finding.verdict or finding.title, entry=kind if kind.endswith(LEARNED) else "")
    return Unexplained(finding, None if words.over else _step(meaning, group, finding.title))


def _is_requested(meaning: Meaning, group: Sequence[Alarm]) -> bool:
    """Whether somebody asked for it: by what it is, or by what each line says."""
    by_hand = re.compile(meaning.by_hand) if meaning.by_hand else None
    return meaning.requested or (
        by_hand is not None and all(by_hand.search(text) for one in group for text in one.texts or (one.text,))
    )


def _placed(
    ref: str,
    meaning: Meaning,
    words: AlarmWords,
    group: Sequence[Alarm],
    where: tuple[str, ...],
    about: tuple[str, ...],
    *,
    over: bool,
) -> AlarmWords:
    """With the nodes on which it was logged, where its own words name none, and with as much as there is room for."""
    has_names = bool(about) or _names_node(group) or (ref == STATES and are_apart(group))
    shown = () if has_names else where
    is_of_any = meaning.kind.startswith(_OF_ANY_TOOL)
    where_words = f"listed on {listed(shown, NAMED)}" if is_of_any else f"on {listed(shown, NAMED)}"
    room = MOST_WORDS - (words_in(where_words) if shown else 0)
    again = words.often if over and meaning.noted and (words.often or 0) >= AGAIN else None
    return replace(
        words,
        where=() if is_of_any else shown,
        listed_on=shown if is_of_any else (),
        by=tuple(node for node in where if node not in about) if about else (),
        over=over and again is None,
        again=again,
        short=_short(words.what, group, room) if ref == STATES else _of_one(words.what, meaning, group, room),
        also=words.why if words_in(words.what) + words_in(words.why) <= room else "",
    )


def _step(meaning: Meaning, group: Sequence[Alarm], title: str) -> NextStep | None:
    return NextStep(meaning.next, _commands(meaning, group), (title,)) if meaning.next else None


def _of_one(what: str, meaning: Meaning, group: Sequence[Alarm], room: int) -> str:
    """What a message says in so many words: of the first thing alone, where it says it of several."""
    if len(group) > 1 and words_in(what) > room:
        what, _ = title_of(MESSAGES, meaning, group[:1])
    return brief(what, room)


def _short(what: str, states: Sequence[Alarm], room: int) -> str:
    """What is wrong in so many words: of many states the first and how many more."""
    if len(states) > 1 and words_in(what) > room:
        first = f"{states_of(states[:1])} on {states[0].node}" if are_apart(states) else states_of(states[:1])
        what = f"{first}; {len(states) - 1} more"
    return brief(what, room)


def _words(ref: str, meaning: Meaning, group: Sequence[Alarm], worst: Alarm) -> AlarmWords:
    """What does not depend on where it was logged, and whether it is over."""
    what, why = title_of(ref, meaning, group)
    first, last = _times(group)
    often = _occasions(group)
    return AlarmWords(
        what=what,
        why=why,
        where=(),
        by=(),
        lines=sum(one.lines for one in group),
        often=often if often > 1 else None,
        since=first,
        until=last if first is not None and last is not None and last - first >= SECOND_US else None,
        text=worst.text[:200] if ref == MESSAGES else ", ".join([states_of(group, ALL_ROOM), *worst.beside]),
        meaning=meaning.meaning,
        over=False,
        effects=tuple(dict.fromkeys(text for one in group for text in one.effects)),
        gravest=next((one.gravest for one in group if one.gravest and len(what) + len(one.gravest) <= TITLE_ROOM), ""),
        others=other_messages(group) if ref == MESSAGES and meaning.by_level else (),
    )


def _times(group: Sequence[Alarm]) -> tuple[int | None, int | None]:
    """The first moment and the last one."""
    first = min((one.first for one in group if one.first is not None), default=None)
    return first, max((one.last for one in group if one.last is not None), default=None)


def _occasions(group: Sequence[Alarm]) -> int:
    """How often it came: what a node says of several things at a time is one occasion, and what several nodes say
    once each came once to each of them.
    """
    of_nodes = defaultdict[str | None, int](int)
    for one in group:
        of_nodes[one.node] = max(of_nodes[one.node], one.occasions)
    return max(of_nodes.values(), default=0)


def _commands(meaning: Meaning, group: Sequence[Alarm]) -> tuple[str, ...]:
    """What to look with: the tools that showed it, each where it was seen."""
    sources = dict.fromkeys(one.source for one in group)
    again = dict.fromkeys(command for source in sources for command in _looks().get(source, ()))
    return tuple(again) or meaning.commands


@cache
def _looks() -> Mapping[str, tuple[str, ...]]:
    return {source: tuple(row["commands"]) for source, row in rows_of("looks").items()}


def _as_shown(meaning: Meaning, kind: str, group: Sequence[Alarm]) -> Meaning:
    """What a standing means where the one tool that showed it has words of its own for it; what the standing says of
    a sort alone goes before them.
    """
    if kind.count(".") > 1:
        return meaning
    sources = {one.source for one in group}
    row = rows_of("looks").get(next(iter(sources)), {}) if len(sources) == 1 else {}
    words = row.get(kind.split(".")[1] if "." in kind else "", {})
    return replace(meaning, **words) if words else meaning


def _nodes_spoken_of(meaning: Meaning, group: Sequence[Alarm]) -> tuple[str, ...]:
    """Nodes that the messages are about, where the kind speaks of a node and its name is told; others logged them."""
    if _OF_NODE.search(meaning.title) is None:
        return ()
    return tuple(dict.fromkeys(name for one in group if (name := names_of(one.about)[-1]) and not name.isdigit()))


def _where(alarm: Alarm) -> str | None:
    """The node on which the thing is: by its name, not by its number alone."""
    return alarm.on if alarm.on is not None and not alarm.on.isdigit() else alarm.node


def _names_node(group: Sequence[Alarm]) -> bool:
    return any(one.on is not None or (one.node is not None and one.node in (one.about or "").split()) for one in group)


def level_of(weight: Weight, loses: str, *, over: bool) -> str:
    """The severity of an alarm by its weight and by what is lost with it."""
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
