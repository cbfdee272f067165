"""Rule on a disk that answered much later than others of its kind on the same host, on average since boot (ST-13)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from statistics import median
from typing import Any, Final

import polars as pl

from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.metrics import disk_io
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.records import Records
from apps.diagnosis.engine.core.registry import rule
from apps.diagnosis.engine.core.seen import Seen
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
    """The same of a device that was never idle: nothing has to be compared with it."""

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
    samples show already is left to them. A device that was never idle and made each request wait needs no sisters.
    Source: iostat(1), vmstat(8); limits proposed.
    """
    if not records.has(DiskIo):
        return
    sampled = {(one.node, one.device) for one in disks.all}
    rows = records.frame(SINCE_BOOT, (pl.col("op") == "") & pl.col("mean_ms").is_not_null())
    by_kind: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    has_load = (pl.col("count") >= limits.load) | (pl.col("count").is_null() & ~pl.col("per_s"))
    for row in rows.filter(has_load).iter_rows(named=True):
        kind = _KIND.match(row["device"] or "")
        by_kind.setdefault((row["artifact"], row["node"], row["source"], kind and kind.group()), []).append(row)
    for (_, node, *_), found in by_kind.items():
        worst = max(found, key=lambda row: row["mean_ms"])
        others = [row["mean_ms"] for row in found if row["device"] != worst["device"]]
        if (node, worst["device"]) in sampled or worst["mean_ms"] < limits.slow_ms:
            continue
        if len(others) >= limits.sisters and worst["mean_ms"] >= limits.ratio * median(others):
            yield _behind(worst, len(others), median(others), limits)
        elif _is_always_busy(worst, limits):
            words = BusyWords(worst["device"], node, worst["mean_ms"], worst["count"], worst["util"])
            yield _seen(worst, words, limits, "busy")


def _is_always_busy(row: dict[str, Any], limits: Limits) -> bool:
    return (row["util"] or 0.0) >= limits.busy and row["mean_ms"] >= limits.long_ms


def _behind(worst: dict[str, Any], sisters: int, beside: float, limits: Limits) -> Seen:
    words = SisterWords(
        device=worst["device"],
        node=worst["node"],
        wait_ms=worst["mean_ms"],
        requests=worst["count"],
        busy=worst["util"],
        sisters=sisters,
        sisters_ms=beside,
        times=worst["mean_ms"] / beside if beside else worst["mean_ms"],
    )
    return _seen(worst, words, limits)


def _seen(worst: dict[str, Any], words: SisterWords | BusyWords, limits: Limits, variant: str = "") -> Seen:
    return Seen(
        level="stuck" if _is_always_busy(worst, limits) and worst["mean_ms"] >= limits.stuck_ms else "behind",
        variant=variant,
        words=words,
        lines=[Ref(worst["artifact"], worst["line"])],
        nodes=(worst["node"],),
        times=(worst["at"],),
        zone_min=worst["zone_min"],
        parts=("average",),
        weight=worst["mean_ms"] / 1000,
    )
