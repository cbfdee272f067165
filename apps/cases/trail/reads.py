"""Who saw what: every page of a case that was read, and every table that was taken away, becomes an audit event.

The same page read again by the same person within five minutes is one reading: pages that ask for parts of themselves
would fill the trail otherwise. What views record of themselves (bundles, raw files, exports) is not written twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from django.http import HttpRequest, HttpResponseBase

from apps.audit.services import record
from apps.cases.models import Artifact, Case
from apps.web.away import is_first_in
from apps.web.htmx import is_fragment_request

AGAIN_S: Final = 300
OWN_EVENTS: Final = frozenset(
    (
        "cases:bundle_download",
        "cases:file_raw",
        "diagnosis:export_markdown",
        "diagnosis:export_json",
        "diagnosis:export_html",
        "api:export",
        "cases:audit_export",
    )
)
"""Views that write an event themselves."""
PARTS: Final = frozenset(
    ("diagnosis:state", "diagnosis:timeline_json", "diagnosis:evidence", "cases:file_lines", "ingest:progress")
)
"""Parts of a page that is logged as a whole."""


def note_reading(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware behind authentication."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        match = request.resolver_match
        if match is not None and "key" in match.kwargs and request.method == "GET" and response.status_code == 200:
            _note(request, response, match.view_name, match.kwargs)
        return response

    return middleware


def _note(request: HttpRequest, response: HttpResponseBase, view: str, kwargs: dict[str, Any]) -> None:
    if not request.user.is_authenticated or view in OWN_EVENTS or view in PARTS:
        return
    is_taken = "attachment" in response.get("Content-Disposition", "")
    if is_fragment_request(request) and not is_taken:
        return
    what = ":".join(str(part) for part in (view, *(value for name, value in sorted(kwargs.items()) if name != "key")))
    if not is_taken and not is_first_in(f"read:{request.user.pk}:{kwargs['key']}:{what}", AGAIN_S, otherwise=True):
        return
    case = Case.objects.filter(key=kwargs["key"]).only("pk", "key").first()
    if case is not None:
        record(_verb(view, is_taken=is_taken), case=case, request=request, **_detail(case, view, kwargs))


def _verb(view: str, *, is_taken: bool) -> str:
    if is_taken:
        return "table.downloaded"
    if view.startswith("api:"):
        return "case.read_by_program"
    return "file.viewed" if view == "cases:file" else "case.viewed"


def _detail(case: Case, view: str, kwargs: dict[str, Any]) -> dict[str, Any]:
    """The file by its path, a table by its name, a page by what its address is called."""
    if view == "cases:file":
        path = Artifact.objects.filter(case=case, pk=kwargs["artifact_id"]).values_list("path", flat=True).first()
        return {"path": str(path or "")[:300]}
    return {"what": str(kwargs.get("name") or view.partition(":")[2])}
