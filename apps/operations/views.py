"""Figures for a monitor that knows the token, and the page of open work for administrators."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST, require_safe
from prometheus_client import CONTENT_TYPE_LATEST

from apps.accounts.access import administrator
from apps.audit.services import record
from apps.operations import metrics as figures
from apps.operations import work as open_rows
from apps.web.policy import public

DIGITS = 18


@require_safe
@never_cache
@public
def metrics(request: HttpRequest) -> HttpResponse:
    """For whoever sends ``Authorization: Bearer TOKEN`` as set; without a token set there is no such page."""
    given = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if not settings.METRICS_TOKEN or not constant_time_compare(given, settings.METRICS_TOKEN):
        raise Http404
    return HttpResponse(figures.text(), content_type=CONTENT_TYPE_LATEST)


@require_GET
@never_cache
@administrator
def work(request: HttpRequest) -> HttpResponse:
    rows = open_rows.open_work()
    return render(
        request, "operations/work.html", {"rows": rows, "shown": open_rows.SHOWN, "days": open_rows.FAILED_FOR.days}
    )


@require_POST
@administrator
def retry(request: HttpRequest) -> HttpResponse:
    kind, number = request.POST.get("kind", ""), request.POST.get("number", "")
    known = kind in ("bundle", "file") and number.isascii() and number.isdigit() and len(number) <= DIGITS
    if known and open_rows.retry(kind, int(number)):
        record("work.retried", request=request, kind=kind, number=int(number))
        messages.success(request, f"The {kind} is queued again.")
    else:
        messages.error(request, "It is not among the work that failed any more.")
    return redirect("operations:work")
