"""Rules on processes that wait for a disk by the kernel's own count (ST-23), on a processor that does nothing but
interrupts (ST-24), and on nodes whose clocks stand apart (ST-26).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from statistics import median
from typing import Any, Final

import polars as pl

from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.metrics import metric
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.records import Records, groups
from apps.diagnosis.engine.core.registry import rule
from apps.diagnosis.engine.core.seen import Seen
from parsers.dataclass import dataclass
from parsers.records import Counter

DELAYED: Final = metric("delay-by-disks")
INTERRUPTED: Final = metric("time-in-interrupts")
CLOCK: Final = metric("clock-read-on-a-node")
TICKS: Final = 100  # in a second, as the kernel counts for programs
ALL: Final = "all"
HALF_HOUR_S: Final = 1800
MOST_LINES_APART: Final = 3
AHEAD: Final = "ahead of"
BEHIND: Final = "behind"


@dataclass(frozen=True, slots=True)
class DelayedWords:
    """Processes that stood still for disks most of the time; the longest of them."""

    node: str | None
    processes: int
    names: tuple[str, ...]
    percent: float


@rule("ST-23", needs=(Records,), words=DelayedWords)
def delayed_processes(records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: some programs hardly go on, others do.

    Reasoning: the kernel counts for each process how long it was kept waiting by block devices. A process that was kept
    most of an interval does nothing else. Source: pidstat(1), proc(5); limits proposed.
    """
    rows = records.frame(DELAYED, pl.col("value").is_not_null() & (pl.col("interval_s") > 0))
    if rows.is_empty():
        return
    share = 100 * pl.col("value") / (TICKS * pl.col("interval_s"))
    rows = rows.with_columns(percent=share).filter(pl.col("percent") >= limits.percent)
    for _, frame in groups(rows, "artifact", "node"):
        most = frame.sort("percent", descending=True).unique("scope", keep="first", maintain_order=True)
        first = most.row(0, named=True)
        if most.height < limits.processes and frame.height < limits.samples:
            continue
        names = dict.fromkeys((scope or "").rsplit(":", 1)[0] for scope in most["scope"])
        yield Seen(
            level="delayed",
            words=DelayedWords(first["node"], most.height, tuple(names), min(first["percent"], 100.0)),
            lines=[Ref(first["artifact"], line) for line in most["line"].head(4).to_list()],
            nodes=(first["node"],),
            times=frame["at"].to_list(),
            zone_min=first["zone_min"],
            parts=("which",),
        )


@dataclass(frozen=True, slots=True)
class InterruptedWords:
    """A processor, its share of time in interrupts, and that of all processors."""

    node: str | None
    processor: str
    share: float
    mean: float


@rule("ST-24", needs=(Records,), words=InterruptedWords)
def interrupted_processor(records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: packets are lost or late though the host has processors to spare.

    Reasoning: one processor spends all of its time in interrupts while the others rest: all packets of a card, or all
    answers of an adapter, go through its one queue. Source: mpstat(1); limits proposed.
    """
    if not records.has(Counter):
        return
    rows = records.frame(INTERRUPTED, pl.col("value").is_not_null())
    keys = ["artifact", "node", "sample", "scope"]
    sums = rows.group_by(keys, maintain_order=True).agg(
        pl.col("value").sum(), pl.col("line").first(), pl.col("at").first(), pl.col("zone_min").first()
    )
    means = {
        (one["artifact"], one["node"], one["sample"]): one["value"] for one in sums.to_dicts() if one["scope"] == ALL
    }
    found: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for one in sums.filter((pl.col("scope") != ALL) & (pl.col("value") >= limits.full)).to_dicts():
        mean = means.get((one["artifact"], one["node"], one["sample"]))
        if mean is not None and mean <= limits.mean:
            found.setdefault((one["artifact"], one["node"], one["scope"]), []).append(one | {"mean": mean})
    for (artifact, node, processor), samples in found.items():
        yield Seen(
            level="alone",
            words=InterruptedWords(node, processor, max(one["value"] for one in samples), samples[0]["mean"]),
            lines=[Ref(artifact, one["line"]) for one in samples[:4]],
            nodes=(node,),
            times=[one["at"] for one in samples],
            zone_min=samples[0]["zone_min"],
            parts=("which",),
        )


@dataclass(frozen=True, slots=True)
class ApartWords:
    """How far the clock of a node stands from those of so many others, and which way."""

    node: str | None
    seconds: float
    way: str
    others: int


@rule("ST-26", needs=(Records,), words=ApartWords)
def clocks_apart(records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: logs of nodes cannot be laid beside each other; tickets and leases run out early.

    Reasoning: all nodes were asked for the time by one command, and one of them tells another time than the rest. A
    whole number of half hours is another time zone. Source: date(1); limits proposed.
    """
    if not records.has(Counter):
        return
    rows = records.frame(CLOCK, pl.col("value").is_not_null()).to_dicts()
    for taken_together in _together(rows):
        middle = median(one["value"] for one in taken_together)
        apart = [one for one in taken_together if _is_apart(one["value"] - middle, limits.apart_s)]
        if len(taken_together) < limits.nodes and apart:
            apart = apart[:1]
        for one in apart:
            away = one["value"] - (middle if len(taken_together) >= limits.nodes else _other(taken_together, one))
            yield Seen(
                level="apart",
                words=ApartWords(one["node"], abs(away), AHEAD if away > 0 else BEHIND, len(taken_together) - 1),
                lines=[
                    Ref(one["artifact"], line)
                    for line in dict.fromkeys((one["line"], *(o["line"] for o in taken_together[:2])))
                ],
                nodes=(one["node"],),
                times=(one["at"],),
                zone_min=one["zone_min"],
                parts=("asked",),
                weight=abs(away) / 1e4,
            )


def _other(taken_together: list[dict[str, Any]], one: dict[str, Any]) -> float:
    return next(float(other["value"]) for other in taken_together if other is not one)


def _is_apart(seconds: float, least_s: float) -> bool:
    """More than so many seconds, and no whole number of half hours."""
    rest = abs(seconds) % HALF_HOUR_S
    return min(rest, HALF_HOUR_S - rest) >= least_s


def _together(rows: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Readings that follow each other, of several nodes, each once."""
    run: list[dict[str, Any]] = rows[:1]
    for above, one in pairwise(rows):
        is_next = one["artifact"] == above["artifact"] and one["line"] - above["line"] <= MOST_LINES_APART
        if not is_next or one["node"] in {other["node"] for other in run}:
            yield from [run] if len(run) > 1 else []
            run = []
        run.append(one)
    if len(run) > 1:
        yield run
