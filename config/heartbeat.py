"""Signs of life of workers and beat: in the cache for /readyz, and as a file for the health check of their own
container.
"""

from __future__ import annotations

import socket
import time
from pathlib import Path

from django.conf import settings
from django.core.cache import cache
from redis.exceptions import RedisError

EVERY_S = 5.0
STALE_S = 30.0


def alive_file(var_dir: Path, role: str) -> Path:
    return var_dir / "run" / f"{role}-{socket.gethostname()}.alive"


def send(role: str) -> None:
    """Raises OSError where the cache is away; the file is written first and tells about this process alone."""
    path = alive_file(settings.VAR_DIR, role)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    try:
        cache.set(f"heartbeat:{role}", time.time(), STALE_S)
    except RedisError as error:
        raise ConnectionError(type(error).__name__) from error


def is_heard(role: str) -> bool:
    """Whether any process of this role was alive within STALE_S; the cache forgets it by itself."""
    return cache.get(f"heartbeat:{role}") is not None
