"""The strip above a case that is watched: what blocks it now. It asks again by itself and ends with the watch."""

from __future__ import annotations

from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from apps.cases.access import Role, case_access
from apps.cases.models import Case
from apps.diagnosis.pages.kept_parts import of_diagnosis
from apps.diagnosis.pages.live.blocker import blocker_now
from apps.diagnosis.pages.live.watching import watching

DONE: Final = 286  # htmx stops polling


def live_context(case: Case, known: str) -> dict[str, Any]:
    """For diagnosis/_live.html. ``known``: number of the diagnosis that the page shows."""
    diagnosis = case.current_diagnosis
    found = watching(case.pk)
    blocker = None
    if found is not None and diagnosis is not None:
        blocker = of_diagnosis(case, diagnosis, "blocker", None, lambda: blocker_now(diagnosis))
    present = str(diagnosis.pk) if diagnosis else ""
    return {"watching": found, "blocker": blocker, "known": present, "is_newer": present != known}


@require_GET
@case_access(Role.VIEWER)
def live(request: HttpRequest, case: Case) -> HttpResponse:
    context = live_context(case, request.GET.get("known", ""))
    is_over = context["watching"] is None
    return render(
        request, "diagnosis/_live.html", {"case": case, **context, "is_over": is_over}, status=DONE if is_over else 200
    )
