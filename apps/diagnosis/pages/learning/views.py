"""What a team knows: its entries, their versions and their life."""

from __future__ import annotations

from typing import Final

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from apps.accounts.access import person, signed_in, team_access
from apps.accounts.models import Role, Team, User
from apps.cases.models import Case
from apps.diagnosis.models import Finding
from apps.diagnosis.pages.learning.unjudged import unjudged
from apps.diagnosis.pages.learning.words import words_of_entry
from apps.learning import services
from apps.learning.in_force import entry_of_version
from apps.learning.models import TeamEntry
from parsers.messages.site_entries import toml_of

PAGE: Final = 100
CASES_SHOWN: Final = 20


def _reaches(team: Team, role: Role) -> bool:
    return team.role is not None and team.role.reaches(role)


def _entry(request: HttpRequest, team: Team, entry_id: int) -> TeamEntry:
    return get_object_or_404(services.shown_to(person(request), team), pk=entry_id)


@require_GET
@signed_in
def nobody_judged(request: HttpRequest) -> HttpResponse:
    """Only of cases that the reader may see."""
    context = {"found": unjudged(person(request), request.GET), "section": "cases"}
    return render(request, "learning/unjudged.html", context)


@require_GET
@team_access(Role.VIEWER)
def entries(request: HttpRequest, team: Team) -> HttpResponse:
    """All entries of a team but drafts of others."""
    rows = services.shown_to(person(request), team).select_related("author").order_by("state", "name")
    page = Paginator(rows, PAGE).get_page(request.GET.get("page"))
    says = services.latest_words(page.object_list)
    context = {
        "team": team,
        "page": page,
        "rows": [{"entry": row, "says": says[row.pk]} for row in page.object_list],
        "may_write": _reaches(team, Role.EDITOR),
        "section": "teams",
    }
    return render(request, "learning/entries.html", context)


@require_GET
@team_access(Role.VIEWER)
def entry(request: HttpRequest, team: Team, entry_id: int) -> HttpResponse:
    """One entry: what it fits, what it means, its versions, and the cases in which it speaks."""
    row, user = _entry(request, team, entry_id), person(request)
    versions = list(row.versions.select_related("by").order_by("-number"))
    latest = entry_of_version(versions[0])
    owns, writes = _reaches(team, Role.OWNER), _reaches(team, Role.EDITOR)
    spoken = _speaks_in(row, user)
    context = {
        "team": team,
        "entry": row,
        "says": latest,
        "words": words_of_entry(latest),
        "versions": [{"row": one, "file": toml_of([entry_of_version(one)])} for one in versions],
        "origin": Case.objects.visible_to(user).live().filter(pk=row.case_id or 0).first(),
        "spoken": spoken[:CASES_SHOWN],
        "spoken_n": len(spoken),
        "may_write": writes,
        "may_propose": writes and row.state == TeamEntry.State.DRAFT,
        "may_offer": owns and row.in_force is not None,
        "may_rule": owns and row.state == TeamEntry.State.PROPOSED,
        "may_withdraw": row.state != TeamEntry.State.WITHDRAWN and (owns or (writes and row.in_force is None)),
        "section": "teams",
    }
    return render(request, "learning/entry.html", context)


def _speaks_in(row: TeamEntry, user: User) -> list[Finding]:
    """Findings of present diagnoses that rest on the entry, of cases that the person may see, changed last first."""
    visible = Case.objects.visible_to(user).live().filter(team=row.team_id)
    current = F("diagnosis__case__current_diagnosis")
    found = Finding.objects.filter(knowledge__entry=row.pk, diagnosis=current, diagnosis__case__in=visible)
    return list(found.select_related("diagnosis__case").order_by("-diagnosis__case__updated_at", "order"))


@require_POST
@team_access(Role.EDITOR)
def propose(request: HttpRequest, team: Team, entry_id: int) -> HttpResponse:
    services.propose(_entry(request, team, entry_id), by=person(request))
    messages.success(request, "The team sees it now. An owner puts it in force.")
    return redirect("learning:entry", team.slug, entry_id)


@require_POST
@team_access(Role.OWNER)
def put_in_force(request: HttpRequest, team: Team, entry_id: int) -> HttpResponse:
    services.put_in_force(_entry(request, team, entry_id), by=person(request))
    messages.success(
        request, "It is in force. The cases of the team are judged with it one after the other, old ones too."
    )
    return redirect("learning:entry", team.slug, entry_id)


@require_POST
@team_access(Role.EDITOR)
def withdraw(request: HttpRequest, team: Team, entry_id: int) -> HttpResponse:
    row = _entry(request, team, entry_id)
    services.withdraw(row, by=person(request), why=request.POST.get("why", ""))
    messages.success(request, "It is withdrawn and judges nothing any more. Its versions are kept.")
    return redirect("learning:entry", team.slug, entry_id)
