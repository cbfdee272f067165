"""Disks of Spectrum Scale by all their names: NSD, device on a node, id in the I/O history, number; servers
and states.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.prevailing import prevailing
from apps.diagnosis.engine.core.facts.records import Records, in_order
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.model import Ref
from parsers.dataclass import dataclass
from parsers.records import DAY_US, DiskName, Section
from parsers.records.states import ClusterMember

UP: Final = "up"
READY: Final = "ready"
AVAILABLE: Final = (UP, "down", "recovering", "unrecovered")
"""States of a disk in the tables that do not say what it holds, nor whether somebody suspended it."""


@dataclass(frozen=True, slots=True)
class Nsd:
    """One disk as a table shows it. ``servers`` are canonical names, the first one preferred."""

    name: str
    fs: str | None
    servers: tuple[str, ...]
    state: str | None
    usage: str | None
    ref: Ref
    at: int | None

    @property
    def is_up(self) -> bool:
        """Whether I/O goes to it, as far as is shown: a row may have lost the column that says so."""
        return _is_up(self.state)

    @property
    def is_ready(self) -> bool:
        """Whether nobody suspended or empties it."""
        return _is_ready(self.state)


def _is_up(state: str | None) -> bool:
    words = [] if state is None else state.split()
    return UP in words or words in ([], [READY])


def _is_ready(state: str | None) -> bool:
    return state in (None, UP) or READY in (state or "").split()


def short(device: str) -> str:
    """A device without its directory."""
    return device.rsplit("/", 1)[-1]


class ScaleNsds:
    """Disks of one case. Volumes of other products are left out: they have neither servers, an id nor a state of this
    product.
    """

    def __init__(self, store: Facts, nodes: Nodes, records: Records) -> None:
        self._store = store
        self._nodes = nodes
        self._records = records

    def _node(self, text: str) -> str:
        """A node by the name of this case; a full name is the node that dumps call by its first label."""
        name, label = self._nodes.name(text), text.split(".", 1)[0]
        return self._nodes.name(label) if name == text and label != text and self._nodes.has_dump(label) else name

    @cached_property
    def _named(self) -> tuple[DiskName, ...]:
        if not self._store.has(DiskName):
            return ()
        ours = (pl.col("servers") != "") | pl.any_horizontal(pl.col("uid", "usage", "fs").is_not_null())
        ours = ours | pl.col("state").is_in(AVAILABLE)
        ours = ours & ~pl.col("device").fill_null("").str.starts_with("/dev/vx/")
        rows = in_order(self._store.frame(DiskName), ours)
        return tuple(DiskName(**row) for row in rows.iter_rows(named=True))

    @cached_property
    def by_device(self) -> dict[tuple[str, str], tuple[str, Ref]]:
        """NSD by node and device."""
        return {
            (self._node(one.node), short(one.device)): (one.name, one.ref)
            for one in self._named
            if one.node and one.device
        }

    @cached_property
    def devices(self) -> dict[tuple[str, str], str]:
        """Device by node and NSD."""
        return {(node, name): device for (node, device), (name, _) in self.by_device.items()}

    @cached_property
    def by_uid(self) -> dict[str, str]:
        """NSD by the id that the I/O history of a client shows."""
        return {one.uid: one.name for one in self._named if one.uid}

    @cached_property
    def uids(self) -> dict[str, str]:
        """Id by NSD."""
        return {name: uid for uid, name in self.by_uid.items()}

    def name_of(self, node: str | None, disk: str) -> tuple[str, Ref] | None:
        """The NSD that a device of a node is."""
        return self.by_device.get((node or "", short(disk)))

    @cached_property
    def servers(self) -> dict[str, tuple[tuple[str, ...], Ref]]:
        """Servers of each NSD in their order."""
        found: dict[str, tuple[tuple[str, ...], Ref]] = {}
        for one in self._named:
            if one.servers:
                names = tuple(self._node(server) for server in one.servers.split())
                found[one.name] = (names, one.ref)
        return found

    @cached_property
    def file_systems(self) -> dict[str, str]:
        """File system of each NSD, where a table tells."""
        return {one.name: one.fs for one in self._named if one.fs}

    @cached_property
    def states(self) -> tuple[Nsd, ...]:
        """Disks with a state, each as the last table shows it, or the one that shows it worst."""
        full = {(self._fs_of(one), one.name) for one in self._named if one.state is not None and one.usage is not None}
        found = prevailing(
            (one for one in self._named if self._has_state(one, full)),
            self._store.paths,
            lambda one: (self._fs_of(one), one.name),
            lambda one: not (_is_up(one.state) and _is_ready(one.state)),
        )
        return tuple(
            Nsd(one.name, fs, self.servers.get(one.name, ((), None))[0], one.state, one.usage, one.ref, one.at)
            for (fs, _), one in found.items()
        )

    def _fs_of(self, one: DiskName) -> str | None:
        return one.fs or self.file_systems.get(one.name)

    def _has_state(self, one: DiskName, full: Collection[tuple[str | None, str]]) -> bool:
        """Whether a row tells how its disk stands; one without its use only where no table shows more of the disk."""
        if one.usage is not None or one.state is None:
            return one.state is not None
        return one.state in AVAILABLE and (self._fs_of(one), one.name) not in full

    @cached_property
    def thin(self) -> dict[str | None, tuple[str, Ref]]:
        """By file system: a disk that is thin or NVMe in its table, with what the table says."""
        return {
            one.fs: (f"{one.name}: {one.thin}", one.ref)
            for one in self._named
            if (one.thin or "no").lower() not in ("no", "none", "auto")
        }

    def returned(self, gone: Sequence[tuple[str | None, int | None, Ref]]) -> bool:
        """Whether a listing shows each of some nodes active after the moment, or the line, at which it went."""
        return bool(gone) and all(
            node is not None
            and (state := self.node_states.get(self._node(node))) is not None
            and state.standing == "up"
            and self._is_later(state, at, ref)
            for node, at, ref in gone
        )

    def _is_later(self, state: ClusterMember, at: int | None, ref: Ref) -> bool:
        """By the dates of both; else by the order of one text, in which a mail stands above the one that it quotes."""
        if at is not None and state.at is not None and at >= DAY_US and state.at >= DAY_US:
            return state.at > at
        if state.at is not None or state.artifact != ref.artifact:
            return False
        depth = self._depth(ref.artifact, ref.line) - self._depth(state.artifact, state.line)
        return depth > 0 or (depth == 0 and state.line > ref.line)

    def _depth(self, artifact: int, line: int) -> int:
        """How deep a line is quoted."""
        return next((deep for first, last, deep in self._quoted.get(artifact, ()) if first <= line <= last), 0)

    @cached_property
    def _quoted(self) -> dict[int, list[tuple[int, int, int]]]:
        """Stretches of quoted sections by artifact, each with its depth."""
        found = defaultdict[int, list[tuple[int, int, int]]](list)
        if self._records.has(Section):
            rows = self._records.scan(Section).filter(pl.col("quoted").is_not_null())
            for artifact, *stretch in rows.select("artifact", "line", "last_line", "quoted").collect().iter_rows():
                found[artifact].append((stretch[0], stretch[1], stretch[2]))
        return found

    @cached_property
    def node_states(self) -> dict[str, ClusterMember]:
        """How the daemon of each node stands, as the last table shows it, or the one that shows it worst."""
        rows = [one for one in self._records.of(ClusterMember) if one.layer == "daemon" and one.member]
        paths = self._store.paths
        return prevailing(rows, paths, lambda one: self._node(one.member or ""), lambda one: one.standing != "up")
