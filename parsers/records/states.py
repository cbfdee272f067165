"""Records of how a thing stands: paths, links, members, groups, services, storage and room.

Columns and times are those of ``parsers.records``.
"""

from __future__ import annotations

from typing import Literal

from parsers.dataclass import dataclass
from parsers.records import Record, col

PathStanding = Literal["up", "down", "standby", "unknown"]
PathLayer = Literal["device-mapper", "dmp", "mpio", "unknown"]
LinkStanding = Literal["up", "down", "unknown"]
NodeStanding = Literal["up", "down", "joining", "leaving", "unclean", "unknown"]
GroupStanding = Literal["normal", "changing", "waiting", "stopped", "jeopardy", "visible", "unknown"]
HealthStanding = Literal["healthy", "hint", "degraded", "failed", "unknown"]
StorageStanding = Literal["healthy", "hint", "degraded", "failing", "missing", "failed", "unknown"]
ServiceStanding = Literal[
    "online", "partial", "offline", "missing", "disabled", "faulted", "changing", "unsure", "unknown"
]
Layer = Literal["heartbeat", "membership", "fencing", "locks", "volumes", "services", "daemon"]
GroupSort = Literal[
    "port",
    "link port",
    "lock space",
    "fence domain",
    "fencing driver",
    "mount group",
    "daemon group",
    "leases",
    "volumes",
]
Role = Literal["cluster manager", "file system manager", "volume master", "file system primary"]
RoomStanding = Literal["free", "tight", "spent", "full", "unknown"]
RoomSort = Literal[
    "file system", "inodes of", "pool", "fileset", "quota of", "inode quota of", "disk", "paging space", "file handles"
]
ServiceSort = Literal["group", "resource", "mount", "unit", "remote cluster", "other"]
NOT_ANSWERED = ("not reached", "not reached by the remote shell")
"""States of members that stand in a list of those that did not answer, which leaves out those that did."""
ListedStanding = Literal["good", "hint", "wrong", "unknown"]
StorageSort = Literal[
    "disk",
    "mirrored disk",
    "disk group",
    "volume group",
    "volume",
    "plex",
    "subdisk",
    "recovery group",
    "array",
    "map",
    "controller",
    "battery",
    "write cache",
    "replication link",
    "replicated volume group",
    "disk path",
    "path",
    "session",
    "pool",
    "virtual disk",
    "brick",
]


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Statement(Record):
    """What a tool of one node says at one time. ``source`` is for people: no rule compares it, the kind of a record is
    its meaning.

    Kinds that follow keep the ``state`` as printed, for people, beside a ``standing`` that is one word over all tools,
    for rules.
    """

    node: str | None = col("node that says so", discloses="host")
    at: int | None = col("time of capture", unit="us")
    zone_min: int | None = col("offset from UTC", unit="min")
    source: str = col("tool", default="")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class DiskPath(Statement):
    """A path to a disk below a multipath map or a DMP node; without a device: the map has no path at all."""

    map: str | None = col("map or disk that the path leads to", discloses="disk")
    device: str | None = col("device of the path", discloses="disk")
    address: str | None = col("host:channel:id:lun", discloses="address")
    state: str | None = col("as printed")
    standing: PathStanding = col("up | down | standby (usable, not used by choice) | unknown", default="unknown")
    layer: PathLayer = col(
        "what joins the paths: device-mapper (multipath) | dmp (Veritas) | mpio (AIX) | unknown",
        default="unknown",
        added=True,
    )


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Interface(Statement):
    """A network interface, or one more address of it."""

    name: str | None = col("interface", discloses="disk")
    address: str | None = col("its address", discloses="address")
    state: str | None = col("state or flags as printed")
    standing: LinkStanding = col("up | down | unknown", default="unknown")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class HeartbeatLink(Statement):
    """A private link of the cluster's heartbeat: as it reaches a peer; without a peer, as the node itself has it."""

    peer: str | None = col("node at the other end", discloses="host", is_node=True)
    link: str | None = col("tag of the link", discloses="disk")
    address: str | None = col("its address", discloses="address")
    state: str | None = col("as printed")
    standing: LinkStanding = col("up | down | unknown", default="unknown")
    priority: str | None = col("how it is used, as printed: hipri | lowpri")
    protocol: Literal["llt", "totem"] = col("llt | totem (corosync)", default="llt", added=True)


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Connection(Statement):
    """A connection between two daemons of a cluster file system, over TCP or RDMA."""

    peer: str | None = col("node at the other end", discloses="host", is_node=True)
    link: str | None = col("transport and number, such as 'tcp 0' or 'RDMA mlx5_0/1 0'", discloses="disk")
    address: str | None = col("address of the peer", discloses="address")
    state: str | None = col("as printed, with counts of errors")
    standing: LinkStanding = col("up | down | unknown", default="unknown")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class ClusterMember(Statement):
    """How a node stands in one layer of its cluster."""

    member: str | None = col("node whose state it is", discloses="host", is_node=True)
    layer: Layer = col("heartbeat | membership | fencing | locks | volumes | services | daemon", default="membership")
    of: str | None = col("lock space, where the state is of one alone", discloses="path")
    generation: str | None = col("generation or sequence as printed")
    state: str | None = col("as printed")
    standing: NodeStanding = col(
        "up | down | joining (or waiting to) | leaving (or left on purpose) | unclean (gone, and not yet "
        "fenced) | unknown",
        default="unknown",
    )


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Membership(Statement):
    """Who belongs to a group as one node sees it."""

    sort: GroupSort = col(
        "port (GAB) | link port (LLT) | lock space | fence domain | fencing driver (of a node) | mount group"
        " | daemon group | leases | volumes",
        default="port",
    )
    group: str | None = col("name of the group; None where no group is left", discloses="host")
    generation: str | None = col("generation or sequence as printed")
    members: str = col("members as printed, parted by one blank", discloses="host", default="")
    state: str | None = col("as printed")
    standing: GroupStanding = col(
        "normal | changing | waiting | stopped | jeopardy | visible | unknown", default="unknown"
    )
    waits_for: str | None = col("what it waits for where that is said: fencing, quorum ...")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Quorum(Statement):
    """Whether the cluster, as one node sees it, has quorum."""

    layer: Layer = col("membership | daemon: of whose members", default="membership")
    group: str = col("what the tool calls it", default="quorum")
    generation: str | None = col("ring as printed")
    members: str = col("nodes that vote, parted by one blank", discloses="host", default="")
    state: str | None = col("as printed")
    quorate: bool | None = col("whether it has quorum; None where it is not said")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Manager(Statement):
    """The node that manages something for all others."""

    role: Role = col(
        "cluster manager | file system manager | volume master | file system primary", default="cluster manager"
    )
    of: str | None = col("file system or mount that it manages", discloses="path")
    manager: str | None = col("the node", discloses="host", is_node=True)


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class HealthState(Statement):
    """What a health monitor says of a component or of one of its parts."""

    component: str | None = col("component, and its part behind a blank", discloses="host")
    state: str | None = col("as printed, with the reasons")
    standing: HealthStanding = col("healthy | hint | degraded | failed | unknown", default="unknown")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class ServiceState(Statement):
    """State of what a cluster starts, stops and moves: a service group, a resource, a mount."""

    sort: ServiceSort = col("group | resource | mount | unit (of the system) | remote cluster | other", default="group")
    group: str | None = col("service group; the mount itself; of a resource its group", discloses="host")
    resource: str | None = col("resource", discloses="host")
    resource_type: str | None = col("type of the resource")
    on: str | None = col("node that it stands on", discloses="host", is_node=True)
    state: str | None = col("as printed")
    standing: ServiceStanding = col(
        "online | partial | offline | missing (offline where it ought to run) | disabled (off on purpose) | faulted "
        "| changing | unsure (its monitor can not tell) | unknown",
        default="unknown",
    )


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class StorageState(Statement):
    """How a part of the storage stands: a disk, what is built of disks, or what leads to them."""

    sort: StorageSort = col("what it is", default="disk")
    name: str | None = col("its name", discloses="disk")
    of: str | None = col("what it belongs to: disk group, volume, array ...", discloses="disk")
    lies_on: str | None = col("what it lies on: the disk of a subdisk", discloses="disk")
    state: str | None = col("as printed")
    standing: StorageStanding = col(
        "healthy | hint | degraded | failing (requests to it end with errors) | missing (its group does without it; "
        "whether another copy is left is not shown) | failed | unknown",
        default="unknown",
    )
    identity: str | None = col("what all nodes know it by: the id of a disk group", discloses="disk", added=True)


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Room(Statement):
    """How much of something that can be filled is taken."""

    sort: RoomSort = col("what it is", default="file system")
    name: str | None = col("its name: file system or mount, pool, fileset, user", discloses="path")
    of: str | None = col("the file system that it is a part of", discloses="path")
    share: float | None = col("share that is taken, as printed", unit="%")
    left: float | None = col("share that users may still take, by the amounts", unit="%")
    size: float | None = col("size of a file system as printed", unit="KiB", added=True)
    state: str | None = col("what is taken and left, in words")
    standing: RoomStanding = col(
        "free | tight (little is left) | spent (a limit of its own is reached, others have room) | full | unknown",
        default="unknown",
    )


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class ListedState(Statement):
    """A row of a table, or a value, that shows a state, of a tool that has no reader of its own."""

    name: str | None = col("what the row is about: its first cell that is a word", discloses="text")
    on: str | None = col("node on which it is, by a column of the row", discloses="host", added=True)
    state: str | None = col("as printed")
    standing: ListedStanding = col("good | hint | wrong | unknown, by one list of words", default="unknown")
    row: str = col("all cells under their headings", discloses="text", default="")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class FencingSwitch(Statement):
    """Whether a cluster may fence at all."""

    state: str | None = col("as printed")
    standing: Literal["on", "off", "unknown"] = col("on | off | unknown", default="unknown")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class FencingKeys(Statement):
    """Registration keys of I/O fencing on one disk."""

    device: str | None = col("disk", discloses="disk")
    holders: str = col("nodes or keys, parted by one blank", discloses="host", default="")
    clusters: str = col("ids of the clusters whose keys they are, parted by one blank", default="", added=True)
    count: int | None = col("keys")
    state: str | None = col("number of keys in words")
