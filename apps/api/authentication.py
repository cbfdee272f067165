"""Hands the person whom the middleware found on to Django REST framework."""

from __future__ import annotations

from typing import Any

from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request


class ByToken(BaseAuthentication):
    """The token was looked up before the view; here is only what it gave."""

    def authenticate(self, request: Request) -> tuple[Any, Any] | None:
        token = getattr(request._request, "api_token", None)
        return (token.user, token) if token is not None else None

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002 - the framework's signature
        return "Bearer"
