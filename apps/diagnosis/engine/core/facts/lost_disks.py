"""What listings of one moment show to be lost with a disk: subdisks lie on it, plexes are made of them and volumes of
plexes, and a disk group goes when too many of its disks do. Each of them has a row of its own there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from apps.diagnosis.engine.core.words.standings import object_of
from parsers.records.states import StorageState

Place = tuple[str | None, str]
_BAD: Final = ("failed", "failing", "degraded")
_GROUPS: Final = ("disk group", "volume group")
_DISKS: Final = ("disk", "mirrored disk")
_WITHOUT_DEVICE: Final = ("NODEVICE", "NODAREC", "REMOVED", "IOFAIL")


def lost_with(states: Iterable[StorageState]) -> Mapping[Place, str]:
    """By node and object: the disk whose failure its node shows to have taken it along."""
    by_node = defaultdict[str | None, list[StorageState]](list)
    for one in states:
        if one.standing in _BAD:
            by_node[one.node].append(one)
    found: dict[Place, str] = {}
    for node, bad in by_node.items():
        disks = {one.name: one for one in reversed(bad) if one.sort in _DISKS and one.standing == "failed" and one.name}
        if disks:
            found.update({(node, object_of(one)): object_of(disk) for one, disk in _followed(bad, disks)})
    return found


def _followed(
    bad: Iterable[StorageState], disks: Mapping[str, StorageState]
) -> Iterable[tuple[StorageState, StorageState]]:
    """Parts of volumes and groups, each with its disk: from the subdisks up."""
    rows = list(bad)
    parts = dict[str | None, StorageState]()
    found = []
    for sort in ("subdisk", "plex", "volume"):
        above = dict[str | None, StorageState]()
        for one in rows:
            disk = _disk_of(one, disks, parts) if one.sort == sort else None
            if disk is not None:
                found.append((one, disk))
                above.setdefault(one.of, disk)
        parts = above
    of_groups = {disk.of: disk for disk in disks.values() if disk.of}
    return [*found, *((one, of_groups[one.name]) for one in rows if one.sort in _GROUPS and one.name in of_groups)]


def _disk_of(
    one: StorageState, disks: Mapping[str, StorageState], parts: Mapping[str | None, StorageState]
) -> StorageState | None:
    """The disk that it lies on, by its row, by its parts, or by its name: subdisks are called after their disk."""
    if one.sort == "subdisk":
        return disks.get(one.lies_on or (one.name or "").rpartition("-")[0])
    if one.sort == "plex" and one.name not in parts and len(disks) == 1:
        return next(iter(disks.values())) if (one.state or "").endswith(_WITHOUT_DEVICE) else None
    return parts.get(one.name)
