"""Rules on settings of VxFS: mount options of a cluster mount (R22), the buffer cache for metadata (R25)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any, Final

import polars as pl

from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.metrics import HOLDS, Holds, metric, setting
from apps.diagnosis.engine.core.model import Advice, Ref
from apps.diagnosis.engine.core.records import Records, in_order
from apps.diagnosis.engine.core.registry import rule
from apps.diagnosis.engine.core.seen import Seen
from apps.diagnosis.engine.core.settings import Settings
from apps.diagnosis.engine.core.wording import node_words
from parsers.dataclass import dataclass

MOUNTS: Final = setting("mount-options")
BUFFER_CACHE: Final = metric("vxfs-buffer-cache")
WANTED: Final = {"noatime": "noatime-vxfs", "nomtime": "nomtime"}
BUFFERS: Final = ("Kbyte current", "Kbyte maximum", "hit rate", "lookups")
STEP: Final = 1.5
ROUND_KB: Final = 1024


@dataclass(slots=True)
class _Options:
    """Options of one mount on one node, by the best table: what holds now goes before what holds after the
    next mount.
    """

    holds: Holds
    ref: Ref
    names: set[str] = field(default_factory=set)


def _cluster_mounts(settings: Settings) -> dict[str, dict[str | None, _Options]]:
    """Options of cluster mounts of VxFS: by mount, then by node. What a node is shown not to have mounted is left out:
    there is nothing to remount.
    """
    away: set[tuple[str, str | None]] = set()
    found: dict[tuple[str, str | None], _Options] = {}
    for row in in_order(settings.of(MOUNTS), pl.col("scope").is_not_null()).iter_rows(named=True):
        key = (row["scope"], row["node"])
        held = found.get(key)
        if row["name"] == "status":
            away.add(key)
        if row["name"] == "type":
            if row["value"] == "vxfs" and (held is None or HOLDS.index(row["holds"]) <= HOLDS.index(held.holds)):
                found[key] = _Options(row["holds"], Ref(row["artifact"], row["line"]))
        elif held is not None and held.ref == Ref(row["artifact"], row["line"]):
            held.names.add(row["name"])
    mounts: dict[str, dict[str | None, _Options]] = {}
    for (scope, node), options in found.items():
        if "cluster" in options.names and (options.holds == "now" or (scope, node) not in away):
            mounts.setdefault(scope, {})[node] = options
    return mounts


@dataclass(frozen=True, slots=True)
class OptionWords:
    """absent: options that a node lacks; mtime: nomtime is one of them; in_force: all are options as mounted, not of a
    table.
    """

    scope: str
    absent: tuple[str, ...]
    nodes: tuple[str, ...]
    mtime: bool
    in_force: bool


@rule("R22", needs=(Settings,), words=OptionWords)
def mount_options(settings: Settings, limits: Limits) -> Iterator[Seen]:
    """Symptom: walks over a cluster mount move more locks than they need to.

    Reasoning: without noatime each read dates the inode, without nomtime each write is dated at once on all nodes.
    Source: Veritas InfoScale article 100031805; article on the two mount options.
    """
    for scope, by_node in _cluster_mounts(settings).items():
        lacking = {node: [name for name in WANTED if name not in options.names] for node, options in by_node.items()}
        short = {node: names for node, names in lacking.items() if names}
        if short:
            yield _absent(scope, short, [by_node[node] for node in short])


def _absent(scope: str, short: dict[str | None, list[str]], options: list[_Options]) -> Seen:
    """``short``: options that each node lacks."""
    absent = tuple(name for name in WANTED if any(name in names for names in short.values()))
    in_force = all(one.holds == "now" for one in options)
    nodes = tuple(sorted(node for node in short if node is not None))
    lines = tuple(one.ref for one in options)[:6]
    return Seen(
        level="absent",
        words=OptionWords(scope, absent, nodes, "nomtime" in absent, in_force),
        lines=lines,
        nodes=nodes,
        borne_by=(len(lines), len(nodes)),
        parts=("mounted" if in_force else "table",),
        tunings=tuple(WANTED[name] for name in absent),
        advice=tuple(Advice(WANTED[name], scope, lacking=_lacking(short, name)) for name in absent),
    )


def _lacking(short: dict[str | None, list[str]], name: str) -> tuple[str, ...]:
    return tuple(sorted(node_words([node]) for node, names in short.items() if name in names))


@dataclass(frozen=True, slots=True)
class BufferWords:
    """Kbytes of the cache, share of it in use; hit: per cent of the lookups."""

    node: str | None
    current: float
    maximum: float
    used: float
    hit: float
    lookups: float
    samples: int


@rule("R25", needs=(Records,), words=BufferWords)
def metadata_buffer(records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: directory and inode reads go to disk again and again.

    Reasoning: the buffer cache for metadata stands at its maximum and misses often, over a number of lookups that tells
    something. Source: manual page of vxfs_bc_bufhwm; the limits are proposed.
    """
    hits: dict[str | None, list[dict[str, Any]]] = {}
    for sample in _buffer_samples(records):
        if _is_short(sample, limits):
            hits.setdefault(sample["node"], []).append(sample)
    for node, samples in hits.items():
        worst = min(samples, key=lambda sample: float(sample["hit rate"]))
        repeated = sum(sample["interval_s"] is not None for sample in samples) > 1
        current, maximum, hit, lookups = (worst[name] for name in BUFFERS)
        value = round(maximum * STEP / ROUND_KB) * ROUND_KB
        lines = tuple(dict.fromkeys(ref for sample in [worst, *samples][:3] for ref in sample["refs"]))[:6]
        yield Seen(
            level="repeated" if repeated else "once",
            words=BufferWords(node, current, maximum, current / maximum, hit, lookups, len(samples)),
            lines=lines,
            nodes=(node,),
            times=(worst["at"],),
            zone_min=worst["zone_min"],
            borne_by=(len(lines), 1),
            parts=() if repeated else ("once",),
            advice=(Advice("vxfs-bc-bufhwm", None, (("value", str(value)),)),),
        )


def _is_short(sample: dict[str, Any], limits: Limits) -> bool:
    current, maximum, hit, lookups = (sample.get(name) for name in BUFFERS)
    if current is None or maximum is None or hit is None or lookups is None:
        return False
    full = current >= limits.used / 100 * maximum > 0
    return bool(full and hit < limits.hit and lookups > limits.lookups)


def _buffer_samples(records: Records) -> Iterator[dict[str, Any]]:
    """Samples of ``vxfsstat -b``: figures by name, with node, time and lines."""
    samples: dict[tuple[int, int], dict[str, Any]] = {}
    for row in records.frame(BUFFER_CACHE).iter_rows(named=True):
        place = {key: row[key] for key in ("node", "at", "zone_min", "interval_s")}
        sample = samples.setdefault((row["artifact"], row["sample"]), {**place, "refs": []})
        sample[row["name"]] = row["value"]
        sample["refs"].append(Ref(row["artifact"], row["line"]))
    yield from samples.values()
