"""Counters over time: series of points, and rates per second from deltas and from cumulative readings."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import Any

import polars as pl

from apps.diagnosis.engine.core.facts.case import Case, Printer
from apps.diagnosis.engine.core.facts.records import Records, groups
from apps.diagnosis.engine.core.times.open_years import known_part_of
from parsers.records import Counter

_KEYS = ("node", "scope", "source", "name", "kind", "unit")


def counters(case: Case) -> pl.DataFrame:
    """All counter values with canonical node names, ordered by series and time."""
    return case.get(Records).frame(Counter).sort(*_KEYS, "at", "artifact", "line", nulls_last=True)


def series_rows(case: Case, report: Printer) -> Iterator[dict[str, Any]]:
    """``series`` of the JSON output: points are [time, value, interval in s]."""
    if not case.store.has(Counter):
        return
    for key, rows in groups(counters(case), *_KEYS):
        points = [
            [report.clock.text(at, zone), _plain(value), interval]
            for at, zone, value, interval in rows.select("at", "zone_min", "value", "interval_s").iter_rows()
        ]
        yield {**dict(zip(_KEYS, key, strict=True)), "points": points}


def rates(case: Case) -> pl.DataFrame:
    """Rates: a delta over its own interval; two cumulative readings over the time between them, none where the counter
    fell or where one of the two has no date.

    Columns: node, scope, name, at, zone_min, per_s.
    """
    rows = counters(case).filter(pl.col("value").is_not_null())
    delta = rows.filter((pl.col("kind") == "delta") & (pl.col("interval_s") > 0)).with_columns(
        (pl.col("value") / pl.col("interval_s")).alias("per_s")
    )
    keys = ["node", "scope", "source", "name"]
    instant = pl.col("at") - pl.coalesce(pl.col("zone_min"), 0) * 60_000_000
    known = known_part_of(pl.col("at"))
    comparable = (known == known.shift(1).over(keys)) & (
        pl.col("zone_min").is_null() == pl.col("zone_min").shift(1).over(keys).is_null()
    )
    absolute = rows.filter((pl.col("kind") == "cumulative") & pl.col("at").is_not_null()).with_columns(
        (pl.col("value") - pl.col("value").shift(1).over(keys)).alias("_rise"),
        ((instant - instant.shift(1).over(keys)) / 1e6).alias("_over_s"),
        comparable.alias("_comparable"),
    )
    rising = absolute.filter((pl.col("_rise") >= 0) & (pl.col("_over_s") > 0) & pl.col("_comparable")).with_columns(
        (pl.col("_rise") / pl.col("_over_s")).alias("per_s")
    )
    shown = ["node", "scope", "name", "at", "zone_min", "per_s"]
    return pl.concat([delta.select(shown), rising.select(shown)]).sort("at", "node", "scope", "name", nulls_last=True)


def rate_rows(case: Case, report: Printer) -> Iterator[dict[str, Any]]:
    """``rates`` of the JSON output."""
    if not case.store.has(Counter):
        return
    for row in rates(case).iter_rows(named=True):
        yield {
            "node": row["node"],
            "scope": row["scope"],
            "name": row["name"],
            "at": report.clock.text(row["at"], row["zone_min"]),
            "per_s": round(row["per_s"], 4),
        }


def _plain(value: float | None) -> int | float | None:
    """A whole number as an integer; what has no finite value is unknown."""
    if value is None or not isfinite(value):
        return None
    return int(value) if value == int(value) else value
