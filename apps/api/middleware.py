"""Who a program acts for: looked up before anything else asks, so that size limits and views see a person."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from apps.accounts.guessing import is_guessing, note_wrong_guess
from apps.api.problems import problem
from apps.api.services import note_use, token_of, was_token
from apps.web.middleware import holds_nul

PATHS = "/api/"
UNSTORABLE = "A parameter holds NUL, which no text does."
GUESSING = "api"
TOO_MANY = "Too many tokens that do not exist were sent from this address. Wait 15 minutes."
BAD_TOKEN = "This token is not known, has ended, or was revoked. Make a new one under account, API tokens."  # noqa: S105  no secret, a sentence


def is_read_by_session(request: HttpRequest) -> bool:
    """For the few views that tell nothing of a case: a browser that is signed in may read them without a token."""
    signed_in = getattr(request, "session_person", None)
    return request.method in {"GET", "HEAD"} and signed_in is not None and signed_in.is_authenticated


def _refused(request: HttpRequest, text: str) -> HttpResponse:
    """A good token passes whatever others behind its address do, and one that was good once is no guess."""
    if was_token(text):
        return problem(401, BAD_TOKEN)
    if is_guessing(request, GUESSING):
        return problem(429, TOO_MANY)
    note_wrong_guess(request, GUESSING)
    return problem(401, BAD_TOKEN)


def bearer_token(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Below /api/ only a token counts: a session's cookie would need protection against forged requests."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if not request.path.startswith(PATHS):
            return get_response(request)
        from django.contrib.auth.models import AnonymousUser

        scheme, _, text = request.headers.get("Authorization", "").partition(" ")
        token = token_of(text.strip()) if scheme.lower() == "bearer" else None
        if text and token is None:
            return _refused(request, text.strip())
        if holds_nul(request.GET):
            return problem(422, UNSTORABLE)
        request.session_person = request.user  # type: ignore[attr-defined]
        request.user = token.user if token else AnonymousUser()
        request.api_token = token  # type: ignore[attr-defined]
        if token is not None:
            note_use(token)
        return get_response(request)

    return middleware
