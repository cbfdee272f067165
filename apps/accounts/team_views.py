"""Teams: the list of one's own, and the page on which owners run members and invitations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Max, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from apps.accounts import invitations
from apps.accounts import teams as services
from apps.accounts.access import person, signed_in, team_access
from apps.accounts.forms import InvitationForm, MemberForm, NewTeamForm, TeamForm
from apps.accounts.models import Role, Team, TeamMembership
from apps.web.errors import DomainError

OWNERS_SHOWN: Final = 3
SOLVED: Final = "solved"
"""A state of cases, which this app does not know."""


@require_http_methods(["GET", "POST"])
@signed_in
def teams(request: HttpRequest) -> HttpResponse:
    """One's own teams; administrators see all and make new ones."""
    user = person(request)
    if request.method == "POST" and not user.is_administrator:
        raise PermissionDenied
    form = NewTeamForm(request.POST or None)
    made = _done(
        form,
        lambda values: services.create_team(name=values["name"], is_owner=values["is_owner"], by=user),
        field="name",
    )
    if made:
        messages.success(request, f"The team {made.name} is there. Invite its people.")
        return redirect("teams:team", made.slug)
    shown = Team.objects.all() if user.is_administrator else Team.objects.filter(members=user)
    kept = Q(cases__trashed_at__isnull=True)
    counted = shown.annotate(
        cases_n=Count("cases", filter=kept),
        open_n=Count("cases", filter=kept & Q(cases__archived_at__isnull=True) & ~Q(cases__state=SOLVED)),
        changed_at=Max("cases__updated_at", filter=kept),
    ).order_by("name")
    roles = dict(user.team_memberships.values_list("team", "role"))
    members: dict[int, list[TeamMembership]] = defaultdict(list)
    for one in TeamMembership.objects.filter(team__in=shown).select_related("user").order_by("user__username"):
        members[one.team_id].append(one)
    rows = [
        {
            "team": team,
            "role": roles.get(team.pk, ""),
            "people": len(members[team.pk]),
            "owners": _some([str(one.user) for one in members[team.pk] if one.role == Role.OWNER]),
        }
        for team in counted
    ]
    context = {"rows": rows, "form": form if user.is_administrator else None, "section": "teams"}
    return render(request, "accounts/teams.html", context, status=422 if form.is_bound else 200)


def _some(names: list[str]) -> str:
    """The first names, and how many more."""
    more = len(names) - OWNERS_SHOWN
    return ", ".join(names[:OWNERS_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _done(form: forms.Form, act: Callable[[dict[str, Any]], Any], *, field: str) -> Any:
    """What the act gave, or None where the form or the act refuses; the refusal then stands at the field."""
    if not form.is_valid():
        return None
    try:
        return act(form.cleaned_data)
    except DomainError as error:
        form.add_error(field, error.message)
        return None


@require_GET
@team_access(Role.VIEWER)
def team_page(request: HttpRequest, team: Team) -> HttpResponse:
    return _page(request, team)


def _page(request: HttpRequest, team: Team, *, status: int = 200, **forms_and_link: Any) -> HttpResponse:
    owns = team.role is Role.OWNER
    unused = (
        team.invitations.filter(used_at__isnull=True, ends_at__gt=timezone.now())
        .select_related("created_by")
        .order_by("-created_at")
    )
    context = {
        "team": team,
        "owns": owns,
        "members": team.memberships.select_related("user").order_by("-user__is_active", "user__username"),
        "roles": Role.choices,
        "invitations": unused if owns else [],
        "member_form": MemberForm(),
        "invitation_form": InvitationForm(),
        "rename_form": TeamForm(initial={"name": team.name}),
        "section": "teams",
    }
    response = render(request, "accounts/team.html", context | forms_and_link, status=status)
    response.headers["Cache-Control"] = "no-store"
    return response


@require_POST
@team_access(Role.OWNER)
def rename(request: HttpRequest, team: Team) -> HttpResponse:
    form, shown = TeamForm(request.POST), team.name

    def act(values: dict[str, Any]) -> bool:
        services.rename_team(team, name=values["name"], by=person(request))
        return True

    if _done(form, act, field="name"):
        return redirect("teams:team", team.slug)
    team.name = shown
    return _page(request, team, rename_form=form, status=422)


@require_POST
@team_access(Role.OWNER)
def member_add(request: HttpRequest, team: Team) -> HttpResponse:
    """Put somebody on the team, or give another role."""
    form = MemberForm(request.POST)
    made = _done(form, lambda values: services.add_member(team, **values, by=person(request)), field="username")
    if not made:
        return _page(request, team, member_form=form, status=422)
    messages.success(request, f"{made.user} is {made.get_role_display()} of {team.name}.")
    return redirect("teams:team", team.slug)


@require_POST
@team_access(Role.OWNER)
def member_remove(request: HttpRequest, team: Team, membership_id: int) -> HttpResponse:
    membership = get_object_or_404(team.memberships.select_related("user"), pk=membership_id)
    services.remove_member(team, membership, by=person(request))
    messages.success(request, f"{membership.user} is no longer on {team.name}.")
    is_out = membership.user_id == person(request).pk and not person(request).is_administrator
    return redirect("teams:list") if is_out else redirect("teams:team", team.slug)


@never_cache
@require_POST
@team_access(Role.OWNER)
def invitation_make(request: HttpRequest, team: Team) -> HttpResponse:
    """The link is shown once, in the answer to the post."""
    form = InvitationForm(request.POST)
    fresh = _done(form, lambda values: invitations.invite(team=team, by=person(request), **values), field="days")
    if not fresh:
        return _page(request, team, invitation_form=form, status=422)
    link = request.build_absolute_uri(reverse("accounts:invitation", args=[fresh.token]))
    is_sent = bool(fresh.invitation.email) and invitations.send_by_mail(fresh, link=link)
    return _page(request, team, fresh=fresh.invitation, link=link, is_sent=is_sent)


@require_POST
@team_access(Role.OWNER)
def invitation_withdraw(request: HttpRequest, team: Team, invitation_id: int) -> HttpResponse:
    invitations.withdraw(get_object_or_404(team.invitations, pk=invitation_id), by=person(request))
    messages.success(request, "The invitation opens nothing any more.")
    return redirect("teams:team", team.slug)
