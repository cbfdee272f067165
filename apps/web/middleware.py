"""Small middlewares: whose address it is, what the log knows of a request, and headers that every page carries."""

from __future__ import annotations

import uuid
from collections.abc import Callable

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponse

NextHandler = Callable[[HttpRequest], HttpResponse]

SHARED_PREFIX = "/s/"
PERMISSIONS = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"


def forwarded_address(get_response: NextHandler) -> NextHandler:
    """Behind LOCKSCOPE_PROXIES proxies, the address of the client is the entry that the outermost of them wrote."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if settings.PROXIES:
            entries = [
                entry.strip() for entry in request.headers.get("X-Forwarded-For", "").split(",") if entry.strip()
            ]
            if len(entries) >= settings.PROXIES:
                request.META["REMOTE_ADDR"] = entries[-settings.PROXIES]
        return get_response(request)

    return middleware


def log_context(get_response: NextHandler) -> NextHandler:
    """Every log line of a request carries the same id; threads are reused, so the context is emptied first."""

    def middleware(request: HttpRequest) -> HttpResponse:
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request=uuid.uuid4().hex[:12])
        return get_response(request)

    return middleware


def page_headers(get_response: NextHandler) -> NextHandler:
    """Pages hold customers' data: no index, no shared cache; a shared page is kept nowhere and sends no referrer."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers.setdefault("Permissions-Policy", PERMISSIONS)
        response.headers.setdefault("X-Robots-Tag", "noindex, nofollow")
        if request.path_info.startswith(SHARED_PREFIX):
            # A form may tell where it stands, never under which token: with nothing told, a browser's post is refused
            # as forged.
            if response.headers.get("Referrer-Policy") != "origin":
                response.headers["Referrer-Policy"] = "no-referrer"
            response.headers["Cache-Control"] = "private, no-store"
        else:
            response.headers.setdefault("Cache-Control", "private, no-cache")
        return response

    return middleware
