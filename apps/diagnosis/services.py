"""Diagnose a case and put the result in place: rows in one transaction, views beside the facts; the case points to the
newest.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, replace
from datetime import timedelta
from itertools import islice
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import polars as pl
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from apps.cases import storage
from apps.cases.models import Artifact, Case
from apps.cases.services import CaseGoneError, CaseSummary, clear_diagnosis, lock_case, set_cured, set_diagnosis
from apps.cases.storage.store_then_row import Stored
from apps.cases.storage.textblob import TextBlob
from apps.diagnosis import models
from apps.diagnosis.engine.core import model as engine
from apps.diagnosis.engine.core.facts.case import Case as EngineCase
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.verdicts.incidents import incidents
from apps.diagnosis.engine.core.words.knowledge import rule_texts
from apps.diagnosis.engine.diagnose import ENGINE_VERSION, diagnose
from apps.diagnosis.engine.page_tables import PageTables, write_page_tables
from apps.diagnosis.engine.products import PRODUCTS
from apps.diagnosis.engine.report import clip
from apps.diagnosis.learned_facts import learned
from apps.diagnosis.numbering import FileNumbers, ReadFile
from apps.diagnosis.pages.compare.cure import cure_of
from apps.diagnosis.pages.search.index import forget, index_case
from apps.diagnosis.shapes_kept import keep_shapes
from apps.diagnosis.storable import storable
from apps.learning.in_force import InForce, Spoken, in_force, note_judged, spoken_by
from apps.recurrence.services import sign
from apps.web.templatetags.lockscope import thousands
from parsers.records import Version

logger = logging.getLogger(__name__)

KINDS_KEPT = 200
CALM = frozenset(("info", "low"))

ROWS_KEPT = 500
EVIDENCE_LINES = 12
REPLACED_S = 60
COLLECTED_AT_ONCE = 200
NEEDED = ("pk", "case_id", "bundle_id", "path", "state", "facts", "blob", "modified_us", "duplicate_of_id", "formats")


def diagnose_case(case_id: int, *, check: Callable[[], None] = lambda: None) -> models.Diagnosis | None:
    """Diagnose what has been read of a case by now. None when the case is gone or holds no file.

    ``check`` raises when the result is not wanted any more; it is asked before anything is put in place.
    """
    case = Case.objects.filter(pk=case_id).first()
    if case is None:
        return None
    is_growing = case.bundles.unsettled().exists()  # asked first: what is unpacked meanwhile is not among the files
    artifacts = list(case.artifacts.order_by("pk").only(*NEEDED))
    if not artifacts:
        clear_diagnosis(case_id)
        forget(case)
        _delete(case.diagnoses.all())
        return None
    files = FileNumbers(artifacts)
    known = in_force(case.team_id)
    with learned(files, known.entries) as stored:
        return _diagnosed(case, artifacts, files, stored.facts(), known, is_growing=is_growing, check=check)


def _diagnosed(
    case: Case,
    artifacts: Sequence[Artifact],
    files: FileNumbers,
    facts: Facts,
    known: InForce,
    *,
    is_growing: bool,
    check: Callable[[], None],
) -> models.Diagnosis:
    case_id = case.pk
    case_facts = EngineCase(facts, PRODUCTS)
    result = diagnose(facts, case_facts)
    prefix, tables = _store_page_tables(case, case_facts, result, files)
    originals = [a for a in artifacts if a.duplicate_of_id is None]
    counted = (sum(a.is_settled for a in originals), len(originals), is_growing)
    result = replace(result, verdict=_interim(result.verdict, counted))
    with Stored(prefix, models.Diagnosis.objects.filter(views=prefix)) as kept:
        check()
        with kept.row():
            lock_case(case_id)
            summary = files.with_rows(_summary_json(result, tables))
            row = _diagnosis_row(case, result, summary, prefix, counted=counted, knowledge=known.version)
            _finding_rows(row, result, files)
            sign(row, row.findings.all(), _releases(facts))
            index_case(case, row, facts, files)
            set_diagnosis(case_id, row, _summary(result, tables, is_partial=row.partial))
            note_judged(case.team_id, known.version)
    if not row.partial:
        _note_cure(case_id, row)
        keep_shapes(case, result, files, case_facts)
    return row


def _note_cure(case_id: int, row: models.Diagnosis) -> None:
    """The list of cases says of a hang that is over what the page of the case says."""
    case = Case.objects.filter(pk=case_id, current_diagnosis=row).first()
    if case is not None and (cure := cure_of(case)):
        set_cured(case_id, row, cure.title(case))


def _interim(verdict: engine.Verdict | None, counted: tuple[int, int, bool]) -> engine.Verdict | None:
    """While files are still read only harm that is proven is a verdict: what the other files hold may be graver than
    any calm word.
    """
    read, files, is_growing = counted
    if read == files and not is_growing:
        return verdict
    if verdict is not None and verdict.severity not in CALM:
        rule = rule_texts().get(verdict.ref)
        if rule is None or not rule.of_absence:
            return verdict
    title = f"Reading, {thousands(read)} of {thousands(files)} file{'' if files == 1 else 's'}, no verdict yet"
    return engine.Verdict(title, "info", 0.0, "", "not_judged")


def _releases(facts: Facts) -> set[str]:
    """What runs on the nodes, as the files state it."""
    rows = facts.frame(Version).select("product", "version").unique().iter_rows()
    return {storable(f"{product} {version}".strip()) for product, version in rows}


def _store_page_tables(
    case: Case, facts: EngineCase, result: engine.Diagnosis, files: FileNumbers
) -> tuple[str, PageTables]:
    """Spans and rollups as Parquet beside the facts."""
    workspace = Path(mkdtemp(prefix="views-", dir=settings.FILE_UPLOAD_TEMP_DIR))
    prefix = f"{storage.case_prefix(case.pk)}views/{workspace.name}/"
    try:
        tables = write_page_tables(facts, result, workspace)
        if len(result.waits_for) > ROWS_KEPT:
            pl.DataFrame([asdict(edge) for edge in result.waits_for]).write_parquet(workspace / "edges.parquet")
        parts = sorted(workspace.iterdir())
        with Stored(prefix, models.Diagnosis.objects.filter(views=prefix)):
            for part in parts:
                files.store_table(part)
                with part.open("rb") as file:
                    storage.save_as(f"{prefix}{part.name}", file)
    finally:
        shutil.rmtree(workspace, ignore_errors=True)
    return (prefix if parts else ""), tables


def _diagnosis_row(
    case: Case,
    result: engine.Diagnosis,
    summary: dict[str, Any],
    prefix: str,
    *,
    counted: tuple[int, int, bool],
    knowledge: str,
) -> models.Diagnosis:
    verdict = result.verdict or engine.Verdict("Nothing was read yet", "info", 0.0, "", "not_judged")
    is_partial = counted[0] < counted[1] or counted[2]
    return models.Diagnosis.objects.create(
        case=case,
        partial=is_partial,
        files_read=counted[0],
        files_total=counted[1],
        engine_version=str(ENGINE_VERSION),
        knowledge=knowledge,
        verdict_title=storable(verdict.title),
        verdict_severity=verdict.severity,
        verdict_confidence=verdict.confidence,
        verdict_ref=verdict.ref,
        verdict_form=verdict.form,
        window_start_us=result.start,
        window_end_us=result.end,
        products=list(result.products),
        summary=storable(summary),
        views=prefix,
    )


def _summary_json(result: engine.Diagnosis, tables: PageTables) -> dict[str, Any]:
    return {
        "zone_min": result.zone_min,
        "zone_name": tables.zone_name,
        "nodes": [asdict(node) for node in _nodes_kept(result)],
        "roots": [asdict(root) for root in result.roots[:ROWS_KEPT]],
        "cycles": [list(cycle) for cycle in result.cycles[:ROWS_KEPT]],
        "waits_for": [asdict(edge) for edge in _most_waited(result.waits_for)],
        "waits_for_total": len(result.waits_for),
        "missing": [asdict(item) for item in result.missing],
        "next_steps": [asdict(step) for step in result.next_steps],
        "kinds": [_kind(kind) for kind in result.kinds[:KINDS_KEPT]],
        "kinds_total": len(result.kinds),
        "lock_roles": [_lock_role(role) for role in result.lock_roles[: 20 * ROWS_KEPT]],
        "counts": tables.counts,
        "placed": asdict(tables.placed) if tables.placed else None,
        "incidents": [asdict(one) for one in incidents(result.findings)],
    }


def _nodes_kept(result: engine.Diagnosis) -> Sequence[engine.NodeName]:
    """Nodes that are waited for or at the root, those of the kept waits, then others: without them a node among a
    thousand would be drawn as a lock.
    """
    if len(result.nodes) <= ROWS_KEPT:
        return result.nodes
    ends = [edge.to for edge in result.waits_for] + [edge.frm for edge in _most_waited(result.waits_for)]
    named = {end.partition(":")[0] for end in ends} | {root.node for root in result.roots}
    others = (node.name for node in result.nodes if node.name not in named)
    kept = named | set(islice(others, max(0, ROWS_KEPT - sum(node.name in named for node in result.nodes))))
    return [node for node in result.nodes if node.name in kept]


def _most_waited(edges: Sequence[engine.Edge]) -> Sequence[engine.Edge]:
    """What the row of a diagnosis has room for; all of them lie in a file beside it where they are more."""
    return (
        edges if len(edges) <= ROWS_KEPT else sorted(edges, key=lambda edge: (-edge.count, -edge.longest_s))[:ROWS_KEPT]
    )


def _kind(kind: engine.Kind) -> dict[str, Any]:
    return {**asdict(kind), "nodes": list(kind.nodes[:ROWS_KEPT])}


def _lock_role(role: engine.LockRole) -> dict[str, Any]:
    row = asdict(role)
    row.pop("lines")
    return row


def _finding_rows(row: models.Diagnosis, result: engine.Diagnosis, files: FileNumbers) -> None:
    spoken = spoken_by(row.case.team_id, {finding.entry for finding in result.findings if finding.entry})
    with _EvidenceTexts(files) as texts:
        findings = [
            _finding(row, order, finding, texts, spoken.get(finding.entry))
            for order, finding in enumerate(result.findings)
        ]
        tunings = [_tuning(row, order, tuning, texts) for order, tuning in enumerate(result.tunings)]
    models.Finding.objects.bulk_create(findings)
    models.Tuning.objects.bulk_create(tunings)


def _finding(
    row: models.Diagnosis, order: int, finding: engine.Finding, texts: _EvidenceTexts, spoken: Spoken | None
) -> models.Finding:
    return models.Finding(
        diagnosis=row,
        order=order,
        rule=finding.rule,
        ref=finding.ref,
        severity=finding.severity,
        confidence=finding.confidence,
        confidence_parts=[asdict(part) for part in finding.parts],
        basis=finding.basis,
        title=storable(finding.title),
        explanation=storable(finding.explanation),
        nodes=storable(list(finding.nodes)),
        start_us=finding.start,
        end_us=finding.end,
        figures=storable([asdict(figure) for figure in finding.figures]),
        evidence=storable(texts.rows(finding.evidence)),
        disproved_by=storable(finding.disproved_by),
        tunings=list(finding.tunings),
        knowledge=spoken.stored() if spoken is not None else None,
    )


def _tuning(row: models.Diagnosis, order: int, tuning: engine.Tuning, texts: _EvidenceTexts) -> models.Tuning:
    return models.Tuning(
        diagnosis=row,
        order=order,
        tuning_id=tuning.id,
        parameter=tuning.parameter,
        scope=storable(tuning.scope or ""),
        current=storable(tuning.current),
        current_at=storable(next(iter(texts.rows([tuning.current_at])), None)) if tuning.current_at else None,
        recommended=tuning.recommended,
        status=tuning.status,
        commands=storable(list(tuning.commands)),
        persist=storable(tuning.persist),
        caution=storable(tuning.caution),
        way_back=storable(tuning.way_back),
        verify=storable(tuning.verify),
        since=tuning.since,
        why=storable(tuning.why),
        findings=list(tuning.findings),
        sources=list(tuning.sources),
        basis=tuning.basis,
    )


class _EvidenceTexts(ExitStack):
    """Texts of evidence lines out of the stored files; each file is opened once."""

    def __init__(self, files: FileNumbers) -> None:
        super().__init__()
        self._files = files
        self._texts: dict[int, TextBlob] = {}

    def rows(self, refs: Iterable[engine.Ref]) -> list[dict[str, Any]]:
        """Evidence as stored with a finding: at most twelve lines, each with the artifact, its path and the text."""
        return [self._row(ref) for ref in list(refs)[:EVIDENCE_LINES]]

    def _row(self, ref: engine.Ref) -> dict[str, Any]:
        file = self._files.files[ref.artifact]
        text = self._line(file, ref.line)
        copy = {} if file.held is file.shown else {"held": file.held.pk}
        place = {"artifact": file.shown.pk, "path": file.shown.path, "line": ref.line, "last_line": ref.last_line}
        return {**place, "text": text, **copy}

    def _line(self, file: ReadFile, line: int) -> str:
        pk = file.held.pk
        if pk not in self._texts:
            self._texts[pk] = TextBlob.open(self.enter_context(storage.open_file(file.held.blob)))
        found = self._texts[pk].lines(line, 1)
        return clip(found[0][1].decode("utf-8", "replace")) if found else ""


def _summary(result: engine.Diagnosis, tables: PageTables, *, is_partial: bool) -> CaseSummary:
    """While files are read that allow no verdict the case has no severity either."""
    verdict = result.verdict
    is_open = verdict is None or (is_partial and verdict.form == "not_judged")
    return CaseSummary(
        verdict=storable(verdict.title) if verdict else "",
        severity=verdict.severity if verdict and not is_open else "",
        products=result.products,
        nodes=storable([node.name for node in result.nodes]),
        window_start_us=result.start,
        window_end_us=result.end,
        longest_s=storable(tables.longest_s),
        spark=storable(tables.spark),
        zone_name=storable(tables.zone_name)[:60],
        zone_min=result.zone_min,
    )


def collect_garbage() -> None:
    """Diagnoses that were replaced a while ago, with their views: pages that were being built from them are
    out by now.
    """
    late = timezone.now() - timedelta(seconds=REPLACED_S)
    newer = models.Diagnosis.objects.filter(case=OuterRef("case"), pk__gt=OuterRef("pk"), created_at__lt=late)
    current = Case.objects.filter(current_diagnosis=OuterRef("pk"))
    _delete(models.Diagnosis.objects.filter(Exists(newer), ~Exists(current)).order_by("pk")[:COLLECTED_AT_ONCE])


def _delete(diagnoses: Iterable[models.Diagnosis]) -> None:
    for diagnosis in list(diagnoses):
        with suppress(CaseGoneError), transaction.atomic():
            lock_case(diagnosis.case_id)
            diagnosis.delete()
        if diagnosis.views:
            storage.delete_prefix(diagnosis.views)
