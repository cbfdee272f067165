"""The rows of the files page."""

from __future__ import annotations

from typing import Final

from django.db.models import Count
from django.http import QueryDict
from django.template.loader import render_to_string
from django.urls import get_script_prefix
from django.utils.http import urlencode

from apps.cases.models import Artifact, Bundle, BundleProblem, Case
from apps.cases.page.wallclock import moment_text, zone_text
from apps.privacy.models import Credential
from apps.web import kept
from apps.web.templatetags.lockscope import thousands
from parsers.dataclass import dataclass

PAGE: Final = 100
NODES_LISTED: Final = 1000
NAME_CHARS: Final = 200
LIVE_ROWS: Final = 2000
"""While more files than these are being read, the page that asks for itself every two seconds does not sum up nodes."""
BUNDLES_SHOWN: Final = 200
PROBLEMS_SHOWN: Final = 200
NODES_FROM: Final = 20
"""Fewer files than these are looked through as they stand."""
# The word and the dot of components/badge.css for each state.
DOTS: Final = {
    "queued": "waiting",
    "reading": "reading",
    "parsed": "read",
    "partly": "partly",
    "failed": "failed",
    "skipped": "skipped",
}
BUNDLE_DOTS: Final = {
    "received": "waiting",
    "expanding": "reading",
    "expanded": "read",
    "failed": "failed",
    "skipped": "skipped",
}


@dataclass(frozen=True, slots=True)
class FileRow:
    artifact: Artifact
    dot: str
    captured: str
    understood: float | None
    """Share of the lines that carry data; None where there is none."""
    percent_read: int | None
    """While it is being read."""
    case_key: str

    @property
    def text(self) -> str:
        """The row as text of the page; kept once the file stands still."""
        if self.percent_read is not None:
            return self._made()
        one = self.artifact
        same = one.duplicate_of.path if one.duplicate_of else ""
        words = (
            self.case_key,
            one.path,
            one.state,
            one.message,
            same,
            one.parser_version,
            self.captured,
            repr(one.formats),
            repr(one.nodes),
        )
        figures = (
            one.pk,
            one.problems_n,
            one.size,
            one.lines_total,
            one.lines_understood,
            one.lines_ignored,
            one.lines_not_understood,
        )
        return kept.pages.part(("file row", get_script_prefix(), *words, *figures), self._made)

    def _made(self) -> str:
        return render_to_string("cases/_file_row.html", {"row": self, "case_key": self.case_key})


@dataclass(frozen=True, slots=True)
class BundleRows:
    bundle: Bundle
    dot: str
    rows: list[FileRow]


@dataclass(frozen=True, slots=True)
class FileQuery:
    """What the address asks for: a state, a node, a part of a path, and the row after which the page begins."""

    state: str = ""
    node: str = ""
    name: str = ""
    after: str = ""

    @classmethod
    def from_query(cls, query: QueryDict) -> FileQuery:
        state = query.get("state", "")
        node, name = (query.get(key, "").replace("\0", "").strip()[:NAME_CHARS] for key in ("node", "name"))
        return cls(state if state in Artifact.State.values else "", node, name, query.get("after", "")[:NAME_CHARS])

    def address(self, **change: str) -> str:
        """Its address, or that of a query changed so; another choice begins with the first page."""
        pairs = {"state": self.state, "node": self.node, "name": self.name, "after": ""} | change
        return f"?{urlencode([(key, value) for key, value in pairs.items() if value])}"

    @property
    def is_any(self) -> bool:
        return bool(self.state or self.node or self.name)


@dataclass(frozen=True, slots=True)
class NodeRow:
    """The files of one node together."""

    name: str
    files: int
    problems: int
    not_understood: int
    url: str
    is_on: bool


@dataclass(frozen=True, slots=True)
class FileList:
    bundles: list[BundleRows]
    states: list[dict[str, object]]
    query: FileQuery
    nodes: list[NodeRow]
    nodes_n: int
    problems: list[BundleProblem]
    problems_n: int
    credentials: list[Credential]
    credentials_n: int
    files_n: int
    settled_n: int
    shown: int
    is_reading: bool
    older: str
    newer: str
    address: str


def list_files(case: Case, params: QueryDict) -> FileList:
    query = FileQuery.from_query(params)
    counts = dict(case.artifacts.values_list("state").annotate(n=Count("pk")))
    bundles = list(case.bundles.select_related("duplicate_of", "uploaded_by").order_by("pk")[:BUNDLES_SHOWN])
    files_n = sum(counts.values())
    unsettled = counts.get("queued", 0) + counts.get("reading", 0)
    sums_up = files_n > NODES_FROM and (not unsettled or files_n <= LIVE_ROWS)
    of_nodes = _by_node(case) if query.node or sums_up else {}
    artifacts, newer, older = _page(case, query, of_nodes)
    problems = BundleProblem.objects.filter(bundle__case=case)
    found = Credential.objects.filter(artifact__case=case)
    credentials = list(found.select_related("artifact")[:PROBLEMS_SHOWN])
    return FileList(
        bundles=_grouped(case, bundles, artifacts, has_all=not query.is_any and not newer),
        states=_states(counts, query),
        query=query,
        nodes=_node_rows(of_nodes, query) if files_n > NODES_FROM else [],
        nodes_n=len(of_nodes),
        problems=list(problems.select_related("artifact", "bundle")[:PROBLEMS_SHOWN]),
        problems_n=problems.count(),
        credentials=credentials,
        credentials_n=found.count() if len(credentials) == PROBLEMS_SHOWN else len(credentials),
        files_n=files_n,
        settled_n=files_n - unsettled,
        shown=len(artifacts),
        is_reading=bool(unsettled) or any(bundle.state in ("received", "expanding") for bundle in bundles),
        older=older,
        newer=newer,
        address=query.address(after=query.after),
    )


OfNode = dict[str, list[tuple[int, int, int]]]
"""Number of a file, its problems and its lines that are not understood, by node."""


def _by_node(case: Case) -> OfNode:
    rows = case.artifacts.values_list("pk", "nodes", "problems_n", "lines_not_understood")
    found: OfNode = {}
    for pk, nodes, problems, not_understood in rows.iterator():
        for node in nodes:
            found.setdefault(str(node), []).append((pk, problems or 0, not_understood or 0))
    return found


def _node_rows(of_nodes: OfNode, query: FileQuery) -> list[NodeRow]:
    """Nodes with most that is not understood first, then by name; the chosen one is always listed."""
    if len(of_nodes) < 2:
        return []
    rows = [
        NodeRow(
            name,
            len(files),
            sum(problems for _, problems, _ in files),
            sum(lines for _, _, lines in files),
            query.address(node="" if name == query.node else name),
            name == query.node,
        )
        for name, files in of_nodes.items()
    ]
    rows.sort(key=lambda row: (not row.is_on, -row.problems, -row.not_understood, row.name))
    return rows[:NODES_LISTED]


def _page(case: Case, query: FileQuery, of_nodes: OfNode) -> tuple[list[Artifact], str, str]:
    """In the order of their bundles, and within one as the archive holds them; the next page begins behind the last
    row's numbers.
    """
    artifacts = case.artifacts.select_related("duplicate_of").order_by("bundle_id", "pk")
    if query.state:
        artifacts = artifacts.filter(state=query.state)
    if query.name:
        artifacts = artifacts.filter(path__icontains=query.name)
    if query.node:
        artifacts = artifacts.filter(pk__in=[pk for pk, _, _ in of_nodes.get(query.node, ())])
    bundle, _, pk = query.after.partition("-")
    is_later = all(part.isascii() and part.isdigit() and len(part) <= 18 for part in (bundle, pk))
    if is_later:
        artifacts = artifacts.filter(bundle_id__gte=int(bundle)).exclude(bundle_id=int(bundle), pk__lte=int(pk))
    found = list(artifacts[: PAGE + 1])
    page = found[:PAGE]
    older = query.address(after=f"{page[-1].bundle_id}-{page[-1].pk}") if len(found) > PAGE else ""
    return page, query.address() if is_later else "", older


def _grouped(case: Case, bundles: list[Bundle], artifacts: list[Artifact], *, has_all: bool) -> list[BundleRows]:
    zone = zone_text(case.zone_name, case.zone_min)
    rows: dict[int, list[FileRow]] = {bundle.pk: [] for bundle in bundles}
    for artifact in artifacts:
        rows.setdefault(artifact.bundle_id, []).append(_row(artifact, zone, case.key))
    groups = [BundleRows(bundle, BUNDLE_DOTS[bundle.state], rows[bundle.pk]) for bundle in bundles]
    return [group for group in groups if group.rows or has_all]


def _row(artifact: Artifact, zone: str, case_key: str) -> FileRow:
    reading = artifact.state == Artifact.State.READING and artifact.size > 0
    return FileRow(
        artifact=artifact,
        dot=DOTS[artifact.state],
        captured=moment_text(artifact.captured_us, zone),
        understood=_share(artifact),
        percent_read=min(100, round(100 * artifact.read_bytes / artifact.size)) if reading else None,
        case_key=case_key,
    )


def _share(artifact: Artifact) -> float | None:
    """Lines without data (blank, prose, headings) do not count for it or against it."""
    if artifact.lines_understood is None or artifact.lines_not_understood is None:
        return None
    lines = artifact.lines_understood + artifact.lines_not_understood
    return artifact.lines_understood / lines if lines else None


def _states(counts: dict[str, int], query: FileQuery) -> list[dict[str, object]]:
    chips: list[dict[str, object]] = [
        {
            "label": "all",
            "strong": thousands(sum(counts.values())),
            "url": query.address(state=""),
            "is_on": not query.state,
        }
    ]
    for value, label in Artifact.State.choices:
        if counts.get(value):
            url, is_on = query.address(state=value), value == query.state
            chips.append({"label": label, "strong": thousands(counts[value]), "url": url, "is_on": is_on})
    return chips
