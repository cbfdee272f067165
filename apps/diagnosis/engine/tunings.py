"""From findings to changes: the present value, whether it is already set, and where it stands in the files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final, Literal

import polars as pl

from apps.diagnosis.engine.facts import CaseFacts
from apps.diagnosis.engine.knowledge import TuningText, tuning_texts
from apps.diagnosis.engine.model import Finding, Ref, Tuning

Status = Literal["recommended", "applied", "not_applicable"]
NEEDS_PARAMETER: Final = frozenset(("lazy-isize-enable",))


def tunings_for(case: CaseFacts, findings: Sequence[Finding]) -> tuple[Tuning, ...]:
    """Each tuning once per scope, in the order of the findings that ask for it."""
    asked: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        for key in finding.tunings:
            asked[key].append(finding)
    result = []
    for key, for_findings in asked.items():
        text = tuning_texts()[key]
        result.extend(t for scope in _scopes(case, text, for_findings) if (t := _tuning(case, text, scope, for_findings)) is not None)
    return tuple(result)


def _scopes(case: CaseFacts, text: TuningText, findings: Sequence[Finding]) -> list[str | None]:
    """Mounts that the findings speak of; a change without a scope stands once."""
    if not any("{scope}" in command for command in text.commands):
        return [None]
    mounts = sorted({role.scope for role in case.lock_roles if role.scope and role.role in ("puller", "ping_pong")})
    return list(mounts) or [None]


def _tuning(case: CaseFacts, text: TuningText, scope: str | None, findings: Sequence[Finding]) -> Tuning | None:
    current, where = _current(case, text.parameter, scope)
    if current is None and text.id in NEEDS_PARAMETER:
        return None  # whether this release knows the parameter is not shown: the version gate says so
    status: Status = "applied" if current is not None and current == text.recommended else "recommended"
    fill = scope or "MOUNT"
    return Tuning(
        id=text.id,
        parameter=text.parameter,
        scope=scope,
        current=current,
        current_at=where,
        recommended=text.recommended,
        status=status,
        commands=tuple(command.format(scope=fill) for command in text.commands),
        persist=text.persist.format(scope=fill),
        caution=text.caution,
        way_back=text.way_back.format(scope=fill),
        verify=text.verify.format(scope=fill),
        since=text.since,
        why=text.why,
        basis=text.basis,
        findings=tuple(sorted({f.rule for f in findings})),
        sources=text.sources,
    )


def _current(case: CaseFacts, parameter: str, scope: str | None) -> tuple[str | None, Ref | None]:
    """The last value seen on that mount."""
    rows = case.settings.filter(
        (pl.col("name").str.to_lowercase() == parameter.lower()) & (pl.col("scope").is_null() | (pl.col("scope") == (scope or "")))
    )
    if rows.is_empty():
        return None, None
    last = rows.sort("at", "artifact", "line", nulls_last=False).row(-1, named=True)
    return last["value"], Ref(last["artifact"], last["line"])
