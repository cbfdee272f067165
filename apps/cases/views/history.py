"""The history of a case."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from apps.cases.access import Role, case_access
from apps.cases.models import Case
from apps.cases.page.head import case_head
from apps.cases.trail.history import GROUPS
from apps.cases.trail.history import history as events_of


@require_GET
@case_access(Role.VIEWER)
def history(request: HttpRequest, case: Case) -> HttpResponse:
    """Who did what when, the latest first."""
    group, before = request.GET.get("what", ""), request.GET.get("before", "")
    group = group if group in GROUPS else ""
    number = int(before) if before.isascii() and before.isdigit() and len(before) < 18 else None
    context = {
        "case": case,
        "head": case_head(case, current="history"),
        "group": group,
        **events_of(case, group, number),
    }
    return render(request, "cases/history.html", context)
