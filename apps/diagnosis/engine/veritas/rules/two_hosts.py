"""Rules on what two hosts do at once or each in its own way: mounts that are not shared (VX-10), ids of the cluster
(VX-11), groups that are to run on one of them (VX-12), tables of nodes and links (VX-13).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.looks import Looks
from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.facts.settings import VOLUMES, Settings
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import setting
from apps.diagnosis.engine.core.words.phrases import phrase
from parsers.dataclass import dataclass
from parsers.records import DiskName, NodeAlias, Section, Setting
from parsers.records.states import ServiceState

MOUNTS: Final = setting("mount-options")
CONFIGURATION: Final = setting("llt-configuration")
KIND: Final = setting("group-kind")
SEEDING: Final = setting("gab-seeding")
LINK: Final = "link device"
AT_ONCE: Final = "x"
SHARED: Final = "cluster"
OWN_GROUPS: Final = frozenset(("rootdg", "bootdg", "defaultdg", "nodg"))
MOST: Final = 8


@dataclass(frozen=True, slots=True)
class TwoMountsWords:
    """device: of a volume; nodes: that have it mounted for writing; alone: those that do not mount it as shared."""

    device: str
    nodes: tuple[str, ...]
    alone: tuple[str, ...]


@rule("VX-10", needs=(Settings, Records, Nodes), words=TwoMountsWords)
def mounted_twice(settings: Settings, records: Records, names: Nodes, _: Limits) -> Iterator[Seen]:
    """Symptom: damage in a file system, files that vanish or hold what another host wrote.

    Reasoning: hosts show the same volume of a group as mounted for writing, and one of them not as a cluster mount.
    Source: mount_vxfs(1M): without the option cluster a file system belongs to one host.
    """
    for device, nodes in sorted(_mounts(settings, records, names).items()):
        writing = {node: options for node, options in sorted(nodes.items()) if "ro" not in options}
        alone = [node for node, options in writing.items() if SHARED not in options]
        lines = [next(iter(options.values())) for options in writing.values()][:MOST]
        looks = Looks(one for one in lines if one.at is not None)
        if len(writing) < 2 or not alone or looks.are_of_two_times:
            continue
        yield Seen(
            level="twice",
            words=TwoMountsWords(device, tuple(writing), tuple(alone)),
            lines=[one.ref for one in lines],
            nodes=tuple(writing),
            times=looks.times,
            parts=("same_name",),
            weight=1e8,
        )


def _mounts(settings: Settings, records: Records, names: Nodes) -> dict[str, dict[str, dict[str, Setting]]]:
    """Options of what is mounted, by volume and node."""
    devices: dict[tuple[object, object], str] = {}
    for one in records.of(DiskName):
        if one.fs and (one.device or "").startswith(VOLUMES):
            # A row of a mount whose node is known by its file alone names none.
            key = (names.name(one.node), one.fs) if one.node else (one.ref, one.fs)
            devices[key] = str(one.device)
    shown: dict[str, dict[str, dict[str, Setting]]] = defaultdict(lambda: defaultdict(dict))
    for row in settings.shown(MOUNTS, pl.col("holds") == "now"):
        device = devices.get((row.node, row.scope)) or devices.get((row.ref, row.scope))
        if row.node and device is not None and device.split("/")[-2] not in OWN_GROUPS:
            shown[device][row.node][row.name] = row
    return dict(shown)


@dataclass(frozen=True, slots=True)
class ClusterIdsWords:
    """ids: each with the nodes that are set to it."""

    ids: tuple[str, ...]


@rule("VX-11", needs=(Settings,), words=ClusterIdsWords)
def cluster_ids(settings: Settings, _: Limits) -> Iterator[Seen]:
    """Symptom: nodes do not hear each other though their links are up.

    Reasoning: the tables of LLT of two nodes name different ids of the cluster.
    Source: llttab(4): nodes of one cluster have one id.
    """
    last = {row.node: row for row in settings.shown(CONFIGURATION, pl.col("name") == "set-cluster") if row.node}
    by_id: dict[str, list[str]] = defaultdict(list)
    for node, row in sorted(last.items()):
        by_id[row.value].append(str(node))
    if len(by_id) > 1:
        rows = list(last.values())[:MOST]
        yield Seen(
            level="differ",
            words=ClusterIdsWords(
                tuple(phrase("compared.value-on", value=value, node=nodes[0]) for value, nodes in sorted(by_id.items()))
            ),
            lines=[one.ref for one in rows],
            nodes=tuple(sorted(str(node) for node in last))[:MOST],
            times=[one.at for one in rows],
        )


@dataclass(frozen=True, slots=True)
class TablesWords:
    """values: what each of two nodes has, with the node."""

    values: tuple[str, ...]


@rule("VX-13", needs=(Settings, Records, Nodes), words=TablesWords)
def tables_of_llt(settings: Settings, records: Records, names: Nodes, _: Limits) -> Iterator[Seen]:
    """Symptom: after a restart nodes do not find each other, take the place of another one or form two clusters.

    Reasoning: files that are to say the same on all nodes give an id to different nodes, list fewer links on one node,
    or let one node form a cluster without waiting for the others.
    Source: llthosts(4), llttab(4), gabconfig(1M).
    """
    shown = (("names", _ids(records)), ("links", _links(settings)), ("seeds", _seeding(settings)))
    for level, tables in shown:
        by_value: dict[str, tuple[str, Ref]] = {}
        for node, (value, ref) in sorted(tables.items()):
            by_value.setdefault(value, (names.name(node), ref))
        if len(by_value) > 1:
            yield Seen(
                level=level,
                words=TablesWords(
                    tuple(phrase("compared.value-on", value=value, node=node) for value, (node, _) in by_value.items())[
                        :MOST
                    ]
                ),
                lines=[ref for _, ref in by_value.values()][:MOST],
                nodes=[node for node, _ in by_value.values()][:MOST],
            )


def _ids(records: Records) -> dict[str, tuple[str, Ref]]:
    """Ids that lists of the nodes of LLT give to different nodes, by the node that has the list."""
    if not records.has(NodeAlias):
        return {}
    aliases = records.frame(NodeAlias, pl.col("kind") == "id")
    files = records.frame(Section, pl.col("format") == "llthosts")
    lists: dict[str, dict[str, tuple[str, Ref]]] = {}
    for artifact, first, last, node in files.select("artifact", "line", "last_line", "node").iter_rows():
        own = aliases.filter((pl.col("artifact") == artifact) & pl.col("line").is_between(first, last))
        if node:
            rows = own.select("alias", "node", "line").iter_rows()
            lists[node] = {alias: (name, Ref(artifact, line)) for alias, name, line in rows}
    ids = sorted({alias for own in lists.values() for alias in own}, key=int)
    for alias in ids:
        holders = {node: own[alias] for node, own in lists.items() if alias in own}
        if len({name.partition(".")[0] for name, _ in holders.values()}) > 1:
            return {node: (f"{alias} = {name}", ref) for node, (name, ref) in holders.items()}
    return {}


def _links(settings: Settings) -> dict[str, tuple[str, Ref]]:
    """How many links the table of each node has."""
    found: dict[str, list[Setting]] = defaultdict(list)
    for row in settings.shown(CONFIGURATION, pl.col("name") == LINK):
        if row.node:
            found[row.node].append(row)
    return {node: (str(len({row.scope for row in rows})), rows[0].ref) for node, rows in found.items()}


def _seeding(settings: Settings) -> dict[str, tuple[str, Ref]]:
    """Nodes that wait for the others, and nodes that do not."""
    found: dict[str, tuple[str, Ref]] = {}
    for row in settings.shown(SEEDING):
        flag = row.name.rpartition("-")[2]
        if row.node and (AT_ONCE in flag or (flag == "n" and row.node not in found)):
            found[row.node] = (f"-{AT_ONCE if AT_ONCE in flag else 'n'}", row.ref)
    return found


@dataclass(frozen=True, slots=True)
class GroupTwiceWords:
    """group: that is online on nodes at once, and is to run on one."""

    group: str
    nodes: tuple[str, ...]


@rule("VX-12", needs=(Settings, Records, Nodes), words=GroupTwiceWords)
def group_runs_twice(settings: Settings, records: Records, names: Nodes, _: Limits) -> Iterator[Seen]:
    """Symptom: an application runs on two systems and writes the same data.

    Reasoning: the last states show a group as online on several systems, and its attribute says that it is to run on
    one. Source: hagrp(1M), the attribute Parallel.
    """
    kinds = {row.scope: row for row in settings.shown(KIND)}
    online: dict[str, dict[str, ServiceState]] = defaultdict(dict)
    for one in records.of(ServiceState):
        if one.sort == "group" and one.group and one.group in kinds and one.on and one.standing != "disabled":
            online[one.group][names.name(one.on)] = one
    for group, states in online.items():
        running = {node: one for node, one in sorted(states.items()) if one.standing in ("online", "partial")}
        if len(running) > 1 and kinds[group].value == "0":
            yield Seen(
                level="twice",
                words=GroupTwiceWords(group, tuple(running)),
                lines=[*(one.ref for one in running.values()), kinds[group].ref],
                nodes=tuple(running),
                times=[one.at for one in running.values()],
                weight=1e8,
            )
