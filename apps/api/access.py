"""What each view of the API needs: a token, its scope, and a role in the case."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpResponseBase
from rest_framework import exceptions
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.models import ApiToken
from apps.cases.access import Role, case_for
from apps.cases.keeping import refuse_archived
from apps.web.policy import with_policy

View = Callable[..., Response]
READS = frozenset(("GET", "HEAD", "OPTIONS"))
ALSO_ARCHIVED = READS | {"DELETE"}  # links are revoked and cases trashed from the archive too


def endpoint(methods: list[str]) -> Callable[[View], Callable[..., HttpResponseBase]]:
    """For somebody with a token."""

    def decorate(view: View) -> Callable[..., HttpResponseBase]:
        @api_view(methods)
        @wraps(view)
        def checked(request: Request, *args: Any, **kwargs: Any) -> Response:
            _refuse_without_token(request)
            return view(request, *args, **kwargs)

        return with_policy(checked, "signed_in")

    return decorate


def case_endpoint(
    methods: list[str], *, read: Role = Role.VIEWER, write: Role = Role.EDITOR
) -> Callable[[View], Callable[..., HttpResponseBase]]:
    """The address gives `key`, the view is given `case`: by reading with one role, by anything else with another."""

    def decorate(view: View) -> Callable[..., HttpResponseBase]:
        @api_view(methods)
        @wraps(view)
        def checked(request: Request, key: str, *args: Any, **kwargs: Any) -> Response:
            token = _refuse_without_token(request)
            case = case_for(token.user, key, read if request.method in READS else write)
            if request.method not in ALSO_ARCHIVED:
                refuse_archived(case)
            return view(request, case, *args, **kwargs)

        return with_policy(checked, f"case:{read}")

    return decorate


def _refuse_without_token(request: Request) -> ApiToken:
    token: ApiToken | None = getattr(request, "api_token", None)
    if token is None:
        raise exceptions.NotAuthenticated("Send a token: Authorization: Bearer lsc_…")
    if request.method not in READS and token.scope != ApiToken.Scope.WRITE:
        raise PermissionDenied
    return token
