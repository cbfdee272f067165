"""Rule on hosts whose processors are taken from what should run (ST-43): by the hypervisor, or by the kernel itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

import polars as pl

from apps.diagnosis.engine.core.facts.events import refs, zone_of
from apps.diagnosis.engine.core.facts.records import Records, groups
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import Meaning, metric
from parsers.dataclass import dataclass
from parsers.records import Counter

STOLEN: Final = metric("processor-time-taken")
KERNEL: Final = metric("processor-time-in-kernel")
Variant = Literal["", "kernel"]


@dataclass(frozen=True, slots=True)
class TakenWords:
    """Median and largest share of processor time in per cent, over so many samples."""

    node: str | None
    share: float
    most: float
    samples: int


@rule("ST-43", needs=(Records,), words=TakenWords)
def taken_processors(records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: a node answers late and loses leases and tokens; its disks and its network are quick.

    Reasoning: over the samples that there are, the hypervisor gave the node's processors to others for much of the
    time, or the kernel itself used nearly all of it, so that daemons got no turn. Source: vmstat(8), sar(1), top(1);
    limits proposed.
    """
    if not records.has(Counter):
        return
    yield from _taken(records, STOLEN, "", limits.stolen_pct, limits.stolen_much_pct)
    yield from _taken(records, KERNEL, "kernel", limits.kernel_pct, limits.kernel_much_pct)


def _taken(records: Records, of: Meaning, variant: Variant, least: float, much: float) -> Iterator[Seen]:
    whole = pl.col("scope").is_null() | (pl.col("scope") == "all")
    rows = records.frame(of, pl.col("value").is_not_null() & whole)
    for (_, node, _), frame in groups(rows, "artifact", "node", "source"):
        share = frame["value"].median()
        if not isinstance(share, float) or share < least:
            continue
        over = frame.filter(pl.col("value") >= least).sort("line")
        yield Seen(
            level="much" if share >= much else "some",
            variant=variant,
            words=TakenWords(node, share, max(over["value"]), frame.height),
            lines=refs(over),
            most_lines=4,
            nodes=(node,),
            times=over["at"].drop_nulls(),
            zone_min=zone_of(over),
            parts=("samples",),
            weight=share / 100,
        )
