"""Disks that are all slow alike: load on all of them, or something that they share. One disk that is slow beside quick
ones is reported elsewhere (``history``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Literal

from apps.diagnosis.engine.core.words.knowledge import limits as limits_of
from apps.diagnosis.engine.scale.history import DiskHistory, by_node, median_of, requests_in
from apps.diagnosis.engine.scale.io import Requests, ScaleIo
from parsers.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class SlowAlike:
    """node: which serves the disks, or asks for them; disk: the only one in its history; median, quickest: in ms, over
    all and of the quickest disk.
    """

    seen_by: Literal["server", "client", "lone"]
    node: str | None
    disks: int
    requests: int
    median: float
    quickest: float
    rows: tuple[Requests, ...]
    disk: str = ""


def slow_alike(io: ScaleIo, requests: float, disks: float) -> Iterator[SlowAlike]:
    """Servers and clients whose disks all take long, none of them far longer than the rest. ``requests``, ``disks``:
    the fewest that tell it.
    """
    for server in io.servers:
        yield from _alike("server", server, io.served_by(server), requests, disks)
    for client, rows in by_node(io.by_clients).items():
        yield from _alike("client", client, rows, requests, disks)


def _alike(
    seen_by: Literal["server", "client"], node: str | None, rows: Sequence[Requests], requests: float, disks: float
) -> Iterator[SlowAlike]:
    bounds = limits_of("scale-history")
    by_disk: dict[str, list[Requests]] = defaultdict(list)
    for one in rows:
        if one.device is not None:
            by_disk[one.device].append(one)
    medians = [median_of(own) for own in by_disk.values()]
    if len(medians) == 1:
        yield from _lone(node, *by_disk.popitem())
        return
    if len(medians) < disks or requests_in(rows) < requests:
        return
    if min(medians) >= bounds.slow_ms and max(medians) < bounds.ratio * min(medians):
        yield SlowAlike(seen_by, node, len(medians), requests_in(rows), median_of(rows), min(medians), tuple(rows))


def _lone(node: str | None, disk: str, rows: Sequence[Requests]) -> Iterator[SlowAlike]:
    """The only disk of a history: nothing to compare it with, but the median of enough requests speaks for itself."""
    if DiskHistory(tuple(rows), ()).is_slow:
        median = median_of(rows)
        yield SlowAlike("lone", node, 1, requests_in(rows), median, median, tuple(rows), disk)
