"""When a signed-in browser was last seen, for the list of sessions."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from apps.accounts.sessions import note_activity_of


def note_activity(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        # After the page: a session that ended in it is not noted. Who brings no cookie has none.
        if (
            settings.SESSION_COOKIE_NAME in request.COOKIES
            and request.session.session_key
            and request.user.is_authenticated
        ):
            note_activity_of(request)
        return response

    return middleware
