"""Errors as `application/problem+json` (RFC 9457): a status, a title, and one sentence that says what to do."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from rest_framework import exceptions
from rest_framework.response import Response

from apps.web import views
from apps.web.errors import TITLES, DomainError
from apps.web.policy import public

MEDIA_TYPE = "application/problem+json"
NOT_FOUND = "There is no such thing among the cases that this token may see."
FORBIDDEN = "This token may not do that: its scope is read, or its owner has no such role in the case."


def problem(status: int, detail: str, **more: Any) -> JsonResponse:
    """One error."""
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
    body = {"title": TITLES.get(status, "Refused"), "status": status, "detail": detail, **more}
    return JsonResponse(body, status=status, content_type=MEDIA_TYPE, headers=headers)


def handle(error: Exception, _context: dict[str, Any]) -> Response | JsonResponse | None:
    """What Django REST framework calls for an error in a view; None leaves it to Django, which logs it and
    answers 500.
    """
    if isinstance(error, DomainError):
        return problem(error.status, error.message)
    if isinstance(error, Http404):
        return problem(404, NOT_FOUND)
    if isinstance(error, PermissionDenied):
        return problem(403, FORBIDDEN)
    if isinstance(error, exceptions.ValidationError):
        return problem(422, "Some fields are missing or wrong.", fields=error.detail)
    if isinstance(error, exceptions.APIException):
        return problem(error.status_code, str(error.detail))
    return None


@csrf_exempt  # nothing is changed here, and a program gets a reason for its address rather than for a form
@public
def not_found(_request: HttpRequest, **_kwargs: Any) -> JsonResponse:
    """For addresses below /api/ that mean nothing."""
    return problem(404, "There is nothing at this address. The list of addresses is at /docs/api/.")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """What was refused before a view was asked, such as a form that is damaged or holds a NUL."""
    if request.path.startswith("/api/"):
        return problem(400, "The request could not be understood: its address or its form is damaged.")
    return views.bad_request(request, exception)
