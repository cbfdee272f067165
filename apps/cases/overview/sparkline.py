"""The small curve of a case in the list, as figures for an SVG of 100 by 26."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from parsers.dataclass import dataclass

WIDTH: Final = 100.0
HEIGHT: Final = 26.0
MARGIN: Final = 3.0
BREAK_STEPS: Final = 3


@dataclass(frozen=True, slots=True)
class Spark:
    lines: list[str]
    """Points of each unbroken stretch; the line breaks where samples stay away for more than three of their usual
    steps.
    """
    areas: list[str]
    peak: tuple[str, str]
    peak_value: float


def spark_of(values: Sequence[object]) -> Spark | None:
    """None where there is nothing to draw."""
    points = [float(value) if isinstance(value, int | float) and value >= 0 else None for value in values]
    known = [value for value in points if value is not None]
    if len(known) < 2:
        return None
    top = max(known) or 1.0
    step = (WIDTH - 2 * MARGIN) / max(1, len(points) - 1)
    tall = HEIGHT - 2 * MARGIN
    drawn = [
        None if value is None else (MARGIN + n * step, HEIGHT - MARGIN - value / top * tall)
        for n, value in enumerate(points)
    ]
    runs = _runs(drawn)
    peak = drawn[points.index(max(known))] or (0.0, 0.0)
    return Spark(
        [_text(run) for run in runs], [_area(run) for run in runs], (f"{peak[0]:.1f}", f"{peak[1]:.1f}"), max(known)
    )


def _runs(drawn: Sequence[tuple[float, float] | None]) -> list[list[tuple[float, float]]]:
    places = [n for n, point in enumerate(drawn) if point is not None]
    steps = sorted(after - before for before, after in pairwise(places))
    longest = BREAK_STEPS * steps[(len(steps) - 1) // 2]
    runs: list[list[tuple[float, float]]] = []
    last: int | None = None
    for n, point in enumerate(drawn):
        if point is None:
            continue
        if last is None or n - last > longest:
            runs.append([])
        runs[-1].append(point)
        last = n
    return runs


def _text(run: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in run)


def _area(run: Sequence[tuple[float, float]]) -> str:
    floor = HEIGHT - MARGIN
    return _text([(run[0][0], floor), *run, (run[-1][0], floor)])
