"""Own cases as tests: keeping one, looking at all of a team again, removing one."""

from __future__ import annotations

from typing import Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from apps.accounts.access import person, team_access
from apps.accounts.models import Role, Team
from apps.cases.access import case_access
from apps.cases.models import Case
from apps.learning.models import Example
from apps.learning.services import may_write
from apps.sharing.examples import keep_example, recheck, remove_example
from apps.web.errors import DomainError

NOT_OF_THE_TEAM: Final = "Only editors of the team {team} keep its examples."
AT_ONCE: Final = 20
"""Examples that one press of the button looks at: the ones that were looked at longest ago."""


@require_GET
@team_access(Role.VIEWER)
def examples(request: HttpRequest, team: Team) -> HttpResponse:
    """What is expected and what was found last."""
    visible = set(Case.objects.visible_to(person(request)).live().values_list("pk", flat=True))
    rows = [
        {"row": row, "case": row.case if row.case_id in visible else None}
        for row in team.examples.select_related("case", "kept_by").order_by("is_as_expected", "-kept_at")
    ]
    may = team.role is not None and team.role.reaches(Role.EDITOR)
    context = {"team": team, "rows": rows, "may_write": may, "section": "teams"}
    return render(request, "sharing/examples.html", context)


@require_POST
@case_access(Role.EDITOR, while_archived=True)
def keep(request: HttpRequest, case: Case) -> HttpResponse:
    """A masked copy of the facts of a solved case."""
    if not may_write(person(request), case.team):
        raise DomainError(NOT_OF_THE_TEAM.format(team=case.team.name), status=409)
    keep_example(case, by=person(request))
    messages.success(request, "Kept as an example, without its names. The page of examples looks at it again.")
    return redirect("sharing:examples", case.team.slug)


@require_POST
@team_access(Role.EDITOR)
def check(request: HttpRequest, team: Team) -> HttpResponse:
    """Judge those again that were looked at longest ago."""
    rows = list(team.examples.select_related("team").order_by("checked_at", "pk")[:AT_ONCE])
    changed = sum(not recheck(row).is_as_expected for row in rows)
    message = f"{len(rows)} looked at, {changed} with another verdict than expected."
    (messages.warning if changed else messages.success)(request, message)
    return redirect("sharing:examples", team.slug)


@require_POST
@team_access(Role.EDITOR)
def remove(request: HttpRequest, team: Team, example_id: int) -> HttpResponse:
    """With its masked facts."""
    remove_example(get_object_or_404(Example, pk=example_id, team=team), by=person(request))
    messages.success(request, "The example is removed.")
    return redirect("sharing:examples", team.slug)
