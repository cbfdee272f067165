"""Rule on benchmarks whose requests took far longer than a disk in order needs (ST-27)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal

import polars as pl

from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.records import Records
from apps.diagnosis.engine.core.registry import rule
from apps.diagnosis.engine.core.seen import Seen
from parsers.dataclass import dataclass
from parsers.records import Measurement

MEAN: Final = "clat mean"
LONGEST: Final = "clat max"
TAIL: Final = "clat p99.9"
DEPTH: Final = "iodepth"
SHOWN: Final = 3
MOST: Final = 10_000
Level = Literal["slow", "stood", "tail"]


@dataclass(frozen=True, slots=True)
class BenchmarkWords:
    """A job of a benchmark: mean, longest, and that of all but one request in a thousand (ms), and how many were open.
    slow: it is the mean that is long.
    """

    job: str
    node: str | None
    mean_ms: float
    longest_ms: float | None
    tail_ms: float | None
    depth: float | None
    slow: bool


@rule("ST-27", needs=(Records,), words=BenchmarkWords)
def benchmark_waits(records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: a benchmark reaches its rate, and programs are blocked from time to time all the same.

    Reasoning: of the requests that a benchmark keeps open each waits for those before it, so its mean is shared among
    them; what is left is long for any disk, or a single request took a thousand times as long as the others.
    Source: fio(1); limits proposed.
    """
    if not records.has(Measurement):
        return
    what = pl.col("what")
    rows = records.frame(Measurement, (what.str.contains(" clat ") | (what == DEPTH)) & pl.col("value").is_not_null())
    depths: dict[int, float] = {}
    jobs: dict[tuple[int, str], dict[str, dict[str, Any]]] = {}
    for row in rows.head(MOST).iter_rows(named=True):
        if row["what"] == DEPTH:
            depths[row["artifact"]] = max(row["value"], depths.get(row["artifact"], 0.0))
            continue
        job, _, figure = row["what"].rpartition(" clat ")
        of = jobs.setdefault((row["artifact"], job), {})
        known = of.get(f"clat {figure}")
        if known is None or known["value"] < row["value"]:
            of[f"clat {figure}"] = row
    found = [
        seen
        for (artifact, job), of in jobs.items()
        if (seen := _seen(job, of, depths.get(artifact), limits)) is not None
    ]
    yield from sorted(found, key=lambda one: -one.weight)[:SHOWN]


def _seen(job: str, of: dict[str, dict[str, Any]], depth: float | None, limits: Limits) -> Seen | None:
    if MEAN not in of:
        return None
    mean = of[MEAN]["value"]
    longest = of[LONGEST]["value"] if LONGEST in of else None
    level = _level(mean, longest, depth, limits)
    if level is None:
        return None
    shown = [of[one] for one in (MEAN, TAIL, LONGEST) if one in of]
    return Seen(
        level=level,
        words=BenchmarkWords(
            job=job,
            node=of[MEAN]["node"],
            mean_ms=mean,
            longest_ms=longest,
            tail_ms=of[TAIL]["value"] if TAIL in of else None,
            depth=depth,
            slow=level == "slow",
        ),
        lines=[Ref(one["artifact"], one["line"]) for one in shown],
        nodes=(of[MEAN]["node"],),
        times=(of[MEAN]["at"],),
        zone_min=of[MEAN]["zone_min"],
        parts=("measured",),
        weight=max(mean, longest or 0.0) / 1e6,
    )


def _level(mean: float, longest: float | None, depth: float | None, limits: Limits) -> Level | None:
    """By the worst that is shown. Without the number of open requests a long mean tells nothing."""
    if depth is not None and mean / max(depth, 1.0) >= limits.slow_ms:
        return "slow"
    if longest is None or longest < limits.factor * mean or longest < limits.tail_s * 1000:
        return None
    return "stood" if longest >= limits.stood_s * 1000 else "tail"
