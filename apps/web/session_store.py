"""Sessions in the database, with the cache in front: while the cache is away they are read from the database alone.

Ending a session stays strict: one that could not be taken out of the cache would live on when that is back.

A session ends when it was not used for a while, and some days after it began however much it is used. Both follow from
the moment at which it ends in the database, the cache and the browser alike, which use puts off.
"""

from __future__ import annotations

import logging
import time
from typing import Any, Final

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends import cached_db
from django.contrib.sessions.backends.base import UpdateError
from django.db import OperationalError
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)
BEGAN: Final = "began_at"
USED: Final = "used_at"
NOTED_MOST_S: Final = 300
NOTED_SHARE: Final = 10
"""A use is written down once in five minutes, with a short limit once in a tenth of it: no page costs a write."""


class SessionStore(cached_db.SessionStore):
    """Named by SESSION_ENGINE."""

    def load(self) -> dict[str, Any]:
        try:
            return dict(super().load())
        except RedisError as error:
            logger.warning("a session is read without the cache: %s", type(error).__name__)
            return dict(super(cached_db.SessionStore, self).load())

    def save(self, must_create: bool = False) -> None:
        """A database that is away is no session that somebody ended."""
        try:
            super().save(must_create)
        except UpdateError as error:
            if isinstance(error.__context__, OperationalError):
                raise error.__context__ from None
            raise

    def get_session_cookie_age(self) -> int:
        """Seconds from now until it ends if nobody uses it."""
        now = int(time.time())
        left = int(self.get(BEGAN, now)) + settings.LIMITS.sign_in_days * 86_400 - now
        return max(0, min(left, settings.LIMITS.idle_minutes * 60) if SESSION_KEY in self else left)

    def begin(self) -> None:
        """Somebody signed in."""
        self[BEGAN] = self[USED] = int(time.time())

    def use(self) -> None:
        """Put off its end; one from before there was a limit begins now."""
        now, limit = int(time.time()), settings.LIMITS.idle_minutes * 60
        if now - int(self.get(USED, 0)) >= min(NOTED_MOST_S, limit // NOTED_SHARE):
            self.update({BEGAN: self.get(BEGAN, now), USED: now})
