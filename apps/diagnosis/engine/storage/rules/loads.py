"""Rules on disks as the hosts saw them: slow answers over several samples, and slow answers whose cause lies behind the
paths.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

import polars as pl

from apps.diagnosis.engine.core.facts.nodes import nodes_in
from apps.diagnosis.engine.core.facts.records import Records, grouped
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import SEVERITIES, Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.knowledge import limits as limits_of
from apps.diagnosis.engine.gfs2.cluster import JOURNAL_WAITS
from apps.diagnosis.engine.gfs2.demotes import Demote, demotes
from apps.diagnosis.engine.gfs2.glocks import GlockFacts
from apps.diagnosis.engine.storage.disk_loads import DiskLoads
from apps.diagnosis.engine.storage.disk_paths import DiskPaths
from apps.diagnosis.engine.storage.harm import BLOCKED, WAITING
from apps.diagnosis.engine.storage.slow_disks import SlowDisk, SlowDisks
from parsers.dataclass import dataclass
from parsers.records.waits import Stack

SHOWN: Final = 8
MOST_TIMES: Final = 500
_IN_MAPPER: Final = 2.0  # so many times as fast as the device above it: then the requests wait above the path


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceWords:
    """The worst of so many samples over a limit: mean wait in ms, requests in a second, their mean size in KiB, length
    of the queue.

    below: a path beneath it, which answered in below_ms, ``times`` times as fast. blocked, waiting: processes, and per
    cent of the time. held: the glock that the node gives up late because it has to write first; asking: the nodes that
    wait for it.
    """

    device: str
    node: str | None
    wait_ms: float
    limit_ms: float
    samples: int
    requests: float | None
    sized: bool
    kib: float | None
    queued: bool
    queue: float | None
    first: int | None
    last: int | None
    flash: bool
    path: Literal["in-mapper", "below", "beside"] | None
    below: str | None
    below_ms: float | None
    times: float | None
    blocked: float | None
    waiting: float | None
    held: str | None
    asking: tuple[str, ...]
    one_asks: bool


@rule("ST-04", needs=(SlowDisks, DiskLoads, DiskPaths, Records, GlockFacts), words=DeviceWords)
def device_saturated(
    disks: SlowDisks, loads: DiskLoads, paths: DiskPaths, records: Records, glocks: GlockFacts, limits: Limits
) -> Iterator[Seen]:
    """Symptom: reads and writes take long while the device has work to do.

    Reasoning: mean wait over consecutive samples behind the first report; small requests at a rate that makes the mean
    say something. Above a path the queue of device-mapper may be far longer: the worst layer is named, with the ratio.
    Source: iostat(1), sar(1); limits proposed.
    """
    above = {(one.artifact, one.node) for one in disks.all if not one.is_path}
    for one in disks.all[:SHOWN]:
        if not one.is_path or (one.artifact, one.node) not in above:  # a path is shown with the layer above it
            below, busy = _path_below(one, loads, paths), _busy(records, one.node)
            yield _saturated(one, below, busy, _held_back(glocks, one), glocks, _level(one, loads, limits))


def _saturated(
    slow: SlowDisk,
    path: _Path | None,
    busy: tuple[float, float] | None,
    held: Demote | None,
    glocks: GlockFacts,
    level: str,
) -> Seen:
    worst, times = slow.worst, slow.times
    blocked, waiting = busy or (None, None)
    asking = sorted({wait.node for wait in held.asking if wait.node}) if held else []
    lines = (*slow.refs(), *((path.ref,) if path else ()))
    return Seen(
        level=level,
        words=DeviceWords(
            device=slow.device,
            node=slow.node,
            wait_ms=worst.mean_ms,
            limit_ms=slow.limit_ms,
            samples=slow.rows.height,
            requests=worst.requests,
            sized=worst.kib is not None,
            kib=worst.kib,
            queued=worst.queue is not None,
            queue=worst.queue,
            first=min(times, default=None),
            last=max(times, default=None),
            flash=slow.flash,
            path=path.place if path else None,
            below=path.device if path else None,
            below_ms=path.wait_ms if path else None,
            times=path.times if path else None,
            blocked=blocked,
            waiting=waiting,
            held=glocks.label(held.lock.fs, held.lock.object) if held else None,
            asking=tuple(asking),
            one_asks=len(asking) == 1,
        ),
        lines=lines,
        borne_by=(len(lines), 1),
        nodes=(slow.node,),
        times=times,
        zone_min=worst.zone_min,
        parts=("many" if slow.rows.height >= limits_of("ST-04").samples else "few",),
        causes=("GL-02",) if held and SEVERITIES.index(held.severity) >= SEVERITIES.index(slow.severity) else (),
        weight=worst.mean_ms / 1000,
    )


def _level(slow: SlowDisk, loads: DiskLoads, limits: Limits) -> str:
    """A device that answers very late and was never idle in the samples that count, or whose sisters are quick, needs
    nobody who waited.
    """
    level = slow.severity if slow.gated else f"open-{slow.severity}"
    if slow.worst.mean_ms < limits.busy_ms:
        return level
    util = slow.rows["util"].drop_nulls()
    busy = len(util) == slow.rows.height and min(util.to_list(), default=0.0) >= limits.busy
    return f"busy-{level}" if busy or _is_apart(slow, loads, limits) else level


def _is_apart(slow: SlowDisk, loads: DiskLoads, limits: Limits) -> bool:
    """Whether most of several other devices of the same report were far quicker, as this one was at another time, and
    enough requests went to it.
    """
    worst = slow.worst
    if worst.requests is not None and worst.requests < limits.apart_per_s:
        return False
    beside = (pl.col("artifact") == slow.artifact) & ~pl.col("line").is_in(slow.rows["line"].to_list())
    others = loads.samples.filter(beside).group_by("node", "device").agg(pl.col("mean_ms").max())["mean_ms"].to_list()
    quick = [mean_ms for mean_ms in others if mean_ms * limits.apart <= worst.mean_ms]
    return len(others) >= limits.apart_from and len(quick) * 2 > len(others)


def _held_back(glocks: GlockFacts, slow: SlowDisk) -> Demote | None:
    """The oldest request for a glock that this node is late with because it has data to write first."""
    late = (
        one
        for one in (demotes(glocks) if glocks.any else ())
        if one.reason == "write-back" and one.lock.node == slow.node and one.asking and slow.is_near(one.lock.at)
    )
    return next(late, None)


class _Path(NamedTuple):
    """A path in the sample of a device above it. place: what the tables say of it, and where its queue is; None where
    it tells nothing.
    """

    ref: Ref
    device: str
    wait_ms: float
    times: float
    place: Literal["in-mapper", "below", "beside"] | None


def _path_below(slow: SlowDisk, loads: DiskLoads, paths: DiskPaths) -> _Path | None:
    """The path under a device-mapper device in the same sample: by multipath -ll, else the slowest plain disk beside
    it.
    """
    if slow.is_path or slow.flash:
        return None
    worst = slow.worst
    here = (pl.col("artifact") == slow.artifact) & pl.col("device").str.contains(r"^sd[a-z]{1,3}$")
    same_time = pl.col("at") == worst.at if worst.at is not None else (pl.col("line") - worst.line).abs() <= 200
    samples = loads.samples.filter(here & same_time & (pl.col("mean_ms") > 0))
    if known := paths.under(slow.device):
        samples = samples.filter(pl.col("device").is_in(known))
    if samples.is_empty():
        return None
    row = samples.sort("mean_ms", descending=True).row(0, named=True)
    times = worst.mean_ms / row["mean_ms"]
    faster = times > _IN_MAPPER
    place: Literal["in-mapper", "below", "beside"] | None = (
        ("in-mapper" if faster else "below") if known else "beside" if faster else None
    )
    return _Path(Ref(slow.artifact, row["line"]), row["device"], row["mean_ms"], times, place)


def _busy(records: Records, node: str | None) -> tuple[float, float] | None:
    """The most processes of a node that wait for I/O, and the most per cent of its time."""
    here, least = pl.col("node").eq_missing(pl.lit(node)), limits_of("shown-harm")
    blocked, waiting = (records.frame(metric, here)["value"].max() for metric in (BLOCKED, WAITING))
    if (
        not isinstance(blocked, float)
        or not isinstance(waiting, float)
        or blocked < least.blocked
        or waiting < least.wait_pct
    ):
        return None
    return blocked, waiting


@dataclass(frozen=True, slots=True)
class SeveralWords:
    """A device that several nodes find slow at once."""

    device: str
    nodes: tuple[str, ...]
    wait_ms: float


@dataclass(frozen=True, slots=True)
class WritesWords:
    """Mean waits of a device whose writes take ``ratio`` times as long as its reads."""

    device: str
    node: str | None
    wait_ms: float
    write_ms: float
    read_ms: float
    ratio: float


@rule("ST-10", needs=(SlowDisks, DiskLoads), words=(SeveralWords, WritesWords))
def array_latency(disks: SlowDisks, loads: DiskLoads, limits: Limits) -> Iterator[Seen]:
    """Symptom: the device is healthy for the host, and yet slow.

    Reasoning: the same map is slow on two nodes at once with short local queues; or writes take several times as long
    as reads, as with synchronous replication or a write cache that is off. Source: recalled; limits proposed.
    """
    for device in dict.fromkeys(one.device for one in disks.all):
        here = [one for one in disks.all if one.device == device]
        if seen := _on_several(device, here, limits) or _slow_writes(here, loads, limits):
            yield seen


def _on_several(device: str, here: list[SlowDisk], limits: Limits) -> Seen | None:
    """Only names that mean the same LUN everywhere: not sdc, not dm-4."""
    if re.match(r"(?:sd[a-z]|dm-\d|nvme|c\d+t|ssd\d|vd[a-z])", device):
        return None
    near = [
        one for one in here if (one.worst.queue or 0.0) < limits.local_queue and one.node and one.worst.at is not None
    ]
    nodes = nodes_in(near)
    if len(nodes) < limits.nodes or not _together(near, limits.within_s):
        return None
    return _behind(near, SeveralWords(device, tuple(nodes), _slowest(near).worst.mean_ms), "several")


def _together(near: list[SlowDisk], within_s: float) -> bool:
    first, *others = near
    times = first.times[:MOST_TIMES]
    return any(
        abs(at - other) <= within_s * 1e6
        for one in others
        if one.node != first.node
        for other in one.times
        for at in times
    )


def _slow_writes(here: list[SlowDisk], loads: DiskLoads, limits: Limits) -> Seen | None:
    for one in here:
        if not one.gated:
            continue
        rows = loads.reads_and_writes.filter(
            (pl.col("artifact") == one.artifact)
            & (pl.col("device") == one.device)
            & pl.col("line").is_in(one.rows["line"].to_list())
        )
        ratio = (
            rows.filter(pl.col("read") > 0).select((pl.col("write") / pl.col("read")).median()).item()
            if rows.height
            else None
        )
        if ratio is not None and ratio >= limits.write_read and rows.height >= limits_of("ST-04").samples:
            write, read = (rows.select(pl.col(name).median()).item() for name in ("write", "read"))
            return _behind([one], WritesWords(one.device, one.node, one.worst.mean_ms, write, read, ratio))
    return None


def _slowest(near: Sequence[SlowDisk]) -> SlowDisk:
    return max(near, key=lambda one: one.worst.mean_ms)


def _behind(near: Sequence[SlowDisk], words: SeveralWords | WritesWords, variant: str = "") -> Seen:
    lines = [ref for one in near[:4] for ref in one.refs(2)]
    return Seen(
        level=_slowest(near).severity,
        variant=variant,
        words=words,
        lines=lines,
        borne_by=(len(lines), len(near)),
        nodes={one.node for one in near},
        parts=("hosts",),
        weight=float(words.wait_ms) / 1000 - 0.001,
    )


@dataclass(frozen=True, slots=True)
class JournalWords:
    """Blocked tasks of a node, their names and pids, and how long the kernel says that one of them waits, in
    seconds.
    """

    node: str | None
    tasks: int
    names: tuple[str, ...]
    longest: float


@rule("ST-07", needs=(Records,), words=JournalWords)
def log_flush_slow(records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: processes wait for the journal of GFS2.

    Reasoning: stacks of blocked tasks in gfs2_log_flush, gfs2_log_reserve or __gfs2_trans_begin; how long as the kernel
    says. Source: kernel messages; limits proposed.
    """
    blocked = (
        one
        for one in records.of(Stack, pl.col("seconds").is_not_null())
        if not JOURNAL_WAITS.isdisjoint(one.frames.split())
    )
    for node, found in grouped(blocked, lambda one: one.node).items():
        longest = max(one.seconds or 0.0 for one in found)
        yield Seen(
            level="long" if longest > limits.high_s else "short",
            words=JournalWords(node, len(found), tuple(sorted({f"{one.task}:{one.pid}" for one in found})), longest),
            shown=found,
            most_lines=6,
            borne_by=(len(found), 1),
            parts=("tasks",),
            weight=float(len(found)),
        )
