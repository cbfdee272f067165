"""Tasks of which the kernel says that they are blocked, by what their stacks wait for: GFS2, its lock manager, storage.

What a stack waits for is the first of the functions below that stands in it, innermost frame first; functions of the
scheduler tell nothing. Source: names of the functions of fs/gfs2 and fs/dlm; the grouping is our own.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final, Literal

from apps.diagnosis.engine.gfs2.cluster import JOURNAL_WAITS, Cluster, Task
from apps.diagnosis.engine.gfs2.glocks import GlockFacts
from parsers.dataclass import dataclass

Awaited = Literal[
    "join", "recovery", "freeze", "unmount", "journal", "storage", "glock", "lock", "server", "fuse", "peer"
]
FUNCTIONS: Final[dict[str, Awaited]] = {
    **dict.fromkeys(
        (
            "dlm_new_lockspace", "new_lockspace", "__dlm_new_lockspace", "dlm_release_lockspace", "release_lockspace",
            "gdlm_mount", "gdlm_unmount", "do_uevent",
        ),
        "join",
    ),
    **dict.fromkeys(("dlm_wait_function", "dlm_recover_members", "dlm_recover_directory", "ls_recover"), "recovery"),
    **dict.fromkeys(
        (
            "freeze_super", "thaw_super", "freeze_go_sync", "freeze_go_callback", "gfs2_freeze_func",
            "gfs2_freeze_super", "gfs2_thaw_super", "gfs2_freeze_lock", "gfs2_freeze_lock_shared", "__sb_start_write",
        ),
        "freeze",
    ),
    "gfs2_gl_hash_clear": "unmount",
    **dict.fromkeys(JOURNAL_WAITS, "journal"),
    **dict.fromkeys(
        (
            "io_schedule", "io_schedule_timeout", "wait_on_page_bit", "wait_on_page_bit_common", "__wait_on_buffer",
            "folio_wait_bit_common", "folio_wait_writeback", "submit_bio_wait", "blk_mq_get_tag",
            "wait_on_page_writeback", "__wait_on_bit_io", "get_request", "get_request_wait", "__get_request",
            "wbt_wait", "rq_qos_wait", "sync_buffer", "sync_page", "sleep_on_buffer", "sleep_on_page", "wait_on_buffer",
            "wait_on_page_read", "inode_dio_wait", "blkdev_issue_flush", "do_blockdev_direct_IO",
        ),
        "storage",
    ),
    **dict.fromkeys(
        ("gfs2_glock_wait", "gfs2_glock_nq", "gfs2_glock_holder_wait", "gfs2_glock_async_wait", "glock_wait_internal"),
        "glock",
    ),
    **dict.fromkeys(("dlm_lock", "dlm_user_request", "dlm_user_convert", "dlm_posix_lock", "device_user_lock"), "lock"),
    **dict.fromkeys(("rpc_wait_bit_killable", "nfs_wait_bit_killable", "nfs_wait_bit_uninterruptible"), "server"),
    **dict.fromkeys(("request_wait_answer", "fuse_get_req", "fuse_wait_aborted"), "fuse"),
    **dict.fromkeys(
        ("pipe_wait", "pipe_read", "anon_pipe_read", "pipe_write", "sk_wait_data", "wait_for_more_packets",
         "__skb_wait_for_more_packets", "unix_stream_read_generic", "sk_stream_wait_memory"),
        "peer",
    ),
}  # fmt: skip
OF_NFS: Final = ("nfs_", "nfs3_", "nfs4_", "rpc_")
OUTSIDE: Final = frozenset(("server", "fuse", "peer"))
"""What is neither GFS2 nor its lock manager nor a disk: it counts only for who holds what others want."""
KIND_OF: Final[dict[Awaited, str]] = {
    "join": "gfs2-K21",
    "freeze": "gfs2-K32",
    "unmount": "gfs2-K12",
    "journal": "gfs2-K24",
    "storage": "gfs2-K25",
}
"""Kinds of the taxonomy that speak of a situation; a wait for a glock is classified by its glock."""
_OWN: Final = ("gfs2_", "dlm_", "gdlm_", "freeze_go", "new_lockspace", "glock_", "do_xmote")


@dataclass(frozen=True, slots=True)
class Blocked:
    """A task and what it waits for; holds: a glock that it holds and others wait for, as the dumps show it."""

    task: Task
    awaited: Awaited
    holds: str | None


class StackedProcesses:
    """What processes wait for by their stacks, of which the case holds any: for holders of locks, not for waiters."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    @cached_property
    def _by_process(self) -> dict[tuple[str | None, int | None], tuple[str, ...]]:
        return {(task.node, task.pid): task.frames for task in self._cluster.tasks if task.frames and task.pid}

    def awaited(self, node: str | None, pid: int) -> Awaited | None:
        """What a process waits for; None where no stack tells."""
        return _innermost(self._by_process.get((node or None, pid), ()))


class BlockedTasks:
    """Blocked tasks of a case."""

    def __init__(self, cluster: Cluster, glocks: GlockFacts) -> None:
        self._cluster = cluster
        self._glocks = glocks

    @cached_property
    def all(self) -> tuple[Blocked, ...]:
        """Each task once, with its longest wait: those that the kernel reports, and those that hold what others want.

        A task that waits for a glock of a dump is not among them: the dump says more.
        """
        found: dict[tuple[str | None, int | None], Blocked] = {}
        judged = [(task, awaited) for task in self._cluster.tasks if (awaited := self._awaited(task)) is not None]
        timed = {awaited for task, awaited in judged if task.seconds is not None}
        for task, awaited in judged:
            glock, command = self._held.get((task.node, task.pid), (None, ""))
            holds = glock
            is_listed = task.state.startswith("D") and awaited in timed
            if (awaited == "glock" and self._glocks.any) or (task.seconds is None and not holds and not is_listed):
                continue
            if command and not task.name:
                task = task._replace(name=command)
            before = found.get((task.node, task.pid))
            if before is None or (task.seconds or 0.0) >= (before.task.seconds or 0.0):
                found[task.node, task.pid] = Blocked(task, awaited, holds)
        return tuple(found.values())

    def _awaited(self, task: Task) -> Awaited | None:
        awaited = awaited_by(task.frames)
        if awaited is None and (task.node, task.pid) in self._held:
            awaited = _innermost(task.frames)
        return awaited if awaited not in OUTSIDE or (task.node, task.pid) in self._held else None

    @cached_property
    def _held(self) -> dict[tuple[str | None, int | None], tuple[str, str]]:
        """Contended glocks by the node and process that hold them, with the command of the process."""
        if not self._glocks.any:
            return {}
        wanted = {(wait.fs, wait.glock) for wait in self._glocks.waits}
        return {
            (hold.node or None, hold.pid): (hold.glock, hold.command)
            for hold in self._glocks.holds
            if (hold.fs, hold.glock) in wanted and hold.pid
        }


def awaited_by(frames: tuple[str, ...]) -> Awaited | None:
    """What a stack waits for; None where it is none of GFS2, of the lock manager, or tells nothing."""
    if not any(frame.startswith(_OWN) for frame in frames):
        return None
    return _innermost(frames)


def _innermost(frames: tuple[str, ...]) -> Awaited | None:
    """What the innermost known function waits for; a page of an NFS mount comes from its server, not from a disk."""
    found = next((FUNCTIONS[frame] for frame in frames if frame in FUNCTIONS), None)
    return "server" if found == "storage" and any(frame.startswith(OF_NFS) for frame in frames) else found
