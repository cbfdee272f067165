"""A diagnosis as pages read it: values that hold no row of the database, loaded from one or from a copy with stand-ins.

Times are microseconds of the wall clock as printed. Pages take either the row, whose findings are fetched when they are
needed, or a ``Diagnosis`` from here; ``findings_of`` and ``tunings_of`` give the same values for both.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Final, Self

from apps.cases.page.wallclock import DAY_US
from apps.diagnosis import models
from parsers.dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a rule concluded. ``pk``: the number of its row, in a copy its order; ``evidence``: artifact, path, line,
    last_line, text.
    """

    pk: int
    order: int
    rule: str
    ref: str
    severity: str
    confidence: float
    confidence_parts: list[dict[str, Any]]
    basis: str
    title: str
    explanation: str
    nodes: list[str]
    start_us: int | None
    end_us: int | None
    figures: list[dict[str, Any]]
    evidence: list[dict[str, Any]]
    disproved_by: str
    tunings: list[str]
    knowledge: dict[str, Any] | None = None
    """Whose knowledge it rests on, where it is a team's: entry, name, version, team, slug, by."""

    @classmethod
    def of(cls, row: models.Finding) -> Self:
        return cls(**{field.name: getattr(row, field.name) for field in fields(cls)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """A change to recommend; ``current`` is None where the present value is not known."""

    order: int
    tuning_id: str
    parameter: str
    scope: str
    current: str | None
    current_at: dict[str, Any] | None
    recommended: str
    status: str
    commands: list[str]
    persist: str
    caution: str
    way_back: str
    verify: str
    since: str
    why: str
    findings: list[str]
    sources: list[str]
    basis: str

    @classmethod
    def of(cls, row: models.Tuning) -> Self:
        return cls(**{field.name: getattr(row, field.name) for field in fields(cls)})


OF_TUNING: Final = (
    "parameter", "scope", "current", "recommended", "status", "commands", "persist", "caution", "way_back", "verify",
    "since", "why", "sources",
)  # fmt: skip
"""What every export gives of a tuning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """The whole of it without a row. ``views`` is the prefix of its view files in the storage, ``summary`` as in the
    row.
    """

    partial: bool
    files_read: int
    files_total: int
    verdict_title: str
    verdict_severity: str
    verdict_confidence: float
    verdict_ref: str
    verdict_form: str
    window_start_us: int | None
    window_end_us: int | None
    products: list[str]
    summary: dict[str, Any]
    views: str
    findings: tuple[Finding, ...]
    tunings: tuple[Tuning, ...]

    @classmethod
    def of(cls, row: models.Diagnosis) -> Self:
        plain = {
            field.name: getattr(row, field.name) for field in fields(cls) if field.name not in {"findings", "tunings"}
        }
        return cls(**plain, findings=tuple(findings_of(row)), tunings=tuple(tunings_of(row)))


AnyDiagnosis = models.Diagnosis | Diagnosis


def findings_of(diagnosis: AnyDiagnosis) -> list[Finding]:
    """In their order."""
    if isinstance(diagnosis, Diagnosis):
        return list(diagnosis.findings)
    return [Finding.of(row) for row in diagnosis.findings.all()]


def tunings_of(diagnosis: AnyDiagnosis) -> list[Tuning]:
    """In their order."""
    if isinstance(diagnosis, Diagnosis):
        return list(diagnosis.tunings)
    return [Tuning.of(row) for row in diagnosis.tunings.all()]


def placed_us(diagnosis: AnyDiagnosis, us: int) -> int:
    """An instant on the axis of the case: a time of day beside dated ones stands on its inferred day."""
    on = diagnosis.summary.get("placed")
    return us + int(on["day_us"]) if on and us < DAY_US else us
