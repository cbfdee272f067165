"""Celery tasks: load, call one service, queue the next step. Each may run twice; the state is on the rows."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

from celery import shared_task
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.core.cache import cache
from django.db import OperationalError, transaction
from django.db.models import Q
from django.utils import timezone

from apps.cases.models import Artifact, Bundle
from apps.diagnosis.services import diagnose_case as diagnose
from apps.ingest import pacing
from apps.ingest.expanding import expand_bundle as expand
from apps.ingest.reading import give_up
from apps.ingest.reading import read_artifact as read

logger = logging.getLogger(__name__)

RETRY: dict[str, Any] = {"autoretry_for": (OperationalError,), "retry_backoff": True, "max_retries": 3}


def queue_for(size: int) -> str:
    """Small work never waits behind large work."""
    return "light" if size < settings.LIMITS.light_bytes else "heavy"


def queue_bundle(bundle: Bundle) -> None:
    """Queue a received bundle once its row is there for all to see."""
    transaction.on_commit(partial(expand_bundle.apply_async, (bundle.pk,), queue=queue_for(bundle.size)))


@shared_task(name="ingest.expand_bundle", **RETRY)
def expand_bundle(bundle_id: int) -> None:
    """Expand one bundle; each file is queued as soon as it is there."""
    for artifact_id, size in expand(bundle_id):
        read_artifact.apply_async((artifact_id,), queue=queue_for(size))
    bundle = Bundle.objects.filter(pk=bundle_id).first()
    if bundle is not None:
        _diagnose_when_due(bundle.case_id)


@shared_task(name="ingest.read_artifact", **RETRY)
def read_artifact(artifact_id: int) -> None:
    """Read one artifact; its facts are replaced, never appended to."""
    artifact = Artifact.objects.filter(pk=artifact_id).first()
    if artifact is None:
        return
    try:
        read(artifact_id)
    except (SoftTimeLimitExceeded, MemoryError) as error:
        logger.exception("reading was given up")
        give_up(artifact_id, error)
    _diagnose_when_due(artifact.case_id)


@shared_task(name="ingest.diagnose_case", **RETRY)
def diagnose_case(case_id: int) -> None:
    """Diagnose what has been read so far, or all of it."""
    state, _ = pacing.state_of_files(case_id)
    diagnose(case_id)
    pacing.note_done(case_id, state)
    _diagnose_when_due(case_id)


def _diagnose_when_due(case_id: int) -> None:
    if pacing.claim_diagnosis(case_id):
        diagnose_case.apply_async((case_id,), queue="light")


@shared_task(name="ingest.sweep")
def sweep() -> None:
    """Queue again what a killed worker left: rows whose lease ran out, rows that never began, diagnoses that never came."""
    now = timezone.now()
    expired = Q(lease_until__lt=now)
    never_begun = Q(state="received", uploaded_at__lt=now - timedelta(seconds=settings.LIMITS.lease_s))
    for pk, size in Bundle.objects.filter(Q(state="expanding") & expired | never_begun).values_list("pk", "size"):
        _queue_again("bundle", pk, partial(expand_bundle.apply_async, (pk,), queue=queue_for(size)))
    for pk, size in Artifact.objects.filter(Q(state="reading") & expired).values_list("pk", "size"):
        _queue_again("artifact", pk, partial(read_artifact.apply_async, (pk,), queue=queue_for(size)))
    for case_id in pacing.overdue_cases():
        _queue_again("diagnosis", case_id, partial(diagnose_case.apply_async, (case_id,), queue="light"))


def _queue_again(what: str, pk: int, queue: Callable[[], object]) -> None:
    """Once per lease time: a sweep every few seconds must not fill the queue while all workers are busy."""
    if cache.add(f"swept:{what}:{pk}", 1, timeout=settings.LIMITS.lease_s):
        logger.warning("%s %s had no worker any more: queued again", what, pk)
        queue()


def retry_artifact(artifact: Artifact) -> None:
    """Let a failed file begin anew, with all its attempts."""
    changed = Artifact.objects.filter(pk=artifact.pk, state=Artifact.State.FAILED).update(
        state=Artifact.State.QUEUED, attempts=0, message=""
    )
    if changed:
        transaction.on_commit(partial(read_artifact.apply_async, (artifact.pk,), queue=queue_for(artifact.size)))
