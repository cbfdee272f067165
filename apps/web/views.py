"""Health, version, and the pages for what went wrong."""

from __future__ import annotations

import platform
import sys

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
AWAY = {"database": "The database", "queue": "The queue", "storage": "The storage of files"}


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
@public
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
    if "text/html" in request.headers.get("Accept", ""):
        return HttpResponse(render_to_string("web/503.html", {"what": AWAY[part]}), status=503, headers=headers)
    text = f"{AWAY[part]} cannot be reached at the moment. Nothing is lost; try again in a minute.\n"
    return HttpResponse(text, status=503, headers=headers, content_type="text/plain; charset=utf-8")


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    del reason  # it is for developers and would only puzzle
    message = "This page had been open too long, or cookies are off. Go back, reload the page and try again."
    return error_response(request, message, status=403)
