"""The pages of a diagnosis: timeline and waiters, their JSON and their evidence."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Any

import polars as pl
from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from apps.cases.access import Role, case_access
from apps.cases.head import case_head
from apps.cases.models import Case, Note
from apps.cases.wallclock import moment_text
from apps.diagnosis import waiters as waiting
from apps.diagnosis.context import case_zone, line_url, page_context
from apps.diagnosis.models import Diagnosis
from apps.diagnosis.timeline import LEAST_WIDTH, MOST_WIDTH, LineUrl, Window, timeline, whole_window
from apps.diagnosis.viewfiles import ViewFiles
from apps.web.errors import DomainError
from apps.web.htmx import render_page

FIRST_WIDTH = 1200
EVIDENCE_ROWS = 15
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
        "settled": diagnosis is not None and not diagnosis.partial,
        "reading_files": case.artifacts.originals().count(),
        **page_context(case, raw_open=True),
    }
    return render(request, "diagnosis/timeline.html", context)


def _timeline(request: HttpRequest, case: Case, diagnosis: Diagnosis) -> dict[str, Any]:
    notes = Note.objects.filter(case=case).pinned_to_moments()
    return timeline(case, diagnosis, window_of(request, diagnosis), line_url=raw_lines(case), notes=notes)


def window_of(request: HttpRequest, diagnosis: Diagnosis) -> Window:
    """The window of the address; the whole case where it names none, or a malformed one."""
    start, end = whole_window(diagnosis)
    asked = (_us(request.GET.get("from")), _us(request.GET.get("to")))
    if asked[0] is not None and asked[1] is not None and asked[0] < asked[1]:
        start, end = max(start, asked[0]), min(end, asked[1])
        if start >= end:
            start, end = whole_window(diagnosis)
    width = _us(request.GET.get("width")) or FIRST_WIDTH
    nodes = frozenset(name for name in request.GET.get("nodes", "").split(",") if name)
    return Window(start, end, min(MOST_WIDTH, max(LEAST_WIDTH, width)), nodes or None)


def _us(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) <= 17 else None


@require_GET
@case_access(Role.VIEWER)
def timeline_json(request: HttpRequest, case: Case) -> HttpResponse:
    """Lanes of a window."""
    if case.current_diagnosis is None:
        raise DomainError("Nothing of this case is read yet.", status=404)
    return JsonResponse(_timeline(request, case, case.current_diagnosis))


@require_GET
@case_access(Role.VIEWER)
def evidence(request: HttpRequest, case: Case) -> HttpResponse:
    """Lines behind a point of a lane: the longest waits at that moment, or the lock sample."""
    at = _us(request.GET.get("at"))
    diagnosis = case.current_diagnosis
    if at is None or diagnosis is None:
        raise DomainError("The moment is missing from the address.", status=400)
    rows = lines_behind(case, diagnosis, request.GET.get("lane", ""), at)
    return render(request, "diagnosis/_evidence_at.html", {"rows": rows, "moment": moment_text(at, case_zone(case)), "case": case})


def lines_behind(case: Case, diagnosis: Diagnosis, lane: str, at: int) -> list[dict[str, Any]]:
    """[{words, url}] for the lane's point."""
    views = ViewFiles(diagnosis)
    if lane.startswith("locks:"):
        samples = views.locks(at, at)
        rows = [] if samples is None else samples.filter(pl.col("node") == lane.removeprefix("locks:")).head(EVIDENCE_ROWS).to_dicts()
        return [
            {"words": f"{r['node']} {r['role'].replace('_', ' ')}: h grants {r['h_grant'] or 0:.0f}/s, h revokes {r['h_revoke'] or 0:.0f}/s", **_url(case, r)}
            for r in rows
        ]
    spans = views.spans()
    if spans is None:
        return []
    covering = spans.filter((pl.col("start") <= at) & (pl.col("end") >= at)).sort("seconds", descending=True, nulls_last=True).head(EVIDENCE_ROWS)
    return [
        {"words": f"{r['node'] or 'node unknown'} {r['thread'] or ''}: {r['waits_on'] or r['reason'] or ''}, {r['seconds'] or 0:.1f} s", **_url(case, r)}
        for r in covering.collect().to_dicts()
    ]


def _url(case: Case, row: dict[str, Any]) -> dict[str, Any]:
    return {"url": line_url(case, row["artifact"], row["line"]), "line": row["line"]}


@require_GET
@case_access(Role.VIEWER)
def state(request: HttpRequest, case: Case) -> HttpResponse:
    """How far the reading is, for the strip above the timeline; polling ends when the diagnosis is complete."""
    diagnosis = case.current_diagnosis
    known = request.GET.get("known", "")
    context = {
        "case": case,
        "diagnosis": diagnosis,
        "is_new": diagnosis is not None and str(diagnosis.pk) != known,
        "known": known,
        "settled": diagnosis is not None and not diagnosis.partial,
        "reading_files": case.artifacts.originals().count(),
    }
    return render(request, "diagnosis/_state.html", context, status=DONE if context["settled"] else 200)


@require_GET
@case_access(Role.VIEWER)
def waiters_page(request: HttpRequest, case: Case) -> HttpResponse:
    """Spans, who waits for whom, kinds and every wait."""
    filters = waiting.WaiterFilters.from_query(request.GET)
    diagnosis = case.current_diagnosis
    context: dict[str, Any] = {"case": case, "head": case_head(case, current="waiters", view=request.GET.urlencode()), "filters": filters}
    if diagnosis is not None:
        page = waiting.waiter_page(diagnosis, filters)
        zone = case_zone(case)
        summary = diagnosis.summary
        context |= {
            "page": page,
            "rows": [{**row, "url": line_url(case, row["artifact"], row["line"]), "start_text": moment_text(row["start"], zone)} for row in page.rows],
            "gantt": waiting.gantt(diagnosis, page, zone, [line_url(case, bar["artifact"], bar["line"]) for bar in page.bars]),
            "graph": waiting.graph(diagnosis),
            "edges": summary.get("waits_for", [])[:50],
            "roots": summary.get("roots", []),
            "cycles": summary.get("cycles", []),
            "kinds": [{**k, "url": line_url(case, k["ref"]["artifact"], k["ref"]["line"])} for k in summary.get("kinds", [])],
            "kinds_total": summary.get("kinds_total", 0),
            "next_steps": summary.get("next_steps", []),
            "missing": summary.get("missing", []),
            "category_choices": [
                {"value": key or 0, "name": name, "is_on": (key or 0) in filters.categories} for key, name in waiting.CATEGORY_NAMES.items()
            ],
            "age_choices": [{"value": f"{value:g}", "name": name, "is_on": value == filters.least_s} for value, name in waiting.AGES],
            "newer": filters.query(page=page.page - 1) if page.page > 1 else "",
            "older": filters.query(page=page.page + 1) if page.page < page.pages else "",
            "csv_query": filters.query(),
        }
    context |= {"verdict": page_context(case, raw_open=True)["verdict"]}
    return render_page(request, "diagnosis/waiters.html", partial="diagnosis/_waits.html", context=context)


@require_GET
@case_access(Role.VIEWER)
def waiters_csv(request: HttpRequest, case: Case) -> StreamingHttpResponse:
    """All waits that match, as CSV."""
    if case.current_diagnosis is None:
        raise DomainError("Nothing of this case is read yet.", status=404)
    rows = waiting.csv_rows(case.current_diagnosis, waiting.WaiterFilters.from_query(request.GET))
    response = StreamingHttpResponse(_csv(rows), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{case.key}-waiters.csv"'
    return response


class _Echo:
    """A file for the csv module that gives back what is written to it."""

    def write(self, text: str) -> str:
        return text


def _csv(rows: Iterator[list[Any]]) -> Iterator[str]:
    writer = csv.writer(_Echo())
    for row in rows:
        yield writer.writerow(row)
