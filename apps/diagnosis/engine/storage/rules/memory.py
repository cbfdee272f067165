"""Rules on hosts without memory: they move it to and from their paging space (ST-12) or have none left (ST-17)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records, groups
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import metric
from apps.diagnosis.engine.core.words.phrases import phrase
from parsers.dataclass import dataclass
from parsers.records import Counter

PAGED: Final = metric("moved-to-and-from-paging-space")
SCANNED: Final = metric("pages-scanned")
IN_USE: Final = metric("memory-in-use")

CACHES: Final = ("Mem buffers", "Mem cached", "Mem buff/cache")
STEADY: Final = 2


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
    for _, frame in groups(rows, "artifact", "node", "source"):
        if (seen := _paging(frame, limits)) is not None:
            yield seen


def _paging(rows: pl.DataFrame, limits: Limits) -> Seen | None:
    over = rows.filter(pl.col("value") > pl.col("limit")).sort("line")
    samples = over.unique("line", maintain_order=True)
    heavy = over.filter(pl.col("value") >= limits.heavy)
    if samples.height < limits.samples and heavy.is_empty() and not _is_steady(rows, limits):
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
            figures=", ".join(phrase("storage-figures.at-most", name=name, value=value) for name, value in most),
        ),
        lines=[Ref(first["artifact"], line) for line in samples["line"].head(4).to_list()],
        nodes=(first["node"],),
        times=samples["at"].to_list(),
        zone_min=first["zone_min"],
        parts=("samples",),
    )


def _is_steady(rows: pl.DataFrame, limits: Limits) -> bool:
    """Whether each sample, of two or more, shows so much that it is no remnant of a short peak."""
    most = rows.group_by("line").agg(pl.col("value").max())
    return most.height >= STEADY and most.filter(pl.col("value") < limits.steady).is_empty()


@dataclass(frozen=True, slots=True)
class UsedUpWords:
    """Per cent of the memory that programs can still have, and of the swap space that is used."""

    node: str | None
    left: float
    swapped: float


@rule("ST-17", needs=(Records,), words=UsedUpWords)
def used_up(records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: a host hardly answers, its daemons are late or are killed.

    Reasoning: free shows next to nothing available while the swap space is full too: the next request for memory waits
    or ends a process. An older kernel does not say what is available: at most what is free and what caches hold.
    Without swap space a full memory alone is no sign, as caches fill it. Source: free(1); limits proposed.
    """
    if not records.has(Counter):
        return
    rows = records.frame(IN_USE, pl.col("value").is_not_null())
    for _, frame in groups(rows, "artifact", "node"):
        of = {name: (value, line) for name, value, line in frame.select("name", "value", "line").iter_rows()}
        memory, room = of.get("Mem total", (0.0, 0)), _room(of)
        swap, used = of.get("Swap total", (0.0, 0)), of.get("Swap used", (0.0, 0))
        if room is None or not memory[0] or not swap[0]:
            continue
        left, swapped = 100 * room / memory[0], 100 * used[0] / swap[0]
        if left <= limits.left and swapped >= limits.swapped:
            first = frame.row(0, named=True)
            yield Seen(
                level="used",
                words=UsedUpWords(first["node"], left, swapped),
                lines=[Ref(first["artifact"], line) for line in sorted({memory[1], swap[1]})],
                nodes=(first["node"],),
                times=frame["at"].to_list(),
                zone_min=first["zone_min"],
                parts=("shown",),
            )


def _room(figures: Mapping[str, tuple[float, int]]) -> float | None:
    """What programs can still have, at most; None where it is not known."""
    if (stated := figures.get("Mem available")) is not None:
        return stated[0]
    held = [figures[name][0] for name in CACHES if name in figures]
    return figures["Mem free"][0] + sum(held) if held and "Mem free" in figures else None


@dataclass(frozen=True, slots=True)
class KernelWords:
    """held: by the kernel in slabs that it cannot give back, KiB; share: of the memory, per cent."""

    node: str | None
    held: float
    share: float


@rule("ST-46", needs=(Records,), words=KernelWords)
def held_by_the_kernel(records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: memory is used up, and no program has it.

    Reasoning: a large share of the memory is in slabs of the kernel that cannot be given back: objects of a driver or
    a file system that grow without end. Source: proc(5), /proc/meminfo; limits proposed.
    """
    if not records.has(Counter):
        return
    rows = records.frame(IN_USE, pl.col("value").is_not_null())
    for _, frame in groups(rows, "artifact", "node"):
        of = {name: (value, line) for name, value, line in frame.select("name", "value", "line").iter_rows()}
        held, total = of.get("Mem unreclaimable", (0.0, 0)), of.get("Mem total", (0.0, 0))
        share = 100 * held[0] / total[0] if total[0] else 0.0
        if share < limits.share:
            continue
        first = frame.row(0, named=True)
        yield Seen(
            level="most" if share >= limits.most else "much",
            words=KernelWords(first["node"], held[0], share),
            lines=[Ref(first["artifact"], line) for line in sorted({held[1], total[1]})],
            nodes=(first["node"],),
            times=frame["at"].to_list(),
            zone_min=first["zone_min"],
            parts=("shown",),
            weight=share,
        )
