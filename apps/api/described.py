"""How the description of the API (OpenAPI 3) tells each view: what it answers, what it takes, an example."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiResponse,
    PolymorphicProxySerializer,
    extend_schema,
    inline_serializer,
)
from rest_framework.serializers import URLField

from apps.api import answers, knowledge_shapes, queries, serializers

Described = Callable[[Any], Any]
CURSOR: Final = OpenApiParameter("cursor", OpenApiTypes.STR, description="From `next` or `previous` of another page.")
LIMIT: Final = OpenApiParameter(
    "limit", {"type": "integer", "minimum": 1, "maximum": 500, "default": 50}, description=queries.LIMIT_WORDS
)
PAGES: Final = [CURSOR, LIMIT]
JSON: Final = "application/json"
MULTIPART: Final = "multipart/form-data"
NO_CONTENT: Final = OpenApiResponse(description="Done; the answer is empty.")

JUDGED: Final = PolymorphicProxySerializer(
    component_name="Said",
    serializers=[serializers.AgreedSerializer, serializers.DisputedSerializer],
    resource_type_field_name=None,
)

OUTCOME: Final = PolymorphicProxySerializer(
    component_name="OutcomeForms",
    serializers=[knowledge_shapes.NamelessOutcomeSerializer, knowledge_shapes.OtherOutcomeSerializer],
    resource_type_field_name=None,
)

CASE: Final = {
    "key": "CS-1042",
    "title": "Writes hang on fen7",
    "customer": "Bank of Lund",
    "ticket": "TS0123",
    "team": "lund-storage",
    "state": "solved",
    "solution": "Path of dm-17 replaced",
    "assignee": "alice",
    "severity": "high",
    "verdict": "Disk dm-17 of nsd02 does not answer",
    "verdict_form": "explained",
    "products": ["spectrum-scale"],
    "nodes_n": 7,
    "longest_s": 822.94,
    "created_at": "2027-03-15T10:40:00Z",
    "updated_at": "2027-03-15T11:02:13Z",
    "archived_at": None,
}
ENTRY: Final = {
    "name": "ticket-lost",
    "from": "grantd",
    "match": ["ticket for", {"named": "disk"}, "was lost after", {"named": "figure", "unit": "s"}],
    "weight": "trouble",
    "title": "Ticket for {about} lost",
    "meaning": "The daemon may not write until it holds the ticket again.",
    "next": "Look at the paths of the disk on this node.",
    "source": "Support note 12",
}
CHANGE: Final = {"state": "solved", "solution": "Path of dm-17 replaced", "assignee": "alice"}
NEW_LINK: Final = {
    "level": "development",
    "days": 7,
    "note": "for the developers",
    "password": "heron-over-weir",
    "views_most": 20,
}


def _sent(name: str, value: Any) -> list[OpenApiExample]:
    return [OpenApiExample(name, value=value, request_only=True)]


def _answered(name: str, value: Any, status: str = "200") -> list[OpenApiExample]:
    return [OpenApiExample(name, value=value, response_only=True, status_codes=[status])]


def _all(*parts: Described) -> Described:
    def decorate(view: Any) -> Any:
        for part in reversed(parts):
            view = part(view)
        return view

    return decorate


def _page(name: str, row: Any) -> Any:
    """A page of rows."""
    fields: dict[str, Any] = {
        "next": URLField(allow_null=True),
        "previous": URLField(allow_null=True),
        "results": row(many=True),
    }
    return inline_serializer(name, fields)


def _found(
    name: str, summary: str, answer: Any, query: Any = None, examples: list[OpenApiExample] | None = None
) -> Described:
    """A view that only reads what was found."""
    return extend_schema(
        operation_id=name,
        summary=summary,
        tags=["found"],
        parameters=[query] if query else [],
        responses={200: answer},
        examples=examples or [],
    )


cases = _all(
    extend_schema(
        methods=["GET"],
        operation_id="list_cases",
        summary="Cases, changed last first",
        tags=["cases"],
        parameters=[queries.CaseQuery, *PAGES],
        responses={200: _page("CasePage", serializers.CaseSerializer)},
    ),
    extend_schema(
        methods=["POST"],
        operation_id="create_case",
        summary="A new case",
        tags=["cases"],
        request=serializers.NewCaseSerializer,
        responses={201: serializers.CaseSerializer},
        examples=[
            *_sent("A case", {"title": "Writes hang on fen7", "customer": "Bank of Lund"}),
            *_answered("The case", CASE, "201"),
        ],
    ),
)
one_case = _all(
    extend_schema(
        methods=["GET"],
        operation_id="read_case",
        summary="A case",
        tags=["cases"],
        responses={200: serializers.CaseSerializer},
        examples=_answered("A solved case", CASE),
    ),
    extend_schema(
        methods=["PATCH"],
        operation_id="change_case",
        summary="Change names, state, solution, assignee",
        tags=["cases"],
        request=serializers.CaseChangeSerializer,
        responses={200: serializers.CaseSerializer},
        examples=_sent("Solved", CHANGE),
    ),
    extend_schema(
        methods=["DELETE"],
        operation_id="trash_case",
        summary="Move a case to the trash (owners)",
        tags=["cases"],
        request=None,
        responses={204: NO_CONTENT},
    ),
)
bundles = _all(
    extend_schema(
        methods=["GET"],
        operation_id="list_bundles",
        summary="What was uploaded",
        tags=["cases"],
        parameters=PAGES,
        responses={200: _page("BundlePage", serializers.BundleSerializer)},
    ),
    extend_schema(
        methods=["POST"],
        operation_id="upload",
        summary="Upload files or a transcript; they are read at once",
        tags=["cases"],
        request={MULTIPART: serializers.UploadSerializer, JSON: serializers.TranscriptSerializer},
        responses={201: answers.BundlesShape},
        examples=[
            OpenApiExample(
                "A transcript", value={"transcript": "n1# mmlsnode -N waiters -L\n"}, request_only=True, media_type=JSON
            )
        ],
    ),
)
state = extend_schema(
    operation_id="read_state",
    summary="How far reading is",
    tags=["cases"],
    responses={200: answers.StateShape},
    examples=_answered(
        "All read",
        {
            "settled": True,
            "files": {"parsed": 24},
            "total": 24,
            "failure": None,
            "severity": "high",
            "verdict": CASE["verdict"],
            "verdict_form": "explained",
        },
    ),
)
LIVE: Final = {
    "watching": True,
    "blocker": "disk dm-17 of nsd02",
    "same_root_samples": 6,
    "waits": 58,
    "longest_s": 822.9,
    "severity": "high",
    "verdict": CASE["verdict"],
    "verdict_form": "explained",
}
live = _all(
    extend_schema(
        methods=["GET"],
        operation_id="read_live",
        summary="What blocks a watched case now",
        tags=["cases"],
        responses={200: answers.LiveShape},
        examples=_answered("Blocked", LIVE),
    ),
    extend_schema(
        methods=["POST"],
        operation_id="note_sample",
        summary="A sample of a live watch was taken",
        tags=["cases"],
        request=serializers.SampleSerializer,
        responses={200: answers.LiveShape},
        examples=[
            *_sent("Sample 7", {"node": "nsd02", "number": 7, "every_s": 20, "queued": 0, "dropped": 0}),
            *_answered("Blocked", LIVE),
        ],
    ),
)
notes = _all(
    extend_schema(
        methods=["GET"],
        operation_id="list_notes",
        summary="Notes, newest first",
        tags=["notes"],
        parameters=PAGES,
        responses={200: _page("NotePage", serializers.NoteSerializer)},
    ),
    extend_schema(
        methods=["POST"],
        operation_id="write_note",
        summary="A note in Markdown, pinned to a moment or a finding or to neither",
        tags=["notes"],
        request=serializers.NoteSerializer,
        responses={201: serializers.NoteSerializer},
        examples=_sent("Pinned to a finding", {"text": "The path was lost at **10:41**.", "finding_ref": "SC-01"}),
    ),
)
links = _all(
    extend_schema(
        methods=["GET"],
        operation_id="list_links",
        summary="Share links (owners)",
        tags=["links"],
        parameters=PAGES,
        responses={200: _page("LinkPage", serializers.LinkSerializer)},
    ),
    extend_schema(
        methods=["POST"],
        operation_id="create_link",
        summary="A new share link; its address is only in this answer",
        tags=["links"],
        request=serializers.LinkSerializer,
        responses={201: serializers.NewLinkSerializer},
        examples=_sent("For development", NEW_LINK),
    ),
)
one_link = _all(
    extend_schema(
        methods=["GET"],
        operation_id="read_link",
        summary="A share link and its openings (owners)",
        tags=["links"],
        responses={200: serializers.LinkSerializer},
    ),
    extend_schema(
        methods=["PATCH"],
        operation_id="change_link",
        summary="Another end, counted from now",
        tags=["links"],
        request=serializers.LinkEndSerializer,
        responses={200: serializers.LinkSerializer},
        examples=_sent("A week", {"days": 7}),
    ),
    extend_schema(
        methods=["DELETE"],
        operation_id="revoke_link",
        summary="Revoke a share link",
        tags=["links"],
        request=None,
        responses={204: NO_CONTENT},
    ),
)
analysis = _found(
    "read_analysis", "Verdict, findings, tunings, roots, what is missing: all at once", answers.AnalysisShape
)
findings = _found(
    "list_findings",
    "Findings with their lines and what people said to them",
    answers.FindingsShape,
    queries.FindingQuery,
)
judgements = _all(
    extend_schema(
        methods=["GET"],
        operation_id="list_judgements",
        summary="What people said to a finding or a kind of waits, latest first",
        tags=["found"],
        responses={200: answers.JudgementsShape},
    ),
    extend_schema(
        methods=["POST"],
        operation_id="judge",
        summary="Agree, dispute, set aside, or withdraw what was said",
        tags=["found"],
        request={JSON: JUDGED},
        responses={201: serializers.JudgementSerializer},
        examples=_sent("Disputed", {"word": "disputed", "why": "That disk was replaced the day before."}),
    ),
)
tunings = _found(
    "list_tunings", "Settings to change, with commands and the way back", answers.TuningsShape, queries.TuningQuery
)
waiters = _found("list_waiters", "Waits followed over dumps, longest first", answers.WaitersShape, queries.WaiterQuery)
graph = _found("read_graph", "Who waits for whom", answers.GraphShape, queries.GraphQuery)
series = _found("read_series", "Lanes of the timeline, bucketed", answers.SeriesShape, queries.SeriesQuery)
seen_before = _found("list_seen_before", "Other cases whose chains of waits end alike", answers.SeenBeforeShape)
entries = _all(
    extend_schema(
        methods=["GET"],
        operation_id="list_entries",
        summary="What a team knows: its entries but drafts of others",
        tags=["knowledge"],
        parameters=PAGES,
        responses={200: _page("EntryPage", knowledge_shapes.EntryShape)},
    ),
    extend_schema(
        methods=["POST"],
        operation_id="draft_entry",
        summary="A draft of yours; refused with the reason where it can't be an entry",
        tags=["knowledge"],
        request=knowledge_shapes.NewEntrySerializer,
        responses={201: knowledge_shapes.EntryShape},
        examples=_sent("A message of a log", {"entry": ENTRY, "product": "grants", "why": "seen twice"}),
    ),
)
one_entry = _all(
    extend_schema(
        methods=["GET"],
        operation_id="read_entry",
        summary="The latest version of an entry",
        tags=["knowledge"],
        responses={200: knowledge_shapes.EntryShape},
    ),
    extend_schema(
        methods=["PATCH"],
        operation_id="change_entry",
        summary="A new version of the one that was seen",
        tags=["knowledge"],
        request=knowledge_shapes.ChangedEntrySerializer,
        responses={200: knowledge_shapes.EntryShape},
        examples=_sent("Another title", {"entry": ENTRY | {"title": "Lease of {about} lost"}, "seen": 1}),
    ),
)
entry_state = extend_schema(
    operation_id="set_entry_state",
    summary="Propose it, put it in force or offer it to the site (owners), or withdraw it",
    tags=["knowledge"],
    request=knowledge_shapes.EntryStateSerializer,
    responses={200: knowledge_shapes.EntryShape},
    examples=_sent("Proposed", {"state": "proposed"}),
)
entry_look = extend_schema(
    operation_id="look_where_an_entry_would_speak",
    summary="Lines, cases, false alarms and verdicts before it counts",
    tags=["knowledge"],
    responses={200: knowledge_shapes.LookShape},
)
pack = _all(
    extend_schema(
        methods=["GET"],
        operation_id="read_pack",
        summary="The entries in force as a file of TOML",
        tags=["knowledge"],
        responses={(200, "application/toml"): OpenApiTypes.STR},
    ),
    extend_schema(
        methods=["POST"],
        operation_id="send_pack",
        summary="Drafts and new versions out of a file, all of it or nothing",
        tags=["knowledge"],
        request=knowledge_shapes.PackSerializer,
        responses={201: knowledge_shapes.TakenShape},
    ),
)
unjudged = extend_schema(
    operation_id="list_unjudged",
    summary="Messages, lines and waits of your cases that no rule and no entry speaks of",
    tags=["knowledge"],
    parameters=[knowledge_shapes.UnjudgedQuery],
    responses={200: knowledge_shapes.UnjudgedShape},
)
worth = extend_schema(
    operation_id="read_worth",
    summary="What rules, entries and forms of verdicts were worth in closed cases",
    tags=["knowledge"],
    responses={200: knowledge_shapes.WorthShape},
)
outcome = _all(
    extend_schema(
        methods=["GET"],
        operation_id="list_outcomes",
        summary="What the case turned out to be, latest first",
        tags=["cases"],
        responses={200: knowledge_shapes.OutcomesShape},
    ),
    extend_schema(
        methods=["POST"],
        operation_id="say_outcome",
        summary="Say what the case turned out to be",
        tags=["cases"],
        request=OUTCOME,
        responses={201: knowledge_shapes.OutcomeShape},
        examples=_sent("The first finding", {"found": "finding", "sure": "proven"}),
    ),
)
export = extend_schema(
    operation_id="export_case",
    summary="The case as a file",
    tags=["found"],
    parameters=[OpenApiParameter("kind", OpenApiTypes.STR, OpenApiParameter.PATH, enum=["md", "json", "html"])],
    responses={
        (200, "text/markdown"): OpenApiTypes.STR,
        (200, JSON): OpenApiTypes.OBJECT,
        (200, "text/html"): OpenApiTypes.STR,
    },
)
schema = extend_schema(
    operation_id="read_schema",
    summary="This description",
    tags=["description"],
    responses={200: OpenApiTypes.OBJECT},
)
