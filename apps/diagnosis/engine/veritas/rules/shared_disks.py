"""Rules on disks and disk groups that several hosts show: one is missing (VX-07), one is open twice (VX-08), and the
volume manager has two masters (VX-09).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from apps.diagnosis.engine.core.facts.looks import Looks
from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from parsers.dataclass import dataclass
from parsers.records.states import Manager, StorageState

MOST: Final = 8
WORD: Final = re.compile(r"[ ,]+")
# Of a disk whose group lost what it is made of: it is open no more.
DISABLED: Final = "dgdisabled"
# In what is printed of one disk alone: it says nothing of the others.
OF_ONE: Final = frozenset(("ready", "private", "imported"))


@dataclass(frozen=True, slots=True)
class LackingWords:
    """disks: of the group, which node does not list; others: nodes that do; shown: how many of them it lists."""

    node: str
    group: str
    disks: tuple[str, ...]
    others: tuple[str, ...]
    shown: int


@rule("VX-07", needs=(Records, Nodes), words=LackingWords)
def shared_disk_missing(records: Records, names: Nodes, _: Limits) -> Iterator[Seen]:
    """Symptom: mounts of a shared group fail on one node, or its writes end with errors there alone.

    Reasoning: nodes that have a group open as shared list its disks, and one lists fewer than another.
    Source: vxdisk(1M): all nodes of a cluster of volumes are to see all disks of its groups.
    """
    away = {(one.of, one.name) for one in records.of(StorageState) if one.standing != "healthy"}
    for group, nodes in _shared(records, names).items():
        everywhere = {name: one for disks in nodes.values() for name, one in disks.items() if (group, name) not in away}
        for node, disks in sorted(nodes.items()):
            if gone := sorted(everywhere.keys() - disks.keys()):
                yield _lacking(node, group, gone, nodes, everywhere)


def _lacking(
    node: str,
    group: str,
    gone: Sequence[str],
    nodes: Mapping[str, Mapping[str, StorageState]],
    everywhere: Mapping[str, StorageState],
) -> Seen:
    lines = [everywhere[name] for name in gone[:MOST]]
    own = nodes[node]
    others = tuple(sorted(other for other, theirs in nodes.items() if theirs.keys() & set(gone)))
    return Seen(
        level="lacking",
        words=LackingWords(node, group, tuple(gone[:MOST]), others, len(own)),
        lines=[one.ref for one in (*lines, *list(own.values())[:MOST])],
        nodes=(node,),
        times=[one.at for one in lines],
        weight=float(len(gone)),
    )


def _shared(records: Records, names: Nodes) -> Mapping[str, Mapping[str, Mapping[str, StorageState]]]:
    """Disks that a list shows as shared, by group and node."""
    lists: dict[str, dict[str, dict[str, StorageState]]] = defaultdict(lambda: defaultdict(dict))
    for one in records.of(StorageState):
        words = frozenset(WORD.split(one.state or ""))
        if one.sort == "disk" and one.node and one.of and one.name and "shared" in words and not words & OF_ONE:
            lists[one.of][names.name(one.node)][one.name] = one
    return lists


@dataclass(frozen=True, slots=True)
class TwiceWords:
    """group: that all of nodes have open; alone: those for which it is not shared."""

    group: str
    nodes: tuple[str, ...]
    alone: tuple[str, ...]


@rule("VX-08", needs=(Records, Nodes), words=TwiceWords)
def group_open_twice(records: Records, names: Nodes, _: Limits) -> Iterator[Seen]:
    """Symptom: damage in file systems and in the configuration of a disk group.

    Reasoning: hosts show the same id of a disk group as enabled, and for one of them it is not shared.
    Source: vxdg(1M): a group that is not shared belongs to one host at a time.
    """
    last: dict[str, dict[str, StorageState]] = defaultdict(dict)
    for one in records.of(StorageState):
        if one.sort == "disk group" and one.node and one.identity:
            last[one.identity][names.name(one.node)] = one
    for listed in last.values():
        is_open = {node: one for node, one in listed.items() if (one.state or "").startswith("enabled")}
        alone = sorted(node for node, one in is_open.items() if "shared" not in WORD.split(one.state or ""))
        looks = Looks(is_open.values())
        if len(is_open) < 2 or not alone or looks.are_of_two_times:
            continue
        yield Seen(
            level=looks.level,
            words=TwiceWords(str(next(iter(is_open.values())).name), tuple(sorted(is_open)), tuple(alone)),
            lines=looks.refs,
            nodes=tuple(sorted(is_open)),
            times=looks.times,
            parts=looks.parts,
            weight=1e9,
        )
    certain = {one.name for listed in last.values() if len(listed) > 1 for one in listed.values()}
    yield from _alike(records, names, certain)


def _alike(records: Records, names: Nodes, certain: Collection[str | None]) -> Iterator[Seen]:
    """Groups whose ids are not shown on two nodes: by one of their disks, as the array names it."""
    disks: dict[tuple[str, str], dict[str, StorageState]] = defaultdict(dict)
    for one in records.of(StorageState):
        words = WORD.split(one.state or "")
        is_open = one.sort == "disk" and words[0] == "online" and DISABLED not in words
        if is_open and one.node and one.of and one.identity and one.of not in certain:
            disks[one.of, one.identity][names.name(one.node)] = one
    by_group = {group: listed for (group, _), listed in disks.items() if len(listed) > 1}
    for group, listed in by_group.items():
        looks = Looks(listed[node] for node in sorted(listed))
        alone = sorted(node for node, one in listed.items() if "shared" not in WORD.split(one.state or ""))
        if alone and not looks.are_of_two_times:
            yield Seen(
                level="alike",
                words=TwiceWords(group, tuple(sorted(listed)), tuple(alone)),
                lines=looks.refs,
                nodes=tuple(sorted(listed)),
                times=looks.times,
                parts=looks.parts,
                weight=1e8,
            )


@dataclass(frozen=True, slots=True)
class MastersWords:
    """nodes: each of which is the master by its own word."""

    nodes: tuple[str, ...]


@rule("VX-09", needs=(Records, Nodes), words=MastersWords)
def two_masters(records: Records, names: Nodes, _: Limits) -> Iterator[Seen]:
    """Symptom: two nodes each run the volume manager's cluster.

    Reasoning: each names itself as the master, in looks of one time.
    Source: vxdctl(1M), vxclustadm(1M): a cluster has one master.
    """
    last: dict[str, Manager] = {}
    for one in records.of(Manager):
        if one.role == "volume master" and one.node and one.manager:
            last[names.name(one.node)] = one
    own = _own(last, names)
    looks = Looks(own.values())
    if len(own) > 1 and not looks.are_of_two_times:
        yield Seen(
            level=looks.level,
            words=MastersWords(tuple(sorted(own))),
            lines=looks.refs,
            nodes=tuple(sorted(own)),
            times=looks.times,
            parts=looks.parts,
            weight=1e6,
        )


def _own(last: Mapping[str, Manager], names: Nodes) -> dict[str, Manager]:
    return {node: one for node, one in last.items() if one.manager and names.name(one.manager) == node}
