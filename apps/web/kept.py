"""Parts of pages that a web process keeps in its memory for a while, because making them takes most of the time of a
page.

What is kept must be the same for everybody who may see it. Therefore a part is made without a request: who asks, what
they may do, their tokens and what people wrote come in as words of the key, or stay out. Whether somebody may see it is
asked before, each time. Nothing is kept on disk or in Redis, so no text of a customer lies anywhere that removal would
have to reach.
"""

from __future__ import annotations

import dataclasses
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Final, TypeVar, cast

from django.conf import settings

from parsers.dataclass import dataclass

KEPT_S: Final = 600
LOOKED_THROUGH_EVERY_S: Final = 60
LARGEST_SHARE: Final = 4
"""A part larger than this share of all room is made again each time, rather than push out everything else."""
ENTRY_BYTES: Final = 400
Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class _Entry:
    value: Any
    size: int
    ends_at: float


class Kept:
    """Values by key; what was used least goes when the room is full, and everything goes after ten minutes."""

    def __init__(self, most_bytes: int, seconds: float = KEPT_S, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._seconds, self._clock = most_bytes, seconds, clock
        self._entries: OrderedDict[Hashable, _Entry] = OrderedDict()
        self._lock = threading.Lock()
        self._looked_through_at = clock()
        self.size = 0

    def part(self, key: Hashable, make: Callable[[], Part]) -> Part:
        """The value of a key. Two threads that ask at once may both make it: the same comes out."""
        found = self._find(key)
        if found is not None:
            return cast("Part", found.value)
        value = make()
        self._keep(key, value)
        return value

    def forget(self) -> None:
        with self._lock:
            self._entries.clear()
            self.size = 0

    def _find(self, key: Hashable) -> _Entry | None:
        with self._lock:
            self._drop_ended()
            entry = self._entries.get(key)
            if entry is None or entry.ends_at < self._clock():
                return None
            self._entries.move_to_end(key)
            return entry

    def _keep(self, key: Hashable, value: Any) -> None:
        size = weight(key) + weight(value) + ENTRY_BYTES
        if size * LARGEST_SHARE > self._most:
            return
        with self._lock:
            self._drop(key)
            self._entries[key] = _Entry(value, size, self._clock() + self._seconds)
            self.size += size
            while self.size > self._most:
                self._drop(next(iter(self._entries)))

    def _drop(self, key: Hashable) -> None:
        entry = self._entries.pop(key, None)
        self.size -= entry.size if entry else 0

    def _drop_ended(self) -> None:
        now = self._clock()
        if now - self._looked_through_at < LOOKED_THROUGH_EVERY_S:
            return
        self._looked_through_at = now
        for key in [key for key, entry in self._entries.items() if entry.ends_at < now]:
            self._drop(key)


def weight(value: Any) -> int:
    """Bytes of memory of texts, figures, and what is made of them."""
    own = sys.getsizeof(value)
    if isinstance(value, str | bytes):
        return own
    if isinstance(value, Mapping):
        return own + sum(weight(key) + weight(inner) for key, inner in value.items())
    if isinstance(value, Sequence):
        return own + sum(weight(inner) for inner in value)
    if dataclasses.is_dataclass(value):
        return own + sum(weight(getattr(value, one.name)) for one in dataclasses.fields(value))
    return own


pages: Final = Kept(settings.PAGES_KEPT_BYTES)
"""The one of this process."""
