"""Findings that rest on examples of a manual: nobody saw happen what they show, so they are in doubt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.model import SEVERITIES, Finding, Part
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.core.words.wording import MOST_WORDS, brief, words
from parsers.records import Narration

ENOUGH: Final = 2
"""Sentences of a manual that make a text one; one that announces an example counts twice."""
WEIGHT: Final = {"example": 2, "manual": 1}
DOUBT: Final = 0.4
AT_MOST: Final = "medium"


def manuals(records: Records) -> frozenset[int]:
    """Artifacts that read like a manual, and in which nobody tells what happened to them."""
    if not records.has(Narration):
        return frozenset()
    score, own = Counter[int](), set[int]()
    for one in records.of(Narration):
        if one.sort == "own":
            own.add(one.artifact)
        else:
            score[one.artifact] += WEIGHT.get(one.sort, 0)
    return frozenset(artifact for artifact, points in score.items() if points >= ENOUGH) - own


def in_doubt(findings: Iterable[Finding], records: Records) -> tuple[Finding, ...]:
    """The findings; those whose lines all stand in manuals weigh medium at most, and say that they may be examples."""
    taught = manuals(records)
    return tuple(
        _doubted(one) if taught and one.evidence and {ref.artifact for ref in one.evidence} <= taught else one
        for one in findings
    )


def _doubted(finding: Finding) -> Finding:
    if SEVERITIES.index(finding.severity) > SEVERITIES.index(AT_MOST):
        return finding
    sentence = brief(finding.verdict or finding.title)
    doubted = phrase("example.verdict", sentence=sentence)
    if words(doubted) > MOST_WORDS:
        room = MOST_WORDS - (words(doubted) - words(sentence))
        doubted = phrase("example.verdict", sentence=f"{' '.join(sentence.split()[:room])}\u2026")
    why = phrase("example.why")
    return replace(
        finding,
        severity=AT_MOST,
        explanation=f"{finding.explanation} {why}",
        parts=(*finding.parts, Part("evidence", DOUBT, why)),
        verdict=doubted,
    )
