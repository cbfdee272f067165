"""Celery tasks of cases."""

from __future__ import annotations

import logging

from celery import shared_task

from apps.cases.lifetime.keeping import purge_trash
from apps.cases.lifetime.retention import retain
from apps.cases.people import notices
from apps.notices.services import forget_old

logger = logging.getLogger(__name__)


@shared_task(name="cases.purge_trash")
def purge() -> None:
    """Remove for good what has been in the trash for its days; may run as often as it likes."""
    for removed in purge_trash():
        logger.info("%s removed from the trash: %s rows, %s bytes", removed.key, removed.rows, removed.bytes)


@shared_task(name="cases.retain")
def keep_within_retention() -> None:
    """Remove for good what teams no longer keep, with a proof for each; may run as often as it likes."""
    for proof in retain():
        logger.info("%s removed by the retention of its team: proof %s", proof.case_key, proof.pk)


@shared_task(name="cases.mail_notice", autoretry_for=(notices.NotSentError,), retry_backoff=30, max_retries=4)
def mail_notice(notice_id: int) -> None:
    """Send one notice by mail; tried again for a few minutes where the mail server is away."""
    notices.mail_notice(notice_id)


@shared_task(name="cases.forget_notices")
def forget_notices() -> None:
    """Remove notices that nobody goes through any more."""
    forget_old()
