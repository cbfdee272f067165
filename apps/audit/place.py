"""From where the present request comes, so that services need no request to say it."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from contextvars import ContextVar
from typing import Final

from django.http import HttpRequest, HttpResponseBase

HERE: Final[ContextVar[str | None]] = ContextVar("address", default=None)


def note_place(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: what is recorded until the answer is there has the address that asked."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        token = HERE.set(address_of(request))
        try:
            return get_response(request)
        finally:
            HERE.reset(token)

    return middleware


def address_of(request: HttpRequest | None) -> str | None:
    """None on a unix socket, and where a header forwarded something else than an address."""
    try:
        return str(ipaddress.ip_address(request.META["REMOTE_ADDR"])) if request is not None else None
    except (KeyError, ValueError):
        return None
