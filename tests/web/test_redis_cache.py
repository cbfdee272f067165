"""The cache as before, with fewer clients."""

from __future__ import annotations

from typing import Any, cast

import pytest
from django.core.cache import cache, caches
from django.core.cache.backends.redis import RedisCache

from apps.web.redis_cache import KeptClientCache

pytestmark = pytest.mark.usefixtures("services")


def test_a_thread_has_one_client() -> None:
    ours = caches["default"]
    assert isinstance(ours, KeptClientCache)
    client = cast("Any", ours)._cache
    assert client.get_client("a") is client.get_client("b", write=True)


def test_it_keeps_what_django_s_own_keeps() -> None:
    settings = cast("Any", caches["default"])
    plain = RedisCache(settings._cache._servers[0], {})
    cache.set("kept-client", {"a": [1, "two"]}, 60)
    assert plain.get("kept-client") == {"a": [1, "two"]}
    assert not cache.add("kept-client", 1, 60)
    assert cache.delete("kept-client")
    assert plain.get("kept-client") is None
