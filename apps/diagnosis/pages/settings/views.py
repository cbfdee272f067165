"""The page of settings."""

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
from apps.diagnosis.pages.settings.tables import SettingFilters, settings_context


@require_GET
@case_access(Role.VIEWER)
def settings_page(request: HttpRequest, case: Case) -> HttpResponse:
    """Each setting once: who has which value, and what it should be."""
    diagnosis = case.current_diagnosis
    context: dict[str, Any] = {"case": case, "head": case_head(case, current="settings", view=request.GET.urlencode())}
    if diagnosis is not None:
        context["card"] = of_diagnosis(
            case, diagnosis, "settings", request.GET, lambda: _card(case, diagnosis, request.GET)
        )
        context["verdict"] = kept_verdict(case)
    return render(request, "diagnosis/settings.html", context)


def _card(case: Case, diagnosis: Diagnosis, query: QueryDict) -> str:
    """The page below its head; empty where the files show no setting."""
    filters = SettingFilters.from_query(query)
    context = settings_context(diagnosis, filters, case_zone(case), line_urls(case))
    context |= {"filters": filters, "case": CaseKey(case.key)}
    return html("diagnosis/_settings_card.html", context) if context["whole"] else ""
