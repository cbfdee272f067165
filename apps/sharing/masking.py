"""What a shared page is given. It is made here, whole, and the page gets nothing else of the case."""

from __future__ import annotations

from typing import Any, Final

from apps.cases.head import case_chips
from apps.cases.models import Case
from apps.diagnosis.context import page_context

DOUBTS: Final[dict[str, Any]] = {"confidence": None, "confidence_parts": [], "disproved_by": "", "basis": ""}
"""How sure a finding is, why, and what would overthrow it: for the people who work on the case."""


def masked(case: Case) -> dict[str, Any]:
    """Level customer: own names, findings with their lines, tunings, next steps; no raw files, notes, doubts or history."""
    whole = page_context(case, raw_open=False)
    verdict = whole["verdict"]
    return {
        "title": case.title,
        "chips": [chip for chip in case_chips(case) if chip["label"] != case.get_state_display()],
        "diagnosis": whole["diagnosis"] is not None,
        "verdict": None if verdict is None else {**verdict, "confidence": None},
        "findings": [{**finding, **DOUBTS} for finding in whole["findings"]],
        "tunings": [{**tuning, "basis": ""} for tuning in whole["tunings"]],
        "next_steps": whole["next_steps"],
        "missing": [],
    }
