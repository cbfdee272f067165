"""The longest requests to disks in the counters of a monitor, interval by interval."""

from __future__ import annotations

from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records, groups
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.metrics import metric
from parsers.dataclass import dataclass
from parsers.records import Counter

LONGEST: Final = metric("disk-longest-wait")
LATENCIES: Final = metric("request-latencies")
_LEAST: Final = r"^requests of ([\d.]+) to"
"""The shortest time that a row of a histogram stands for, in ms."""
_FACTORS: Final = {"ms": 1e-3, "us": 1e-6, "ns": 1e-9}


@dataclass(frozen=True, slots=True)
class Often:
    """In so many intervals, and in that share of them, a request took longer than a limit (s) that one may pass."""

    limit_s: float
    least: float
    share: float


@dataclass(frozen=True, slots=True)
class CountedWait:
    """A disk that a node asked: in how many intervals (of) a request took longer than a limit, and the longest (s).
    scope is empty where the table of names was left out.
    """

    node: str | None
    scope: str
    longest: float
    over: int
    of: int
    refs: tuple[Ref, ...]
    times: tuple[int, ...]


def counted_waits(records: Records, limit_s: float, often: Often) -> list[CountedWait]:
    """Those with a request over the limit, or often over a lower one, the longest first; reads and writes of one
    interval are two.
    """
    if not records.has(Counter):
        return []
    rows = records.frame(LONGEST, pl.col("value").is_not_null())
    seconds = pl.col("value") * pl.col("unit").replace_strict(_FACTORS, default=1.0, return_dtype=pl.Float64)
    found = []
    for (node, scope), frame in groups(rows.with_columns(s=seconds), "node", "scope"):
        over = frame.filter(pl.col("s") >= limit_s).sort("s", descending=True)
        noticed = frame.filter(pl.col("s") >= often.limit_s).sort("s", descending=True)
        if noticed.height >= max(often.least, often.share * frame.height):
            over = noticed
        if over.height:
            found.append(
                CountedWait(
                    node=None if node is None else str(node),
                    scope=str(scope or "").rpartition("|")[2],
                    longest=float(over["s"][0]),
                    over=over.height,
                    of=frame.height,
                    refs=tuple(Ref(artifact, line) for artifact, line in over.select("artifact", "line").iter_rows()),
                    times=tuple(over["at"].drop_nulls().to_list()),
                )
            )
    return sorted(found, key=lambda one: -one.longest)


@dataclass(frozen=True, slots=True)
class SlowShare:
    """How many of a node's requests took longer than a limit (``over`` of ``of``), and the least that the longest of
    them took (s).
    """

    node: str | None
    longest: float
    over: int
    of: int
    refs: tuple[Ref, ...]


def slow_shares(records: Records, limit_s: float) -> list[SlowShare]:
    """Nodes with a request over the limit in the last histogram of their daemon, the most of them first."""
    if not records.has(Counter):
        return []
    rows = records.frame(LATENCIES, pl.col("value").is_not_null())
    least = pl.col("name").str.extract(_LEAST).cast(pl.Float64, strict=False) / 1000
    found = []
    for (node,), frame in groups(rows.with_columns(s=least), "node"):
        last = frame.filter(pl.col("sample") == pl.col("sample").last().over("scope"))
        over = last.filter((pl.col("s") >= limit_s) & (pl.col("value") > 0)).sort("s", descending=True)
        if over.height:
            found.append(
                SlowShare(
                    node=None if node is None else str(node),
                    longest=float(over["s"][0]),
                    over=int(over["value"].sum()),
                    of=int(last["value"].sum()),
                    refs=tuple(Ref(artifact, line) for artifact, line in over.select("artifact", "line").iter_rows()),
                )
            )
    return sorted(found, key=lambda one: -one.over)
