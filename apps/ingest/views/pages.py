"""The upload pages: for a new case, and "Add files" on a case, where the state of each file is followed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from apps.accounts.access import person, signed_in
from apps.accounts.models import Team
from apps.audit.services import record
from apps.cases.access import Role, case_access, case_for
from apps.cases.models import Bundle, Case
from apps.cases.page.head import case_head
from apps.cases.services import create_case
from apps.ingest.samples import SAMPLES
from apps.ingest.tasks import queue_bundle, reparse, retry_artifact, retry_bundle, retry_diagnosis
from apps.ingest.uploads import partial_uploads, receive
from apps.ingest.uploads.forms import NO_TEAM, KnownForm, NewCaseForm, team_last_used
from apps.ingest.uploads.receive import live
from apps.ingest.views import landing, progress
from apps.ingest.views.formats import readable_formats
from apps.web.errors import DomainError
from apps.web.htmx import render_page

DONE = 286  # htmx stops polling
NOTHING_SENT = "Choose at least one file, or paste a transcript."
RESUMABLE_FROM = 4 << 20  # below that one request is faster than a protocol


@require_http_methods(["GET", "POST"])
@signed_in
def upload(request: HttpRequest) -> HttpResponse:
    """A page that says limits and formats first; each POST brings files, or a transcript, for a new case or one that is
    there.
    """
    if request.method == "POST":
        if key := request.POST.get("case", ""):
            return _received(request, live(case_for(person(request), key, Role.EDITOR)))
        return _received_for_new_case(request)
    form = NewCaseForm(user=person(request), initial={"case": request.GET.get("case", "")})
    unfinished = partial_uploads.unfinished(person(request)).select_related("case").order_by("-created_at")
    return render(request, "ingest/upload.html", {"form": form, "unfinished": unfinished, **_offer()})


@require_POST
@signed_in
def sample(request: HttpRequest) -> HttpResponse:
    """A sample case to look at: one that is there, else it is made in the team that was used last."""
    user = person(request)
    there = Case.objects.visible_to(user).at_hand().filter(is_sample=True).order_by("pk").first()
    if there is not None:
        return redirect("diagnosis:timeline", key=there.key)
    team = team_last_used(user)
    if team is None:
        raise DomainError(NO_TEAM, status=422)
    chosen = SAMPLES[0]
    case = create_case(team=team, title=chosen.title, customer=chosen.customer, created_by=user, is_sample=True)
    onward = landing.url(case)
    queue_bundle(receive.store_bytes(case, chosen.build(), filename=chosen.filename, user=user))
    return redirect(onward)


def _offer() -> dict[str, Any]:
    return {
        "limits": progress.limit_rows(),
        "formats": readable_formats(),
        "max_bytes": settings.LIMITS.upload_bytes,
        "resumable_from": RESUMABLE_FROM,
        "csrf_cookie": settings.CSRF_COOKIE_NAME,
    }


def _received_for_new_case(request: HttpRequest) -> HttpResponse:
    """Files that follow name the case that the first one made. A case whose first file can't be kept is not made."""
    user = person(request)
    form = NewCaseForm(request.POST, user=user)
    if not form.is_valid():
        raise DomainError(form.refusal(), status=422)
    _refuse_nothing(request)
    team: Team = form.cleaned_data["team"]
    case = create_case(
        team=team,
        title=form.cleaned_data["title"] or _title_from(request),
        created_by=user,
        customer=form.cleaned_data["customer"],
        ticket=form.cleaned_data["ticket"],
    )
    try:
        return _received(request, case)
    except DomainError:
        if not case.bundles.exists():
            case.delete()
        raise


def _title_from(request: HttpRequest) -> str:
    name = next(iter(_names(request)), "")
    return name.replace("\\", "/").split("/")[0][:200] or "Pasted transcript"


def _names(request: HttpRequest) -> list[str]:
    """Names of the files as shown; a file of a folder comes with its path beside it."""
    paths = request.POST.getlist("relative_path")
    uploads = request.FILES.getlist("file")
    return [paths[i] if i < len(paths) and paths[i] else upload.name or "" for i, upload in enumerate(uploads)]


def _refuse_nothing(request: HttpRequest) -> None:
    """Looked at before anything is kept."""
    uploads = request.FILES.getlist("file")
    if not uploads and not request.POST.get("transcript", "").strip():
        raise DomainError(NOTHING_SENT, status=422)
    for upload in uploads:
        receive.refuse_large(upload)


@require_http_methods(["GET", "POST"])
@case_access(Role.EDITOR)
def add(request: HttpRequest, case: Case) -> HttpResponse:
    """Add files to a case, and follow how they are read."""
    if request.method == "POST":
        return _received(request, live(case))
    reading = _reading(request, case)
    head = case_head(case, current="files", title="Add files", crumbs=[{"label": "Add files"}])
    unfinished = (
        partial_uploads.unfinished(person(request)).filter(case=case).select_related("case").order_by("-created_at")
    )
    view = landing.kept(request.GET)
    context = {"case": case, "head": head, "reading": reading, "view": view, "unfinished": unfinished, **_offer()}
    return render_page(request, "ingest/add.html", partial="ingest/_reading.html", context=context)


def _received(request: HttpRequest, case: Case) -> HttpResponse:
    _refuse_nothing(request)
    onward = landing.url(case)
    bundles = []
    for bundle in _stored(request, case):
        bundles.append(bundle)
        if bundle.state == Bundle.State.RECEIVED:
            queue_bundle(bundle)
    if "application/json" in request.headers.get("Accept", ""):
        messages = " ".join(bundle.message for bundle in bundles if bundle.message)
        return JsonResponse({"fields": {"case": case.key}, "url": onward, "message": messages}, status=201)
    return redirect("ingest:add", key=case.key)


def _stored(request: HttpRequest, case: Case) -> Iterator[Bundle]:
    user = person(request)
    uploads: Sequence[UploadedFile[bytes]] = request.FILES.getlist("file")
    named = zip(uploads, _names(request), strict=True)
    for upload, name in named:
        yield receive.store_upload(case, upload, filename=name, user=user)
    if text := request.POST.get("transcript", "").strip("\r\n"):
        yield receive.store_text(case, text, user=user)


@require_POST
@signed_in
def known(request: HttpRequest) -> HttpResponse:
    """Whether a case has these bytes already: then they need not be sent. 204 where they must."""
    form = KnownForm(request.POST)
    if not form.is_valid():
        raise DomainError("A file is named by case, name, size and SHA-256.", status=422)
    given = form.cleaned_data
    case = partial_uploads.writable_case(person(request), given["case"])
    bundle = receive.store_known(
        case, given["sha256"], size=given["size"], filename=given["filename"], user=person(request)
    )
    if bundle is None:
        return HttpResponse(status=204)
    return JsonResponse({"url": landing.url(case), "message": bundle.message})


@require_POST
@signed_in
def discard(request: HttpRequest, name: str) -> HttpResponse:
    """Drop an unfinished upload with what came of it."""
    upload = partial_uploads.of_user(person(request), name)
    partial_uploads.discard(upload)
    return redirect("ingest:upload")


@require_GET
@case_access(Role.VIEWER)
def reading(request: HttpRequest, case: Case) -> HttpResponse:
    """The states of the files, asked for every second until all are settled and diagnosed."""
    state = _reading(request, case)
    context = {"case": case, "reading": state, "view": landing.kept(request.GET)}
    response = render(request, "ingest/_reading.html", context, status=DONE if state.is_settled else 200)
    if landing.is_due(case, request.GET):
        response["HX-Redirect"] = reverse("diagnosis:timeline", args=[case.key])
    return response


def _reading(request: HttpRequest, case: Case) -> progress.Reading:
    """The verdict is looked up after the states: the last answer of all must hold the last verdict."""
    state = progress.of_case(case, request.GET.get("state", ""))
    case.refresh_from_db(fields=["current_diagnosis", "severity", "verdict"])
    return state


@require_POST
@case_access(Role.EDITOR)
def retry(request: HttpRequest, case: Case, artifact_id: int) -> HttpResponse:
    """Read a failed file once more."""
    if not retry_artifact(get_object_or_404(live(case).artifacts, pk=artifact_id)):
        raise DomainError("This file is not among those that failed.", status=409)
    return redirect("ingest:add", key=case.key)


@require_POST
@case_access(Role.EDITOR)
def unpack_again(request: HttpRequest, case: Case, bundle_id: int) -> HttpResponse:
    """Unpack a bundle that failed once more."""
    if not retry_bundle(get_object_or_404(live(case).bundles, pk=bundle_id)):
        raise DomainError("This bundle is not among those that failed.", status=409)
    return redirect("ingest:add", key=case.key)


@require_POST
@case_access(Role.OWNER)
def reparse_file(request: HttpRequest, case: Case, artifact_id: int) -> HttpResponse:
    """Read the stored text of one file again, with the parsers as they are now."""
    artifact = get_object_or_404(live(case).artifacts, pk=artifact_id)
    if not reparse(case.artifacts.filter(pk=artifact.duplicate_of_id or artifact.pk)):
        raise DomainError("This file has no text to read, or is being read.", status=409)
    record("file.reparsed", case=case, request=request, path=artifact.path)
    return redirect("ingest:add", key=case.key)


@require_POST
@case_access(Role.OWNER)
def reparse_case(request: HttpRequest, case: Case) -> HttpResponse:
    """Read all stored texts of a case again."""
    queued = reparse(live(case).artifacts.all())
    if not queued:
        raise DomainError("No file of this case has a text to read, or all are being read.", status=409)
    record("case.reparsed", case=case, request=request, files=queued)
    return redirect("ingest:add", key=case.key)


@require_POST
@case_access(Role.EDITOR)
def diagnose_again(request: HttpRequest, case: Case) -> HttpResponse:
    """Diagnose once more, after a diagnosis that failed."""
    retry_diagnosis(live(case).pk)
    return redirect("ingest:add", key=case.key)
