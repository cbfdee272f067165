"""How a view gets its case: only through this decorator, which looks among the cases its reader may see."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponseBase

from apps.accounts.access import person, public, sign_in_first, signed_in
from apps.accounts.models import Role, TeamMembership, User
from apps.cases.models import Case, CaseMembership
from apps.web.policy import with_policy

__all__ = ["Role", "case_access", "case_for", "person", "public", "signed_in"]

P = ParamSpec("P")
CaseView = Callable[Concatenate[HttpRequest, Case, P], HttpResponseBase]
KeyView = Callable[Concatenate[HttpRequest, str, P], HttpResponseBase]


def case_access(needed: Role) -> Callable[[CaseView[P]], KeyView[P]]:
    """The address gives `key`, the view is given `case`. Strangers learn nothing (404); a role too low is told so (403).

    Put it next to the function, below the decorator that checks the method.
    """

    def decorate(view: CaseView[P]) -> KeyView[P]:
        @wraps(view)
        def checked(request: HttpRequest, key: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return sign_in_first(request)
            return view(request, case_for(request.user, key, needed), *args, **kwargs)

        return with_policy(cast("KeyView[P]", checked), f"case:{needed}")

    return decorate


def case_for(user: User, key: str, needed: Role) -> Case:
    """The case with `role` set; Http404 or PermissionDenied otherwise."""
    case = Case.objects.visible_to(user).select_related("team", "current_diagnosis").filter(key=key).first()
    if case is None:
        raise Http404
    case.role = role_in(user, case)
    if case.is_trashed and case.role is not Role.OWNER:
        raise Http404
    if case.role is None or not case.role.reaches(needed):
        raise PermissionDenied
    return case


def role_in(user: User, case: Case) -> Role | None:
    """The higher of what the team and the case itself give."""
    in_team = TeamMembership.objects.filter(user=user, team=case.team_id).values_list("role", flat=True)
    in_case = CaseMembership.objects.filter(user=user, case=case).values_list("role", flat=True)
    roles = [Role(value) for value in in_team.union(in_case)]
    return max(roles, key=lambda role: role.rank, default=None)
