"""Rule on benchmarks whose requests took far longer than a disk in order needs (ST-27)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
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
    shown = (what.str.contains(" clat ") | (what == DEPTH)) & pl.col("value").is_not_null()
    depths: dict[int, float] = {}
    jobs: dict[tuple[int, str], dict[str, Measurement]] = {}
    for one in records.of(Measurement, shown)[:MOST]:
        if one.what == DEPTH:
            depths[one.artifact] = max(_ms(one), depths.get(one.artifact, 0.0))
            continue
        job, _, figure = one.what.rpartition(" clat ")
        of = jobs.setdefault((one.artifact, job), {})
        known = of.get(f"clat {figure}")
        if known is None or _ms(known) < _ms(one):
            of[f"clat {figure}"] = one
    found = [
        seen
        for (artifact, job), of in jobs.items()
        if (seen := _seen(job, of, depths.get(artifact), limits)) is not None
    ]
    yield from sorted(found, key=lambda one: -one.weight)[:SHOWN]


def _ms(one: Measurement) -> float:
    return one.value or 0.0


def _seen(job: str, of: dict[str, Measurement], depth: float | None, limits: Limits) -> Seen | None:
    mean, tail, longest = (of.get(figure) for figure in (MEAN, TAIL, LONGEST))
    if mean is None:
        return None
    longest_ms = longest.value if longest is not None else None
    level = _level(_ms(mean), longest_ms, depth, limits)
    if level is None:
        return None
    return Seen(
        level=level,
        words=BenchmarkWords(
            job=job,
            node=mean.node,
            mean_ms=_ms(mean),
            longest_ms=longest_ms,
            tail_ms=tail.value if tail is not None else None,
            depth=depth,
            slow=level == "slow",
        ),
        lines=[one.ref for one in (mean, tail, longest) if one is not None],
        nodes=(mean.node,),
        times=(mean.at,),
        zone_min=mean.zone_min,
        parts=("measured",),
        weight=max(_ms(mean), longest_ms or 0.0) / 1e6,
    )


def _level(mean: float, longest: float | None, depth: float | None, limits: Limits) -> Level | None:
    """By the worst that is shown. Without the number of open requests a long mean tells nothing."""
    if depth is not None and mean / max(depth, 1.0) >= limits.slow_ms:
        return "slow"
    if longest is None or longest < limits.factor * mean or longest < limits.tail_s * 1000:
        return None
    return "stood" if longest >= limits.stood_s * 1000 else "tail"
