"""What was found in a case, for programs: verdict, findings, tunings, waits, who waits for whom, series,
files to keep.
"""

from __future__ import annotations

from typing import Any, Final

from django.http import Http404, HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api import described
from apps.api.access import case_endpoint
from apps.api.queries import FindingQuery, GraphQuery, SeriesQuery, TuningQuery, WaiterQuery, as_query, query_of
from apps.api.serializers import SeenCaseSerializer
from apps.cases.models import Case
from apps.diagnosis.models import Diagnosis
from apps.diagnosis.pages.context import case_zone, line_url
from apps.diagnosis.pages.export.report import as_json, findings_json, tunings_json
from apps.diagnosis.pages.export.views import EXPORTS
from apps.diagnosis.pages.graph.filters import GraphFilters, filtered
from apps.diagnosis.pages.graph.waitgraph import WaitGraph
from apps.diagnosis.pages.timeline.lane_data import timeline, window_from
from apps.diagnosis.pages.waiters.waits import COLUMNS, WaiterFilters, waiter_page
from apps.recurrence.services import Seen, seen_before
from apps.web.errors import DomainError

NO_VERDICT: Final = "Nothing of this case has been read yet. Ask again, or look at its state."
WAIT_FIELDS: Final = (*COLUMNS, "line")
ROOT_FIELDS: Final = ("kind", "node", "why", "waiters", "relieves")


def diagnosis_of(case: Case) -> Diagnosis:
    """The present one; 404 before there is any."""
    if case.current_diagnosis is None:
        raise DomainError(NO_VERDICT, status=404)
    return case.current_diagnosis


@described.analysis
@case_endpoint(["GET"])
def analysis(_request: Request, case: Case) -> Response:
    """Verdict, findings with their lines, tunings, roots, what is missing: as the JSON export of the case page."""
    return Response(as_json(case, diagnosis_of(case)))


@described.findings
@case_endpoint(["GET"])
def findings(request: Request, case: Case) -> Response:
    """What the rules conclude, worst first, each with its lines and what people said to it."""
    query = query_of(request, FindingQuery)
    rows = findings_json(case, diagnosis_of(case))
    return Response({"results": [row for row in rows if query.get("severity") in {None, row["severity"]}]})


@described.tunings
@case_endpoint(["GET"])
def tunings(request: Request, case: Case) -> Response:
    """Settings to change, with commands, what to mind and the way back."""
    query = query_of(request, TuningQuery)
    rows = tunings_json(case, diagnosis_of(case))
    return Response({"results": [row for row in rows if query.get("status") in {None, row["status"]}]})


@described.waiters
@case_endpoint(["GET"])
def waiters(request: Request, case: Case) -> Response:
    """Waits followed over dumps, longest first."""
    query = as_query(query_of(request, WaiterQuery))
    found = waiter_page(diagnosis_of(case), WaiterFilters.from_query(query))
    rows = [{name: row[name] for name in WAIT_FIELDS} for row in found.rows]
    return Response({"total": found.total, "page": found.page, "pages": found.pages, "results": rows})


@described.graph
@case_endpoint(["GET"])
def graph(request: Request, case: Case) -> Response:
    """Who waits for whom: arrows with most waits first, the ends of the chains, circles."""
    filters = GraphFilters.from_query(as_query(query_of(request, GraphQuery)))
    found = filtered(diagnosis_of(case), filters, case_zone(case))
    drawn = found.graph
    return Response(
        {
            "arrows": [_arrow(drawn, arrow) for arrow in drawn.arrows],
            "arrows_n": found.edges_n,
            "left_out": found.left_out,
            "roots": [
                {"what": what, **{name: root[name] for name in ROOT_FIELDS}} for what, root in drawn.roots.items()
            ],
            "cycles": [list(cycle) for cycle in drawn.cycles],
            "cycles_are_proven": drawn.are_proven,
            "moments": [{"at": moment["value"], "name": moment["name"]} for moment in found.moments],
        }
    )


def _arrow(drawn: WaitGraph, arrow: Any) -> dict[str, Any]:
    fields = {name: getattr(arrow, name) for name in ("to", "count", "longest_s", "is_resolved")}
    return {"from": arrow.frm, **fields, "vias": list(arrow.vias), "ends": drawn.ends(arrow.to)}


@described.series
@case_endpoint(["GET"])
def series(request: Request, case: Case) -> Response:
    """The lanes of the timeline, bucketed to a width; peaks are kept, and null stands where there is no sample."""
    diagnosis = diagnosis_of(case)
    window = window_from(as_query(query_of(request, SeriesQuery)), diagnosis)
    notes = case.notes.pinned_to_moments()
    return Response(
        timeline(case, diagnosis, window, line_url=lambda artifact, line: line_url(case, artifact, line), notes=notes)
    )


@described.seen_before
@case_endpoint(["GET"])
def seen(request: Request, case: Case) -> Response:
    """Shapes of waits that other cases have too, with their solutions; among the cases that the token's
    person may see.
    """
    reader: Any = request.user
    return Response({"results": [_seen(one) for one in seen_before(case, reader)]})


def _seen(one: Seen) -> dict[str, Any]:
    fields = {"signature": one.signature.digest, "words": one.signature.words, "rule": one.signature.rule}
    return {**fields, "others_n": one.others_n, "cases": SeenCaseSerializer(one.cases, many=True).data}


@described.export
@case_endpoint(["GET"])
def export(request: Request, case: Case, kind: str) -> HttpResponseBase:
    """The case as one file: `md`, `json` or `html`, as from the menu of its page."""
    if kind not in EXPORTS:
        raise Http404
    diagnosis_of(case)
    return EXPORTS[kind](request._request, case)
