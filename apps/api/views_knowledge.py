"""What teams know, for programs: entries and their life, files of them, where they would speak, what nobody judged, and
what closed cases say of verdicts.
"""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.models import Role, Team, User
from apps.api import described
from apps.api.access import case_endpoint, endpoint, team_endpoint
from apps.api.knowledge_shapes import (
    ChangedEntrySerializer,
    EntryStateSerializer,
    NewEntrySerializer,
    OutcomeSerializer,
    PackSerializer,
    UnjudgedQuery,
)
from apps.api.queries import OldestFirst, as_query, paged, query_of
from apps.api.views import live
from apps.cases.models import Case
from apps.diagnosis.pages.judging.outcomes import close_as, worth_by_key
from apps.diagnosis.pages.learning.preview import CaseHits, preview
from apps.diagnosis.pages.learning.unjudged import unjudged
from apps.learning import services
from apps.learning.in_force import entry_of_version
from apps.learning.models import CaseOutcome, EntryVersion, TeamEntry
from apps.learning.packs import pack_of, take_pack
from apps.learning.site_wide import offer
from apps.web.errors import DomainError

OWNERS_RULE = "Only an owner of the team puts an entry in force."


def _acting(request: Request) -> User:
    user: Any = request.user
    found: User = user
    return found


def _entry(request: Request, team: Team, entry_id: int) -> TeamEntry:
    return get_object_or_404(services.shown_to(_acting(request), team), pk=entry_id)


class EntryRows:
    """Entries of one page, each with its latest version."""

    def __init__(self, rows: Any, many: bool) -> None:
        del many
        latest = EntryVersion.objects.filter(entry__in=[row.pk for row in rows]).select_related("by")
        versions = {(one.entry_id, one.number): one for one in latest}
        self.data = [entry_row(row, versions[row.pk, row.latest]) for row in rows]


def entry_row(row: TeamEntry, version: EntryVersion) -> dict[str, Any]:
    """An entry as it is told."""
    return {
        "id": row.pk,
        "name": row.name,
        "state": row.state,
        "latest": row.latest,
        "in_force": row.in_force,
        "offered": row.offered,
        "entry": version.row,
        "product": version.product,
        "by": version.by.get_username() if version.by is not None else None,
        "at": version.at,
        "why": version.why,
    }


def _serialized(row: TeamEntry) -> dict[str, Any]:
    row.refresh_from_db()
    return entry_row(row, services.latest_of(row))


@described.entries
@team_endpoint(["GET", "POST"])
def entries(request: Request, team: Team) -> Response:
    """GET: entries of the team but drafts of others. POST: a draft of yours."""
    if request.method == "GET":
        return paged(request, services.shown_to(_acting(request), team), EntryRows, OldestFirst)
    given = NewEntrySerializer(data=request.data)
    given.is_valid(raise_exception=True)
    fields = given.validated_data
    row = services.add_entry(
        team, row=fields["entry"], product=fields["product"], by=_acting(request), why=fields["why"]
    )
    return Response(_serialized(row), status=201)


@described.one_entry
@team_endpoint(["GET", "PATCH"])
def one_entry(request: Request, team: Team, entry_id: int) -> Response:
    """GET: its latest version. PATCH: a new version of the one that was seen."""
    row = _entry(request, team, entry_id)
    if request.method == "GET":
        return Response(_serialized(row))
    given = ChangedEntrySerializer(data=request.data)
    given.is_valid(raise_exception=True)
    fields = given.validated_data
    by = _acting(request)
    services.change_entry(
        row, row=fields["entry"], product=fields["product"], by=by, why=fields["why"], seen=fields["seen"]
    )
    return Response(_serialized(row))


@described.entry_state
@team_endpoint(["POST"])
def entry_state(request: Request, team: Team, entry_id: int) -> Response:
    """Propose it, put it in force (owners), offer it to the site (owners), or withdraw it."""
    row, by = _entry(request, team, entry_id), _acting(request)
    given = EntryStateSerializer(data=request.data)
    given.is_valid(raise_exception=True)
    state = given.validated_data["state"]
    if state == "proposed":
        services.propose(row, by=by)
    elif state == "withdrawn":
        services.withdraw(row, by=by, why=given.validated_data["why"])
    elif state == "offered":
        offer(row, by=by)
    else:
        if team.role is not Role.OWNER:
            raise DomainError(OWNERS_RULE, status=403)
        services.put_in_force(row, by=by)
    return Response(_serialized(row))


@described.entry_look
@team_endpoint(["GET"])
def entry_look(request: Request, team: Team, entry_id: int) -> Response:
    """Where it would speak, among the cases that its asker may see."""
    row = _entry(request, team, entry_id)
    seen = preview(_acting(request), team, entry_of_version(services.latest_of(row)), case_id=row.case_id)
    cases = [seen.here, *seen.cases] if seen.here is not None else seen.cases
    return Response(
        {
            "lines": seen.lines_n,
            "cases": seen.cases_n,
            "verdicts_changed": seen.changed_n,
            "false_alarms": seen.false_n,
            "looked_at": seen.looked_at,
            "not_kept": seen.not_kept,
            "results": [_hit(hit) for hit in cases],
            "would_have_cried_wolf": [_hit(hit) for hit in seen.false],
        }
    )


def _hit(hit: CaseHits) -> dict[str, Any]:
    return {
        "case": hit.case.key,
        "title": hit.case.title,
        "lines": hit.lines,
        "places": [{"path": one.path, "line": one.line, "text": one.text} for one in hit.places],
        "is_judged": hit.is_judged,
        "verdict": hit.now._asdict(),
        "verdict_then": hit.then._asdict(),
        "closed_as": hit.outcome.found if hit.outcome is not None else None,
    }


@described.pack
@team_endpoint(["GET", "POST"])
def pack(request: Request, team: Team) -> Response | HttpResponse:
    """GET: a file of what is in force. POST: drafts and new versions out of a file, all of it or nothing."""
    if request.method == "GET":
        return HttpResponse(pack_of(team), content_type="application/toml; charset=utf-8")
    given = PackSerializer(data=request.data)
    given.is_valid(raise_exception=True)
    fields = given.validated_data
    taken = take_pack(team, fields["toml"].encode(), "file", by=_acting(request), why=fields["why"])
    return Response({"added": taken.added, "changed": taken.changed, "same": taken.same}, status=201)


@described.unjudged
@endpoint(["GET"])
def nobody_judged(request: Request) -> Response:
    """Messages, lines and waits that no rule and no entry speaks of."""
    query = query_of(request, UnjudgedQuery)
    found = unjudged(_acting(request), as_query({**query, "quiet": "1" if query.get("quiet") else ""}))
    rows = [
        {
            "sort": one.source,
            "told_by": one.told_by,
            "text": one.text,
            "weight": one.weight,
            "lines": one.lines,
            "cases": one.cases,
            "newest": one.example,
            "known": one.known,
        }
        for one in found.rows
    ]
    return Response({"cases": found.cases_n, "results": rows})


@described.worth
@endpoint(["GET"])
def worth(request: Request) -> Response:
    """What rules, entries and forms of verdicts were worth in closed cases that one may see."""
    rows = [
        {
            "about": about,
            "name": name,
            "spoke": one.spoke,
            "confirmed": one.confirmed,
            "refuted": one.refuted,
            "overruled": one.overruled,
            "is_often_refuted": one.is_often_refuted,
        }
        for (about, name), one in sorted(worth_by_key(_acting(request)).items())
    ]
    return Response({"results": rows})


@described.outcome
@case_endpoint(["GET", "POST"])
def outcome(request: Request, case: Case) -> Response:
    """GET: what the case turned out to be, latest first. POST: say it."""
    if request.method == "GET":
        rows = case.outcomes.select_related("by").order_by("-pk")[:100]
        return Response({"results": [_outcome(row) for row in rows]})
    given = OutcomeSerializer(data=request.data)
    given.is_valid(raise_exception=True)
    fields = given.validated_data
    row = close_as(
        live(case), found=fields["found"], sure=fields["sure"], order=fields.get("finding"), by=_acting(request)
    )
    return Response(_outcome(row), status=201)


def _outcome(row: CaseOutcome) -> dict[str, Any]:
    by = row.by.get_username() if row.by is not None else None
    return {"found": row.found, "sure": row.sure, "title": row.title, "ref": row.ref, "by": by, "at": row.at}
