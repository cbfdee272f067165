"""Small files are read in batches: one task, one lease, rows written together, and the facts of all in one Parquet file
for each kind of record (docs/adr/0024-small-files-in-batches.md).

A file belongs to its batch from when it waits until it is settled. What is wrong with one of them never costs the
others: a text that cannot be read fails alone, and a batch whose reader died twice, or that ended with an error, is
divided, in the end into single files, which are read and fail like any other.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import Any, Final, NamedTuple

import polars as pl
from django.db import OperationalError, transaction
from django.db.models import Count, F, QuerySet
from django.utils import timezone

from apps.cases import storage
from apps.cases.files import facts_place
from apps.cases.models import Artifact, Bundle, BundleProblem, Failure, SkippedShape
from apps.cases.services import lock_case, lock_case_if_free
from apps.cases.storage.store_then_row import Stored
from apps.cases.storage.textblob import BadTextBlobError, TextBlob
from apps.diagnosis.engine.analysis import NOTHING, read_blocks
from apps.diagnosis.engine.core.facts.small_files import SmallFiles
from apps.diagnosis.engine.core.facts.store import file_stem
from apps.ingest import leases
from apps.ingest.live import IS_OF_LIVE_BUNDLE, case_locked_first, lock_case_first
from apps.ingest.models import ReadingBatch
from apps.ingest.reading.failures import NOT_FAILED, NOT_THE_PARSER, Failed, because_of
from apps.ingest.reading.outcomes import (
    Noticed,
    noticed,
    outcome,
    outcome_of_failure,
    problem,
    problem_rows,
    shape_rows,
)
from apps.ingest.reading.watched import Watched
from apps.ingest.reading.workspaces import workspace
from apps.ingest.scheduling.turns import kind_of_batch
from apps.privacy.models import Credential
from apps.privacy.services import note_credentials
from parsers.dataclass import dataclass
from parsers.records import Problem, Record, Section, Skipped
from parsers.sections.reader import Hints, ReadResult

logger = logging.getLogger(__name__)

SMALL_BYTES: Final = 1 << 20
"""Texts below this are read with others."""
MOST_FILES: Final = 2_000
MOST_BYTES: Final = 64 << 20
TURN_S: Final = 20
"""How long a batch is read before others have their turn: the rest of it stands in line once more."""
TRIES: Final = 2
"""A batch whose reader dies for the second time is divided."""
PARTS: Final = 16
AT_ONCE: Final = 500
OUTCOME: Final = (
    *outcome_of_failure({"failure": "", "message": ""}),
    "parser_version", "facts_generation", "read_bytes", "problems_n", "batch", "attempts",
)  # fmt: skip


class Left(NamedTuple):
    """What is to be sent for reading after a batch was: batches, and single files with their size."""

    batches: Sequence[int] = ()
    files: Sequence[tuple[int, int]] = ()


@dataclass(slots=True)
class _Read:
    """A file that was read."""

    artifact: Artifact
    result: ReadResult
    watched: Watched
    failed: Failed | None
    own: Path
    """A folder for facts that are too many to be kept with those of others."""

    @property
    def is_looked_through(self) -> bool:
        """To its end."""
        return self.failed is None or self.failed.why == Failure.DEFECT


@dataclass(slots=True)
class _Run:
    """One turn of a batch."""

    batch: ReadingBatch
    holder: str
    folder: Path
    small: SmallFiles
    done: list[_Read] = field(default_factory=list)

    @property
    def case_id(self) -> int:
        return self.batch.bundle.case_id


def waiting_with(batch_id: int) -> QuerySet[Artifact]:
    """Files of a batch that are not settled, in their order."""
    return Artifact.objects.filter(batch=batch_id).unsettled().order_by("pk")


def rows_of(batch_id: int) -> QuerySet[ReadingBatch]:
    """The row of a batch, as long as work goes on in its case."""
    return ReadingBatch.objects.filter(IS_OF_LIVE_BUNDLE, pk=batch_id)


def read(batch_id: int) -> tuple[int, Left] | None:
    """Read a batch, as far as its turn goes. Its case, and what follows; None where another task has it, had it, or it
    is gone.
    """
    rows = rows_of(batch_id)
    holder = leases.claim(rows, states=(ReadingBatch.State.QUEUED,), working=ReadingBatch.State.READING)
    batch = rows.select_related("bundle").first() if holder else None
    if holder is None or batch is None:
        return None
    with suppress(leases.LeaseLostError):
        return batch.bundle.case_id, _worked(batch, holder)
    return None


def packed(files: Iterable[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """Small files by number and size, as many together as a batch holds."""
    some: list[tuple[int, int]] = []
    size = 0
    for one in files:
        if some and (len(some) >= MOST_FILES or size + one[1] > MOST_BYTES):
            yield some
            some, size = [], 0
        some.append(one)
        size += one[1]
    if some:
        yield some


@transaction.atomic
def of_settled(files: Sequence[int], states: Sequence[str]) -> tuple[int, int]:
    """A batch of files of one upload that are to be read again; and how many of them still are in one of the states."""
    bundle = Bundle.objects.get(artifacts=files[0])
    lock_case(bundle.case_id)
    batch = ReadingBatch.objects.create(bundle=bundle, turn_kind=kind_of_batch(bundle.size))
    queued = 0
    for at in range(0, len(files), AT_ONCE):
        again = Artifact.objects.filter(pk__in=files[at : at + AT_ONCE], state__in=states)
        queued += again.update(
            state=Artifact.State.QUEUED, batch=batch.pk, turn_kind=None, attempts=0, **NOT_FAILED, read_bytes=0
        )
    number = batch.pk
    if not queued:
        batch.delete()
    return number, queued


def _worked(batch: ReadingBatch, holder: str) -> Left:
    if batch.attempts > TRIES:
        logger.warning("%s was left by its reader twice: it is divided", batch)
        return _divided(batch, holder)
    try:
        with workspace("facts-") as folder:
            return _read(_Run(batch, holder, folder, SmallFiles(folder / "parts")))
    except (leases.LeaseLostError, OperationalError):
        raise
    except Exception:
        # Around one batch, as around one file: what is wrong shows at the file that it comes from.
        logger.exception("a batch could not be read: it is divided")
        return _divided(batch, holder)


def _read(run: _Run) -> Left:
    files = list(waiting_with(run.batch.pk).select_related("case"))
    reading = {"state": Artifact.State.READING, "started_at": timezone.now(), "read_bytes": 0}
    with case_locked_first(run.case_id):
        waiting_with(run.batch.pk).update(**reading)
    until = time.monotonic() + TURN_S
    with leases.renewed(rows_of(run.batch.pk), run.holder, lambda: _note_progress(run)) as check:
        for artifact in files:
            check()
            run.done.append(_read_one(run, artifact, check))
            if time.monotonic() >= until:
                break
        check()
        if not files:  # they passed to another upload
            rows_of(run.batch.pk).delete()
            return Left()
        return _settle(run, is_all=len(run.done) == len(files))


def _read_one(run: _Run, artifact: Artifact, check: leases.Check) -> _Read:
    """A text that the storage does not give, or that is damaged there, fails alone."""
    one = _Read(artifact, NOTHING, Watched(), None, run.folder / str(artifact.pk))
    try:
        with storage.open_file(artifact.blob) as file:
            blocks = one.watched.blocks(TextBlob.open(file).blocks(), check)
            writer = run.small.writer(artifact.pk, one.own)
            one.result, failure = read_blocks(blocks, writer, Hints(path=artifact.path), passing=NOT_THE_PARSER)
    except (OSError, BadTextBlobError) as error:
        logger.warning("the text of %s cannot be read: %s", artifact, type(error).__name__)
        one.failed = because_of(error)
    else:
        one.failed = Failed(Failure.DEFECT, failure) if failure else None
    return one


def _note_progress(run: _Run) -> dict[str, Any]:
    """Files that were read show so before their facts are stored; a moment later where somebody else has the case."""
    if run.done:
        read = waiting_with(run.batch.pk).filter(pk__lte=run.done[-1].artifact.pk).exclude(read_bytes=F("size"))
        with transaction.atomic():
            if lock_case_if_free(run.case_id):
                read.update(read_bytes=F("size"))
    return {}


def _settle(run: _Run, *, is_all: bool) -> Left:
    """Facts are stored, then all rows are written in one transaction. What was not read stands in line again."""
    place = f"{storage.case_prefix(run.case_id)}facts/"
    prefix, together = f"{place}batch-{run.batch.pk}-{run.holder[:8]}/", run.folder / "together"
    run.small.store(together)
    large = [one for one in run.done if one.failed is None and one.own.is_dir()]
    own = {
        one.artifact.pk: f"{place}{one.artifact.pk}/{one.artifact.facts_generation + 1}-{run.holder[:8]}/"
        for one in large
    }
    stored = {prefix: together} | {own[one.artifact.pk]: one.own for one in large}
    earlier = [one.artifact.facts for one in run.done]
    named = Artifact.objects.filter(case=run.case_id, facts__startswith=prefix)
    with Stored(prefix, named, remove=lambda _: _remove(stored)) as kept:
        for name, folder in stored.items():
            for part in sorted(folder.iterdir()):
                with part.open("rb") as file:
                    storage.save_as(f"{name}{part.name}", file)
        seen = _noticed(together, run)
        for one in run.done:
            facts = own.get(one.artifact.pk) or facts_place.shared(prefix, one.artifact.pk)
            _set_outcome(one, seen[one.artifact.pk], facts)
        with kept.row():
            lock_case_first(run.case_id)
            _write_rows(run, seen, is_all=is_all)
    facts_place.remove(run.case_id, earlier)
    return Left() if is_all else Left(batches=[run.batch.pk])


def _remove(prefixes: Iterable[str]) -> None:
    for prefix in prefixes:
        storage.delete_prefix(prefix)


def _noticed(together: Path, run: _Run) -> dict[int, Noticed]:
    kinds: dict[type[Record], list[pl.LazyFrame]] = {Section: [], Skipped: [], Problem: []}
    for kind, tables in kinds.items():
        stem = file_stem(kind)
        if parts := sorted(together.glob(f"{stem}-*.parquet")):
            tables.append(pl.scan_parquet(parts, glob=False))
        for one in run.done:
            if one.own.is_dir() and (parts := sorted(one.own.glob(f"{stem}-*.parquet"))):
                number = pl.lit(one.artifact.pk, pl.Int64()).alias("artifact")
                tables.append(pl.scan_parquet(parts, glob=False).with_columns(number))
    return noticed(*kinds.values())


def _set_outcome(one: _Read, seen: Noticed, facts: str) -> None:
    columns = (
        outcome_of_failure(one.failed.of_reading())
        if one.failed is not None
        else outcome(one.artifact, one.result, seen, facts)
    )
    for name, value in {**columns, "batch": None, "attempts": 1}.items():
        setattr(one.artifact, name, value)


def _write_rows(run: _Run, seen: dict[int, Noticed], *, is_all: bool) -> None:
    """Only of files that are still this batch's: some may be gone, or passed to another upload, meanwhile."""
    if is_all:
        leases.settle(rows_of(run.batch.pk), run.holder)
    else:
        leases.settle(rows_of(run.batch.pk), run.holder, state=ReadingBatch.State.QUEUED, attempts=0)
    read = [one.artifact.pk for one in run.done]
    held = Artifact.objects.filter(batch=run.batch.pk, state=Artifact.State.READING, lease_by="")
    mine = set(held.select_for_update(no_key=True).order_by("pk").values_list("pk", flat=True))
    settled = [one for one in run.done if one.artifact.pk in mine]
    for at in range(0, len(settled), AT_ONCE):
        _write_some(settled[at : at + AT_ONCE], seen)
    if is_all:
        rows_of(run.batch.pk).delete()
    else:
        waiting_with(run.batch.pk).exclude(pk__in=read).update(state=Artifact.State.QUEUED)


def _write_some(settled: Sequence[_Read], seen: dict[int, Noticed]) -> None:
    pks = [one.artifact.pk for one in settled]
    problems: list[BundleProblem] = []
    shapes: list[SkippedShape] = []
    BundleProblem.objects.filter(artifact__in=pks, stage=BundleProblem.Stage.READING).delete()
    SkippedShape.objects.filter(artifact__in=pks).delete()
    left = BundleProblem.objects.filter(artifact__in=pks).order_by().values_list("artifact").annotate(n=Count("pk"))
    counted = dict(left)
    for one in settled:
        pk = one.artifact.pk
        own = (
            [problem(one.artifact, None, one.failed.of_reading()["message"])]
            if one.failed is not None
            else problem_rows(one.artifact, seen[pk], one.watched.credentials)
        )
        one.artifact.problems_n = counted.get(pk, 0) + len(own)
        problems += own
        if one.failed is None:
            shapes += shape_rows(one.artifact, seen[pk])
    # One statement for all of them: each row is there, and this changes it.
    Artifact.objects.bulk_create(
        [one.artifact for one in settled], update_conflicts=True, unique_fields=["pk"], update_fields=OUTCOME
    )
    BundleProblem.objects.bulk_create(problems, batch_size=AT_ONCE)
    SkippedShape.objects.bulk_create(shapes, batch_size=AT_ONCE)
    scanned = set(Credential.objects.filter(artifact__in=pks).values_list("artifact", flat=True))
    for one in settled:
        if one.is_looked_through and (one.watched.credentials.count or one.artifact.pk in scanned):
            note_credentials(one.artifact, one.watched.credentials)


def _divided(batch: ReadingBatch, holder: str) -> Left:
    """In parts of a sixteenth; what cannot be divided any more is a single file like any other."""
    with case_locked_first(batch.bundle.case_id):
        leases.settle(rows_of(batch.pk), holder)
        waiting_with(batch.pk).update(state=Artifact.State.QUEUED, read_bytes=0)
        files = list(waiting_with(batch.pk).values_list("pk", "size"))
        size = -(-len(files) // PARTS)
        batches = []
        if size > 1:
            for at in range(0, len(files), size):
                part = ReadingBatch.objects.create(bundle=batch.bundle, turn_kind=batch.turn_kind)
                Artifact.objects.filter(pk__in=[pk for pk, _ in files[at : at + size]]).update(batch=part.pk)
                batches.append(part.pk)
            files = []
        else:
            waiting_with(batch.pk).update(batch=None, attempts=0, **NOT_FAILED)
        rows_of(batch.pk).delete()
    return Left(batches, files)


def free_of_lost() -> list[tuple[int, int]]:
    """Files whose batch is gone, as their upload was removed and they passed to another, become single files. What is
    to be sent.
    """
    known = ReadingBatch.objects.values("pk")
    lost = Artifact.objects.filter(batch__isnull=False).exclude(batch__in=known).unsettled()
    rows = list(lost.order_by("pk").values_list("pk", "size", "case_id")[: 2 * AT_ONCE])
    for case_id in sorted({case_id for *_, case_id in rows}):
        with suppress(leases.LeaseLostError), case_locked_first(case_id):
            free = lost.filter(pk__in=[pk for pk, _, case in rows if case == case_id])
            free.update(batch=None, state=Artifact.State.QUEUED, read_bytes=0)
    return [(pk, size) for pk, size, _ in rows]
