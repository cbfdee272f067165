"""To the provider of single sign-on and back."""

from __future__ import annotations

import logging
from collections.abc import Callable

from allauth.socialaccount.providers.openid_connect import views as oidc
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from requests import RequestException

from apps.accounts.access import public

logger = logging.getLogger(__name__)


@never_cache
@require_GET
@public
def begin(request: HttpRequest, provider_id: str) -> HttpResponse:
    """The provider is asked for its addresses first, and may be away."""
    return _guarded(oidc.login, request, provider_id, "the provider of single sign-on did not answer")


@never_cache
@require_GET
@public
def callback(request: HttpRequest, provider_id: str) -> HttpResponse:
    return _guarded(oidc.callback, request, provider_id, "the answer of single sign-on could not be used")


def _guarded(view: Callable[..., HttpResponse], request: HttpRequest, provider_id: str, otherwise: str) -> HttpResponse:
    try:
        return view(request, provider_id)
    except (RequestException, KeyError, ValueError) as error:
        logger.warning("%s: %s", otherwise, type(error).__name__)
        return render(request, "socialaccount/authentication_error.html", status=502)
