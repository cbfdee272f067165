"""What the page of waiters is given: parts that stand on the diagnosis, kept from one reader to the next, and what
people say to kinds.
"""

from __future__ import annotations

from typing import Any, Final

from django.http import QueryDict
from django.utils.http import urlencode

from apps.cases.models import Case
from apps.cases.page.wallclock import moment_text
from apps.diagnosis.engine.core.words.repeated_requests import grouped
from apps.diagnosis.models import Diagnosis
from apps.diagnosis.pages.context import case_zone, line_urls
from apps.diagnosis.pages.graph.waitgraph import WaitGraph
from apps.diagnosis.pages.judging.judgements import Judgements, Subject, kind_subject
from apps.diagnosis.pages.kept_parts import CaseKey, html, kept_verdict, of_diagnosis
from apps.diagnosis.pages.learning.starts import wait_token, words_of
from apps.diagnosis.pages.waiters import waits
from parsers.dataclass import dataclass

TREE_ROWS: Final = 60
NORMAL: Final = 1
"""Waits of this category are meant to be long: they come after all others."""


@dataclass(frozen=True, slots=True)
class Waits:
    """What the filters leave: bars and the table below."""

    whole: int
    spans: str
    table: str


@dataclass(frozen=True, slots=True)
class KindPart:
    """A row of the table of kinds up to what people say to it."""

    cells: str
    subject: Subject
    name: str
    wait: str = ""
    """What the form of an entry calls it, where the program does not know the kind."""


@dataclass(frozen=True, slots=True)
class Kinds:
    """What no filter changes: who waits for whom, next steps, kinds."""

    columns: str
    rows: tuple[KindPart, ...]
    total: int


def waits_context(
    case: Case, diagnosis: Diagnosis, filters: waits.WaiterFilters, *, is_part: bool, query: QueryDict | None = None
) -> dict[str, Any]:
    """For diagnosis/waiters.html; of a part only the table is shown."""
    shown = of_diagnosis(case, diagnosis, "waits", query, lambda: _waits(case, diagnosis, filters), case.may_edit)
    if is_part:
        return {"waits": shown}
    kinds = of_diagnosis(case, diagnosis, "kinds", None, lambda: _kinds(case, diagnosis))
    judgements = Judgements(case)
    return {
        "waits": shown,
        "kinds": [
            {"cells": one.cells, "name": one.name, "wait": one.wait, "judgement": judgements.context(one.subject)}
            for one in kinds.rows
        ],
        "kinds_total": kinds.total,
        "columns": kinds.columns,
        "may_judge": case.may_edit and not case.is_trashed,
        "verdict": kept_verdict(case),
    }


def _waits(case: Case, diagnosis: Diagnosis, filters: waits.WaiterFilters) -> Waits:
    page = waits.waiter_page(diagnosis, filters)
    zone, url = case_zone(case), line_urls(case)
    rows = [
        {
            **row,
            "url": url(row["artifact"], row["line"]),
            "note": _pin(row) if case.may_edit else "",
            "start_text": moment_text(row["start"], zone),
        }
        for row in page.rows
    ]
    table = {
        "case": CaseKey(case.key),
        "page": page,
        "rows": rows,
        "filters": filters,
        "category_choices": waits.category_choices(filters),
        "age_choices": waits.age_choices(filters),
        "newer": filters.query(page=page.page - 1) if page.page > 1 else "",
        "older": filters.query(page=page.page + 1) if page.page < page.pages else "",
        "csv_query": filters.query(),
    }
    gantt = waits.gantt(page, zone, [url(bar["artifact"], bar["line"]) for bar in page.bars])
    return Waits(
        page.whole,
        html("diagnosis/_gantt.html", {"gantt": gantt}) if gantt else "",
        html("diagnosis/_waits.html", table),
    )


def _pin(row: dict[str, Any]) -> str:
    """Query that pins a note to a wait."""
    span = " ".join(part for part in (row["node"], row["thread"]) if part)
    pins = {"span": span, "at_us": row["start"], "end_us": row["end"], "artifact": row["artifact"], "line": row["line"]}
    return urlencode({key: value for key, value in pins.items() if value is not None})


def _kinds(case: Case, diagnosis: Diagnosis) -> Kinds:
    summary = diagnosis.summary
    graph = WaitGraph(summary)
    columns = {
        "case": CaseKey(case.key),
        "graph": graph.drawing(()) if graph.arrows else None,
        "graph_rows": graph.rows()[:TREE_ROWS],
        "roots": summary.get("roots", []),
        "next_steps": summary.get("next_steps", []),
        "missing": grouped(summary.get("missing", [])),
    }
    url = line_urls(case)
    rows = []
    for kind in sorted(summary.get("kinds", []), key=lambda kind: kind["category"] == NORMAL):
        subject = kind_subject(kind)
        shown = {"kind": {**kind, "url": url(kind["ref"]["artifact"], kind["ref"]["line"])}, "token": subject.token}
        name = kind["meaning"] or kind["reason"] or ""
        wait = wait_token(words_of(kind)) if kind["category"] is None else ""
        rows.append(KindPart(html("diagnosis/_kind_cells.html", shown), subject, name, wait))
    return Kinds(html("diagnosis/_who_waits.html", columns), tuple(rows), summary.get("kinds_total", 0))
