"""Who is sending samples to a case at the moment. It is known for as long as samples come, and kept nowhere else."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from django.core.cache import cache

from parsers.dataclass import dataclass

LEAST_EVERY_S: Final = 5
MOST_EVERY_S: Final = 600
MISSED: Final = 4
"""So many samples may stay away before a node is called silent."""
SILENT_S: Final = 1800
"""So long a silent node may come back before its watch is over: connections break, and nodes that hang are slow."""
MOST_NODES: Final = 200
KEPT_S: Final = 86_400


@dataclass(frozen=True, slots=True)
class Sample:
    """What a node last said of its watch. ``queued``: samples that wait for the connection; ``dropped``: those that the
    queue had no room for.
    """

    node: str
    number: int
    every_s: int
    queued: int
    dropped: int
    at: float

    @property
    def is_late(self) -> bool:
        return time.time() - self.at > self._patience_s

    @property
    def is_gone(self) -> bool:
        return time.time() - self.at > max(SILENT_S, self._patience_s)

    @property
    def _patience_s(self) -> int:
        return MISSED * max(self.every_s, LEAST_EVERY_S)


@dataclass(frozen=True, slots=True)
class Watching:
    """All nodes that send."""

    samples: tuple[Sample, ...]

    @property
    def number(self) -> int:
        return max(one.number for one in self.samples)

    @property
    def every_s(self) -> int:
        return min(one.every_s for one in self.samples)

    @property
    def last_s(self) -> int:
        """How long ago the last sample came."""
        return max(0, round(time.time() - max(one.at for one in self.samples)))

    @property
    def silent(self) -> list[str]:
        """Nodes of which no sample comes any more, and which did not say that they are done."""
        return sorted(one.node for one in self.samples if one.is_late)

    @property
    def is_silent(self) -> bool:
        """All of them."""
        return len(self.silent) == len(self.samples)

    @property
    def queued(self) -> int:
        return sum(one.queued for one in self.samples)

    @property
    def dropped(self) -> int:
        return sum(one.dropped for one in self.samples)


def watching(case_id: int) -> Watching | None:
    """None where nobody sends any more, and nobody is expected to."""
    rows = tuple(one for one in _rows(case_id).values() if not one.is_gone)
    return Watching(rows) if rows else None


def note_sample(case_id: int, *, node: str, number: int, every_s: int, queued: int, dropped: int) -> None:
    rows = {name: one for name, one in _rows(case_id).items() if not one.is_gone}
    if node in rows or len(rows) < MOST_NODES:
        rows[node] = Sample(node, number, every_s, queued, dropped, time.time())
    _keep(case_id, rows)


def end_watch(case_id: int, node: str) -> None:
    rows = dict(_rows(case_id))
    rows.pop(node, None)
    _keep(case_id, rows)


def _rows(case_id: int) -> Mapping[str, Sample]:
    found: dict[str, dict[str, Any]] = cache.get(_key(case_id)) or {}
    return {name: Sample(**row) for name, row in found.items()}


def _keep(case_id: int, rows: Mapping[str, Sample]) -> None:
    cache.set(_key(case_id), {name: asdict(one) for name, one in rows.items()}, KEPT_S)


def _key(case_id: int) -> str:
    return f"watch:{case_id}"
