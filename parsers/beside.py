"""Work that needs no interpreter (hashes, compression) done on a thread beside the one that reads.

``hashlib`` and ``zstandard`` release the lock of the interpreter while they work; what is small is done at once, as a
thread would cost more than it saves.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

LARGE_BYTES: Final = 1 << 19
"""A smaller piece begins no thread."""
AHEAD: Final = 4
"""Pieces that wait at most: memory stays at so many of them."""


class Beside:
    """Calls one after the other, in their order: at once until the first large piece, from then on by a thread.

    An error of a call is raised by a later one, or by ``wait``.
    """

    def __init__(self) -> None:
        self._pool: ThreadPoolExecutor | None = None
        self._waiting: deque[Future[None]] = deque()

    def call(self, work: Callable[[bytes], None], piece: bytes) -> None:
        """Do the work on a piece, now or beside."""
        if self._pool is None:
            if len(piece) < LARGE_BYTES:
                work(piece)
                return
            self._pool = ThreadPoolExecutor(1, "beside")
        while len(self._waiting) >= AHEAD:
            self._waiting.popleft().result()
        self._waiting.append(self._pool.submit(work, piece))

    def wait(self) -> None:
        """Until all is done; the thread ends."""
        pool, self._pool = self._pool, None
        if pool is None:
            return
        pool.shutdown()
        waiting, self._waiting = self._waiting, deque()
        for one in waiting:
            one.result()
