"""The pages of a diagnosis: timeline and waiters, their JSON and their evidence."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_GET

from apps.accounts.models import User
from apps.cases.access import Role, case_access, person
from apps.cases.models import Case
from apps.cases.page.file_counts import tally_of
from apps.cases.page.head import case_head
from apps.cases.page.wallclock import moment_text
from apps.diagnosis.models import Diagnosis
from apps.diagnosis.pages.advice import advice_context
from apps.diagnosis.pages.compare.cure import cure_of
from apps.diagnosis.pages.context import case_zone, line_urls
from apps.diagnosis.pages.judging.judgements import Judgements
from apps.diagnosis.pages.judging.outcomes import latest_outcome, worth_of_diagnosis
from apps.diagnosis.pages.kept_parts import kept_verdict, of_diagnosis
from apps.diagnosis.pages.live.views import live_context
from apps.diagnosis.pages.timeline.clock_shift import shifts_from
from apps.diagnosis.pages.timeline.lane_data import INSTANT_DIGITS, LineUrl
from apps.diagnosis.pages.timeline.lane_evidence import Point, lines_behind
from apps.diagnosis.pages.timeline.lanes import lanes_answer, lanes_card
from apps.diagnosis.pages.waiters import waits
from apps.diagnosis.pages.waiters.context import waits_context
from apps.recurrence.services import seen_before
from apps.web.csv_files import csv_response
from apps.web.errors import DomainError
from apps.web.htmx import is_fragment_request, render_page

NOT_READ_YET = "Nothing of this case is read yet."
DONE = 286  # htmx stops polling


def raw_lines(case: Case) -> LineUrl:
    """Addresses of lines, for readers who may open raw files."""
    return line_urls(case)


@require_GET
@case_access(Role.VIEWER)
def timeline_page(request: HttpRequest, case: Case) -> HttpResponse:
    """The case: verdict, lanes, findings, tunings."""
    diagnosis = case.current_diagnosis
    reading = _reading(case, diagnosis)
    live = live_context(case, str(diagnosis.pk) if diagnosis else "")
    head = case_head(case, current="timeline", view=request.GET.urlencode(), files=reading["reading_files"])
    context = {
        "case": case,
        "diagnosis": diagnosis,
        "head": head,
        "has_notes": any(tab["name"] == "notes" and tab["count"] for tab in head["tabs"]),
        "shows_hints": case.is_sample and request.COOKIES.get("hints") != "seen",
        **reading,
        **live,
        "may_judge": case.may_edit and not case.is_trashed,
        "seen_before": seen_before(case, person(request)),
        "verdict": kept_verdict(case),
    }
    if diagnosis is not None:
        context["lanes_card"] = lanes_card(case, diagnosis, request.GET)
        context |= _with_worth(person(request), diagnosis, advice_context(case, diagnosis, Judgements(case)))
        context["outcome"] = latest_outcome(case)
        context["verdict"] = {**(context["verdict"] or {}), "worth": context["worth"]}
        if reading["offers_comparison"] and reading["settled"]:
            context |= _after_cure(case, diagnosis)
    return render(request, "diagnosis/timeline.html", context)


def _with_worth(user: User, diagnosis: Diagnosis, advice: dict[str, Any]) -> dict[str, Any]:
    """What closed cases say of the rules and entries that speak here."""
    words, worth = worth_of_diagnosis(user, diagnosis)
    findings = [{**one, "worth": worth.get(one["number"] - 1)} for one in advice["findings"]]
    return advice | {"findings": findings, "worth": words}


def _after_cure(case: Case, diagnosis: Diagnosis) -> dict[str, Any]:
    """What stands in place of the verdict where the newest bundle is healthy: before and after, and no first step."""
    cure = of_diagnosis(case, diagnosis, "cure", None, lambda: cure_of(case))
    return {} if cure is None else {"verdict": cure.verdict(case, diagnosis), "answer": None, "is_cured": True}


def _reading(case: Case, diagnosis: Diagnosis | None) -> dict[str, Any]:
    """How far the files are. Settled: the diagnosis stands on all of them, or there is nothing that it could
    stand on.
    """
    tally = tally_of(case)
    is_complete = diagnosis is not None and not diagnosis.partial and diagnosis.files_total == tally.files
    return {
        "settled": not tally.is_open and (is_complete or not tally.files),
        "reading_files": tally.files,
        "has_bundles": tally.files > 0 or tally.bundles > 0,
        "offers_comparison": tally.different_bundles > 1,
    }


@require_GET
@case_access(Role.VIEWER)
def timeline_json(request: HttpRequest, case: Case) -> HttpResponse:
    """Lanes of a window."""
    if case.current_diagnosis is None:
        raise DomainError(NOT_READ_YET, status=404)
    answer = lanes_answer(case, case.current_diagnosis, request.GET)
    response = HttpResponse(answer.text, content_type="application/json", headers={"ETag": answer.etag})
    return get_conditional_response(request, etag=answer.etag, response=response) or response


@require_GET
@case_access(Role.VIEWER)
def evidence(request: HttpRequest, case: Case) -> HttpResponse:
    """Lines behind a point of a lane: the longest waits at that moment, or the lock sample."""
    at, until = _instant(request.GET.get("at", "")), _instant(request.GET.get("until", ""))
    if at is None:
        raise DomainError("The moment is missing from the address.", status=400)
    if case.current_diagnosis is None:
        raise DomainError(NOT_READ_YET, status=404)
    point = Point(request.GET.get("lane", ""), at, until, request.GET.get("node", ""))
    rows = lines_behind(case.current_diagnosis, point, raw_lines(case), shifts_from(request.GET))
    moment = moment_text(at, case_zone(case))
    return render(
        request,
        "diagnosis/_evidence_at.html",
        {"rows": rows, "moment": moment, "node": point.node, "case": case},
    )


def _instant(text: str) -> int | None:
    """Microseconds that an address names."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= INSTANT_DIGITS else None


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
    filters = waits.WaiterFilters.from_query(request.GET)
    context: dict[str, Any] = {
        "case": case,
        "head": case_head(case, current="waiters", view=request.GET.urlencode()),
        "filters": filters,
    }
    if case.current_diagnosis is not None:
        context |= waits_context(
            case, case.current_diagnosis, filters, is_part=is_fragment_request(request), query=request.GET
        )
    return render_page(request, "diagnosis/waiters.html", partial="diagnosis/_kept_waits.html", context=context)


@require_GET
@case_access(Role.VIEWER)
def waiters_csv(request: HttpRequest, case: Case) -> StreamingHttpResponse:
    """All waits that match, as CSV."""
    if case.current_diagnosis is None:
        raise DomainError(NOT_READ_YET, status=404)
    rows = waits.csv_rows(case.current_diagnosis, waits.WaiterFilters.from_query(request.GET))
    return csv_response(rows, f"{case.key}-waiters.csv")
