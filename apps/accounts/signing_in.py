"""The one way into a session, whatever proved who somebody is: password, one-time link, invitation."""

from __future__ import annotations

from typing import Final

from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from apps.accounts.models import User
from apps.audit.services import record

BACKEND: Final = "django.contrib.auth.backends.ModelBackend"


def sign_in_as(request: HttpRequest, user: User, *, method: str, to: str = "cases:list") -> HttpResponse:
    login(request, user, backend=BACKEND)
    record("account.signed_in", request=request, method=method)
    return redirect(to)
