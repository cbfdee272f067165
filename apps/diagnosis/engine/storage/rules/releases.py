"""A rule on nodes that run other releases than their like (ST-30)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Final

from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from parsers.dataclass import dataclass
from parsers.records import Version

# Releases of what the nodes of one cluster run together.
TOGETHER: Final = re.compile(
    r"spectrum-scale$|VRTS(?:vxfs|vxvm|vcs|llt|gab|vxfen|glm|gms|cavf)$|pacemaker$|corosync$|dlm$|gfs2-utils$|kernel$"
    r"|lvm2(?:-lockd|-cluster)?$|pcs$|sbd$|libqb$|kronosnet$|resource-agents|fence-agents-|device-mapper(?:-\w{2,20})?$"
    r"|open-iscsi$|iscsi-initiator-utils$|nfs-utils$|nfs-ganesha|ctdb$|samba$|rdma-core$|multipath-tools$"
    r"|mlnx-ofa_kernel$|mft$|kmod-|drbd-utils$|sanlock$|gpfs\."
)
KERNEL: Final = "kernel"
# A kernel is odd among so many nodes: two halves are two sorts of hosts. Two nodes of Unix with one release are to have
# one update of it; a kernel of Linux comes every few weeks.
OF_ONE_ODD: Final = 3
PAIR: Final = 2
SERIES: Final = 3
NUMBER: Final = re.compile(r"\d{1,9}")
# In front of a release: no word (Linux), or the system.
SYSTEM: Final = re.compile(r"(?:(?:SunOS|AIX|HP-UX) (?:B\.)?)?(?=\d)")
LINUX: Final = ""
PARTS: Final = 8
DAY_US: Final = 86_400 * 1_000_000
MOST: Final = 8


@dataclass(frozen=True, slots=True)
class ReleaseWords:
    """old, new: nodes with the lowest and the highest release of product, and these; others: how many more."""

    product: str
    old: tuple[str, ...]
    lowest: str
    new: tuple[str, ...]
    highest: str


@rule("ST-30", needs=(Records, Nodes), words=ReleaseWords)
def mixed_releases(records: Records, names: Nodes, _: Limits) -> Iterator[Seen]:
    """Symptom: what one node understands another one does not: joins fail, features are not there.

    Reasoning: nodes show other releases of the same product, of about one time.
    Source: release notes: nodes of one cluster run one release but while it is renewed node by node.
    """
    for product, nodes in _by_product(records, names).items():
        times = [one.at for one in nodes.values() if one.at is not None]
        lowest, highest = (pick(nodes.values(), key=_number) for pick in (min, max))
        if _same(lowest, highest) or (times and max(times) - min(times) > DAY_US):
            continue
        old = [node for node, one in sorted(nodes.items()) if _number(one) == _number(lowest)]
        new = [node for node, one in sorted(nodes.items()) if _number(one) == _number(highest)]
        if _are_of_two_sorts(product, nodes.values(), min(len(old), len(new))):
            continue
        shown = [nodes[node] for node in (*old[:MOST], *new[:MOST])]
        yield Seen(
            level=_level_of(product, lowest, highest),
            words=ReleaseWords(product, tuple(old), lowest.version, tuple(new), highest.version),
            lines=[one.ref for one in shown],
            nodes=(*old[:MOST], *new[:MOST]),
            times=times,
            borne_by=(len(shown), len(nodes)),
            weight=1.0,
        )


def _are_of_two_sorts(product: str, kernels: Collection[Version], fewer: int) -> bool:
    """Whether hosts are of different systems, or none of their kernels is the odd one."""
    if product != KERNEL:
        return False
    systems = {match[0] for one in kernels if (match := SYSTEM.match(one.version))}
    if len(systems) > 1:
        return True
    if len(kernels) == PAIR and systems != {LINUX}:
        return len({_number(one)[:SERIES] for one in kernels}) > 1
    return OF_ONE_ODD * fewer > len(kernels)


def _level_of(product: str, lowest: Version, highest: Version) -> str:
    if product == KERNEL:
        return "kernels"
    return "parts" if _number(lowest)[:1] == _number(highest)[:1] else "majors"


def _by_product(records: Records, names: Nodes) -> dict[str, dict[str, Version]]:
    """The last release of each product on each node; without a date the lowest: what runs may be older than what is
    installed.
    """
    last: dict[str, dict[str, Version]] = defaultdict(dict)
    for one in records.of(Version):
        if one.node and TOGETHER.match(one.product) and SYSTEM.match(one.version):
            nodes, node = last[one.product], names.name(one.node)
            held = nodes.get(node)
            if held is None or one.at is not None or held.at is not None or _number(one) <= _number(held):
                nodes[node] = one
    return last


def _number(one: Version) -> tuple[int, ...]:
    return tuple(int(part) for part in NUMBER.findall(one.version)[:PARTS])


def _same(one: Version, other: Version) -> bool:
    """Whether two releases are one: a tool may print fewer parts than another."""
    return all(left == right for left, right in zip(_number(one), _number(other), strict=False))
