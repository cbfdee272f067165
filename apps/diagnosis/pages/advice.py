"""Findings and what stands beside them on the page of a case: all but what people said is kept from one reader to the
next.
"""

from __future__ import annotations

from typing import Any

from django.urls import reverse

from apps.cases.models import Case
from apps.diagnosis.engine.core.collecting import scripts
from apps.diagnosis.models import Diagnosis
from apps.diagnosis.pages.context import page_context
from apps.diagnosis.pages.incidents import Arranged
from apps.diagnosis.pages.judging.judgements import Judgements, Subject, finding_subjects
from apps.diagnosis.pages.kept_parts import CaseKey, html, of_diagnosis
from apps.diagnosis.values import findings_of
from apps.web.addresses import whole
from parsers.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class FindingPart:
    """A finding above and below what people say to it."""

    number: int
    anchor: str
    title: str
    subject: Subject
    above: str
    below: str


@dataclass(frozen=True, slots=True)
class Advice:
    findings: tuple[FindingPart, ...]
    arranged: Arranged
    beside: str
    is_any: bool
    answer: dict[str, Any] | None
    proof: dict[str, Any] | None


def advice_context(case: Case, diagnosis: Diagnosis, judgements: Judgements) -> dict[str, Any]:
    """For diagnosis/_advice.html."""
    may_note = case.may_edit and not case.is_trashed
    advice = of_diagnosis(
        case, diagnosis, "advice", None, lambda: _advice(case, diagnosis, may_note=may_note), may_note
    )
    return {
        "findings": [
            {
                "number": one.number,
                "anchor": one.anchor,
                "title": one.title,
                "above": one.above,
                "below": one.below,
                "judgement": judgements.context(one.subject),
            }
            for one in advice.findings
        ],
        "lone_judgements": judgements.without_subject(one.subject for one in advice.findings),
        "arranged": advice.arranged,
        "beside": advice.beside,
        "has_advice": advice.is_any,
        "proof": advice.proof,
        "answer": advice.answer and {**advice.answer, "masked_url": reverse("sharing:reply", args=[case.key])},
    }


def _advice(case: Case, diagnosis: Diagnosis, *, may_note: bool) -> Advice:
    context = page_context(case, diagnosis, raw_open=True)
    subjects = finding_subjects(findings_of(diagnosis))
    notes_url = reverse("cases:notes", args=[case.key]) if may_note else ""
    parts = []
    for finding, subject in zip(context["findings"], subjects.values(), strict=True):
        shown = {"finding": finding, "number": finding["number"], "notes_url": notes_url}
        above, below = html("components/_finding_above.html", shown), html("components/_finding_below.html", shown)
        parts.append(FindingPart(finding["number"], finding["anchor"], finding["title"], subject, above, below))
    beside = {name: context[name] for name in ("tunings", "tunings_apply", "tunings_aside", "next_steps", "missing")}
    ready = scripts(diagnosis.products, diagnosis.summary.get("missing", ()))
    shown = {**beside, "scripts": ready, "case": CaseKey(case.key), "watch_command": _watch_command(case)}
    return Advice(
        tuple(parts),
        context["arranged"],
        html("diagnosis/_beside.html", shown),
        bool(parts or any(beside.values())),
        context["answer"],
        context["proof"],
    )


def _watch_command(case: Case) -> str:
    """What runs on the node; the token is put in by who runs it."""
    url = whole("").rstrip("/") or "ADDRESS-OF-THIS-SITE"
    return f"LOCKSCOPE_URL={url} LOCKSCOPE_TOKEN=lsc_... python3 lockscope.py watch --case {case.key}"
