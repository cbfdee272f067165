"""From a stored text to facts: one artifact, one task. Its facts are replaced as a whole, never appended to."""

from __future__ import annotations

import logging
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl
from django.db import transaction
from django.utils import timezone

from apps.cases import storage
from apps.cases.models import Artifact, BundleProblem, Failure, SkippedShape
from apps.cases.storage.store_then_row import Stored
from apps.cases.storage.textblob import TextBlob
from apps.diagnosis.engine.analysis import read_blocks
from apps.diagnosis.engine.core.store import FactsWriter
from apps.ingest import leases
from apps.ingest.live import IS_LIVE, lock_case_first
from apps.ingest.models import ReadingWindow
from apps.ingest.reading import windows
from apps.ingest.reading.failures import NOT_FAILED, NOT_THE_PARSER, Failed, worked
from apps.ingest.reading.watched import Watched
from apps.privacy.credentials import CredentialScan
from apps.privacy.services import note_credentials
from apps.web.templatetags.lockscope import thousands
from parsers.output import PROBLEMS_KEPT
from parsers.reading import STRUCTURE_VERSION
from parsers.registry import parsers
from parsers.sections import Hints, ReadResult

logger = logging.getLogger(__name__)

NOT_RECOGNISED = "Unknown format. Stored and searchable, not analysed."
TOO_MANY_WORDS = "Not all of its lines were looked at for passwords and keys: there are too many that could hold one."
NODES_SHOWN = 50
SHAPES_KEPT = 200
NO_LONGER_READ: dict[str, Any] = dict.fromkeys(
    ("lines_total", "lines_understood", "lines_ignored", "lines_not_understood", "records", "captured_us", "sections_n")
)


def parser_version() -> str:
    """Stamp of the parsers' state: number of parsers and the sum of their versions, with that of what structures a
    text.
    """
    known = parsers().values()
    return f"{len(known)}.{sum(parser.version for parser in known) + STRUCTURE_VERSION}"


def read_artifact(artifact_id: int) -> bool:
    """Read one artifact. True when its row says the outcome now; False when another task has it, had it, or
    it is gone.
    """
    rows = Artifact.objects.filter(IS_LIVE, pk=artifact_id)
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
            _succeed(artifact, holder, result, folder, also=_not_looked_at(artifact, credentials))
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
            _succeed(artifact, holder, result, folder, also=_not_looked_at(artifact, watched.credentials))


def _note_credentials(artifact: Artifact, scan: CredentialScan) -> None:
    with transaction.atomic():
        lock_case_first(artifact.case_id)
        note_credentials(artifact, scan)


def _not_looked_at(artifact: Artifact, scan: CredentialScan) -> list[BundleProblem]:
    return [_problem(artifact, None, TOO_MANY_WORDS)] if scan.is_cut else []


def _succeed(artifact: Artifact, holder: str, result: ReadResult, folder: Path, also: list[BundleProblem]) -> None:
    """Facts go to a folder of their own, so that those in use stay as they are until the row points to the new ones."""
    of_all_times = f"{storage.case_prefix(artifact.case_id)}facts/{artifact.pk}/"
    prefix = f"{of_all_times}{artifact.facts_generation + 1}-{holder[:8]}/"
    with Stored(prefix, Artifact.objects.filter(facts=prefix)) as kept:
        for part in sorted(folder.iterdir()):
            with part.open("rb") as file:
                storage.save_as(f"{prefix}{part.name}", file)
        problems, shapes = [*_problems(artifact, folder), *also], _shapes(artifact, folder)
        outcome = _outcome(artifact, result, folder, prefix)
        with kept.row():
            lock_case_first(artifact.case_id)
            leases.settle(Artifact.objects.filter(IS_LIVE, pk=artifact.pk), holder, **outcome)
            _note_problems(artifact, problems)
            _note_shapes(artifact, shapes)
            windows.forget(artifact)
    _remove_earlier(artifact)


def _fail(artifact: Artifact, holder: str, why: dict[str, str]) -> None:
    """Nothing of it is used: facts of half a file could contradict themselves."""
    with transaction.atomic():
        lock_case_first(artifact.case_id)
        leases.settle(
            Artifact.objects.filter(IS_LIVE, pk=artifact.pk),
            holder,
            state=Artifact.State.FAILED,
            **why,
            finished_at=timezone.now(),
            facts="",
            formats=[],
            nodes=[],
            **NO_LONGER_READ,
        )
        _note_problems(artifact, [_problem(artifact, None, why["message"])])
        _note_shapes(artifact, [])
        windows.forget(artifact)
    _remove_earlier(artifact)


def _remove_earlier(artifact: Artifact) -> None:
    if artifact.facts:
        with suppress(OSError):
            storage.delete_prefix(artifact.facts)


def _outcome(artifact: Artifact, result: ReadResult, folder: Path, prefix: str) -> dict[str, Any]:
    state, message = _judged(result)
    sections = _sections(folder)
    return {
        **NOT_FAILED,
        "state": state,
        "message": message,
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
        "parser_version": parser_version(),
        "facts": prefix,
        "facts_generation": artifact.facts_generation + 1,
        "read_bytes": artifact.size,
    }


def _judged(result: ReadResult) -> tuple[str, str]:
    if not result.recognised:
        return Artifact.State.SKIPPED, NOT_RECOGNISED
    if result.not_understood:
        verb = "is" if result.not_understood == 1 else "are"
        return (
            Artifact.State.PARTLY,
            f"{thousands(result.not_understood)} of {thousands(result.total)} lines {verb} not understood.",
        )
    return Artifact.State.PARSED, ""


def _sections(folder: Path) -> dict[str, Any]:
    """Nodes and first capture time of what was recognised."""
    parts = sorted(folder.glob("section-*.parquet"))
    if not parts:
        return {"nodes": [], "captured_us": None}
    rows = pl.scan_parquet(parts).filter(pl.col("format") != "unknown").select("node", "at").collect()
    nodes = sorted({name.replace("\x00", "") for name in rows["node"].drop_nulls().unique().to_list()})
    return {"nodes": nodes[:NODES_SHOWN], "captured_us": rows["at"].min()}


def _problem(artifact: Artifact, line: int | None, message: str) -> BundleProblem:
    plain = message.replace("\x00", "\ufffd")[:500]
    return BundleProblem(bundle_id=artifact.bundle_id, artifact=artifact, path=artifact.path, line=line, message=plain)


def _shapes(artifact: Artifact, folder: Path) -> list[SkippedShape]:
    """Lines not understood by shape, the most frequent ones."""
    parts = sorted(folder.glob("skipped-*.parquet"))
    if not parts:
        return []
    lines = (
        pl.scan_parquet(parts)
        .filter(pl.col("line") > 0)
        .with_columns(pl.col("shape").str.replace_all("\x00", "\ufffd", literal=True))
    )
    grouped = lines.group_by("shape").agg(pl.len(), pl.col("line").min(), pl.col("reason").first())
    rows = grouped.sort(["len", "line"], descending=[True, False]).head(SHAPES_KEPT).collect()
    return [
        SkippedShape(artifact=artifact, shape=shape[:160], lines=count, first_line=line, reason=(reason or "")[:120])
        for shape, count, line, reason in rows.iter_rows()
    ]


def _problems(artifact: Artifact, folder: Path) -> list[BundleProblem]:
    parts = sorted(folder.glob("problem-*.parquet"))
    rows = (row for part in parts for row in pl.read_parquet(part, columns=["line", "message"]).iter_rows())
    return [_problem(artifact, line or None, message) for line, message in islice(rows, PROBLEMS_KEPT)]


def _note_problems(artifact: Artifact, rows: list[BundleProblem]) -> None:
    """In place of those of an earlier reading; lines that were too long to keep were noted when the text was stored."""
    artifact.problems.filter(stage=BundleProblem.Stage.READING).delete()
    BundleProblem.objects.bulk_create(rows)
    Artifact.objects.filter(pk=artifact.pk).update(problems_n=artifact.problems.count())


def _note_shapes(artifact: Artifact, rows: list[SkippedShape]) -> None:
    """In place of those of an earlier reading."""
    artifact.shapes.all().delete()
    SkippedShape.objects.bulk_create(rows)
