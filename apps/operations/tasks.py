"""What is set right by itself once a day."""

from __future__ import annotations

import logging

from celery import shared_task

from apps.operations.integrity import orphans, remove

logger = logging.getLogger(__name__)


@shared_task(name="operations.remove_orphans")
def remove_orphans() -> int:
    """Stored files that no row names, such as those of a process that was killed in between. How many were removed."""
    removed = 0
    for fault in orphans():
        remove(fault)
        removed += 1
    if removed:
        logger.warning("%s stored files that no row named were removed", removed)
    return removed
