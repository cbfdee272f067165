"""Files beside the glocks of the GFS2 sample: DLM locks, members, processes, notes."""

from __future__ import annotations

from random import Random
from typing import Final

from apps.ingest.samples.gfs2_story import (
    BACKUP,
    BACKUP_PID,
    CLOCK,
    CLUSTER,
    DIRECTORY,
    MAIL_NODES,
    MASTER,
    MOUNT,
    NODES,
    OWNER,
    REQUESTED_AFTER_S,
    SEED,
    SPACE,
    Waiter,
    cached_inodes,
    dump_moments,
    hold_at,
    waiting,
)

_DLM_MOMENTS: Final = (251.4, 432.7, 664.2)
_COLUMNS: Final = "id nodeid remid pid xid exflags flags sts grmode rqmode time_ms r_nodeid r_len r_name"
_PROTECTED_READ, _EXCLUSIVE, _NULL, _NONE = 3, 5, 0, -1
_GRANTED, _CONVERTING = 2, 3
_NOTES: Final = """\
From the night shift

Deliveries to the spool stop for minutes, logins hang, load climbs on post1, post3 and post4.
post2 takes no mail at night, it runs the backup from a quarter past two.
The array shows hardly any traffic while it happens.
"""


def extras(queue: tuple[Waiter, ...]) -> dict[str, list[str]]:
    files = {f"{node}/dlm_{SPACE}_locks.txt": _dlm_locks(node, queue) for node in NODES}
    files[f"{OWNER}/ps.txt"] = _processes()
    files["post1/quorum.txt"] = _members()
    files["night-shift.txt"] = _NOTES.splitlines()
    return files


def resource(kind: int, number: int) -> str:
    return f'"{kind:8x}{number:16x}"'


def _lock_id(node: str, seat: int) -> int:
    return 0x1100003 + 0x40000 * NODES.index(node) + 0x10001 * seat


def _dlm_locks(node: str, queue: tuple[Waiter, ...]) -> list[str]:
    """``<lockspace>_locks`` three times; only the master of the directory sees who else wants it."""
    rng = Random(f"{SEED} dlm {node}")
    text: list[str] = []
    for now in _DLM_MOMENTS:
        path = f"/sys/kernel/debug/dlm/{SPACE}_locks"
        text += [f"[root@{node} ~]# date", CLOCK.date_output(now), f"[root@{node} ~]# cat {path}", _COLUMNS]
        idle = cached_inodes(node, 60)
        text += [_granted(rng, inode.number, inode.pid, kind) for inode in idle for kind in (2, 5)]
        text += _directory_locks(node, now, queue)
    return text


def _granted(rng: Random, number: int, pid: int, kind: int) -> str:
    master = rng.choice((0, 0, 1, 2, 4))
    lock, remote = rng.randrange(0x1200000, 0x7FFFFFF), rng.randrange(0x1200000, 0x7FFFFFF) if master else 0
    grant = f"{_GRANTED} {_PROTECTED_READ} {_NONE} 0"
    return f"{lock:x} {master} {remote:x} {pid} 0 0 0 {grant} {master} 24 {resource(kind, number)}"


def _directory_locks(node: str, now: float, queue: tuple[Waiter, ...]) -> list[str]:
    if node == MASTER:
        return [_master_line(other, now, queue) for other in (OWNER, *MAIL_NODES)]
    return [_copy_line(node, now, queue)]


def _state(node: str, now: float, queue: tuple[Waiter, ...]) -> tuple[int, str]:
    """(pid, status with modes and age) of the lock that ``node`` has on the directory."""
    hold = hold_at(now)
    if hold is None:
        return 0, f"{_GRANTED} {_PROTECTED_READ} {_NONE} 0"
    start, mode = hold
    if node == OWNER:
        return BACKUP_PID, f"{_GRANTED} {_EXCLUSIVE if mode == 'EX' else _PROTECTED_READ} {_NONE} 0"
    head = waiting(queue, node, now)[0]
    wanted = _EXCLUSIVE if head.state == "EX" else _PROTECTED_READ
    requested = max(head.start, start + REQUESTED_AFTER_S - 0.001)
    return head.pid, f"{_CONVERTING} {_NULL} {wanted} {round((now - requested) * 1e6)}"


def _master_line(node: str, now: float, queue: tuple[Waiter, ...]) -> str:
    pid, state = _state(node, now, queue)
    seat = NODES.index(node) + 1
    if node == MASTER:
        return f"{_lock_id(MASTER, seat):x} 0 0 {pid} 0 0 0 {state} 0 24 {resource(2, DIRECTORY)}"
    return (
        f"{_lock_id(MASTER, seat):x} {seat} {_lock_id(node, 9):x} {pid} 0 0 10000 {state} 0 24 {resource(2, DIRECTORY)}"
    )


def _copy_line(node: str, now: float, queue: tuple[Waiter, ...]) -> str:
    pid, state = _state(node, now, queue)
    master, seat = NODES.index(MASTER) + 1, NODES.index(node) + 1
    return (
        f"{_lock_id(node, 9):x} {master} {_lock_id(MASTER, seat):x} {pid} 0 0 0 {state} {master} 24 "
        f"{resource(2, DIRECTORY)}"
    )


def _processes() -> list[str]:
    now = dump_moments(OWNER)[-1]
    return [
        f"[root@{OWNER} ~]# date",
        CLOCK.date_output(now),
        f"[root@{OWNER} ~]# ps -eo pid,stat,etime,args | grep -w {BACKUP}",
        f"  {BACKUP_PID} D       08:49 {BACKUP} --atime-preserve=replace -cf - {MOUNT}",
        f"  {BACKUP_PID + 212} S+      00:00 grep --color=auto -w {BACKUP}",
    ]


def _members() -> list[str]:
    text = ["[root@post1 ~]# corosync-quorumtool -l", "", "Membership information", "----------------------"]
    text += ["    Nodeid      Votes Name", *(f"{i + 1:>10}{1:>11} {node}" for i, node in enumerate(NODES))]
    mount = f"/dev/mapper/vg_{SPACE}-spool {MOUNT} gfs2 rw,noatime,seclabel 0 0"
    return [
        *text,
        "[root@post1 ~]# grep gfs2 /proc/mounts",
        mount,
        f"[root@post1 ~]# echo {CLUSTER}:{SPACE}",
        f"{CLUSTER}:{SPACE}",
    ]
