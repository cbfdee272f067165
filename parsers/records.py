"""Every kind of record a parser yields: one name per thing over all products.

A record is a row of columns. Each field states its unit, its meaning and what it ``discloses`` when shown to an
outsider (``nothing``, ``host``, ``address``, ``user``, ``path``, ``disk`` or ``text``); masking for share links follows
from that alone.

Times are integers: microseconds of the wall clock as printed, counted from 1970-01-01T00:00 *without* conversion to
another zone. A value below ``DAY_US`` is a time of day whose date is unknown; one within ``OPEN_YEARS_US`` is a moment
whose year is unknown (see ``parsers.years``). ``zone_min`` is the offset from UTC in minutes where the text gives it,
else None.
"""

from __future__ import annotations

from dataclasses import field, fields
from functools import cache
from typing import Any, Final, Literal

from parsers.dataclass import dataclass

DAY_US: Final = 86_400_000_000
OPEN_YEARS_US: Final = (730 * DAY_US, 3652 * DAY_US)  # 1972 to 1979
Discloses = Literal["nothing", "host", "address", "user", "path", "disk", "text"]
PathStanding = Literal["up", "down", "standby", "unknown"]
PathLayer = Literal["device-mapper", "dmp", "unknown"]
LinkStanding = Literal["up", "down", "unknown"]
NodeStanding = Literal["up", "down", "joining", "leaving", "unclean", "unknown"]
GroupStanding = Literal["normal", "changing", "waiting", "stopped", "jeopardy", "visible", "unknown"]
HealthStanding = Literal["healthy", "hint", "degraded", "failed", "unknown"]
ServiceStanding = Literal[
    "online", "partial", "offline", "missing", "disabled", "faulted", "changing", "unsure", "unknown"
]
Layer = Literal["heartbeat", "membership", "fencing", "locks", "volumes", "services", "daemon"]
GroupSort = Literal["port", "link port", "lock space", "fence domain", "mount group", "daemon group", "volumes"]
Role = Literal["cluster manager", "file system manager", "volume master", "file system primary"]
RoomStanding = Literal["free", "tight", "spent", "full", "unknown"]
RoomSort = Literal["file system", "inodes of", "pool", "fileset", "quota of", "inode quota of", "disk", "paging space"]
ServiceSort = Literal["group", "resource", "mount", "unit", "remote cluster", "other"]
ListedStanding = Literal["good", "hint", "wrong", "unknown"]
StorageSort = Literal[
    "disk",
    "mirrored disk",
    "disk group",
    "volume",
    "plex",
    "subdisk",
    "recovery group",
    "array",
    "map",
    "controller",
    "battery",
    "replication link",
    "replicated volume group",
    "path",
    "session",
]


def col(
    meaning: str,
    *,
    unit: str = "",
    discloses: Discloses = "nothing",
    default: Any = None,
    is_node: bool = False,
    added: bool = False,
) -> Any:
    """A column of a record: its meaning, its unit, what it gives away, and whether it names a node by any of its
    spellings.

    added: facts that an older release has put down lack it; they are read with its default.
    """
    metadata = {"meaning": meaning, "unit": unit, "discloses": discloses, "is_node": is_node, "added": added}
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True)
class Ref:
    """Lines of an artifact that a claim rests on."""

    artifact: int
    line: int
    last_line: int | None = None


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Record:
    """Common to all records. ``line`` counts from 1 in the artifact; 0 means "the artifact as a whole".

    ``artifact`` is the number of the artifact in its case: no parser knows it; it is filled in where a record is read
    back. Nobody changes one once it is made; they are not frozen, as making a frozen one takes three times as long.
    """

    line: int = 0
    artifact: int = 0

    @classmethod
    @cache
    def columns(cls) -> tuple[str, ...]:
        """Field names in the order of definition, without ``artifact``; the columns of its Parquet file."""
        return tuple(f.name for f in fields(cls) if f.name != "artifact")

    @classmethod
    def node_columns(cls) -> tuple[str, ...]:
        """Columns that name a node, by whichever of its spellings."""
        return tuple(f.name for f in fields(cls) if f.name == "node" or f.metadata.get("is_node"))

    @property
    def ref(self) -> Ref:
        """Where it stands, once it is read back."""
        return Ref(self.artifact, self.line)


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Section(Record):
    """A stretch of a file with one format, node and capture time. ``line`` is its first line."""

    index: int = col("ordinal inside the artifact, from 0", default=0)
    format: str = col("name of the parser that read it; empty when nothing claimed it", default="")
    last_line: int = col("last line, inclusive", default=0)
    node: str | None = col("node the section speaks about", discloses="host")
    node_basis: str = col(
        "how the node is known: line prefix | prompt | heading | ordinal | header | path | content | unknown",
        default="unknown",
    )
    command: str | None = col("command at the prompt or in the banner that produced it", discloses="text")
    scope: str | None = col("mount point, cluster, link or disk the section speaks about", discloses="path")
    at: int | None = col("time of capture, wall clock as printed; of the first one where there are several", unit="us")
    last_at: int | None = col("time of the last capture in it", unit="us")
    zone_min: int | None = col("offset of the printed clock from UTC", unit="min")
    zone_name: str | None = col("zone as printed, such as AEDT")
    resolution_us: int = col("how exact the time of capture is", unit="us", default=1_000_000)
    records: int = col("records read from it", default=0)
    understood: int = col("lines understood", unit="lines", default=0)
    ignored: int = col("lines that carry no data (blank, prose, headings)", unit="lines", default=0)
    not_understood: int = col("lines a parser should have understood and did not", unit="lines", default=0)
    last_zone_min: int | None = col("offset of the last capture where it is another one", unit="min", added=True)
    foreign: bool | None = col("log of which nobody here listens to any program", added=True)


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Repeat(Record):
    """Lines ``line`` to ``last_line`` say again what stands from ``of`` on: a page exported twice. Records there do not
    count.
    """

    last_line: int = col("last repeated line, inclusive", default=0)
    of: int = col("first line of the earlier text", default=0)


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Skipped(Record):
    """One line that was not understood (kept up to a limit per artifact; all are counted in the section)."""

    reason: str = col("why, in a few words", default="")
    shape: str = col("the line with numbers and addresses blanked, to group by", discloses="text", default="")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Problem(Record):
    """What could not be read, or only in part, with what to do about it."""

    message: str = col("one sentence for the reader", discloses="text", default="")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class WaiterShape(Record):
    """The text of a waiter without addresses, times and ids: many waiters share one. ``shape`` is its number."""

    shape: int = col("number inside the artifact", default=0)
    style: str = col("old | new | Y | deadlock | note", default="new")
    thread: str | None = col("thread name as printed")
    wait_kind: str | None = col("ThCond or ThMutex; None where the wait is of another sort")
    wait_name: str | None = col("name of the condition variable or mutex")
    reason: str | None = col(
        "reason as printed, without quotes; the auxiliary text ('for ...') where there is no reason"
    )
    aux: str | None = col("auxiliary text that starts with 'for', 'calling', 'delaying' ...", discloses="text")
    rpc: str | None = col("message name of the RPC waited for")
    target: str | None = col("node waited for: name, address or cNnM as found", discloses="address")
    target_index: str | None = col("cNnM printed beside the target")
    object: str | None = col("disk or device waited for", discloses="disk")
    monitored: bool | None = col("monitored (True) or ignored (False) by the deadlock detector")
    long: bool = col("marked (Long): the detector tolerates it", default=False)
    delay_s: float | None = col("deliberate sleep", unit="s")
    complete: bool = col("False when the line was cut or lost parts", default=True)


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Waiter(Record):
    """One waiting thread of mmfsd in one dump. Text that many share is in WaiterShape."""

    node: str | None = col("node the thread runs on", discloses="host")
    at: int | None = col("time of the dump", unit="us")
    zone_min: int | None = col("offset from UTC", unit="min")
    since: int | None = col("start of the wait as printed", unit="us")
    seconds: float | None = col("age of the wait", unit="s")
    address: int | None = col("address of the thread object (old style, -Y)")
    thread_id: int | None = col("operating-system thread id (new style, -Y)")
    wait_address: int | None = col("address of the condition variable or mutex")
    shape: int = col("number of its WaiterShape in the same artifact", default=0)


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class DeadlockFact(Record):
    """What `mmdiag --deadlock` prints beside its waiters: thresholds, dependants, the overload verdict."""

    node: str | None = col("node it holds for", discloses="host")
    at: int | None = col("time of the dump", unit="us")
    zone_min: int | None = col("offset from UTC", unit="min")
    what: str = col("threshold | threshold_short | depends_on | overloaded | overload_index", default="")
    value: float | None = col("seconds of a threshold, the index, or 1/0 for overloaded")
    name: str | None = col("node name of depends_on, cluster name of overloaded", discloses="host")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Counter(Record):
    """One value of one named counter or gauge in one sample."""

    node: str | None = col("node", discloses="host")
    scope: str | None = col("mount point, port, link; None for the whole node", discloses="path")
    source: str = col("tool and report, such as 'vxfsstat -s'", default="")
    name: str = col("name as the tool prints it", default="")
    kind: str = col("gauge | cumulative | delta", default="gauge")
    unit: str = col("unit of the value", default="")
    value: float | None = col("value; None where the text shows it has no meaning (a rate of nothing)")
    at: int | None = col("end of the sample", unit="us")
    zone_min: int | None = col("offset from UTC", unit="min")
    interval_s: float | None = col("length of a delta sample", unit="s")
    sample: int = col("line of the sample's header: rows of one sample share it", default=0)
    filtered: bool = col("absent rows of this sample are unknown or zero by a filter, see `zero_filter`", default=False)
    zero_filter: bool = col("a filter dropped exactly the rows whose counters were all zero", default=False)


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Setting(Record):
    """A tunable in force, or one set by a command in a transcript."""

    node: str | None = col("node", discloses="host")
    scope: str | None = col("mount point, cluster, link, disk", discloses="path")
    source: str = col("tool", default="")
    name: str = col("name as printed", default="")
    value: str = col("value as printed", default="")
    default: str | None = col("default, where the text states it")
    at: int | None = col("time of capture", unit="us")
    zone_min: int | None = col("offset from UTC", unit="min")
    set_here: bool = col("True when a command at a prompt set it and the tool confirmed", default=False)
    mark: str | None = col("sign in front of the name, as printed: '!', '#' or '*'")
    note: str | None = col("remark in parentheses behind the value, as printed", discloses="text")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Measurement(Record):
    """A figure that a measuring tool printed (time, dd, fio ...)."""

    node: str | None = col("node", discloses="host")
    tool: str = col("tool", default="")
    what: str = col("what was measured, such as 'real'", default="")
    value: float | None = col("value")
    unit: str = col("unit", default="")
    command: str | None = col("the command measured", discloses="text")
    at: int | None = col("when, if known", unit="us")
    zone_min: int | None = col("offset from UTC", unit="min")
    scope: str | None = col("what the figure is of: the image of a symbol, the target of a copy", discloses="path")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class CommandRun(Record):
    """A command at a prompt, with its place: what later lines are to be read by (its output's count, its filter)."""

    node: str | None = col("node", discloses="host")
    node_basis: str = col("how the node is known", default="unknown")
    command: str = col("the command", discloses="text", default="")
    output_count: int | None = col("the number it printed when it ends in `wc -l`")
    at: int | None = col("when, if known", unit="us")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Glock(Record):
    """A GFS2 glock that somebody holds, waits for, or was asked to release. Idle ones are counted (GlockCount)."""

    node: str | None = col("node", discloses="host")
    at: int | None = col("time of the dump", unit="us")
    zone_min: int | None = col("offset from UTC", unit="min")
    fs: str | None = col("cluster:filesystem", discloses="path")
    dump: int = col("first line of the dump it stands in", default=0)
    object: str = col("type/number in hexadecimal, such as 2/2f91c7, also where the kernel printed decimal", default="")
    type: int = col("glock type 1 to 9", default=0)
    number: int = col("number: disk block, inode, journal id", default=0)
    state: str = col("UN SH DF EX IV ??", default="")
    target: str = col("state asked of the DLM", default="")
    demote: str = col("state it shall be demoted to", default="")
    demote_us: int | None = col("how long the demote request has been pending", unit="us")
    flags: str = col("letters as printed", default="")
    min_hold: int | None = col("minimum hold time", unit="jiffies")
    pages: int | None = col("page-cache pages", unit="pages")
    inode_type: int | None = col("directory entry type of the inode: 4 directory, 8 file")
    inode_size: int | None = col("size of the inode", unit="B")
    generation: str = col("layout of the line, G0 to G4", default="")
    holders: int = col("granted holder lines", default=0)
    waiters: int = col("waiting holder lines", default=0)
    complete: bool = col("False when the line was cut", default=True)


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class GlockHolder(Record):
    """An H line below a glock: a process that holds it or waits for it."""

    node: str | None = col("node", discloses="host")
    at: int | None = col("time of the dump", unit="us")
    zone_min: int | None = col("offset from UTC", unit="min")
    fs: str | None = col("cluster:filesystem", discloses="path")
    dump: int = col("first line of the dump it stands in", default=0)
    glock: str = col("type/number of the glock above", default="")
    glock_line: int = col("line of that glock", default=0)
    position: int = col("place in the queue, from 0", default=0)
    state: str = col("state held or asked for", default="")
    flags: str = col("letters as printed", default="")
    error: int = col("error code, 0 or negative errno", default=0)
    pid: int = col("process id", default=0)
    command: str | None = col("process name", discloses="user")
    function: str | None = col("kernel function that queued it")
    waiting: bool = col("not granted: W, or a request just made (neither W nor H)", default=False)
    granted: bool = col("H", default=False)
    complete: bool = col("False when the line was cut", default=True)


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class GlockCount(Record):
    """Idle glocks of one dump: only their number by type and state is kept."""

    node: str | None = col("node", discloses="host")
    at: int | None = col("time of the dump", unit="us")
    zone_min: int | None = col("offset from UTC", unit="min")
    fs: str | None = col("cluster:filesystem", discloses="path")
    dump: int = col("first line of the dump", default=0)
    type: int = col("glock type", default=0)
    state: str = col("state", default="")
    count: int = col("glocks", default=0)


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class NodeAlias(Record):
    """Another spelling of a node that a table states: address, full name, admin name, cNnM index, id."""

    node: str = col("name of the node", discloses="host", default="")
    alias: str = col("the other spelling", discloses="address", default="")
    kind: str = col("address | name | index | id", default="name")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class NodeNamed(Record):
    """A node of which a message speaks besides what it is about: the first line of a section that names it."""

    node: str | None = col("node that wrote it", discloses="host")
    named: str | None = col("the node that is named", discloses="host", is_node=True)


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class DiskIo(Record):
    """I/O of one device: one request of an I/O history (count 1), or what a tool counted over an interval."""

    node: str | None = col("node that counted it", discloses="host")
    at: int | None = col("start of the request, or end of the interval", unit="us")
    zone_min: int | None = col("offset from UTC", unit="min")
    source: str = col("tool and report, such as 'iohist' or 'iostat -x'", default="")
    device: str | None = col("disk, NSD, volume or path as printed", discloses="disk")
    op: str = col("read | write | other; empty where both are counted together", default="")
    count: float | None = col(
        "requests; requests per second where interval_s is set and the tool prints rates: see `per_s`"
    )
    per_s: bool = col("count and bytes are per second", default=False)
    bytes: float | None = col("bytes moved", unit="B")
    mean_ms: float | None = col("mean service time; the time itself for one request", unit="ms")
    max_ms: float | None = col("longest service time", unit="ms")
    queue_ms: float | None = col("time in the queue of the program before the device", unit="ms")
    util: float | None = col("share of time busy", unit="%")
    queue: float | None = col("mean length of the queue", unit="requests")
    interval_s: float | None = col("length of the sample; None for one request or since the start", unit="s")
    what: str | None = col("kind of buffer of one request: data, metadata, inode, logData ...")
    where: str | None = col("cli | srv | lcl | dsk: where one request was seen")
    peer: str | None = col("node at the other end (NSD server or client)", discloses="address")
    disk_number: int | None = col("number of the disk inside its file system")
    sector: int | None = col("first sector of the request, of 512 bytes")
    tag1: int | None = col("first number of the request: the inode for data and directories")
    tag2: int | None = col("second number: the block inside the file, or the inode where an inode is read or written")
    context: str | None = col("part of the program that asked for it")
    thread: str | None = col("name of the thread, which may be cut")
    pid: int | None = col("process that asked for it")
    flags: str | None = col("flags of the request in hexadecimal")


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
        "what joins the paths: device-mapper (multipath) | dmp (Veritas) | unknown", default="unknown", added=True
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
        "port (GAB) | link port (LLT) | lock space | fence domain | mount group | daemon group | volumes",
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
    standing: HealthStanding = col("healthy | hint | degraded | failed | unknown", default="unknown")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Room(Statement):
    """How much of something that can be filled is taken."""

    sort: RoomSort = col("what it is", default="file system")
    name: str | None = col("its name: file system or mount, pool, fileset, user", discloses="path")
    of: str | None = col("the file system that it is a part of", discloses="path")
    share: float | None = col("share that is taken, as printed", unit="%")
    left: float | None = col("share that users may still take, by the amounts", unit="%")
    state: str | None = col("what is taken and left, in words")
    standing: RoomStanding = col(
        "free | tight (little is left) | spent (a limit of its own is reached, others have room) | full | unknown",
        default="unknown",
    )


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class ListedState(Statement):
    """A row of a table, or a value, that shows a state, of a tool that has no reader of its own."""

    name: str | None = col("what the row is about: its first cell that is a word", discloses="text")
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


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Version(Record):
    """Release of a product, kernel or format."""

    node: str | None = col("node", discloses="host")
    at: int | None = col("time of capture", unit="us")
    zone_min: int | None = col("offset from UTC", unit="min")
    product: str = col("spectrum-scale | veritas | gfs2 | kernel | file system format ...", default="")
    version: str = col("as printed", default="")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Event(Record):
    """A log line that matters, or a trace point."""

    node: str | None = col("node", discloses="host")
    at: int | None = col("time of the line", unit="us")
    zone_min: int | None = col("offset from UTC", unit="min")
    source: str = col("log: mmfs.log, kernel, corosync, gab, llt, vcs ...", default="")
    kind: str = col("what it means, in words with hyphens: long-waiter, expel, link-down ...", default="")
    about: str | None = col("node, disk, link or thread it is about", discloses="host")
    value: float | None = col("figure of the line, such as the seconds of a waiter")
    unit: str = col("unit of the figure", default="")
    weight: str = col(
        "everyday | notice | trouble | disaster, by its kind or its own level; empty where neither says",
        default="",
        added=True,
    )
    text: str = col("the line without its time", discloses="text", default="")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Claim(Record):
    """A figure that a person states in prose: never a measurement."""

    speaker: str | None = col(
        "who says it: the author of the text, or quoted/<depth> for a quoted one", discloses="user"
    )
    what: str = col("what it is about, in a few words of the text", discloses="text", default="")
    value: float | None = col("figure; the lower one of a range")
    high: float | None = col("upper figure of a range")
    unit: str = col("unit as understood", default="")
    text: str = col("the sentence", discloses="text", default="")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class PendingRpc(Record):
    """An RPC of the Scale daemon that waits for replies, and how far one of its peers is."""

    node: str | None = col("node that sent it", discloses="host")
    at: int | None = col("time of the dump", unit="us")
    zone_min: int | None = col("offset from UTC", unit="min")
    message_id: int | None = col("message id: the handler on the peer carries the same")
    rpc: str | None = col("message name")
    thread: int | None = col("address of the thread object that waits")
    thread_id: int | None = col("operating-system thread id")
    condvar: int | None = col("address of the condition variable it waits on")
    peer: str | None = col("destination node as printed", discloses="address")
    state: str | None = col("state of the message or of this peer's reply, as printed")
    error: int | None = col("error code as printed")
    seconds: float | None = col("time since it was sent", unit="s")
    replies_due: int | None = col("replies still missing")
    incoming: bool = col("True for a message that this node received and handles", default=False)
    record: int | None = col("address of the message's record; the condition variable waited on lies inside it")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class DlmLock(Record):
    """One lock (lkb) of the DLM on a resource, granted, converting or waiting."""

    node: str | None = col("node of the dump", discloses="host")
    at: int | None = col("time of the dump", unit="us")
    zone_min: int | None = col("offset from UTC", unit="min")
    source: str = col("file or tool: locks, waiters, all, lockdump ...", default="")
    lockspace: str | None = col("name of the lock space", discloses="path")
    resource: str | None = col("name of the resource as printed, blanks trimmed", discloses="path")
    lkb: int | None = col("lock id")
    remote_lkb: int | None = col("lock id on the other node")
    master: int | None = col("node id of the master of the resource; 0 is the node itself")
    owner_node: int | None = col("node id of the owner; 0 is the node itself")
    pid: int | None = col("process id of the owner")
    granted: str | None = col("mode held: NL CR CW PR PW EX")
    requested: str | None = col("mode asked for")
    queue: str | None = col("granted | converting | waiting")
    age_s: float | None = col("time since it was queued", unit="s")
    flags: str | None = col("as printed")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class PosixLock(Record):
    """A POSIX lock, held or waited for: of the cluster (plocks), or as the kernel of one node keeps it (proc/locks)."""

    node: str | None = col("node of the dump", discloses="host")
    at: int | None = col("time of the dump", unit="us")
    zone_min: int | None = col("offset from UTC", unit="min")
    source: str = col("tool", default="")
    fs: str | None = col(
        "file system or lock space; of proc/locks the device number, which holds on that node only", discloses="path"
    )
    inode: int | None = col("inode number")
    mode: str | None = col("read | write")
    start: int | None = col("first byte", unit="B")
    end: int | None = col("last byte", unit="B")
    owner_node: int | None = col("node id of the owner")
    pid: int | None = col("process id of the owner")
    owner: str | None = col("owner cookie as printed")
    waiting: bool = col("True when it waits", default=False)
    owning_node: int | None = col(
        "node that answers for the file: -1 not decided, 0 shared by several or ownership off"
    )


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class GlmLock(Record):
    """A lock of the Group Lock Manager of Veritas with its holder or waiter."""

    node: str | None = col("node of the dump", discloses="host")
    at: int | None = col("time of the dump", unit="us")
    zone_min: int | None = col("offset from UTC", unit="min")
    scope: str | None = col("mount point or device", discloses="path")
    object: str | None = col("name of the lock as printed", discloses="path")
    lock_class: str | None = col("class or type")
    mode: str | None = col("mode held or asked for")
    holder: str | None = col("node or thread that holds it", discloses="host")
    waiter: str | None = col("node or thread that waits", discloses="host")
    state: str | None = col("as printed")
    age_s: float | None = col("age", unit="s")
    lock_line: int = col("line of the lock's name: rows of one lock in one dump share it", default=0)
    dump: int = col("first line of the dump it stands in", default=0)
    inode: int | None = col("inode number")
    fileset: int | None = col("number of the file set")
    count: int | None = col("holders or waiters of that node and mode")
    last_locker: str | None = col("node that took it last", discloses="host")
    thread: str | None = col("address of the thread that took it last")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Stack(Record):
    """The kernel or user stack of one task."""

    node: str | None = col("node", discloses="host")
    at: int | None = col("time", unit="us")
    zone_min: int | None = col("offset from UTC", unit="min")
    source: str = col("hung task, sysrq, kthreads, pstack ...", default="")
    task: str | None = col("name of the task", discloses="user")
    pid: int | None = col("process id")
    state: str | None = col("state letter as printed")
    seconds: float | None = col("how long it has been blocked, as printed", unit="s")
    frames: str = col("functions, innermost first, parted by one blank", default="")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class DiskName(Record):
    """Which disk is called what on which node, and who serves it."""

    name: str = col("NSD, volume or LUN", discloses="disk", default="")
    device: str | None = col("device on that node", discloses="disk")
    node: str | None = col("node", discloses="host")
    fs: str | None = col("file system", discloses="path")
    servers: str = col("server nodes as printed, parted by one blank, first preferred", discloses="host", default="")
    state: str | None = col("state and availability as printed")
    uid: str | None = col("volume id; of an NSD two groups of eight hexadecimal digits with a colon", discloses="disk")
    number: int | None = col("number of the disk inside its file system")
    pool: str | None = col("storage pool")
    usage: str | None = col("metadata | data | both | none: what may be kept on it")
    failure_group: str | None = col("failure group as printed")
    thin: str | None = col("sort of thin provisioning or NVMe, as printed")
    at: int | None = col("time of capture", unit="us")
    zone_min: int | None = col("offset from UTC", unit="min")


RECORD_TYPES: Final[tuple[type[Record], ...]] = (
    Section, Repeat, Skipped, Problem, WaiterShape, Waiter, DeadlockFact, Counter, Setting, Measurement, CommandRun,
    Glock, GlockHolder, GlockCount, NodeAlias, NodeNamed, DiskIo, DiskPath, Interface, HeartbeatLink, Connection,
    ClusterMember, Membership, Quorum,
    Manager, HealthState, ServiceState, StorageState, Room, ListedState, FencingSwitch, FencingKeys, Version,
    Event, Claim, PendingRpc, DlmLock,
    PosixLock, GlmLock, Stack,
    DiskName,
)  # fmt: skip
BULK: Final[frozenset[type[Record]]] = frozenset((
    Skipped, WaiterShape, Waiter, Counter, Glock, GlockHolder, GlockCount, DiskIo, Event, PendingRpc, DlmLock,
    PosixLock, GlmLock, Stack,
))  # fmt: skip
"""Kinds of which a case may hold millions: they are read as frames, not as objects."""

LINKS: Final[tuple[type[Statement], ...]] = (DiskPath, Interface, HeartbeatLink, Connection)
"""What connects a node to something."""
MEMBERS: Final[tuple[type[Statement], ...]] = (
    ClusterMember, Membership, Quorum, Manager, HealthState, ServiceState, FencingKeys,
)  # fmt: skip
"""Who belongs to what, and how it stands."""
