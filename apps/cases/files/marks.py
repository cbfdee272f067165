"""Lines of a file that findings rest on: what the viewer colours and jumps between."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from apps.cases.models import Artifact, Case, Severity
from apps.privacy.models import Credential
from parsers.dataclass import dataclass

MARKS_SHOWN: Final = 2000
CREDENTIAL: Final = "credential"
CREDENTIALS_TITLE: Final = "Looks like a password, key or token"
BADGES: Final = 3


@dataclass(frozen=True, slots=True)
class Mark:
    first: int
    last: int
    ref: str
    severity: str
    text: str


@dataclass(frozen=True, slots=True)
class MarkedFinding:
    ref: str
    severity: str
    title: str
    marks: list[Mark]


@dataclass(frozen=True, slots=True)
class LineMark:
    """What one line shows: the most severe colour, and who speaks of it (only where a range begins)."""

    severity: str
    badge: str


def marked_findings(case: Case, artifact: Artifact) -> list[MarkedFinding]:
    """Findings of the current diagnosis with evidence in this file, most severe first; at most 2,000 ranges in all.

    Lines with credentials come last. Their marks name the sort, never the text.
    """
    return [*_findings(case, artifact), *_credentials(artifact)]


def _credentials(artifact: Artifact) -> list[MarkedFinding]:
    rows = Credential.objects.filter(artifact=artifact).values_list("line", "sort")
    marks = [Mark(line, line, CREDENTIAL, Severity.MEDIUM, sort) for line, sort in rows]
    return [MarkedFinding(CREDENTIAL, Severity.MEDIUM, CREDENTIALS_TITLE, marks)] if marks else []


def _findings(case: Case, artifact: Artifact) -> list[MarkedFinding]:
    if case.current_diagnosis is None:
        return []
    found, left = [], MARKS_SHOWN
    for finding in case.current_diagnosis.findings.only(
        "ref", "rule", "severity", "title", "evidence", "order", "diagnosis"
    ):
        name = finding.ref or finding.rule
        marks = [_mark(entry, name, finding.severity) for entry in finding.evidence if _is_in(entry, artifact)][:left]
        left -= len(marks)
        if marks:
            found.append(
                MarkedFinding(name, finding.severity, finding.title, sorted(marks, key=lambda mark: mark.first))
            )
    return found


def _is_in(entry: Mapping[str, Any], artifact: Artifact) -> bool:
    """Evidence may name a copy of the file; then it tells as well which one holds the text."""
    line = entry.get("line")
    return artifact.pk in (entry.get("artifact"), entry.get("held")) and isinstance(line, int) and line > 0


def _mark(entry: Mapping[str, Any], ref: str, severity: str) -> Mark:
    first = int(entry["line"])
    return Mark(first, max(first, int(entry.get("last_line") or first)), ref, severity, str(entry.get("text", "")))


def mark_starts(findings: Iterable[MarkedFinding]) -> list[int]:
    return sorted({mark.first for finding in findings for mark in finding.marks})


def line_marks(findings: Sequence[MarkedFinding], first: int, last: int) -> dict[int, LineMark]:
    """By line number, for the window of lines that is shown."""
    here = [mark for finding in findings for mark in finding.marks if mark.first <= last and mark.last >= first]
    severities: dict[int, str] = {}
    badges: dict[int, list[str]] = defaultdict(list)
    for mark in sorted(here, key=lambda mark: Severity.values.index(mark.severity)):
        for line in range(max(mark.first, first), min(mark.last, last) + 1):
            severities.setdefault(line, mark.severity)
        if mark.ref not in badges[mark.first]:
            badges[mark.first].append(mark.ref)
    return {
        line: LineMark(severity, " · ".join(badges.get(line, [])[:BADGES])) for line, severity in severities.items()
    }
