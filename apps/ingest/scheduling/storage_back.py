"""What failed because the storage was away is tried again by itself once the storage is back, as often as any other
work.

A row that was tried so often keeps its message and its button: then it is not the storage alone.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import TypeVar

from django.conf import settings
from django.core.cache import cache
from django.db.models import QuerySet

from apps.cases.models import Artifact, Bundle, Failure
from apps.ingest.live import IS_LIVE
from apps.ingest.reading.failures import NOT_FAILED
from apps.ingest.scheduling import diagnoses
from apps.web.health import storage_keeps_files

logger = logging.getLogger(__name__)

AT_ONCE = 1_000
FORGET = 100
"""Parts of the pause after which a row counts as seen for the first time again, should a clock have been set."""
Send = Callable[[int, int], object]
Row = TypeVar("Row", Artifact, Bundle)


def try_again(send_artifact: Send, send_bundle: Send) -> None:
    """Queue such files and uploads again, each when it has stood as failed for the time of a lease."""
    files = _failed(Artifact.objects.filter(state=Artifact.State.FAILED).exclude(blob=""))
    uploads = _failed(Bundle.objects.filter(state=Bundle.State.FAILED))
    if not (files or uploads) or not _is_back():
        return
    for bundle in filter(_is_due, uploads):
        if Bundle.objects.filter(pk=bundle.pk, state=Bundle.State.FAILED).update(
            state=Bundle.State.RECEIVED, **NOT_FAILED, told_at=None
        ):
            _note(bundle)
            send_bundle(bundle.pk, bundle.size)
    for file in filter(_is_due, files):
        if Artifact.objects.filter(pk=file.pk, state=Artifact.State.FAILED).update(
            state=Artifact.State.QUEUED, **NOT_FAILED, read_bytes=0
        ):
            _note(file)
            send_artifact(file.pk, file.size)


def _failed(rows: QuerySet[Row]) -> list[Row]:
    """Those that may be tried once more."""
    return list(
        rows.filter(IS_LIVE, failure=Failure.STORAGE, attempts__range=(1, settings.LIMITS.task_retries)).order_by("pk")[
            :AT_ONCE
        ]
    )


def _is_due(row: Artifact | Bundle) -> bool:
    """Seen as failed a while ago: people can read why, and a disk that is full does not use up all attempts at once."""
    key, pause_s = f"storage-back:{row._meta.model_name}:{row.pk}:{row.attempts}", settings.LIMITS.lease_s
    now = time.time()
    seen = cache.get_or_set(key, now, timeout=FORGET * pause_s)
    return now - (now if seen is None else seen) >= pause_s


def _is_back() -> bool:
    try:
        return storage_keeps_files()
    except OSError:
        return False


def _note(row: Artifact | Bundle) -> None:
    logger.warning("%s failed while the storage was away: queued again", row)
    diagnoses.note_change(row.case_id)
