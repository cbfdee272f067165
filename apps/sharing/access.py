"""The access decorator of shared pages: the token opens its own case, read-only, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render

from apps.sharing.models import ShareLink
from apps.sharing.services import open_link
from apps.web.policy import with_policy

P = ParamSpec("P")
LinkView = Callable[Concatenate[HttpRequest, ShareLink, P], HttpResponseBase]
TokenView = Callable[Concatenate[HttpRequest, str, P], HttpResponseBase]


def link_access(view: LinkView[P]) -> TokenView[P]:
    """The address gives ``token``, the view is given ``link``. Unknown, ended and revoked links look alike."""

    @wraps(view)
    def checked(request: HttpRequest, token: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        link = open_link(token)
        if link is None:
            return closed(request)
        response = view(request, link, *args, **kwargs)
        response["Cache-Control"] = "no-store"
        response["X-Robots-Tag"] = "noindex, nofollow"
        response["Referrer-Policy"] = "no-referrer"
        return response

    return with_policy(checked, "link")


def closed(request: HttpRequest) -> HttpResponse:
    """What every link that opens nothing answers."""
    response = render(request, "sharing/closed.html", status=404)
    response["Cache-Control"] = "no-store"
    response["X-Robots-Tag"] = "noindex, nofollow"
    response["Referrer-Policy"] = "no-referrer"
    return response
