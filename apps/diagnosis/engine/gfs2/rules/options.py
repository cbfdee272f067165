"""Rules on how GFS2 is mounted and used (MT-01 to MT-07) and on fragmented files (FR-01)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.gfs2.cluster import Cluster, Space
from apps.diagnosis.engine.gfs2.dlm import lockspace_fits
from apps.diagnosis.engine.gfs2.glocks import GlockFacts
from apps.diagnosis.engine.gfs2.mounts import Exports, Mount, Mounts
from parsers.dataclass import dataclass
from parsers.records import CommandRun, Measurement

GIB: Final = float(1 << 30)
STATFS_FRAMES: Final = frozenset(("gfs2_statfs", "gfs2_statfs_slow"))
QUOTA_MODES: Final = ("quota=on", "quota=account")
REFS_MOST: Final = 6
EXPORTS_MOST: Final = 4
Nodes = tuple[str | None, ...]


def _sorted(nodes: Collection[str | None]) -> Nodes:
    return tuple(sorted(nodes, key=lambda node: (node is None, node or "")))


def _refs(mount: Mount, nodes: Sequence[str | None]) -> tuple[Ref, ...]:
    return tuple(mount.points[node].ref for node in nodes if node in mount.points)[:REFS_MOST]


OF_CLUSTER: Final = re.compile(r"locktable=[\w.-]{1,64}:[\w.-]{1,64}$")


@dataclass(frozen=True, slots=True)
class AtimeWords:
    """options: as the first of the nodes prints them."""

    mount: str
    nodes: Nodes
    options: str
    relatime: bool


@rule("MT-01", needs=(Mounts,), words=AtimeWords)
def atime(mounts: Mounts, limits: Limits) -> Iterator[Seen]:
    """Symptom: reads are slow as if they wrote.

    Reasoning: the mount table shows no noatime.
    Source: Red Hat guides to GFS2.
    """
    for mount in mounts.all:
        nodes = mount.lacking("noatime")
        if nodes:
            options = mount.options[nodes[0]]
            yield Seen(
                level="lacking",
                words=AtimeWords(mount.where, _sorted(nodes), ",".join(options), "relatime" in options),
                lines=_refs(mount, nodes),
                nodes=nodes,
                borne_by=(len(nodes), len(nodes)),
                parts=("table",),
            )


@dataclass(frozen=True, slots=True)
class QuotaWords:
    """mode: on or account; waiters: processes that wait for quota locks."""

    mode: str
    mount: str
    waiters: int


@rule("MT-02", needs=(Mounts, GlockFacts), words=QuotaWords)
def quota(mounts: Mounts, glocks: GlockFacts, limits: Limits) -> Iterator[Seen]:
    """Symptom: writers wait for quota locks.

    Reasoning: quota is switched on, and glocks of type 8 have waiters.
    Source: mount options, glock dump.
    """
    waits = [wait for wait in glocks.waits if wait.glock.startswith("8/")]
    for mount in mounts.all if waits else ():
        nodes = mount.having(*QUOTA_MODES)
        if nodes:
            mode = next(option for option in mount.options[nodes[0]] if option in QUOTA_MODES).partition("=")[2]
            yield Seen(
                level="waits",
                words=QuotaWords(mode, mount.where, len({wait.name for wait in waits})),
                lines=(*_refs(mount, nodes), *(Ref(wait.artifact, wait.line) for wait in waits[:3])),
                most_lines=REFS_MOST + 3,
                nodes=nodes,
                borne_by=(len(nodes) + len(waits), 1),
                parts=("both",),
            )


@dataclass(frozen=True, slots=True)
class StatfsWords:
    """tasks: how many stand in statfs."""

    mount: str
    tasks: int


@rule("MT-03", needs=(Mounts, Cluster), words=StatfsWords)
def statfs(mounts: Mounts, cluster: Cluster, limits: Limits) -> Iterator[Seen]:
    """Symptom: df and monitoring are slow.

    Reasoning: statfs_quantum=0 makes every call exact; worse where something calls it often.
    Source: gfs2(5).
    """
    stand = [
        task
        for task in cluster.tasks
        if set(task.frames) & STATFS_FRAMES or (task.name == "df" and task.state.startswith("D"))
    ]
    for mount in mounts.all:
        nodes = mount.having("statfs_quantum=0")
        if nodes:
            yield Seen(
                level="used" if stand else "unused",
                words=StatfsWords(mount.where, len(stand)),
                lines=(*_refs(mount, nodes), *(task.ref for task in stand[:3])),
                most_lines=REFS_MOST + 3,
                nodes=nodes,
                borne_by=(len(nodes) + len(stand), 1),
                parts=("used" if stand else "unused",),
            )


@dataclass(frozen=True, slots=True)
class DataWords:
    """Where data is written back without an order."""

    mount: str
    nodes: Nodes


@rule("MT-04", needs=(Mounts,), words=DataWords)
def data_mode(mounts: Mounts, limits: Limits) -> Iterator[Seen]:
    """Symptom: files hold strange data after a crash.

    Reasoning: data=writeback in the mount table.
    Source: gfs2(5).
    """
    for mount in mounts.all:
        nodes = mount.having("data=writeback")
        if nodes:
            yield Seen(
                level="set",
                words=DataWords(mount.where, _sorted(nodes)),
                lines=_refs(mount, nodes),
                nodes=nodes,
                borne_by=(len(nodes), len(nodes)),
                parts=("table",),
            )


@dataclass(frozen=True, slots=True)
class FlocksWords:
    """local: nodes with the option, all: nodes that mount it, ``count`` of them; others_unknown: the mount tables of
    further members.
    """

    mount: str
    local: Nodes
    all: Nodes
    count: int
    protocols: tuple[str, ...]
    others_unknown: bool
    ctdb_unknown: bool


@rule("MT-05", needs=(Mounts, Cluster), words=FlocksWords)
def localflocks(mounts: Mounts, cluster: Cluster, limits: Limits) -> Iterator[Seen]:
    """Symptom: damaged files, or locks of NFS and Samba clients that nobody else sees.

    Reasoning: the option against the number of nodes that mount it, the protocols that export it, and CTDB: four gates.
    Source: Red Hat guides on exporting GFS2.
    """
    members = max((len(space.members) for space in cluster.lock_spaces()), default=0)
    for mount in mounts.all:
        exports, local = mounts.exports_of(mount), {*mount.having("localflocks"), *mount.without_locks}
        level = _with_option(mount, exports) if local else _without_option(mount, exports)
        if not level:
            continue
        refs = (
            *_refs(mount, [*mount.options]),
            *(one.ref for one in (*exports.nfs, *exports.samba, *exports.clustered)[:EXPORTS_MOST]),
        )
        yield Seen(
            level=level,
            words=FlocksWords(
                mount.where,
                _sorted(local),
                _sorted([*mount.options]),
                len(mount.options),
                exports.protocols,
                others_unknown=members != 1,
                ctdb_unknown="Samba" not in exports.protocols or not exports.known,
            ),
            lines=refs,
            most_lines=REFS_MOST + EXPORTS_MOST,
            nodes=mount.nodes,
            borne_by=(len(refs), max(1, len(mount.nodes))),
            parts=(level,),
            weight=float(len(mount.options)),
        )


def _with_option(mount: Mount, exports: Exports) -> str:
    """Which gate a mount with the option does not pass; none where it may have it."""
    if len(mount.options) > 1:
        return "shared"
    if exports.clustered:
        return "ctdb"
    if any(any(map(OF_CLUSTER.match, mount.options[node])) for node in mount.without_locks):
        return "unlocked"
    return "protocols" if len(exports.protocols) > 1 else ""


def _without_option(mount: Mount, exports: Exports) -> str:
    """Exported without the option. It is never advised here: that nothing local uses the files cannot be read from a
    bundle.
    """
    if not exports.protocols:
        return ""
    return "outside" if len(mount.options) > 1 or len(exports.protocols) > 1 else "open"


@dataclass(frozen=True, slots=True)
class AloneWords:
    """fs: the lock space; member: the only one it has."""

    fs: str
    member: str


@rule("MT-06", needs=(Cluster, GlockFacts, Mounts), words=AloneWords)
def dlm_on_one_node(cluster: Cluster, glocks: GlockFacts, mounts: Mounts, limits: Limits) -> Iterator[Seen]:
    """Symptom: slow file system that one node alone uses.

    Reasoning: its lock space has one member.
    Source: members of the lock space.
    """
    alone = (space for space in cluster.lock_spaces() if len(space.members) == 1 and _is_used(space, glocks, mounts))
    for space in alone:
        words = AloneWords(space.name, space.members[0])
        yield Seen(level="alone", words=words, lines=(space.ref,), borne_by=(1, 1), parts=("now",))
        return


def _is_used(space: Space, glocks: GlockFacts, mounts: Mounts) -> bool:
    """Whether a dump or a mount of its file system is here."""
    dumped = any(fs is not None and lockspace_fits(space.name, fs) for _, fs in glocks.captures)
    return dumped or any(mount.where.rstrip("/").rsplit("/", 1)[-1] == space.name for mount in mounts.all)


@dataclass(frozen=True, slots=True)
class ReadOnlyWords:
    """nodes that mount it read-only; writers: those that may write."""

    mount: str
    nodes: Nodes
    writers: Nodes


@rule("MT-07", needs=(Mounts,), words=ReadOnlyWords)
def read_only(mounts: Mounts, limits: Limits) -> Iterator[Seen]:
    """Symptom: programs on one node can not write.

    Reasoning: the mount table shows ro, and no option by which that is meant (spectator, norecovery). GFS2 never turns
    itself read-only: it withdraws. Source: gfs2(5).
    """
    for mount in mounts.all:
        meant = set(mount.having("spectator", "norecovery"))
        nodes = [node for node in mount.having("ro") if node not in meant]
        if nodes:
            writers = mount.having("rw")
            yield Seen(
                level="differs" if writers else "all",
                words=ReadOnlyWords(mount.where, _sorted(nodes), _sorted(writers)),
                lines=_refs(mount, [*nodes, *writers]),
                nodes=nodes,
                borne_by=(len(nodes), len(nodes)),
                parts=("table",),
            )


@dataclass(frozen=True, slots=True)
class PiecesWords:
    """extents of the file; gib: its size."""

    file: str | None
    extents: float
    gib: float
    per_gib: float


@rule("FR-01", needs=(Records, GlockFacts, Mounts), words=PiecesWords)
def fragmented(records: Records, glocks: GlockFacts, mounts: Mounts, limits: Limits) -> Iterator[Seen]:
    """Symptom: one large file is read slowly.

    Reasoning: extents per GiB of files of a GiB and more.
    Source: filefrag; the limits are proposed.
    """
    if not _has_gfs2(records, glocks, mounts):
        return
    sizes: dict[tuple[str | None, str | None], float] = {}
    extents: dict[tuple[str | None, str | None], tuple[float, Ref]] = {}
    for one in records.of(Measurement, pl.col("what").is_in(["size", "extents"]), pl.col("value").is_not_null()):
        if one.what == "size":
            sizes[one.node, one.scope] = one.value or 0.0
        else:
            extents[one.node, one.scope] = (one.value or 0.0, one.ref)
    for (node, file), (number, ref) in extents.items():
        gib = sizes.get((node, file), 0.0) / GIB
        if gib >= limits.least_gib and (per_gib := number / gib) > limits.per_gib:
            yield Seen(
                level="high" if per_gib > limits.per_gib_high else "medium",
                words=PiecesWords(file, number, gib, per_gib),
                lines=(ref,),
                nodes=(node,),
                borne_by=(1, 1),
                parts=("both",),
                weight=per_gib,
            )


def _has_gfs2(records: Records, glocks: GlockFacts, mounts: Mounts) -> bool:
    """Extents are counted on any file system: only a case with GFS2 makes the file one of its files."""
    return glocks.any or bool(mounts.all) or any("gfs2" in run.command for run in records.of(CommandRun))
