"""A browser in which somebody signed in before: whoever guesses their password elsewhere can't lock them out of it.

It opens nothing by itself. The cookie is void with the next password.
"""

from __future__ import annotations

from typing import Any, Final, TypeVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare, salted_hmac

from apps.accounts.models import User

COOKIE: Final = "lockscope_device"
SALT: Final = "lockscope.accounts.known_device"
KEPT_S: Final = 180 * 24 * 3600
Answer = TypeVar("Answer", bound=HttpResponse)


def remember(response: Answer, user: User) -> Answer:
    """Their password was right here."""
    response.set_signed_cookie(
        COOKIE,
        _mark(user),
        salt=SALT,
        max_age=KEPT_S,
        path=settings.SESSION_COOKIE_PATH,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return response


def is_known(request: HttpRequest, credentials: dict[str, Any] | None = None) -> bool:
    """Whether the browser is one of the person whose name is given; also called by django-axes."""
    name = (credentials or {}).get("username")
    mark = request.get_signed_cookie(COOKIE, default="", salt=SALT, max_age=KEPT_S) or ""
    user = User.objects.filter(username=name).first() if name and mark else None
    return user is not None and constant_time_compare(mark, _mark(user))


def _mark(user: User) -> str:
    return salted_hmac(SALT, f"{user.pk}:{user.password}", algorithm="sha256").hexdigest()[:32]
