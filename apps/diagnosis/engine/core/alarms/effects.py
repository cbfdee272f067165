"""What follows from what: alarms that one alarm brings, and states of which it is the reason."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from apps.diagnosis.engine.core.alarms.collected import LINES_KEPT, MESSAGES, Alarm
from apps.diagnosis.engine.core.alarms.titles import states_of, title_of
from apps.diagnosis.engine.core.model import NEAR_US
from apps.diagnosis.engine.core.words.standings import meaning_of
from parsers.messages.catalogue import WEIGHTS, meanings

MINUTE_US: Final = 60_000_000
_DISK: Final = re.compile(r"(?:sd|hd|vd|xvd)[a-z]{1,3}(?![a-z])|nvme\d+")
"""The disk of a name; without its partition."""
_PART_OF: Final = re.compile(r"belonging to (?:the )?dmpnode (\S{1,80})", re.IGNORECASE)
"""What a line says its thing to be a part of."""


def with_their_effects(logged: Sequence[Alarm], listed_ones: Sequence[Alarm]) -> tuple[list[Alarm], list[Alarm]]:
    """Alarms with what follows from them: kinds that they bring on their node, and states whose row names them as the
    reason, whose weight they take. A state that only sums up others of its node goes with these.
    """
    followed = _brought(logged)
    heads = [one for one in logged if id(one) not in followed]
    effects = defaultdict[int, list[Alarm]](list)
    for one in logged:
        if id(one) in followed:
            effects[id(followed[id(one)])].append(one)
    states = _with_what_they_took(_not_counted_only(listed_ones))
    if states:
        states = _without_sums(heads, _not_of_a_reason(heads, states, effects), effects)
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


def _with_what_they_took(states: Sequence[Alarm]) -> list[Alarm]:
    """States with those that follow from them, where both are told."""
    heads = {(one.node, one.about): one for one in states if one.follows is None}
    taken = defaultdict[tuple[str | None, str | None], list[Alarm]](list)
    for one in states:
        if one.follows is not None and (one.node, one.follows) in heads:
            taken[one.node, one.follows].append(one)
    covered = {id(one) for some in taken.values() for one in some}
    return [_with_effects(one, taken[one.node, one.about]) for one in states if id(one) not in covered]


def _not_of_a_reason(heads: Sequence[Alarm], states: Sequence[Alarm], effects: dict[int, list[Alarm]]) -> list[Alarm]:
    """States whose row names no reason that is told; the others go to the effects of theirs. A reason may stand in a
    row of its own, which names the part of the component that the state is of; the component goes with its part.
    """
    reasons = dict[tuple[int, str | None, int | str], Alarm]()
    for head in reversed(heads):
        for ref in head.refs:
            reasons[ref.artifact, head.node, ref.line] = head
            if head.about and not (meaning_of(head.kind).by_level or meaning_of(head.kind).minor):  # neither explains
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
    """What is reported on a line of the state, or of what it is about in the same text."""
    for ref in state.refs:
        for key in (ref.line, what):
            if (reason := reasons.get((ref.artifact, state.node, key))) is not None:
                return reason
    return None


def _without_sums(heads: Sequence[Alarm], states: Sequence[Alarm], effects: dict[int, list[Alarm]]) -> list[Alarm]:
    """States without those that only sum up others of their node, where one of these is told."""
    placed = {(one.node, ref.artifact): one for one in reversed(heads) for ref in one.refs if effects.get(id(one))}
    parts = {(one.node, ref.artifact) for one in states if not one.is_sum for ref in one.refs}
    kept = []
    for state in states:
        places = [(state.node, ref.artifact) for ref in state.refs] if state.is_sum else []
        head = next((placed[place] for place in places if place in placed), None)
        if head is not None:
            effects[id(head)].append(state)
        elif not any(place in parts for place in places):
            kept.append(state)
    return kept


def _brought(logged: Sequence[Alarm]) -> dict[int, Alarm]:
    """By the identity of an alarm: the one on its node that brings it at about its time."""
    heads = defaultdict[tuple[str | None, str], list[Alarm]](list)
    brings = {kind: tuple(dict.fromkeys(meaning_of(kind).brings)) for kind in {one.kind for one in logged}}
    for one in logged:
        for brought in brings[one.kind]:
            heads[one.node, brought].append(one)
    found = {}
    for one in logged if heads else ():
        causes = heads.get((one.node, one.kind), ())
        cause = next((head for head in causes if _is_near(head, one) and _may_bring(head, one)), None)
        if cause is not None:
            found[id(one)] = cause
    return {effect: _first_of(cause, found) for effect, cause in found.items()}


def _first_of(cause: Alarm, brought: Mapping[int, Alarm]) -> Alarm:
    """Where a chain of causes begins."""
    passed = set[int]()
    while id(cause) in brought and id(cause) not in passed:
        passed.add(id(cause))
        cause = brought[id(cause)]
    return cause


def _may_bring(head: Alarm, one: Alarm) -> bool:
    """Whether it did not come clearly after what it would bring, does not speak of another disk or of a part of
    another one, and is not over as well as that: then each stands for itself.
    """
    if head.is_over and one.is_over:
        return False
    if head.first is not None and one.first is not None and head.first - one.first > MINUTE_US:
        return False
    wholes = {found[1].rstrip(".,;") for text in (one.text, *one.texts) for found in _PART_OF.finditer(text)}
    if wholes and head.about not in wholes:
        return False
    disk, other = (_DISK.match(named.about or "") for named in (head, one))
    return disk is None or other is None or disk[0] == other[0]


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
    by_weight = sorted(effects, key=lambda one: -WEIGHTS.index(one.weight))
    shown = dict.fromkeys(text for one in by_weight for text in (_effect_text(one), *one.effects))
    gravest = max(effects, key=_gravity)
    weight = max(alarm.weight, gravest.weight, key=WEIGHTS.index)
    is_graver = _gravity(gravest) > _gravity(alarm) and gravest.kind in meanings()
    refs = dict.fromkeys((*alarm.refs, *(ref for one in effects for ref in one.refs)))
    return replace(
        alarm,
        weight=weight,
        refs=tuple(refs)[:LINES_KEPT],
        effects=tuple(shown),
        gravest=_inside("".join(title_of(MESSAGES, meaning_of(gravest.kind), [gravest]))) if is_graver else "",
        loses=meaning_of(gravest.kind).loses if is_graver else "",
        is_over=alarm.is_over and all(one.is_over for one in effects),
    )


def _gravity(alarm: Alarm) -> tuple[int, bool]:
    """By its weight, and by whether it takes something with it."""
    return WEIGHTS.index(alarm.weight), bool(meaning_of(alarm.kind).loses)


def _effect_text(effect: Alarm) -> str:
    """What follows, as it stands in a list."""
    if effect.kind in meanings():
        return "".join(title_of(MESSAGES, meaning_of(effect.kind), [effect]))
    states = ", ".join((states_of([effect]), *effect.beside))
    return states[:1].lower() + states[1:] if states[1:2].islower() else states


def _inside(clause: str) -> str:
    """A clause as it stands behind another one."""
    return clause[:1].lower() + clause[1:] if clause.startswith(("The ", "A ", "An ")) else clause
