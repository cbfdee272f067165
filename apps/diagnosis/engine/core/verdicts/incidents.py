"""Findings of one incident under the one that stands for it: several findings mostly speak of one thing that broke.

A finding belongs to a graver one which names it as its symptom, rests on one of the same lines, speaks of the same
thing (a group, a resource, a disk group, by its sort and name), names the same object in its title, or began on the
same node within ten minutes of it. A listing tells no moment: it takes that of the log lines on its object. Everything
else is an incident of its own; remarks that belong to nothing are listed apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from apps.diagnosis.engine.core.alarms.collected import MESSAGES, STATES
from apps.diagnosis.engine.core.model import NEAR_US, SEVERITIES, Finding, comparable
from parsers.dataclass import dataclass

OBJECT: Final = re.compile(
    r"(?<![\w./:-])(?:\d{1,2}/[0-9a-f]{2,16}|mpath[a-z]+|sd[a-z]{1,2}|(?=[\w.:/-]*[A-Za-z])(?=[\w.:/-]*[\d_])[\w.:/-]{3,})(?![\w/])"
)
"""Words with letters and digits or a low line, as disks, locks, ports and resources are called, and the numbers of
glocks.
"""
LOCAL: Final = re.compile(
    r"""(?xi) (?:/dev/)? (?: (?:sd|hd|vd|xvd)[a-z]+\d* | dm-\d+ | mpath\w+ | nvme\w+ | c\d+t\w+ | \d+:\d+:\d+:\d+
    | (?:eth|em|en|ib|igb|bond|qfe|bge|hme|net|team|p\d+p)\w* )"""
)
"""Names that each node gives by itself: the same one on another node is another thing."""
AMOUNT: Final = re.compile(
    r"""(?xi) \d[\d.,]*(?: [kmgtp]?i?b(?:/s)? | [mun]?s | min | h | d | x | /s | % | hz ) | v?\d+(?:[._-]\d+)+\S*
    | ext[234] | o?gfs2 | ocfs2 | nfs[34v].* | raid\d"""
)
"""What only looks like a name: amounts, releases, addresses and kinds of file systems."""
LEAST: Final = "medium"
ALARMS: Final = frozenset((MESSAGES, STATES))
"""Made of whatever no rule explains: two of them need not speak of one thing."""


@dataclass(frozen=True, slots=True)
class Incident:
    """Places in the list of findings: the head stands for it, ``effects`` are its named symptoms, ``seen_with`` what
    shares its lines, its object, or its node and time.
    """

    head: int
    effects: tuple[int, ...] = ()
    seen_with: tuple[int, ...] = ()

    @property
    def members(self) -> tuple[int, ...]:
        """All findings of it, the head first."""
        return (self.head, *sorted((*self.effects, *self.seen_with)))


def incidents(findings: Sequence[Finding]) -> tuple[Incident, ...]:
    """Of findings with the gravest first, as a diagnosis holds them; a remark or a small thing heads none."""
    nodes = frozenset(name for one in findings for name in one.nodes)
    looks = [_Look.of(one, nodes) for one in findings]
    free = dict.fromkeys(range(len(findings)))
    found = []
    for head, finding in enumerate(findings):
        if head not in free or SEVERITIES.index(finding.severity) > SEVERITIES.index(LEAST):
            continue
        del free[head]
        effects = _taken(free, _symptoms(findings, head, free))
        seen_with = _taken(free, (one for one in free if looks[head].is_of(looks[one])))
        if finding.start is None:
            dated = [looks[one] for one in (*effects, *seen_with) if findings[one].start is not None]
            beside = _taken(free, (one for one in free if looks[head].is_of_the_time(looks[one], dated)))
            seen_with = tuple(sorted((*seen_with, *beside)))
        found.append(Incident(head, effects, seen_with))
    return tuple(found)


def _taken(free: dict[int, None], places: Iterable[int]) -> tuple[int, ...]:
    """Places that are free no more."""
    taken = tuple(places)
    for place in taken:
        del free[place]
    return taken


def first_logged(findings: Sequence[Finding], head: int) -> Finding | None:
    """Of the incident of an undated finding: what its logs tell first."""
    incident = next((one for one in incidents(findings) if one.head == head), None)
    if incident is None or findings[head].start is not None:
        return None
    dated = [(start, place) for place in incident.members[1:] if (start := findings[place].start) is not None]
    if not dated:
        return None
    began, gravest = min(dated)
    files = {ref.artifact for ref in findings[gravest].evidence[:1]}
    at_once = [findings[place] for start, place in dated if start == began]
    own = [one for one in at_once if files and {ref.artifact for ref in one.evidence} == files]
    return min(own, key=lambda one: min(ref.line for ref in one.evidence), default=findings[gravest])


def _symptoms(findings: Sequence[Finding], head: int, free: dict[int, None]) -> Iterator[int]:
    """Symptoms that a finding names, and symptoms of these."""
    named, reached = list(findings[head].causes), {findings[head].ref}
    while named:
        ref = named.pop()
        if ref in reached:
            continue
        reached.add(ref)
        for place in free:
            if findings[place].ref == ref and place != head:
                named.extend(findings[place].causes)
                yield place


@dataclass(frozen=True, slots=True)
class _Look:
    """What tells whether two findings are of one incident."""

    finding: Finding
    lines: frozenset[tuple[int, int]]
    files: frozenset[int]
    objects: frozenset[str]

    @classmethod
    def of(cls, finding: Finding, nodes: frozenset[str]) -> _Look:
        lines = frozenset((ref.artifact, ref.line) for ref in finding.evidence)
        return cls(finding, lines, frozenset(artifact for artifact, _ in lines), _objects(finding.title, nodes))

    def is_of(self, other: _Look) -> bool:
        """Whether the other one is of the same incident."""
        if self.lines & other.lines:
            return True
        if self.finding.things & other.finding.things:
            return True
        near = self._shares_place(other)
        if any(near or not LOCAL.fullmatch(name) for name in self.objects & other.objects):
            return True
        return near and (_near(self.finding, other.finding) or self._says_less(other))

    def is_of_the_time(self, other: _Look, dated: Sequence[_Look]) -> bool:
        """Whether the other one began on this one's node at about the time of one that is of its incident."""
        if self.finding.nodes and other.finding.nodes and not self._shares_place(other):
            return False
        return any(one._shares_place(other) and _near(one.finding, other.finding) for one in dated)

    def _says_less(self, other: _Look) -> bool:
        """The same rule on the same node, of which one names the thing without a moment and the other a moment without
        the thing.
        """
        if self.finding.ref != other.finding.ref or self.finding.ref in ALARMS:
            return False
        return self.finding.start is None and other.finding.start is not None and not other.objects

    def _shares_place(self, other: _Look) -> bool:
        if self.finding.nodes and other.finding.nodes:
            return bool(set(self.finding.nodes) & set(other.finding.nodes))
        return bool(self.files & other.files)


def _objects(title: str, nodes: frozenset[str]) -> frozenset[str]:
    words = (word.strip(".:,/-") for word in OBJECT.findall(title))
    return frozenset(word for word in words if word and word not in nodes and not AMOUNT.fullmatch(word))


def _near(one: Finding, other: Finding) -> bool:
    """Both are harm that began at about one time."""
    if one.start is None or other.start is None or SEVERITIES.index(other.severity) > SEVERITIES.index(LEAST):
        return False
    return comparable(one.start, other.start) and abs(one.start - other.start) <= NEAR_US
