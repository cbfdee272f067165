"""Rule on a file system of the cluster that a node does not mount, or mounts otherwise than the others (ST-45)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Final

from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.storage.rules.uneven_nodes import names_some
from parsers.dataclass import dataclass
from parsers.headings.transcript import parse_command
from parsers.records import CommandRun
from parsers.records.states import Room, ServiceState

MOST: Final = 8
LISTERS: Final = frozenset(("df",))
# By df a device without a slash and without a server is a file system of a cluster, or one that each node makes itself.
OF_CLUSTER: Final = re.compile(
    r"(?!(?:(?:dev)?tmpfs|overlay|udev|shm|none|rootfs|run|proc|sysfs|cgroup\w*|efivarfs|swap|total|map|fd|mnttab|objfs"
    r"|ctfs|sharefs|lxcfs|gvfsd-fuse|squashfs|hugetlbfs|mqueue|ramfs|binfmt_misc)\b)"
    r"[\w.-]{1,64} \((?P<mount>/\S{1,200})\)$"
)
OWN_PLACES: Final = re.compile(r"/(?:run|dev|sys|proc|boot|snap|var|tmp|etc|rpool)(?:/|$)")
READ_ONLY: Final = "mounted read-only"


@dataclass(frozen=True, slots=True)
class MountWords:
    """lacking: nodes that do not have it as the others do."""

    mount: str
    lacking: tuple[str, ...]
    having: tuple[str, ...]


@rule("ST-45", needs=(Records, Nodes), words=MountWords)
def uneven_mounts(records: Records, names: Nodes, limits: Limits) -> Iterator[Seen]:
    """Symptom: programs on one node do not find their files, can't write them or fill the disk below the mount.

    Reasoning: most nodes list a mounted file system of the cluster, and a node that lists the others does not; or it
    mounts for reading alone what the others write, or shows it smaller.
    Source: df(1), mount(8).
    """
    mounted = _by_state(records, names)
    for mount, (lacking, having) in sorted(_by_room(records, names).items()):
        if lacking and len(having) >= limits.others * len(lacking):
            yield _seen("lacking", mount, lacking, having)
    for mount, readers in sorted(_read_only(records, names).items()):
        writers = {node: ref for node, ref in mounted.get(mount, {}).items() if node not in readers}
        if len(writers) >= len(readers):
            yield _seen("read_only", mount, readers, writers)
    yield from _sizes(records, names, limits)


def _seen(level: str, mount: str, lacking: Mapping[str, Ref], having: Mapping[str, Ref]) -> Seen:
    shown = sorted(lacking)[:MOST]
    others = sorted(having)[:MOST]
    return Seen(
        level=level,
        words=MountWords(mount, tuple(shown), tuple(others)),
        lines=[*(lacking[node] for node in shown), *(having[node] for node in others[:3])],
        nodes=shown,
        borne_by=(len(having), len(having) + len(lacking)),
        parts=("meant",) if level == "lacking" else (),
        weight=float(len(having)),
    )


def _by_room(records: Records, names: Nodes) -> dict[str, tuple[dict[str, Ref], dict[str, Ref]]]:
    """By mount the nodes that list room without it, and those that list it. Nodes that were asked for something else
    are none.
    """
    runs = [(names.name(run.node), parse_command(run.command)) for run in records.of(CommandRun) if run.node]
    rows: dict[str, dict[str, Ref]] = defaultdict(dict)
    for one in records.of(Room):
        if one.node and one.name and one.sort == "file system":
            rows[names.name(one.node)].setdefault(_place(one), one.ref)
    rows = {node: own for node, own in rows.items() if not names_some(runs, node, LISTERS)}
    return {
        mount: (
            {node: next(iter(own.values())) for node, own in rows.items() if mount not in own},
            {node: own[mount] for node, own in rows.items() if mount in own},
        )
        for mount in {mount for own in rows.values() for mount in own if mount}
    }


def _place(one: Room) -> str:
    """Where a file system of the cluster is mounted; empty of any other one."""
    match = OF_CLUSTER.match(one.name or "")
    return match["mount"] if match and OWN_PLACES.match(match["mount"]) is None else ""


def _sizes(records: Records, names: Nodes, limits: Limits) -> Iterator[Seen]:
    """File systems of the cluster that some nodes show smaller than most."""
    found: dict[str, dict[str, Room]] = defaultdict(dict)
    for one in records.of(Room):
        if one.node and one.size and one.sort == "file system" and (place := _place(one)):
            found[place][names.name(one.node)] = one
    for mount, rows in sorted(found.items()):
        most = max(row.size or 0.0 for row in rows.values())
        small = {node: row.ref for node, row in rows.items() if (row.size or 0.0) < limits.same_size * most}
        others = {node: row.ref for node, row in rows.items() if node not in small}
        if small and len(others) >= len(small):
            yield _seen("size", mount, small, others)


def _by_state(records: Records, names: Nodes) -> dict[str, dict[str, Ref]]:
    """By file system the nodes that mount it. Whose daemon is up and who mounts nothing may well be a manager."""
    found: dict[str, dict[str, Ref]] = defaultdict(dict)
    for one in records.of(ServiceState):
        on = one.on or one.node  # a table of mounts is of the node that it is in the folder of
        if one.sort == "mount" and one.group and on and one.standing == "online":
            found[one.group][names.name(on)] = one.ref
    return found


def _read_only(records: Records, names: Nodes) -> dict[str, dict[str, Ref]]:
    found: dict[str, dict[str, Ref]] = defaultdict(dict)
    for one in records.of(ServiceState):
        on = one.on or one.node
        if one.sort == "mount" and one.group and on and one.state == READ_ONLY:
            found[one.group][names.name(on)] = one.ref
    return dict(found)
