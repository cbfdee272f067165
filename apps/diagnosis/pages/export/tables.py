"""Every table of a case as rows for CSV. Text that a spreadsheet would run as a formula is made harmless."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from apps.diagnosis.models import Diagnosis
from apps.diagnosis.page_table_files import PageTableFiles
from apps.diagnosis.pages.graph.waitgraph import WaitGraph
from apps.diagnosis.pages.judging.judgements import Judgements, finding_subjects
from apps.diagnosis.values import OF_TUNING, findings_of, tunings_of

Rows = Iterator[Sequence[Any]]


def _findings(diagnosis: Diagnosis) -> Rows:
    yield (
        "number",
        "ref",
        "rule",
        "severity",
        "confidence",
        "basis",
        "title",
        "explanation",
        "nodes",
        "judgement",
        "judged_by",
        "judged_why",
        "evidence",
    )
    findings = findings_of(diagnosis)
    judgements, subjects = Judgements(diagnosis.case), finding_subjects(findings)
    for one in findings:
        places = "; ".join(f"{line['path']}:{line['line']}" for line in one.evidence)
        nodes = ", ".join(one.nodes)
        judgement = judgements.context(subjects[one.pk])
        judged = (judgement["words"], judgement["by"] if judgement["word"] else "", judgement["why"])
        head = (one.order + 1, one.ref, one.rule, one.severity, one.confidence, one.basis, one.title, one.explanation)
        yield (*head, nodes, *judged, places)


def _tunings(diagnosis: Diagnosis) -> Rows:
    names = tuple(name for name in OF_TUNING if name != "since")
    yield names
    for one in tunings_of(diagnosis):
        values = (getattr(one, name) for name in names)
        yield tuple("; ".join(value) if isinstance(value, (list, tuple)) else value for value in values)


def _kinds(diagnosis: Diagnosis) -> Rows:
    yield ("kind", "category", "thread", "waits_on", "reason", "count", "longest_s", "nodes", "meaning")
    for one in diagnosis.summary.get("kinds", ()):
        words = (one["kind_id"], one["category"], one["thread"], one["wait_on"], one["reason"])
        yield (*words, one["count"], one["longest_s"], ", ".join(one["nodes"]), one["meaning"])


def _arrows(diagnosis: Diagnosis) -> Rows:
    yield ("waits", "for", "through", "count", "longest_s", "ends_if_let_go")
    graph = WaitGraph(diagnosis.summary)
    for arrow in graph.arrows:
        yield (arrow.frm, arrow.to, "; ".join(arrow.vias), arrow.count, arrow.longest_s, graph.ends(arrow.to))


def _view(name: str) -> Callable[[Diagnosis], Rows]:
    """A view file as it is, without the numbers that mean something only inside the program."""

    def rows(diagnosis: Diagnosis) -> Rows:
        frame = PageTableFiles(diagnosis).table(name)
        if frame is None:
            return
        kept = [column for column in frame.columns if column not in {"artifact", "captures"}]
        yield kept
        yield from frame.select(kept).iter_rows()

    return rows


TABLES: Final[dict[str, Callable[[Diagnosis], Rows]]] = {
    "findings": _findings,
    "tunings": _tunings,
    "kinds": _kinds,
    "graph": _arrows,
    "objects": _view("objects"),
    "settings": _view("settings"),
    "lock-samples": _view("locks"),
    "flows": _view("flows"),
    "runs": _view("runs"),
}


def csv_table(diagnosis: Diagnosis, name: str) -> Rows:
    """Header and rows."""
    return TABLES[name](diagnosis)
