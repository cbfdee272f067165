"""What the pages read of a diagnosis, as small Parquet files: spans, rollups by category and node, lock samples, runs,
links.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from itertools import accumulate, chain
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import polars as pl

from apps.diagnosis.engine.core.arrays.ahead import made_ahead
from apps.diagnosis.engine.core.arrays.memory import give_back
from apps.diagnosis.engine.core.facts.case import Case, SpanPart
from apps.diagnosis.engine.core.facts.runs import TimedRuns
from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.core.log_marks import log_marks
from apps.diagnosis.engine.core.model import Diagnosis
from apps.diagnosis.engine.core.page_tables import together, write_table
from apps.diagnosis.engine.core.times.open_years import known_part_of
from apps.diagnosis.engine.core.times.placed import Placed, placed
from apps.diagnosis.engine.products import PRODUCTS
from apps.diagnosis.engine.rollups import Dumps, spark_of, write_rollups
from parsers.dataclass import dataclass
from parsers.records import Section

SLOWED_FACTOR: Final = 3.0
SPAN_COLUMNS: Final = {
    "node": pl.String, "thread": pl.String, "thread_id": pl.Int64, "kind_id": pl.String, "category": pl.Int64,
    "waits_on": pl.String,
    "reason": pl.String, "rpc": pl.String, "target": pl.String, "object": pl.String, "wait_kind": pl.String,
    "wait_name": pl.String,
    "state": pl.String, "start": pl.Int64, "end": pl.Int64, "seconds": pl.Float64, "dumps": pl.Int64,
    "artifact": pl.Int64, "line": pl.Int64,
}  # fmt: skip
SETTINGS_KEPT: Final = 200_000
SPANS_BY_AGE: Final = "spans-by-age-"
SPAN_NODES: Final = "span-nodes"
WAIT_STEPS: Final = "wait-steps"
LOG_MARKS: Final = "log-marks"
STUCK_S: Final = 60.0
"""So long waits stand for trouble also where one dump alone shows them."""
SECOND_US: Final = 1_000_000
MOST_SECONDS: Final = 1_000_000
"""Waits of a part that lie in fewer seconds are counted in a place for each of these."""
STEPS_HELD: Final = 500_000
"""Of more rows about waits that begin and end those of one second are added up before there are more."""
FILES_TAKEN: Final = "files-taken"


@dataclass(frozen=True, slots=True)
class PageTables:
    """What the list of cases and the head of a case show."""

    zone_name: str
    longest_s: float | None
    spark: list[float | None]
    counts: dict[str, int] = field(default_factory=dict)
    placed: Placed | None = None


class _Written(NamedTuple):
    """What is shown of a part of the spans: waits that begin and end, spans by node, the longest wait that is no idle
    thread's.
    """

    steps: pl.DataFrame
    nodes: dict[str | None, int]
    oldest_s: float | None


def write_page_tables(case: Case, diagnosis: Diagnosis, directory: Path) -> PageTables:
    """Write the view files; a file without rows is not written."""
    longest, spark, on = _over_dumps(case, diagnosis, directory)
    give_back()
    spans, longest_span = _write_spans(case, directory, on)
    write_table(_runs(case), directory / "runs.parquet", on)
    write_table(log_marks(case), directory / f"{LOG_MARKS}.parquet", on)
    write_table(_settings(case), directory / "settings.parquet")
    write_table(_files_taken(case), directory / f"{FILES_TAKEN}.parquet", on)
    for name in dict.fromkeys(chain.from_iterable(product.tables for product in PRODUCTS)):
        frames = [product.tables[name](case) for product in PRODUCTS if name in product.tables]
        write_table(together(name, frames), directory / f"{name}.parquet", on)
    return PageTables(
        zone_name=_zone_name(case),
        longest_s=longest if longest_span is None else longest_span,
        spark=spark,
        counts={"spans": spans, "lock_samples": len(diagnosis.lock_roles)},
        placed=on,
    )


def _placed(dumps: Dumps, diagnosis: Diagnosis) -> Placed | None:
    """The day of dumps and samples that carry a clock only."""
    of_findings = (at for one in diagnosis.findings for at in (one.start, one.end))
    moments = [*dumps.clocks, *of_findings, *(role.at for role in diagnosis.lock_roles)]
    return placed(moments, diagnosis.start, diagnosis.end)


def _over_dumps(
    case: Case, diagnosis: Diagnosis, directory: Path
) -> tuple[float | None, list[float | None], Placed | None]:
    """Write the rollups; the longest harmful wait and the small curve. The dumps may be very many and are gone
    afterwards.
    """
    dumps = Dumps.of(case)
    dumps.on = on = _placed(dumps, diagnosis)
    write_rollups(dumps, directory)
    return dumps.longest_s, spark_of(dumps, diagnosis.lock_roles), on


def _write_spans(case: Case, directory: Path, on: Placed | None) -> tuple[int, float | None]:
    """Spans of all products in parts of one layout, each with the longest first; gives their number and the longest
    wait that is no idle thread's, dated or not.

    A page of the longest is then made of the heads of the parts, whatever their number of rows.
    """

    def written(one: tuple[int, SpanPart]) -> list[_Written]:
        first, part = one
        return [
            _span_table(frame, directory / f"{SPANS_BY_AGE}{number:04d}.parquet", on)
            for number, frame in enumerate(part.made(), first)
        ]

    parts = [part for product in PRODUCTS for part in product.span_parts(case)]
    numbers = accumulate((part.tables for part in parts), initial=0)
    nodes: Counter[str | None] = Counter()
    steps: list[pl.DataFrame] = []
    ages: list[float] = []
    for found in chain.from_iterable(made_ahead(written, zip(numbers, parts, strict=False))):
        nodes.update(found.nodes)
        ages += [] if found.oldest_s is None else [found.oldest_s]
        steps.append(found.steps)
        if sum(some.height for some in steps) > STEPS_HELD:
            steps = [_counted(pl.concat(steps))]
    counts = pl.DataFrame(list(nodes.items()), schema={"node": pl.String(), "spans": pl.Int64()}, orient="row")
    write_table(counts.sort("node"), directory / f"{SPAN_NODES}.parquet")
    if steps:
        write_table(_counted(pl.concat(steps)), directory / f"{WAIT_STEPS}.parquet")
    return nodes.total(), max(ages, default=None)


def _span_table(frame: pl.DataFrame, path: Path, on: Placed | None) -> _Written:
    """Write one part; what is left of it is little."""
    columns = [
        pl.col(name).cast(dtype, strict=False) if name in frame.columns else pl.lit(None, dtype).alias(name)
        for name, dtype in SPAN_COLUMNS.items()
    ]
    shown = frame.select(columns) if frame.height else pl.DataFrame(schema=SPAN_COLUMNS)
    shown = on.frame(shown) if on else shown
    write_table(shown, path)
    oldest = shown.select(pl.col("seconds").filter(pl.col("category").fill_null(0) != 1).max()).item()
    counts = dict(shown.group_by("node").len().iter_rows())
    return _Written(_steps_of(shown), counts, float(oldest) if isinstance(oldest, (int, float)) else None)


def _steps_of(spans: pl.DataFrame) -> pl.DataFrame:
    """How many waits begin and end in each second, those that are stuck apart; threads that idle are left out."""
    is_stuck = ((pl.col("state") == "stuck") | (pl.col("seconds") >= STUCK_S)).fill_null(value=False)
    is_harmful = (pl.col("category").fill_null(0) != 1) & pl.col("start").is_not_null()
    second = pl.col("start", "end") // SECOND_US
    marked = spans.lazy().filter(is_harmful).select(second, stuck=is_stuck).collect()
    ends = marked.select(low=pl.min_horizontal("start", "end").min(), high=pl.max_horizontal("start", "end").max())
    low, high = ends.row(0)
    if low is not None and not marked["end"].null_count() and high - low < MOST_SECONDS:
        return _steps_in(marked, low, high - low + 1)
    one, none = pl.lit(1, pl.Int64), pl.lit(0, pl.Int64)
    begun, ended = (marked.select("stuck", at=name) for name in ("start", "end"))
    rows = [begun.with_columns(begins=one, ends=none), ended.with_columns(begins=none, ends=one)]
    return _counted(pl.concat(rows)).with_columns(pl.col("at") * SECOND_US)


def _steps_in(marked: pl.DataFrame, low: int, seconds: int) -> pl.DataFrame:
    """The same where the waits lie in few seconds: a place for each."""
    stuck = marked["stuck"].to_numpy()
    places = ((marked[name].to_numpy() - low) * 2 + stuck for name in ("start", "end"))
    begins, ends = (np.bincount(place, minlength=2 * seconds) for place in places)
    found = np.flatnonzero(begins | ends)
    at = (found // 2 + low) * SECOND_US
    return pl.DataFrame({"stuck": found % 2 == 1, "at": at, "begins": begins[found], "ends": ends[found]})


def _counted(steps: pl.DataFrame) -> pl.DataFrame:
    return steps.group_by("stuck", "at").agg(pl.col("begins", "ends").sum()).sort("at", "stuck")


def _runs(case: Case) -> pl.DataFrame:
    """Timed commands; one that took three times its fastest run is marked."""
    fastest: dict[str, float] = {}
    for run in case.get(TimedRuns).all:
        fastest[run.command] = min(run.seconds, fastest.get(run.command, run.seconds))
    schema = {
        "node": pl.String,
        "command": pl.String,
        "seconds": pl.Float64,
        "at": pl.Int64,
        "slowed": pl.Boolean,
        "artifact": pl.Int64,
        "line": pl.Int64,
    }
    rows = [
        (
            r.node,
            r.command,
            r.seconds,
            r.at,
            r.seconds >= SLOWED_FACTOR * fastest[r.command],
            r.ref.artifact,
            r.ref.line,
        )
        for r in case.get(TimedRuns).all
    ]
    return pl.DataFrame(rows, schema=schema, orient="row")


def _settings(case: Case) -> pl.DataFrame:
    """Readings of tunables in the order of the files."""
    columns = ("node", "scope", "source", "name", "value", "default", "at", "set_here", "artifact", "line")
    return case.get(Settings).all.select(columns).head(SETTINGS_KEPT)


def _files_taken(case: Case) -> pl.DataFrame:
    """First and last moment of capture in each file; undated ones count only where the file has no date."""
    if not case.store.has(Section):
        return pl.DataFrame()
    moments = case.store.scan(Section).select("artifact", pl.concat_list("at", "last_at").alias("at")).explode("at")
    moments = moments.drop_nulls("at").with_columns(known_part_of(pl.col("at")).alias("known"))
    dated = moments.filter(pl.col("known") == pl.col("known").max().over("artifact"))
    return dated.group_by("artifact").agg(first=pl.col("at").min(), last=pl.col("at").max()).sort("artifact").collect()


def _zone_name(case: Case) -> str:
    """The zone as printed, where all sections agree."""
    if not case.store.has(Section):
        return ""
    names = case.store.scan(Section).select(pl.col("zone_name").drop_nulls().unique()).collect()["zone_name"].to_list()
    return names[0] if len(names) == 1 else ""
