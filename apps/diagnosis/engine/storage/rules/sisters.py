"""Rule on a disk that answered much later than others of its kind on the same host, on average since boot (ST-13)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from statistics import median
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records, grouped
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import disk_io
from apps.diagnosis.engine.storage.slow_disks import SlowDisks
from parsers.dataclass import dataclass
from parsers.records import DiskIo

SINCE_BOOT: Final = disk_io("since-boot")
# Disks of SCSI and of hypervisors are counted in letters: sda, vdb.
_KIND: Final = re.compile(r"(?:sd|hd|vd|xvd)(?=[a-z]{1,3}\d{0,3}$)|[A-Za-z_-]*")


@dataclass(frozen=True, slots=True)
class SisterWords:
    """A device's mean wait since boot in ms, requests in a second and share of time busy; beside it so many others of
    the kind, with the median of their mean waits.
    """

    device: str
    node: str | None
    wait_ms: float
    requests: float | None
    busy: float | None
    sisters: int
    sisters_ms: float
    times: float


@dataclass(frozen=True, slots=True)
class BusyWords:
    """The same of a device that was never idle or far too slow: nothing has to be compared with it."""

    device: str
    node: str | None
    wait_ms: float
    requests: float | None
    busy: float


@rule("ST-13", needs=(Records, SlowDisks), words=(SisterWords, BusyWords))
def behind_sisters(records: Records, disks: SlowDisks, limits: Limits) -> Iterator[Seen]:
    """Symptom: one disk of a host is slow, and only a report since boot was sent.

    Reasoning: an average over the time since boot hides hours of trouble, it does not make them. Where one disk's mean
    wait is many times that of its sisters, which the same host and often the same array serve, the disk is behind. What
    samples show already is left to them. A device that was never idle and made each request wait needs no sisters, nor
    one where a load waited far too long on average.
    Source: iostat(1), vmstat(8); limits proposed.
    """
    if not records.has(DiskIo):
        return
    sampled = {(one.node, one.device) for one in disks.all}
    has_load = (pl.col("count") >= limits.load) | (pl.col("count").is_null() & ~pl.col("per_s"))
    rows = records.meant(DiskIo, SINCE_BOOT, pl.col("op") == "", pl.col("mean_ms").is_not_null(), has_load)
    for found in grouped(rows, _sort).values():
        worst = max(found, key=_wait_ms)
        wait_ms = _wait_ms(worst)
        others = [_wait_ms(one) for one in found if one.device != worst.device]
        if (worst.node, worst.device) in sampled or wait_ms < limits.slow_ms:
            continue
        if len(others) >= limits.sisters and wait_ms >= limits.ratio * median(others):
            yield _behind(worst, len(others), median(others), limits)
        elif _is_always_busy(worst, limits) or _is_far(worst, limits):
            words = BusyWords(worst.device or "", worst.node, wait_ms, worst.count, worst.util or 0.0)
            yield _seen(worst, words, limits, "busy" if _is_always_busy(worst, limits) else "far")


def _sort(one: DiskIo) -> tuple[int, str | None, str, str]:
    """What sisters have in common: the report of a host, and how their names begin."""
    kind = _KIND.match(one.device or "")
    return one.artifact, one.node, one.source, kind.group() if kind else ""


def _wait_ms(one: DiskIo) -> float:
    return one.mean_ms or 0.0


def _is_always_busy(one: DiskIo, limits: Limits) -> bool:
    return (one.util or 0.0) >= limits.busy and _wait_ms(one) >= limits.long_ms


def _is_far(one: DiskIo, limits: Limits) -> bool:
    """Whether so many requests waited so long, on average, that no hour of trouble alone makes it."""
    return (one.count or 0.0) >= limits.far_load and one.per_s and _wait_ms(one) >= limits.far_ms


def _behind(worst: DiskIo, sisters: int, beside: float, limits: Limits) -> Seen:
    words = SisterWords(
        device=worst.device or "",
        node=worst.node,
        wait_ms=_wait_ms(worst),
        requests=worst.count,
        busy=worst.util,
        sisters=sisters,
        sisters_ms=beside,
        times=_wait_ms(worst) / beside if beside else _wait_ms(worst),
    )
    return _seen(worst, words, limits)


def _seen(worst: DiskIo, words: SisterWords | BusyWords, limits: Limits, variant: str = "") -> Seen:
    return Seen(
        level="stuck" if _is_always_busy(worst, limits) and _wait_ms(worst) >= limits.stuck_ms else "behind",
        variant=variant,
        words=words,
        shown=(worst,),
        parts=("average",),
        weight=_wait_ms(worst) / 1000,
    )
