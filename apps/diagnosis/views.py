"""The pages of a diagnosis: timeline and waiters, their JSON and their evidence."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_GET

from apps.cases.access import Role, case_access, person
from apps.cases.head import case_head
from apps.cases.models import Case, Note
from apps.cases.wallclock import moment_text
from apps.diagnosis import waiters as waiting
from apps.diagnosis.behind import lines_behind
from apps.diagnosis.clockshift import shift_context, shifts_from
from apps.diagnosis.context import case_zone, line_url, page_context
from apps.diagnosis.csvfile import csv_response
from apps.diagnosis.engine.collecting import scripts
from apps.diagnosis.judging import Judgements, kind_subject
from apps.diagnosis.models import Diagnosis
from apps.diagnosis.sides import has_second_bundle
from apps.diagnosis.timeline import LineUrl, timeline, window_from
from apps.diagnosis.waitgraph import WaitGraph
from apps.recurrence.services import seen_before
from apps.web.errors import DomainError
from apps.web.htmx import render_page

TREE_ROWS = 60
NOT_READ_YET = "Nothing of this case is read yet."
DONE = 286  # htmx stops polling


def raw_lines(case: Case) -> LineUrl:
    """Addresses of lines, for readers who may open raw files."""
    return lambda artifact, line: line_url(case, artifact, line)


@require_GET
@case_access(Role.VIEWER)
def timeline_page(request: HttpRequest, case: Case) -> HttpResponse:
    """The case: verdict, lanes, findings, tunings."""
    diagnosis = case.current_diagnosis
    context = {
        "case": case,
        "head": case_head(case, current="timeline", view=request.GET.urlencode()),
        "first": _timeline(request, case, diagnosis) if diagnosis else None,
        "notes_url": reverse("cases:notes", args=[case.key]) if case.may_edit and not case.is_trashed else "",
        "shows_hints": case.is_sample and request.COOKIES.get("hints") != "seen",
        **shift_context(diagnosis, request.GET),
        "offers_comparison": has_second_bundle(case),
        **_reading(case, diagnosis),
        **page_context(case, raw_open=True, judgements=Judgements(case)),
        "may_judge": case.may_edit and not case.is_trashed,
        "seen_before": seen_before(case, person(request)),
        "scripts": scripts(diagnosis.products, diagnosis.summary.get("missing", ())) if diagnosis else [],
    }
    return render(request, "diagnosis/timeline.html", context)


def _reading(case: Case, diagnosis: Diagnosis | None) -> dict[str, Any]:
    """How far the files are. Settled: the diagnosis stands on all of them, or there is nothing that it could stand on."""
    files = case.artifacts.originals().count()
    is_open = case.bundles.unsettled().exists() or case.artifacts.unsettled().exists()
    is_complete = diagnosis is not None and not diagnosis.partial and diagnosis.files_total == files
    return {
        "settled": not is_open and (is_complete or not files),
        "reading_files": files,
        "has_bundles": files > 0 or case.bundles.exists(),
    }


def _timeline(request: HttpRequest, case: Case, diagnosis: Diagnosis) -> dict[str, Any]:
    notes = Note.objects.filter(case=case).pinned_to_moments()
    return timeline(case, diagnosis, window_from(request.GET, diagnosis), line_url=raw_lines(case), notes=notes)


@require_GET
@case_access(Role.VIEWER)
def timeline_json(request: HttpRequest, case: Case) -> HttpResponse:
    """Lanes of a window."""
    if case.current_diagnosis is None:
        raise DomainError(NOT_READ_YET, status=404)
    return JsonResponse(_timeline(request, case, case.current_diagnosis))


@require_GET
@case_access(Role.VIEWER)
def evidence(request: HttpRequest, case: Case) -> HttpResponse:
    """Lines behind a point of a lane: the longest waits at that moment, or the lock sample."""
    at = request.GET.get("at", "")
    if not (at.isascii() and at.isdigit() and len(at) <= 17):
        raise DomainError("The moment is missing from the address.", status=400)
    if case.current_diagnosis is None:
        raise DomainError(NOT_READ_YET, status=404)
    rows = lines_behind(case.current_diagnosis, request.GET.get("lane", ""), int(at), raw_lines(case), shifts_from(request.GET))
    return render(request, "diagnosis/_evidence_at.html", {"rows": rows, "moment": moment_text(int(at), case_zone(case)), "case": case})


@require_GET
@case_access(Role.VIEWER)
def state(request: HttpRequest, case: Case) -> HttpResponse:
    """How far the reading is, for the strip above the timeline; polling ends when the diagnosis is complete."""
    diagnosis = case.current_diagnosis
    known = request.GET.get("known", "")
    is_new = diagnosis is not None and str(diagnosis.pk) != known
    context = {"case": case, "diagnosis": diagnosis, "is_new": is_new, "known": known, **_reading(case, diagnosis)}
    return render(request, "diagnosis/_state.html", context, status=DONE if context["settled"] else 200)


@require_GET
@case_access(Role.VIEWER)
def waiters_page(request: HttpRequest, case: Case) -> HttpResponse:
    """Spans, who waits for whom, kinds and every wait."""
    filters = waiting.WaiterFilters.from_query(request.GET)
    context: dict[str, Any] = {"case": case, "head": case_head(case, current="waiters", view=request.GET.urlencode()), "filters": filters}
    if case.current_diagnosis is not None:
        context |= _waits(case, case.current_diagnosis, filters)
    return render_page(request, "diagnosis/waiters.html", partial="diagnosis/_waits.html", context=context)


def _waits(case: Case, diagnosis: Diagnosis, filters: waiting.WaiterFilters) -> dict[str, Any]:
    page = waiting.waiter_page(diagnosis, filters)
    zone = case_zone(case)
    summary = diagnosis.summary
    graph = WaitGraph(summary)
    judgements = Judgements(case)
    return {
        "page": page,
        "rows": [
            {**row, **_place(case, row), "note": _pin(row) if case.may_edit else "", "start_text": moment_text(row["start"], zone)}
            for row in page.rows
        ],
        "gantt": waiting.gantt(page, zone, [_place(case, bar)["url"] for bar in page.bars]),
        "graph": graph.drawing(()) if graph.arrows else None,
        "graph_rows": graph.rows()[:TREE_ROWS],
        "roots": summary.get("roots", []),
        "cycles": graph.cycles,
        "kinds": [
            {**kind, **_place(case, kind["ref"]), "judgement": judgements.context(kind_subject(kind))} for kind in summary.get("kinds", [])
        ],
        "may_judge": case.may_edit and not case.is_trashed,
        "kinds_total": summary.get("kinds_total", 0),
        "next_steps": summary.get("next_steps", []),
        "missing": summary.get("missing", []),
        "category_choices": waiting.category_choices(filters),
        "age_choices": waiting.age_choices(filters),
        "newer": filters.query(page=page.page - 1) if page.page > 1 else "",
        "older": filters.query(page=page.page + 1) if page.page < page.pages else "",
        "csv_query": filters.query(),
        "verdict": page_context(case, raw_open=True)["verdict"],
    }


def _pin(row: dict[str, Any]) -> str:
    """Query that pins a note to a wait."""
    span = " ".join(part for part in (row["node"], row["thread"]) if part)
    pins = {"span": span, "at_us": row["start"], "end_us": row["end"], "artifact": row["artifact"], "line": row["line"]}
    return urlencode({key: value for key, value in pins.items() if value is not None})


def _place(case: Case, row: dict[str, Any]) -> dict[str, str]:
    """Address of the line that a row was read from."""
    return {"url": line_url(case, row["artifact"], row["line"])}


@require_GET
@case_access(Role.VIEWER)
def waiters_csv(request: HttpRequest, case: Case) -> StreamingHttpResponse:
    """All waits that match, as CSV."""
    if case.current_diagnosis is None:
        raise DomainError(NOT_READ_YET, status=404)
    rows = waiting.csv_rows(case.current_diagnosis, waiting.WaiterFilters.from_query(request.GET))
    return csv_response(rows, f"{case.key}-waiters.csv")
