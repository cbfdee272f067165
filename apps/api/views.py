"""The pages' work for programs, under /api/v1/: cases, uploads, states, verdicts, waiters, notes and links."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.http import QueryDict
from django.shortcuts import get_object_or_404
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.models import Role, Team, User
from apps.api.access import case_endpoint, endpoint
from apps.api.serializers import BundleSerializer, CaseSerializer, LinkSerializer, NewCaseSerializer, NoteSerializer
from apps.cases.models import Bundle, Case
from apps.cases.notes import add_note
from apps.cases.services import create_case, rename_case, set_state, trash_case
from apps.diagnosis.models import Diagnosis
from apps.diagnosis.reporting import as_json
from apps.diagnosis.waiters import WaiterFilters, waiter_page
from apps.ingest import progress, receive
from apps.ingest.tasks import queue_bundle
from apps.sharing.services import create_share_link, revoke_share_link
from apps.web.errors import DomainError

NO_VERDICT = "Nothing of this case has been read yet. Ask again, or look at its state."
NO_TEAM = "Name a team in which you are editor or owner."
IN_TRASH = "This case is in the trash. Restore it on its page before changing it."


class Pages(CursorPagination):
    """Rows in a fixed order; `next` and `previous` are addresses."""

    page_size = 50
    max_page_size = 500
    page_size_query_param = "limit"
    ordering = ("-updated_at", "-id")


class NewestFirst(Pages):
    ordering = ("-created_at", "-id")


def _paged(request: Request, rows: QuerySet[Any], serializer: Any, pages: type[Pages]) -> Response:
    paginator = pages()
    page = paginator.paginate_queryset(rows, request)
    return paginator.get_paginated_response(serializer(page, many=True).data)


def _acting(request: Request) -> User:
    user: Any = request.user
    found: User = user
    return found


def _live(case: Case) -> Case:
    if case.is_trashed:
        raise DomainError(IN_TRASH, status=409)
    return case


@endpoint(["GET", "POST"])
def cases(request: Request) -> Response:
    """GET: cases the person may see, changed last first; `q` searches, `state` filters. POST: a new case."""
    if request.method == "POST":
        return _new_case(request)
    rows = Case.objects.visible_to(_acting(request)).live().select_related("team")
    for word in request.query_params.get("q", "").lower().split()[:10]:
        rows = rows.filter(search_text__contains=word)
    if state := request.query_params.get("state"):
        rows = rows.filter(state=state)
    return _paged(request, rows, CaseSerializer, Pages)


def _new_case(request: Request) -> Response:
    given = NewCaseSerializer(data=request.data)
    given.is_valid(raise_exception=True)
    values = dict(given.validated_data)
    teams = Team.objects.filter(memberships__user=_acting(request), memberships__role__in=(Role.EDITOR, Role.OWNER)).distinct()
    slug = values.pop("team", None)
    team = teams.filter(slug=slug).first() if slug else teams.order_by("name").first()
    if team is None:
        raise DomainError(NO_TEAM, status=422)
    case = create_case(team=team, created_by=_acting(request), **values)
    return Response(CaseSerializer(case).data, status=201)


@case_endpoint(["GET", "PATCH", "DELETE"])
def one_case(request: Request, case: Case) -> Response:
    """GET: the case. PATCH: title, customer, ticket, state. DELETE: to the trash, by its owner."""
    if request.method == "DELETE":
        if case.role is not Role.OWNER:
            raise DomainError("Only an owner of the case may move it to the trash.", status=403)
        trash_case(case, by=_acting(request))
        return Response(status=204)
    if request.method == "PATCH":
        given = CaseSerializer(_live(case), data=request.data, partial=True)
        given.is_valid(raise_exception=True)
        values = given.validated_data
        named = {name: values.get(name, getattr(case, name)) for name in ("title", "customer", "ticket")}
        if any(name in values for name in named):
            rename_case(case, **named, by=_acting(request))
        if "state" in values:
            set_state(case, values["state"], by=_acting(request))
        case.refresh_from_db()
    return Response(CaseSerializer(case).data)


@case_endpoint(["GET", "POST"])
def bundles(request: Request, case: Case) -> Response:
    """GET: what was uploaded. POST: files in fields named `file` (multipart), or `transcript`; read at once."""
    if request.method == "GET":
        rows = case.bundles.order_by("pk")
        return Response({"results": BundleSerializer(rows, many=True).data})
    uploads = request.FILES.getlist("file")
    transcript = str(request.data.get("transcript", "")) if isinstance(request.data, dict) else ""
    if not uploads and not transcript.strip():
        raise DomainError("Send at least one file in a field named file, or a text in a field named transcript.", status=422)
    made: list[Bundle] = [receive.store_upload(_live(case), one, filename=one.name or "", user=_acting(request)) for one in uploads]
    if transcript.strip():
        made.append(receive.store_text(_live(case), transcript, user=_acting(request)))
    for bundle in made:
        if bundle.state == Bundle.State.RECEIVED:
            queue_bundle(bundle)
    return Response({"results": BundleSerializer(made, many=True).data}, status=201)


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
        }
    )


def _diagnosis(case: Case) -> Diagnosis:
    if case.current_diagnosis is None:
        raise DomainError(NO_VERDICT, status=404)
    return case.current_diagnosis


@case_endpoint(["GET"])
def analysis(_request: Request, case: Case) -> Response:
    """Verdict, findings with their lines, tunings, roots, what is missing: as the JSON export of the case page."""
    return Response(as_json(case, _diagnosis(case)))


@case_endpoint(["GET"])
def waiters(request: Request, case: Case) -> Response:
    """Waits followed over dumps, longest first; `category`, `age`, `node`, `text` and `page` as on the waiters page."""
    query = QueryDict(request.META.get("QUERY_STRING", ""))
    found = waiter_page(_diagnosis(case), WaiterFilters.from_query(query))
    hidden = ("artifact",)
    rows = [{name: value for name, value in row.items() if name not in hidden} for row in found.rows]
    return Response({"total": found.total, "page": found.page, "pages": found.pages, "results": rows})


@case_endpoint(["GET", "POST"])
def notes(request: Request, case: Case) -> Response:
    """GET: notes, newest first. POST: a note in Markdown, pinned to a moment (`at_us`) or a finding (`finding_ref`) or neither."""
    if request.method == "GET":
        return _paged(request, case.notes.select_related("author"), NoteSerializer, NewestFirst)
    given = NoteSerializer(data=request.data)
    given.is_valid(raise_exception=True)
    note = add_note(case=_live(case), author=_acting(request), **given.validated_data)
    return Response(NoteSerializer(note).data, status=201)


@case_endpoint(["GET", "POST"], read=Role.OWNER, write=Role.OWNER)
def links(request: Request, case: Case) -> Response:
    """GET: share links of the case, without their tokens. POST: a new one (`days`, `view`, `note`); its address is told only now."""
    if request.method == "GET":
        return _paged(request, case.share_links.all(), LinkSerializer, NewestFirst)
    given = LinkSerializer(data=request.data)
    given.is_valid(raise_exception=True)
    values: dict[str, Any] = {"days": 14} | dict(given.validated_data)
    fresh = create_share_link(case=case, user=_acting(request), **values)
    address = request.build_absolute_uri(f"/s/{fresh.token}/")
    return Response({**LinkSerializer(fresh.link).data, "address": address}, status=201)


@case_endpoint(["DELETE"], read=Role.OWNER, write=Role.OWNER)
def one_link(request: Request, case: Case, link_id: int) -> Response:
    """Revoke a link: it opens nothing from the next request on."""
    revoke_share_link(get_object_or_404(case.share_links, pk=link_id), by=_acting(request))
    return Response(status=204)
