"""What a second worker gains: ``python -m scripts.bench.scaling`` writes docs/benchmarks_scaling.md. Best when nothing
else runs.

The bundle has eight files of 100 MB of waiter dumps. Beside the program, the parser alone is run in one and in two
processes: that is what these cores can give at most.
"""

from __future__ import annotations

import http.cookiejar
import os
import platform
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from typing import Final, NamedTuple

from scripts.bench import corpus
from scripts.bench.served import BASE_DIR, post, program

PAGE: Final = BASE_DIR / "docs" / "benchmarks_scaling.md"
MEMBERS, MEMBER_BYTES = 8, 100_000_000
ORDER: Final = (1, 2, 2, 1)
"""Machines get faster and slower: each number of workers is tried early and late."""
SETTLE_S: Final = 25
LIMIT_S: Final = 900
LOOK_EVERY_S: Final = 0.5
READ: Final = (">Diagnosing<", ">All files are read<")


class Times(NamedTuple):
    """Seconds from the last byte sent."""

    first: float
    read: float
    verdict: float


def ceiling(files: Sequence[Path]) -> tuple[float, float]:
    """Seconds of the parser alone for half of the files: one process after the other, and two at a time."""
    half = files[: MEMBERS // 2]
    return _parsed(half, at_once=1), _parsed(half, at_once=2)


def _parsed(files: Sequence[Path], *, at_once: int) -> float:
    env = os.environ | {"POLARS_MAX_THREADS": "1"}

    def parse(path: Path) -> None:
        command = [sys.executable, "-m", "scripts.bench.jobs", "parse", str(path)]
        subprocess.run(command, cwd=BASE_DIR, env=env, check=True, stdout=subprocess.DEVNULL)  # noqa: S603  our own module

    start = time.perf_counter()
    with ThreadPoolExecutor(at_once) as pool:
        list(pool.map(parse, files))
    return time.perf_counter() - start


def through_the_program(packed: Path, workers: int) -> Times:
    """Until there is a first verdict, all files are read, and the verdict stands on all of them."""
    os.environ |= {"LOCKSCOPE_WORKERS": str(workers)}
    with program() as (_, address):
        time.sleep(SETTLE_S)  # the samples are read
        jar = http.cookiejar.CookieJar()
        web = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
        case = post(web, packed, address, LIMIT_S)
        start = time.perf_counter()
        first = read = 0.0
        while (now := time.perf_counter() - start) < LIMIT_S:
            shown = web.open(f"{case}upload/state/", timeout=30).read().decode()
            read = read or (now if any(word in shown for word in READ) else 0.0)
            first = first or (now if "Diagnosis</b>not yet" not in shown and "Diagnosis</b>" in shown else 0.0)
            if READ[-1] in shown:
                return Times(first, read, now)
            time.sleep(LOOK_EVERY_S)
    raise RuntimeError("no verdict came")


def table(alone: tuple[float, float], found: dict[int, list[Times]]) -> str:
    """The page docs/benchmarks_scaling.md."""
    one, two = (Times(*(fmean(column) for column in zip(*found[workers], strict=True))) for workers in (1, 2))
    size = MEMBERS * MEMBER_BYTES
    rows = [
        ("parser alone, half of the text, a process for each file", *alone),
        *(
            (what, getattr(one, name), getattr(two, name))
            for what, name in (
                ("the program, until a first verdict", "first"),
                ("the program, until all files are read", "read"),
                ("the program, until the verdict on all of them", "verdict"),
            )
        ),
    ]
    lines = [f"| {what} | {a:.1f} s | {b:.1f} s | {a / b:.2f} |" for what, a, b in rows]
    machine = f"{os.cpu_count()} cores ({platform.machine()}), Python {platform.python_version()}"
    text = f"{MEMBERS} files of {MEMBER_BYTES // 1_000_000} MB of waiter dumps, {size // 1_000_000} MB in all"
    lines = [
        "# A second worker",
        "",
        f"Measured {datetime.now(UTC):%d %B %Y} by `python -m scripts.bench.scaling`: {text},",
        f"local storage, SQLite, {machine}. Means of two runs.",
        "",
        "| what | one | two | gain |",
        "| --- | ---: | ---: | ---: |",
        *lines,
        "",
        (
            "The first row is what these cores give to two processes that share nothing but memory: no "
            "program on them gains more."
        ),
        (
            "What takes the rest: one worker alone keeps more than one core busy already (Polars sorts and "
            "packs beside it),"
        ),
        (
            "the web process and the queue take a share of the same two cores, unpacking is one process, and "
            "so is the diagnosis"
        ),
        "at the end.",
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure, print, write."""
    folder = Path(os.environ.get("BENCH_DIR", Path(tempfile.gettempdir()) / "lockscope-bench"))
    folder.mkdir(parents=True, exist_ok=True)
    packed = corpus.bundle(folder / "eight.tar.gz", MEMBERS, MEMBER_BYTES)
    os.environ |= {
        "LOCKSCOPE_WORKER_NICE": "0",
        "LOCKSCOPE_LIGHT_BYTES": str(1 << 20),
    }  # nothing for the worker of small uploads
    with tempfile.TemporaryDirectory(prefix="lockscope-scaling-") as name:
        with tarfile.open(packed) as archive:
            archive.extractall(name, filter="data")
        alone = ceiling(sorted(Path(name).rglob("*.txt")))
    found: dict[int, list[Times]] = {1: [], 2: []}
    for workers in ORDER:
        found[workers].append(through_the_program(packed, workers))
    text = table(alone, found)
    PAGE.write_text(text, encoding="utf-8")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
