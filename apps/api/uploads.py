"""The tus protocol for programs: uploads that go on after a lost connection, as those of the pages, by a token of scope
write.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from apps.api.models import ApiToken
from apps.ingest.views import tus

NO_TOKEN = "Send a token of scope write: Authorization: Bearer lsc_…"  # noqa: S105  no secret, a sentence
ASKS = frozenset(("HEAD", "OPTIONS"))

View = Callable[..., HttpResponse]


def _by_token(view: View) -> View:
    @csrf_exempt  # a token is not sent by itself, as a cookie is
    @wraps(view)
    def checked(request: HttpRequest, **kwargs: str) -> HttpResponse:
        token: ApiToken | None = getattr(request, "api_token", None)
        if token is None:
            return tus.refused(NO_TOKEN, 401)
        if token.scope != ApiToken.Scope.WRITE and request.method not in ASKS:
            return tus.refused(NO_TOKEN, 403)
        return view(request, **kwargs)

    return checked


resumable = _by_token(tus.resumable)
resumable_one = _by_token(tus.resumable_one)
