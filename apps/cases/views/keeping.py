"""How long a case stays: archive, legal hold, and removal for good out of the trash."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from apps.accounts.access import administrator
from apps.cases.access import Role, case_access, case_of_others, person
from apps.cases.forms import HoldForm
from apps.cases.lifetime import keeping as kept
from apps.cases.models import Case
from apps.cases.page.head import case_head
from apps.web.errors import DomainError

HOLDS_SHOWN = 500


@require_GET
@case_access(Role.VIEWER)
def keeping(request: HttpRequest, case: Case) -> HttpResponse:
    head = case_head(case, current="", title="Archive & hold", crumbs=[{"label": "Archive & hold"}])
    return render(
        request,
        "cases/keeping.html",
        {"case": case, "head": head, "days_left": kept.days_left(case)} | {"trash_days": settings.LIMITS.trash_days},
    )


@require_POST
@case_access(Role.OWNER, while_archived=True)
def archive(request: HttpRequest, case: Case) -> HttpResponse:
    kept.archive_case(case, by=person(request))
    messages.success(request, f"{case.key} is in the archive.")
    return redirect("cases:keeping", case.key)


@require_POST
@case_access(Role.OWNER, while_archived=True)
def unarchive(request: HttpRequest, case: Case) -> HttpResponse:
    kept.unarchive_case(case, by=person(request))
    messages.success(request, f"{case.key} is back in the list.")
    return redirect("cases:keeping", case.key)


@require_POST
@case_access(Role.OWNER, while_archived=True)
def hold(request: HttpRequest, case: Case) -> HttpResponse:
    kept.hold_case(case, by=person(request), reason=request.POST.get("reason", ""))
    messages.success(request, f"{case.key} is under a legal hold.")
    return redirect("cases:keeping", case.key)


@require_POST
@case_access(Role.OWNER, while_archived=True)
def release(request: HttpRequest, case: Case) -> HttpResponse:
    kept.release_case(case, by=person(request))
    messages.success(request, f"The legal hold of {case.key} has ended.")
    return redirect("cases:keeping", case.key)


@require_http_methods(["GET", "POST"])
@case_access(Role.OWNER, while_archived=True)
def remove(request: HttpRequest, case: Case) -> HttpResponse:
    """For good, before its days in the trash are over."""
    if not case.is_trashed:
        raise DomainError("Only a case that is in the trash can be removed for good.", status=409)
    if request.method == "POST":
        kept.remove_case(case, by=person(request), why="owner")
        messages.success(request, f"{case.key} and everything in it is gone.")
        return redirect("cases:trash_list")
    return render(request, "cases/remove_confirm.html", {"case": case, "head": case_head(case, current="")})


@require_http_methods(["GET", "POST"])
@administrator
def holds(request: HttpRequest) -> HttpResponse:
    """All holds, for administrators: keys and teams, nothing of what the cases hold."""
    form = HoldForm(request.POST or None)
    if form.is_valid():
        case = form.cleaned_data["case"]
        kept.hold_case(case, by=person(request), reason=form.cleaned_data["reason"])
        messages.success(request, f"{case.key} is under a legal hold.")
        return redirect("cases:holds")
    held = (
        Case.objects.filter(held_at__isnull=False).select_related("team", "held_by").order_by("-held_at")[:HOLDS_SHOWN]
    )
    return render(request, "cases/holds.html", {"form": form, "cases": held}, status=422 if form.is_bound else 200)


@require_POST
@case_of_others
def hold_end(request: HttpRequest, case: Case) -> HttpResponse:
    kept.release_case(case, by=person(request))
    messages.success(request, f"The legal hold of {case.key} has ended.")
    return redirect("cases:holds")
