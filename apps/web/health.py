"""Is everything there that the program needs? Each check answers yes or no; why not is for the log, not for
the caller.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import DatabaseError, connection
from kombu import Connection
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

from config import heartbeat

logger = logging.getLogger(__name__)

BROKER_TIMEOUT_S = 2


def database_answers() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        return bool(cursor.fetchone() == (1,))


def broker_answers() -> bool:
    with Connection(settings.BROKER_URL, connect_timeout=BROKER_TIMEOUT_S) as broker:
        broker.ensure_connection(max_retries=1, timeout=BROKER_TIMEOUT_S)
        channel: Any = broker.default_channel
        return bool(channel.client.ping())


def storage_keeps_files() -> bool:
    name = storages["default"].save(f"probe/{uuid.uuid4().hex}", ContentFile(b"probe"))
    storages["default"].delete(name)
    return True


def worker_is_alive() -> bool:
    return heartbeat.is_heard("worker")


CHECKS: dict[str, Callable[[], bool]] = {
    "database": database_answers,
    "broker": broker_answers,
    "storage": storage_keeps_files,
    "worker": worker_is_alive,
}


def readiness() -> dict[str, bool]:
    return {name: passes(name) for name in CHECKS}


def passes(name: str) -> bool:
    """One of the checks, by its name."""
    try:
        return CHECKS[name]()
    except (DatabaseError, RedisError, KombuError, OSError) as error:
        logger.warning("not ready: %s: %s", name, type(error).__name__)
        return False
