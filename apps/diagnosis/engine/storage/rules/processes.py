"""Rules on processes that wait for a disk by the kernel's own count (ST-23), on a processor that does nothing but
interrupts (ST-24), and on nodes whose clocks stand apart (ST-26).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import Final, NamedTuple

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records, grouped
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import metric
from parsers.dataclass import dataclass
from parsers.records import Counter

DELAYED: Final = metric("delay-by-disks")
INTERRUPTED: Final = metric("time-in-interrupts")
IN_THREAD: Final = metric("processor-in-ksoftirqd")
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
    share = 100 * pl.col("value") / (TICKS * pl.col("interval_s"))
    kept = records.meant(Counter, DELAYED, pl.col("interval_s") > 0, share >= limits.percent)
    for (_, node), found in grouped(kept, lambda one: (one.artifact, one.node)).items():
        found_by_share = sorted(found, key=_kept_pct, reverse=True)
        most = [of_one[0] for of_one in grouped(found_by_share, lambda one: one.scope).values()]
        if len(most) < limits.processes and len(found) < limits.samples:
            continue
        names = dict.fromkeys((one.scope or "").rsplit(":", 1)[0] for one in most)
        yield Seen(
            level="delayed",
            words=DelayedWords(node, len(most), tuple(names), min(_kept_pct(most[0]), 100.0)),
            lines=[one.ref for one in most],
            most_lines=4,
            nodes=(node,),
            times=[one.at for one in found],
            zone_min=most[0].zone_min,
            parts=("which",),
        )


def _kept_pct(one: Counter) -> float:
    """For which share of its interval a process was kept waiting."""
    return 100 * (one.value or 0.0) / (TICKS * (one.interval_s or 1.0))


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
    answers of an adapter, go through its one queue. Or all of them spend much of their time so: what is sent costs more
    than it carries. Source: mpstat(1); limits proposed.
    """
    if not records.has(Counter):
        return
    yield from _in_threads(records, limits)
    rows = records.frame(INTERRUPTED, pl.col("value").is_not_null())
    sums = rows.group_by("artifact", "node", "sample", "scope", maintain_order=True).agg(
        pl.col("value").sum(), pl.col("line").first(), pl.col("at").first(), pl.col("zone_min").first()
    )
    is_mean = pl.col("scope") == ALL
    shares = list(map(_Share._make, sums.filter(is_mean | (pl.col("value") >= limits.full)).iter_rows()))
    means = {one.moment: one.value for one in shares if one.processor == ALL}
    alone = (one for one in shares if one.processor != ALL and means.get(one.moment, math.inf) <= limits.mean)
    for (_, node, processor), found in grouped(alone, lambda one: (one.artifact, one.node, one.processor)).items():
        yield Seen(
            level="alone",
            words=InterruptedWords(node, processor or "", max(one.value for one in found), means[found[0].moment]),
            lines=[Ref(one.artifact, one.line) for one in found],
            most_lines=4,
            nodes=(node,),
            times=[one.at for one in found],
            zone_min=found[0].zone_min,
            parts=("which",),
        )
    yield from _busy(shares, limits)


def _busy(shares: Sequence[_Share], limits: Limits) -> Iterator[Seen]:
    """Hosts all of whose processors spend much of their time so."""
    busy = [one for one in shares if one.processor == ALL and one.value >= limits.spent]
    for (_, node), found in grouped(busy, lambda one: (one.artifact, one.node)).items():
        share = median(one.value for one in found)
        yield Seen(
            level="all_much" if share >= limits.spent_much else "all",
            words=InterruptedWords(node, ALL, share, share),
            lines=[Ref(one.artifact, one.line) for one in found],
            most_lines=4,
            nodes=(node,),
            times=[one.at for one in found],
            zone_min=found[0].zone_min,
            parts=("which",),
        )


def _in_threads(records: Records, limits: Limits) -> Iterator[Seen]:
    """Processors whose thread for what follows on interrupts has nearly all of their time, as top shows."""
    rows = records.meant(Counter, IN_THREAD, pl.col("value") >= limits.full)
    for (node, processor), found in grouped(rows, lambda one: (one.node, one.scope)).items():
        share = max(one.value or 0.0 for one in found)
        yield Seen(
            level="thread",
            words=InterruptedWords(node, processor or "", share, 0.0),
            lines=[one.ref for one in found],
            most_lines=4,
            nodes=(node,),
            times=[one.at for one in found],
            zone_min=found[0].zone_min,
            parts=("which",),
        )


class _Share(NamedTuple):
    """Time that a processor spent in interrupts, of all kinds, in per cent of one sample."""

    artifact: int
    node: str | None
    sample: int
    processor: str | None
    value: float
    line: int
    at: int | None
    zone_min: int | None

    @property
    def moment(self) -> tuple[int, str | None, int]:
        """The sample, of all processors of a node."""
        return self.artifact, self.node, self.sample


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
    for taken_together in _together(records.meant(Counter, CLOCK, pl.col("value").is_not_null())):
        middle = median(map(_clock_s, taken_together))
        apart = [one for one in taken_together if _is_apart(_clock_s(one) - middle, limits.apart_s)]
        if len(taken_together) < limits.nodes and apart:
            apart = apart[:1]
        for one in apart:
            away = _clock_s(one) - (middle if len(taken_together) >= limits.nodes else _other(taken_together, one))
            yield Seen(
                level="apart",
                words=ApartWords(one.node, abs(away), AHEAD if away > 0 else BEHIND, len(taken_together) - 1),
                lines=[one.ref, *(other.ref for other in taken_together[:2])],
                nodes=(one.node,),
                times=(one.at,),
                zone_min=one.zone_min,
                parts=("asked",),
                weight=abs(away) / 1e4,
            )


def _clock_s(one: Counter) -> float:
    return one.value or 0.0


def _other(taken_together: Sequence[Counter], one: Counter) -> float:
    return next(_clock_s(other) for other in taken_together if other is not one)


def _is_apart(seconds: float, least_s: float) -> bool:
    """More than so many seconds, and no whole number of half hours."""
    rest = abs(seconds) % HALF_HOUR_S
    return min(rest, HALF_HOUR_S - rest) >= least_s


def _together(rows: Sequence[Counter]) -> Iterator[list[Counter]]:
    """Clocks read one after the other, of several nodes, each once."""
    run = list(rows[:1])
    for above, one in pairwise(rows):
        is_next = one.artifact == above.artifact and one.line - above.line <= MOST_LINES_APART
        if not is_next or one.node in {other.node for other in run}:
            yield from [run] if len(run) > 1 else []
            run = []
        run.append(one)
    if len(run) > 1:
        yield run
