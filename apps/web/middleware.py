"""Small middlewares: whose address it is, what the log knows of a request, and headers that every page carries."""

from __future__ import annotations

import uuid
from collections.abc import Callable

import structlog
from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse, QueryDict

NextHandler = Callable[[HttpRequest], HttpResponse]

NUL = "\0"
FORMS = {"application/x-www-form-urlencoded", "multipart/form-data"}
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


class RefuseNul:
    """No text of people holds a NUL, and PostgreSQL can store and look up none: 404 or 400 before a view sees one.

    A cookie with one is as good as none. Programs send JSON, whose fields take NUL out by themselves.
    """

    def __init__(self, get_response: NextHandler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        for name in [name for name, value in request.COOKIES.items() if NUL in value]:
            del request.COOKIES[name]
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_: object) -> HttpResponse | None:
        """Behind the check of the form's key, which has read the form."""
        if NUL in request.path_info:
            raise Http404
        if holds_nul(request.GET):
            raise SuspiciousOperation("NUL in an address")
        if request.content_type in FORMS and request.method == "POST" and holds_nul(request.POST):
            raise SuspiciousOperation("NUL in a form")
        return None


def holds_nul(values: QueryDict) -> bool:
    return any(NUL in name or any(NUL in one for one in given) for name, given in values.lists())
