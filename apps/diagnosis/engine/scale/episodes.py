"""Events among long waits: what overlaps in time belongs together, what is an hour apart does not."""

from __future__ import annotations

import numpy as np

from apps.diagnosis.engine.core.arrays.spans import NO_TIME, Ints
from parsers.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Episode:
    """An episode: waits that overlap, or nearly. Times are None where the text gives none."""

    start: int | None
    end: int | None


def episodes(start: Ints, end: Ints, gap_us: int) -> tuple[Ints, list[Episode]]:
    """Number of the episode of each wait, and their windows; the times are on one clock.

    Waits that overlap, with gaps of at most ``gap_us`` between them, make one episode. Dumps without a time are taken
    as of one collection.
    """
    number = np.full(len(start), -1, np.int64)
    found: list[Episode] = []
    start = np.where(start == NO_TIME, end, start)
    timed = np.flatnonzero(start != NO_TIME)
    order = timed[np.argsort(start[timed], kind="stable")]
    if len(order):
        latest = np.maximum.accumulate(end[order])
        breaks = np.append(True, start[order][1:] > latest[:-1] + gap_us)
        number[order] = np.cumsum(breaks) - 1
        first = np.flatnonzero(breaks)
        ends = np.append(latest[first[1:] - 1], latest[-1])
        found = [Episode(int(s), int(e)) for s, e in zip(start[order][first].tolist(), ends.tolist(), strict=True)]
    if bool(np.any(number < 0)):
        number[number < 0] = len(found)
        found.append(Episode(None, None))
    return number, found
