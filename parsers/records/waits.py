"""Records of what waits: threads of the Scale daemon, its messages, and tasks of a kernel.

Columns and times are those of ``parsers.records``.
"""

from __future__ import annotations

from parsers.dataclass import dataclass
from parsers.records import Record, col


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
