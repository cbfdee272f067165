"""Whether the newest bundle of a case shows that the hang is over: what the page says then in place of the verdict."""

from __future__ import annotations

from typing import Any, Final

import polars as pl

from apps.cases.models import Artifact, Case, Severity
from apps.cases.page.wallclock import moment_text
from apps.diagnosis.engine.core.times.open_years import known_part
from apps.diagnosis.models import Diagnosis
from apps.diagnosis.pages.compare.sides import Side, newest_bundles
from apps.diagnosis.pages.context import case_zone
from apps.web.templatetags.lockscope import duration
from parsers.dataclass import dataclass

HUNG_S: Final = 10.0
"""The longest wait before; a shorter one was no hang."""
CALM_S: Final = 1.0
NORMAL: Final = 1
GRAVE: Final = frozenset((Severity.CRITICAL, Severity.HIGH, Severity.MEDIUM))


@dataclass(frozen=True, slots=True)
class Cure:
    """Longest harmful waits of the bundle before and of the newest one, in seconds, and when the newest one begins."""

    since_us: int
    until_us: int
    before_s: float
    after_s: float

    def title(self, case: Case) -> str:
        """In place of the verdict, on the page of the case and in the list."""
        return f"Cured: since {moment_text(self.since_us, case_zone(case))} no wait above {CALM_S:g} s"

    def verdict(self, case: Case, diagnosis: Diagnosis) -> dict[str, Any]:
        """For components/_verdict.html."""
        zone = case_zone(case)
        before = f"Before: {diagnosis.verdict_title} · longest wait {duration(self.before_s)} until "
        return {
            "title": self.title(case),
            "severity": "ok",
            "sub": f"{before}{moment_text(self.until_us, zone)}, now {duration(self.after_s)}",
        }


def cure_of(case: Case) -> Cure | None:
    """Only where the newest bundle lies wholly after the one before, captured every node that hung before, and holds
    neither a wait of a second nor a graver finding of its own.
    """
    pair = newest_bundles(case)
    if len(pair) < 2:
        return None
    before, after = pair
    if before.captured is None or after.captured is None or not _is_before(before.captured[1], after.captured[0]):
        return None
    if any(finding.severity in GRAVE and _is_new(finding.evidence, after) for finding in after.findings()):
        return None
    hung, now = _waits(before), _waits(after)
    long = hung.filter(pl.col("longest_s") >= CALM_S)
    seen = {*now["node"].to_list(), *_captured_nodes(after)}
    if now.is_empty() or long.is_empty() or not set(long["node"].to_list()) <= seen:
        return None
    worst, left = _longest(long), _longest(now)
    if worst < HUNG_S or left >= CALM_S:
        return None
    return Cure(after.captured[0], before.captured[1], worst, left)


def _is_new(evidence: list[dict[str, Any]], side: Side) -> bool:
    return side.artifacts is not None and all(line["artifact"] in side.artifacts for line in evidence)


def _waits(side: Side) -> pl.DataFrame:
    """Longest harmful wait of each node; 0 where a node has harmless ones only."""
    spans = side.spans()
    if spans is None:
        return pl.DataFrame(schema={"node": pl.String, "longest_s": pl.Float64})
    harmful = pl.col("category").fill_null(0) != NORMAL
    longest = pl.when(harmful).then(pl.col("seconds")).otherwise(0.0).max().fill_null(0.0)
    return spans.group_by("node").agg(longest.alias("longest_s")).collect()


def _longest(rows: pl.DataFrame) -> float:
    return float(max(rows["longest_s"].to_list()))


def _captured_nodes(side: Side) -> set[str]:
    known = Artifact.objects.filter(pk__in=side.artifacts or ()).values_list("nodes", flat=True)
    return {name for nodes in known for name in nodes}


def _is_before(one: int, other: int) -> bool:
    """Whether a moment is before another one; a time of day is before none."""
    return one < other and known_part(one) == known_part(other) > 0
