"""Decorators for views that need somebody signed in, but no case (for those see apps/cases/access.py)."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast
from urllib.parse import urlsplit

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from django_htmx.http import HttpResponseClientRedirect

from apps.accounts.models import Role, Team, User
from apps.web.htmx import is_fragment_request
from apps.web.policy import public, with_policy

__all__ = ["administrator", "person", "public", "sign_in_first", "signed_in", "team_access", "team_for"]

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def signed_in(view: View[P]) -> View[P]:
    @wraps(view)
    def checked(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return sign_in_first(request)
        return view(request, *args, **kwargs)

    return with_policy(checked, "signed_in")


def administrator(view: View[P]) -> View[P]:
    @wraps(view)
    def checked(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return sign_in_first(request)
        if not request.user.is_administrator:
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return with_policy(checked, "administrator")


TeamView = Callable[Concatenate[HttpRequest, Team, P], HttpResponseBase]
SlugView = Callable[Concatenate[HttpRequest, str, P], HttpResponseBase]


def team_access(needed: Role) -> Callable[[TeamView[P]], SlugView[P]]:
    """The address gives `slug`, the view is given `team` with `role`. Administrators run all teams; strangers learn
    nothing (404).
    """

    def decorate(view: TeamView[P]) -> SlugView[P]:
        @wraps(view)
        def checked(request: HttpRequest, slug: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return sign_in_first(request)
            return view(request, team_for(request.user, slug, needed), *args, **kwargs)

        return with_policy(cast("SlugView[P]", checked), f"team:{needed}")

    return decorate


def team_for(user: User, slug: str, needed: Role) -> Team:
    """The team with `role` set; Http404 or PermissionDenied otherwise."""
    team = get_object_or_404(Team, slug=slug)
    team.role = _role_in(team, user)
    if team.role is None:
        raise Http404
    if not team.role.reaches(needed):
        raise PermissionDenied
    return team


def _role_in(team: Team, user: User) -> Role | None:
    if user.is_administrator:
        return Role.OWNER
    membership = team.memberships.filter(user=user).first()
    return None if membership is None else Role(membership.role)


def person(request: HttpRequest) -> User:
    """Who is signed in, behind a decorator that has made sure of it."""
    if not request.user.is_authenticated:
        raise PermissionDenied
    return request.user


def sign_in_first(request: HttpRequest) -> HttpResponse:
    """A fragment is no place for a sign-in form: htmx is told to load it as a page, which leads back to the page around
    it.

    A script that asks for JSON would follow the redirect and take the form for success, so it is told in words.
    """
    if request.headers.get("Accept", "").startswith("application/json"):
        return HttpResponse(
            "Your session has ended. Sign in again.\n", status=401, content_type="text/plain; charset=utf-8"
        )
    if not is_fragment_request(request):
        # What a form posted is lost; leading back to an address that only takes posts would end in an error.
        return redirect_to_login(request.get_full_path() if request.method == "GET" else "/")
    around = urlsplit(request.headers.get("HX-Current-URL", ""))
    return HttpResponseClientRedirect(redirect_to_login(f"{around.path or '/'}?{around.query}".rstrip("?")).url)
