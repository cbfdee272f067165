"""The ownership traffic of the CFS sample: four nodes mount a tree, two of them walk it, before and after a setting.

09:00   warm   pull   ping-pong, lazy off x3   quiet, drain   | set |  pull   ping-pong, lazy on x3   quiet, drain
09:30
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from random import Random
from typing import Final

from apps.ingest.samples.clock import clock
from parsers.dataclass import dataclass

SEED: Final = 52_021
CLOCK: Final = clock("2024-11-06T09:00:00", "GMT", "+0000")
LENGTH_S: Final = 1_800.0
MOUNT: Final = "/srv/media"
TREE: Final = f"{MOUNT}/assets"
INODES: Final = 412_368
NODES: Final = ("gannet1", "gannet2", "gannet3", "gannet4")
RIVALS: Final = ("gannet1", "gannet2")
FIRST_SAMPLE_S: Final = {"gannet1": 0.412, "gannet2": 0.958, "gannet3": 4.207, "gannet4": 7.733}
LAZY_SET_S: Final = {"gannet1": 911.0, "gannet2": 938.0, "gannet3": 965.0, "gannet4": 981.0}
DRAINS: Final = (("gannet2", 640.0, 880.0), ("gannet1", 1_380.0, 1_640.0))
PACKETS_PER_PULL: Final = {False: 5.8, True: 3.9}  # each way; without the g lock there is less to say

# what -> node, start, pulls per second; a walk of the two rivals at once is repeated three times
SINGLE: Final = (("gannet2", 60.6, 3_590.0, False), ("gannet1", 1_020.7, 9_790.0, True))
PARALLEL: Final = (
    (210.7, {"gannet1": 3_742.0, "gannet2": 3_686.0}, False),
    (1_140.7, {"gannet1": 7_476.0, "gannet2": 7_423.0}, True),
)
REPEATS: Final = 3
WARM: Final = (
    ("gannet1", 21.0, 1.873),
    ("gannet2", 745.0, 1.912),
    ("gannet2", 1_744.0, 2.038),
)  # walks of the owner: no traffic


@dataclass(frozen=True, slots=True)
class Walk:
    """One ``find`` over the tree that has to pull every inode. ``pulled[i]`` inodes are here at ``moments[i]``."""

    node: str
    lazy: bool
    alone: bool
    moments: tuple[float, ...]
    pulled: tuple[float, ...]

    @property
    def start(self) -> float:
        return self.moments[0]

    @property
    def end(self) -> float:
        return self.moments[-1]

    @property
    def printed_s(self) -> float:
        """What ``time`` prints: the walk and the start of two processes."""
        return round(self.end - self.start + 0.021, 3)

    def until(self, s: float) -> float:
        if s <= self.start:
            return 0.0
        if s >= self.end:
            return float(INODES)
        i = bisect_right(self.moments, s)
        share = (s - self.moments[i - 1]) / (self.moments[i] - self.moments[i - 1])
        return self.pulled[i - 1] + share * (self.pulled[i] - self.pulled[i - 1])


def _walk(rng: Random, node: str, start: float, rate: float, *, lazy: bool, alone: bool) -> Walk:
    moments, pulled = [start], [0.0]
    while pulled[-1] < INODES:
        now = rate * rng.uniform(0.990, 1.010)
        step = min(5.0, (INODES - pulled[-1]) / now)
        moments.append(moments[-1] + step)
        pulled.append(float(INODES) if step < 5.0 else pulled[-1] + now * step)
    return Walk(node, lazy, alone, tuple(moments), tuple(pulled))


def walks() -> tuple[Walk, ...]:
    """All walks that pull, in order of node and start."""
    rng = Random(SEED)
    out = [_walk(rng, node, start, rate, lazy=lazy, alone=True) for node, start, rate, lazy in SINGLE]
    for first, rates, lazy in PARALLEL:
        for node, rate in rates.items():
            start = first + (0.4 if node == RIVALS[1] else 0.0)
            for _ in range(REPEATS):
                out.append(_walk(rng, node, start, rate, lazy=lazy, alone=False))
                start = out[-1].end + 0.03
    return tuple(sorted(out, key=lambda walk: (walk.node, walk.start)))


@dataclass(frozen=True, slots=True)
class Pulls:
    """Inodes that ``node`` pulled in a window, by regime."""

    lazy_off: int = 0
    lazy_off_alone: int = 0
    lazy_on: int = 0

    @property
    def total(self) -> int:
        return self.lazy_off + self.lazy_off_alone + self.lazy_on

    @property
    def with_g_lock(self) -> int:
        return self.lazy_off + self.lazy_off_alone


class Traffic:
    """Counts pulls over any window; the counts of adjoining windows add up."""

    def __init__(self, all_walks: tuple[Walk, ...]) -> None:
        self.walks = all_walks

    def pulls(self, node: str, start: float, end: float) -> Pulls:
        count = {"lazy_off": 0, "lazy_off_alone": 0, "lazy_on": 0}
        for walk in self.walks:
            if walk.node == node and walk.start < end and walk.end > start:
                regime = "lazy_on" if walk.lazy else "lazy_off_alone" if walk.alone else "lazy_off"
                count[regime] += int(walk.until(end) + 1e-6) - int(walk.until(start) + 1e-6)
        return Pulls(**count)

    def packets_per_s(self, start: float, end: float) -> float:
        """LLT packets each way between the rivals, mean over the window."""
        packets = 0.0
        for node in RIVALS:
            pulls = self.pulls(node, start, end)
            packets += pulls.with_g_lock * PACKETS_PER_PULL[False] + pulls.lazy_on * PACKETS_PER_PULL[True]
        return packets / (end - start)


def peer(node: str) -> str:
    return RIVALS[1] if node == RIVALS[0] else RIVALS[0]


def sample_windows(node: str) -> Iterator[tuple[float, float, float]]:
    """(start, end, length as printed) of the delta samples of ``vxfsstat -t 10``."""
    rng = Random(f"{SEED} windows {node}")
    start = FIRST_SAMPLE_S[node]
    while start + 10.002 < LENGTH_S:
        length = rng.choices((10.000, 10.001, 10.002), (70, 25, 5))[0]
        yield start, start + length, length
        start = round(start + length, 3)
