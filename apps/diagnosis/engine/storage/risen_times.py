"""Mean times of a device between two looks at counts that begin with the start or a reset, against the time before.

``vxstat`` without an interval prints operations and their mean time since counting began. Of two such looks the second
holds the first; what happened between them is their difference, and all of the second where its count is smaller: then
somebody reset it. Looks without a moment are in no order and tell nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records, groups
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.storage.disk_latency import REPORTS, VOLUMES
from parsers.dataclass import dataclass
from parsers.records import DiskIo

_KEYS = ("node", "source", "device", "op")


@dataclass(frozen=True, slots=True, kw_only=True)
class RisenTime:
    """before_ms: the mean up to the earlier look; since_ms: the mean of the operations behind it."""

    node: str | None
    source: str
    of_volume: bool
    device: str
    operations: float
    before_ms: float
    since_ms: float
    refs: tuple[Ref, Ref]
    at: int
    zone_min: int | None


class RisenTimes:
    """Devices whose requests took far longer behind one look than up to it."""

    def __init__(self, records: Records) -> None:
        self._records = records

    def devices(self, limits: Limits) -> list[RisenTime]:
        """The slowest first, each once, by its slower operation."""
        if not self._records.has(DiskIo):
            return []
        worst: dict[tuple[str | None, str, str], RisenTime] = {}
        for one in self._risen(limits):
            key = (one.node, one.source, one.device)
            if key not in worst or worst[key].since_ms < one.since_ms:
                worst[key] = one
        return sorted(worst.values(), key=lambda one: (-one.since_ms, one.device))

    def _risen(self, limits: Limits) -> Iterator[RisenTime]:
        counted = (
            pl.col("interval_s").is_null()
            & ~pl.col("per_s")
            & pl.col("at").is_not_null()
            & pl.col("device").is_not_null()
            & (pl.col("mean_ms") > 0)
            & (pl.col("count") >= limits.few)
        )
        columns = (*_KEYS, "of_volume", "artifact", "line", "at", "zone_min", "count", "mean_ms")
        rows = self._records.scan(REPORTS).filter(counted).with_columns(of_volume=VOLUMES.rows).select(*columns)
        for (node, source, device, _), looks in groups(rows.collect().sort("at", "artifact", "line"), *_KEYS):
            earlier, later = looks.row(0, named=True), looks.row(-1, named=True)
            if later["at"] <= earlier["at"]:
                continue
            done, took = later["count"], later["count"] * later["mean_ms"]
            if done >= earlier["count"]:
                done, took = done - earlier["count"], took - earlier["count"] * earlier["mean_ms"]
            if done < limits.few or took / done < max(limits.slow_ms, limits.risen * earlier["mean_ms"]):
                continue
            yield RisenTime(
                node=node,
                source=source,
                of_volume=later["of_volume"],
                device=device,
                operations=done,
                before_ms=earlier["mean_ms"],
                since_ms=took / done,
                refs=(Ref(later["artifact"], later["line"]), Ref(earlier["artifact"], earlier["line"])),
                at=later["at"],
                zone_min=later["zone_min"],
            )
