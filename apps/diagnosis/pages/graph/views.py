"""The page of who waits for whom: graph, tree, what one arrow rests on, and what would end if somebody let go."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Final

import polars as pl
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils.cache import patch_vary_headers
from django.utils.http import urlencode
from django.views.decorators.http import require_GET

from apps.cases.access import Role, case_access
from apps.cases.files.line_texts import LineText, line_texts
from apps.cases.models import Case
from apps.cases.page.head import case_head
from apps.cases.page.wallclock import moment_text
from apps.diagnosis.page_table_files import PageTableFiles
from apps.diagnosis.pages.context import case_zone, line_urls, short_path
from apps.diagnosis.pages.graph.categories import categories_of
from apps.diagnosis.pages.graph.clock_bars import clock_bars
from apps.diagnosis.pages.graph.filters import LEASTS, GraphFilters, filtered
from apps.diagnosis.pages.graph.waitgraph import Arrow, WaitGraph
from apps.diagnosis.pages.graph.waits_of_arrow import behind, by_name, spellings_of
from apps.diagnosis.pages.kept_parts import html, kept_verdict, of_diagnosis
from apps.diagnosis.pages.timeline.lane_data import LineUrl
from apps.diagnosis.values import AnyDiagnosis
from apps.web.htmx import is_fragment_request, render_page
from parsers.dataclass import dataclass

LINES_SHOWN: Final = 8
NAME_CHARS: Final = 300
ARROW: Final = "diagnosis/_edge.html"
CARDS: Final = "diagnosis/_graph_cards.html"
CARDS_ID: Final = "graph-cards"
Texts = Callable[[Iterable[tuple[int, int]]], Mapping[tuple[int, int], LineText]]
"""Lines as they stand in their files, for readers who may open these."""


def no_texts(places: Iterable[tuple[int, int]]) -> Mapping[tuple[int, int], LineText]:
    """For readers who may not open raw files."""
    return {}


@dataclass(frozen=True, slots=True)
class Cards:
    """The page below its head; empty where no wait can be followed."""

    text: str
    has_graph: bool


@require_GET
@case_access(Role.VIEWER)
def graph_page(request: HttpRequest, case: Case) -> HttpResponse:
    """Graph and tree; with `from` and `to` in the address, also the lines behind that arrow."""
    diagnosis = case.current_diagnosis
    is_arrow = is_fragment_request(request) and request.headers.get("HX-Target") != CARDS_ID
    template = ARROW if is_arrow else CARDS
    context: dict[str, Any] = {"case": case, "head": case_head(case, current="graph", view=request.GET.urlencode())}
    if diagnosis is not None:
        context["cards"] = of_diagnosis(
            case, diagnosis, template, request.GET, lambda: _cards(case, diagnosis, request.GET, template)
        )
        context["verdict"] = kept_verdict(case)
    response = render_page(request, "diagnosis/graph.html", partial="diagnosis/_kept_edge.html", context=context)
    patch_vary_headers(response, ["HX-Target"])
    return response


def _cards(case: Case, diagnosis: AnyDiagnosis, query: QueryDict, template: str) -> Cards:
    context = graph_context(case, diagnosis, query, line_urls(case), partial(line_texts, case))
    is_empty = template != ARROW and not context["graph"] and not context["is_filtered"]
    return Cards("" if is_empty else html(template, context), bool(context["graph"]))


def graph_context(
    case: Case, diagnosis: AnyDiagnosis, query: QueryDict, line_url: LineUrl, texts: Texts = no_texts
) -> dict[str, Any]:
    """What the page shows of a diagnosis. Readers who may not open raw files get lines in words, without addresses."""
    filters = GraphFilters.from_query(query)
    found = filtered(diagnosis, filters, case_zone(case))
    graph, opened = found.graph, query.get("open", "").split(",")
    edge = _edge(case, diagnosis, graph, query, line_url, texts)
    chosen = [edge["arrow"].frm, edge["arrow"].to] if edge else None
    kept = {name: str(query[name]) for name in ("age", "at", "name", "open") if query.get(name)}
    return {
        "graph": graph.drawing(opened, categories_of(diagnosis, graph.names)) | {"chosen": chosen}
        if graph.arrows
        else None,
        "rows": [{**row, "url": _address(row["branch"].link, kept)} for row in graph.rows()],
        "let_go": graph.let_go(),
        "total": graph.total,
        "are_proven": graph.are_proven,
        "cycles": [{"names": cycle, "words": graph.cycle_words(cycle)} for cycle in graph.cycles],
        "boxes_n": found.names_n,
        "leasts": [
            {"value": f"{value:g}" if value else "", "name": name, "is_on": value == filters.least}
            for value, name in LEASTS
        ],
        "moments": found.moments,
        "filters": filters,
        "edges_n": found.edges_n,
        "edges_left_out": found.left_out,
        "is_filtered": filters.is_any,
        "edge": edge,
    }


def _address(link: tuple[str, str] | None, kept: dict[str, str]) -> str:
    return f"?{urlencode({**kept, 'from': link[0], 'to': link[1]})}" if link else ""


def _edge(
    case: Case, diagnosis: AnyDiagnosis, graph: WaitGraph, query: QueryDict, line_url: LineUrl, texts: Texts
) -> dict[str, Any] | None:
    """The arrow that the address names, or the one into the first root: its longest waits, who has what they want, and
    the longest waits of that.
    """
    frm, to = query.get("from", "")[:NAME_CHARS], query.get("to", "")[:NAME_CHARS]
    arrow = next((arrow for arrow in graph.arrows if (arrow.frm, arrow.to) == (frm, to)), graph.first)
    if arrow is None:
        return None
    spellings = spellings_of(diagnosis, arrow.to)
    tables = PageTableFiles(diagnosis)
    spans = tables.spans()
    waits = [] if spans is None else _longest(spans.filter(behind(graph, arrow, spellings)))
    holders = _holders(tables.table("holders"), graph, arrow)
    beyond = (
        []
        if spans is None or graph.is_resource(arrow.to)
        else _longest(spans.filter(by_name(arrow.to) & (pl.col("category").fill_null(0) != 1)))
    )
    known = texts((row["artifact"], row["line"]) for row in (*waits, *holders, *beyond))
    zone = case_zone(case)
    return {
        "arrow": arrow,
        "waits": [_line(row, line_url, zone, known) for row in waits],
        "holders": [_line(row, line_url, zone, known) for row in holders],
        "beyond": [_line(row, line_url, zone, known) for row in beyond],
        "clock": clock_bars(
            diagnosis.summary.get("nodes", ()), waits[0] if waits else None, beyond[0] if beyond else None
        ),
        "is_silent": not holders and graph.kind_of(arrow.to) in {"node", "process"},
        "ends": graph.ends(arrow.to),
        "total": graph.total,
        "spellings": sorted(spellings - {arrow.to}),
    }


def _holders(table: pl.DataFrame | None, graph: WaitGraph, arrow: Arrow) -> list[dict[str, Any]]:
    """Lines of those who have the lock at an end of the arrow."""
    if table is None:
        return []
    if graph.is_resource(arrow.to):
        rows = table.filter(pl.col("object") == arrow.to)
    else:
        rows = table.filter((pl.col("object") == arrow.frm) & (pl.col("who") == arrow.to))
    return [{**row, "start": row["at"]} for row in rows.head(LINES_SHOWN).iter_rows(named=True)]


def _longest(spans: pl.LazyFrame) -> list[dict[str, Any]]:
    order = spans.sort("seconds", "artifact", "line", descending=[True, False, False], nulls_last=True)
    return order.head(LINES_SHOWN).collect().to_dicts()


def _line(
    row: dict[str, Any], line_url: LineUrl, zone: str, texts: Mapping[tuple[int, int], LineText]
) -> dict[str, Any]:
    found = texts.get((row["artifact"], row["line"]))
    return {
        **row,
        "url": line_url(row["artifact"], row["line"]),
        "start_text": moment_text(row["start"], zone),
        "text": found.text if found else "",
        "path": short_path(found.path) if found else "",
    }
