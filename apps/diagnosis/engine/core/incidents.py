"""Findings of one incident under the one that stands for it: several findings mostly speak of one thing that broke.

A finding belongs to a graver one which names it as its symptom, rests on one of the same lines, names the same object,
or began on the same node within ten minutes of it. Everything else is an incident of its own; remarks that belong to
nothing are listed apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from apps.diagnosis.engine.core.model import NEAR_US, SEVERITIES, Finding, comparable

OBJECT: Final = re.compile(
    r"(?<![\w./:-])(?:\d{1,2}/[0-9a-f]{2,16}|mpath[a-z]+|sd[a-z]{1,2}|(?=[\w.:/-]*[A-Za-z])(?=[\w.:/-]*\d)[\w.:/-]{3,})(?![\w/])"
)
"""Words with letters and digits, as disks, locks, ports and resources are called, and the numbers of glocks."""
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
        effects = tuple(_symptoms(findings, head, free))
        for one in effects:
            del free[one]
        seen_with = tuple(one for one in free if looks[head].is_of(looks[one]))
        for one in seen_with:
            del free[one]
        found.append(Incident(head, effects, seen_with))
    return tuple(found)


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
        near = self._shares_place(other)
        if any(near or not LOCAL.fullmatch(name) for name in self.objects & other.objects):
            return True
        return near and _near(self.finding, other.finding)

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
