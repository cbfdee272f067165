"""Twenty thousand small files of a thousand nodes through the running program: ``python -m scripts.bench.small_files``
writes docs/benchmarks_small_files.md. Best when nothing else runs.

``BENCH_NODES`` sets how many nodes send twenty files each (1000). Where the environment names a PostgreSQL server
(``LOCKSCOPE_DB_HOST`` and the others), the program keeps its rows there; else it is the embedded shape.
"""

from __future__ import annotations

import io
import os
import platform
import random
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from scripts.bench import corpus
from scripts.bench.large import watched
from scripts.bench.served import BASE_DIR, COMPLETE, FIRST, program, send

PAGE: Final = BASE_DIR / "docs" / "benchmarks_small_files.md"
LIMIT_S: Final = 3600
DUMPS: Final = 12
BEGIN: Final = 9 * 3600
WAITS: Final = (
    "NSDThread: for I/O completion on disk dm-{disk}",
    "RangeRevokeWorkerThread: on ThCond {a} (TokenCondvar), reason 'waiting for token revoke'",
    "FsyncHandlerThread: on ThCond {a} (LogFileBufferStateCondvar), reason 'force wait for write complete'",
    "CreateHandlerThread: on ThMutex {a} (InodeCacheObjMutex)",
)
LOAD: Final = " 09:12:00 up 41 days,  3:10,  2 users,  load average: 1.02, 0.90, 0.81\n"
DEVICES: Final = (
    "Device            r/s     w/s     rkB/s     wkB/s   rrqm/s   wrqm/s  %rrqm  %wrqm r_await w_await aqu-sz "
    "rareq-sz wareq-sz  svctm  %util\n"
)


def files(nodes: int) -> Iterator[tuple[str, str]]:
    """Name and text of the files of each node: twelve waiter dumps, logs, figures of the host, and what no parser
    knows.
    """
    rng = random.Random(nodes)
    for number in range(nodes):
        node = f"bn{number:04d}"
        for dump in range(DUMPS):
            yield f"{node}/waiters.{dump:02d}.txt", "".join(_waiters(rng, node, BEGIN + 60 * dump))
        yield f"{node}/mmfs.log.latest", "".join(_mmfs_log(rng, node))
        yield f"{node}/mmfs.log.previous", "".join(_mmfs_log(rng, node))
        for name in ("messages", "messages.1", "messages.2"):
            yield f"{node}/{name}", "".join(_messages(rng, node))
        yield f"{node}/iostat.txt", "".join(_iostat(rng, node))
        yield (
            f"{node}/uptime.txt",
            f"[root@{node} ~]# uptime\n 09:12:00 up 41 days,  3:10,  2 users,  load average: 1.02, 0.90, 0.81\n",
        )
        yield f"{node}/inventory.txt", "".join(f"slot {slot}: part {rng.randrange(10**9)}\n" for slot in range(40))


def _clock(moment: int) -> str:
    return f"{moment // 3600 % 24:02d}:{moment // 60 % 60:02d}:{moment % 60:02d}"


def _waiters(rng: random.Random, node: str, moment: int) -> Iterator[str]:
    yield f"### BEGIN DATA COLLECTION 2026/03/02 {_clock(moment)} {node} ###\n=== mmdiag: waiters ===\n"
    for thread in range(20):
        age = rng.lognormvariate(-1, 2)
        text = WAITS[thread % len(WAITS)].format(a=f"0x{0x7F0000000000 + rng.getrandbits(30) * 16:X}", disk=thread)
        since = _clock(int(moment - age) % 86400)
        yield f"Waiting {age:.4f} sec since {since}, monitored, thread {20000 + thread} {text}\n"


def _mmfs_log(rng: random.Random, node: str) -> Iterator[str]:
    for line in range(60):
        clock = _clock(BEGIN + 10 * line)
        peer = f"10.9.1.{rng.randrange(250)} {node} <c0n{rng.randrange(99)}>"
        yield f"2026-03-02_{clock}.{rng.randrange(1000):03d}+0100: [I] Accepted and connected to {peer}\n"


def _messages(rng: random.Random, node: str) -> Iterator[str]:
    for line in range(80):
        message = f"systemd[1]: Started Session {rng.randrange(10**5)} of user root."
        yield f"Mar  2 {_clock(BEGIN + 7 * line)} {node} {message}\n"


def _iostat(rng: random.Random, node: str) -> Iterator[str]:
    yield f"Linux 4.18.0-477.el8.x86_64 ({node})  03/02/2026  _x86_64_  (64 CPU)\n\n"
    for sample in range(3):
        yield f"03/02/2026 {_clock(BEGIN + 60 * sample)}\n"
        yield DEVICES
        for disk in range(6):
            figures = " ".join(f"{rng.random() * 90:8.2f}" for _ in range(15))
            yield f"dm-{disk}          {figures}\n"
        yield "\n"


def bundle(path: Path, nodes: int) -> Path:
    """A .tar.gz of these files; one that is there is used again."""
    if path.exists():
        return path
    part = path.with_suffix(".part")
    with tarfile.open(part, "w:gz", compresslevel=6) as tar:
        for name, text in files(nodes):
            data = text.encode()
            info = tarfile.TarInfo(f"snap/{name}")
            info.size = len(data)
            info.mtime = 1_772_445_600
            tar.addfile(info, io.BytesIO(data))
    part.rename(path)
    return path


@dataclass(frozen=True, slots=True)
class Measured:
    """One run."""

    files: int
    text_mb: float
    first_s: float
    complete_s: float
    cpu_s: float
    peak_mb: float


def measure(folder: Path, nodes: int) -> Measured:
    """Send them to an empty program of two workers."""
    packed = bundle(folder / f"small-{nodes}.tar.gz", nodes)
    with tarfile.open(packed) as tar:
        sizes = [member.size for member in tar]
    with program() as (pid, address), watched(pid) as seen:
        found = send(packed, address, LIMIT_S, wanted=COMPLETE)
    return Measured(
        len(sizes),
        sum(sizes) / 1e6,
        found.get(FIRST, found[COMPLETE]),
        found[COMPLETE],
        sum(seen.cpu_s.values()),
        max(seen.peaks.values(), default=0) / 1024,
    )


def page(found: Measured) -> str:
    """docs/benchmarks_small_files.md."""
    machine = f"{os.cpu_count()} cores ({platform.machine()}), Python {platform.python_version()}"
    database = "PostgreSQL" if os.environ.get("LOCKSCOPE_DB_HOST") else "SQLite"
    rows = [
        ("first verdict after the last byte", f"{found.first_s:.1f} s", ""),
        ("complete after the last byte", f"{found.complete_s:.0f} s", "\u2264 240 s"),
        ("processor time of all processes", f"{found.cpu_s:.0f} s", ""),
        ("for each file", f"{1000 * found.cpu_s / found.files:.1f} ms", ""),
        ("largest process", f"{found.peak_mb:,.0f} MB", "\u2264 700 MB"),
    ]
    lines = [
        "# Many small files",
        "",
        f"Measured {datetime.now(UTC):%d %B %Y} by `python -m scripts.bench.small_files`: {found.files:,} files,",
        f"{found.text_mb:.0f} MB of text, through the running program, {database}, {machine}.",
        "",
        "| what | measured | target for 20,000 files |",
        "| --- | ---: | ---: |",
        *(f"| {what} | {measured} | {target} |" for what, measured, target in rows),
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure, print, write."""
    folder = corpus.place(Path(os.environ.get("BENCH_DIR", Path(tempfile.gettempdir()) / "lockscope-bench")))
    text = page(measure(folder, int(os.environ.get("BENCH_NODES", "1000"))))
    PAGE.write_text(text, encoding="utf-8")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
