"""Rule on a file system of the cluster that a node does not mount, or mounts otherwise than the others (ST-45)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.records import Records, cells
from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import setting
from apps.diagnosis.engine.storage.rules.uneven_nodes import PICKED, names_some
from parsers.dataclass import dataclass
from parsers.headings.node_sets import nodes_meant
from parsers.headings.transcript import Command, parse_command
from parsers.records import CommandRun, Section
from parsers.records.states import Room, ServiceState

OPTIONS: Final = setting("mount-options")
MOST: Final = 8
MOUNT_TABLES: Final = ("mounts", "mount_table")
SHOW_MOUNTS: Final = frozenset(("mount", "findmnt", "cat"))
LISTS_MOUNTED: Final = r"^\s{0,8}(?:\S{0,40}/)?(?:mount|findmnt)\b|/proc/(?:self/)?mounts\b"
MOUNTS_FILE: Final = re.compile(r"(?:^|[/_.-])(?:mounts?|findmnt|mtab)(?:[/_.-]|$)(?!.*fstab)", re.IGNORECASE)
OF_TYPE: Final = re.compile(r"vxfs|cluster|gfs|nfs|ocfs2|cifs", re.IGNORECASE)
LISTERS: Final = frozenset(("df",))
# By df a device without a slash and without a server is a file system of a cluster, or one that each node makes itself.
OF_CLUSTER: Final = re.compile(
    r"(?!(?:(?:dev)?tmpfs|overlay|udev|shm|none|rootfs|run|proc|sysfs|cgroup\w*|efivarfs|swap|total|map|fd|mnttab|objfs"
    r"|ctfs|sharefs|lxcfs|gvfsd-fuse|squashfs|hugetlbfs|mqueue|ramfs|binfmt_misc)\b)"
    r"[\w.-]{1,64} \((?P<mount>/\S{1,200})\)$"
)
OWN_PLACES: Final = re.compile(r"/(?:run|dev|sys|proc|boot|snap|var|tmp|etc|rpool)(?:/|$)")
ON_DEMAND: Final = re.compile(r"/(?:home|net|misc|auto)(?:/|$)")  # they come and go with who works on a node
MOUNTED: Final = setting("places-mounted")
SHARED: Final = frozenset(("gfs", "gfs2", "ocfs2", "nfs", "nfs4", "cifs"))
CLUSTERED: Final = frozenset(("gfs", "gfs2", "ocfs2"))
SERVED: Final = frozenset(("gpfs", "mmfs"))  # of two nodes one may serve it and mount nothing
ROOT: Final = "/"
READ_ONLY: Final = "mounted read-only"


@dataclass(frozen=True, slots=True)
class MountWords:
    """lacking: nodes that do not have it as the others do."""

    mount: str
    lacking: tuple[str, ...]
    having: tuple[str, ...]


@rule("ST-45", needs=(Records, Nodes, Settings, Facts), words=MountWords)
def uneven_mounts(records: Records, names: Nodes, settings: Settings, store: Facts, limits: Limits) -> Iterator[Seen]:
    """Symptom: programs on one node do not find their files, can't write them or fill the disk below the mount.

    Reasoning: most nodes list a mounted file system of the cluster, and a node that lists the others does not; or it
    mounts for reading alone what the others write, or shows it smaller. Of two nodes one lacks what the other mounts as
    a file system of the cluster.
    Source: df(1), mount(8).
    """
    mounted = _by_state(records, names)
    by_options = _by_options(records, names, settings, store)
    listed = dict(by_options)
    listed.update(_by_table(records, names, settings))
    listed.update(_by_type(records, names, settings, SERVED))
    of_cluster = _by_type(records, names, settings, CLUSTERED)
    listed.update(of_cluster)
    listed.update(_by_room(records, names))
    for mount, (lacking, having) in sorted(listed.items()):
        if lacking and how_many(having) >= limits.others * how_many(lacking):
            yield _seen("lacking", mount, lacking, having)
        elif how_many(lacking) == how_many(having) == 1 and (mount in of_cluster or mount in by_options):
            yield _seen("of_two", mount, lacking, having)
    for mount, readers in sorted(_read_only(records, names).items()):
        writers = {node: ref for node, ref in mounted.get(mount, {}).items() if node not in readers}
        if how_many(writers) >= how_many(readers):
            yield _seen("read_only", mount, readers, writers)
    yield from _sizes(records, names, limits)


def how_many(nodes: Iterable[str]) -> int:
    """Of names, some of which stand for several nodes that printed the same."""
    return sum(map(nodes_meant, nodes))


def _seen(level: str, mount: str, lacking: Mapping[str, Ref], having: Mapping[str, Ref]) -> Seen:
    shown = sorted(lacking)[:MOST]
    others = sorted(having)[:MOST]
    return Seen(
        level=level,
        words=MountWords(mount, tuple(shown), tuple(others)),
        lines=[*(lacking[node] for node in shown), *(having[node] for node in others[:3])],
        nodes=shown,
        borne_by=(len(having), len(having) + len(lacking)),
        parts=("meant",) if level in ("lacking", "of_two") else (),
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
    return _parted({node: own for node, own in rows.items() if not names_some(runs, node, LISTERS)})


def _by_table(records: Records, names: Nodes, settings: Settings) -> dict[str, tuple[dict[str, Ref], dict[str, Ref]]]:
    """The same by tables of what is mounted, of file systems that several nodes mount."""
    rows: dict[str, dict[str, Ref]] = defaultdict(dict)
    for one in settings.shown(MOUNTED):
        is_own = OWN_PLACES.match(one.scope or "") or ON_DEMAND.match(one.scope or "")
        if one.node and one.scope and one.value in SHARED and not is_own:
            rows[one.node].setdefault(one.scope, one.ref)
    runs = [(names.name(run.node), parse_command(run.command)) for run in records.of(CommandRun) if run.node and rows]
    return _parted({node: own for node, own in rows.items() if not _asks_for_one(runs, node)})


def _by_type(
    records: Records, names: Nodes, settings: Settings, types: frozenset[str]
) -> dict[str, tuple[dict[str, Ref], dict[str, Ref]]]:
    """The same of file systems that only clusters have, beside every node that lists its root: a whole table."""
    runs = [(names.name(run.node), parse_command(run.command)) for run in records.of(CommandRun) if run.node]
    rows: dict[str, dict[str, Ref]] = defaultdict(dict)
    mounts = [one for one in settings.shown(MOUNTED) if one.node and one.scope]
    for one in mounts:
        if one.scope == ROOT:
            rows[one.node or ""].setdefault("", one.ref)
    for one in mounts:
        if one.value in types and one.node in rows:
            rows[one.node].setdefault(one.scope or "", one.ref)
    return _parted({node: own for node, own in rows.items() if not _asks_for_one(runs, node)})


def _parted(rows: Mapping[str, Mapping[str, Ref]]) -> dict[str, tuple[dict[str, Ref], dict[str, Ref]]]:
    return {
        mount: (
            {node: next(iter(own.values())) for node, own in rows.items() if mount not in own},
            {node: own[mount] for node, own in rows.items() if mount in own},
        )
        for mount in {mount for own in rows.values() for mount in own if mount}
    }


def _by_options(
    records: Records, names: Nodes, settings: Settings, store: Facts
) -> dict[str, tuple[dict[str, Ref], dict[str, Ref]]]:
    """By cluster mount of VxFS the nodes whose table of mounts lacks it, and those that have it."""
    now = (pl.col("holds") == "now", pl.col("node").is_not_null(), pl.col("scope").is_not_null())
    rows = settings.shown(OPTIONS, pl.col("name") == "type", *now)
    clustered = {one.scope or "" for one in settings.shown(OPTIONS, pl.col("name") == "cluster", *now)}
    if not clustered:
        return {}
    runs = [(names.name(run.node), parse_command(run.command)) for run in records.of(CommandRun) if run.node]
    looks = _tables_of_mounts(records, store, {one.artifact for one in rows if one.scope in clustered})
    tables: dict[str, dict[str, Ref]] = {
        names.name(node): {"": Ref(artifact, line)} for node, artifact, line in cells(looks, "node", "artifact", "line")
    }
    for one in rows:
        tables.setdefault(names.name(one.node or ""), {}).setdefault(one.scope or "", one.ref)
    tables = {node: own for node, own in tables.items() if not _asks_for_one(runs, node)}
    return {
        mount: (
            {node: next(iter(own.values())) for node, own in tables.items() if mount not in own},
            {node: own[mount] for node, own in tables.items() if mount in own},
        )
        for mount in clustered
    }


def _tables_of_mounts(records: Records, store: Facts, beside: set[int]) -> pl.DataFrame:
    """Sections with a table of what is mounted; beside: files with a table that shows a cluster mount."""
    files = {number for number, path in store.paths.items() if MOUNTS_FILE.search(path)}
    command = pl.col("command").fill_null("")
    return records.frame(
        Section,
        pl.col("format").is_in(MOUNT_TABLES)
        & (pl.col("artifact").is_in(sorted(beside | files)) | command.str.contains(LISTS_MOUNTED))
        & pl.col("node").is_not_null()
        & ~command.str.contains("fstab"),
    )


def _asks_for_one(runs: list[tuple[str, Command]], node: str) -> bool:
    """Whether each table of mounts of a node is known to show some of them alone: not all of a type."""
    tables = [command for where, command in runs if where == node and command.program in SHOW_MOUNTS]
    return bool(tables) and all(
        any(PICKED.match(one) and OF_TYPE.search(one) is None for one in command.filters)
        or (command.program == "mount" and any(word.startswith("/") for word in command.args))
        for command in tables
    )


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
        if small and how_many(others) >= how_many(small):
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
