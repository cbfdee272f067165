"""Raw text and notes under a link of level colleague. Every other level answers as if these addresses were
not there.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import wraps
from typing import Any, Final, ParamSpec, cast

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_GET

from apps.audit.services import record
from apps.cases import storage
from apps.cases.files.downloads import as_attachment
from apps.cases.files.marks import line_marks, marked_findings
from apps.cases.files.page import file_context
from apps.cases.files.sections import not_understood_between
from apps.cases.files.window import LINE_BYTES, FileQuery, view_lines
from apps.cases.models import Artifact
from apps.cases.page.wallclock import zone_text
from apps.cases.storage.textblob import TextBlob
from apps.sharing.access import LinkView, link_access
from apps.sharing.levels import level_of
from apps.sharing.masking import masked, shown
from apps.sharing.models import ShareLink
from apps.sharing.services import is_still_open, note_view
from apps.sharing.views_shared import head_context, token_in

FILES_SHOWN: Final = 2000
NOTES_SHOWN: Final = 500
P = ParamSpec("P")


def raw_only(view: LinkView[P]) -> LinkView[P]:
    """Other levels learn nothing, not even that there is such a file."""

    @wraps(view)
    def checked(request: HttpRequest, link: ShareLink, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not level_of(link).shows_raw:
            raise Http404
        return view(request, link, *args, **kwargs)

    return cast("LinkView[P]", checked)


def _head(request: HttpRequest, link: ShareLink, current: str) -> dict[str, Any]:
    token = token_in(request)
    view = shown(link, token)
    note_view(link, request, current)
    return {**head_context(link, view, token, current), **masked(view), "token": token}


@require_GET
@link_access
@raw_only
def files(request: HttpRequest, link: ShareLink) -> HttpResponse:
    """Files of the case; the bundles themselves stay with the team."""
    found = link.case.artifacts.select_related("duplicate_of").order_by("bundle_id", "pk")
    context = {"files": found[:FILES_SHOWN], "files_n": found.count()}
    return render(request, "sharing/files.html", {**_head(request, link, "files"), **context})


@require_GET
@link_access
@raw_only
def notes(request: HttpRequest, link: ShareLink) -> HttpResponse:
    """Notes, to read."""
    case = link.case
    found = case.notes.select_related("author", "artifact").order_by("-created_at")[:NOTES_SHOWN]
    context = {"notes": found, "zone": zone_text(case.zone_name, case.zone_min)}
    return render(request, "sharing/notes.html", {**_head(request, link, "notes"), **context})


def _artifact(link: ShareLink, artifact_id: int) -> Artifact:
    return get_object_or_404(link.case.artifacts.select_related("duplicate_of"), pk=artifact_id)


def _source(artifact: Artifact) -> Artifact:
    source = artifact.duplicate_of or artifact
    if not source.blob:
        raise Http404
    return source


@require_GET
@link_access
@raw_only
def file(request: HttpRequest, link: ShareLink, artifact_id: int) -> HttpResponse:
    """The text of one file, in windows."""
    artifact = _artifact(link, artifact_id)
    context = _head(request, link, "files")
    context |= file_context(link.case, artifact, _source(artifact), FileQuery.from_query(request.GET))
    address = reverse("sharing:file_lines", args=[token_in(request), artifact.pk])
    context["lines_url"] = f"{address}?{'&'.join(context['lines_url'].split('?')[1:])}".rstrip("?")
    return render(request, "sharing/file.html", {**context, "artifact": artifact})


@require_GET
@link_access
@raw_only
def file_lines(request: HttpRequest, link: ShareLink, artifact_id: int) -> HttpResponse:
    """Lines alone, for the window that grows while scrolling."""
    source = _source(_artifact(link, artifact_id))
    query = FileQuery.from_query(request.GET)
    first = query.start or 1
    with storage.open_file(source.blob) as blob:
        raw = TextBlob.open(blob).lines(first, query.count, line_bytes=LINE_BYTES)
    last = first + len(raw) - 1
    marks = line_marks(marked_findings(link.case, source), first, last)
    lines = view_lines(raw, query, marks, not_understood_between(source, first, last))
    return render(request, "cases/_lines.html", {"lines": lines})


@require_GET
@link_access
@raw_only
def file_raw(request: HttpRequest, link: ShareLink, artifact_id: int) -> HttpResponseBase:
    """The text as a download, which ends where the link does."""
    artifact = _artifact(link, artifact_id)
    opened = storage.open_file(_source(artifact).blob)
    blob = TextBlob.open(opened)

    def pieces() -> Iterator[bytes]:
        with opened:
            for block in blob.blocks():
                if not is_still_open(link):
                    raise ConnectionAbortedError("the link was closed while a file was being sent")
                yield block.data

    record("file.downloaded", case=link.case, link=link, request=request, path=artifact.path)
    response = as_attachment(StreamingHttpResponse(pieces()), artifact.path)
    response.headers["Content-Length"] = str(blob.text_bytes)
    return response
