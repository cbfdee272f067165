"""Rules on hosts without memory: they move it to and from their paging space (ST-12) or have none left (ST-17)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.look_order import Look, LookOrder
from apps.diagnosis.engine.core.facts.records import Records, grouped, groups
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
class _Memory:
    """Figures of one look at the memory of a host, in KiB."""

    look: Look[Counter]

    def row(self, name: str) -> Counter | None:
        """The last row of that name that shows a value."""
        return next((row for row in reversed(self.look.rows) if row.name == name), None)

    def figure(self, name: str) -> float:
        """0 where it is not shown."""
        row = self.row(name)
        return (row.value or 0.0) if row is not None else 0.0

    def lines(self, *names: str) -> list[Ref]:
        """Where these figures stand."""
        return [row.ref for name in names if (row := self.row(name)) is not None]

    @property
    def total(self) -> float:
        return self.figure("Mem total")

    @property
    def room(self) -> float | None:
        """What programs can still have, at most; None where it is not known."""
        if self.row("Mem available") is not None:
            return self.figure("Mem available")
        is_known = self.row("Mem free") is not None and any(self.row(name) is not None for name in CACHES)
        return self.figure("Mem free") + sum(map(self.figure, CACHES)) if is_known else None

    def seen(self, level: str, words: object, lines: Iterable[Ref], weight: float = 1.0) -> Seen:
        """What a rule saw in it."""
        return Seen(
            level=level,
            words=words,
            lines=sorted(set(lines), key=lambda ref: (ref.artifact, ref.line)),
            nodes=(self.look.node,),
            times=[row.at for row in self.look.rows if row.at is not None],
            zone_min=self.look.rows[0].zone_min,
            parts=("shown",),
            weight=weight,
        )


class Memories:
    """Looks at the memory of hosts."""

    def __init__(self, records: Records, order: LookOrder) -> None:
        self._records = records
        self._order = order

    @cached_property
    def _rows(self) -> tuple[Counter, ...]:
        return self._records.meant(Counter, IN_USE, pl.col("value").is_not_null())

    @cached_property
    def last(self) -> tuple[_Memory, ...]:
        """The last look in each text at each node."""
        looks: dict[tuple[int, str | None], list[Counter]] = grouped(self._rows, lambda row: (row.artifact, row.node))
        return tuple(
            _Memory(Look(node, None, artifact, rows[0].line, rows[-1].at, tuple(rows)))
            for (artifact, node), rows in looks.items()
        )

    @cached_property
    def changes(self) -> tuple[tuple[_Memory, _Memory], ...]:
        """The first and the last look at a node whose memory is of one size in both."""
        pairs = [(_Memory(looks[0]), _Memory(looks[-1])) for looks in self._order.series(self._rows)]
        return tuple((first, last) for first, last in pairs if first.total and first.total == last.total)


@dataclass(frozen=True, slots=True)
class UsedUpWords:
    """Per cent of the memory that programs can still have, and of the swap space that is used."""

    node: str | None
    left: float
    swapped: float


@rule("ST-17", needs=(Memories,), words=UsedUpWords)
def used_up(memories: Memories, limits: Limits) -> Iterator[Seen]:
    """Symptom: a host hardly answers, its daemons are late or are killed.

    Reasoning: free shows next to nothing available while the swap space is full too: the next request for memory waits
    or ends a process. An older kernel does not say what is available: at most what is free and what caches hold.
    Without swap space a full memory alone is no sign, as caches fill it; where the kernel itself says what is
    available, next to nothing of it is one. A large swap space that is full beside free memory is what is left of a
    shortage.
    Source: free(1); limits proposed.
    """
    for memory in memories.last:
        swap, room = memory.figure("Swap total"), memory.room
        if room is None or not memory.total:
            continue
        left, swapped = 100 * room / memory.total, 100 * memory.figure("Swap used") / swap if swap else 0.0
        is_swap_full = swapped >= limits.swapped
        if left <= limits.left and is_swap_full:
            level = "used"
        elif left <= limits.left and memory.row("Mem available") is not None:
            level = "memory"
        elif is_swap_full and 100 * swap >= limits.swap_share * memory.total:
            level = "swap"
        else:
            continue
        words = UsedUpWords(memory.look.node, left, swapped)
        yield memory.seen(level, words, memory.lines("Mem total", "Mem available", "Swap total"))


@dataclass(frozen=True, slots=True)
class KernelWords:
    """held: by the kernel in slabs that it cannot give back, KiB; share: of the memory, per cent; before: the same in
    the first look, where it grew.
    """

    node: str | None
    held: float
    share: float
    before: float | None = None


@rule("ST-46", needs=(Memories,), words=KernelWords)
def held_by_the_kernel(memories: Memories, limits: Limits) -> Iterator[Seen]:
    """Symptom: memory is used up, and no program has it.

    Reasoning: a large share of the memory is in slabs of the kernel that cannot be given back, or what is in them grew
    to several times what it was between two looks: objects of a driver or a file system that grow without end.
    Source: proc(5), /proc/meminfo; limits proposed.
    """
    named: set[str | None] = set()
    for memory in memories.last:
        held = memory.figure("Mem unreclaimable")
        share = 100 * held / memory.total if memory.total else 0.0
        if share < limits.share:
            continue
        named.add(memory.look.node)
        words = KernelWords(memory.look.node, held, share)
        level = "most" if share >= limits.most else "much"
        yield memory.seen(level, words, memory.lines("Mem unreclaimable", "Mem total"), weight=share)
    for first, last in memories.changes:
        before, held = first.figure("Mem unreclaimable"), last.figure("Mem unreclaimable")
        share = 100 * held / last.total
        if last.look.node in named or not before or held < limits.times * before or share < limits.grown:
            continue
        words = KernelWords(last.look.node, held, share, 100 * before / last.total)
        lines = [*first.lines("Mem unreclaimable"), *last.lines("Mem unreclaimable", "Mem total")]
        yield last.seen("grows", words, lines, weight=share)


@dataclass(frozen=True, slots=True)
class FallWords:
    """Per cent of the memory that programs can still have: in the first look, and in the last one."""

    node: str | None
    before: float
    left: float


@rule("ST-62", needs=(Memories,), words=FallWords)
def memory_falls(memories: Memories, limits: Limits) -> Iterator[Seen]:
    """Symptom: none yet; the next request for memory waits or ends a process.

    Reasoning: between two looks what programs can still have fell from much to next to nothing.
    Source: free(1); limits proposed.
    """
    for first, last in memories.changes:
        if first.room is None or last.room is None:
            continue
        before, left = (100 * one / last.total for one in (first.room, last.room))
        if before - left >= limits.fall and left <= limits.left:
            names = ("Mem available", "Mem free", "Mem total")
            lines = [*first.lines(*names[:1]), *last.lines(*names)]
            yield last.seen("falls", FallWords(last.look.node, before, left), lines, weight=before - left)
