"""Alarms that no finding explains, of which no line is cited, become findings of their own."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from apps.diagnosis.engine.core.alarms.collected import MESSAGES, STATES, Alarm, Alarms
from apps.diagnosis.engine.core.alarms.effects import with_their_effects
from apps.diagnosis.engine.core.alarms.findings import Unexplained, findings_of, level_of
from apps.diagnosis.engine.core.model import SEVERITIES, Finding
from apps.diagnosis.engine.core.words.knowledge import rule_texts
from apps.diagnosis.engine.core.words.standings import meaning_of

_OF_NODES: Final = re.compile(r"(?:^Node|\b[Ff]encing of(?: node)?|\bits connection to) \{about\}")
NEAR_US: Final = 60_000_000


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
    crowded = _crowded(alarms.logged) | (alarms.beside_others & cited)
    logged, listed_ones = (
        [one for one in _uncited(found, cited - crowded, alone - crowded) if _is_open(one, stated)]
        for found in (_known_first(alarms.logged), (*alarms.listed, *alarms.taught))
    )
    logged = _by_one_name(_without_named(_without_parts(logged, crowded & cited, explaining), crowded, explaining))
    for ref, open_ones in zip((MESSAGES, STATES), with_their_effects(logged, listed_ones), strict=True):
        by_kind = defaultdict[str, list[Alarm]](list)
        for one in open_ones:
            by_kind[one.kind].append(one)
        for kind, group in by_kind.items():
            yield from findings_of(ref, kind, group)
    yield from _of_waits(waits, explaining)


def _by_one_name(logged: Sequence[Alarm]) -> list[Alarm]:
    """Without what one log calls by the number of a node while another line of that minute says the same of a node by
    its name: a lock manager counts its peers, the cluster manager names them.
    """
    named, numbered = (defaultdict[tuple[str, str | None], list[Alarm]](list) for _ in range(2))
    titles = {kind: title for kind in _kinds(logged) if _OF_NODES.search(title := meaning_of(kind).title)}
    for one in logged if titles else ():
        if one.about and one.kind in titles:
            (numbered if one.about.isdigit() else named)[titles[one.kind], one.node].append(one)
    alike = {
        id(one)
        for place, ones in numbered.items()
        for one in ones
        if len({each.about for each in ones}) <= len({each.about for each in named[place]})
        and any(_is_near(one, other) for other in named[place])
    }
    return [one for one in logged if id(one) not in alike]


def _is_near(one: Alarm, other: Alarm) -> bool:
    if one.first is None or one.last is None or other.first is None or other.last is None:
        return one.first == other.first
    return one.first - NEAR_US <= other.last and other.first - NEAR_US <= one.last


def _kinds(alarms: Sequence[Alarm]) -> set[str]:
    """There may be thousands of alarms, of few kinds."""
    return {one.kind for one in alarms}


def _known_first(logged: Sequence[Alarm]) -> Sequence[Alarm]:
    """Without those that only their level calls wrong and whose lines hold a message that is known: an agent's error
    that goes on with what the volume manager told it.
    """
    by_level = {kind for kind in _kinds(logged) if meaning_of(kind).by_level}
    if not by_level:
        return logged
    known = {(ref.artifact, ref.line) for one in logged if one.kind not in by_level for ref in one.refs}
    return [
        one
        for one in logged
        if one.kind not in by_level
        or len(one.refs) < one.lines
        or any((ref.artifact, ref.line) not in known for ref in one.refs)
    ]


def _is_open(alarm: Alarm, stated: Mapping[str, set[str | None]]) -> bool:
    """Whether nothing speaks of it: no finding of its kind there, no end that settles it, no word that it was meant."""
    if alarm.is_meant or alarm.is_settled or (alarm.is_brief and not meaning_of(alarm.kind).noted):
        return False
    return not _is_stated(alarm, stated.get(alarm.kind, set()))


def _of_waits(waits: Iterable[Alarm], explaining: Sequence[Finding]) -> Iterator[Unexplained]:
    """What people say of waits is reported beside the rules, which know such waits by their age only: as symptoms."""
    by_entry = defaultdict[str, list[Alarm]](list)
    for one in waits:
        by_entry[one.kind].append(one)
    for kind, group in by_entry.items():
        lines = {(ref.artifact, ref.line) for one in group for ref in one.refs}
        symptoms = (one.ref for one in explaining if any((ref.artifact, ref.line) in lines for ref in one.evidence))
        causes = tuple(dict.fromkeys(symptoms))
        yield from (
            replace(one, finding=replace(one.finding, causes=causes)) for one in findings_of(STATES, kind, group)
        )


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


def _without_named(
    alarms: Sequence[Alarm], lines: Collection[tuple[int, int]], findings: Sequence[Finding]
) -> list[Alarm]:
    """Alarms without those on some lines whose thing a finding names that cites the same line."""
    citing = defaultdict[tuple[int, int], list[str]](list)
    for finding in findings:
        for ref in finding.evidence:
            if (ref.artifact, ref.line) in lines:
                citing[ref.artifact, ref.line].append(f"{finding.title} {finding.explanation}")
    return [
        one
        for one in alarms
        if not one.about
        or not any(one.about in text for ref in one.refs for text in citing.get((ref.artifact, ref.line), ()))
    ]


def _worst_by_node(findings: Iterable[Finding]) -> dict[str | None, set[str]]:
    """The severity of the gravest finding of each node."""
    worst: dict[str | None, set[str]] = {}
    for finding in findings:
        for node in (*finding.nodes, None):
            [so_far] = worst.setdefault(node, {finding.severity})
            worst[node] = {min(so_far, finding.severity, key=_gravity)}
    return worst


def _is_as_grave(alarm: Alarm, worst: Mapping[str | None, set[str]]) -> bool:
    return level_of(alarm.weight, meaning_of(alarm.kind).loses, over=alarm.is_over) in worst.get(alarm.node, ())


def _is_cited(alarm: Alarm, cited: Collection[tuple[int, int]]) -> bool:
    return any((ref.artifact, ref.line) in cited for ref in alarm.refs)
