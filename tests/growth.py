"""How work grows, on a machine that has slow moments and other programs."""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Final

ROUNDS: Final = 24
ENOUGH: Final = 6
"""Rounds after which their ratios count too."""
LEAST_S: Final = 0.02  # a shorter one counts as that long: a clock's steps are no curve


class Growth:
    """Seconds of the processor that things took for a small and a large input, by their names, round after round.

    A thing grows too fast while neither the least times of all rounds nor the ratios within the rounds are within the
    limit. One lucky moment makes the least time of a small input too small; so after some rounds a quarter of the
    ratios within it is enough. Growth stays however often it is tried: what takes eight times as long where it should
    take four would have to be lucky by half in each fourth round.
    """

    def __init__(self, most: float, least_s: float = LEAST_S) -> None:
        self.most, self.least_s = most, least_s
        self._rounds: dict[str, list[tuple[float, float]]] = defaultdict(list)

    def add(self, small: Mapping[str, float], large: Mapping[str, float]) -> None:
        """Book one round."""
        for name, seconds in large.items():
            self._rounds[name].append((small.get(name, 0.0), seconds))

    def too_steep(self) -> dict[str, tuple[float, float]]:
        """The least seconds at both sizes of what grows too fast."""
        return {name: self._least(rounds) for name, rounds in self._rounds.items() if not self._is_within(rounds)}

    def _is_within(self, rounds: list[tuple[float, float]]) -> bool:
        small, large = self._least(rounds)
        if large <= self.most * max(small, self.least_s):
            return True
        ratios = sorted(large / max(small, self.least_s) for small, large in rounds)
        return len(ratios) >= ENOUGH and ratios[len(ratios) // 4] <= self.most

    def _least(self, rounds: list[tuple[float, float]]) -> tuple[float, float]:
        return min(small for small, _ in rounds), min(large for _, large in rounds)


def assert_grows(cost: Callable[[int], float], small: int, large: int, most: float) -> None:
    """`cost` (of a size, in seconds of the processor) is at most `most` times as much for `large` as for `small`.

    The first call is not counted (patterns are compiled, modules loaded). Both sizes are taken again, in turn, until
    they are within the limit.
    """
    cost(small)
    growth = Growth(most)
    for _ in range(ROUNDS):
        took = []
        for size in (small, large):
            gc.collect()
            took.append({"": cost(size)})
        growth.add(*took)
        if not (steep := growth.too_steep()):
            return
    raise AssertionError(f"{large / small:g} times as much took {steep['']} seconds")
