"""Django's cache in Redis with one client for each thread: Django makes a new one for every command, at the cost of the
command itself.
"""

from __future__ import annotations

from typing import Any

from django.core.cache.backends.redis import RedisCache, RedisCacheClient


class KeptClient(RedisCacheClient):
    """A client holds no connection of its own, only the pool that it takes them from."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._clients: dict[int, Any] = {}

    def get_client(self, key: Any = None, *, write: bool = False) -> Any:
        del key
        pool = self._get_connection_pool(write)  # type: ignore[attr-defined]  # private, so not in the stubs
        if (client := self._clients.get(id(pool))) is None:
            client = self._clients[id(pool)] = self._client(connection_pool=pool)  # type: ignore[attr-defined]
        return client


class KeptClientCache(RedisCache):
    """Named by CACHES."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._class = KeptClient
