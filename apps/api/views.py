"""The pages' work for programs, under /api/v1/: cases, uploads, states, notes and links. What was found is in
views_found.py.
"""

from __future__ import annotations

from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.http import QueryDict
from django.shortcuts import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.models import Role, User
from apps.api import described
from apps.api.access import JSON_OR_FILES, case_endpoint, endpoint
from apps.api.queries import CaseQuery, NewestFirst, OldestFirst, Pages, paged, query_of
from apps.api.serializers import (
    BundleSerializer,
    CaseChangeSerializer,
    CaseSerializer,
    LinkEndSerializer,
    LinkSerializer,
    NewCaseSerializer,
    NoteSerializer,
    SampleSerializer,
)
from apps.cases.models import Bundle, Case
from apps.cases.notes.services import add_note
from apps.cases.people.members import assign_case, workers_on
from apps.cases.services import create_case, rename_case, set_state, trash_case
from apps.diagnosis.pages.live.views import live_context
from apps.diagnosis.pages.live.watching import end_watch, note_sample
from apps.ingest.tasks import queue_bundle
from apps.ingest.uploads import receive
from apps.ingest.uploads.forms import team_last_used, teams_to_open_cases_in
from apps.ingest.views import progress
from apps.sharing.services import change_end, create_share_link, revoke_share_link
from apps.web.errors import DomainError

NO_TEAM = "Name a team in which you are editor or owner."
IN_TRASH = "This case is in the trash. Restore it on its page before changing it."
NO_FILE = "Send at least one file in a field named file of a form, or JSON with a text named transcript."
NO_WORKER = "A case is assigned to somebody who may change it."
LINK_CLOSED = "This link has ended or was revoked. Make a new one."
SEARCHED_WORDS: Final = 10
FILTERS: Final = {"state": "state", "severity": "severity", "assignee": "assignee__username"}


def _acting(request: Request) -> User:
    user: Any = request.user
    found: User = user
    return found


def live(case: Case) -> Case:
    """What lies in the trash is not changed."""
    if case.is_trashed:
        raise DomainError(IN_TRASH, status=409)
    return case


@described.cases
@endpoint(["GET", "POST"])
def cases(request: Request) -> Response:
    """GET: cases the person may see, changed last first. POST: a new case."""
    if request.method == "POST":
        return _new_case(request)
    query = query_of(request, CaseQuery)
    rows = Case.objects.visible_to(_acting(request)).live().select_related("team", "assignee", "current_diagnosis")
    for word in query.get("q", "").lower().split()[:SEARCHED_WORDS]:
        rows = rows.filter(search_text__contains=word)
    for name, column in FILTERS.items():
        if name in query:
            rows = rows.filter(**{column: query[name]})
    return paged(request, rows, CaseSerializer, Pages)


def _new_case(request: Request) -> Response:
    given = NewCaseSerializer(data=request.data)
    given.is_valid(raise_exception=True)
    values = dict(given.validated_data)
    slug = values.pop("team", None)
    user = _acting(request)
    team = teams_to_open_cases_in(user).filter(slug=slug).first() if slug else team_last_used(user)
    if team is None:
        raise DomainError(NO_TEAM, status=422)
    case = create_case(team=team, created_by=user, **values)
    return Response(CaseSerializer(case).data, status=201)


@described.one_case
@case_endpoint(["GET", "PATCH", "DELETE"])
def one_case(request: Request, case: Case) -> Response:
    """GET: the case. PATCH: its names, state, solution, whom it is assigned to. DELETE: to the trash, by its owner."""
    if request.method == "DELETE":
        if case.role is not Role.OWNER:
            raise DomainError("Only an owner of the case may move it to the trash.", status=403)
        trash_case(case, by=_acting(request))
        return Response(status=204)
    if request.method == "PATCH":
        given = CaseChangeSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        _change(live(case), given.validated_data, by=_acting(request))
        case.refresh_from_db()
    return Response(CaseSerializer(case).data)


@transaction.atomic
def _change(case: Case, values: dict[str, Any], *, by: User) -> None:
    """All of it or nothing."""
    named = {name: values.get(name, getattr(case, name)) for name in ("title", "customer", "ticket")}
    if any(name in values for name in named):
        rename_case(case, **named, by=by)
    if "state" in values or "solution" in values:
        set_state(case, values.get("state", case.state), by=by, solution=values.get("solution"))
    if "assignee" in values:
        assign_case(case, _worker(case, values["assignee"]), by=by)


def _worker(case: Case, username: str | None) -> User | None:
    """Who is not on the case and who does not exist are answered alike."""
    if username is None:
        return None
    found = workers_on(case).filter(username=username).first()
    if found is None:
        raise DomainError(NO_WORKER, status=422)
    return found


@described.bundles
@case_endpoint(["GET", "POST"], body=JSON_OR_FILES)
def bundles(request: Request, case: Case) -> Response:
    """GET: what was uploaded. POST: files in fields named `file` (multipart), or JSON with a `transcript`; read at
    once.
    """
    if request.method == "GET":
        return paged(request, case.bundles.all(), BundleSerializer, OldestFirst)
    uploads = request.FILES.getlist("file")
    transcript = request.data.get("transcript", "") if isinstance(request.data, dict) else ""
    is_form = isinstance(request.data, QueryDict)
    if not isinstance(transcript, str) or not (uploads or (transcript.strip() and not is_form)):
        raise DomainError(NO_FILE, status=422)
    made: list[Bundle] = [
        receive.store_upload(live(case), one, filename=one.name or "", user=_acting(request)) for one in uploads
    ]
    if transcript.strip():
        made.append(receive.store_text(live(case), transcript, user=_acting(request)))
    for bundle in made:
        if bundle.state == Bundle.State.RECEIVED:
            queue_bundle(bundle)
    return Response({"results": BundleSerializer(made, many=True).data}, status=201)


@described.state
@case_endpoint(["GET"])
def state(_request: Request, case: Case) -> Response:
    """How far reading is: `settled` when nothing more will change."""
    reading = progress.of_case(case)
    case.refresh_from_db(fields=["severity", "verdict", "current_diagnosis"])
    return Response(
        {
            "settled": reading.is_settled,
            "files": {name: count for name, count in reading.counts.items() if count},
            "total": reading.total,
            "failure": reading.failure or None,
            "severity": case.severity or None,
            "verdict": case.verdict or None,
            "verdict_form": case.verdict_form or None,
        }
    )


@described.live
@case_endpoint(["GET", "POST"])
def live_watch(request: Request, case: Case) -> Response:
    """GET: what blocks the case at its last sample. POST: a node says that it took a sample, or its last one."""
    if request.method == "POST":
        given = SampleSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        values = dict(given.validated_data)
        if values.pop("is_over"):
            end_watch(live(case).pk, values["node"])
        else:
            note_sample(live(case).pk, **values)
    found = live_context(case, "")
    blocker = found["blocker"]
    return Response(
        {
            "watching": found["watching"] is not None,
            "blocker": blocker.words if blocker else None,
            "same_root_samples": blocker.samples if blocker else 0,
            "waits": blocker.waits if blocker else 0,
            "longest_s": blocker.longest_s if blocker else 0.0,
            "severity": case.severity or None,
            "verdict": case.verdict or None,
            "verdict_form": case.verdict_form or None,
        }
    )


@described.notes
@case_endpoint(["GET", "POST"])
def notes(request: Request, case: Case) -> Response:
    """GET: notes, newest first. POST: a note in Markdown, pinned to a moment (`at_us`) or a finding (`finding_ref`) or
    neither.
    """
    if request.method == "GET":
        return paged(request, case.notes.select_related("author"), NoteSerializer, NewestFirst)
    given = NoteSerializer(data=request.data)
    given.is_valid(raise_exception=True)
    note = add_note(case=live(case), author=_acting(request), **given.validated_data)
    return Response(NoteSerializer(note).data, status=201)


@described.links
@case_endpoint(["GET", "POST"], read=Role.OWNER, write=Role.OWNER)
def links(request: Request, case: Case) -> Response:
    """GET: share links of the case, without their tokens. POST: a new one; its address is only in this answer."""
    if request.method == "GET":
        return paged(request, case.share_links.all(), LinkSerializer, NewestFirst)
    given = LinkSerializer(data=request.data)
    given.is_valid(raise_exception=True)
    values: dict[str, Any] = {"days": settings.LIMITS.link_days} | dict(given.validated_data)
    fresh = create_share_link(case=case, user=_acting(request), **values)
    address = request.build_absolute_uri(f"/s/{fresh.token}/")
    return Response({**LinkSerializer(fresh.link).data, "address": address}, status=201)


@described.one_link
@case_endpoint(["GET", "PATCH", "DELETE"], read=Role.OWNER, write=Role.OWNER)
def one_link(request: Request, case: Case, link_id: int) -> Response:
    """GET: a link with its openings. PATCH: another end. DELETE: revoke it, it opens nothing from the next
    request on.
    """
    link = get_object_or_404(case.share_links, pk=link_id)
    if request.method == "DELETE":
        revoke_share_link(link, by=_acting(request))
        return Response(status=204)
    if request.method == "PATCH":
        given = LinkEndSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        if not link.is_open:
            raise DomainError(LINK_CLOSED, status=409)
        change_end(link, days=given.validated_data["days"], by=_acting(request))
        link.refresh_from_db()
    return Response(LinkSerializer(link).data)
