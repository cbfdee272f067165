"""Diagnose a case and put the result in place: rows in one transaction, views beside the facts; the case points to the newest."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from django.conf import settings
from django.db import transaction

from apps.cases import storage
from apps.cases.models import Artifact, Case
from apps.cases.services import CaseSummary, clear_diagnosis, set_diagnosis
from apps.cases.textblob import TextBlob
from apps.diagnosis import models
from apps.diagnosis.engine import model as engine
from apps.diagnosis.engine.diagnose import ENGINE_VERSION, diagnose
from apps.diagnosis.engine.facts import CaseFacts
from apps.diagnosis.engine.report import clip
from apps.diagnosis.engine.store import Facts, Source
from apps.diagnosis.engine.views import Views, write_views

logger = logging.getLogger(__name__)

KINDS_KEPT = 200
ROWS_KEPT = 500
EVIDENCE_LINES = 12


def diagnose_case(case_id: int) -> models.Diagnosis | None:
    """Diagnose what has been read of a case by now. None when the case is gone or nothing in it was read."""
    case = Case.objects.filter(pk=case_id).first()
    if case is None:
        return None
    artifacts = list(case.artifacts.order_by("pk"))
    read = [a for a in artifacts if a.facts]
    if not artifacts:
        clear_diagnosis(case_id)
        return None
    facts = Facts(Source(a.pk, a.path, storage.local_path(a.facts)) for a in read)
    case_facts = CaseFacts(facts)
    result = diagnose(facts, case_facts)
    prefix, views = _store_views(case, case_facts, result)
    originals = [a for a in artifacts if a.duplicate_of_id is None]
    settled = sum(a.is_settled for a in originals)
    with transaction.atomic():
        row = _diagnosis_row(case, result, views, prefix, files=(settled, len(originals)))
        _finding_rows(row, result, {a.pk: a for a in read})
        moved = set_diagnosis(case_id, row, _summary(result, views))
    _collect_garbage(case_id, row if moved else None)
    return row


def _store_views(case: Case, facts: CaseFacts, result: engine.Diagnosis) -> tuple[str, Views]:
    """Spans and rollups as Parquet beside the facts."""
    workspace = Path(mkdtemp(prefix="views-", dir=settings.FILE_UPLOAD_TEMP_DIR))
    try:
        views = write_views(facts, result, workspace)
        prefix = f"{storage.case_prefix(case.pk)}views/{workspace.name}/"
        for part in sorted(workspace.iterdir()):
            with part.open("rb") as file:
                storage.save_as(f"{prefix}{part.name}", file)
        return prefix, views
    finally:
        shutil.rmtree(workspace, ignore_errors=True)


def _diagnosis_row(case: Case, result: engine.Diagnosis, views: Views, prefix: str, *, files: tuple[int, int]) -> models.Diagnosis:
    verdict = result.verdict or engine.Verdict("Nothing was read yet", "info", 0.0, "")
    return models.Diagnosis.objects.create(
        case=case,
        partial=files[0] < files[1] or case.bundles.unsettled().exists(),
        files_read=files[0],
        files_total=files[1],
        engine_version=str(ENGINE_VERSION),
        verdict_title=verdict.title,
        verdict_severity=verdict.severity,
        verdict_confidence=verdict.confidence,
        verdict_ref=verdict.ref,
        window_start_us=result.start,
        window_end_us=result.end,
        products=list(result.products),
        summary=_summary_json(result, views),
        views=prefix,
    )


def _summary_json(result: engine.Diagnosis, views: Views) -> dict[str, Any]:
    return {
        "zone_min": result.zone_min,
        "zone_name": views.zone_name,
        "nodes": [asdict(node) for node in result.nodes[:ROWS_KEPT]],
        "roots": [asdict(root) for root in result.roots[:ROWS_KEPT]],
        "cycles": [list(cycle) for cycle in result.cycles[:ROWS_KEPT]],
        "waits_for": [asdict(edge) for edge in result.waits_for[:ROWS_KEPT]],
        "missing": [asdict(item) for item in result.missing],
        "next_steps": [asdict(step) for step in result.next_steps],
        "kinds": [_kind(kind) for kind in result.kinds[:KINDS_KEPT]],
        "kinds_total": len(result.kinds),
        "lock_roles": [_lock_role(role) for role in result.lock_roles[: 20 * ROWS_KEPT]],
        "counts": views.counts,
    }


def _kind(kind: engine.Kind) -> dict[str, Any]:
    return {**asdict(kind), "nodes": list(kind.nodes[:ROWS_KEPT])}


def _lock_role(role: engine.LockRole) -> dict[str, Any]:
    row = asdict(role)
    row.pop("refs")
    return row


def _finding_rows(row: models.Diagnosis, result: engine.Diagnosis, artifacts: dict[int, Artifact]) -> None:
    texts = _EvidenceTexts(artifacts)
    models.Finding.objects.bulk_create(
        models.Finding(
            diagnosis=row,
            order=order,
            rule=finding.rule,
            ref=finding.ref,
            severity=finding.severity,
            confidence=finding.confidence,
            confidence_parts=[asdict(part) for part in finding.parts],
            basis=finding.basis,
            title=finding.title,
            explanation=finding.explanation,
            nodes=list(finding.nodes),
            start_us=finding.start,
            end_us=finding.end,
            figures=[asdict(figure) for figure in finding.figures],
            evidence=texts.rows(finding.evidence),
            disproved_by=finding.disproved_by,
            tunings=list(finding.tunings),
        )
        for order, finding in enumerate(result.findings)
    )
    models.Tuning.objects.bulk_create(
        models.Tuning(
            diagnosis=row,
            order=order,
            tuning_id=tuning.id,
            parameter=tuning.parameter,
            scope=tuning.scope or "",
            current=tuning.current,
            current_at=next(iter(texts.rows([tuning.current_at])), None) if tuning.current_at else None,
            recommended=tuning.recommended,
            status=tuning.status,
            commands=list(tuning.commands),
            persist=tuning.persist,
            caution=tuning.caution,
            way_back=tuning.way_back,
            verify=tuning.verify,
            since=tuning.since,
            why=tuning.why,
            findings=list(tuning.findings),
            sources=list(tuning.sources),
            basis=tuning.basis,
        )
        for order, tuning in enumerate(result.tunings)
    )


class _EvidenceTexts:
    """Texts of evidence lines out of the stored files; each file is opened once."""

    def __init__(self, artifacts: dict[int, Artifact]) -> None:
        self._artifacts = artifacts

    def rows(self, refs: Iterable[engine.Ref]) -> list[dict[str, Any]]:
        """Evidence as stored with a finding: at most twelve lines, each with the artifact, its path and the text."""
        return [self._row(ref) for ref in list(refs)[:EVIDENCE_LINES]]

    def _row(self, ref: engine.Ref) -> dict[str, Any]:
        artifact = self._artifacts[ref.artifact]
        return {
            "artifact": artifact.pk,
            "path": artifact.path,
            "line": ref.line,
            "last_line": ref.last_line,
            "text": self._text(artifact, ref.line),
        }

    def _text(self, artifact: Artifact, line: int) -> str:
        with storage.open_file(artifact.blob) as file:
            found = TextBlob.open(file).lines(line, 1)
        # NUL is the one character that PostgreSQL takes in no text.
        return clip(found[0][1].decode("utf-8", "replace")).replace("\x00", "\ufffd") if found else ""


def _summary(result: engine.Diagnosis, views: Views) -> CaseSummary:
    verdict = result.verdict
    return CaseSummary(
        verdict=verdict.title if verdict else "",
        severity=verdict.severity if verdict else "",
        products=result.products,
        nodes=[node.name for node in result.nodes],
        window_start_us=result.start,
        window_end_us=result.end,
        longest_s=views.longest_s,
        spark=views.spark,
        zone_name=views.zone_name,
        zone_min=result.zone_min,
    )


def _collect_garbage(case_id: int, current: models.Diagnosis | None) -> None:
    """Diagnoses that nothing points to any more. One that lost the race against a newer one goes too."""
    if current is None:
        return
    old: Sequence[models.Diagnosis] = list(models.Diagnosis.objects.filter(case=case_id, pk__lt=current.pk))
    for diagnosis in old:
        views = diagnosis.views
        diagnosis.delete()
        if views:
            storage.delete_prefix(views)
