"""A large bundle through the running program: first verdict, complete result, and the memory of each of its processes.

``BENCH_BUNDLE_MB`` sets the size of the archive (521); 0 leaves it out. The archive is made once and used again.
"""

from __future__ import annotations

import os
import tarfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from scripts.bench import corpus
from scripts.bench.served import COMPLETE, FIRST, program, send

MEGABYTE = 1_000_000
LIMIT_S = 3600
PAUSE_S = 0.25
PAGE_KIB = os.sysconf("SC_PAGE_SIZE") // 1024
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Large:
    """What was measured."""

    packed_mb: float
    text_mb: float
    members: int
    first_s: float
    complete_s: float
    peak_mb: float


def size_wanted() -> int:
    """Bytes of the archive."""
    return int(os.environ.get("BENCH_BUNDLE_MB", "521")) * MEGABYTE


def measure(folder: Path, size: int) -> Large:
    """Send it to an empty program of two workers."""
    packed = corpus.mixed_bundle(folder / f"large-{size}.tar.gz", size)
    with tarfile.open(packed) as tar:
        sizes = [member.size for member in tar]
    with program() as (pid, address), watched(pid) as seen:
        found = send(packed, address, LIMIT_S, wanted=COMPLETE)
    return Large(
        packed.stat().st_size / 1e6,
        sum(sizes) / 1e6,
        len(sizes),
        found.get(FIRST, found[COMPLETE]),
        found[COMPLETE],
        max(seen.peaks.values(), default=0) / 1024,
    )


@dataclass(slots=True)
class Seen:
    """What processes needed, by their numbers, as far as it was seen."""

    peaks: dict[int, int] = field(default_factory=dict)
    """KiB resident, the highest."""
    cpu_s: dict[int, float] = field(default_factory=dict)
    """Seconds of processor, of a process alone."""


@contextmanager
def watched(pid: int) -> Iterator[Seen]:
    """Memory and time of a process and all below it, looked at a few times each second."""
    seen, ended = Seen(), threading.Event()

    def look() -> None:
        while not ended.wait(PAUSE_S):
            for one, (kib, cpu_s) in used(pid).items():
                seen.peaks[one] = max(kib, seen.peaks.get(one, 0))
                seen.cpu_s[one] = cpu_s

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield seen
    finally:
        ended.set()
        watcher.join(10)


def used(root: int) -> dict[int, tuple[int, float]]:
    """KiB resident and seconds of processor so far, of a process and of all that it and they have started."""
    parents, figures = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat, pages = (folder / "stat").read_text(), (folder / "statm").read_text().split()[1]
        except (OSError, IndexError):
            continue  # it ended meanwhile
        fields = stat.rpartition(")")[2].split()
        parents[int(folder.name)] = int(fields[1])
        figures[int(folder.name)] = (int(pages) * PAGE_KIB, (int(fields[11]) + int(fields[12])) / TICKS)
    below = {root}
    while more := {pid for pid, parent in parents.items() if parent in below} - below:
        below |= more
    return {pid: figures[pid] for pid in below if pid in figures}


def report(large: Large) -> tuple[str, str, str]:
    """What, measured, target."""
    what = (
        f"bundle of {large.packed_mb:,.0f} MB ({large.text_mb:,.0f} MB of text, {large.members} members), "
        "through the running program"
    )
    speed = large.text_mb / large.complete_s
    measured = (
        f"first verdict {large.first_s:.1f} s, complete {large.complete_s:.1f} s after the last byte "
        f"({speed:,.0f} MB/s of text); largest process {large.peak_mb:,.0f} MB"
    )
    return what, measured, "521 MB: \u2264 10 s, \u2264 90 s with two workers, no process above 700 MB"


def main() -> None:
    """This one measurement alone."""
    import sys
    import tempfile

    folder = Path(os.environ.get("BENCH_DIR", Path(tempfile.gettempdir()) / "lockscope-bench"))
    folder.mkdir(parents=True, exist_ok=True)
    began = time.perf_counter()
    sys.stdout.write(
        " | ".join(report(measure(folder, size_wanted()))) + f" ({time.perf_counter() - began:.0f} s in all)\n"
    )


if __name__ == "__main__":
    main()
