"""Devices that answered slowly: over several samples, in one average over a long time, or in all that a short look
shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Final, NamedTuple

import polars as pl

from apps.diagnosis.engine.core.facts.records import groups
from apps.diagnosis.engine.core.model import NEAR_US, Ref, Severity, comparable
from apps.diagnosis.engine.core.words.knowledge import limits
from apps.diagnosis.engine.storage.disk_loads import KEYS, DiskLoads
from parsers.dataclass import dataclass

_FLASH: Final = re.compile(r"nvme|ssd(?!\d)")
_PATH: Final = re.compile(r"(?:sd[a-z]{1,3}|ssd\d+|c\d+t\w+d\d+)$")
SAMPLE: Final = ("line", "at", "zone_min", "interval_s", "count", "mean_ms", "queue", "kib")


class Sample(NamedTuple):
    """How a device did in one sample: requests in a second, their mean wait and size in KiB, length of the queue."""

    line: int
    at: int | None
    zone_min: int | None
    interval_s: float | None
    requests: float | None
    mean_ms: float
    queue: float | None
    kib: float | None


@dataclass(frozen=True, slots=True)
class SlowDisk:
    """A device that answered slowly in consecutive samples, at its worst level.

    gated: its requests are small and many, so that their mean says something. rows: the samples over the limit; worst:
    the one with the longest mean wait.
    """

    artifact: int
    node: str | None
    device: str
    severity: Severity
    limit_ms: float
    gated: bool
    worst: Sample
    rows: pl.DataFrame

    @property
    def times(self) -> tuple[int, ...]:
        """When the samples were taken, in us."""
        return tuple(self.rows["at"].drop_nulls().to_list())

    @property
    def flash(self) -> bool:
        """Whether its name says so."""
        return _FLASH.search(self.device) is not None

    @property
    def is_path(self) -> bool:
        """Whether it may be one path of a device above it."""
        return _PATH.match(self.device) is not None

    def refs(self, most: int = 4) -> tuple[Ref, ...]:
        """The worst samples, in the order of the text."""
        lines = sorted(self.rows.sort("mean_ms", descending=True).head(most)["line"].to_list())
        return tuple(Ref(self.artifact, line) for line in lines)

    def is_near(self, at: int | None) -> bool:
        """Whether something may be of that time; what has no time may."""
        times = self.times
        if at is None or not times or not comparable(at, min(times)):
            return True
        return min(times) - NEAR_US <= at <= max(times) + NEAR_US


class SlowDisks:
    """Those of one case, by the limits of ST-04."""

    def __init__(self, loads: DiskLoads) -> None:
        self._loads = loads

    @cached_property
    def all(self) -> tuple[SlowDisk, ...]:
        """Each at its most severe level, longest mean wait first."""
        if not self._loads.measured:
            return ()
        bounds = limits("ST-04")
        levels: tuple[tuple[Severity, bool, float, float], ...] = (
            ("critical", True, bounds.critical_ms, bounds.flash_critical_ms),
            ("high", True, bounds.high_ms, bounds.flash_high_ms),
            ("high", False, bounds.open_high_ms, bounds.flash_open_high_ms),
            ("medium", True, bounds.medium_ms, bounds.flash_medium_ms),
            ("medium", False, bounds.open_medium_ms, bounds.flash_open_medium_ms),
        )
        found: dict[tuple[int, str | None, str], SlowDisk] = {}
        samples = self._loads.samples.group_by(KEYS).len().rows()
        looks = {(artifact, node, device): count for artifact, node, device, count in samples}
        for severity, gated, disk_ms, flash_ms in levels:
            for slow in self._over(severity, gated, disk_ms, flash_ms):
                key = (slow.artifact, slow.node, slow.device)
                long = (slow.worst.interval_s or 0.0) >= bounds.long_s
                short = not long and looks.get(key, 0) < bounds.samples
                found.setdefault(key, replace(slow, severity="medium") if short else slow)
        return tuple(sorted(found.values(), key=lambda slow: -slow.worst.mean_ms))

    def _over(self, severity: Severity, gated: bool, disk_ms: float, flash_ms: float) -> Iterator[SlowDisk]:
        """Enough consecutive samples over a limit, one average over a long time, or all samples of a short look."""
        bounds = limits("ST-04")
        flash = pl.col("device").str.contains(_FLASH.pattern.replace("(?!\\d)", "$"))
        gate = (pl.col("kib") <= bounds.gate_kib) & (pl.col("count") >= bounds.gate_per_s)
        limit = pl.when(flash).then(flash_ms).otherwise(disk_ms)
        over = self._loads.samples.filter(
            (pl.col("mean_ms") > limit) & (gate.fill_null(False) if gated else pl.lit(True))
        )
        if over.is_empty():
            return
        stretch = (pl.col("number").cast(pl.Int64) - pl.col("line").cum_count().over(KEYS).cast(pl.Int64)).alias(
            "stretch"
        )
        over = over.sort("artifact", "line").with_columns(stretch)
        long = pl.col("interval_s").fill_null(0.0) >= bounds.long_s
        looks = self._loads.samples.group_by(KEYS).agg(pl.len().alias("looks"))
        over = over.join(looks, on=KEYS, how="left", nulls_equal=True, maintain_order="left")
        most_ms = bounds.glaring_ms
        enough = pl.min_horizontal(pl.lit(int(bounds.samples)), pl.col("looks"))
        glaring = (pl.len().over(*KEYS, "stretch") > 1) & (pl.col("mean_ms").min().over(*KEYS, "stretch") >= most_ms)
        kept = over.filter((pl.len().over(*KEYS, "stretch") >= enough) | glaring | long)
        for (artifact, node, device), rows in groups(kept, *KEYS):
            shown = flash_ms if _FLASH.search(device) else disk_ms
            worst = Sample(*rows.sort("mean_ms", descending=True).select(SAMPLE).row(0))
            yield SlowDisk(artifact, node, device, severity, shown, gated, worst, rows)
