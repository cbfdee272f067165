"""Measure, print a table, and write it to docs/benchmarks.md. ``BENCH_MB`` sets the size of the waiter corpus (160),
``BENCH_BUNDLE_MB`` that of the large bundle (521; 0 leaves it out).
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from scripts.bench import corpus, large
from scripts.bench.formats import speeds
from scripts.bench.served import first_verdict

BASE_DIR = Path(__file__).resolve().parent.parent.parent
ONE_CORE = ["taskset", "-c", "0"] if shutil.which("taskset") else []
SINGLE = {"POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1", "LC_ALL": "C"}
TALLY = r"""{ if (match($0, /reason '[^']*'/)) n[substr($0, RSTART, RLENGTH)]++ } END { for (r in n) print n[r], r }"""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table."""

    what: str
    measured: str
    target: str


def job(name: str, path: Path, *, repeat: int = 2) -> dict[str, float]:
    """Best of some runs on one core; the highest memory of them."""
    runs = []
    for _ in range(repeat):
        command = [*ONE_CORE, sys.executable, "-m", "scripts.bench.jobs", name, str(path)]
        done = subprocess.run(command, cwd=BASE_DIR, env={**os.environ, **SINGLE}, check=True, capture_output=True)  # noqa: S603  our own interpreter and module
        runs.append(json.loads(done.stdout.splitlines()[-1]))
    best = min(runs, key=lambda run: run["seconds"])
    return {**best, "peak_mb": max(run["peak_mb"] for run in runs)}


def tool(command: list[str], *, repeat: int = 3) -> float:
    """Best wall-clock time of a public tool; its output goes through a pipe, or grep would stop at the first match."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        subprocess.run([*ONE_CORE, *command], env={**os.environ, **SINGLE}, check=True, capture_output=True)  # noqa: S603  our own interpreter and module
        times.append(time.perf_counter() - start)
    return min(times)


def measure(folder: Path) -> list[Row]:
    """All measurements, one after the other."""
    waiters_size = int(os.environ.get("BENCH_MB", "160")) * 1_000_000
    waiters = corpus.write(folder / f"waiters-{waiters_size}.txt", corpus.waiter_text(waiters_size))
    counters = corpus.write(folder / "counters.txt", corpus.counter_text(20_000_000))
    glocks = corpus.write(folder / "glocks.txt", corpus.glock_text(45_000_000))
    packed = corpus.bundle(folder / "bundle.tar.gz", 10, 20_000_000)
    grep = tool(["grep", "-c", "RPC wait", str(waiters)])
    return [
        Row("`grep -c 'RPC wait'`, the yardstick", rate(waiters, grep), ""),
        *against_gawk(waiters),
        *parsing(waiters, grep),
        *analysing(waiters, grep),
        Row("vxfsstat counters \u2192 Parquet", rate(counters, job("parse", counters)["seconds"]), "\u2265 60 MB/s"),
        Row("glocks \u2192 Parquet", rate(glocks, job("parse", glocks)["seconds"]), "\u2265 45 MB/s"),
        *engine(waiters, packed),
        Row(
            "20 MB bundle: first verdict after the last byte, through the running program",
            f"{first_verdict(folder):.1f} s",
            "\u2264 5 s",
        ),
        *([Row(*large.report(large.measure(folder, size)))] if (size := large.size_wanted()) else []),
    ]


def rate(path: Path, seconds: float) -> str:
    """Megabytes per second of a file."""
    return f"{path.stat().st_size / 1e6 / seconds:,.0f} MB/s"


def against_gawk(waiters: Path) -> list[Row]:
    """What an engineer types today, where gawk is installed."""
    if not shutil.which("gawk"):
        return [Row("`gawk` tally of reasons", "gawk is not installed", "")]
    return [Row("`gawk` tally of reasons", rate(waiters, tool(["gawk", TALLY, str(waiters)], repeat=2)), "")]


def parsing(waiters: Path, grep: float) -> list[Row]:
    """Waiter text to facts."""
    done = job("parse", waiters)
    return [
        Row(
            "waiter text \u2192 facts in Parquet, one core",
            f"{rate(waiters, done['seconds'])}, {done['seconds'] / grep:.0f} \u00d7 grep, "
            f"{done['peak_mb']:.0f} MB resident",
            "\u2265 60 MB/s, \u2264 30 \u00d7 grep, \u2264 250 MB",
        ),
        Row("waiters read / lines not understood", f"{done['records']:,.0f} / {done['not_understood']:,.0f}", ""),
    ]


def analysing(waiters: Path, grep: float) -> list[Row]:
    """The whole command, start of Python and Django included."""
    seconds = tool(
        [sys.executable, str(BASE_DIR / "manage.py"), "analyze", "--json", "--summary", str(waiters)], repeat=2
    )
    return [
        Row(
            "`manage.py analyze --json --summary`, whole process, one core",
            f"{rate(waiters, seconds)}, {seconds / grep:.0f} \u00d7 grep",
            "",
        )
    ]


def engine(waiters: Path, packed: Path) -> list[Row]:
    """Unpacking, spans, diagnosis, timeline."""
    unpacked, kept, merged, judged, window = (
        job("unpack", packed),
        job("keep", packed),
        job("spans", waiters),
        job("judge", waiters, repeat=1),
        job("rollups", waiters),
    )
    return [
        Row(
            "decompress + untar",
            f"{unpacked['text_bytes'] / 1e6 / unpacked['seconds']:,.0f} MB/s of text",
            "\u2265 700 MB/s",
        ),
        Row(
            "decompress, untar, hash, and keep each text seekable, with two threads",
            f"{kept['text_bytes'] / 1e6 / kept['seconds']:,.0f} MB/s of text",
            "\u2265 400 MB/s",
        ),
        Row(
            "span merge, 10 M samples",
            f"{merged['samples'] / 1e6 / merged['seconds']:.1f} M samples/s",
            "\u2265 5 M samples/s",
        ),
        Row(
            "diagnosis and page views of the waiter corpus",
            f"{judged['seconds']:.1f} s, {judged['peak_mb']:.0f} MB resident",
            "",
        ),
        Row(
            f"timeline window from rollups, {window['samples'] / 1e6:.1f} M samples",
            f"{1000 * window['seconds']:.0f} ms",
            "\u2264 60 ms",
        ),
    ]


def table(rows: list[Row]) -> str:
    """The page docs/benchmarks.md."""
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()}, {platform.machine()}"
    head = f"Measured {datetime.now(UTC):%d %B %Y} by `make bench`: {machine}."
    lines = [f"| {row.what} | {row.measured} | {row.target} |" for row in rows]
    note = (
        "The corpora are generated and regular, which flatters the memo and the compression; a "
        "customer's files are messier.\nFigures of one machine vary by a fifth and more from run to run: "
        "compare the ratios to the public tools of the same run.\nTargets are those of the design; [ADR "
        "16](adr/0016-budgets-that-are-not-met.md) says what holds where one is missed, and why."
    )
    return "\n".join(
        ["# Benchmarks", "", head, "", "| what | measured | target |", "| --- | --- | --- |", *lines, "", note, ""]
    )


def formats() -> str:
    """The speed of every format on its own sample, slowest first."""
    found = sorted(speeds(), key=lambda row: row[1])
    lines = [f"| {name} | {mb_s:.1f} | {lines_s:,.0f} |" for name, mb_s, lines_s in found]
    head = (
        "Each sample (tests/fixtures/parsers) written again and again below prompts of its own: many short "
        "sections, read line by line."
    )
    return "\n".join(
        ["## Reading per format", "", head, "", "| format | MB/s | lines/s |", "| --- | ---: | ---: |", *lines, ""]
    )


def main() -> None:
    """Measure in a folder that keeps its corpora between runs."""
    folder = corpus.place(Path(os.environ.get("BENCH_DIR", Path(tempfile.gettempdir()) / "lockscope-bench")))
    text = table(measure(folder)) + "\n" + formats()
    (BASE_DIR / "docs").mkdir(exist_ok=True)
    (BASE_DIR / "docs" / "benchmarks.md").write_text(text, encoding="utf-8")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
