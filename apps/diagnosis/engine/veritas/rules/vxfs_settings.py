"""Rules on settings of VxFS: mount options of a cluster mount (R22), the buffer cache for metadata (R25)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import polars as pl

from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.model import Advice, Figure, Part, Ref
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.core.wording import count, listed
from apps.diagnosis.engine.facts import CaseFacts
from parsers.records import Counter

SOURCES: Final = ("mount", "mount table", "fstab")  # what holds now goes before what holds after the next mount
WANTED: Final = {"noatime": "noatime-vxfs", "nomtime": "nomtime"}
STEP: Final = 1.5
ROUND_KB: Final = 1024


@dataclass(slots=True)
class _Options:
    """Options of one mount on one node, by the best source."""

    source: str
    ref: Ref
    names: set[str] = field(default_factory=set)


def _cluster_mounts(facts: CaseFacts) -> dict[str, dict[str | None, _Options]]:
    """Options of cluster mounts of VxFS: by mount, then by node."""
    found: dict[tuple[str, str | None], _Options] = {}
    rows = facts.settings.filter(pl.col("source").is_in(SOURCES) & pl.col("scope").is_not_null())
    for row in rows.select("scope", "node", "source", "name", "value", "artifact", "line").iter_rows(named=True):
        key = (row["scope"], row["node"])
        held = found.get(key)
        if row["name"] == "type":
            if row["value"] == "vxfs" and (held is None or SOURCES.index(row["source"]) <= SOURCES.index(held.source)):
                found[key] = _Options(row["source"], Ref(row["artifact"], row["line"]))
        elif held is not None and held.ref == Ref(row["artifact"], row["line"]):
            held.names.add(row["name"])
    mounts: dict[str, dict[str | None, _Options]] = {}
    for (scope, node), options in found.items():
        if "cluster" in options.names:
            mounts.setdefault(scope, {})[node] = options
    return mounts


@rule("R22")
def mount_options(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: walks over a cluster mount move more locks than they need to.

    Reasoning: without noatime each read dates the inode, without nomtime each write is dated at once on all nodes.
    Source: Veritas InfoScale article 100031805; article on the two mount options.
    """
    for scope, by_node in _cluster_mounts(facts).items():
        lacking = {node: [name for name in WANTED if name not in options.names] for node, options in by_node.items()}
        absent = [name for name in WANTED if any(name in names for names in lacking.values())]
        if not absent:
            continue
        nodes = sorted({node for node, names in lacking.items() if node is not None and names})
        evidence = tuple(by_node[node].ref for node, names in lacking.items() if names)[:6]
        sources = {by_node[node].source for node, names in lacking.items() if names}
        yield Draft(
            severity="low",
            evidence=evidence,
            words={
                "scope": scope,
                "absent": listed(absent),
                "nodes": f" on {listed(nodes)}" if nodes else "",
                "mtime": MTIME if "nomtime" in absent else "",
                "later": "" if sources == {"mount"} else " What is in force now is not shown for all of them: mount -v tells.",
            },
            nodes=tuple(nodes),
            parts=(
                evidence_part(len(evidence), len(nodes)),
                Part(
                    "completeness", 1.0 if sources == {"mount"} else 0.7, "options as mounted" if sources == {"mount"} else "from a table"
                ),
            ),
            tunings=tuple(WANTED[name] for name in absent),
            advice=tuple(
                Advice(WANTED[name], scope, lacking=tuple(sorted(node or "a node not named" for node in lacking if name in lacking[node])))
                for name in absent
            ),
        )


MTIME: Final = " With nomtime the time of change is seen late on other nodes: an incremental backup there can miss changes."


@rule("R25")
def metadata_buffer(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: directory and inode reads go to disk again and again.

    Reasoning: the buffer cache for metadata stands at its maximum and misses often, over a number of lookups that tells something.
    Source: manual page of vxfs_bc_bufhwm; the limits are proposed.
    """
    hits: dict[str | None, list[dict[str, Any]]] = {}
    for sample in _buffer_samples(facts):
        if _is_short(sample, limits):
            hits.setdefault(sample["node"], []).append(sample)
    for node, samples in hits.items():
        worst = min(samples, key=lambda sample: float(sample["hit rate"]))
        repeated = sum(sample["interval_s"] is not None for sample in samples) > 1
        value = round(worst["Kbyte maximum"] * STEP / ROUND_KB) * ROUND_KB
        evidence: tuple[Ref, ...] = tuple(dict.fromkeys(ref for sample in [worst, *samples][:3] for ref in sample["refs"]))[:6]
        yield Draft(
            severity="medium" if repeated else "low",
            evidence=evidence,
            words={
                "node": node or "a node whose name is not shown",
                "current": count(worst["Kbyte current"]),
                "maximum": count(worst["Kbyte maximum"]),
                "hit": f"{worst['hit rate']:.1f}",
                "lookups": count(worst["lookups"]),
            },
            nodes=(node,) if node else (),
            start=worst["at"],
            end=worst["at"],
            zone_min=worst["zone_min"],
            figures=(
                Figure("Cache in use", round(100 * worst["Kbyte current"] / worst["Kbyte maximum"], 1), "%", limits.words("used")),
                Figure("Hit rate", worst["hit rate"], "%", limits.words("hit")),
                Figure("Lookups", worst["lookups"], "", limits.words("lookups")),
            ),
            parts=(evidence_part(len(evidence), 1), Part("completeness", 1.0 if repeated else 0.7, f"{len(samples)} samples say so")),
            advice=(Advice("vxfs-bc-bufhwm", None, (("value", str(value)),)),),
        )


def _is_short(sample: dict[str, Any], limits: Limits) -> bool:
    needed = ("Kbyte current", "Kbyte maximum", "hit rate", "lookups")
    if any(sample.get(name) is None for name in needed):
        return False
    full = sample["Kbyte current"] >= limits.used / 100 * sample["Kbyte maximum"] > 0
    return bool(full and sample["hit rate"] < limits.hit and sample["lookups"] > limits.lookups)


def _buffer_samples(facts: CaseFacts) -> Iterator[dict[str, Any]]:
    """Samples of ``vxfsstat -b``: figures by name, with node, time and lines."""
    if not facts.facts.has(Counter):
        return
    rows = facts.named(facts.facts.scan(Counter).filter(pl.col("source") == "vxfsstat -b").collect()).sort("artifact", "line")
    samples: dict[tuple[int, int], dict[str, Any]] = {}
    for row in rows.iter_rows(named=True):
        place = {key: row[key] for key in ("node", "at", "zone_min", "interval_s")}
        sample = samples.setdefault((row["artifact"], row["sample"]), {**place, "refs": []})
        sample[row["name"]] = row["value"]
        sample["refs"].append(Ref(row["artifact"], row["line"]))
    yield from samples.values()
