"""What each view of the API needs: a token, its scope, and a role in the case. What is read carries an ETag."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpResponseBase
from django.views.decorators.http import conditional_page
from rest_framework import exceptions
from rest_framework.decorators import api_view, parser_classes
from rest_framework.parsers import BaseParser, MultiPartParser
from rest_framework.request import Request

from apps.accounts.access import team_for
from apps.api.middleware import is_read_by_session
from apps.api.models import ApiToken
from apps.api.parsing import JSONParser
from apps.api.unchanged import HEADER, refuse_changed, tagged
from apps.cases.access import Role, case_for
from apps.cases.lifetime.keeping import refuse_archived
from apps.cases.services import lock_case
from apps.web.policy import with_policy

View = Callable[..., HttpResponseBase]
READS = frozenset(("GET", "HEAD", "OPTIONS"))
JSON_ALONE: tuple[type[BaseParser], ...] = (JSONParser,)
JSON_OR_FILES: tuple[type[BaseParser], ...] = (MultiPartParser, JSONParser)
ALSO_ARCHIVED = READS | {"DELETE"}  # links are revoked and cases trashed from the archive too


def endpoint(methods: list[str], *, by_session: bool = False) -> Callable[[View], Callable[..., HttpResponseBase]]:
    """For somebody with a token; with `by_session`, also for who is signed in, to read."""

    def decorate(view: View) -> Callable[..., HttpResponseBase]:
        @api_view(methods)
        @wraps(view)
        def checked(request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not (by_session and is_read_by_session(request._request)):
                _refuse_without_token(request)
            return view(request, *args, **kwargs)

        return with_policy(conditional_page(checked), "signed_in")

    return decorate


def case_endpoint(
    methods: list[str],
    *,
    read: Role = Role.VIEWER,
    write: Role = Role.EDITOR,
    body: tuple[type[BaseParser], ...] = JSON_ALONE,
) -> Callable[[View], Callable[..., HttpResponseBase]]:
    """The address gives `key`, the view is given `case`: by reading with one role, by anything else with another."""

    def decorate(view: View) -> Callable[..., HttpResponseBase]:
        @api_view(methods)
        @parser_classes(body)
        @wraps(view)
        def checked(request: Request, key: str, *args: Any, **kwargs: Any) -> HttpResponseBase:
            token = _refuse_without_token(request)
            case = case_for(token.user, key, read if request.method in READS else write)
            if request.method not in ALSO_ARCHIVED:
                refuse_archived(case)
            if request.method in READS:
                return tagged(view(request, case, *args, **kwargs))
            if HEADER not in request.headers:
                return view(request, case, *args, **kwargs)
            with transaction.atomic():
                lock_case(case.pk)
                case = case_for(token.user, key, write)  # as it is now that nobody else changes it
                refuse_changed(request, view, case, *args, **kwargs)
                return view(request, case, *args, **kwargs)

        return with_policy(conditional_page(checked), f"case:{read}")

    return decorate


def team_endpoint(methods: list[str]) -> Callable[[View], Callable[..., HttpResponseBase]]:
    """The address gives `slug`, the view is given `team`: viewers read, editors do the rest."""

    def decorate(view: View) -> Callable[..., HttpResponseBase]:
        @api_view(methods)
        @parser_classes(JSON_ALONE)
        @wraps(view)
        def checked(request: Request, slug: str, *args: Any, **kwargs: Any) -> HttpResponseBase:
            token = _refuse_without_token(request)
            reads = request.method in READS
            team = team_for(token.user, slug, Role.VIEWER if reads else Role.EDITOR)
            answer = view(request, team, *args, **kwargs)
            return tagged(answer) if reads else answer

        return with_policy(conditional_page(checked), f"team:{Role.VIEWER}")

    return decorate


def _refuse_without_token(request: Request) -> ApiToken:
    token: ApiToken | None = getattr(request, "api_token", None)
    if token is None:
        raise exceptions.NotAuthenticated("Send a token: Authorization: Bearer lsc_…")
    if request.method not in READS and token.scope != ApiToken.Scope.WRITE:
        raise PermissionDenied
    return token
