"""Rule on hosts whose processors idle because their disks do not answer (ST-16)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.events import refs, zone_of
from apps.diagnosis.engine.core.facts.records import Records, groups
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import metric
from parsers.dataclass import dataclass
from parsers.records import Counter

BLOCKED: Final = metric("processes-blocked")
QUEUED: Final = metric("processes-blocked-at-a-moment")
WAITING: Final = metric("time-waiting-for-io")
SINCE_BOOT: Final = metric("time-waiting-for-io-since-boot")
PAGED: Final = metric("moved-to-and-from-paging-space")


@dataclass(frozen=True, slots=True)
class WaitingWords:
    """The largest share of time in per cent, in so many samples of all, and the most processes that were blocked.
    paging: the node moves memory at the same time.
    """

    node: str | None
    wait: float
    samples: int
    of: int
    blocked: bool
    processes: int
    paging: bool


@dataclass(frozen=True, slots=True)
class QueueWords:
    """The most processes that were blocked at once, in so many samples of all."""

    node: str | None
    processes: int
    samples: int
    of: int


@rule("ST-16", needs=(Records,), words=(WaitingWords, QueueWords))
def waiting_for_disks(records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: a node does little and answers late.

    Reasoning: in several samples, in all that there are, or in one nearly all of the time, its processors had nothing
    to run while requests to disks were open, with processes blocked for them; or so many processes are blocked at one
    moment that they queue, whatever the processors do: a wait for a lock or for the network keeps none idle. A row
    about the time since boot tells the same of all that time, and counts where there is no other.
    Source: vmstat(8), top(1), sar(1), mpstat(1), iostat(1); limits proposed.
    """
    if not records.has(Counter):
        return
    idle = set[str | None]()
    for seen in _idle(records, limits):
        idle.update(seen.nodes)
        yield seen
    yield from _idle_since_boot(records, limits)
    rows = records.frame(QUEUED, pl.col("value").is_not_null())
    for (_, node), frame in groups(rows, "artifact", "node"):
        over = frame.filter(pl.col("value") >= limits.queued)
        if node in idle or over.is_empty():
            continue
        yield Seen(
            level="queued",
            variant="queued",
            words=QueueWords(node, round(max(over["value"])), over.height, frame.height),
            lines=refs(over),
            most_lines=4,
            nodes=(node,),
            times=over["at"],
            zone_min=zone_of(over),
            parts=("samples",),
        )


def _idle_since_boot(records: Records, limits: Limits) -> Iterator[Seen]:
    """Nodes that spent much of the time since they booted so, by the only row that there is."""
    sampled = {*records.frame(WAITING).select("artifact", "node").iter_rows()}
    for one in records.meant(Counter, SINCE_BOOT, pl.col("value") >= limits.wait_pct):
        if (one.artifact, one.node) not in sampled:
            yield Seen(
                level="waiting",
                variant="boot",
                words=WaitingWords(one.node, one.value or 0.0, 1, 1, blocked=False, processes=0, paging=False),
                lines=(one.ref,),
                nodes=(one.node,),
                parts=("samples",),
            )


def _idle(records: Records, limits: Limits) -> Iterator[Seen]:
    """Nodes whose processors had nothing to run while requests to disks were open."""
    whole = pl.col("scope").is_null() | (pl.col("scope") == "all")
    waits = records.frame(WAITING, pl.col("value").is_not_null() & whole)
    if waits.is_empty():
        return
    look = pl.when(pl.col("sample") > 0).then("sample").otherwise("line").alias("look")
    many = records.frame(BLOCKED, pl.col("value") >= limits.blocked)
    blocked = many.select("artifact", look, processes="value").unique(("artifact", "look"), maintain_order=True)
    paged = {*records.frame(PAGED, pl.col("value") > 0).select("artifact", "node").iter_rows()}
    rows = waits.with_columns(look).join(blocked, on=("artifact", "look"), how="left")
    for (artifact, node, _), frame in groups(rows, "artifact", "node", "source"):
        over = frame.filter(pl.col("value") >= limits.wait_pct).sort("line")
        is_heavy = max(over["value"].to_list(), default=0.0) >= limits.alone_pct
        is_all = over.height == frame.height
        if over.is_empty() or (over.height < limits.samples and not is_heavy and not is_all):
            continue
        processes = max(over["processes"].drop_nulls().to_list(), default=None)
        paging = (artifact, node) in paged
        yield Seen(
            level="waiting" if paging else "blocked" if processes is not None else "heavy" if is_heavy else "waiting",
            words=WaitingWords(
                node=node,
                wait=max(over["value"].to_list()),
                samples=over.height,
                of=frame.height,
                blocked=processes is not None,
                processes=round(processes or 0),
                paging=paging,
            ),
            lines=refs(over),
            most_lines=4,
            nodes=(node,),
            times=over["at"],
            zone_min=zone_of(over),
            parts=("samples",),
        )
