"""From a stored text to facts: one artifact, one task. Its facts are replaced as a whole, never appended to."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import polars as pl
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import DatabaseError, transaction
from django.utils import timezone

from apps.cases import storage
from apps.cases.models import Artifact, BundleProblem
from apps.cases.textblob import TextBlob
from apps.diagnosis.engine.analysis import read_blocks
from apps.diagnosis.engine.store import FactsWriter
from apps.ingest import leases
from parsers.registry import parsers
from parsers.sections import Hints, ReadResult
from parsers.text import Block

logger = logging.getLogger(__name__)

RETRIES_SPENT = "The worker died {n} times on this file; the other files go on. Try again, or send it in smaller parts."
NODES_SHOWN = 50
NOT_THE_PARSER = (leases.LeaseLostError, SoftTimeLimitExceeded)


def parser_version() -> str:
    """Stamp of the parsers' state: number of parsers and the sum of their versions."""
    known = parsers().values()
    return f"{len(known)}.{sum(parser.version for parser in known)}"


def read_artifact(artifact_id: int) -> bool:
    """Read one artifact. True when it was read now; False when another task has it, had it, or it is gone."""
    rows = Artifact.objects.filter(pk=artifact_id)
    holder = leases.claim(rows, states=(Artifact.State.QUEUED,), working=Artifact.State.READING, started_at=timezone.now(), read_bytes=0)
    if holder is None:
        return False
    artifact = rows.get()
    if artifact.attempts > settings.LIMITS.task_retries:
        leases.settle(
            rows, holder, state=Artifact.State.FAILED, message=RETRIES_SPENT.format(n=artifact.attempts - 1), finished_at=timezone.now()
        )
        return True
    workspace = Path(mkdtemp(prefix="facts-", dir=settings.FILE_UPLOAD_TEMP_DIR))
    try:
        return _read(artifact, holder, workspace)
    finally:
        shutil.rmtree(workspace, ignore_errors=True)


class _Counted:
    """Blocks of a text, counting the bytes that went by and asking whether the lease still holds."""

    def __init__(self) -> None:
        self.bytes = 0

    def blocks(self, text: TextBlob, check: leases.Check) -> Iterator[Block]:
        for block in text.blocks():
            check()
            yield block
            self.bytes += len(block.data)

    def progress(self) -> dict[str, int]:
        return {"read_bytes": self.bytes}


def _read(artifact: Artifact, holder: str, workspace: Path) -> bool:
    rows = Artifact.objects.filter(pk=artifact.pk)
    counted = _Counted()
    prefix = ""
    try:
        with leases.renewed(rows, holder, counted.progress) as check, storage.open_file(artifact.blob) as file:
            blocks = counted.blocks(TextBlob.open(file), check)
            result, failures = read_blocks(blocks, FactsWriter(workspace), Hints(path=artifact.path), passing=NOT_THE_PARSER)
            check()
            prefix = _store(artifact, workspace, holder)
            with transaction.atomic():
                _note_problems(artifact, workspace, failures)
                leases.settle(rows, holder, **_outcome(artifact, result, failures, workspace, prefix))
    except leases.LeaseLostError:
        if prefix:
            storage.delete_prefix(prefix)
        return False
    if artifact.facts:
        with suppress(OSError):
            storage.delete_prefix(artifact.facts)
    return True


def _store(artifact: Artifact, workspace: Path, holder: str) -> str:
    """Facts go to a folder of their own, so that those in use stay as they are."""
    prefix = f"{storage.case_prefix(artifact.case_id)}facts/{artifact.pk}/{artifact.facts_generation + 1}-{holder[:8]}/"
    for part in sorted(workspace.iterdir()):
        with part.open("rb") as file:
            storage.save_as(f"{prefix}{part.name}", file)
    return prefix


def _outcome(artifact: Artifact, result: ReadResult, failures: list[str], workspace: Path, prefix: str) -> dict[str, Any]:
    state, message = _judged(result, failures)
    sections = _sections(workspace)
    return {
        "state": state,
        "message": message[:500],
        "finished_at": timezone.now(),
        "lines_total": result.total,
        "lines_understood": result.understood,
        "lines_ignored": result.ignored,
        "lines_not_understood": result.not_understood,
        "records": result.records,
        "formats": sorted(result.formats),
        "nodes": sections["nodes"],
        "captured_us": sections["captured_us"],
        "sections_n": result.sections,
        "problems_n": artifact.problems.count(),
        "parser_version": parser_version(),
        "facts": prefix,
        "facts_generation": artifact.facts_generation + 1,
        "read_bytes": artifact.size,
    }


def _judged(result: ReadResult, failures: list[str]) -> tuple[str, str]:
    if failures:
        return Artifact.State.FAILED, failures[0]
    if not result.recognised:
        return Artifact.State.SKIPPED, "No format is recognised in it: kept to read and to search, nothing in it is analysed."
    if result.not_understood:
        lines = "line is" if result.not_understood == 1 else "lines are"
        return Artifact.State.PARTLY, f"{result.not_understood} of {result.total} {lines} not understood."
    return Artifact.State.PARSED, ""


def _sections(workspace: Path) -> dict[str, Any]:
    """Nodes and first capture time of what was recognised."""
    parts = sorted(workspace.glob("section-*.parquet"))
    if not parts:
        return {"nodes": [], "captured_us": None}
    rows = pl.scan_parquet(parts).filter(pl.col("format") != "unknown").select("node", "at").collect()
    nodes = sorted(rows["node"].drop_nulls().unique().to_list())
    return {"nodes": nodes[:NODES_SHOWN], "captured_us": rows["at"].min()}


def _note_problems(artifact: Artifact, workspace: Path, failures: list[str]) -> None:
    artifact.problems.filter(line__isnull=True).delete()
    rows = [BundleProblem(bundle_id=artifact.bundle_id, artifact=artifact, path=artifact.path, message=text[:500]) for text in failures]
    for part in sorted(workspace.glob("problem-*.parquet")):
        for line, message in pl.read_parquet(part, columns=["line", "message"]).iter_rows():
            rows.append(
                BundleProblem(bundle_id=artifact.bundle_id, artifact=artifact, path=artifact.path, line=line or None, message=message[:500])
            )
    if rows:
        artifact.problems.filter(message__in={row.message for row in rows}).delete()
        BundleProblem.objects.bulk_create(rows)


def give_up(artifact_id: int, error: BaseException) -> None:
    """A task that ended by itself (time limit, memory): say so on the row instead of leaving it to be read for ever."""
    with suppress(DatabaseError):
        Artifact.objects.filter(pk=artifact_id, state=Artifact.State.READING).update(
            state=Artifact.State.FAILED,
            lease_until=None,
            lease_by="",
            finished_at=timezone.now(),
            message=f"Reading took too long or too much memory ({type(error).__name__}). Try again, or send it in smaller parts.",
        )
