"""What of a case can be found by the search over all cases: names and sentences of its diagnosis, its files and
problems.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import polars as pl

from apps.cases.models import BundleProblem, Case
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.models import Diagnosis, SearchDocument
from apps.diagnosis.numbering import FileNumbers
from apps.diagnosis.page_table_files import PageTableFiles
from apps.diagnosis.pages.context import anchor
from apps.diagnosis.storable import storable
from parsers.messages.catalogue import meanings
from parsers.records import Event, Skipped

TEXT_CHARS: Final = 600
FILES_KEPT: Final = 5000
EACH_KEPT: Final = 500
SHAPES_KEPT: Final = 200
Kind = SearchDocument.Kind


def index_case(case: Case, diagnosis: Diagnosis, facts: Facts, numbers: FileNumbers) -> None:
    """Replace the documents of a case. Call it inside the transaction that puts the diagnosis in place."""
    known = set(case.artifacts.values_list("pk", flat=True))
    SearchDocument.objects.filter(case=case).delete()
    rows = list(_unique(_documents(case, diagnosis, facts, numbers)))
    for row in rows:
        if row.artifact_id not in known:
            row.artifact_id, row.line = None, None
    SearchDocument.objects.bulk_create(rows, batch_size=500)


def _document(case: Case, kind: str, text: object, **fields: Any) -> SearchDocument:
    words = str(storable(" ".join(str(text or "").split())))[:TEXT_CHARS]
    return SearchDocument(case=case, kind=kind, text=words, folded=words.lower(), **fields)


def _unique(rows: Iterable[SearchDocument]) -> Iterator[SearchDocument]:
    """One of each kind and text: the first has the line."""
    seen: set[tuple[str, str, str]] = set()
    for row in rows:
        key = (row.kind, row.name, row.folded)
        if row.folded and key not in seen:
            seen.add(key)
            yield row


def _documents(case: Case, diagnosis: Diagnosis, facts: Facts, numbers: FileNumbers) -> Iterator[SearchDocument]:
    for node in diagnosis.summary.get("nodes", ())[:EACH_KEPT]:
        yield _document(case, Kind.NODE, " ".join((node["name"], *node["aliases"])), name=node["name"][:120])
    yield from _findings(case, diagnosis)
    yield from _kinds(case, diagnosis)
    yield from _messages(case, facts, numbers)
    yield from _objects(case, diagnosis)
    files = case.artifacts.originals().order_by("bundle_id", "path", "pk").values_list("pk", "path")[:FILES_KEPT]
    for pk, path in files:
        yield _document(case, Kind.FILE, path, artifact_id=pk)
    problems = BundleProblem.objects.filter(bundle__case=case).order_by("bundle_id", "path", "line", "pk")
    for pk, path, line, message in problems.values_list("artifact_id", "path", "line", "message")[:EACH_KEPT]:
        yield _document(case, Kind.PROBLEM, f"{message} {path}", artifact_id=pk, line=line)
    yield from _shapes(case, facts, numbers)


def _findings(case: Case, diagnosis: Diagnosis) -> Iterator[SearchDocument]:
    for finding in diagnosis.findings.all():
        words = f"{finding.title} {finding.ref} {finding.rule}"
        yield _document(case, Kind.FINDING, words, name=finding.ref, anchor=anchor(finding), count=1)
        for line in finding.evidence:
            yield _document(case, Kind.EVIDENCE, line["text"], artifact_id=line["artifact"], line=line["line"])
    for tuning in diagnosis.tunings.all():
        yield _document(
            case, Kind.TUNING, f"{tuning.parameter} {tuning.recommended} {tuning.scope}", name=tuning.tuning_id
        )


def _kinds(case: Case, diagnosis: Diagnosis) -> Iterator[SearchDocument]:
    for kind in diagnosis.summary.get("kinds", ()):
        place = {"artifact_id": kind["ref"]["artifact"], "line": kind["ref"]["line"]}
        if kind["kind_id"]:
            yield _document(
                case,
                Kind.WAITER_KIND,
                f"{kind['kind_id']} {kind['meaning']}",
                name=kind["kind_id"],
                count=kind["count"],
                **place,
            )
        yield _document(case, Kind.THREAD, kind["thread"], count=kind["count"], **place)
        yield _document(case, Kind.REASON, kind["reason"] or kind["wait_on"], count=kind["count"], **place)


def _messages(case: Case, facts: Facts, numbers: FileNumbers) -> Iterator[SearchDocument]:
    """Kinds of messages of the catalogue, each with how often the logs hold it."""
    if not facts.has(Event):
        return
    known = meanings()
    rows = (
        facts.scan(Event)
        .filter(pl.col("kind").is_in(list(known)))
        .group_by("kind")
        .agg(pl.len().alias("n"), pl.col("artifact").first(), pl.col("line").first())
        .sort("kind")
        .collect()
    )
    for kind, count, artifact, line in rows.iter_rows():
        words = f"{kind} {known[kind].title.replace('{about}', '')}"
        yield _document(
            case, Kind.MESSAGE, words, name=kind[:120], artifact_id=numbers.pk(artifact), line=line, count=count
        )


def _objects(case: Case, diagnosis: Diagnosis) -> Iterator[SearchDocument]:
    for root in diagnosis.summary.get("roots", ())[:EACH_KEPT]:
        yield _document(case, Kind.OBJECT, f"{root['kind']} {root['what']} {root['node'] or ''}", anchor="graph")
    objects = PageTableFiles(diagnosis).table("objects")
    if objects is not None:
        for row in objects.head(EACH_KEPT).iter_rows(named=True):
            words = f"{row['object']} {row['what'] or ''} {row['scope'] or ''} {row['holder'] or ''}"
            yield _document(
                case, Kind.OBJECT, words, artifact_id=row["artifact"], line=row["line"], count=row["waiters"]
            )


def _shapes(case: Case, facts: Facts, numbers: FileNumbers) -> Iterator[SearchDocument]:
    """Distinct shapes of lines that were not understood, with how often each stands there."""
    if not facts.has(Skipped):
        return
    rows = (
        facts.scan(Skipped)
        .filter(pl.col("shape") != "")
        .group_by("shape")
        .agg(pl.len().alias("n"), pl.col("artifact").first(), pl.col("line").first())
        .sort("n", "shape", descending=[True, False])
        .head(SHAPES_KEPT)
        .collect()
    )
    for shape, count, artifact, line in rows.iter_rows():
        yield _document(case, Kind.SHAPE, shape, artifact_id=numbers.pk(artifact), line=line, count=count)


def forget(case: Case) -> None:
    """A case without files has nothing to find."""
    SearchDocument.objects.filter(case=case).delete()
