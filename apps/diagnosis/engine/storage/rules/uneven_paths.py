"""A rule on nodes that see one disk over fewer paths than the others."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from parsers.dataclass import dataclass
from parsers.records import Setting
from parsers.records.states import DiskPath

# Names that each node gives in the order in which it found its disks: the same one is another disk elsewhere.
OWN_NAMES: Final = re.compile(
    r"mpath[a-z]{1,4}$|mpath\d{1,4}$|dm-\d|sd[a-z]|hdisk\d|Disk_\d|disk_\d|c\d+t", re.IGNORECASE
)
MOST: Final = 8
# Of paths that are told apart by their order alone.
NUMBERED: Final = re.compile(r"\d{1,2}$")


@dataclass(frozen=True, slots=True)
class FewerWords:
    """fewer, more: nodes; paths, most: over how many paths each of them sees the disk of map; maps: how many disks."""

    fewer: tuple[str, ...]
    more: tuple[str, ...]
    map: str
    paths: int
    most: int
    maps: int


@rule("ST-29", needs=(Records, Nodes), words=FewerWords)
def fewer_paths(records: Records, names: Nodes, limits: Limits) -> Iterator[Seen]:
    """Symptom: none yet; the next path that is lost takes the disk from one node alone.

    Reasoning: all paths that are shown are up, and one node shows fewer to the same disk than others do.
    Source: dm-multipath and DMP: each node of a cluster is to see a disk over all fabrics; limits proposed.
    """
    shown = _by_map(records, names)
    found = {name: nodes for name, nodes in shown.items() if len({len(paths) for paths in nodes.values()}) > 1}
    if not found:
        return
    name = min(found, key=lambda one: (min(map(len, found[one].values())) / max(map(len, found[one].values())), one))
    nodes = found[name]
    least, most = min(map(len, nodes.values())), max(map(len, nodes.values()))
    fewer = sorted(node for node, paths in nodes.items() if len(paths) == least)
    more = sorted(node for node, paths in nodes.items() if len(paths) == most)
    lines = [one.ref for node in (*fewer[:MOST], *more[:1]) for one in nodes[node].values()]
    yield Seen(
        level="half" if least <= limits.share * most else "some",
        words=FewerWords(tuple(fewer[:MOST]), tuple(more[:MOST]), name, least, most, len(found)),
        lines=lines,
        nodes=tuple(fewer[:MOST]),
        times=[one.at for node in fewer[:1] for one in nodes[node].values() if one.at is not None],
        borne_by=(len(lines), len(nodes)),
        parts=("listed",),
        weight=float(most - least),
    )


def _by_map(records: Records, names: Nodes) -> Mapping[str, Mapping[str, Mapping[str, DiskPath]]]:
    """Paths by disk and node, each once, of disks whose names hold on all nodes and that several nodes show; one whose
    names are each node's own is known by the number that its map shows, and called by its name where all use one.
    """
    found: dict[str, dict[str, dict[str, DiskPath]]] = defaultdict(lambda: defaultdict(dict))
    numbers, called = _numbers(records), defaultdict[str, set[str]](set)
    for one in records.of(DiskPath):
        path = one.device or one.address
        if one.device and one.address and NUMBERED.match(one.address):
            path = f"{one.device} {one.address}"
        if not (one.node and one.map and path):
            continue
        disk = one.map if OWN_NAMES.match(one.map) is None else numbers.get((one.node, one.map))
        if disk:
            found[disk][names.name(one.node)][path] = one
            called[disk].add(one.map)
    several = {disk: nodes for disk, nodes in found.items() if len(nodes) > 1}
    return {min(called[disk]) if len(called[disk]) == 1 else disk: nodes for disk, nodes in several.items()}


def _numbers(records: Records) -> Mapping[tuple[str | None, str | None], str]:
    """By the name of a map on the node that shows it: the number of its disk."""
    if not records.has(Setting):
        return {}
    shown = records.of(Setting, pl.col("name") == "wwid")
    return {(one.node, one.scope): one.value for one in shown}
