"""Parts of a large table made on threads while those before them are used: numpy and Polars work without the
interpreter's lock. What comes out, and in which order, does not depend on how many threads there are.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import Final, TypeVar

import polars as pl

from apps.diagnosis.engine.core.arrays.memory import give_back

PARTS_BETWEEN: Final = 4
THREADS_MOST: Final = 2
"""More would cost memory: each holds a part."""

One = TypeVar("One")
Made = TypeVar("Made")


def made_ahead(make: Callable[[One], Made], of: Iterable[One], *, threads: int | None = None) -> Iterator[Made]:
    """``map``, with as many parts being made at once as there are threads. The first is made alone: what all of them
    share is then there.
    """
    # Asked here and not at import: it starts the threads of Polars, which a worker that is forked later would lack.
    threads = min(THREADS_MOST, os.cpu_count() or 1, pl.thread_pool_size()) if threads is None else threads
    todo = iter(of)
    for first in islice(todo, 1):
        yield make(first)
    if threads < 2:
        yield from map(make, todo)
        return
    with ThreadPoolExecutor(threads, "parts") as pool:
        made_so_far = 0
        waiting: deque[Future[Made]] = deque(pool.submit(make, one) for one in islice(todo, threads))
        while waiting:
            made = waiting.popleft().result()
            waiting.extend(pool.submit(make, one) for one in islice(todo, 1))
            yield made
            del made
            made_so_far += 1
            if made_so_far % PARTS_BETWEEN == 0:
                give_back()
    give_back()
