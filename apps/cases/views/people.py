"""The people of a case: its team, who is named for it, and handing it to another team."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from apps.accounts.models import Team, User
from apps.cases.access import Role, case_access, person
from apps.cases.forms import PersonForm, TransferForm
from apps.cases.models import Case
from apps.cases.page.head import case_head
from apps.cases.people.members import name_person, people_on, remove_person, team_named, transfer_case
from apps.web.errors import DomainError


@require_GET
@case_access(Role.VIEWER)
def people(request: HttpRequest, case: Case) -> HttpResponse:
    return _page(request, case, PersonForm())


def _page(request: HttpRequest, case: Case, form: PersonForm, status: int = 200) -> HttpResponse:
    context: dict[str, Any] = {
        "case": case,
        "head": case_head(case, current="", title="People", crumbs=[{"label": "People"}]),
        "people": people_on(case),
        "named": case.memberships.filter(user__is_active=True).select_related("user").order_by("user__username"),
        "form": form,
        "roles": Role.choices,
    }
    return render(request, "cases/people.html", context, status=status)


@require_POST
@case_access(Role.OWNER, while_archived=True)
def person_add(request: HttpRequest, case: Case) -> HttpResponse:
    """Name somebody for this case, or change the role of who is named."""
    form = PersonForm(request.POST)
    if form.is_valid():
        try:
            named = name_person(
                case, username=form.cleaned_data["username"], role=form.cleaned_data["role"], by=person(request)
            )
        except DomainError as error:
            form.add_error("username", error.message)
        else:
            messages.success(request, f"{named.user} is {named.get_role_display()} of this case.")
            return redirect("cases:people", case.key)
    return _page(request, case, form, status=422)


@require_POST
@case_access(Role.OWNER, while_archived=True)
def person_remove(request: HttpRequest, case: Case, membership_id: int) -> HttpResponse:
    membership = get_object_or_404(case.memberships.select_related("user"), pk=membership_id)
    remove_person(case, membership, by=person(request))
    messages.success(request, f"{membership.user} is no longer named for this case.")
    # Who took themselves out may not see the page any more.
    return redirect("cases:list") if membership.user_id == person(request).pk else redirect("cases:people", case.key)


@require_http_methods(["GET", "POST"])
@case_access(Role.OWNER)
def transfer(request: HttpRequest, case: Case) -> HttpResponse:
    """To another team: teams of one's own are offered, any other is named exactly."""
    form = TransferForm(request.POST or None)
    if form.is_valid():
        try:
            team = team_named(form.cleaned_data["team"])
            transfer_case(case, team, by=person(request))
        except DomainError as error:
            form.add_error("team", error.message)
        else:
            messages.success(request, f"{case.key} is with {team.name} now.")
            return redirect("cases:list")
    context = {
        "case": case,
        "head": case_head(case, current="", title="Move to another team", crumbs=[{"label": "Move to another team"}]),
        "form": form,
        "own_teams": _own_teams(person(request), case),
    }
    return render(request, "cases/transfer.html", context, status=422 if form.is_bound else 200)


def _own_teams(user: User, case: Case) -> list[Team]:
    return list(user.teams.exclude(pk=case.team_id).order_by("name"))
