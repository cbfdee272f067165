"""Seeded texts to measure with: waiter dumps of both styles, vxfsstat counters, glocks. Written block by block."""

from __future__ import annotations

import hashlib
import io
import random
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

NODES = 40
NODES_PER_MEMBER = 5
THREADS_PER_DUMP = 24
THREADS = (
    ("NSDThread", "for I/O completion"),
    ("PrefetchWorkerThread", "for NSD I/O completion on node {ip} <c0n{n}>"),
    (
        "WritebehindWorkerThread",
        "on ThCond {a} (MsgRecordCondvar), reason 'RPC wait' for nsdMsgWriteExt on node {ip} <c0n{n}>",
    ),
    ("RangeRevokeWorkerThread", "on ThCond {a} (TokenCondvar), reason 'waiting for token revoke'"),
    (
        "SharedHashTabFetchHandlerThread",
        "on ThCond {a} (MsgRecordCondvar), reason 'RPC wait' for tmMsgTellAcquire1 on node {ip} <c0n{n}>",
    ),
    ("FsyncHandlerThread", "on ThCond {a} (LogFileBufferStateCondvar), reason 'force wait for write complete'"),
    ("CreateHandlerThread", "on ThMutex {a} (InodeCacheObjMutex)"),
    ("AioWorkerThread", "for I/O completion on disk dm-{n}"),
)
OLD_NAMES = ("Prefetch worker", "Sync handler", "BRT handler", "Mount handler")
OLD_DETAIL = "on ThCond {a} ({a}) (MsgRecord), reason 'waiting for RPC replies' for tmMsgRevoke on node {ip}"


def waiter_text(size: int, seed: int = 1, nodes: range = range(NODES)) -> Iterator[str]:
    """About ``size`` bytes of dumps: every five seconds one per node; one line in a thousand is wrapped.

    The first half is of the old style, the second of the new one, as after an upgrade.
    """
    rng = random.Random(seed)
    written, moment = 0, 9 * 3600
    while written < size:
        for node in nodes:
            block = "".join(_dump(rng, node, moment, old=2 * written < size))
            written += len(block)
            yield block
        moment += 5


def _dump(rng: random.Random, node: int, moment: int, *, old: bool) -> Iterator[str]:
    clock = f"{moment // 3600 % 24:02d}:{moment // 60 % 60:02d}:{moment % 60:02d}"
    yield f"### BEGIN DATA COLLECTION 2026/03/{1 + moment // 86400:02d} {clock} stor{node:02d}.bench.example ###\n"
    yield "===== dump waiters =====\n" if old else "=== mmdiag: waiters ===\n"
    for thread in range(THREADS_PER_DUMP):
        line = _old(rng, node, thread) if old else _new(rng, node, thread, moment)
        if rng.random() < 0.001 and len(line) > 110:
            cut = line.rfind(" ", 0, 105)
            line = f"{line[:cut]}\n{line[cut + 1 :]}"
        yield line + "\n"


def _new(rng: random.Random, node: int, thread: int, moment: int) -> str:
    name, detail = THREADS[thread % len(THREADS)]
    age = rng.lognormvariate(-1, 2)
    began = int(moment - age) % 86400
    since = f"{began // 3600:02d}:{began // 60 % 60:02d}:{began % 60:02d}"
    text = detail.format(
        a=f"0x{0x7F0000000000 + rng.getrandbits(32) * 16:X}", ip=f"10.9.{node // 20}.{thread + 11}", n=thread
    )
    return f"Waiting {age:.4f} sec since {since}, monitored, thread {20000 + node * 100 + thread} {name}: {text}"


def _old(rng: random.Random, node: int, thread: int) -> str:
    age = rng.lognormvariate(-1, 2)
    address = f"0x{0x110000000 + rng.getrandbits(24) * 16:X}"
    text = OLD_DETAIL.format(a=address, ip=f"10.9.{node // 20}.{thread + 11}")
    return (
        f"0x{0x7F1000000000 + node * 65536 + thread * 64:X} waiting {age:.9f} seconds, "
        f"{OLD_NAMES[thread % len(OLD_NAMES)]}: {text}"
    )


COUNTERS = (
    "vxi_recv_open_mbr", "vxi_hlock_init", "vxi_hlockgrant", "vxi_hlockrevoke", "vxi_masterless_locks",
    "vxi_normalize_locks",
    "vxi_inode_btranidflush", "vxi_hlock_deinit", "vxi_rwlockgrant", "vxi_rwlockrevoke", "vxi_rwlock_iupdat",
    "vxi_glockgrant",
    "vxi_glockrevoke", "vxi_glockgrant_pbhit", "vxi_staleowner", "vxi_strong_pullowner",
)  # fmt: skip


def counter_text(size: int, seed: int = 2) -> Iterator[str]:
    """``vxfsstat -s -t 10`` of one mount."""
    rng = random.Random(seed)
    yield "[root@bench1 ~]# vxfsstat -s -t 10 /bench\n"
    written, moment = 0, 0
    while written < size:
        clock = f"{moment // 3600 % 24:02d}:{moment // 60 % 60:02d}:{moment % 60:02d}"
        half = (
            f"{(moment // 3600 % 12) or 12:02d}:{moment // 60 % 60:02d}:{moment % 60:02d} "
            f"{'AM' if moment // 3600 % 24 < 12 else 'PM'}"
        )
        lines = [f"{clock}.000 Thu {1 + moment // 86400 % 28:02d} Jan 2026 {half} UTC -- delta (10.000 sec sample)\n"]
        for left, right in zip(COUNTERS[::2], COUNTERS[1::2], strict=True):
            lines.append(f"{left:<24}{rng.randrange(90000):>9}    {right:<24}{rng.randrange(90000):>9}\n")
        block = "".join(lines)
        written += len(block)
        moment += 10
        yield block


def glock_text(size: int, seed: int = 3) -> Iterator[str]:
    """A dump of one node: nearly all glocks idle, one in two hundred waited for."""
    rng = random.Random(seed)
    yield "[root@bench1 ~]# cat /sys/kernel/debug/gfs2/clu:bench/glocks\n"
    written, number = 0, 0x10000
    while written < size:
        lines = []
        for _ in range(500):
            number += rng.randrange(1, 40)
            if rng.random() < 0.005:
                lines.append(
                    f"G:  s:EX n:2/{number:x} f:Dyqob t:EX d:UN/{rng.randrange(1, 9_000_000)} a:4 v:0 r:9 m:200 p:3\n"
                )
                lines.append(f" H: s:EX f:H e:0 p:{rng.randrange(900, 60000)} [rsync] gfs2_getattr+0x7d/0xc0 [gfs2]\n")
                lines.append(
                    f" H: s:SH f:W e:0 p:{rng.randrange(900, 60000)} [imapd] gfs2_permission+0x176/0x210 [gfs2]\n"
                )
            else:
                lines.append(f"G:  s:SH n:2/{number:x} f:Iqob t:SH d:EX/0 a:0 v:0 r:3 m:200 p:1\n")
            lines.append(f" I: n:{number & 0xFFF}/{number} t:8 f:0x00 d:0x00000000 s:{rng.randrange(1 << 20)} p:1\n")
            lines.append(f"G:  s:SH n:5/{number:x} f:Iqob t:SH d:EX/0 a:0 v:0 r:3 m:200 p:0\n")
            lines.append(
                f" H: s:SH f:EH e:0 p:{rng.randrange(900, 60000)} [(ended)] gfs2_inode_lookup+0x14e/0x260 [gfs2]\n"
            )
        block = "".join(lines)
        written += len(block)
        yield block


def place(folder: Path) -> Path:
    """Where corpora of this form are kept between runs: one of an earlier form would be measured as if it were this
    one.
    """
    stamp = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:10]
    kept = folder / stamp
    kept.mkdir(parents=True, exist_ok=True)
    return kept


def write(path: Path, blocks: Iterator[str]) -> Path:
    """Write a text once; a file that is there is used again."""
    if not path.exists():
        part = path.with_suffix(".part")
        with part.open("w", encoding="ascii") as file:
            file.writelines(blocks)
        part.rename(path)
    return path


def bundle(path: Path, members: int, member_bytes: int) -> Path:
    """A .tar.gz of waiter dumps."""
    if path.exists():
        return path
    part = path.with_suffix(".part")
    with tarfile.open(part, "w:gz", compresslevel=6) as tar:
        for number in range(members):
            data = "".join(waiter_text(member_bytes, seed=100 + number, nodes=_own(number))).encode()
            info = tarfile.TarInfo(f"node{number:03d}/waiters.txt")
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    part.rename(path)
    return path


def mixed_bundle(path: Path, size: int, member_bytes: int = 200_000_000, small: int = 100) -> Path:
    """A .tar.gz of about ``size`` bytes as a large case sends it: few huge waiter dumps, and many small files of other
    formats.
    """
    if path.exists():
        return path
    part = path.with_suffix(".part")
    with part.open("wb") as file, tarfile.open(fileobj=file, mode="w:gz", compresslevel=6) as tar:
        number = 0
        while file.tell() < size:
            room = max(1_000_000, 6 * (size - file.tell()))  # six letters of text to a packed byte, near enough
            _add(
                tar,
                f"node{number:03d}/waiters.txt",
                waiter_text(min(member_bytes, room), seed=100 + number, nodes=_own(number)),
            )
            if number < small:
                _add(tar, f"node{number:03d}/vxfsstat.txt", counter_text(200_000, seed=500 + number))
                _add(tar, f"node{number:03d}/glocks.txt", glock_text(200_000, seed=900 + number))
            number += 1
    part.rename(path)
    return path


def _own(member: int) -> range:
    """Nodes that only one member tells of."""
    return range(member * NODES_PER_MEMBER, (member + 1) * NODES_PER_MEMBER)


def _add(tar: tarfile.TarFile, name: str, blocks: Iterator[str]) -> None:
    """A member by way of a file, as its size stands in front of it."""
    with tempfile.TemporaryFile() as spool:
        for block in blocks:
            spool.write(block.encode())
        info = tarfile.TarInfo(name)
        info.size = spool.tell()
        spool.seek(0)
        tar.addfile(info, spool)
