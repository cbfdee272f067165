"""Rule on hosts that move memory to and from their paging space (ST-12)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.metrics import metric
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.records import Records
from apps.diagnosis.engine.core.registry import rule
from apps.diagnosis.engine.core.seen import Seen
from parsers.records import Counter

PAGED: Final = metric("moved-to-and-from-paging-space")
SCANNED: Final = metric("pages-scanned")


@dataclass(frozen=True, slots=True)
class PagingWords:
    """So many samples of all show it; the largest figures, by the names of the tool."""

    node: str | None
    samples: int
    of: int
    most: float
    figures: str


@rule("ST-12", needs=(Records,), words=PagingWords)
def paging(records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: a node answers late although its processors and disks have room.

    Reasoning: memory is moved to or from the paging space in several samples of vmstat or sar, or pages are searched
    for at a high rate. Source: vmstat(8), vmstat of AIX, Solaris and HP-UX; limits proposed.
    """
    if not records.has(Counter):
        return
    paged = records.frame(PAGED, pl.col("value").is_not_null())
    scanned = records.frame(SCANNED, pl.col("value").is_not_null())
    rows = pl.concat(
        [
            paged.with_columns(limit=pl.lit(limits.moved)),
            scanned.with_columns(limit=pl.lit(limits.scanned)),
        ]
    )
    for _, frame in rows.group_by("artifact", "node", "source", maintain_order=True):
        if (seen := _paging(frame, limits)) is not None:
            yield seen


def _paging(rows: pl.DataFrame, limits: Limits) -> Seen | None:
    over = rows.filter(pl.col("value") > pl.col("limit")).sort("line")
    samples = over.unique("line", maintain_order=True)
    if samples.height < limits.samples:
        return None
    first = samples.row(0, named=True)
    most = over.group_by("name", maintain_order=True).agg(pl.col("value").max()).rows()
    return Seen(
        level="paging",
        words=PagingWords(
            node=first["node"],
            samples=samples.height,
            of=rows["line"].n_unique(),
            most=max(value for _, value in most),
            figures=", ".join(f"{name} up to {value:g}" for name, value in most),
        ),
        lines=[Ref(first["artifact"], line) for line in samples["line"].head(4).to_list()],
        nodes=(first["node"],),
        times=samples["at"].to_list(),
        zone_min=first["zone_min"],
        parts=("samples",),
    )
