"""How a view gets its case: only through this decorator, which looks among the cases its reader may see."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode

from apps.accounts.access import person, public, sign_in_first, signed_in
from apps.accounts.models import Role, TeamMembership, User
from apps.cases.lifetime.keeping import refuse_archived
from apps.cases.models import Case, CaseMembership
from apps.cases.people.visits import open_visit
from apps.web.htmx import is_fragment_request
from apps.web.policy import with_policy

__all__ = ["Role", "case_access", "case_for", "case_of_others", "person", "public", "signed_in"]

READS = frozenset({"GET", "HEAD", "OPTIONS"})
SELDOM_NEEDED = ("search_text", "spark", "current_diagnosis__summary")
"""Large columns, fetched once something asks for them: most pages of a case show what is kept of its diagnosis."""

P = ParamSpec("P")
CaseView = Callable[Concatenate[HttpRequest, Case, P], HttpResponseBase]
KeyView = Callable[Concatenate[HttpRequest, str, P], HttpResponseBase]


def case_access(needed: Role, *, while_archived: bool = False) -> Callable[[CaseView[P]], KeyView[P]]:
    """The address gives `key`, the view is given `case`. Strangers learn nothing (404); too low a role learns why
    (403).

    What changes an archived case is refused (409), unless the view is there for archived cases too. Put it next to the
    function, below the decorator that checks the method.
    """

    def decorate(view: CaseView[P]) -> KeyView[P]:
        @wraps(view)
        def checked(request: HttpRequest, key: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return sign_in_first(request)
            try:
                case = case_for(request.user, key, needed)
            except Http404:
                if _may_state_a_reason(request, key):
                    return redirect(
                        f"{reverse('cases:visit', args=[key])}?{urlencode({'next': request.get_full_path()})}"
                    )
                raise
            if request.method not in READS and not while_archived:
                refuse_archived(case)
            return view(request, case, *args, **kwargs)

        return with_policy(cast("KeyView[P]", checked), f"case:{needed}")

    return decorate


def _may_state_a_reason(request: HttpRequest, key: str) -> bool:
    """An administrator who opens a page of a case of others is asked why; what scripts ask for stays not found."""
    user = person(request)
    if request.method != "GET" or not user.is_administrator or is_fragment_request(request):
        return False
    # A case that is there for this person and yet not found lies in the trash.
    return Case.objects.live().filter(key=key).exists() and not Case.objects.visible_to(user).filter(key=key).exists()


def case_of_others(view: CaseView[P]) -> KeyView[P]:
    """For administrators, who may know that a case is there and set its hold, but see nothing of it before they state a
    reason.
    """

    @wraps(view)
    def checked(request: HttpRequest, key: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return sign_in_first(request)
        if not request.user.is_administrator:
            raise Http404
        case = Case.objects.select_related("team").filter(key=key).first()
        if case is None:
            raise Http404
        return view(request, case, *args, **kwargs)

    return with_policy(cast("KeyView[P]", checked), "case:administrator")


def case_for(user: User, key: str, needed: Role) -> Case:
    """The case with `role` set; Http404 or PermissionDenied otherwise."""
    found = (
        Case.objects.visible_to(user).select_related("team", "current_diagnosis", "assignee", "held_by").filter(key=key)
    )
    case = found.defer(*SELDOM_NEEDED).first()
    if case is None:
        return _visited(user, key, needed)
    case.role = role_in(user, case)
    if case.is_trashed and case.role is not Role.OWNER:
        raise Http404
    if case.role is None or not case.role.reaches(needed):
        raise PermissionDenied
    return case


def _visited(user: User, key: str, needed: Role) -> Case:
    """For an administrator who has stated a reason a while ago: to read, nothing more."""
    visit = open_visit(user, key)
    if visit is None:
        raise Http404
    if needed is not Role.VIEWER:
        raise PermissionDenied
    case: Case = visit.case
    case.role, case.visit = Role.VIEWER, visit
    return case


def role_in(user: User, case: Case) -> Role | None:
    """The higher of what the team and the case itself give."""
    in_team = TeamMembership.objects.filter(user=user, team=case.team_id).values_list("role", flat=True)
    in_case = CaseMembership.objects.filter(user=user, case=case).values_list("role", flat=True)
    roles = [Role(value) for value in in_team.union(in_case)]
    return max(roles, key=lambda role: role.rank, default=None)
