"""Which dumps of different nodes show the same moment: captures near each other in time form a round.

    node a    02:10:00   02:10:30   02:11:00
    node b    02:10:01   02:10:31              02:14:00
    round         0          1          2          3

The node with most captures sets the beat; every other capture joins the nearest beat, if one is near enough, and
those that are left set a beat of their own. Where times are not known, the place in the file's order stands for them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)


def rounds(captures: Mapping[Key, Sequence[int | None]], near_us: int) -> dict[Key, list[int]]:
    """Number of the round of each capture; ``captures`` gives their times per node in ascending order."""
    if any(at is None for times in captures.values() for at in times):
        return {key: list(range(len(times))) for key, times in captures.items()}
    left = {key: [(at or 0, place) for place, at in enumerate(times)] for key, times in captures.items()}
    beat_of: dict[tuple[Key, int], int] = {}
    while any(left.values()):
        beats = [at for at, _ in max(left.values(), key=len)]
        for key, own in left.items():
            left[key] = _join(key, own, beats, near_us, beat_of)
    numbers = {beat: number for number, beat in enumerate(sorted(set(beat_of.values())))}
    return {key: [numbers[beat_of[key, place]] for place in range(len(times))] for key, times in captures.items()}


def _join(
    key: Key, own: list[tuple[int, int]], beats: list[int], near_us: int, beat_of: dict[tuple[Key, int], int]
) -> list[tuple[int, int]]:
    """Captures of one node that no beat is near to."""
    rest = []
    for at, place in own:
        after = bisect_left(beats, at)
        beat = min(beats[max(0, after - 1) : after + 1], key=lambda b: abs(b - at))
        if abs(beat - at) <= near_us:
            beat_of[key, place] = beat
        else:
            rest.append((at, place))
    return rest
