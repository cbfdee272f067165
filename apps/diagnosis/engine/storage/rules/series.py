"""Rule on runs of one benchmark whose rates fall to a fraction (ST-15)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import log2
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from parsers.dataclass import dataclass
from parsers.records import Measurement

SHOWN: Final = 3
MOST: Final = 100_000
TOOLS: Final = ("dd", "fio", "ping_pong", "ior", "mdtest")
WITHOUT_OPTIONS: Final = ("ping_pong", "ior", "mdtest")
AS_PRINTED: Final = "rate as printed"
_TARGET: Final = re.compile(r"\b(?:of|if)=\S+|--(?:filename|directory|name)[= ]\S+")
_SUMMED: Final = re.compile(r", median of \d+$")
_COUNTED: Final = re.compile(r"\d+")
_BARE: Final = re.compile(r"(?P<job>\S{1,200} )?(?:read|write|trim) (?:bw|iops)$")
_JOB: Final = re.compile(r"(?P<job>\S{1,200}) (?:read|write|trim|mixed) (?:bw|iops)$")


@dataclass(frozen=True, slots=True)
class SeriesWords:
    """The fastest and the slowest of so many runs, in the unit that the tool prints. job: what was run on several nodes
    alike, where no command tells the options; node: where the slowest ran; fastest_node: where the fastest ran; size:
    of each request in KiB, where nothing else shows that the runs are alike.
    """

    tool: str
    runs: int
    fastest: float
    slowest: float
    unit: str
    times: float
    rates: tuple[float, ...]
    job: str | None = None
    node: str | None = None
    fastest_node: str | None = None
    size: float | None = None


@rule("ST-15", needs=(Records,), words=SeriesWords)
def benchmark_drops(records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: a benchmark is repeated on another file system, with more nodes or clients, and is many times as slow.

    Reasoning: runs of one tool with the same options in one text, whose rates differ by a factor that no scatter
    explains; what else differed between them stands beside the runs, not in their figures. Likewise one job that
    several nodes ran, one of them far slower than the others, and runs of fio whose options are not shown, where the
    size of their requests is the same. Source: dd(1), fio(1); limit proposed.
    """
    if not records.has(Measurement):
        return
    series, sizes = _alike(records)
    found: dict[tuple[int | None, str], Seen] = {}
    for key, runs in series.items():
        artifact, tool = key[:2]
        if artifact is None and len({one.node for one in runs}) < len(runs):
            continue  # one node ran it twice: what it changed in between is not told
        seen = _drop(tool, runs, limits, sizes.get(key))
        if seen is not None and ((artifact, tool) not in found or seen.weight > found[artifact, tool].weight):
            found[artifact, tool] = seen  # bytes and requests of one run fall together
    yield from sorted(found.values(), key=lambda seen: -seen.weight)[:SHOWN]


Key = tuple[int | None, str, str, str]  # the text, the tool, the unit, and what else is alike


def _alike(records: Records) -> tuple[dict[Key, list[Measurement]], dict[Key, float]]:
    """Runs that can be compared, and the size of their requests where that alone shows it."""
    rated = pl.col("unit").str.ends_with("/s") & (pl.col("value") > 0) & (pl.col("what") != AS_PRINTED)
    series: dict[Key, list[Measurement]] = {}
    for one in records.of(Measurement, rated, pl.col("tool").is_in(TOOLS))[:MOST]:
        if (options := _options(one)) is not None:
            series.setdefault((one.artifact, one.tool, one.unit, options), []).append(one)
        elif _job(one) is not None:
            series.setdefault((None, one.tool, one.unit, one.what), []).append(one)
    sizes: dict[Key, float] = {}
    for size, one in _sized(records):
        key: Key = (one.artifact, one.tool, one.unit, f"{one.what} {size:g}")
        series.setdefault(key, []).append(one)
        sizes[key] = size
    return series, sizes


def _options(run: Measurement) -> str | None:
    """What runs that can be compared have in common: their options without the target, and what is measured. None where
    options that matter are not shown.
    """
    if not run.command and run.tool not in WITHOUT_OPTIONS:
        return None
    command = run.command or ""
    what = _SUMMED.sub("", run.what)
    shown = command if command.endswith(what) else f"{command} {_COUNTED.sub('#', what)}"
    return " ".join(sorted(_TARGET.sub("", shown).split()))


def _job(run: Measurement) -> str | None:
    """The job of a run on a named node that shows no command: one file of jobs, run on one node after the other."""
    job = _JOB.match(run.what)
    return job["job"] if job is not None and not run.command and run.node and run.tool == "fio" else None


def _sized(records: Records) -> Iterator[tuple[float, Measurement]]:
    """Bandwidth of runs of fio that show no command and either no job or no node, with the size of a request in KiB:
    bandwidth and requests of one line give it.
    """
    rows = records.of(Measurement, pl.col("tool") == "fio", pl.col("value") > 0)[:MOST]
    bare = [one for one in rows if not one.command and _is_bare(one)]
    per_s = {(one.ref, one.what.rpartition(" ")[0]): _rate(one) for one in bare if one.unit == "1/s"}
    for one in bare:
        requests = per_s.get((one.ref, one.what.rpartition(" ")[0]))
        if one.unit == "MiB/s" and requests:
            yield 2.0 ** round(log2(1024 * _rate(one) / requests)), one


def _is_bare(run: Measurement) -> bool:
    """Whether it shows no job, or one that may be the same run once more: nobody tells on which node."""
    match = _BARE.match(run.what)
    return match is not None and (match["job"] is None or not run.node)


def _rate(run: Measurement) -> float:
    return run.value or 0.0


def _is_elsewhere(runs: Sequence[Measurement], slowest: Measurement, fastest: Measurement) -> bool:
    """Whether one node is slow where another is quick in the same folder: each run of it is slower than all others."""
    if slowest.node is None or fastest.node is None or len({_folders(run) for run in runs}) != 1:
        return False
    own = [_rate(run) for run in runs if run.node == slowest.node]
    others = [_rate(run) for run in runs if run.node != slowest.node]
    return bool(_folders(slowest)) and max(own) < min(others, default=0.0) and 2 * min(others) > _rate(fastest)


def _folders(run: Measurement) -> tuple[str, ...]:
    """Where the files of a run stand; devices are none."""
    paths = [match[0].partition("=")[2] for match in _TARGET.finditer(f"{run.command or ''} {run.what}")]
    return tuple(sorted({path.rpartition("/")[0] for path in paths if "/" in path and not path.startswith("/dev/")}))


def _drop(tool: str, runs: Sequence[Measurement], limits: Limits, size: float | None) -> Seen | None:
    fastest, slowest = max(runs, key=_rate), min(runs, key=_rate)
    times = _rate(fastest) / _rate(slowest)
    if len(runs) < limits.runs or times < limits.factor:
        return None
    return Seen(
        level="elsewhere" if _is_elsewhere(runs, slowest, fastest) else "sized" if size else "drop",
        words=SeriesWords(
            tool=tool,
            runs=len(runs),
            fastest=_rate(fastest),
            slowest=_rate(slowest),
            unit=slowest.unit,
            times=times,
            rates=tuple(map(_rate, runs)),
            job=_job(slowest),
            node=slowest.node,
            fastest_node=fastest.node,
            size=size,
        ),
        lines=(fastest.ref, slowest.ref),
        nodes=(slowest.node,),
        times=(slowest.at,),
        zone_min=slowest.zone_min,
        borne_by=(len(runs), 1),
        parts=("runs",),
        weight=times / 1000,
    )
