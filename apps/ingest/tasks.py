"""Celery tasks: load, call one service, queue the next step. Each may run twice; the state is on the rows."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from itertools import groupby
from typing import Any

from celery import shared_task
from django.conf import settings
from django.core.cache import cache
from django.db import OperationalError, transaction
from django.db.models import Exists, Q, QuerySet
from django.utils import timezone
from kombu.exceptions import OperationalError as BrokerError

from apps.cases.models import Artifact, ArtifactQuerySet, Bundle
from apps.diagnosis.pages.live.telling import tell_of_blocker
from apps.diagnosis.services import collect_garbage
from apps.ingest import leases
from apps.ingest.live import IS_LIVE, IS_OF_LIVE, IS_OF_LIVE_BUNDLE
from apps.ingest.models import ReadingBatch, ReadingWindow
from apps.ingest.reading import batches, windows, workspaces
from apps.ingest.reading.artifacts import read_artifact as read
from apps.ingest.reading.bundles import MANY_MEMBERS, ToRead
from apps.ingest.reading.bundles import expand_bundle as expand
from apps.ingest.reading.failures import NOT_FAILED
from apps.ingest.scheduling import diagnoses, queue_mark, storage_back, turns
from apps.ingest.scheduling.announcing import tell_settled
from apps.ingest.scheduling.held_case import diagnose_held_case
from apps.ingest.scheduling.turns import queue_for
from apps.ingest.uploads import partial_uploads

logger = logging.getLogger(__name__)

# For as long as the database is away: rows count attempts, so that no work is tried for ever once it is back.
RETRY: dict[str, Any] = {
    "autoretry_for": (OperationalError,),
    "retry_backoff": True,
    "retry_backoff_max": 30,
    "max_retries": None,
}
# An upload of the largest size takes long to unpack, and can't go on where it was stopped.
UNPACKING: dict[str, Any] = {
    "soft_time_limit": 12 * settings.LIMITS.task_soft_s,
    "time_limit": 12 * settings.LIMITS.task_hard_s,
}
# Redis: 0 goes first, in steps of three. A diagnosis does not wait until hundreds of files that are in line have been
# read. Which file is read is chosen when its turn comes (scheduling/turns.py), so all of them stand at one priority:
# light and heavy turns alternate. Uploads of a team that has enough in hand are unpacked when nothing is left to read.
AFTER_DIAGNOSES = 3
AFTER_ALL_ELSE = 6
SWEPT_AT_ONCE = 1_000
LEARNED_AT_ONCE = 10
"""Old cases that a sweep lets judge with what their team has learned: new ones do not wait behind hundreds of them."""
FIRST_LOOK_BYTES = 2 << 20
FIRST_LOOKS = 20
# Settled files; those that failed are retried by hand, or with the rest of their case.
REPARSED = (Artifact.State.PARSED, Artifact.State.PARTLY, Artifact.State.SKIPPED, Artifact.State.FAILED)


def queue_bundle(bundle: Bundle) -> None:
    """Queue a received bundle once its row is there for all to see."""
    diagnoses.note_change(bundle.case_id)
    transaction.on_commit(partial(_send_or_leave, partial(_send_bundle, bundle.pk, bundle.size)))


def _send_or_leave(send: Callable[[], object]) -> None:
    """While the broker is away the row waits: the sweeper finds it."""
    try:
        send()
    except BrokerError as error:
        logger.warning("not queued, left to the sweeper: %s", type(error).__name__)


def _send_bundle(bundle_id: int, size: int) -> None:
    """To the queue of large uploads also where it was found to hold very many files."""
    members = Bundle.objects.filter(pk=bundle_id).values_list("members", flat=True).first() or 0
    priority = 0 if turns.goes_ahead(bundle_id, size) else AFTER_ALL_ELSE
    expand_bundle.apply_async((bundle_id,), queue=_queue_of(size, members), priority=priority)


def _queue_of(size: int, members: int) -> str:
    return "heavy" if members >= MANY_MEMBERS else queue_for(size)


def _send_artifact(artifact_id: int, size: int, *, of_bytes: int | None = None) -> None:
    """``of_bytes``: the size of its upload, where that is known."""
    queue = queue_for(size)
    turns.stand_in_line(artifact_id, size, of_bytes=of_bytes)
    read_artifact.apply_async((artifact_id,), {"turn_of": queue}, queue=queue, priority=AFTER_DIAGNOSES)


def _send_batch(batch_id: int) -> None:
    turns.stand_in_line_together(batch_id)
    read_batch.apply_async((batch_id,), {"turn_of": "light"}, queue="light", priority=AFTER_DIAGNOSES)


def _send_left_batch(batch_id: int) -> None:
    """Its reader is gone: this batch, and no other in its place."""
    read_batch.apply_async((batch_id,), queue="light", priority=AFTER_DIAGNOSES)


def _send_left_artifact(artifact_id: int, size: int) -> None:
    """Its reader is gone: this file, and no other in its place."""
    read_artifact.apply_async((artifact_id,), queue=queue_for(size), priority=AFTER_DIAGNOSES)


def _send_diagnosis(case_id: int) -> None:
    diagnose_case.apply_async((case_id,), queue="light")


@shared_task(name="ingest.expand_bundle", **RETRY, **UNPACKING)
def expand_bundle(bundle_id: int) -> None:
    """Expand one bundle; each file is queued as soon as it is there.

    Of a large one small files are read right here until one gives a first verdict: all other workers may be at its huge
    files for long.
    """
    bundle = Bundle.objects.filter(pk=bundle_id).first()
    is_large = bundle is not None and _queue_of(bundle.size, bundle.members) == "heavy"
    looks = FIRST_LOOKS if is_large else 0
    for found in expand(bundle_id, most=None if is_large else MANY_MEMBERS):
        if looks and found.size <= FIRST_LOOK_BYTES:
            looks = 0 if _gave_verdict(found) else looks - 1
        elif found.is_batch:
            _send_batch(found.pk)
        else:
            _send_artifact(found.pk, found.size, of_bytes=bundle.size if bundle else None)
    if bundle is not None:
        if not is_large and Bundle.objects.filter(pk=bundle_id, state=Bundle.State.RECEIVED).exists():
            _send_bundle(bundle_id, bundle.size)
        _diagnose_when_due(bundle.case_id)


def _gave_verdict(found: ToRead) -> bool:
    """Read a file, or a few; where they tell anything, diagnose their case."""
    rows = Artifact.objects.filter(batch=found.pk) if found.is_batch else Artifact.objects.filter(pk=found.pk)
    files = list(rows.values_list("pk", flat=True))
    if found.is_batch:
        _read_batch(found.pk)
    else:
        read(found.pk)
    telling = Artifact.objects.filter(pk__in=files, state__in=(Artifact.State.PARSED, Artifact.State.PARTLY)).first()
    if telling is not None and diagnoses.claim_diagnosis(telling.case_id):
        diagnose_held_case(telling.case_id)
    return telling is not None


@shared_task(name="ingest.read_artifact", **RETRY)
def read_artifact(artifact_id: int, turn_of: str = "") -> None:
    """Read what has its turn in that queue; without one, or where nothing waits in it, the file that is named."""
    if not (turn_of and _took_turn(turn_of)):
        read(artifact_id)
        _follow_up(artifact_id)


@shared_task(name="ingest.read_window", **RETRY)
def read_window(window_id: int, turn_of: str = "") -> None:
    """As for a file; of a huge one a part is read."""
    if not (turn_of and _took_turn(turn_of)):
        _read_window(window_id)


@shared_task(name="ingest.read_batch", **RETRY)
def read_batch(batch_id: int, turn_of: str = "") -> None:
    """As for a file, with many small ones."""
    if not (turn_of and _took_turn(turn_of)):
        _read_batch(batch_id)


def _took_turn(queue: str) -> bool:
    return any(_took(turn) for turn in turns.waiting(queue))


def _took(turn: turns.Turn) -> bool:
    if turn.is_window:
        return _read_window(turn.pk)
    return _read_batch(turn.pk) if turn.is_batch else _read_file(turn.pk)


def _read_batch(batch_id: int) -> bool:
    """What is left of it is sent again. False as for a file."""
    found = batches.read(batch_id)
    if found is None:
        return False
    case_id, left = found
    for pk in left.batches:
        _send_batch(pk)
    for pk, size in left.files:
        _send_artifact(pk, size)
    _diagnose_when_due(case_id)
    return True


def _read_file(artifact_id: int) -> bool:
    """Its facts are replaced, never appended to. False where another task has the file, had it, or it is gone."""
    was_read = read(artifact_id)
    if was_read:
        _follow_up(artifact_id)
    return was_read


def _follow_up(artifact_id: int) -> None:
    """What a file that was read asks for: its windows, or a diagnosis."""
    artifact = Artifact.objects.filter(pk=artifact_id).first()
    if artifact is None:
        return
    if artifact.state == Artifact.State.READING:
        _send_windows(artifact.pk)
    _diagnose_when_due(artifact.case_id)


def _read_window(window_id: int) -> bool:
    """Whoever reads the last one lets the file be joined. False as for a file."""
    artifact_id = windows.read(window_id)
    if artifact_id is not None and not windows.are_open(artifact_id):
        _send_left_artifact(artifact_id, settings.LIMITS.window_bytes)
    return artifact_id is not None


def _send_windows(artifact_id: int) -> None:
    for pk in windows.waiting(artifact_id):
        _send_window(pk)


def _send_window(window_id: int) -> None:
    read_window.apply_async((window_id,), {"turn_of": "heavy"}, queue="heavy", priority=AFTER_DIAGNOSES)


def _send_left_window(window_id: int) -> None:
    """Its reader is gone: this window, and no other in its place."""
    read_window.apply_async((window_id,), queue="heavy", priority=AFTER_DIAGNOSES)


@shared_task(name="ingest.diagnose_case", **RETRY)
def diagnose_case(case_id: int) -> None:
    """Diagnose what has been read so far, or all of it; files that changed meanwhile ask for another."""
    if diagnose_held_case(case_id) and (diagnoses.claim_diagnosis(case_id) or diagnoses.is_owed(case_id)):
        _send_diagnosis(case_id)
    tell_of_blocker(case_id)
    tell_settled(case_id)


def _diagnose_when_due(case_id: int) -> None:
    if diagnoses.claim_diagnosis(case_id):
        _send_diagnosis(case_id)


@shared_task(name="ingest.sweep")
def sweep() -> None:
    """Queue again what a killed worker left: rows whose lease ran out, rows that never began, diagnoses that never
    came.
    """
    if queue_mark.is_missing():
        _queue_all_again()
        queue_mark.leave()
    now = timezone.now()
    expired = leases.ran_out()
    lease_s, line_s = settings.LIMITS.lease_s, settings.LIMITS.task_hard_s
    for pk, size in _rows(Bundle, Q(state=Bundle.State.EXPANDING) & expired):
        _queue_again("bundle", pk, lease_s, partial(_send_bundle, pk, size))
    for pk, size in _rows(Artifact, Q(state=Artifact.State.READING) & expired):
        _queue_again("artifact", pk, lease_s, partial(_send_left_artifact, pk, size))
    _unpack_ahead()
    storage_back.try_again(_send_artifact, _send_bundle)
    _sweep_windows(expired)
    _sweep_batches(expired)
    # These may simply stand in line: asked for again seldom.
    for pk, size in _rows(Bundle, Q(state=Bundle.State.RECEIVED, uploaded_at__lt=now - timedelta(seconds=lease_s))):
        _queue_again("received", pk, line_s, partial(_send_bundle, pk, size))
    old = Q(bundle__uploaded_at__lt=now - timedelta(seconds=line_s)) & ~Q(bundle__state__in=("received", "expanding"))
    for pk, size in _rows(Artifact, Q(state=Artifact.State.QUEUED, batch__isnull=True) & old):
        _queue_again("queued", pk, line_s, partial(_send_artifact, pk, size))
    for case_id in diagnoses.overdue_cases()[:SWEPT_AT_ONCE]:
        _queue_again("diagnosis", case_id, lease_s, partial(_send_diagnosis, case_id))
    for case_id in diagnoses.judged_with_other_knowledge(LEARNED_AT_ONCE):
        if cache.add(f"swept:learned:{case_id}", 1, timeout=line_s):
            diagnoses.note_change(case_id)
            _diagnose_when_due(case_id)
    turns.close_lines()
    collect_garbage()
    workspaces.remove_abandoned()
    partial_uploads.sweep()


def _sweep_windows(expired: Q) -> None:
    lease_s, line_s = settings.LIMITS.lease_s, settings.LIMITS.task_hard_s
    for pk, size in _rows(Artifact, windows.is_left()):
        _queue_again("artifact", pk, lease_s, partial(_send_left_artifact, pk, size))
    rows = ReadingWindow.objects.filter(IS_OF_LIVE).order_by("pk").values_list("pk", flat=True)
    for pk in rows.filter(expired, state=ReadingWindow.State.READING)[:SWEPT_AT_ONCE]:
        _queue_again("window", pk, lease_s, partial(_send_left_window, pk))
    old = timezone.now() - timedelta(seconds=lease_s)
    for pk in rows.filter(state=ReadingWindow.State.QUEUED, artifact__started_at__lt=old)[:SWEPT_AT_ONCE]:
        _queue_again("waiting-window", pk, line_s, partial(_send_window, pk))


def _sweep_batches(expired: Q) -> None:
    line_s = settings.LIMITS.task_hard_s
    rows = ReadingBatch.objects.filter(IS_OF_LIVE_BUNDLE).order_by("pk").values_list("pk", flat=True)
    for pk in rows.filter(expired, state=ReadingBatch.State.READING)[:SWEPT_AT_ONCE]:
        _queue_again("batch", pk, settings.LIMITS.lease_s, partial(_send_left_batch, pk))
    old = Q(bundle__uploaded_at__lt=timezone.now() - timedelta(seconds=line_s))
    unpacked = old & ~Q(bundle__state__in=("received", "expanding"))
    for pk in rows.filter(unpacked, state=ReadingBatch.State.QUEUED)[:SWEPT_AT_ONCE]:
        _queue_again("waiting-batch", pk, line_s, partial(_send_batch, pk))
    for pk, size in batches.free_of_lost():
        _send_artifact(pk, size)


def _queue_all_again() -> None:
    """The line itself was lost, and with it whatever stood in it. A message too many finds its row taken and does
    nothing.
    """
    _queue_all_of(IS_LIVE, IS_OF_LIVE, IS_OF_LIVE_BUNDLE)


def _queue_all_of(chosen: Q | Exists, windows_of: Q | Exists, batches_of: Q | Exists) -> None:
    """Whatever waits: uploads, files, windows of files, and batches."""
    received = Bundle.objects.filter(chosen, state=Bundle.State.RECEIVED).order_by("pk")
    for pk, size in received.values_list("pk", "size").iterator():
        _send_bundle(pk, size)
    queued = Artifact.objects.filter(chosen, state=Artifact.State.QUEUED, batch__isnull=True).order_by("pk")
    for pk, size in queued.values_list("pk", "size").iterator():
        _send_artifact(pk, size)
    windows_queued = ReadingWindow.objects.filter(windows_of, state=ReadingWindow.State.QUEUED).order_by("pk")
    for pk in windows_queued.values_list("pk", flat=True).iterator():
        _send_window(pk)
    batches_queued = ReadingBatch.objects.filter(batches_of, state=ReadingBatch.State.QUEUED).order_by("pk")
    for pk in batches_queued.values_list("pk", flat=True).iterator():
        _send_batch(pk)


@shared_task(name="ingest.resume_case", **RETRY)
def resume_case(case_id: int) -> None:
    """A case came out of the trash: its messages were spent meanwhile. What was stopped in between is swept."""
    _queue_all_of(Q(case=case_id), Q(artifact__case=case_id), Q(bundle__case=case_id))
    _diagnose_when_due(case_id)


def _unpack_ahead() -> None:
    """Uploads that came while their team had enough in hand, once it has been read: they need not wait for what others
    have since sent.
    """
    for pk, size in turns.first_to_unpack():
        if cache.add(f"swept:received:{pk}", 1, timeout=settings.LIMITS.lease_s):
            _send_bundle(pk, size)


def _rows(model: type[Bundle | Artifact], which: Q) -> list[tuple[int, int]]:
    return list(model._default_manager.filter(IS_LIVE, which).order_by("pk").values_list("pk", "size")[:SWEPT_AT_ONCE])


def _queue_again(what: str, pk: int, every_s: int, send: Callable[[], object]) -> None:
    """Once in a while: a sweep every few seconds must not fill the queue while all workers are busy."""
    if cache.add(f"swept:{what}:{pk}", 1, timeout=every_s):
        logger.warning("%s %s had no worker: queued again", what, pk)
        send()


def retry_artifact(artifact: Artifact) -> bool:
    """Let a failed file begin again, with all its attempts. False where it is not among those that failed."""
    failed = Artifact.objects.filter(pk=artifact.pk, state=Artifact.State.FAILED)
    changed = failed.update(state=Artifact.State.QUEUED, attempts=0, **NOT_FAILED, read_bytes=0)
    if changed:
        diagnoses.note_change(artifact.case_id)
        transaction.on_commit(
            partial(_send_or_leave, partial(_send_artifact, artifact.pk, artifact.size, of_bytes=artifact.bundle.size))
        )
    return bool(changed)


def reparse(artifacts: ArtifactQuerySet) -> int:
    """Read stored texts again, with the parsers as they are now; what was read before is used until then. How many were
    queued.
    """
    chosen = artifacts.originals().filter(state__in=REPARSED).exclude(blob="")
    rows = list(chosen.order_by("bundle", "pk").values_list("pk", "size", "bundle", "case_id"))
    queued = 0
    for _, of_upload in groupby(rows, key=lambda row: row[2]):
        files = [(pk, size) for pk, size, _, _ in of_upload]
        small = [one for one in files if one[1] < batches.SMALL_BYTES]
        together = list(batches.packed(small)) if len(small) > 1 else []
        queued += sum(_reparse_together(some) for some in together)
        queued += sum(_reparse_one(pk, size) for pk, size in (set(files).difference(*together) if together else files))
    for changed in sorted({case_id for *_, case_id in rows}):
        diagnoses.note_change(changed)
    return queued


def _reparse_one(pk: int, size: int) -> int:
    """Asked row by row: a worker may have taken one up meanwhile."""
    again = Artifact.objects.filter(pk=pk, state__in=REPARSED)
    queued = again.update(state=Artifact.State.QUEUED, attempts=0, **NOT_FAILED, read_bytes=0)
    if queued:
        transaction.on_commit(partial(_send_or_leave, partial(_send_artifact, pk, size)))
    return queued


def _reparse_together(files: list[tuple[int, int]]) -> int:
    """The same for small files of an upload."""
    batch, queued = batches.of_settled([pk for pk, _ in files], REPARSED)
    if queued:
        transaction.on_commit(partial(_send_or_leave, partial(_send_batch, batch)))
    return queued


def unpack_anew(bundles: QuerySet[Bundle]) -> int:
    """Walk stored bundles again: files that are known are kept, those that could not be opened before are added. How
    many were queued.
    """
    queued = 0
    for bundle in bundles.filter(state=Bundle.State.EXPANDED).exclude(stored="").order_by("pk"):
        again = Bundle.objects.filter(pk=bundle.pk, state=Bundle.State.EXPANDED)
        if again.update(state=Bundle.State.RECEIVED, attempts=0, **NOT_FAILED):
            queued += 1
            queue_bundle(bundle)
    return queued


def retry_bundle(bundle: Bundle) -> bool:
    """Let a bundle that could not be unpacked begin again; files that it gave already are kept."""
    failed = Bundle.objects.filter(pk=bundle.pk, state=Bundle.State.FAILED)
    changed = failed.update(state=Bundle.State.RECEIVED, attempts=0, **NOT_FAILED, told_at=None)
    if changed:
        queue_bundle(bundle)
    return bool(changed)


def retry_diagnosis(case_id: int) -> None:
    """Diagnose a settled case once more."""
    diagnoses.note_change(case_id)
    transaction.on_commit(partial(_send_or_leave, partial(_diagnose_when_due, case_id)))
