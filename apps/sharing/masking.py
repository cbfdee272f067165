"""What a shared page is given. It is made here, whole, and the page gets nothing else of the case."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from django.urls import reverse

from apps.cases.models import Case
from apps.cases.page.head import case_chips
from apps.diagnosis.pages.context import answer_context, page_context
from apps.diagnosis.pages.judging.judgements import Judgements
from apps.diagnosis.values import AnyDiagnosis, findings_of
from apps.sharing.levels import LEVELS, Level, level_of
from apps.sharing.masked import masked_case, masked_diagnosis
from apps.sharing.models import ShareLink
from parsers.dataclass import dataclass

DOUBTS: Final[dict[str, Any]] = {"confidence": None, "confidence_parts": [], "disproved_by": "", "basis": ""}
"""How sure a finding is, why, and what would overthrow it: for the people who work on the case."""
LineAddress = Callable[[int, int], str | None]


def no_line(_artifact: int, _line: int) -> str | None:
    """Raw files stay with the team."""
    return None


@dataclass(frozen=True, slots=True)
class Shown:
    """A case as one level shows it; whatever a page asks of it is fit for the receiver."""

    case: Case
    level: Level
    diagnosis: AnyDiagnosis | None
    """The current one; with stand-ins where the level asks for them."""
    line_url: LineAddress = no_line


def shown(link: ShareLink, token: str) -> Shown:
    """The case of a link, seen through its level."""
    level = level_of(link)
    if level.shows_raw:
        return Shown(
            link.case, level, link.case.current_diagnosis, lambda artifact, line: line_address(token, artifact, line)
        )
    return at_level(link.case, level)


def at_level(case: Case, level: Level) -> Shown:
    """A case seen through a level that shows no raw files."""
    if not level.is_masked:
        return Shown(case, level, case.current_diagnosis)
    return Shown(masked_case(case), level, masked_diagnosis(case))


def line_address(token: str, artifact: int, line: int) -> str:
    """Where a line of a file stands under the link."""
    return f"{reverse('sharing:file', args=[token, artifact])}?line={line}#L{line}"


def masked(view: Shown) -> dict[str, Any]:
    """Title, verdict, findings with their lines, tunings, next steps. Doubts go to colleagues only."""
    case = view.case
    whole = page_context(
        case, view.diagnosis, raw_open=False, judgements=Judgements(case) if view.level.shows_raw else None
    )
    verdict, chips = whole["verdict"], case_chips(case)
    if view.level.shows_raw:
        findings = _with_addresses(view, whole["findings"])
        return {
            "title": case.title,
            "chips": chips,
            **whole,
            "diagnosis": whole["diagnosis"] is not None,
            "findings": findings,
        }
    return {
        "title": case.title,
        "chips": [chip for chip in chips if chip["label"] != case.get_state_display()],
        "diagnosis": whole["diagnosis"] is not None,
        "verdict": None if verdict is None else {**verdict, "confidence": None},
        "findings": [outside(finding) for finding in whole["findings"]],
        "tunings": [{**tuning, "basis": ""} for tuning in whole["tunings"]],
        "tunings_apply": whole["tunings_apply"],
        "tunings_aside": whole["tunings_aside"],
        "answer": answer_context(view.diagnosis, is_outside=True) if view.diagnosis else None,
        "arranged": whole["arranged"],
        "proof": whole["proof"],
        "next_steps": whole["next_steps"],
        "missing": [],
    }


def outside(finding: dict[str, Any]) -> dict[str, Any]:
    """A finding for people outside: without doubts, and without what a team knows and says among itself."""
    own = {"knowledge": None, "explanation": ""} if finding["knowledge"] else {}
    return {**finding, **DOUBTS, **own}


def _with_addresses(view: Shown, findings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    rows = findings_of(view.diagnosis) if view.diagnosis else ()
    for finding, row in zip(findings, rows, strict=True):
        for line, entry in zip(finding["evidence"], row.evidence, strict=True):
            line["url"] = view.line_url(entry["artifact"], entry["line"])
    return findings


__all__ = ["LEVELS", "Shown", "at_level", "line_address", "masked", "no_line", "shown"]
