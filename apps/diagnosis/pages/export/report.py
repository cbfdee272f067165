"""A case as one report: for the ticket as Markdown, for programs as JSON, for people as a page to print or a file to
carry along.

Every claim names the file, its hash and the line that it rests on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from apps.cases.models import Case
from apps.cases.page.wallclock import moment_text, stretch_text
from apps.diagnosis.engine.core.words.repeated_requests import grouped
from apps.diagnosis.models import Diagnosis, Form
from apps.diagnosis.pages.context import STATUS_WORDS, answer_context, case_zone, page_context
from apps.diagnosis.pages.graph.waitgraph import WaitGraph
from apps.diagnosis.pages.judging.judgements import Judgements, finding_subjects, kind_subject
from apps.diagnosis.pages.settings.tables import setting_rows
from apps.diagnosis.pages.timeline.charts import Chart, charts
from apps.diagnosis.values import OF_TUNING, Finding, Tuning, findings_of, tunings_of
from apps.web.templatetags.lockscope import thousands

SCHEMA: Final = "lockscope.case/1"
HASH_CHARS: Final = 12
TREE_ROWS: Final = 40
KINDS_SHOWN: Final = 20
SETTINGS_SHOWN: Final = 60
MARKS: Final = re.compile(r"([\\`*_{}\[\]<>#|~!])")


def hashes(case: Case, diagnosis: Diagnosis) -> dict[int, str]:
    """Hash of each file that evidence points to, by artifact."""
    named = {line["artifact"] for finding in findings_of(diagnosis) for line in finding.evidence}
    named |= {tuning.current_at["artifact"] for tuning in tunings_of(diagnosis) if tuning.current_at}
    return dict(case.artifacts.filter(pk__in=named).values_list("pk", "sha256"))


def window_text(case: Case, diagnosis: Diagnosis) -> str:
    """First and last moment of what was read."""
    return stretch_text(diagnosis.window_start_us, diagnosis.window_end_us, case_zone(case))


def report_context(case: Case, diagnosis: Diagnosis) -> dict[str, Any]:
    """For the page and the file: no addresses, so that it reads the same where the program is not."""
    known = hashes(case, diagnosis)
    graph = WaitGraph(diagnosis.summary)
    context = page_context(case, diagnosis, raw_open=False, hashes=known, judgements=Judgements(case))
    files = {line["path"]: line["artifact"] for finding in findings_of(diagnosis) for line in finding.evidence}
    return {
        **context,
        "case": case,
        "window": window_text(case, diagnosis),
        "nodes": [node["name"] for node in diagnosis.summary.get("nodes", ())],
        "charts": _charts(case, diagnosis),
        "tree": graph.rows()[:TREE_ROWS],
        "roots": diagnosis.summary.get("roots", []),
        "cycles": graph.cycles if graph.are_proven else [],
        "kinds": diagnosis.summary.get("kinds", [])[:KINDS_SHOWN],
        "settings": [row for row in setting_rows(diagnosis) if row.differs or row.status or row.is_changed][
            :SETTINGS_SHOWN
        ],
        "files": [{"path": path, "sha256": known.get(artifact, "")} for path, artifact in sorted(files.items())],
        "made": diagnosis.created_at,
        "engine": diagnosis.engine_version,
    }


def _charts(case: Case, diagnosis: Diagnosis) -> list[Chart]:
    return charts(case, diagnosis)


# Markdown
# ---------------------------------------------------------------------------------------------------------------


def markdown(case: Case, diagnosis: Diagnosis) -> str:
    """For the ticket: verdict, findings with their lines, what to change, what to collect."""
    return "\n".join(_markdown(case, diagnosis)).rstrip() + "\n"


def _markdown(case: Case, diagnosis: Diagnosis) -> Iterator[str]:
    known = hashes(case, diagnosis)
    yield f"# {_plain(case.key)}: {_plain(case.title)}"
    yield ""
    yield f"**{diagnosis.verdict_severity.upper()}** {_plain(diagnosis.verdict_title)}"
    window = stretch_text(diagnosis.window_start_us, diagnosis.window_end_us, case_zone(case))
    noun = "file" if diagnosis.files_total == 1 else "files"
    read = f"{thousands(diagnosis.files_read)} of {thousands(diagnosis.files_total)} {noun} read"
    yield ""
    form = Form(diagnosis.verdict_form).label
    yield " · ".join(part for part in (form, f"confidence {diagnosis.verdict_confidence:.2f}", window, read) if part)
    if answer := answer_context(diagnosis):
        yield from ("", "## In short", *_block(answer["reply"].splitlines()))
    for heading, rows in (
        ("Findings", _markdown_findings(case, findings_of(diagnosis), known)),
        ("Recommended tunings", _markdown_tunings(tunings_of(diagnosis), known)),
        ("Next steps", _markdown_steps(diagnosis.summary.get("next_steps", ()))),
        ("What is missing to decide", _markdown_missing(diagnosis.summary.get("missing", ()))),
    ):
        lines = list(rows)
        if lines:
            yield from ("", f"## {heading}", "", *lines)
    yield from ("", f"Made by Lockscope, rules of version {_plain(diagnosis.engine_version)}.")


def _markdown_findings(case: Case, findings: list[Finding], known: dict[int, str]) -> Iterator[str]:
    zone, judgements, subjects = case_zone(case), Judgements(case), finding_subjects(findings)
    for finding in findings:
        yield f"### {finding.order + 1}. {finding.severity.upper()} {_plain(finding.title)} ({_plain(finding.ref)})"
        yield ""
        when = stretch_text(finding.start_us, finding.end_us, zone)
        yield " · ".join(
            part
            for part in (
                f"confidence {finding.confidence:.2f}",
                finding.basis,
                when,
                ", ".join(map(_plain, finding.nodes)),
            )
            if part
        )
        if judgement := _judgement_text(judgements.context(subjects[finding.pk])):
            yield from ("", judgement)
        if finding.explanation:
            yield from ("", _plain(finding.explanation))
        if finding.evidence:
            yield ""
            for line in finding.evidence:
                yield from _markdown_place(line, known)
        if finding.disproved_by:
            yield from ("", f"What would disprove it: {_plain(finding.disproved_by)}")
        yield ""


def _judgement_text(judged: dict[str, Any]) -> str:
    """What a person says to a finding; empty where nobody did."""
    if not judged["word"]:
        return ""
    why = f": {_plain(judged['why'])}" if judged["why"] else ""
    return f"**{judged['words'].capitalize()}** by {_plain(judged['by'])}, {judged['at']:%Y-%m-%d %H:%M} UTC{why}"


def _markdown_place(line: dict[str, Any], known: dict[int, str], before: str = "") -> Iterator[str]:
    """A line as ``manage.py verify`` finds it again."""
    yield f"- {before}{_code(_place(line))} sha256 {known.get(line['artifact'], '')[:HASH_CHARS]}"
    yield f"  {_code(line['text'].strip())}"


def _place(line: dict[str, Any]) -> str:
    last = line.get("last_line")
    return f"{line['path']}:{line['line']}{f'-{last}' if last and last != line['line'] else ''}"


def _markdown_tunings(tunings: Iterable[Tuning], known: dict[int, str]) -> Iterator[str]:
    for tuning in tunings:
        scope = f" on {_code(tuning.scope)}" if tuning.scope else ""
        now = f" {_plain(tuning.current)} →" if tuning.current else ""
        yield f"### {_plain(tuning.parameter)}{now} {_plain(tuning.recommended)}{scope} ({STATUS_WORDS[tuning.status]})"
        yield from ("", _plain(tuning.why), "")
        yield from _block(tuning.commands)
        for name, words in (
            ("To keep it", tuning.persist),
            ("What to mind", tuning.caution),
            ("Verify", tuning.verify),
            ("Way back", tuning.way_back),
        ):
            if words:
                yield f"- {name}: {_plain(words)}"
        if tuning.current_at:
            yield from _markdown_place(tuning.current_at, known, "Read from: ")
        yield ""


def _markdown_steps(steps: Any) -> Iterator[str]:
    for number, step in enumerate(steps, start=1):
        yield f"{number}. {_plain(step['why'])}"
        yield from _block(step["commands"])


def _markdown_missing(missing: Any) -> Iterator[str]:
    for number, request in enumerate(grouped(missing), start=1):
        yield f"{number}. {_plain(request.what)}: {_plain(request.why)}"
        if request.each:
            yield from (
                "",
                (
                    f"   All {len(request.each)} nodes: "
                    f"{'; '.join(_plain(': '.join(filter(None, one))) for one in request.each)}"
                ),
            )
        yield from _block(request.commands)


def _block(commands: Sequence[str]) -> Iterator[str]:
    if commands:
        fence = "`" * max(3, *(len(run) + 1 for command in commands for run in re.findall("`+", command) or [""]))
        yield from ("", fence, *commands, fence, "")


def _plain(text: str) -> str:
    """Customers' text that no reader of Markdown takes for markup."""
    return MARKS.sub(r"\\\1", " ".join(str(text).split()))


def _code(text: str) -> str:
    """A code span; as many ticks as its text needs."""
    one_line = " ".join(text.split())
    ticks = "`" * (max((len(run) for run in re.findall("`+", one_line)), default=0) + 1)
    pad = " " if one_line.startswith("`") or one_line.endswith("`") else ""
    return f"{ticks}{pad}{one_line}{pad}{ticks}"


# JSON
# -------------------------------------------------------------------------------------------------------------------


def as_json(case: Case, diagnosis: Diagnosis) -> dict[str, Any]:
    """What the pages show of a case; times as printed, numbers as numbers, what is not known is null."""
    summary = diagnosis.summary
    zone = case_zone(case)
    judgements = Judgements(case)
    return {
        "schema": SCHEMA,
        "case": {
            "key": case.key,
            "title": case.title,
            "customer": case.customer,
            "ticket": case.ticket,
            "state": case.state,
        },
        "made_at": diagnosis.created_at.isoformat(timespec="seconds"),
        "engine_version": diagnosis.engine_version,
        "partial": diagnosis.partial,
        "files": {"read": diagnosis.files_read, "total": diagnosis.files_total},
        "products": diagnosis.products,
        "nodes": summary.get("nodes", []),
        "window": {
            "start": moment_text(diagnosis.window_start_us) or None,
            "end": moment_text(diagnosis.window_end_us) or None,
            "zone": zone or None,
        },
        "verdict": {
            "title": diagnosis.verdict_title,
            "severity": diagnosis.verdict_severity,
            "confidence": diagnosis.verdict_confidence,
            "ref": diagnosis.verdict_ref,
            "form": diagnosis.verdict_form,
        },
        "findings": findings_json(case, diagnosis, judgements),
        "tunings": tunings_json(case, diagnosis),
        "waiter_kinds": [_kind(kind, judgements) for kind in summary.get("kinds", ())],
        "waits_for": summary.get("waits_for", []),
        "roots": summary.get("roots", []),
        "cycles": summary.get("cycles", []),
        "missing": summary.get("missing", []),
        "next_steps": [{"why": s["why"], "commands": s["commands"]} for s in summary.get("next_steps", ())],
    }


def findings_json(case: Case, diagnosis: Diagnosis, judgements: Judgements | None = None) -> list[dict[str, Any]]:
    """Each finding with its lines, their hashes, and what people said to it."""
    known, judged = hashes(case, diagnosis), judgements or Judgements(case)
    findings = findings_of(diagnosis)
    subjects = finding_subjects(findings)
    return [_finding(finding, known, judged.context(subjects[finding.pk])) for finding in findings]


def tunings_json(case: Case, diagnosis: Diagnosis) -> list[dict[str, Any]]:
    """Each tuning with the line that its present value was read from."""
    known = hashes(case, diagnosis)
    return [_tuning(tuning, known) for tuning in tunings_of(diagnosis)]


def _kind(kind: dict[str, Any], judgements: Judgements) -> dict[str, Any]:
    fields = {key: value for key, value in kind.items() if key != "ref"}
    subject = kind_subject(kind)
    return {"id": subject.token, **fields, "judgement": _judgement(judgements.context(subject))}


def _judgement(judged: dict[str, Any]) -> dict[str, Any] | None:
    if not judged["word"]:
        return None
    return {name: judged[name] for name in ("word", "why", "by")} | {"at": judged["at"].isoformat(timespec="seconds")}


def _finding(finding: Finding, known: dict[int, str], judged: dict[str, Any]) -> dict[str, Any]:
    names = (
        "rule",
        "ref",
        "severity",
        "confidence",
        "confidence_parts",
        "basis",
        "title",
        "explanation",
        "nodes",
        "figures",
        "disproved_by",
        "tunings",
    )
    evidence = [_line(line, known) for line in finding.evidence]
    times = {"start": moment_text(finding.start_us) or None, "end": moment_text(finding.end_us) or None}
    return (
        {"id": judged["token"]}
        | {name: getattr(finding, name) for name in names}
        | times
        | {"evidence": evidence, "judgement": _judgement(judged)}
    )


def _line(line: dict[str, Any], known: dict[int, str]) -> dict[str, Any]:
    return {
        "path": line["path"],
        "sha256": known.get(line["artifact"]),
        "line": line["line"],
        "last_line": line.get("last_line"),
        "text": line["text"],
    }


def _tuning(tuning: Tuning, known: dict[int, str]) -> dict[str, Any]:
    read_from = _line(tuning.current_at, known) if tuning.current_at else None
    return {"id": tuning.tuning_id, **{name: getattr(tuning, name) for name in OF_TUNING}, "read_from": read_from}
