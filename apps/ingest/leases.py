"""Leases: a task owns its row for a while and renews that; a row whose lease ran out is taken up again by another.

The time is that of the database: clocks of several machines differ, and one that is set must not give or take anybody's
row.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.db import DatabaseError, close_old_connections, connections, models
from django.db.models import F, Q
from django.db.models.expressions import Combinable
from django.db.models.functions import Now

logger = logging.getLogger(__name__)

TOO_FAR = timedelta(hours=1)  # no lease is given for so long: the database's own clock was set back
PROGRESS_S = 2  # progress is written more often than the lease needs, so that the page moves

Check = Callable[[], None]


class LeaseLostError(Exception):
    """Somebody else has the row by now: the work is dropped, nothing of it may be shown."""


def claim(rows: models.QuerySet[Any], *, states: tuple[str, ...], working: str, **changes: Any) -> str | None:
    """Take the one row of the query set when it is in one of ``states``, or in ``working`` with a lease that ran out.

    One conditional UPDATE, so that two tasks for one row can't both get it. Gives the holder's name, or None.
    """
    return take(rows.filter(Q(state__in=states) | Q(state=working) & is_free()), state=working, **changes)


def is_free() -> Q:
    """Rows that nobody holds: there is no lease, or it ran out."""
    return Q(lease_until__isnull=True) | ran_out()


def ran_out() -> Q:
    """Rows whose worker is gone."""
    return Q(lease_until__lt=Now()) | Q(lease_until__gt=_in(TOO_FAR))


def take(rows: models.QuerySet[Any], **changes: Any) -> str | None:
    """Hold the row if the query set still has it; counts the attempt."""
    return hold(rows, settings.LIMITS.lease_s, attempts=F("attempts") + 1, **changes)


def hold(rows: models.QuerySet[Any], seconds: int, **changes: Any) -> str | None:
    """Hold the row for so long if the query set still has it."""
    holder = uuid4().hex
    taken = rows.update(lease_by=holder, lease_until=_in(timedelta(seconds=seconds)), **changes)
    return holder if taken else None


def is_spent(attempts: int) -> bool:
    """The first attempt and all retries are behind us."""
    return attempts > 1 + settings.LIMITS.task_retries


def _in(ahead: timedelta) -> Combinable:
    return Now() + ahead


@contextmanager
def renewed(
    rows: models.QuerySet[Any],
    holder: str,
    progress: Callable[[], dict[str, Any]] = dict,
    *,
    seconds: int | None = None,
) -> Iterator[Check]:
    """Renew the lease in the background, writing ``progress()`` with it. The yielded function raises when the lease is
    lost.
    """
    stop = threading.Event()
    lost = threading.Event()
    ahead = timedelta(seconds=settings.LIMITS.lease_s if seconds is None else seconds)
    renewing = partial(_renew, rows.filter(lease_by=holder), ahead, progress, stop, lost)
    thread = threading.Thread(target=renewing, name="lease", daemon=True)
    thread.start()

    def check() -> None:
        if lost.is_set():
            raise LeaseLostError

    try:
        yield check
    finally:
        stop.set()
        thread.join(timeout=10)


def _renew(
    rows: models.QuerySet[Any],
    ahead: timedelta,
    progress: Callable[[], dict[str, Any]],
    stop: threading.Event,
    lost: threading.Event,
) -> None:
    """The thread has a database connection of its own, which ends with it."""
    pause = min(settings.LIMITS.lease_renew_s, PROGRESS_S)
    try:
        while not stop.wait(pause) and not lost.is_set():
            try:
                if not rows.update(lease_until=_in(ahead), **progress()):
                    lost.set()
            except DatabaseError as error:
                logger.warning("lease not renewed: %s", type(error).__name__)
                close_old_connections()
    finally:
        connections.close_all()


def settle(rows: models.QuerySet[Any], holder: str, **values: Any) -> None:
    """Write the result in one update, if the lease is still ours."""
    if not rows.filter(lease_by=holder).update(lease_until=None, lease_by="", **values):
        raise LeaseLostError
