"""Rules on settings of VxFS: mount options of a cluster mount (R22), the buffer cache for metadata (R25)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Final, NamedTuple

import polars as pl

from apps.diagnosis.engine.core.facts.records import cells, grouped, in_order
from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Advice, Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import HOLDS, Holds, metric, setting
from apps.diagnosis.engine.core.words.wording import node_words
from apps.diagnosis.engine.veritas.cluster import Capture, ClusterFacts
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
    rows = in_order(settings.of(MOUNTS), pl.col("scope").is_not_null())
    of_options = cells(rows, "scope", "node", "name", "value", "holds", "artifact", "line")
    for scope, node, name, value, holds, artifact, line in of_options:
        key, ref = (scope, node), Ref(artifact, line)
        held = found.get(key)
        if name == "status":
            away.add(key)
        if name == "type":
            if value == "vxfs" and (held is None or HOLDS.index(holds) <= HOLDS.index(held.holds)):
                found[key] = _Options(holds, ref)
        elif held is not None and held.ref == ref:
            held.names.add(name)
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


@rule("R25", needs=(ClusterFacts,), words=BufferWords)
def metadata_buffer(cluster: ClusterFacts, limits: Limits) -> Iterator[Seen]:
    """Symptom: directory and inode reads go to disk again and again.

    Reasoning: the buffer cache for metadata stands at its maximum and misses often, over a number of lookups that tells
    something. Source: manual page of vxfs_bc_bufhwm; the limits are proposed.
    """
    for node, samples in grouped(_short_samples(cluster, limits), lambda one: one.of.node).items():
        worst = min(samples, key=lambda one: one.hit)
        repeated = sum(one.of.interval_s is not None for one in samples) > 1
        value = round(worst.maximum * STEP / ROUND_KB) * ROUND_KB
        lines = tuple(dict.fromkeys(ref for one in [worst, *samples][:3] for ref in one.of.refs(*one.of.values)))[:6]
        yield Seen(
            level="repeated" if repeated else "once",
            words=BufferWords(
                node,
                worst.current,
                worst.maximum,
                worst.current / worst.maximum,
                worst.hit,
                worst.lookups,
                len(samples),
            ),
            lines=lines,
            nodes=(node,),
            times=(worst.of.at,),
            zone_min=worst.of.zone_min,
            borne_by=(len(lines), 1),
            parts=() if repeated else ("once",),
            advice=(Advice("vxfs-bc-bufhwm", None, (("value", str(value)),)),),
        )


class _Buffer(NamedTuple):
    of: Capture
    current: float
    maximum: float
    hit: float
    lookups: float


def _short_samples(cluster: ClusterFacts, limits: Limits) -> Iterator[_Buffer]:
    """Samples of ``vxfsstat -b`` in which the cache is full and misses often."""
    for captures in cluster.captures(BUFFER_CACHE).values():
        for one in captures:
            current, maximum, hit, lookups = (one.get(name) for name in BUFFERS)
            if current is None or maximum is None or hit is None or lookups is None:
                continue
            if current >= limits.used / 100 * maximum > 0 and hit < limits.hit and lookups > limits.lookups:
                yield _Buffer(one, current, maximum, hit, lookups)
