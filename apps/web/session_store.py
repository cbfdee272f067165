"""Sessions in the database, with the cache in front: while the cache is away they are read from the database alone.

Ending a session stays strict: one that could not be taken out of the cache would live on when that is back.
"""

from __future__ import annotations

import logging
from typing import Any

from django.contrib.sessions.backends import cached_db
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)


class SessionStore(cached_db.SessionStore):
    """Named by SESSION_ENGINE."""

    def load(self) -> dict[str, Any]:
        try:
            return dict(super().load())
        except RedisError as error:
            logger.warning("a session is read without the cache: %s", type(error).__name__)
            return dict(super(cached_db.SessionStore, self).load())
