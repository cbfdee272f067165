"""The access decorator of shared pages: the token opens its own case, read-only, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render

from apps.accounts.guessing import note_wrong_guess, refuse_guessing
from apps.sharing.models import ShareLink
from apps.sharing.services import is_open, link_of
from apps.web.policy import with_policy

P = ParamSpec("P")
LinkView = Callable[Concatenate[HttpRequest, ShareLink, P], HttpResponseBase]
TokenView = Callable[Concatenate[HttpRequest, str, P], HttpResponseBase]

GUESSING = "share"


def link_access(view: LinkView[P]) -> TokenView[P]:
    """The address gives ``token``, the view is given ``link``. Unknown, ended and revoked links look alike.

    A link that was good once is no guess: only tokens that never were count against the address they come from.
    """

    @wraps(view)
    def checked(request: HttpRequest, token: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        refuse_guessing(request, GUESSING)
        link = link_of(token)
        if link is None:
            note_wrong_guess(request, GUESSING)
        response = _closed(request) if link is None or not is_open(link) else view(request, link, *args, **kwargs)
        response["Cache-Control"] = "no-store"
        response["X-Robots-Tag"] = "noindex, nofollow"
        response["Referrer-Policy"] = "no-referrer"
        return response

    return with_policy(cast("TokenView[P]", checked), "link")


def _closed(request: HttpRequest) -> HttpResponse:
    """What every link that opens nothing answers."""
    return render(request, "sharing/closed.html", status=404)
