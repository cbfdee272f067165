"""Single measurements; each runs in a process of its own so that its memory can be read: ``python -m scripts.bench.jobs
NAME PATH``.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

from apps.cases.storage.textblob import TextBlobWriter
from apps.diagnosis.engine import page_tables
from apps.diagnosis.engine.analysis import HashingStream
from apps.diagnosis.engine.core.arrays.spans import Samples, merge
from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.store import Facts, FactsWriter, Source
from apps.diagnosis.engine.diagnose import diagnose
from apps.diagnosis.engine.products import PRODUCTS
from apps.diagnosis.engine.rollups import Dumps, write_rollups
from parsers.archives.bundle import walk
from parsers.output import Output
from parsers.sections.reader import Hints, read
from parsers.text import blocks


def parse(path: Path, folder: Path) -> dict[str, float]:
    """Text to facts in Parquet."""
    start = time.perf_counter()
    with path.open("rb") as stream:
        out = Output(FactsWriter(folder / "0"))
        result = read(blocks(stream), out, Hints(path=path.name))
        out.close()
    return {"seconds": time.perf_counter() - start, "records": result.records, "not_understood": result.not_understood}


def judge(path: Path, folder: Path) -> dict[str, float]:
    """Facts to diagnosis, the parsing left out."""
    parse(path, folder)
    start = time.perf_counter()
    facts = Facts([Source(0, path.name, folder / "0")], for_tables=True)
    case = Case(facts, PRODUCTS)
    result = diagnose(facts, case)
    page_tables.write_page_tables(case, result, folder)
    return {"seconds": time.perf_counter() - start, "findings": len(result.findings)}


def unpack(path: Path, _folder: Path) -> dict[str, float]:
    """Decompress and untar, the text thrown away."""
    start, size = time.perf_counter(), 0
    with path.open("rb") as stream:
        for member in walk(stream):
            while member.stream is not None and (data := member.stream.read(1 << 20)):
                size += len(data)
    return {"seconds": time.perf_counter() - start, "text_bytes": size}


def keep(path: Path, folder: Path) -> dict[str, float]:
    """Decompress, untar, find the lines, hash, and write each text so that any line of it can be reached."""
    start, size = time.perf_counter(), 0
    digests: list[str] = []
    with path.open("rb") as stream:
        for member in walk(stream):
            if member.stream is None:
                continue
            hashing = HashingStream(member.stream)
            with (folder / "text").open("wb") as file, TextBlobWriter(file) as writer:
                for block in blocks(hashing):
                    writer.write(block.data)
                    size += len(block.data)
            hashing.drain()
            digests.append(hashing.sha256)
    return {"seconds": time.perf_counter() - start, "text_bytes": size, "texts": len(digests)}


def spans(_path: Path, _folder: Path) -> dict[str, float]:
    """Merge ten million samples of 5,000 threads over 2,000 dumps."""
    threads, dumps = 5_000, 2_000
    rng = np.random.default_rng(7)
    end = np.repeat(np.arange(dumps, dtype=np.int64) * 5_000_000, threads)
    began = rng.integers(0, 40, threads * dumps).cumsum() % 7 == 0
    start = end - rng.integers(0, 4, threads * dumps) * 1_000_000 * began
    samples = Samples(
        key=np.tile(np.arange(1, threads + 1, dtype=np.uint64) << np.uint64(32), dumps),
        start=start,
        end=end,
        seconds=(end - start) / 1e6,
        dump=np.repeat(np.arange(dumps, dtype=np.int32), threads),
        final_dump=np.full(threads * dumps, dumps - 1, np.int32),
    )
    began_at = time.perf_counter()
    merged = merge(samples)
    return {"seconds": time.perf_counter() - began_at, "samples": threads * dumps, "spans": len(merged.first)}


def rollups(_path: Path, folder: Path) -> dict[str, float]:
    """A timeline window over ten million samples, read from rollups: 200 nodes, 2,000 dumps, 4 categories."""
    nodes, dumps = 200, 2_000
    rng = np.random.default_rng(9)
    rows = nodes * dumps * 4
    frame = pl.DataFrame(
        {
            "node": np.repeat([f"node{n:03d}" for n in range(nodes)], dumps * 4),
            "at": np.tile(np.repeat(np.arange(dumps, dtype=np.int64) * 5_000_000, 4), nodes) + 1_770_000_000_000_000,
            "category": np.tile(np.arange(1, 5, dtype=np.int64), nodes * dumps),
            "waiters": rng.integers(0, 13, rows),
            "longest_s": rng.random(rows) * 40,
        }
    )
    write_rollups(Dumps([frame], Nodes([])), folder)
    samples = int(frame["waiters"].sum())
    best, length = 9.0, 5_000_000 * dumps
    for _ in range(5):
        start = time.perf_counter()
        shown = pl.scan_parquet(folder / "rollup.parquet").filter(
            (pl.col("width_us") == 10_000_000)
            & pl.col("bucket_us").is_between(1_770_000_000_000_000, 1_770_000_000_000_000 + length)
        )
        shown.collect().group_by("bucket_us", "category").agg(pl.col("waiters").sum(), pl.col("longest_s").max())
        best = min(best, time.perf_counter() - start)
    return {"seconds": best, "samples": samples}


JOBS: dict[str, Callable[[Path, Path], dict[str, float]]] = {
    f.__name__: f for f in (parse, judge, unpack, keep, spans, rollups)
}


def main() -> None:
    """Run one job and print its figures as JSON."""
    name, path = sys.argv[1], Path(sys.argv[2])
    with tempfile.TemporaryDirectory(prefix="lockscope-bench-") as folder:
        figures = JOBS[name](path, Path(folder))
    figures["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sys.stdout.write(json.dumps(figures) + "\n")


if __name__ == "__main__":
    main()
