"""The raw text of one file, in windows: whatever its size, a few hundred lines are read and sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET

from apps.audit.services import record
from apps.cases import storage
from apps.cases.access import Role, case_access
from apps.cases.files.downloads import as_attachment
from apps.cases.files.line_words import line_words
from apps.cases.files.marks import line_marks, marked_findings
from apps.cases.files.page import file_context
from apps.cases.files.sections import not_understood_between
from apps.cases.files.window import LINE_BYTES, FileQuery, view_lines
from apps.cases.models import Artifact, Case
from apps.cases.page.head import case_head
from apps.cases.storage.textblob import TextBlob


@require_GET
@case_access(Role.VIEWER)
def file_page(request: HttpRequest, case: Case, artifact_id: int) -> HttpResponse:
    artifact = _artifact(case, artifact_id)
    address = reverse("cases:file", args=[case.key, artifact.pk])
    if line := request.GET.get("go", "").strip().replace(" ", ""):
        if not (line.isascii() and line.isdigit() and len(line) <= 15):
            raise BadRequest
        return redirect(f"{address}?line={line}#L{line}")
    context: dict[str, Any] = {"case": case, "artifact": artifact, "source": _source(artifact)}
    query = FileQuery.from_query(request.GET)
    context |= file_context(case, artifact, _source(artifact), query)
    crumbs = [
        {"label": "Files", "url": reverse("cases:files", args=[case.key])},
        {"label": artifact.path.replace("!", " › ")},
    ]
    context["head"] = case_head(
        case, current="files", title=artifact.path.rsplit("/", 1)[-1], crumbs=crumbs, chips=context["chips"]
    )
    return render(request, "cases/file.html", context)


@require_GET
@case_access(Role.VIEWER)
def file_lines(request: HttpRequest, case: Case, artifact_id: int) -> HttpResponse:
    """Lines alone, for the window that grows while scrolling."""
    source = _source(_artifact(case, artifact_id))
    if not source.blob:
        raise Http404
    query = FileQuery.from_query(request.GET)
    first = query.start or 1
    with storage.open_file(source.blob) as file:
        raw = TextBlob.open(file).lines(first, query.count, line_bytes=LINE_BYTES)
    last = first + len(raw) - 1
    marks = line_marks(marked_findings(case, source), first, last)
    lines = view_lines(raw, query, marks, not_understood_between(source, first, last))
    return render(request, "cases/_lines.html", {"lines": lines})


@require_GET
@case_access(Role.VIEWER)
def file_words(request: HttpRequest, case: Case, artifact_id: int) -> HttpResponse:
    """One line in words, as a card: what the pointer or the key e asks for."""
    source = _source(_artifact(case, artifact_id))
    query = FileQuery.from_query(request.GET)
    if not source.blob or query.first is None:
        raise Http404
    with storage.open_file(source.blob) as file:
        raw = TextBlob.open(file).lines(query.first, 1, line_bytes=LINE_BYTES)
    text = raw[0][1].decode("utf-8", "replace") if raw else ""
    return render(request, "cases/_words.html", {"words": line_words(text), "line": query.first})


@require_GET
@case_access(Role.VIEWER)
def file_raw(request: HttpRequest, case: Case, artifact_id: int) -> HttpResponseBase:
    artifact = _artifact(case, artifact_id)
    source = _source(artifact)
    if not source.blob:
        raise Http404
    file = storage.open_file(source.blob)
    blob = TextBlob.open(file)

    def pieces() -> Iterator[bytes]:
        with file:
            for block in blob.blocks():
                yield block.data

    record("file.downloaded", case=case, request=request, path=artifact.path)
    response = as_attachment(StreamingHttpResponse(pieces()), artifact.path)
    response.headers["Content-Length"] = str(blob.text_bytes)
    return response


def _artifact(case: Case, artifact_id: int) -> Artifact:
    return get_object_or_404(case.artifacts.select_related("duplicate_of", "bundle"), pk=artifact_id)


def _source(artifact: Artifact) -> Artifact:
    """Where the text of a duplicate lies; in the same case, as files are only recognised within one."""
    return artifact.duplicate_of or artifact
