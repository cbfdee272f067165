"""The access decorators of shared pages: the token opens its own case, read-only, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render

from apps.accounts.access import sign_in_first
from apps.accounts.guessing import note_wrong_guess, refuse_guessing
from apps.sharing.levels import level_of
from apps.sharing.models import ShareLink
from apps.sharing.services import is_open, link_of, note_refusal
from apps.sharing.visits import begin_visit, is_gated, is_visited
from apps.web.policy import with_policy

P = ParamSpec("P")
LinkView = Callable[Concatenate[HttpRequest, ShareLink, P], HttpResponseBase]
TokenView = Callable[Concatenate[HttpRequest, str, P], HttpResponseBase]

GUESSING = "share"


def link_access(view: LinkView[P]) -> TokenView[P]:
    """The address gives ``token``, the view is given ``link``. Unknown, ended, revoked and used up links look alike.

    A link that was good once is no guess: only tokens that never were count against the address they come from, and
    only such are refused there.
    """
    return _guarded(view, _let_in)


def gate_access(view: LinkView[P]) -> TokenView[P]:
    """For the form in front of a link: open and for this reader, but not opened yet."""
    return _guarded(view, lambda request, link: None)


def _guarded(view: LinkView[P], let_in: Callable[[HttpRequest, ShareLink], HttpResponseBase | None]) -> TokenView[P]:
    @wraps(view)
    def checked(request: HttpRequest, token: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        link = link_of(token)
        if link is None:
            refuse_guessing(request, GUESSING)
            note_wrong_guess(request, GUESSING)
            response: HttpResponseBase = _closed(request)
        else:
            response = _stopped(request, link) or let_in(request, link) or view(request, link, *args, **kwargs)
        response["Cache-Control"] = "no-store"
        response["X-Robots-Tag"] = "noindex, nofollow"
        response.headers.setdefault("Referrer-Policy", "no-referrer")
        return response

    return with_policy(cast("TokenView[P]", checked), "link")


def _stopped(request: HttpRequest, link: ShareLink) -> HttpResponse | None:
    """Closed, or not for this reader; None where it goes on."""
    if not is_open(link):
        note_refusal(link, request)
        return _closed(request)
    if level_of(link).needs_account and not request.user.is_authenticated:
        return sign_in_first(request)
    return None


def _let_in(request: HttpRequest, link: ShareLink) -> HttpResponseBase | None:
    """The form where the link has one; else the visit begins with this very request."""
    if is_visited(request, link):
        return None
    if link.is_used_up:
        note_refusal(link, request)
        return _closed(request)
    if is_gated(link):
        return gate(request, link)
    return None if begin_visit(request, link) else _closed(request)


def gate(request: HttpRequest, link: ShareLink, *, error: str = "", status: int = 200) -> HttpResponse:
    """Asks for the password, or for a click: a program that only looks at an address for a preview must not use up an
    opening.
    """
    context = {"asks_password": bool(link.password), "error": error, "is_limited": link.views_most is not None}
    response = render(request, "sharing/gate.html", context, status=status)
    # With no referrer at all browsers send "Origin: null" with the form, and its token would be refused; the origin
    # alone names no link.
    response.headers["Referrer-Policy"] = "origin"
    return response


def closed(request: HttpRequest) -> HttpResponse:
    """For a view that finds the last opening taken."""
    return _closed(request)


def _closed(request: HttpRequest) -> HttpResponse:
    """What every link that opens nothing answers."""
    return render(request, "sharing/closed.html", status=404)
