"""Mean times of volumes, disks and paths by the interval reports of ``vxstat``, ``vxdmpadm iostat`` and ``iostat``.

Counts since the start are no interval and are kept apart. Rows that cannot be true are left out: a device that is busy
all the time and does nothing, a queue of more than a million.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.events import refs
from apps.diagnosis.engine.core.facts.records import Records, groups
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import disk_io
from parsers.dataclass import dataclass
from parsers.records import DiskIo

REPORTS: Final = disk_io("device-reports")
VOLUMES: Final = disk_io("volumes")
_KEYS: Final = ("node", "source", "device")
_COLUMNS: Final = (
    *_KEYS,
    "of_volume",
    "artifact",
    "line",
    "at",
    "zone_min",
    "count",
    "per_s",
    "bytes",
    "mean_ms",
    "interval_s",
    "load",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """One device of one report: how its intervals under load went."""

    node: str | None
    source: str
    of_volume: bool
    device: str
    intervals: int
    slow: int
    very_slow_in_a_row: int
    mean_ms: float
    worst_ms: float
    load: float
    size: float | None
    since_start: bool
    refs: tuple[Ref, ...]
    at: int | None
    zone_min: int | None

    @property
    def report(self) -> tuple[str | None, str]:
        """Which report it stands in: those of one node by one tool."""
        return self.node, self.source


class DiskTimes:
    """Devices of a case that had something to do."""

    def __init__(self, records: Records) -> None:
        self._records = records

    def devices(self, limits: Limits) -> list[Device]:
        """Devices under load, the slowest first."""
        if not self._records.has(DiskIo):
            return []
        rows = self._loaded(limits).collect()
        rows = rows.sort("artifact", "line")
        timed = rows.filter(pl.col("interval_s").is_not_null())
        shown = [_device(key, frame, limits) for key, frame in groups(timed, *_KEYS)]
        known = {(*one.report, one.device) for one in shown}
        first = rows.filter(pl.col("interval_s").is_null() & ~pl.col("per_s"))
        shown += [_device(key, frame, limits) for key, frame in groups(first, *_KEYS) if key not in known]
        return sorted(shown, key=lambda one: (one.since_start, -one.slow, -one.worst_ms, one.device))

    def _loaded(self, limits: Limits) -> pl.LazyFrame:
        """Rows of devices that had something to do."""
        rows = (
            self._records.scan(REPORTS)
            .filter(pl.col("mean_ms").is_not_null() & pl.col("device").is_not_null())
            .with_columns(of_volume=VOLUMES.rows)
        )
        load = pl.when("per_s").then("count").otherwise(pl.col("count") / pl.col("interval_s").fill_null(1.0))
        sane = ~((pl.col("util").fill_null(0) >= 95) & (pl.col("count") == 0)) & (
            pl.col("queue").fill_null(0) <= limits.queue
        )
        since_start = pl.col("interval_s").is_null() & ~pl.col("per_s")
        glaring = (pl.col("mean_ms") >= limits.glaring_ms) & (pl.col("count") >= limits.few)
        quick = (pl.col("mean_ms") <= limits.slow_ms) & (pl.col("count") >= limits.few)  # to be compared with
        many = (pl.col("count") >= limits.operations) | glaring | quick
        enough = pl.when(since_start).then(many).otherwise(load >= limits.load)
        return rows.filter(sane).with_columns(load.alias("load")).filter(enough).select(*_COLUMNS)


def _device(key: tuple[str | None, str, str], rows: pl.DataFrame, limits: Limits) -> Device:
    """All rows of one device: the slowest operation of each interval counts."""
    worst = rows.sort("mean_ms").group_by("artifact", "line", maintain_order=True).last().sort("artifact", "line")
    slow = worst.filter(pl.col("mean_ms") > limits.slow_ms).sort("mean_ms", descending=True)
    of_volume, worst_ms, at, zone_min = (
        worst.sort("mean_ms", descending=True).select("of_volume", "mean_ms", "at", "zone_min").row(0)
    )
    shown = (slow if slow.height else worst).head(3)
    operations = float(rows["count"].sum())
    node, source, device = key
    return Device(
        node=node,
        source=source,
        of_volume=of_volume,
        device=device,
        intervals=worst.height,
        slow=slow.height,
        very_slow_in_a_row=_in_a_row((worst["mean_ms"] > limits.very_slow_ms).to_list()),
        mean_ms=float(worst.select(pl.median("mean_ms")).item() or 0.0),
        worst_ms=worst_ms,
        load=float(rows.select(pl.median("load")).item() or 0.0),
        size=float(rows["bytes"].sum()) / operations if operations and rows["bytes"].null_count() == 0 else None,
        since_start=bool(rows["interval_s"].null_count() == rows.height and not rows["per_s"].any()),
        refs=tuple(refs(shown)),
        at=at,
        zone_min=zone_min,
    )


def _in_a_row(flags: list[bool]) -> int:
    longest = run = 0
    for flag in flags:
        run = run + 1 if flag else 0
        longest = max(longest, run)
    return longest


def peers(found: list[Device], one: Device, limits: Limits) -> list[Device]:
    """Other devices of the same report, over the same time, with requests of like size and like load."""
    same = [other for other in found if other.report == one.report and other.device != one.device]
    return [
        other
        for other in same
        if other.since_start == one.since_start
        and _like(other.load, one.load, limits.like_load)
        and _like(other.size, one.size, limits.like_size)
    ]


def _like(one: float | None, other: float | None, factor: float) -> bool:
    return one is None or other is None or (min(one, other) > 0 and max(one, other) <= factor * min(one, other))
