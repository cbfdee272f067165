"""Records of locks: of GFS2, of the DLM, of Veritas, and those of POSIX.

Columns and times are those of ``parsers.records``.
"""

from __future__ import annotations

from parsers.dataclass import dataclass
from parsers.records import Record, col


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
