"""How work grows: the least time of each size counts, since a machine has slow moments."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Final

TRIES: Final = 6
LEAST_S: Final = 0.02  # a shorter one counts as that long: a clock's steps are no curve


def assert_grows(cost: Callable[[int], float], small: int, large: int, most: float) -> None:
    """`cost` (of a size, in seconds of the processor) is at most `most` times as much for `large` as for `small`.

    The first call is not counted (patterns are compiled, modules loaded). Both sizes are taken again, in turn, until
    their least values are within the limit: one slow moment is no growth, and growth stays however often it is tried.
    """
    cost(small)
    least: dict[int, float] = {}
    for _ in range(TRIES):
        for size in (small, large):
            gc.collect()
            least[size] = min(cost(size), least.get(size, float("inf")))
        if least[large] <= most * max(least[small], LEAST_S):
            return
    raise AssertionError(f"{large / small:g} times as much took {least[large]:.2f} s after {least[small]:.2f} s")
