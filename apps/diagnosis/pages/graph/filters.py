"""What the address of the wait graph asks for, and the edges that are left: by age, by name, by moment, and the 500
with most waits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import polars as pl
from django.http import QueryDict

from apps.cases.page.wallclock import moment_text
from apps.diagnosis.page_table_files import PageTableFiles
from apps.diagnosis.pages.graph.waitgraph import WaitGraph
from apps.diagnosis.pages.graph.waits_of_arrow import rounds, waiting_at
from apps.diagnosis.values import AnyDiagnosis
from parsers.dataclass import dataclass

LEASTS: Final = ((0.0, "any age"), (1.0, "≥ 1 s"), (10.0, "≥ 10 s"), (60.0, "≥ 60 s"))
EDGES_DRAWN: Final = 500
NAME_CHARS: Final = 100
Edge = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class GraphFilters:
    """Shortest age, a moment (the start of a round of dumps), a part of a name."""

    least: float = 0.0
    at: int | None = None
    name: str = ""

    @classmethod
    def from_query(cls, query: QueryDict) -> GraphFilters:
        age, at = query.get("age", ""), query.get("at", "")
        return cls(
            least=next((value for value, _ in LEASTS if f"{value:g}" == age), 0.0),
            at=int(at) if at.isascii() and at.isdigit() and len(at) <= 17 else None,
            name=query.get("name", "").strip().replace("\0", "")[:NAME_CHARS],
        )

    @property
    def is_any(self) -> bool:
        return bool(self.least or self.name or self.at is not None)


@dataclass(frozen=True, slots=True)
class Filtered:
    """The graph that is shown, how many arrows it could have had, and the choices of its form."""

    graph: WaitGraph
    names_n: int
    edges_n: int
    left_out: int
    moments: list[dict[str, Any]]


def filtered(diagnosis: AnyDiagnosis, filters: GraphFilters, zone: str) -> Filtered:
    """Narrowed by age and name first; what still is too much loses the edges with fewest waits, and says so."""
    spans = PageTableFiles(diagnosis).spans()
    moments = rounds(spans)
    whole = edges_of(diagnosis)
    edges = [edge for edge in whole if edge["longest_s"] >= filters.least]
    if filters.name:
        edges = _named(edges, filters.name)
    kept = sorted(edges, key=lambda edge: (-edge["count"], -edge["longest_s"], edge["frm"], edge["to"]))[:EDGES_DRAWN]
    graph = WaitGraph(_with(diagnosis, kept), is_part=filters.is_any)
    names_n = len(graph.names)
    if len(kept) < len(edges):
        names_n, graph.total = _all_of(edges, diagnosis)
    moment = next((one for one in moments if one[0] == filters.at), None)
    if moment is not None and spans is not None:
        graph = WaitGraph(_with(diagnosis, waiting_at(graph, diagnosis, spans, moment)), is_part=True)
        names_n = len(graph.names)
    return Filtered(graph, names_n, len(whole), len(edges) - len(kept), _choices(moments, filters, zone))


def _all_of(edges: Sequence[Edge], diagnosis: AnyDiagnosis) -> tuple[int, int]:
    """Names and waits of all edges: shares are of these, however many arrows are drawn."""
    whole = WaitGraph(_with(diagnosis, edges))
    return len(whole.names), whole.total


def _choices(moments: Sequence[tuple[int, int]], filters: GraphFilters, zone: str) -> list[dict[str, Any]]:
    return [
        {
            "value": first,
            "name": f"{number} of {len(moments)}: {moment_text(first, zone)}",
            "is_on": first == filters.at,
        }
        for number, (first, _) in enumerate(moments, start=1)
    ]


def _with(diagnosis: AnyDiagnosis, edges: Iterable[Edge]) -> dict[str, Any]:
    return {**diagnosis.summary, "waits_for": list(edges)}


def edges_of(diagnosis: AnyDiagnosis) -> list[Edge]:
    """All of the diagnosis; where they are too many for its row they lie in a file beside it."""
    frame: pl.DataFrame | None = PageTableFiles(diagnosis).table("edges")
    return list(diagnosis.summary.get("waits_for", ()) if frame is None else frame.to_dicts())


def _named(edges: Sequence[Edge], name: str) -> list[Edge]:
    """Edges of the names that hold the text, those who wait for them, and the chains from them to their ends."""
    wanted = name.casefold()
    out: dict[str, list[Edge]] = defaultdict(list)
    for edge in edges:
        out[edge["frm"]].append(edge)
    queue = [edge["to"] for edge in edges if wanted in edge["frm"].casefold() or wanted in edge["to"].casefold()]
    reached: set[str] = set()
    while queue:
        one = queue.pop()
        if one not in reached:
            reached.add(one)
            queue.extend(edge["to"] for edge in out[one])
    return [e for e in edges if e["frm"] in reached or wanted in e["frm"].casefold() or wanted in e["to"].casefold()]
