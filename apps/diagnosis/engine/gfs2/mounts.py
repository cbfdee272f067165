"""Where GFS2 is mounted, with which options, and who exports it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import field
from functools import cached_property
from typing import Final

from apps.diagnosis.engine.core.words.metrics import setting
from apps.diagnosis.engine.gfs2.cluster import Cluster
from parsers.dataclass import dataclass
from parsers.records import Setting

LIVE: Final = setting("live-mounts")
PROTOCOL_OF_ONE_NODE: Final = "lock_nolock"


@dataclass
class Mount:
    """One file system, told apart by its device: its mount points and options, node by node."""

    device: str
    points: dict[str | None, Setting] = field(default_factory=dict)
    options: dict[str | None, tuple[str, ...]] = field(default_factory=dict)

    @property
    def nodes(self) -> tuple[str, ...]:
        return tuple(sorted(node for node in self.options if node))

    @property
    def where(self) -> str:
        """Its mount point, as the first node has it."""
        return next(iter(self.points.values())).scope or self.device

    def lacking(self, *names: str) -> list[str | None]:
        """Nodes whose options name none of these."""
        return [
            node for node, own in self.options.items() if not any(option.partition("=")[0] in names for option in own)
        ]

    def having(self, *options: str) -> list[str | None]:
        """Nodes with one of these options, as printed."""
        return [node for node, own in self.options.items() if any(option in options for option in own)]

    @property
    def without_locks(self) -> list[str | None]:
        """Nodes that mount it for themselves alone: their lock protocol asks nobody."""
        return [node for node, own in self.options.items() if any(map(_asks_nobody, own))]


def _asks_nobody(option: str) -> bool:
    name, _, value = option.partition("=")
    return name == "lockproto" and value == PROTOCOL_OF_ONE_NODE


@dataclass(frozen=True)
class Exports:
    """Who exports a directory: nodes by protocol, and whether Samba is clustered anywhere."""

    nfs: tuple[Setting, ...]
    samba: tuple[Setting, ...]
    clustered: tuple[Setting, ...]
    known: bool

    @property
    def protocols(self) -> tuple[str, ...]:
        return tuple(name for name, own in (("NFS", self.nfs), ("Samba", self.samba)) if own)


class Mounts:
    """Mounts of GFS2 and who exports them."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    @cached_property
    def all(self) -> list[Mount]:
        """Mounts that are in force, the last table of each node."""
        found: dict[str, Mount] = {}
        device_of: dict[tuple[str | None, str | None], str] = {}
        for value in self._cluster.values(("mount device", "mount options", "mount type"), LIVE):
            if value.name == "mount device":
                device_of[value.node, value.scope] = value.value
                found.setdefault(value.value, Mount(value.value)).points[value.node] = value
            elif value.name == "mount options" and (device := device_of.get((value.node, value.scope))) is not None:
                found[device].options[value.node] = tuple(value.value.split(","))
        return list(found.values())

    def exports_of(self, mount: Mount) -> Exports:
        """Exports at or below the mount points of a file system."""
        points = {value.scope.rstrip("/") for value in mount.points.values() if value.scope}
        by_name: dict[str, list[Setting]] = defaultdict(list)
        for value in self._cluster.values(("nfs export", "samba path", "samba clustering")):
            by_name[value.name].append(value)

        def below(value: Setting) -> bool:
            scope = (value.scope or "").rstrip("/")
            return any(scope == point or scope.startswith(f"{point}/") for point in points)

        clustered = [value for value in by_name["samba clustering"] if value.value.lower() in ("yes", "true", "1")]
        return Exports(
            tuple(filter(below, by_name["nfs export"])),
            tuple(filter(below, by_name["samba path"])),
            tuple(clustered),
            bool(by_name),
        )
