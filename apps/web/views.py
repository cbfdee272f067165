"""Health, version, and the pages for what went wrong."""

from __future__ import annotations

import platform
import sys
from typing import Final

import django
from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.web import health
from apps.web.away import part_away
from apps.web.errors import error_response
from apps.web.policy import public

RETRY_AFTER_S = 10
BACK = "Nothing you uploaded is lost, and what was being read goes on by itself when it is back."
ROOM = "Nothing of this request was kept; what is stored is safe, and reading goes on by itself once there is room."
AWAY: Final = {
    "database": ("The database cannot be reached at the moment", BACK),
    "queue": ("The queue cannot be reached at the moment", BACK),
    "storage": ("The storage of files cannot be reached at the moment", BACK),
    "database_full": ("The database has no room left", f"{ROOM} The administrator has to free room on its disk."),
    "queue_full": (
        "The queue has no room left",
        f"{ROOM} The administrator has to free room on its disk or its memory.",
    ),
    "storage_full": (
        "The disk is full",
        f"{ROOM} The administrator has to free room: empty the trash, set retention, or enlarge the disk.",
    ),
}
"""What is the matter, and what becomes of the reader's work or is to be done."""


@public
@require_safe
@never_cache
@public
def healthz(_request: HttpRequest) -> HttpResponse:
    """The process answers; says nothing about what it depends on, so that a broken database does not restart the web
    server.
    """
    return HttpResponse("ok\n", content_type="text/plain")


@public
@require_safe
@never_cache
@public
def readyz(_request: HttpRequest) -> HttpResponse:
    parts = health.readiness()
    words = {name: "ok" if is_ready else "failed" for name, is_ready in parts.items()}
    return JsonResponse(words, status=200 if all(parts.values()) else 503)


@public
@require_safe
@never_cache
def version(_request: HttpRequest) -> HttpResponse:
    return JsonResponse(
        {"lockscope": settings.VERSION, "django": django.get_version(), "python": platform.python_version()}
    )


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Plain: the host name may be wrong or the request damaged, and then no page can be built on it."""
    del request, exception
    return HttpResponse("The request could not be understood.\n", status=400, content_type="text/plain; charset=utf-8")


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    del exception
    return render(request, "web/403.html", status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Also for what the reader may not see: whether it exists is not told."""
    del exception
    return render(request, "web/404.html", status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    """Without the request's context: what fails may be the very look-up of the user that a page begins with."""
    if part := part_away(sys.exception()):
        return _away(request, part)
    return HttpResponse(render_to_string("web/500.html"), status=500)


def _away(request: HttpRequest, part: str) -> HttpResponse:
    headers = {"Retry-After": str(RETRY_AFTER_S)}
    matter, help_words = AWAY[part]
    if "text/html" in request.headers.get("Accept", ""):
        words = {"matter": matter, "help_words": help_words}
        return HttpResponse(render_to_string("web/503.html", words), status=503, headers=headers)
    text = f"{matter}. {help_words}\n"
    return HttpResponse(text, status=503, headers=headers, content_type="text/plain; charset=utf-8")


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    del reason  # it is for developers and would only puzzle
    message = "This page had been open too long, or cookies are off. Go back, reload the page and try again."
    return error_response(request, message, status=403)
