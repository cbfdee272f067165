"""The locks of the GFS2 sample: a mail spool on four nodes, one directory held again and again by a backup.

02:10 ─ quiet ─ 02:13:12 backup holds SH ─┬─ EX ─┬─ SH ─┬─ SH until the end 02:22
                                          └ at each break every waiting node gets two turns
"""

from __future__ import annotations

from random import Random
from typing import Final

from apps.ingest.samples.clock import clock
from parsers.dataclass import dataclass

SEED: Final = 63_883
CLOCK: Final = clock("2024-09-19T02:10:00", "UTC", "+0000")
LENGTH_S: Final = 720.0
INTERVAL_S: Final = 30.0
DUMPS: Final = 25
CLUSTER: Final = "clu"
SPACE: Final = "mail"
MOUNT: Final = "/var/spool/mail"
NODES: Final = ("post1", "post2", "post3", "post4")  # DLM node ids 1 to 4
OWNER: Final = "post2"
MAIL_NODES: Final = ("post1", "post3", "post4")
MASTER: Final = "post3"
BACKUP_PID: Final = 28_417
BACKUP: Final = "tar"
DIRECTORY: Final = 0x3A7C1E
DIRECTORY_FORMAL: Final = 412
BACKUP_START_S: Final = 192.0
# start, end, state: what the backup holds; between two holds the other nodes get a moment
HOLDS: Final = ((192.0, 288.1, "SH"), (289.6, 370.2, "EX"), (371.4, 477.9, "SH"), (479.3, LENGTH_S + 60.0, "SH"))
REQUESTED_AFTER_S: Final = 0.231  # the first request of another node reaches the owner
SERVED_PER_BREAK: Final = 2
MEAN_GAP_S: Final = 25.0

# who asks for the directory: command, state, function with offset and size
_REQUESTS: Final = (
    ("lmtpd", "EX", "gfs2_create_inode+0x1a3/0x9f0"),
    ("imapd", "EX", "gfs2_unlink+0x7e/0x250"),
    ("imapd", "SH", "gfs2_permission+0x83/0x120"),
    ("lmtpd", "EX", "gfs2_rename2+0x1c9/0x8d0"),
    ("imapd", "SH", "gfs2_lookup+0x9b/0x170"),
)
_WEIGHTS: Final = (40, 22, 18, 12, 8)


@dataclass(frozen=True, slots=True)
class Waiter:
    """A process in the queue for the directory, from ``start`` until its turn or the end of the story."""

    node: str
    start: float
    end: float
    pid: int
    command: str
    state: str
    function: str


def hold_at(s: float) -> tuple[float, str] | None:
    """(since when, state) of the backup's hold at ``s``."""
    return next(((start, state) for start, end, state in HOLDS if start <= s < end), None)


def dump_moments(node: str) -> list[float]:
    """When the loop of ``node`` printed the date and read the file; the loops drift a little."""
    rng = Random(f"{SEED} moments {node}")
    first = rng.uniform(0.1, 0.9)
    return [first + k * (INTERVAL_S + 0.012) for k in range(DUMPS)]


def queue() -> tuple[Waiter, ...]:
    """All waiters on the directory of all nodes; a node's own are in order of arrival."""
    rng = Random(SEED)
    out: list[Waiter] = []
    for node in MAIL_NODES:
        out += _served(node, _arrivals(rng, node))
    return tuple(out)


def _arrivals(rng: Random, node: str) -> list[tuple[float, int, tuple[str, str, str]]]:
    """The head of the queue always wants to write: that is what sets the chain off."""
    pid = 4_000 + 6_000 * NODES.index(node)
    at = BACKUP_START_S + REQUESTED_AFTER_S + 0.9 * MAIL_NODES.index(node)
    out: list[tuple[float, int, tuple[str, str, str]]] = []
    while at < LENGTH_S + 10.0:
        pid += rng.randrange(3, 60)
        k = len(out)
        request = _REQUESTS[0] if k % SERVED_PER_BREAK == 0 and k <= SERVED_PER_BREAK * len(HOLDS) else _pick(rng)
        out.append((at, pid, request))
        at += min(rng.expovariate(1 / MEAN_GAP_S), 55.0) + 1.0
    return out


def _pick(rng: Random) -> tuple[str, str, str]:
    return rng.choices(_REQUESTS, _WEIGHTS)[0]


def _served(node: str, arrivals: list[tuple[float, int, tuple[str, str, str]]]) -> list[Waiter]:
    """At each break the two oldest of the node get the lock and leave."""
    ends: dict[int, float] = {}
    for _, end, _ in HOLDS[:-1]:
        waiting = [k for k, (at, _, _) in enumerate(arrivals) if at < end and k not in ends]
        ends |= dict.fromkeys(waiting[:SERVED_PER_BREAK], end + 0.2)
    return [
        Waiter(node, at, ends.get(k, LENGTH_S + 120.0), pid, *request) for k, (at, pid, request) in enumerate(arrivals)
    ]


def waiting(all_waiters: tuple[Waiter, ...], node: str, s: float) -> list[Waiter]:
    return [waiter for waiter in all_waiters if waiter.node == node and waiter.start <= s < waiter.end]


@dataclass(frozen=True, slots=True)
class CachedInode:
    """An idle inode of one node: a 2/x and a 5/x glock."""

    number: int
    formal: int
    size: int
    pid: int
    command: str
    first_dump: int
    last_dump: int


def cached_inodes(node: str, count: int) -> tuple[CachedInode, ...]:
    """The mail files a node has in its cache; some come and go, as users do."""
    rng = Random(f"{SEED} cache {node}")
    out: list[CachedInode] = []
    number = 0x3B0000 + 0x40000 * NODES.index(node)
    for _ in range(count):
        number += rng.randrange(1, 700)
        first = 0 if rng.random() < 0.45 else rng.randrange(0, DUMPS)
        last = DUMPS if rng.random() < 0.45 else first + rng.randrange(4, DUMPS)
        pid = 3_000 + 6_000 * NODES.index(node) + rng.randrange(0, 900)
        out.append(
            CachedInode(
                number, rng.randrange(900, 90_000), rng.randrange(600, 48_000), pid, rng.choice(_OWNERS), first, last
            )
        )
    return tuple(out)


_OWNERS: Final = ("imapd", "imapd", "lmtpd")
