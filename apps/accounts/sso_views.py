"""To the provider of single sign-on and back."""

from __future__ import annotations

import logging

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
    try:
        response: HttpResponse = oidc.login(request, provider_id)
    except (RequestException, KeyError, ValueError) as error:
        logger.warning("the provider of single sign-on did not answer: %s", type(error).__name__)
        return render(request, "socialaccount/authentication_error.html", status=502)
    return response


@never_cache
@require_GET
@public
def callback(request: HttpRequest, provider_id: str) -> HttpResponse:
    try:
        response: HttpResponse = oidc.callback(request, provider_id)
    except (RequestException, KeyError, ValueError) as error:
        logger.warning("the answer of single sign-on could not be used: %s", type(error).__name__)
        return render(request, "socialaccount/authentication_error.html", status=502)
    return response
