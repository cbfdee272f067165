"""A rule on a node that has less of what it is made of than its like (ST-69)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from statistics import median
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import metric
from apps.diagnosis.engine.storage.rules.uneven_mounts import how_many
from parsers.dataclass import dataclass
from parsers.records import Counter, DiskName
from parsers.records.states import HealthState

ALIKE: Final = metric("built-alike")
LISTED_SERVERS: Final = "servers"
LISTED_PATHS: Final = "paths"
PDISK: Final = re.compile(r"pdisk (?P<name>\S{1,60})(?: of (?P<group>\S{1,60}))?$")
PATHS: Final = re.compile(r"\bpaths: (\d{1,3})\b")
MOST: Final = 8


@dataclass(frozen=True, slots=True)
class LessWords:
    """name: of the figure; value: on node, usual: on the others."""

    name: str
    node: str
    value: float
    others: tuple[str, ...]
    usual: float


@rule("ST-69", needs=(Records, Nodes), words=LessWords)
def less_than_its_like(records: Records, names: Nodes, limits: Limits) -> Iterator[Seen]:
    """Symptom: none, or one node that is slow under load.

    Reasoning: nodes show one figure of how they are built within a little, and one of them shows much less: a memory
    module that failed is left out at the next start, and no list calls it missing.
    Source: free(1), proc(5); limits proposed.
    """
    yield from _fewer_servers(records, limits)
    yield from _fewer_paths(records, limits)
    for (_, name), nodes in sorted(_by_figure(records, names).items()):
        usual = median(one.value or 0.0 for one in nodes.values())
        odd = [node for node, one in nodes.items() if abs((one.value or 0.0) - usual) > limits.alike * usual]
        others = sorted(node for node in nodes if node not in odd)
        if len(odd) != 1 or how_many(others) < limits.others:
            continue
        [node] = odd
        value = nodes[node].value or 0.0
        if value < limits.less * usual:
            yield Seen(
                level="less",
                words=LessWords(name, node, value, tuple(others[:MOST]), usual),
                lines=[nodes[node].ref, *(nodes[other].ref for other in others[:2])],
                nodes=(node,),
                times=[nodes[node].at or 0] if nodes[node].at is not None else [],
                borne_by=(len(others), len(nodes)),
                parts=("meant",),
                weight=usual / value if value else 1.0,
            )


def _fewer_servers(records: Records, limits: Limits) -> Iterator[Seen]:
    """Disks of a file system that fewer servers reach than all others of it."""
    by_fs: dict[str, dict[str, DiskName]] = defaultdict(dict)
    for one in records.of(DiskName):
        if one.fs and one.name and one.servers:
            by_fs[one.fs][one.name] = one
    for disks in by_fs.values():
        counts = {name: len(one.servers.split()) for name, one in disks.items()}
        usual = max(counts.values())
        odd = [name for name, count in counts.items() if count < usual]
        if not odd or len(disks) - len(odd) < limits.others * len(odd):
            continue
        name = odd[0]
        others = [other for other in disks if other not in odd]
        yield Seen(
            level="servers",
            words=LessWords(LISTED_SERVERS, name, float(counts[name]), tuple(others[:MOST]), float(usual)),
            lines=[*(disks[one].ref for one in odd[:MOST]), disks[others[0]].ref],
            borne_by=(len(others), len(disks)),
            parts=("meant",),
            weight=float(len(odd)),
        )


def _fewer_paths(records: Records, limits: Limits) -> Iterator[Seen]:
    """Disks of native RAID that are in order and that the server sees over fewer paths than their sisters."""
    groups: dict[str, dict[str, tuple[int, Ref]]] = defaultdict(dict)
    for one in records.of(HealthState):
        disk, paths = PDISK.match(one.component or ""), PATHS.search(one.state or "")
        if disk is not None and paths is not None and one.standing == "healthy":
            groups[disk["group"] or ""][disk["name"]] = int(paths[1]), one.ref
    for disks in groups.values():
        usual = max(count for count, _ in disks.values())
        odd = [name for name, (count, _) in disks.items() if count < usual]
        others = [name for name in disks if name not in odd]
        if not odd or len(others) < limits.others * len(odd):
            continue
        yield Seen(
            level="paths",
            words=LessWords(LISTED_PATHS, odd[0], float(disks[odd[0]][0]), tuple(others[:MOST]), float(usual)),
            lines=[*(disks[name][1] for name in odd[:MOST]), disks[others[0]][1]],
            borne_by=(len(others), len(disks)),
            parts=("meant",),
            weight=float(len(odd)),
        )


def _by_figure(records: Records, names: Nodes) -> Mapping[tuple[str, str], Mapping[str, Counter]]:
    """By tool and name what each node shows last."""
    found: dict[tuple[str, str], dict[str, Counter]] = defaultdict(dict)
    for one in records.meant(Counter, ALIKE, pl.col("value") >= 0):
        if one.node:
            found[one.source, one.name][names.name(one.node)] = one
    return found
