"""A rule on a service of the cluster that is stopped on one node and runs on its like, or is needed there (ST-74)."""

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
from parsers.records.states import DiskPath, ServiceState

# Services that run on every member for as long as it is one; others are started where they are needed.
OF_MEMBERS: Final = re.compile(
    r"(?P<name>corosync|pacemaker|sbd|multipathd|vcs|gab|llt|vxfen|gpfs|mmsdrserv)(?:\.service)?$"
)
PATHS: Final = "multipathd"
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
        if one.group and (match := OF_MEMBERS.match(one.group)) is not None:
            found[match["name"]][names.name(on) if on else None] = one
    return found


def _maps(records: Records, names: Nodes, node: str | None) -> tuple[DiskPath, ...]:
    """Paths of maps that a node has up."""
    mapped = (pl.col("map").is_not_null(), pl.col("standing") == "up", pl.col("layer") == "device-mapper")
    rows = records.of(DiskPath, *mapped)
    return tuple(one for one in rows if (names.name(one.node) if one.node else None) == node)
