"""Rule on the latency under a Veritas file system: volumes, disks and paths that answer slowly (R27)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from statistics import median

from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.storage.disk_latency import Device, DiskTimes, peers
from apps.diagnosis.engine.storage.risen_times import RisenTime, RisenTimes
from apps.diagnosis.engine.veritas.files import VeritasFiles
from apps.diagnosis.engine.veritas.slow_commands import SlowRuns
from parsers.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class LatencyWords:
    """Times are ms; size: bytes of a mean request. slow: of so many intervals (of) those above the limit. usual: median
    of the others.

    figures: worst_shown, slow_shown, size_shown, mean and ratio, each None where another wording is chosen.
    """

    device: str
    node: str | None
    source: str
    of_volume: bool
    worst: float
    size: float | None
    slow: int
    of: int
    worst_shown: float | None = None
    slow_shown: int | None = None
    size_shown: float | None = None
    mean: float | None = None
    usual: float | None = None
    ratio: float | None = None
    others: int = 0


@dataclass(frozen=True, slots=True)
class RisenWords:
    """Times are ms: up to the earlier look, and of the operations behind it; rise: how many times as long."""

    device: str
    node: str | None
    source: str
    of_volume: bool
    before: float
    since: float
    rise: float
    operations: float


@rule("R27", needs=(VeritasFiles, DiskTimes, RisenTimes, SlowRuns), words=(LatencyWords, RisenWords))
def volume_latency(
    files: VeritasFiles, times: DiskTimes, risen: RisenTimes, runs: SlowRuns, limits: Limits
) -> Iterator[Seen]:
    """Symptom: commands are slow on one node, or locks move slowly because their holder waits for its disk.

    Reasoning: mean times of a volume, disk or path over intervals under load, above the limit or far above its peers,
    or far above those up to an earlier look.
    Source: vxstat(1M); the limits are proposed, that slow disks are the commonest cause is recalled.
    """
    if not files.are_there:
        return
    found = times.devices(limits)
    beside = defaultdict[object, list[Device]](list)
    for device in found:
        beside[device.report].append(device)
    rises = risen.devices(limits)
    rose = {(one.node, one.source, one.device) for one in rises}
    open_ones = [one for one in found if not (one.since_start and (*one.report, one.device) in rose)]
    seen = [one for device in open_ones if (one := _judged(beside[device.report], device, runs, limits)) is not None]
    yield from [*(_rise(one, limits) for one in rises), *seen][: int(limits.most)]


def _rise(one: RisenTime, limits: Limits) -> Seen:
    """What counts since the start and rose says more than the same figures without the earlier look."""
    rise = one.since_ms / one.before_ms
    return Seen(
        level="risen",
        words=RisenWords(
            one.device, one.node, one.source, one.of_volume, one.before_ms, one.since_ms, rise, one.operations
        ),
        lines=one.refs,
        nodes=(one.node,),
        times=(one.at,),
        zone_min=one.zone_min,
        borne_by=(len(one.refs), 1),
        parts=("two_looks",),
        harm="risen" if one.since_ms > limits.very_slow_ms else "",
        weight=one.since_ms / 1000,
    )


def _judged(beside: list[Device], one: Device, runs: SlowRuns, limits: Limits) -> Seen | None:
    """Slow by itself, or against its peers: a single slow interval in which its peers were quick tells more by them."""
    slow, apart = _slow(one, runs, limits), _apart(beside, one, limits)
    return apart if apart is not None and (slow is None or slow.level in ("slow_once", "since_start")) else slow


def _level(one: Device, runs: SlowRuns, limits: Limits) -> str:
    """Several intervals are medium, and so is a glaring one where no other is shown; high needs measured harm beside a
    very slow device.
    """
    if one.since_start:
        return "since_start"
    if one.slow < 2:
        return "slow" if one.intervals == 1 and one.worst_ms >= limits.glaring_ms else "slow_once"
    harmed = one.very_slow_in_a_row >= limits.in_a_row or bool(runs.all)
    return "very_slow" if one.worst_ms > limits.very_slow_ms and harmed else "slow"


def _words(one: Device) -> LatencyWords:
    of = one.intervals
    return LatencyWords(one.device, one.node, one.source, one.of_volume, one.worst_ms, one.size, one.slow, of)


def _slow(one: Device, runs: SlowRuns, limits: Limits) -> Seen | None:
    if not one.slow:
        return None
    level = _level(one, runs, limits)
    lines = (*one.refs, *(run.run.ref for run in runs.all[:1] if level == "very_slow"))
    return Seen(
        level=level,
        words=replace(_words(one), worst_shown=one.worst_ms, slow_shown=one.slow, size_shown=one.size or None),
        lines=lines,
        nodes=(one.node,),
        times=(one.at,),
        zone_min=one.zone_min,
        borne_by=(len(lines), 1),
        parts=("since_start" if one.since_start else "once" if one.slow < 2 else "often",),
        harm="requests" if level != "slow_once" and one.worst_ms > limits.very_slow_ms and not one.since_start else "",
        weight=one.worst_ms / 1000,
    )


def _apart(found: list[Device], one: Device, limits: Limits) -> Seen | None:
    """Far slower than its peers under like load, though below the limit; since the start only above it."""
    others = [] if one.since_start and not one.slow else peers(found, one, limits)
    if not others or one.mean_ms < limits.least_ms:
        return None
    usual = median(other.mean_ms for other in others)
    if not usual or one.mean_ms < (limits.apart_since_start if one.since_start else limits.apart) * usual:
        return None
    lines = (*one.refs[:2], *(other.refs[0] for other in others[:2]))
    return Seen(
        level="apart" if one.intervals > 1 or one.slow else "apart_once",
        harm="apart" if one.intervals > 1 or one.slow else "",
        words=replace(_words(one), mean=one.mean_ms, usual=usual, ratio=one.mean_ms / usual, others=len(others)),
        lines=lines,
        nodes=(one.node,),
        times=(one.at,),
        zone_min=one.zone_min,
        borne_by=(len(lines), 1),
        parts=("peers",),
        weight=one.mean_ms / 1000,
    )
