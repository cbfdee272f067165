"""Which part of the program an error comes from: the database, the queue and cache, or the storage being away is no
defect.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator

from django.core.cache import cache
from django.db import InterfaceError, OperationalError
from kombu.exceptions import OperationalError as BrokerError
from redis.exceptions import RedisError

from apps.web import health

logger = logging.getLogger(__name__)


def part_away(error: BaseException | None) -> str:
    """database | queue | storage; empty where the error is another."""
    for one in _chain(error):
        if isinstance(one, OperationalError | InterfaceError):
            return "database"
        if isinstance(one, RedisError | BrokerError):
            return "queue"
        # A file that is gone is a defect as long as the storage takes others.
        if isinstance(one, OSError) and not health.passes("storage"):
            return "storage"
    return ""


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
