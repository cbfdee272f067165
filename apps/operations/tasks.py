"""What is set right by itself now and then."""

from __future__ import annotations

import logging
from typing import Final

from celery import shared_task
from django.db import connection

from apps.operations.integrity import orphans, remove

logger = logging.getLogger(__name__)

ROWS_LOOKED_AT: Final = 1_000
"""In each index: the whole takes some hundredths of a second however large the tables are."""


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


@shared_task(name="operations.count_rows")
def count_rows() -> None:
    """How the rows are spread, for the planner: SQLite does not look by itself, and then sorts all cases for one page
    of the list.
    """
    if connection.vendor != "sqlite":
        return
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA analysis_limit = {ROWS_LOOKED_AT}")
        cursor.execute("ANALYZE")
