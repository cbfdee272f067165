"""From a stored text to facts: one artifact, one task. Its facts are replaced as a whole, never appended to."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import partial
from pathlib import Path

import polars as pl
from django.utils import timezone

from apps.cases import storage
from apps.cases.files import facts_place
from apps.cases.models import Artifact, BundleProblem, Failure, SkippedShape
from apps.cases.storage.store_then_row import Stored
from apps.cases.storage.textblob import TextBlob
from apps.diagnosis.engine.analysis import read_blocks
from apps.diagnosis.engine.core.facts.store import FactsWriter, file_stem
from apps.ingest import leases
from apps.ingest.live import IS_LIVE, case_locked_first, lock_case_first
from apps.ingest.models import ReadingWindow
from apps.ingest.reading import windows
from apps.ingest.reading.failures import NOT_THE_PARSER, Failed, worked
from apps.ingest.reading.outcomes import noticed, outcome, outcome_of_failure, problem, problem_rows, shape_rows
from apps.ingest.reading.watched import Watched
from apps.privacy.credentials import CredentialScan
from apps.privacy.services import note_credentials
from parsers.records import Problem, Record, Section, Skipped
from parsers.sections.reader import Hints, ReadResult

logger = logging.getLogger(__name__)


def read_artifact(artifact_id: int) -> bool:
    """Read one artifact. True when its row says the outcome now; False when another task has it, had it, or
    it is gone.
    """
    rows = Artifact.objects.filter(IS_LIVE, pk=artifact_id, batch__isnull=True)
    if windows.are_open(artifact_id):
        return False
    holder = leases.claim(
        rows, states=(Artifact.State.QUEUED,), working=Artifact.State.READING, started_at=timezone.now(), read_bytes=0
    )
    artifact = rows.first() if holder else None
    if holder is None or artifact is None:
        return False
    return worked(artifact.attempts, partial(_fail, artifact, holder), partial(_read, artifact, holder))


def _read(artifact: Artifact, holder: str, folder: Path) -> None:
    """Whole, or, where it is huge, begin its windows; once those are read, join them."""
    rows = windows.of(artifact.pk)
    if any(row.state in windows.OPEN for row in rows):
        windows.hand_back(artifact, holder)
    elif failed := [row for row in rows if row.state == ReadingWindow.State.FAILED]:
        _fail(artifact, holder, {"failure": failed[0].failure, "message": failed[0].message})
    elif rows:
        _join(artifact, holder, folder, rows)
    else:
        _read_whole(artifact, holder, folder, may_be_cut=True)


def _join(artifact: Artifact, holder: str, folder: Path, rows: list[ReadingWindow]) -> None:
    with leases.renewed(
        Artifact.objects.filter(IS_LIVE, pk=artifact.pk), holder, lambda: {"read_bytes": artifact.size}
    ) as check:
        found = windows.join(rows, folder)
        check()
        if found is not None:
            result, credentials = found
            _note_credentials(artifact, credentials)
            _succeed(artifact, holder, result, folder, credentials)
    if found is None:
        logger.info("windows do not join: the file is read in one go")
        _read_whole(artifact, holder, folder, may_be_cut=False)


def _read_whole(artifact: Artifact, holder: str, folder: Path, *, may_be_cut: bool) -> None:
    watched = Watched()
    with leases.renewed(Artifact.objects.filter(IS_LIVE, pk=artifact.pk), holder, watched.progress) as check:
        with storage.open_file(artifact.blob) as file:
            text = TextBlob.open(file)
            if may_be_cut and windows.begin(artifact, holder, text):
                return
            blocks = watched.blocks(text.blocks(), check)
            result, failure = read_blocks(
                blocks, FactsWriter(folder), Hints(path=artifact.path), passing=NOT_THE_PARSER
            )
        check()
        _note_credentials(artifact, watched.credentials)
        if failure:
            _fail(artifact, holder, Failed(Failure.DEFECT, failure).of_reading())
        else:
            _succeed(artifact, holder, result, folder, watched.credentials)


def _note_credentials(artifact: Artifact, scan: CredentialScan) -> None:
    with case_locked_first(artifact.case_id):
        note_credentials(artifact, scan)


def _succeed(artifact: Artifact, holder: str, result: ReadResult, folder: Path, scan: CredentialScan) -> None:
    """Facts go to a folder of their own, so that those in use stay as they are until the row points to the new ones."""
    of_all_times = f"{storage.case_prefix(artifact.case_id)}facts/{artifact.pk}/"
    prefix = f"{of_all_times}{artifact.facts_generation + 1}-{holder[:8]}/"
    with Stored(prefix, Artifact.objects.filter(facts=prefix)) as kept:
        for part in sorted(folder.iterdir()):
            with part.open("rb") as file:
                storage.save_as(f"{prefix}{part.name}", file)
        seen = noticed(*(_parts(artifact, folder, kind) for kind in (Section, Skipped, Problem)))[artifact.pk]
        columns = outcome(artifact, result, seen, prefix)
        with kept.row():
            lock_case_first(artifact.case_id)
            leases.settle(Artifact.objects.filter(IS_LIVE, pk=artifact.pk), holder, **columns)
            _note_problems(artifact, problem_rows(artifact, seen, scan))
            _note_shapes(artifact, shape_rows(artifact, seen))
            windows.forget(artifact)
    _remove_earlier(artifact)


def _fail(artifact: Artifact, holder: str, why: dict[str, str]) -> None:
    """Nothing of it is used: facts of half a file could contradict themselves."""
    with case_locked_first(artifact.case_id):
        leases.settle(
            Artifact.objects.filter(IS_LIVE, pk=artifact.pk),
            holder,
            **outcome_of_failure(why),
        )
        _note_problems(artifact, [problem(artifact, None, why["message"])])
        _note_shapes(artifact, [])
        windows.forget(artifact)
    _remove_earlier(artifact)


def _remove_earlier(artifact: Artifact) -> None:
    facts_place.remove(artifact.case_id, [artifact.facts])


def _parts(artifact: Artifact, folder: Path, kind: type[Record]) -> list[pl.LazyFrame]:
    parts = sorted(folder.glob(f"{file_stem(kind)}-*.parquet"))
    of = pl.lit(artifact.pk, pl.Int64()).alias("artifact")
    return [pl.scan_parquet(parts, glob=False).with_columns(of)] if parts else []


def _note_problems(artifact: Artifact, rows: list[BundleProblem]) -> None:
    """In place of those of an earlier reading; lines that were too long to keep were noted when the text was stored."""
    artifact.problems.filter(stage=BundleProblem.Stage.READING).delete()
    BundleProblem.objects.bulk_create(rows)
    Artifact.objects.filter(pk=artifact.pk).update(problems_n=artifact.problems.count())


def _note_shapes(artifact: Artifact, rows: Iterable[SkippedShape]) -> None:
    """In place of those of an earlier reading."""
    artifact.shapes.all().delete()
    SkippedShape.objects.bulk_create(rows)
