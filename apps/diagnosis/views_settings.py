"""The page of settings."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from apps.cases.access import Role, case_access
from apps.cases.head import case_head
from apps.cases.models import Case
from apps.diagnosis.context import case_zone, page_verdict
from apps.diagnosis.tunables import SettingFilters, settings_context
from apps.diagnosis.views import raw_lines


@require_GET
@case_access(Role.VIEWER)
def settings_page(request: HttpRequest, case: Case) -> HttpResponse:
    """Each setting once: who has which value, and what it should be."""
    filters = SettingFilters.from_query(request.GET)
    context: dict[str, Any] = {"case": case, "head": case_head(case, current="settings", view=request.GET.urlencode()), "filters": filters}
    if case.current_diagnosis is not None:
        context |= settings_context(case.current_diagnosis, filters, case_zone(case), raw_lines(case))
        context["verdict"] = page_verdict(case)
    return render(request, "diagnosis/settings.html", context)
