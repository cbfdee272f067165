"""A diagnosis as the components of the pages take it. Who may not open raw files gets no addresses of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from django.urls import reverse

from apps.cases.models import Case, Severity
from apps.cases.page.wallclock import stretch_text, zone_text
from apps.diagnosis.engine.core.words.repeated_requests import grouped
from apps.diagnosis.models import Form
from apps.diagnosis.models import Tuning as TuningRow
from apps.diagnosis.pages.first_step import cause_of, first_step
from apps.diagnosis.pages.incidents import Arranged, arranged
from apps.diagnosis.pages.judging.judgements import Judgements, finding_subjects
from apps.diagnosis.pages.reply import CALM, PROOF_LINES, reply_text, requests_to_customer
from apps.diagnosis.values import AnyDiagnosis, Finding, Tuning, findings_of, tunings_of
from apps.web.templatetags.lockscope import duration, thousands

STATUS_WORDS = {"recommended": "recommended", "applied": "applied", "not_applicable": "not applicable"}
LEAST_NUMBER_WITH_GROUPS = 1000
LEAST_SECONDS_IN_MINUTES = 120  # as in the sentences of findings
Hashes = Mapping[int, str]
NO_HASHES: Hashes = {}


def case_zone(case: Case) -> str:
    """The zone of the customer's clocks in words; empty while unknown."""
    return zone_text(case.zone_name, case.zone_min)


FORMS_SHOWN = frozenset((Form.UNEXPLAINED, Form.NOT_JUDGED, Form.HEALTHY))
"""Forms that stand in words beside the verdict; that a rule explains it is the ordinary one."""


def verdict_context(
    diagnosis: AnyDiagnosis | None, findings: list[Finding], tunings: list[Tuning], case: Case | None = None
) -> dict[str, Any] | None:
    """For components/_verdict.html. case: given to those who may open its files, so that the verdict leads to its
    first line.
    """
    if diagnosis is None:
        return None
    lines = {(e["artifact"], e["line"]) for f in findings for e in f.evidence}
    files = {e["artifact"] for f in findings for e in f.evidence}
    noun = "file" if diagnosis.files_total == 1 else "files"
    read = f"{thousands(diagnosis.files_read)} of {thousands(diagnosis.files_total)} {noun} read"
    counts = f"{_counted(len(lines), 'line')} in {_counted(len(files), 'file')}"
    evidence = f"evidence: {counts}" if lines else "no finding"
    return {
        "title": diagnosis.verdict_title,
        "url": _first_line(case, cause_of(diagnosis, findings)) if case else "",
        "severity": "" if is_open(diagnosis) else diagnosis.verdict_severity,
        "form": diagnosis.verdict_form,
        "form_words": Form(diagnosis.verdict_form).label if diagnosis.verdict_form in FORMS_SHOWN else "",
        "confidence": diagnosis.verdict_confidence or None,  # where nothing was read there is nothing to be sure of
        "sub": f"{evidence} · {read}",
        "tunings_n": sum(t.status == TuningRow.Status.RECOMMENDED for t in tunings),
        "applied_n": sum(t.status == TuningRow.Status.APPLIED for t in tunings),
        "is_partial": diagnosis.partial,
    }


NO_STEP: Final = "No step is needed for what was read."
NO_COMMAND: Final = (
    "No command that only looks fits this finding. Read its lines and what would disprove it before any change."
)
"""What stands in the place of a first step."""


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def answer_context(diagnosis: AnyDiagnosis, *, is_outside: bool = False) -> dict[str, Any] | None:
    """For components/_first_step.html; None while there is no verdict to act upon. Who only has a link gets no
    doubts.
    """
    first = first_step(diagnosis, is_outside=is_outside)
    if diagnosis.verdict_form == Form.NOT_JUDGED and (diagnosis.partial or first is None):
        return None
    reply = reply_text(diagnosis, is_outside=is_outside)
    is_found = diagnosis.verdict_form not in CALM and diagnosis.verdict_severity != Severity.INFO
    requests = requests_to_customer(diagnosis) if is_outside else []
    return {"first": first, "without": NO_COMMAND if is_found else NO_STEP, "reply": reply, "asked": requests}


def _proof(diagnosis: AnyDiagnosis, findings: list[Finding], shown: list[dict[str, Any]]) -> dict[str, Any] | None:
    """For components/_proof.html: the lines that show best what the verdict says."""
    cause = cause_of(diagnosis, findings)
    if cause is None or not cause.evidence:
        return None
    return {"evidence": shown[findings.index(cause)]["evidence"][:PROOF_LINES], "anchor": anchor(cause)}


def _first_line(case: Case, cause: Finding | None) -> str:
    """Address of the line that shows best what the verdict says."""
    if cause is None or not cause.evidence:
        return ""
    line = cause.evidence[0]
    return line_url(case, line["artifact"], line["line"], line.get("last_line"))


def is_open(diagnosis: AnyDiagnosis) -> bool:
    """While files are read that allow no verdict yet."""
    return diagnosis.partial and diagnosis.verdict_form == Form.NOT_JUDGED


def finding_context(case: Case, finding: Finding, *, raw_open: bool, hashes: Hashes = NO_HASHES) -> dict[str, Any]:
    """For components/_finding.html; with hashes of the files where a report is to be verified later."""
    zone = case_zone(case)
    return {
        "ref": finding.ref,
        "rule": finding.rule,
        "severity": finding.severity,
        "confidence": finding.confidence,
        "confidence_parts": finding.confidence_parts,
        "basis": finding.basis,
        "title": finding.title,
        "explanation": finding.explanation,
        "nodes": finding.nodes,
        "time_text": stretch_text(finding.start_us, finding.end_us, zone),
        "start_us": finding.start_us,
        "end_us": finding.end_us,
        "figures": [_figure(figure) for figure in finding.figures],
        "evidence": [evidence_context(case, line, raw_open=raw_open, hashes=hashes) for line in finding.evidence],
        "disproved_by": finding.disproved_by,
        "anchor": anchor(finding),
        "number": finding.order + 1,
        "knowledge": _knowledge(finding, raw_open=raw_open),
        "means_url": _means_url(case, finding) if raw_open else "",
    }


def _means_url(case: Case, finding: Finding) -> str:
    """The form in which people say what an alarm means that no rule and no entry explains."""
    if not finding.ref.startswith("AL-") or finding.knowledge is not None or not finding.evidence:
        return ""
    first = finding.evidence[0]
    return f"{reverse('learning:means', args=[case.key, first['artifact']])}?line={first['line']}"


def _knowledge(finding: Finding, *, raw_open: bool) -> dict[str, Any] | None:
    """Whose knowledge speaks, with the address of the entry where files may be opened."""
    knowledge = finding.knowledge
    if knowledge is None:
        return None
    is_of_team = bool(knowledge["slug"])
    url = reverse("learning:entry", args=[knowledge["slug"], knowledge["entry"]]) if raw_open and is_of_team else ""
    return {**knowledge, "url": url}


def anchor(finding: Finding) -> str:
    """Id of a finding on its page."""
    return f"finding-{finding.order + 1}"


def _figure(figure: dict[str, Any]) -> dict[str, Any]:
    value, unit = figure["value"], figure["unit"]
    is_long = unit == "s" and value is not None and value >= LEAST_SECONDS_IN_MINUTES
    return {
        "label": figure["name"],
        "value": duration(value) if is_long else _amount(value),
        "unit": "" if is_long else unit,
        "limit": figure["limit"].removeprefix("limit "),
    }


def _amount(value: float | None) -> str:
    if value is None:
        return "unknown"
    return thousands(round(value)) if abs(value) >= LEAST_NUMBER_WITH_GROUPS else f"{value:g}"


def evidence_context(case: Case, line: dict[str, Any], *, raw_open: bool, hashes: Hashes = NO_HASHES) -> dict[str, Any]:
    """For components/_evidence.html."""
    url = line_url(case, line["artifact"], line["line"], line.get("last_line")) if raw_open else None
    return {
        "path": short_path(line["path"]),
        "full_path": line["path"],
        "line": line["line"],
        "last_line": line.get("last_line"),
        "text": line["text"],
        "url": url,
        "sha256": hashes.get(line["artifact"], ""),
    }


def short_path(path: str) -> str:
    """The last two parts of a path inside a bundle: what tells one file of a case from another at a glance."""
    inside = path.rsplit("!", 1)[-1].split("/")
    return "/".join(inside[-2:])


def line_url(case: Case, artifact: int, line: int, last_line: int | None = None) -> str:
    """Address of a line of a file, or of a range."""
    lines = f"{line}-{last_line}" if last_line and last_line != line else str(line)
    return f"{reverse('cases:file', args=[case.key, artifact])}?line={lines}#L{line}"


def line_urls(case: Case) -> Callable[[int, int], str]:
    """As line_url, for thousands of lines: the address is resolved once."""
    head, tail = reverse("cases:file", args=[case.key, 0]).rsplit("0", 1)
    return lambda artifact, line: f"{head}{artifact}{tail}?line={line}#L{line}"


def tuning_context(case: Case, tuning: Tuning, *, raw_open: bool, hashes: Hashes = NO_HASHES) -> dict[str, Any]:
    """For components/_tuning.html."""
    read = [tuning.current_at] if tuning.current_at else []
    applies = tuning.status != TuningRow.Status.NOT_APPLICABLE  # what does not apply here is no command to copy
    return {
        "id": tuning.tuning_id,
        "parameter": tuning.parameter,
        "scope": tuning.scope,
        "current": tuning.current,
        # A change of habit has no value to show, only a setting has.
        "recommended": tuning.recommended if tuning.commands and applies else None,
        "status": STATUS_WORDS[tuning.status],
        "commands": tuning.commands if applies else (),
        "persist": tuning.persist,
        "caution": tuning.caution,
        "way_back": tuning.way_back,
        "verify": tuning.verify,
        "since": tuning.since,
        "why": tuning.why,
        "sources": tuning.sources,
        "basis": tuning.basis,
        "read_from": [evidence_context(case, line, raw_open=raw_open, hashes=hashes) for line in read],
    }


def page_context(
    case: Case,
    diagnosis: AnyDiagnosis | None,
    *,
    raw_open: bool,
    hashes: Hashes = NO_HASHES,
    judgements: Judgements | None = None,
) -> dict[str, Any]:
    """Verdict, findings, tunings, next steps and what is missing, for the page of a case and for a shared one.

    What people said to the findings is left out unless it is handed in: a link may go to those whom it does not
    concern.
    """
    findings = findings_of(diagnosis) if diagnosis else []
    tunings = tunings_of(diagnosis) if diagnosis else []
    aside = sum(tuning.status == TuningRow.Status.NOT_APPLICABLE for tuning in tunings)
    summary = diagnosis.summary if diagnosis else {}
    subjects = finding_subjects(findings)
    shown = [finding_context(case, finding, raw_open=raw_open, hashes=hashes) for finding in findings]
    judged = {pk: judgements.context(subject) for pk, subject in subjects.items()} if judgements else {}
    return {
        "diagnosis": diagnosis,
        "verdict": verdict_context(diagnosis, findings, tunings, case if raw_open else None),
        "findings": [
            part | {"judgement": judged.get(finding.pk)} for finding, part in zip(findings, shown, strict=True)
        ],
        "lone_judgements": judgements.without_subject(subjects.values()) if judgements else [],
        "tunings": [tuning_context(case, tuning, raw_open=raw_open, hashes=hashes) for tuning in tunings],
        "tunings_apply": len(tunings) - aside,
        "tunings_aside": aside,
        "arranged": arranged(diagnosis, findings, shown, case_zone(case)) if diagnosis else Arranged(),
        "answer": answer_context(diagnosis) if diagnosis else None,
        "proof": _proof(diagnosis, findings, shown) if diagnosis else None,
        "next_steps": summary.get("next_steps", []),
        "missing": grouped(summary.get("missing", [])),
    }
