"""What a user did that cannot be done, and how it is told: a page, a fragment or a line of text with the
right status.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse

from apps.web.htmx import is_fragment_request, render_page

TITLES = {
    400: "This cannot be done",
    403: "This is not allowed",
    404: "There is nothing at this address",
    409: "Something changed in the meantime",
    410: "This has ended",
    412: "Something changed since it was read",
    413: "This is too large",
    422: "Something is missing or wrong",
    429: "Too many attempts",
}


class DomainError(Exception):
    """A refusal whose message is fit for the user. Services raise it; it names no server path and quotes no customer
    text.
    """

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.message = message
        self.status = status


class DomainErrorMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, DomainError):
            return error_response(request, exception.message, status=exception.status)
        return None


def error_response(request: HttpRequest, message: str, *, status: int) -> HttpResponse:
    if not _reads_html(request):
        return HttpResponse(f"{message}\n", status=status, content_type="text/plain; charset=utf-8")
    context = {"title": TITLES.get(status, TITLES[400]), "text": message, "status": status}
    return render_page(request, "web/error.html", partial="web/_error.html", context=context, status=status)


def _reads_html(request: HttpRequest) -> bool:
    """Upload and command-line clients accept anything, but a page would be of no use to them."""
    return is_fragment_request(request) or "text/html" in request.headers.get("Accept", "")


def locked_out(
    request: HttpRequest, _credentials: dict[str, Any] | None = None, *_args: Any, **_kwargs: Any
) -> HttpResponse:
    """Called by django-axes after too many wrong passwords."""
    return error_response(request, "Too many failed attempts to sign in. Wait 15 minutes and try again.", status=429)
