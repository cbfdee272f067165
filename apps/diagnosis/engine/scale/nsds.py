"""Disks of Spectrum Scale by all their names: NSD, device on a node, id in the I/O history, number; servers
and states.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final

import polars as pl

from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.nodes import Nodes
from apps.diagnosis.engine.core.records import Records, in_order
from apps.diagnosis.engine.core.store import Facts
from parsers.dataclass import dataclass
from parsers.records import DiskName
from parsers.state_records import ClusterMember

UP: Final = "up"
READY: Final = "ready"
AVAILABLE: Final = (UP, "down", "recovering", "unrecovered")
"""States of a disk in the tables that do not say what it holds, nor whether somebody suspended it."""


@dataclass(frozen=True, slots=True)
class Nsd:
    """One disk as a table shows it last. ``servers`` are canonical names, the first one preferred."""

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
        words = [] if self.state is None else self.state.split()
        return UP in words or words in ([], [READY])

    @property
    def is_ready(self) -> bool:
        """Whether nobody suspended or empties it."""
        return self.state in (None, UP) or READY in (self.state or "").split()


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
    def _rows(self) -> list[dict[str, Any]]:
        ours = (pl.col("servers") != "") | pl.any_horizontal(pl.col("uid", "usage", "fs").is_not_null())
        ours = ours | pl.col("state").is_in(AVAILABLE)
        ours = ours & ~pl.col("device").fill_null("").str.starts_with("/dev/vx/")
        return in_order(self._store.frame(DiskName), ours).to_dicts()

    @cached_property
    def by_device(self) -> dict[tuple[str, str], tuple[str, Ref]]:
        """NSD by node and device."""
        return {
            (self._node(row["node"]), short(row["device"])): (row["name"], Ref(row["artifact"], row["line"]))
            for row in self._rows
            if row["node"] and row["device"]
        }

    @cached_property
    def devices(self) -> dict[tuple[str, str], str]:
        """Device by node and NSD."""
        return {(node, name): device for (node, device), (name, _) in self.by_device.items()}

    @cached_property
    def by_uid(self) -> dict[str, str]:
        """NSD by the id that the I/O history of a client shows."""
        return {row["uid"]: row["name"] for row in self._rows if row["uid"]}

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
        for row in self._rows:
            if row["servers"]:
                names = tuple(self._node(server) for server in row["servers"].split())
                found[row["name"]] = (names, Ref(row["artifact"], row["line"]))
        return found

    @cached_property
    def file_systems(self) -> dict[str, str]:
        """File system of each NSD, where a table tells."""
        return {row["name"]: row["fs"] for row in self._rows if row["fs"]}

    @cached_property
    def states(self) -> tuple[Nsd, ...]:
        """Disks with a state, each as the last table shows it."""
        found: dict[tuple[str | None, str], Nsd] = {}
        for row in self._rows:
            fs = row["fs"] or self.file_systems.get(row["name"])
            has_better = row["usage"] is None and (row["state"] not in AVAILABLE or (fs, row["name"]) in found)
            if row["state"] is None or has_better:
                continue
            servers = self.servers.get(row["name"], ((), None))[0]
            found[fs, row["name"]] = Nsd(
                row["name"], fs, servers, row["state"], row["usage"], Ref(row["artifact"], row["line"]), row["at"]
            )
        return tuple(found.values())

    @cached_property
    def thin(self) -> dict[str | None, tuple[str, Ref]]:
        """By file system: a disk that is thin or NVMe in its table, with what the table says."""
        return {
            row["fs"]: (f"{row['name']}: {row['thin']}", Ref(row["artifact"], row["line"]))
            for row in self._rows
            if (row["thin"] or "no").lower() not in ("no", "none", "auto")
        }

    @cached_property
    def node_states(self) -> dict[str, ClusterMember]:
        """How the daemon of each node stands, as the last table shows it."""
        return {
            self._node(one.member): one
            for one in self._records.of(ClusterMember)
            if one.layer == "daemon" and one.member
        }
