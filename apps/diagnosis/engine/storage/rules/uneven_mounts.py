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
    mounts for reading alone what the others write.
    Source: df(1), mount(8).
    """
    shown = _by_state(records, names)
    for mount, listed in sorted(_by_room(records, names).items()):
        lacking, having = _parted(listed)
        if lacking and len(having) >= limits.others * len(lacking):
            yield _seen("lacking", mount, lacking, having)
    for mount, readers in sorted(_read_only(records, names).items()):
        _, having = _parted(shown.get(mount, {}))
        writers = {node: ref for node, ref in having.items() if node not in readers}
        if len(writers) >= len(readers):
            yield _seen("read_only", mount, readers, writers)


def _parted(listed: Mapping[str, tuple[bool, Ref]]) -> tuple[dict[str, Ref], dict[str, Ref]]:
    """Nodes that lack it, and nodes that have it."""
    lacking = {node: ref for node, (has, ref) in listed.items() if not has}
    return lacking, {node: ref for node, (has, ref) in listed.items() if has}


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


def _by_room(records: Records, names: Nodes) -> dict[str, dict[str, tuple[bool, Ref]]]:
    """By mount and node that lists its room: whether it is there. Nodes that were asked for something else are none."""
    runs = [(names.name(run.node), parse_command(run.command)) for run in records.of(CommandRun) if run.node]
    rows: dict[str, dict[str, Ref]] = defaultdict(dict)
    for one in records.of(Room):
        if one.node and one.name and one.sort == "file system":
            match = OF_CLUSTER.match(one.name)
            place = match["mount"] if match and OWN_PLACES.match(match["mount"]) is None else ""
            rows[names.name(one.node)].setdefault(place, one.ref)
    rows = {node: own for node, own in rows.items() if not names_some(runs, node, LISTERS)}
    mounts = {mount for own in rows.values() for mount in own if mount}
    return {
        mount: {node: (mount in own, own.get(mount) or next(iter(own.values()))) for node, own in rows.items()}
        for mount in mounts
    }


def _by_state(records: Records, names: Nodes) -> dict[str, dict[str, tuple[bool, Ref]]]:
    """By file system and node that mounts it. Whose daemon is up and who mounts nothing may well be a manager."""
    found: dict[str, dict[str, tuple[bool, Ref]]] = defaultdict(dict)
    for one in records.of(ServiceState):
        on = one.on or one.node  # a table of mounts is of the node that it is in the folder of
        if one.sort == "mount" and one.group and on and one.standing == "online":
            found[one.group][names.name(on)] = (True, one.ref)
    return dict(found)


def _read_only(records: Records, names: Nodes) -> dict[str, dict[str, Ref]]:
    found: dict[str, dict[str, Ref]] = defaultdict(dict)
    for one in records.of(ServiceState):
        on = one.on or one.node
        if one.sort == "mount" and one.group and on and one.state == READ_ONLY:
            found[one.group][names.name(on)] = one.ref
    return dict(found)
