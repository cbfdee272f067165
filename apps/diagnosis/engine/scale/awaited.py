"""What a Scale waiter waits for, read from its text alone: a disk, a node's answer, a lock, a log write; and whom it
serves.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.scale.waiter_patterns import fold_name
from apps.diagnosis.engine.scale.waiter_texts import Text
from parsers.records.waits import WaiterShape

Sort = Literal["disk", "nsd", "rpc", "write", "lock", "thread"]
LOG: Final = "LogFile"
UNGIVEN: Final = "token"
"""What an acquire without an answer ends at: its holder has no name yet."""
LOG_WRITES: Final = frozenset(("scale-W11", "scale-R09"))
LOG_WAITS: Final = frozenset(("scale-W09", "scale-W10", "scale-R10", "scale-R11", "scale-R35"))
TOKEN_LOCKS: Final = frozenset(("lkobj", "token"))
ACQUIRE: Final = "tmMsgTellAcquire"
NSD: Final = "NSD I/O completion"
REVOKE, SERVE = "revoke", "nsd"
_NSD_MESSAGES: Final = ("nsdMsg", "getData")
_HANDLER: Final = "Msg handler "
UNNAMED_DISK: Final = "unnamed disk"


class Awaited(NamedTuple):
    """``name`` is a disk, a message or a lock; ``target`` the node asked; ``role`` the requests that this thread
    serves.
    """

    sort: Sort
    name: str
    target: str | None
    via: str
    role: str

    @property
    def is_rpc(self) -> bool:
        """Waits for a message of another node: hardly ever the root."""
        return self.sort == "rpc"


def awaited_of(text: Text, seconds: float | None) -> Awaited:
    """What waiters of this text wait for."""
    shape, kind_id = text.shape, text.at(seconds).kind_id
    sort, name, via = _sort(shape, kind_id)
    return Awaited(sort, name, shape.target, via, role_of(shape.thread))


def _sort(shape: WaiterShape, kind_id: str | None) -> tuple[Sort, str, str]:
    words = " ".join(part for part in (shape.reason, shape.aux) if part)
    if NSD in words:
        return "nsd", NSD, NSD
    if shape.target is not None:
        return "rpc", shape.rpc or "", shape.rpc or phrase("scale-ends.lost-message")
    if "I/O completion" in words or shape.object is not None:
        return "disk", shape.object or UNNAMED_DISK, "open disk device" if "open" in words else "I/O completion"
    if kind_id in LOG_WRITES:
        return "write", LOG, "log write"
    return _local(shape, kind_id, words)


def _local(shape: WaiterShape, kind_id: str | None, words: str) -> tuple[Sort, str, str]:
    if kind_id in LOG_WAITS or fold_name(shape.wait_name or "").startswith("logfile"):
        return "lock", LOG, f"{shape.wait_kind or 'wait'} {shape.wait_name or LOG}"
    if shape.wait_name:
        return "lock", shape.wait_name, f"{shape.wait_kind or 'wait'} {shape.wait_name}"
    thread = shape.thread or "unnamed thread"
    return "thread", thread, words or "no reason printed"


def role_of(thread: str | None) -> str:
    """Which requests of other nodes a thread of this name works on: a message, ``revoke``, ``nsd`` or none."""
    if thread is None:
        return ""
    if thread.startswith(_HANDLER):
        return thread.removeprefix(_HANDLER)
    if "RevokeWorker" in thread or "revoke worker" in thread:
        return REVOKE
    return SERVE if thread.startswith(("NSDThread", "NSD I/O Worker")) else ""


def family_of(message: str) -> str:
    """The role that serves a message where no thread bears its name."""
    if message.startswith(_NSD_MESSAGES) or message == NSD:
        return SERVE
    return REVOKE if "Revoke" in message else ""


def is_token_lock(name: str) -> bool:
    """A lock inside a node that stands for a token held by another."""
    return fold_name(name) in TOKEN_LOCKS


def is_reply(name: str) -> bool:
    """Whether what is waited for is the answer to a message, which nobody holds as one holds a lock."""
    return fold_name(name).startswith("msgrecord")


def is_transfer(name: str) -> bool:
    """Whether what is waited for is the end of a transfer over RDMA, which nobody holds either."""
    return fold_name(name).startswith("verbs")
