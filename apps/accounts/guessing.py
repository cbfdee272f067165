"""A limit on guessing links: after some wrong ones an address waits. Counted in the cache, by address and
kind of link.
"""

from __future__ import annotations

from django.core.cache import cache
from django.http import HttpRequest

from apps.web.errors import DomainError

WRONG_LIMIT = 20
WINDOW_S = 15 * 60


def is_guessing(request: HttpRequest, kind: str) -> bool:
    return counted(_key(request, kind)) >= WRONG_LIMIT


def refuse_guessing(request: HttpRequest, kind: str) -> None:
    if is_guessing(request, kind):
        raise DomainError("Too many links that do not exist were tried from this address. Wait 15 minutes.", status=429)


def note_wrong_guess(request: HttpRequest, kind: str) -> None:
    count(_key(request, kind), WINDOW_S)


def count(key: str, seconds: int) -> None:
    """One more within so many seconds from the first."""
    cache.add(key, 0, seconds)
    try:
        cache.incr(key)
    except ValueError:  # it ended between the two calls
        cache.set(key, 1, seconds)


def counted(key: str) -> int:
    return int(cache.get(key, 0))


def _key(request: HttpRequest, kind: str) -> str:
    return f"guess:{kind}:{request.META.get('REMOTE_ADDR', '')}"
