"""The upload pages: for a new case, and "Add files" on a case, where the state of each file is followed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from apps.accounts.access import person, signed_in
from apps.accounts.models import Team
from apps.cases.access import Role, case_access, case_for
from apps.cases.head import case_head
from apps.cases.models import Artifact, Bundle, Case
from apps.cases.services import create_case
from apps.ingest import progress, receive
from apps.ingest.formats import readable_formats
from apps.ingest.forms import NewCaseForm
from apps.ingest.tasks import queue_bundle, retry_artifact
from apps.web.errors import DomainError
from apps.web.htmx import render_page

DONE = 286  # htmx stops polling


@require_http_methods(["GET", "POST"])
@signed_in
def upload(request: HttpRequest) -> HttpResponse:
    """A page that says limits and formats first; each POST brings files, or a transcript, for a new case or one that is there."""
    if request.method == "POST":
        return _received(request, _case_of(request))
    form = NewCaseForm(user=person(request), initial={"case": request.GET.get("case", "")})
    return render(request, "ingest/upload.html", {"form": form, **_offer()})


def _offer() -> dict[str, Any]:
    return {"limits": progress.limit_rows(), "formats": readable_formats(), "max_bytes": settings.LIMITS.upload_bytes}


def _case_of(request: HttpRequest) -> Case:
    """The case named in the form; else a new one. Files that follow name the case that the first one made."""
    user = person(request)
    if key := request.POST.get("case", ""):
        case = case_for(user, key, Role.EDITOR)
        if case.is_trashed:
            raise DomainError("This case is in the trash. Restore it before adding files.", status=409)
        return case
    form = NewCaseForm(request.POST, user=user)
    if not form.is_valid():
        raise DomainError("You are in no team that may open cases. Ask an administrator for the role editor.", status=422)
    if not _sent(request):
        raise DomainError("Choose at least one file, or paste a transcript.", status=422)
    team: Team = form.cleaned_data["team"]
    return create_case(
        team=team,
        title=form.cleaned_data["title"] or _title_from(request),
        created_by=user,
        customer=form.cleaned_data["customer"],
        ticket=form.cleaned_data["ticket"],
    )


def _title_from(request: HttpRequest) -> str:
    name = request.POST.get("relative_path") or next((f.name or "" for f in request.FILES.getlist("file")), "")
    return name.replace("\\", "/").split("/")[0][:200] or "Pasted transcript"


def _sent(request: HttpRequest) -> bool:
    return bool(request.FILES.getlist("file") or request.POST.get("transcript", "").strip())


@require_http_methods(["GET", "POST"])
@case_access(Role.EDITOR)
def add(request: HttpRequest, case: Case) -> HttpResponse:
    """Add files to a case, and follow how they are read."""
    if request.method == "POST":
        if case.is_trashed:
            raise DomainError("This case is in the trash. Restore it before adding files.", status=409)
        return _received(request, case)
    context = {
        "case": case,
        "head": case_head(case, current="files", title="Add files", crumbs=[{"label": "Add files"}]),
        "reading": progress.of_case(case, request.GET.get("state", "")),
        **_offer(),
    }
    return render_page(request, "ingest/add.html", partial="ingest/_reading.html", context=context)


def _received(request: HttpRequest, case: Case) -> HttpResponse:
    user = person(request)
    uploads: Sequence[UploadedFile] = request.FILES.getlist("file")
    names = request.POST.getlist("relative_path")
    bundles = [
        receive.store_upload(case, upload, filename=names[i] if i < len(names) and names[i] else upload.name or "unnamed", user=user)
        for i, upload in enumerate(uploads)
    ]
    if text := request.POST.get("transcript", "").strip("\r\n"):
        bundles.append(receive.store_text(case, text, user=user))
    if not bundles:
        raise DomainError("Choose at least one file, or paste a transcript.", status=422)
    for bundle in bundles:
        if bundle.state == Bundle.State.RECEIVED:
            queue_bundle(bundle)
    url = reverse("ingest:add", args=[case.key])
    if "application/json" in request.headers.get("Accept", ""):
        return JsonResponse({"fields": {"case": case.key}, "url": url, "message": bundles[-1].message}, status=201)
    return redirect(url)


@require_GET
@case_access(Role.VIEWER)
def reading(request: HttpRequest, case: Case) -> HttpResponse:
    """The states of the files, asked for every second until all are settled."""
    state = progress.of_case(case, request.GET.get("state", ""))
    return render(request, "ingest/_reading.html", {"case": case, "reading": state}, status=DONE if state.is_settled else 200)


@require_POST
@case_access(Role.EDITOR)
def retry(request: HttpRequest, case: Case, artifact_id: int) -> HttpResponse:
    """Read a failed file once more."""
    artifact = case.artifacts.filter(pk=artifact_id, state=Artifact.State.FAILED).first()
    if artifact is None:
        raise DomainError("This file is not among those that failed.", status=409)
    retry_artifact(artifact)
    return redirect("ingest:add", key=case.key)
