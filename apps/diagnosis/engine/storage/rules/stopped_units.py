"""Rules on a service of the cluster that is stopped on one node and runs on its like, or is needed there (ST-74), and
on what whole lists of a node lack that its like have: a daemon, a package, a lock space (ST-77).
"""

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
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import metric
from parsers.dataclass import dataclass
from parsers.records import Counter, Version
from parsers.records.states import DiskPath, Membership, ServiceState

# Services that run on every member for as long as it is one; others are started where they are needed.
OF_MEMBERS: Final = re.compile(
    r"(?P<name>corosync|pacemaker|sbd|multipathd|vcs|gab|llt|vxfen|gpfs|mmsdrserv)(?:\.service)?$"
)
PATHS: Final = "multipathd"
PROCESSES: Final = metric("processes-of-daemons")
# Packages without which a node is no member, of whatever it does beside that.
NEEDED: Final = re.compile(
    r"VRTS(?:vxfs|vxvm|vcs|llt|gab|vxfen|glm|gms|cavf)$|pacemaker$|corosync$|dlm$|gfs2-utils$|lvm2-(?:lockd|cluster)$"
    r"|sbd$|(?:[a-z-]{1,20}-)?multipath(?:-tools)?$|gpfs\.(?:base|msg\.en_US|gskit)$"
)
LOCK_SPACE: Final = "lock space"
STOPPED: Final = "disabled"


@dataclass(frozen=True, slots=True)
class StoppedWords:
    """up: nodes on which the service runs; maps: disks that are reached over several paths there, of multipathd."""

    unit: str
    node: str | None
    up: tuple[str, ...]
    maps: int = 0


@rule("ST-74", needs=(Records, Nodes), words=StoppedWords)
def stopped_unit(records: Records, names: Nodes, limits: Limits) -> Iterator[Seen]:
    """Symptom: a node does not join, or a lost path of it stays lost.

    Reasoning: a service that belongs to every member is inactive on one and runs on all others that show it; or nobody
    watches the paths of the disks that a node has. Inactive by itself is everyday.
    Source: systemctl(1), multipathd(8), sbd(8).
    """
    for unit, nodes in sorted(_by_unit(records, names).items()):
        stopped = {node: one for node, one in nodes.items() if one.standing == STOPPED}
        up = {node: one for node, one in nodes.items() if one.standing == "online"}
        for node, one in sorted(stopped.items(), key=lambda item: item[0] or ""):
            maps = _maps(records, names, node) if unit == PATHS else ()
            is_odd = len(stopped) == 1 and len(up) + 1 == len(nodes) and len(up) >= limits.others
            if not maps and not is_odd:
                continue
            yield Seen(
                level="paths" if maps else "alone",
                words=StoppedWords(unit, node, tuple(sorted(filter(None, up))), len({path.map for path in maps})),
                lines=[one.ref, *(path.ref for path in maps[:2]), *(other.ref for other in list(up.values())[:2])],
                nodes=(node,),
                borne_by=(len(up) + bool(maps), len(nodes)),
                weight=float(len(up) + 1),
            )


def _by_unit(records: Records, names: Nodes) -> Mapping[str, Mapping[str | None, ServiceState]]:
    """As shown last, by service and node."""
    found: dict[str, dict[str | None, ServiceState]] = defaultdict(dict)
    for one in records.of(ServiceState, pl.col("sort") == "unit"):
        on = one.on or one.node
        if (match := OF_MEMBERS.match(one.group or one.resource or "")) is not None:
            found[match["name"]][names.name(on) if on else None] = one
    return found


def _maps(records: Records, names: Nodes, node: str | None) -> tuple[DiskPath, ...]:
    """Paths of maps that a node has up."""
    mapped = (pl.col("map").is_not_null(), pl.col("standing") == "up", pl.col("layer") == "device-mapper")
    rows = records.of(DiskPath, *mapped)
    return tuple(one for one in rows if (names.name(one.node) if one.node else None) == node)


@dataclass(frozen=True, slots=True)
class LackingWords:
    """name: what a node lacks; having: nodes that list it; more: further names of that sort that it lacks."""

    node: str
    name: str
    having: tuple[str, ...]
    more: tuple[str, ...]


@rule("ST-77", needs=(Records, Nodes), words=LackingWords)
def lacks_what_its_like_have(records: Records, names: Nodes, limits: Limits) -> Iterator[Seen]:
    """Symptom: a node is up, and what needs the lacking part waits, or starts on the others alone.

    Reasoning: lists of several nodes show the same daemons or packages of members of a cluster, and that of one node
    leaves out what all others show; or others count a node as a member of a lock space that it does not list.
    Source: ps(1), rpm(8), dlm_tool(8).
    """
    daemons: dict[str, dict[str, Ref]] = defaultdict(dict)
    for one in records.meant(Counter, PROCESSES):
        if one.node and one.scope:
            daemons[names.name(one.node)].setdefault(one.scope, one.ref)
    yield from _lacking("daemon", daemons, limits)
    yield from _lacking("package", _packages(records, names, limits), limits)
    yield from _lock_spaces(records, names)


def _packages(records: Records, names: Nodes, limits: Limits) -> dict[str, dict[str, Ref]]:
    """By node the packages of members, of lists that hold several packages."""
    lists: dict[tuple[str, int], dict[str, Ref]] = defaultdict(dict)
    for one in records.of(Version):
        if one.node:
            lists[names.name(one.node), one.artifact].setdefault(one.product, one.ref)
    found: dict[str, dict[str, Ref]] = defaultdict(dict)
    for (node, _), products in lists.items():
        if len(products) >= limits.packages:
            found[node].update({name: ref for name, ref in products.items() if NEEDED.match(name)})
    return found


def _lacking(level: str, listed: Mapping[str, Mapping[str, Ref]], limits: Limits) -> Iterator[Seen]:
    """One node without what all others list, which lists others of the same sort."""
    if len(listed) <= limits.others:
        return
    common = set.intersection(*(set(rows) for rows in listed.values()))
    for node in sorted(listed):
        others = [other for other in sorted(listed) if other != node]
        absent = sorted(set.intersection(*(set(listed[other]) for other in others)) - listed[node].keys())
        if absent and common:
            lines = [*(listed[other][absent[0]] for other in others[:2]), listed[node][min(common)]]
            yield _without(level, node, absent, tuple(others), lines)


def _without(level: str, node: str, absent: list[str], having: tuple[str, ...], lines: list[Ref]) -> Seen:
    return Seen(
        level=level,
        words=LackingWords(node, absent[0], having, tuple(absent[1:])),
        lines=lines,
        nodes=(node,),
        borne_by=(len(having), len(having) + 1),
        parts=("lists",),
        weight=float(len(having)),
    )


def _lock_spaces(records: Records, names: Nodes) -> Iterator[Seen]:
    """Lock spaces of which others count a node as a member, and that its own list leaves out."""
    own: dict[str, dict[str, Membership]] = defaultdict(dict)
    for one in records.of(Membership, pl.col("sort") == LOCK_SPACE):
        if one.node and one.group:
            own[names.name(one.node)][one.group] = one
    counted: dict[str, dict[str, dict[str, Ref]]] = defaultdict(lambda: defaultdict(dict))
    for other, spaces in own.items():
        for name, space in spaces.items():
            for node in {names.name(member) for member in space.members.split()} & own.keys():
                if name not in own[node]:
                    counted[node][name][other] = space.ref
    for node, absent in sorted(counted.items()):
        by = absent[min(absent)]
        lines = [*list(by.values())[:2], next(iter(own[node].values())).ref]
        yield _without("lock", node, sorted(absent), tuple(sorted(by)), lines)
