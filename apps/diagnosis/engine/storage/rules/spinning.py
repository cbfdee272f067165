"""Rule on processors that spin for locks of the kernel (ST-50)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from parsers.dataclass import dataclass
from parsers.records import Measurement

TOOLS: Final = ("perf", "opreport")
MOST: Final = 20_000
SHOWN: Final = 3
SPINS: Final = re.compile(
    r"(?:native_|__?pv_)?queued_(?:spin|read|write)_lock_slowpath|_raw_(?:spin|read|write)_lock(?:_irqsave|_irq|_bh)?"
    r"|__ticket_spin_lock|_?_?spin_lock(?:_irqsave|_irq|_bh)?|osq_lock|(?:mutex|rwsem)_spin_on_owner"
    r"|(?:mutex|rwsem)_optimistic_spin"
)


@dataclass(frozen=True, slots=True)
class SpinWords:
    """The share of a profile (%) that went into waiting for locks, the function with most of it, and what else of the
    kernel stands high in it.
    """

    node: str | None
    share: float
    most: str
    beside: str


@rule("ST-50", needs=(Records,), words=SpinWords)
def spinning(records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: the load is high and nearly all of it is time of the kernel; disks and network are idle.

    Reasoning: much of a profile is in the functions in which a processor waits for a lock without giving its turn away:
    many threads want one lock. Which, the callers in the profile tell. Source: perf-top(1), perf-report(1); limits
    proposed.
    """
    if not records.has(Measurement):
        return
    rows = records.of(Measurement, pl.col("tool").is_in(TOOLS), pl.col("unit") == "%")[:MOST]
    found = [seen for report in _reports(rows) if (seen := _spinning(report, limits)) is not None]
    yield from sorted(found, key=lambda seen: -seen.weight)[:SHOWN]


def _reports(rows: Sequence[Measurement]) -> Iterator[list[Measurement]]:
    """Profiles go down from their largest share: one that is larger than that above it begins the next."""
    report: list[Measurement] = []
    for one in rows:
        if report and (one.artifact != report[-1].artifact or _share(one) > _share(report[-1])):
            yield report
            report = []
        report.append(one)
    if report:
        yield report


def _spinning(report: Sequence[Measurement], limits: Limits) -> Seen | None:
    spins = [one for one in report if SPINS.fullmatch(one.what)]
    share = sum(map(_share, spins))
    if share < limits.spin_pct:
        return None
    beside = next((one.what for one in report if one not in spins and one.scope in ("kernel", "kernel.kallsyms")), "")
    return Seen(
        level="much" if share >= limits.spin_much_pct else "some",
        words=SpinWords(spins[0].node, share, spins[0].what, beside),
        lines=[one.ref for one in spins[:SHOWN]],
        nodes=(spins[0].node,),
        times=(spins[0].at,),
        zone_min=spins[0].zone_min,
        borne_by=(len(spins), 1),
        parts=("profile",),
        weight=share,
    )


def _share(one: Measurement) -> float:
    return one.value or 0.0
