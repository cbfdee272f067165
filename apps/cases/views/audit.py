"""The audit trail: of a case for its owners to take away, and over all cases for administrators."""

from __future__ import annotations

from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.http import require_GET

from apps.accounts.access import administrator
from apps.audit.models import AuditEvent
from apps.audit.services import record
from apps.cases.access import Role, case_access
from apps.cases.models import Case
from apps.cases.trail.audit_rows import FORMATS, chosen, export, shown_row

SHOWN: Final = 200
FILTERS: Final = ("account", "verb", "case", "from", "to")


@require_GET
@case_access(Role.OWNER)
def audit_export(request: HttpRequest, case: Case, kind: str) -> HttpResponseBase:
    """Everything that was done with a case, for its owners."""
    if kind not in FORMATS:
        raise Http404
    record("audit.exported", case=case, request=request, kind=kind)
    return export(AuditEvent.objects.filter(case=case), kind, f"{case.key}-history", with_texts=True)


@require_GET
@administrator
def audit(request: HttpRequest) -> HttpResponse:
    """Who did what, over all cases: without what quotes a case."""
    query = _query(request)
    rows = chosen(query).select_related("user").order_by("-at", "-pk")[: SHOWN + 1]
    shown = [shown_row(event) for event in rows[:SHOWN]]
    context: dict[str, Any] = {
        "rows": shown,
        "query": query,
        "has_more": len(rows) > SHOWN,
        "address": urlencode(query),
        "shown_most": SHOWN,
    }
    context["since"], context["until"] = query.get("from", ""), query.get("to", "")
    return render(request, "cases/audit.html", context)


@require_GET
@administrator
def audit_all(request: HttpRequest, kind: str) -> HttpResponseBase:
    """The same as a file, with all rows."""
    if kind not in FORMATS:
        raise Http404
    query = _query(request)
    record("audit.exported", request=request, kind=kind, filters=urlencode(query))
    return export(chosen(query), kind, "audit", with_texts=False)


def _query(request: HttpRequest) -> dict[str, str]:
    return {name: request.GET[name].strip()[:100] for name in FILTERS if request.GET.get(name, "").strip()}
