"""SAMPLE-GFS2: a mail spool stalls because the night's backup holds its directory on one node.

Glock dumps of four nodes every thirty seconds for twelve minutes (layout with ``p:``), and lock dumps of the DLM.
"""

from __future__ import annotations

from random import Random
from typing import Final

from apps.ingest.samples.bundle import tar_gz
from apps.ingest.samples.gfs2_extras import extras
from apps.ingest.samples.gfs2_story import (
    BACKUP,
    BACKUP_PID,
    BACKUP_START_S,
    CLOCK,
    CLUSTER,
    DIRECTORY,
    DIRECTORY_FORMAL,
    DUMPS,
    HOLDS,
    LENGTH_S,
    MAIL_NODES,
    NODES,
    OWNER,
    REQUESTED_AFTER_S,
    SEED,
    SPACE,
    CachedInode,
    Waiter,
    cached_inodes,
    dump_moments,
    hold_at,
    queue,
    waiting,
)
from apps.ingest.samples.known_answer import KnownAnswer, Phase, Root, Sample
from apps.ingest.samples.noise import syslog

GLOCKS: Final = f"/sys/kernel/debug/gfs2/{CLUSTER}:{SPACE}/glocks"
INODES_PER_NODE: Final = 260
_QUEUE: Final = queue()
_STRAY: Final = {
    ("post3", 2): 5_211,
    ("post4", 4): 21_377,
}  # one short wait each before the backup, in one capture only
_READ_DIRECTORY: Final = "gfs2_readdir+0x4f/0xd0"
_SET_TIMES: Final = "gfs2_setattr+0x69/0x4a0"


def _glock(
    state: str,
    number: str,
    flags: str,
    *,
    target: str,
    demote: str = "EX/0",
    refs: int = 3,
    hold: int = 200,
    pages: int = 0,
) -> str:
    return f"G:  s:{state} n:{number} f:{flags} t:{target} d:{demote} a:0 v:0 r:{refs} m:{hold} p:{pages}"


def _holder(state: str, flags: str, pid: int, command: str, function: str) -> str:
    return f" H: s:{state} f:{flags} e:0 p:{pid} [{command}] {function} [gfs2]"


def _mount_glocks(node: str) -> list[str]:
    """Locks that live as long as the mount: live, freeze, superblock, own journal."""
    jid = NODES.index(node)
    mounter = f" e:0 p:{1_912 + jid} [(ended)]"
    return [
        _glock("SH", "1/1", "Iqb", target="SH"),
        f" H: s:SH f:eEH{mounter} gfs2_glock_nq_num+0x5c/0xa0 [gfs2]",
        _glock("SH", "1/2", "Iqb", target="SH"),
        f" H: s:SH f:eEH{mounter} init_journal+0x2b6/0x510 [gfs2]",
        _glock("UN", "1/3", "o", target="UN", refs=2),
        _glock("SH", "4/0", "Iqb", target="SH"),
        f" H: s:SH f:ecH{mounter} gfs2_glock_nq_num+0x5c/0xa0 [gfs2]",
        _glock("EX", f"9/{jid:x}", "Iqb", target="EX"),
        f" H: s:EX f:ecH{mounter} gfs2_glock_nq_num+0x5c/0xa0 [gfs2]",
    ]


def _resource_groups(node: str, rng: Random) -> list[str]:
    """Each node writes to its own few; the search lengths change all the time and mean nothing."""
    lines: list[str] = []
    for k in range(6):
        number = 0x20816 + 0xFFF0 * (6 * NODES.index(node) + k)
        free = 31_022 - 977 * k - rng.randrange(0, 40)
        lines.append(_glock("EX", f"3/{number:x}", "Iqob", target="EX", pages=4))
        lines.append(
            f" R: n:{number} f:80000000 b:{free}/{free} i:{1_204 + 88 * k} q:0 r:{rng.choice((0, 0, 16, 32))} e:0"
        )
    return lines


def _idle(inode: CachedInode, rng: Random) -> list[str]:
    flags = rng.choice(("Iqob", "Iob", "ILob", "Iqob"))
    pages = -(-inode.size // 4096)
    return [
        _glock("SH", f"2/{inode.number:x}", flags, target="SH", refs=4 if "q" in flags else 3, pages=pages),
        f" I: n:{inode.formal}/{inode.number} t:8 f:0x00 d:0x00000000 s:{inode.size} p:{pages}",
        _glock("SH", f"5/{inode.number:x}", "Iqb", target="SH"),
        _holder("SH", "EH", inode.pid, inode.command, "gfs2_inode_lookup+0x14e/0x260"),
    ]


def _directory(node: str, now: float, dump: int) -> list[str]:
    """The glock of the spool directory as this node sees it."""
    hold = hold_at(now)
    inode = f" I: n:{DIRECTORY_FORMAL}/{DIRECTORY} t:4 f:0x00 d:0x00000003 s:3864 p:1"
    if hold is None:
        return [*_quiet_directory(node, dump), inode]
    if node == OWNER:
        return [*_held_directory(now, *hold), inode]
    queued = waiting(_QUEUE, node, now)
    wanted = queued[0].state
    glock = _glock("UN", f"2/{DIRECTORY:x}", "lIqob", target=wanted, refs=3 + len(queued), hold=60)
    return [glock, *(_holder(w.state, "W", w.pid, w.command, w.function) for w in queued), inode]


def _quiet_directory(node: str, dump: int) -> list[str]:
    lines = [_glock("SH", f"2/{DIRECTORY:x}", "Iqob", target="SH", refs=4, pages=1)]
    stray = _STRAY.get((node, dump))
    if stray is not None:
        lines = [
            _glock("UN", f"2/{DIRECTORY:x}", "lIqob", target="SH", refs=4),
            _holder("SH", "W", stray, "imapd", "gfs2_permission+0x83/0x120"),
        ]
    return lines


def demote_age_us(now: float, hold_start: float) -> int:
    return round((now - hold_start - REQUESTED_AFTER_S) * 1e6)


def _held_directory(now: float, start: float, state: str) -> list[str]:
    function = _READ_DIRECTORY if state == "SH" else _SET_TIMES
    flags = "DIqob" if state == "SH" else "DyIqob"
    age = demote_age_us(now, start)
    return [
        _glock(state, f"2/{DIRECTORY:x}", flags, target=state, demote=f"UN/{age}", refs=5, hold=60, pages=1),
        _holder(state, "H", BACKUP_PID, BACKUP, function),
    ]


def _dump(node: str, now: float, dump: int, inodes: tuple[CachedInode, ...], rng: Random) -> list[str]:
    lines = _mount_glocks(node) + _resource_groups(node, rng)
    alive = [inode for inode in inodes if inode.first_dump <= dump <= inode.last_dump]
    middle = len(alive) // 3
    for k, inode in enumerate(alive):
        lines += _directory(node, now, dump) if k == middle else []
        lines += _idle(inode, rng)
    return lines


def _glocks_file(node: str) -> list[str]:
    """Two nodes were read by hand, two by a loop, one of them after a slip of the keyboard."""
    rng = Random(f"{SEED} dumps {node}")
    inodes = cached_inodes(node, INODES_PER_NODE)
    by_hand = node in ("post1", "post2")
    text = [] if by_hand else [f"[root@{node} ~]# while :; do date; cat {GLOCKS}; sleep 30; done"]
    if node == "post3":
        wrong = GLOCKS.removesuffix("s")
        text = [f"[root@{node} ~]# cat {wrong}", f"cat: {wrong}: No such file or directory", *text]
    for dump, now in enumerate(dump_moments(node)):
        lines = _dump(node, now, dump, inodes, rng)
        if by_hand:
            text += [f"[root@{node} ~]# date", CLOCK.date_output(now), f"[root@{node} ~]# cat {GLOCKS}", *lines, ""]
        else:
            text += [CLOCK.date_output(now), *lines]
    return text


def _damaged(lines: list[str], rng: Random) -> list[str]:
    """A wrapped and a cut line of idle glocks, and a message of the kernel in between."""
    idle = [i for i, line in enumerate(lines) if line.startswith("G:  s:SH n:5/")]
    first, second, third = sorted(rng.sample(idle, 3), reverse=True)
    lines[first] = lines[first][:31]
    head, tail = lines[second].split(" d:", 1)
    lines[second : second + 1] = [head, f"d:{tail}"]
    lines.insert(third, "watchdog: daemon opened the device")
    return lines


def _texts() -> dict[str, str]:
    rng = Random(SEED + 1)
    files = {f"{node}/glocks.txt": _glocks_file(node) for node in NODES}
    files["post4/glocks.txt"] = _damaged(files["post4/glocks.txt"], rng)
    files |= extras(_QUEUE)
    texts = {path: "\n".join(lines) + "\n" for path, lines in files.items()}
    return texts | {f"{node}/messages": syslog(rng, CLOCK, node, lines=150, until_s=LENGTH_S) for node in NODES}


def build() -> bytes:
    return tar_gz(_texts(), folder="mail-stall-0919", written_at=CLOCK.epoch(LENGTH_S + 180.0))


def _waiters_per_dump() -> dict[str, list[int]]:
    return {node: [len(_directory_waiters(node, now)) for now in dump_moments(node)] for node in MAIL_NODES}


def _directory_waiters(node: str, now: float) -> list[Waiter]:
    return waiting(_QUEUE, node, now) if hold_at(now) else []


def _figures() -> dict[str, float]:
    counts = _waiters_per_dump()
    owner = dump_moments(OWNER)
    ages = [demote_age_us(now, hold[0]) / 1e6 for now in owner if (hold := hold_at(now))]
    totals = [sum(counts[node][k] for node in MAIL_NODES) for k in range(DUMPS)]
    last = {f"waiters_at_end_{node}": counts[node][-1] for node in MAIL_NODES}
    return {
        "dumps_per_node": DUMPS,
        "directory_inode": DIRECTORY,
        "holder_pid": BACKUP_PID,
        "captures_held": len(ages),
        "captures_with_waiters": sum(total > 1 for total in totals),
        "waiters_first_capture": next(total for total in totals if total > 1),
        "waiters_peak": max(totals),
        "waiters_at_end": totals[-1],
        "longest_demote_s": round(max(ages), 6),
        "holds": len(HOLDS),
        **last,
    }


SAMPLE: Final = Sample(
    key="SAMPLE-GFS2",
    title="Mail spool stalls during the backup",
    customer="Northgate Post",
    description=(
        "Four mail servers share a GFS2 spool. Twelve minutes of glock dumps: three minutes in the "
        "nightly backup starts on one node, and deliveries and logins on the other three begin to queue."
    ),
    filename="mail-stall-0919.tar.gz",
    answer=KnownAnswer(
        products=("gfs2",),
        nodes=NODES,
        root=Root(kind="thread", what=f"{OWNER}:{BACKUP_PID}", node=OWNER, through=f"2/{DIRECTORY:x}"),
        rules=("GL-01", "GL-02"),
        rules_also_true=("WL-01", "WL-02", "WL-03"),
        rules_forbidden=(
            "GL-03",
            "GL-04",
            "GL-05",
            "GL-06",
            "GL-07",
            "GL-08",
            "GL-09",
            "GL-10",
            "GL-11",
            "GL-12",
            "GL-13",
            "GL-14",
            "GL-15",
            "GL-16",
            "DH-01",
            "DH-02",
            "NW-01",
            "ST-01",
            "ST-04",
        ),
        figures=_figures(),
        phases=(
            Phase(name="quiet", start=CLOCK.iso(0.0), end=CLOCK.iso(BACKUP_START_S)),
            Phase(
                name="backup holds the directory",
                start=CLOCK.iso(BACKUP_START_S),
                end=CLOCK.iso(dump_moments(OWNER)[-1]),
            ),
        ),
    ),
    build=build,
)
