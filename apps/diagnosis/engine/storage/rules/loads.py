"""Rules on disks as the hosts saw them: slow answers over several samples, and slow answers whose cause lies behind the paths."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from apps.diagnosis.engine.core.knowledge import limits as limits_of
from apps.diagnosis.engine.core.model import SEVERITIES, Figure, Part, Ref, Severity, comparable
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.core.wording import count, listed, moment, plural
from apps.diagnosis.engine.gfs2.cluster import JOURNAL_WAITS
from apps.diagnosis.engine.gfs2.demotes import demotes
from apps.diagnosis.engine.storage.disk_loads import KEYS, DiskLoads
from apps.diagnosis.engine.storage.disk_paths import DiskPaths
from apps.diagnosis.engine.storage.harm import BLOCKED, WAITING
from parsers.records import Stack

if TYPE_CHECKING:
    from apps.diagnosis.engine.core.knowledge import Limits
    from apps.diagnosis.engine.facts import CaseFacts

_FLASH: Final = re.compile(r"nvme|ssd(?!\d)")
_PATH: Final = re.compile(r"(?:sd[a-z]{1,3}|ssd\d+|c\d+t\w+d\d+)$")
SHOWN: Final = 8
NEAR_US: Final = 600_000_000


@dataclass(frozen=True, slots=True)
class Slow:
    """A device that answered slowly in consecutive samples, at its worst level."""

    artifact: int
    node: str | None
    device: str
    severity: Severity
    limit_ms: float
    gated: bool
    rows: pl.DataFrame

    @property
    def worst(self) -> dict[str, Any]:
        """The sample with the longest mean wait."""
        return self.rows.sort("mean_ms", descending=True).row(0, named=True)

    def refs(self, most: int = 4) -> tuple[Ref, ...]:
        """The worst samples, in the order of the text."""
        lines = sorted(self.rows.sort("mean_ms", descending=True).head(most)["line"].to_list())
        return tuple(Ref(self.artifact, line) for line in lines)


def slow_devices(facts: CaseFacts) -> list[Slow]:
    """Devices over a level of ST-04, each at its most severe one, longest mean wait first."""
    limits = limits_of("ST-04")
    samples = facts.get(DiskLoads).samples
    if samples.is_empty():
        return []
    found: dict[tuple[int, str | None, str], Slow] = {}
    flash = pl.col("device").str.contains(_FLASH.pattern.replace("(?!\\d)", "$"))
    gate = (pl.col("kib") <= limits.gate_kib) & (pl.col("count") >= limits.gate_per_s)
    levels: tuple[tuple[Severity, bool, float, float], ...] = (
        ("critical", True, limits.critical_ms, limits.flash_critical_ms),
        ("high", True, limits.high_ms, limits.flash_high_ms),
        ("high", False, limits.open_high_ms, limits.flash_open_high_ms),
        ("medium", True, limits.medium_ms, limits.flash_medium_ms),
        ("medium", False, limits.open_medium_ms, limits.flash_open_medium_ms),
    )
    for severity, gated, disk_ms, flash_ms in levels:
        limit = pl.when(flash).then(flash_ms).otherwise(disk_ms)
        over = samples.filter((pl.col("mean_ms") > limit) & (gate.fill_null(False) if gated else pl.lit(True)))
        for slow in _runs(over, severity, gated, limits, disk_ms, flash_ms):
            found.setdefault((slow.artifact, slow.node, slow.device), slow)
    return sorted(found.values(), key=lambda slow: -slow.worst["mean_ms"])


def _runs(over: pl.DataFrame, severity: Severity, gated: bool, limits: Limits, disk_ms: float, flash_ms: float) -> Iterator[Slow]:
    """Enough consecutive samples, or one average over a long time."""
    if over.is_empty():
        return
    stretch = (pl.col("number").cast(pl.Int64) - pl.col("line").cum_count().over(KEYS).cast(pl.Int64)).alias("stretch")
    over = over.sort("artifact", "line").with_columns(stretch)
    size = pl.len().over(*KEYS, "stretch")
    long = pl.col("interval_s").fill_null(0.0) >= limits.long_s
    kept = over.filter((size >= limits.samples) | long)
    for (artifact, node, device), rows in kept.group_by(KEYS, maintain_order=True):
        limit = flash_ms if _FLASH.search(str(device)) else disk_ms
        yield Slow(int(str(artifact)), node if node is None else str(node), str(device), severity, limit, gated, rows)


@rule("ST-04")
def device_saturated(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: reads and writes take long while the device has work to do.

    Reasoning: mean wait over consecutive samples behind the first report; small requests at a rate that makes the mean say something.
    Above a path the queue of device-mapper may be far longer: the worst layer is named, with the ratio.
    Source: iostat(1), sar(1); limits proposed.
    """
    slow = slow_devices(facts)
    below = [one for one in slow if _PATH.match(one.device)]
    for one in slow[:SHOWN]:
        if one in below and any(other not in below and (other.artifact, other.node) == (one.artifact, one.node) for other in slow):
            continue  # the layer above it is told, with this one beside it
        yield _slow_draft(facts, one, limits)


def _slow_draft(facts: CaseFacts, slow: Slow, limits: Limits) -> Draft:
    worst = slow.worst
    path = _path_below(facts, slow)
    times = slow.rows["at"].drop_nulls()
    evidence = (*slow.refs(), *((Ref(slow.artifact, path["line"]),) if path else ()))
    waiting = _blocked(facts, slow.node)
    held = _held_back(facts, slow)
    return Draft(
        severity=slow.severity,
        variant="" if slow.gated else "open",
        evidence=evidence,
        words={
            "device": slow.device,
            "node": slow.node or "a node whose name is not shown",
            "iops": count(worst["count"] or 0),
            "await": f"{worst['mean_ms']:.1f}",
            "samples": slow.rows.height,
            "size": f"{worst['kib']:.1f} KiB" if worst["kib"] is not None else "unknown size",
            "queue": f", {worst['queue']:.1f} in the queue" if worst["queue"] is not None else "",
            "when": f", from {moment(times.min())} to {moment(times.max())}" if times.len() else "",  # type: ignore[arg-type]
            "path": _path_words(slow, path),
            "class": "flash" if _FLASH.search(slow.device) else "a disk or SAN (the class of the device is not known)",
            "support": waiting,
            "chain": held[0] if held else "",
        },
        nodes=(slow.node,) if slow.node else (),
        start=times.min(),  # type: ignore[arg-type]
        end=times.max(),  # type: ignore[arg-type]
        zone_min=worst["zone_min"],
        figures=(
            Figure("Mean wait", round(worst["mean_ms"], 2), "ms", f"limit {slow.limit_ms:g} ms"),
            *((Figure("Requests", round(worst["count"], 2), "/s"),) if worst["count"] is not None else ()),
            *(
                (Figure("Mean size of a request", round(worst["kib"], 2), "KiB", limits.words("gate_kib")),)
                if worst["kib"] is not None
                else ()
            ),
            *((Figure("Length of the queue", round(worst["queue"], 2)),) if worst["queue"] is not None else ()),
            Figure("Samples over the limit", slow.rows.height),
            *((Figure("Slower than its path, times", round(worst["mean_ms"] / path["mean_ms"], 1)),) if path else ()),
        ),
        parts=(
            evidence_part(len(evidence), 1),
            Part("completeness", 0.95 if slow.rows.height >= limits.samples else 0.8, f"{slow.rows.height} samples"),
        ),
        causes=("GL-02",) if held and held[1] >= SEVERITIES.index(slow.severity) else (),
        tunings=("block-read-ahead", "io-scheduler", "writeback-limits") if slow.severity != "medium" else ("io-scheduler",),
        weight=float(worst["mean_ms"]) / 1000,
    )


def _held_back(facts: CaseFacts, slow: Slow) -> tuple[str, int] | None:
    """Glocks that this node is late with because it has data to write first: as words, with the place of the worst one's severity."""
    late = [
        one for one in (demotes(facts.glocks) if facts.glocks.any else ())
        if one.reason == "write-back" and one.lock.node == slow.node and one.asking and _is_near(slow, one.lock.at)
    ]  # fmt: skip
    if not late:
        return None
    oldest = late[0]
    asking = sorted({wait.node for wait in oldest.asking if wait.node})
    words = f"; {slow.node} has to write before it gives up {facts.glocks.label(oldest.lock.fs, oldest.lock.object)}, and "
    words += f"{listed(asking) or 'other nodes'} {'waits' if len(asking) == 1 else 'wait'} for it"
    return words, SEVERITIES.index(oldest.severity)


def _is_near(slow: Slow, at: int | None) -> bool:
    """Whether a dump may be of that time; one without a time may."""
    first, last = slow.rows["at"].min(), slow.rows["at"].max()
    if at is None or not isinstance(first, int) or not isinstance(last, int) or not comparable(at, first):
        return True
    return first - NEAR_US <= at <= last + NEAR_US


def _path_below(facts: CaseFacts, slow: Slow) -> dict[str, Any] | None:
    """The path under a device-mapper device in the same sample: by multipath -ll, else the slowest plain disk beside it."""
    if _PATH.match(slow.device) or _FLASH.search(slow.device):
        return None
    worst = slow.worst
    samples = facts.get(DiskLoads).samples.filter((pl.col("artifact") == slow.artifact) & pl.col("device").str.contains(r"^sd[a-z]{1,3}$"))
    same_time = pl.col("at") == worst["at"] if worst["at"] is not None else (pl.col("line") - worst["line"]).abs() <= 200
    samples = samples.filter(same_time & (pl.col("mean_ms") > 0))
    known = facts.get(DiskPaths).under(slow.device)
    if known:
        samples = samples.filter(pl.col("device").is_in(known))
    return {**samples.sort("mean_ms", descending=True).row(0, named=True), "known": bool(known)} if samples.height else None


def _path_words(slow: Slow, path: dict[str, Any] | None) -> str:
    if path is None:
        return ""
    ratio = slow.worst["mean_ms"] / path["mean_ms"]
    if path["known"]:
        where = ": the queue is in device-mapper" if ratio > 2 else ""
        return f" Below it {path['device']} answered in {path['mean_ms']:.1f} ms at that time, {ratio:.1f} times as fast{where}."
    if ratio <= 2:
        return ""
    return (
        f" The slowest plain disk beside it, {path['device']}, answered in {path['mean_ms']:.1f} ms, {ratio:.1f} times "
        f"as fast: if it lies below, "
        "the queue is in device-mapper."
    )


def _blocked(facts: CaseFacts, node: str | None) -> str:
    """vmstat of the node: processes that wait for I/O."""
    here = pl.col("node").eq_missing(pl.lit(node))
    blocked, waiting = (facts.records.frame(metric, here)["value"].max() for metric in (BLOCKED, WAITING))
    if not isinstance(blocked, float) or not isinstance(waiting, float) or blocked < 2 or waiting < 20:
        return ""
    return f" vmstat of the node shows up to {blocked:g} blocked processes and {waiting:g} % waiting for I/O."


@rule("ST-10")
def array_latency(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: the device is healthy for the host, and yet slow.

    Reasoning: the same map is slow on two nodes at once with short local queues; or writes take several times as long as reads, as with
    synchronous replication or a write cache that is off.
    Source: recalled; limits proposed.
    """
    slow = slow_devices(facts)
    for device in dict.fromkeys(one.device for one in slow):
        here = [one for one in slow if one.device == device]
        draft = _on_several(device, here, limits) or _slow_writes(facts, here, limits)
        if draft is not None:
            yield draft


def _on_several(device: str, here: list[Slow], limits: Limits) -> Draft | None:
    """Only names that mean the same LUN everywhere: not sdc, not dm-4."""
    if re.match(r"(?:sd[a-z]|dm-\d|nvme|c\d+t|ssd\d|vd[a-z])", device):
        return None
    near = [one for one in here if (one.worst["queue"] or 0.0) < limits.local_queue and one.node and one.worst["at"] is not None]
    nodes = sorted({one.node for one in near if one.node})
    if len(nodes) < limits.nodes or not _together(near, limits.within_s):
        return None
    return _behind(device, near, "several", listed(nodes), limits)


def _together(near: list[Slow], within_s: float) -> bool:
    first, *others = near
    times = first.rows["at"].drop_nulls().to_list()
    return any(
        abs(at - other) <= within_s * 1e6
        for one in others
        if one.node != first.node
        for other in one.rows["at"].drop_nulls()
        for at in times[:500]
    )


def _slow_writes(facts: CaseFacts, here: list[Slow], limits: Limits) -> Draft | None:
    for one in here:
        if not one.gated:
            continue
        rows = facts.get(DiskLoads).reads_and_writes.filter(
            (pl.col("artifact") == one.artifact) & (pl.col("device") == one.device) & pl.col("line").is_in(one.rows["line"].to_list())
        )
        ratio = rows.filter(pl.col("read") > 0).select((pl.col("write") / pl.col("read")).median()).item() if rows.height else None
        if ratio is not None and ratio >= limits.write_read and rows.height >= limits_of("ST-04").samples:
            return _behind(one.device, [one], "", one.node or "a node whose name is not shown", limits, ratio, rows)
    return None


def _behind(
    device: str, near: list[Slow], variant: str, nodes: str, limits: Limits, ratio: float | None = None, rows: pl.DataFrame | None = None
) -> Draft:
    worst = max((one for one in near), key=lambda one: one.worst["mean_ms"])
    write, read = (rows["write"].median(), rows["read"].median()) if rows is not None else (None, None)
    evidence = tuple(ref for one in near[:4] for ref in one.refs(2))
    return Draft(
        severity=worst.severity,
        variant=variant,
        evidence=evidence,
        words={
            "device": device,
            "nodes": nodes,
            "await": f"{worst.worst['mean_ms']:.1f}",
            "write": f"{write:.1f}" if isinstance(write, float) else "",
            "read": f"{read:.1f}" if isinstance(read, float) else "",
            "ratio": f"{ratio:.1f}" if ratio else "",
        },
        nodes=tuple(sorted({one.node for one in near if one.node})),
        figures=(
            Figure("Mean wait", round(worst.worst["mean_ms"], 2), "ms"),
            *((Figure("Writes against reads, times", round(ratio, 2), "", limits.words("write_read")),) if ratio else ()),
        ),
        parts=(evidence_part(len(evidence), len(near)), Part("completeness", 0.6, "no figure of the array itself is here")),
        weight=float(worst.worst["mean_ms"]) / 1000 - 0.001,
    )


@rule("ST-07")
def log_flush_slow(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: processes wait for the journal of GFS2.

    Reasoning: stacks of blocked tasks in gfs2_log_flush, gfs2_log_reserve or __gfs2_trans_begin; how long as the kernel says.
    Source: kernel messages; limits proposed.
    """
    if not facts.facts.has(Stack):
        return
    rows = facts.named(facts.facts.frame(Stack)).filter(pl.col("seconds").is_not_null()).sort("artifact", "line")
    hits = [row for row in rows.iter_rows(named=True) if any(name in row["frames"].split() for name in JOURNAL_WAITS)]
    by_node: dict[str | None, list[dict[str, Any]]] = {}
    for row in hits:
        by_node.setdefault(row["node"], []).append(row)
    for node, found in by_node.items():
        longest = max(row["seconds"] for row in found)
        yield Draft(
            severity="high" if longest > limits.high_s else "medium",
            evidence=tuple(Ref(row["artifact"], row["line"]) for row in found[:6]),
            words={
                "node": node or "a node whose name is not shown",
                "tasks": plural(len(found), "blocked task waits", "blocked tasks wait"),
                "names": listed(sorted({f"{row['task']}:{row['pid']}" for row in found}), 4),
                "longest": f"{longest:g}",
            },
            nodes=(node,) if node else (),
            start=min((row["at"] for row in found if row["at"] is not None), default=None),
            end=max((row["at"] for row in found if row["at"] is not None), default=None),
            zone_min=found[0]["zone_min"],
            figures=(Figure("Blocked tasks", len(found)), Figure("Blocked for more than", longest, "s", limits.words("high_s"))),
            parts=(evidence_part(len(found), 1), Part("completeness", 0.7, "the flush itself is not timed here")),
            weight=float(len(found)),
        )
