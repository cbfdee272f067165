"""The page of locks, and its tables as CSV."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from apps.cases.access import Role, case_access
from apps.cases.head import case_head
from apps.cases.models import Case
from apps.diagnosis.context import case_zone, page_verdict
from apps.diagnosis.locks import LEASTS, SORTS, LockFilters, lock_page
from apps.diagnosis.views import raw_lines

SORT_NAMES = {"waiters": "most waiters", "longest": "longest wait", "demote": "longest demote", "moves": "most moves"}


@require_GET
@case_access(Role.VIEWER)
def locks_page(request: HttpRequest, case: Case) -> HttpResponse:
    """Traffic, pulls, contended objects, and the matrix of who takes from whom."""
    filters = LockFilters.from_query(request.GET)
    context: dict[str, Any] = {"case": case, "head": case_head(case, current="locks", view=request.GET.urlencode()), "filters": filters}
    if case.current_diagnosis is not None:
        context |= lock_page(case.current_diagnosis, filters, case_zone(case), raw_lines(case))
        context |= choices(filters)
        context["verdict"] = page_verdict(case)
    return render(request, "diagnosis/locks.html", context)


def choices(filters: LockFilters) -> dict[str, Any]:
    """For the selects of the table of objects."""
    return {
        "leasts": [{"value": value, "is_on": value == filters.least} for value in LEASTS],
        "sorts": [{"value": value, "name": SORT_NAMES[value], "is_on": value == filters.sort} for value in SORTS],
    }
