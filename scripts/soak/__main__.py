"""``make soak``: mixed bundles through both shapes of running, one after the other. Writes docs/benchmarks_soak.md.

Ends with status 1 where a bundle was read differently, something was left over, an answer was an error, or a program
holds more and more.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
REPORT = ROOT / "docs" / "benchmarks_soak.md"
SHAPES = ("embedded", "server")
GROWTH_MIB, GROWTH_FILES = 40, 6
"""From the second quarter of the samples to the last one; less is the noise of an interpreter, or a connection more or
less.
"""
LEAST_SAMPLES = 8


def main() -> int:
    bundles = int(os.environ.get("SOAK") or 1000)
    with tempfile.TemporaryDirectory(prefix="lockscope-soak-") as name:
        runs = {shape: _run(shape, bundles, Path(name)) for shape in SHAPES}
    faults = list(_faults(runs))
    REPORT.write_text(_report(runs, faults), encoding="utf-8")
    sys.stdout.write(REPORT.read_text(encoding="utf-8"))
    return 1 if faults else 0


def _run(shape: str, bundles: int, folder: Path) -> dict[str, Any]:
    out = folder / f"{shape}.json"
    subprocess.run([sys.executable, "-m", "scripts.soak.shape", shape, str(bundles), str(out)], cwd=ROOT, check=True)  # noqa: S603 - ours
    report: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return report


def _faults(runs: dict[str, dict[str, Any]]) -> Iterator[str]:
    embedded, server = (runs[shape] for shape in SHAPES)
    yield from _different("the two shapes", embedded["first"], server["first"])
    for shape, run in runs.items():
        yield from _different(f"begin and end ({shape})", run["first"], run["again"])
        yield from (f"{shape}: left over: {what}" for what in run["left"])
        yield from (f"{shape}: {name} had ended by itself" for name in run["ended"])
        yield from (
            f"{shape}: {n} answers {key}" for key, n in run["answers"].items() if not key.endswith((" 200)", " 201)"))
        )
        yield from _growth(shape, run["samples"])


def _different(what: str, some: list[str], others: list[str]) -> Iterator[str]:
    numbers = [number for number, (one, other) in enumerate(zip(some, others, strict=False)) if one != other]
    if numbers:
        yield f"{what}: {len(numbers)} bundles were read differently: {', '.join(map(str, numbers[:20]))}"


def _growth(shape: str, samples: list[dict[str, Any]]) -> Iterator[str]:
    if len(samples) < LEAST_SAMPLES:
        return
    for name in samples[-1]["programs"]:
        for key, most in (("mib", GROWTH_MIB), ("files", GROWTH_FILES)):
            before, after = _quarters([sample["programs"][name][key] for sample in samples])
            if after - before > most:
                yield f"{shape}: {name} went from {before:.0f} to {after:.0f} {key}"
    for name in samples[-1]["connections"]:
        before, after = _quarters([sample["connections"][name] for sample in samples])
        if after - before > GROWTH_FILES:
            yield f"{shape}: connections of the {name} went from {before:.0f} to {after:.0f}"


def _quarters(values: list[float]) -> tuple[float, float]:
    """Medians of the second quarter, by when all is loaded that ever will be, and of the last."""
    quarter = max(1, len(values) // 4)
    return statistics.median(values[quarter : 2 * quarter]), statistics.median(values[-quarter:])


def _report(runs: dict[str, dict[str, Any]], faults: list[str]) -> str:
    lines = [
        "# A long run",
        "",
        (
            f"By `make soak` on {time.strftime('%Y-%m-%d')}: mixed bundles of one to ten files (samples of "
            "all formats, generated dumps,"
        ),
        (
            "half of them damaged, a tenth of the archives cut) through the web process, ten at a time, and "
            "two pages of each case. Looked at"
        ),
        (
            f"whenever nothing was left to do. {os.cpu_count()} cores ({platform.machine()}), Python "
            f"{platform.python_version()}."
        ),
        (
            "Memory is that of a program with all its processes, pages of memory that several share divided "
            "among them. Web processes keep"
        ),
        "4 MiB of parts of pages here (`LOCKSCOPE_PAGES_KEPT_BYTES`), so that a leak is not hidden behind them.",
        "",
    ]
    for shape, run in runs.items():
        lines += [*_of_shape(shape, run), ""]
    lines += ["## What must hold", ""]
    lines += [f"- **Not met.** {fault}" for fault in faults] or [
        (
            "- The same bundle gave the same report and the same states of files in both shapes, and at the "
            "beginning and the end of each."
        ),
        (
            "- Rows and stored files belong together (as `manage.py check_integrity` asks, for files of any "
            "age), no temporary file was left,"
        ),
        "  and no program had ended by itself.",
        (
            f"- No program held more in the last quarter of the run than in the second (within {GROWTH_MIB} "
            f"MiB and {GROWTH_FILES} files), nor"
        ),
        "  were there more connections.",
        "- No page and no upload was answered by an error.",
    ]
    return "\n".join(lines) + "\n"


def _of_shape(shape: str, run: dict[str, Any]) -> Iterator[str]:
    states = ", ".join(f"{n:,} {state}" for state, n in sorted(run["states"].items()))
    yield f"## The {shape} shape"
    yield ""
    took = f"{run['seconds']:,} s, load average at the end {run['load']:.1f}, from whatever else ran"
    yield f"{run['bundles']:,} bundles, then the first {len(run['again'])} again: {took}. Files: {states}."
    yield ""
    samples = run["samples"]
    chosen = [samples[round(place * (len(samples) - 1) / 4)] for place in range(5)]
    names = list(chosen[0]["programs"])
    yield f"| after bundles | {' | '.join(names)} | connections |"
    yield f"| ---: | {' | '.join('---:' for _ in names)} | ---: |"
    for sample in chosen:
        cells = [f"{of['mib']:.0f} MiB, {of['files']} files" for of in (sample["programs"][name] for name in names)]
        connections = ", ".join(f"{name} {n}" for name, n in sample["connections"].items())
        yield f"| {sample['bundles']:,} | {' | '.join(cells)} | {connections} |"


if __name__ == "__main__":
    sys.exit(main())
