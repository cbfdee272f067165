"""Offsets from UTC of the times of findings, from the log lines that they cite: as printed, also where they change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final, NamedTuple

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.model import Finding
from parsers.records import DAY_US, Event

MINUTE_US: Final = 60_000_000


class _Moment(NamedTuple):
    utc: int
    at: int
    zone_min: int


def with_offsets(findings: Iterable[Finding], records: Records) -> tuple[Finding, ...]:
    """The findings; those whose rule names no offset have that of their lines. Where the lines are of two offsets, the
    first and the last of them in truth are start and end.
    """
    kept = tuple(findings)
    lines = {(ref.artifact, ref.line) for one in kept if _lacks(one) for ref in one.evidence}
    if not lines or not records.has(Event):
        return kept
    cited = pl.DataFrame(sorted(lines), schema={"artifact": pl.Int64, "line": pl.Int64}, orient="row")
    rows = (
        records.scan(Event)
        .filter(pl.col("at").is_not_null() & pl.col("zone_min").is_not_null())
        .select(pl.col("artifact").cast(pl.Int64), pl.col("line").cast(pl.Int64), "at", "zone_min")
        .join(cited.lazy(), on=["artifact", "line"], how="semi")
        .collect()
    )
    moments = {
        (artifact, line): _Moment(at - zone * MINUTE_US, at, zone) for artifact, line, at, zone in rows.iter_rows()
    }
    return tuple(_with_offset(one, moments) if _lacks(one) else one for one in kept)


def _lacks(finding: Finding) -> bool:
    return finding.zone_min is None and finding.start is not None and finding.start >= DAY_US


def _with_offset(finding: Finding, moments: dict[tuple[int, int], _Moment]) -> Finding:
    own = sorted(one for ref in finding.evidence if (one := moments.get((ref.artifact, ref.line))) is not None)
    if not own:
        return finding
    first, last = own[0], own[-1]
    if len({one.zone_min for one in own}) == 1:
        return replace(finding, zone_min=first.zone_min)
    end = None if finding.end is None else last.at
    return replace(finding, start=first.at, end=end, zone_min=first.zone_min, end_zone_min=last.zone_min)
