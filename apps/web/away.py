"""Which part of the program an error comes from: the database, the queue and cache, or the storage being away is no
defect.
"""

from __future__ import annotations

import errno
import logging
from collections.abc import Iterator
from typing import Final

from django.core.cache import cache
from django.db import InterfaceError, OperationalError
from kombu.exceptions import OperationalError as BrokerError
from redis.exceptions import RedisError, ResponseError

from apps.web import health

logger = logging.getLogger(__name__)

NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT)
REDIS_FULL: Final = ("MISCONF", "OOM ")
"""It can't write to its disk, or its memory is used up: then it refuses whatever changes anything."""
POSTGRES_FULL: Final = ("53100", "53200")
"""disk_full, out_of_memory"""


def part_away(error: BaseException | None) -> str:
    """database | queue | storage, each with ``_full`` behind it where it has no room; empty where it is none."""
    for one in _chain(error):
        if isinstance(one, OperationalError | InterfaceError):
            return _named("database", error)
        if isinstance(one, RedisError | BrokerError):
            return _named("queue", error)
        if _has_no_room(one):
            return "storage_full"
        # A file that is gone is a defect as long as the storage takes others.
        if isinstance(one, OSError) and not health.passes("storage"):
            return "storage"
    return ""


def _named(part: str, error: BaseException | None) -> str:
    return f"{part}_full" if is_full(error) else part


def is_full(error: BaseException | None) -> bool:
    """Whether there is no room on a disk, or in the memory of the queue, rather than nobody who answers."""
    return any(_has_no_room(one) for one in _chain(error))


def _has_no_room(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno in NO_ROOM
    if isinstance(error, ResponseError):
        return str(error).startswith(REDIS_FULL)
    return getattr(error, "sqlstate", None) in POSTGRES_FULL or getattr(error, "sqlite_errorname", "") == "SQLITE_FULL"


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """The error and what it was raised from."""
    seen = 0
    while error is not None and seen < 10:
        yield error
        error = error.__cause__ or error.__context__
        seen += 1


def is_first_in(key: str, seconds: int, *, otherwise: bool) -> bool:
    """True once in so many seconds, for what is noted seldom. ``otherwise`` where the cache is away: a page must not
    fail for that.
    """
    try:
        return bool(cache.add(key, 1, seconds))
    except RedisError as error:
        logger.warning("the cache is away: %s", type(error).__name__)
        return otherwise
