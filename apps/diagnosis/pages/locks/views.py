"""The page of locks, and its tables as CSV."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_GET

from apps.cases.access import Role, case_access
from apps.cases.models import Case
from apps.cases.page.head import case_head
from apps.diagnosis.models import Diagnosis
from apps.diagnosis.pages.context import case_zone, line_urls
from apps.diagnosis.pages.kept_parts import CaseKey, html, kept_verdict, of_diagnosis
from apps.diagnosis.pages.locks.tables import LEASTS, SORTS, LockFilters, lock_page

SORT_NAMES = {"waiters": "most waiters", "longest": "longest wait", "demote": "longest demote", "moves": "most moves"}


@require_GET
@case_access(Role.VIEWER)
def locks_page(request: HttpRequest, case: Case) -> HttpResponse:
    """Traffic, pulls, contended objects, and the matrix of who takes from whom."""
    diagnosis = case.current_diagnosis
    context: dict[str, Any] = {"case": case, "head": case_head(case, current="locks", view=request.GET.urlencode())}
    if diagnosis is not None:
        context["cards"] = of_diagnosis(
            case, diagnosis, "locks", request.GET, lambda: _cards(case, diagnosis, request.GET)
        )
        context["verdict"] = kept_verdict(case)
    return render(request, "diagnosis/locks.html", context)


def _cards(case: Case, diagnosis: Diagnosis, query: QueryDict) -> str:
    """The page below its head; empty where the files hold no locks."""
    filters = LockFilters.from_query(query)
    page = lock_page(diagnosis, filters, case_zone(case), line_urls(case))
    is_any = any(page[name] for name in ("traffic", "objects_n", "types", "matrix"))
    context = {**page, **choices(filters), "filters": filters, "case": CaseKey(case.key)}
    return html("diagnosis/_lock_cards.html", context) if is_any else ""


def choices(filters: LockFilters) -> dict[str, Any]:
    """For the selects of the table of objects."""
    return {
        "leasts": [{"value": value, "is_on": value == filters.least} for value in LEASTS],
        "sorts": [{"value": value, "name": SORT_NAMES[value], "is_on": value == filters.sort} for value in SORTS],
    }
