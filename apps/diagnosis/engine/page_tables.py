"""What the pages read of a diagnosis, as small Parquet files: spans, rollups by category and node, lock samples, runs,
links.

Rollups hold, per bucket of several widths, the most waiters that one dump showed and the longest age: peaks survive
every zoom.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from itertools import chain
from pathlib import Path
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.case import Case
from apps.diagnosis.engine.core.dumps import DUMP_SCHEMA
from apps.diagnosis.engine.core.log_marks import log_marks
from apps.diagnosis.engine.core.memory import give_back
from apps.diagnosis.engine.core.model import Diagnosis
from apps.diagnosis.engine.core.nodes import Nodes
from apps.diagnosis.engine.core.page_tables import together
from apps.diagnosis.engine.core.placed import Placed, placed
from apps.diagnosis.engine.core.runs import TimedRuns
from apps.diagnosis.engine.core.settings import Settings
from apps.diagnosis.engine.products import PRODUCTS
from parsers.dataclass import dataclass
from parsers.records import DAY_US, Section

WIDTHS_S: Final = (1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 21_600, 86_400)
BUCKETS_MOST: Final = 20_000
ROWS_AT_ONCE: Final = 1_000_000
ROLLUP_KEYS: Final = ("width_us", "bucket_us", "category")
SPARK_POINTS: Final = 40
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
FILES_TAKEN: Final = "files-taken"


@dataclass(frozen=True, slots=True)
class PageTables:
    """What the list of cases and the head of a case show."""

    zone_name: str
    longest_s: float | None
    spark: list[float | None]
    counts: dict[str, int] = field(default_factory=dict)
    placed: Placed | None = None


def write_page_tables(case: Case, diagnosis: Diagnosis, directory: Path) -> PageTables:
    """Write the view files; a file without rows is not written."""
    longest, spark, on = _over_dumps(case, diagnosis, directory)
    give_back()
    spans, longest_span = _write_spans(case, directory, on)
    _write(_runs(case), directory / "runs.parquet", on)
    _write(log_marks(case), directory / f"{LOG_MARKS}.parquet", on)
    _write(_settings(case), directory / "settings.parquet")
    _write(_files_taken(case), directory / f"{FILES_TAKEN}.parquet", on)
    for name in dict.fromkeys(chain.from_iterable(product.tables for product in PRODUCTS)):
        frames = [product.tables[name](case) for product in PRODUCTS if name in product.tables]
        _write(together(name, frames), directory / f"{name}.parquet", on)
    return PageTables(
        zone_name=_zone_name(case),
        longest_s=longest if longest_span is None else longest_span,
        spark=spark,
        counts={"spans": spans, "lock_samples": len(diagnosis.lock_roles)},
        placed=on,
    )


def _placed(dumps: pl.DataFrame, diagnosis: Diagnosis) -> Placed | None:
    """The day of dumps and samples that carry a clock only."""
    of_findings = (at for one in diagnosis.findings for at in (one.start, one.end))
    clocks = dumps["at"].filter(dumps["at"] < DAY_US)
    ends = [] if clocks.is_empty() else list(clocks.to_frame().select(first=pl.min("at"), last=pl.max("at")).row(0))
    moments = [*ends, *of_findings, *(role.at for role in diagnosis.lock_roles)]
    return placed(moments, diagnosis.start, diagnosis.end)


def _over_dumps(
    case: Case, diagnosis: Diagnosis, directory: Path
) -> tuple[float | None, list[float | None], Placed | None]:
    """Write the rollups; the longest harmful wait and the small curve. The dumps may be very many and are gone
    afterwards.
    """
    dumps = dump_rows(case)
    on = _placed(dumps, diagnosis)
    dumps = on.frame(dumps) if on else dumps
    write_rollups(dumps, directory)
    longest = _harmful(dumps)["longest_s"].max()
    return float(longest) if isinstance(longest, (int, float)) else None, _spark(dumps, diagnosis), on


def _write_spans(case: Case, directory: Path, on: Placed | None) -> tuple[int, float | None]:
    """Spans of all products in parts of one layout, each with the longest first; gives their number and the longest
    wait that is no idle thread's, dated or not.

    A page of the longest is then made of the heads of the parts, whatever their number of rows.
    """
    nodes: dict[str | None, int] = {}
    steps: list[pl.DataFrame] = []
    ages: list[float] = []
    for part, frame in enumerate(chain.from_iterable(product.span_frames(case) for product in PRODUCTS)):
        absent = [pl.lit(None, dtype).alias(name) for name, dtype in SPAN_COLUMNS.items() if name not in frame.columns]
        shown = frame.with_columns(absent) if frame.height else pl.DataFrame(schema=SPAN_COLUMNS)
        shown = shown.select(pl.col(name).cast(dtype, strict=False) for name, dtype in SPAN_COLUMNS.items())
        _write(shown, directory / f"{SPANS_BY_AGE}{part:04d}.parquet", on)
        steps.append(_steps_of(on.frame(shown) if on else shown))
        oldest = shown.filter(pl.col("category").fill_null(0) != 1)["seconds"].max()
        ages += [float(oldest)] if isinstance(oldest, (int, float)) else []
        for node, count in shown.group_by("node").len().iter_rows():
            nodes[node] = nodes.get(node, 0) + count
    schema = {"node": pl.String(), "spans": pl.Int64()}
    _write(
        pl.DataFrame({"node": list(nodes), "spans": list(nodes.values())}, schema=schema),
        directory / f"{SPAN_NODES}.parquet",
    )
    if steps:
        _write(_counted(pl.concat(steps)), directory / f"{WAIT_STEPS}.parquet")
    return sum(nodes.values()), max(ages, default=None)


def _steps_of(spans: pl.DataFrame) -> pl.DataFrame:
    """How many waits begin and end in each second, those that are stuck apart; threads that idle are left out."""
    is_stuck = ((pl.col("state") == "stuck") | (pl.col("seconds") >= STUCK_S)).fill_null(value=False)
    harmful = spans.filter((pl.col("category").fill_null(0) != 1) & pl.col("start").is_not_null())
    marked = harmful.select("start", "end", stuck=is_stuck)
    second = pl.col("at") // SECOND_US * SECOND_US
    begins = marked.select("stuck", at="start", begins=pl.lit(1, pl.Int64), ends=pl.lit(0, pl.Int64))
    ends = marked.select("stuck", at="end", begins=pl.lit(0, pl.Int64), ends=pl.lit(1, pl.Int64))
    return _counted(pl.concat([begins, ends]).with_columns(second))


def _counted(steps: pl.DataFrame) -> pl.DataFrame:
    return steps.group_by("stuck", "at").agg(pl.col("begins", "ends").sum()).sort("at", "stuck")


def _write(frame: pl.DataFrame, path: Path, on: Placed | None = None) -> None:
    if frame.height:
        frame = on.frame(frame) if on else frame
        frame.write_parquet(path, compression="zstd", compression_level=1, row_group_size=100_000)


def dump_rows(case: Case) -> pl.DataFrame:
    """Waiters and longest age per node, moment of a dump and category; a dump printed in two files counts once."""
    found = chain.from_iterable(product.dump_frames(case) for product in PRODUCTS)
    files = [frame.select(DUMP_SCHEMA.names()).cast(DUMP_SCHEMA) for frame in found]
    places = case.get(Nodes).named(pl.concat(dumps.select("node").unique() for dumps in files))
    several = places.filter(places.is_duplicated()).unique()["node"]
    named = case.get(Nodes).named(pl.concat(files))
    files.clear()  # a case may hold millions of rows, and few nodes are in more than one file
    again = pl.col("node").is_in(several.implode(), nulls_equal=True)
    merged = (
        named.filter(again).group_by("node", "at", "category").agg(pl.col("waiters").max(), pl.col("longest_s").max())
    )
    return pl.concat([named.filter(~again), merged])


def _harmful(dumps: pl.DataFrame) -> pl.DataFrame:
    """Without category 1: threads that idle for hours are no trouble, and would hide those that are."""
    return dumps.filter(pl.col("category") != 1)


def write_rollups(dumps: pl.DataFrame, directory: Path) -> None:
    """Rollups over all nodes and by node, at several widths."""
    if dumps.is_empty():
        return
    widths = _widths(dumps)
    of_groups = (_rollups_of(some, widths, directory, number) for number, some in enumerate(_by_nodes(dumps)))
    rows = pl.concat(chain.from_iterable(of_groups))
    _write(_over_nodes(rows).sort(ROLLUP_KEYS), directory / "rollup.parquet")
    _write(pl.DataFrame({"width_us": widths}), directory / "rollup-widths.parquet")


def _rollups_of(some: pl.DataFrame, widths: list[int], directory: Path, number: int) -> Iterator[pl.DataFrame]:
    """Rollups of a group of nodes: each goes to a file of its own, and its sum over the nodes comes back."""
    finer: dict[int, pl.DataFrame] = {}  # by width: a peak of peaks is the peak
    for place, width in enumerate(widths):
        of = next((finer[one] for one in reversed(widths[:place]) if width % one == 0), None)
        found = finer[width] = _bucketed(some if of is None else of.rename({"bucket_us": "at"}), width)
        named = found.with_columns(pl.col("node").cast(pl.String), pl.col("category", "waiters").cast(pl.Int64))
        _write(
            named.sort("node", "bucket_us", "category"), directory / f"{rollup_of_nodes(width)}-{number:04d}.parquet"
        )
        yield _over_nodes(named)
        wider = widths[place + 1 :]
        finer = {one: rows for one, rows in finer.items() if any(later % one == 0 for later in wider)}


def _over_nodes(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.group_by(ROLLUP_KEYS).agg(pl.col("waiters").sum(), pl.col("longest_s").max())


def rollup_of_nodes(width_us: int) -> str:
    """How the names of the files begin that hold the rollup by node of one width, each of some nodes."""
    return f"rollup-nodes-{width_us // SECOND_US:06d}"


def _widths(dumps: pl.DataFrame) -> list[int]:
    """Bucket widths in microseconds: not below the usual pause between dumps, and not too many buckets."""
    pauses = [
        some.select("node", "at").unique().sort("node", "at").select(pl.col("at").diff().over("node")).to_series()
        for some in _by_nodes(dumps)
    ]
    pause = pl.concat(pauses).to_frame().select(pl.all().median()).item() or 1_000_000
    length = int(dumps.select(pl.max("at") - pl.min("at")).item())
    least = max(2 * pause, length / BUCKETS_MOST)  # nodes take their dumps one after the other
    fitting = [width * 1_000_000 for width in WIDTHS_S if width * 1_000_000 >= least]
    return [width for width in fitting if width <= max(length, fitting[0])] if fitting else [WIDTHS_S[-1] * 1_000_000]


def _bucketed(dumps: pl.DataFrame, width: int) -> pl.DataFrame:
    bucket = (pl.col("at") // width * width).alias("bucket_us")
    keys = (pl.lit(width, pl.Int64).alias("width_us"), bucket, "node", "category")
    peaks = (pl.col("waiters").max(), pl.col("longest_s").max())
    return dumps.group_by(*keys).agg(*peaks).select(*ROLLUP_KEYS, "node", "waiters", "longest_s")


def _by_nodes(dumps: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Rows of some nodes after those of others: what is made of each node alone takes no room for all of them."""
    if dumps.height <= ROWS_AT_ONCE:
        yield dumps
        return
    sizes = dumps.group_by("node").len().sort("node")
    for _, some in sizes.group_by(pl.col("len").cum_sum() // ROWS_AT_ONCE, maintain_order=True):
        yield dumps.filter(pl.col("node").is_in(some["node"].implode(), nulls_equal=True))


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
    moments = moments.drop_nulls("at").with_columns((pl.col("at") >= DAY_US).alias("dated"))
    dated = moments.filter(pl.col("dated") == pl.col("dated").any().over("artifact"))
    return dated.group_by("artifact").agg(first=pl.col("at").min(), last=pl.col("at").max()).sort("artifact").collect()


def _zone_name(case: Case) -> str:
    """The zone as printed, where all sections agree."""
    if not case.store.has(Section):
        return ""
    names = case.store.scan(Section).select(pl.col("zone_name").drop_nulls().unique()).collect()["zone_name"].to_list()
    return names[0] if len(names) == 1 else ""


def _spark(dumps: pl.DataFrame, diagnosis: Diagnosis) -> list[float | None]:
    """Longest wait per bucket over the window, or lock traffic where there are no waiters; None where there is no
    sample.
    """
    if dumps.height:
        points = _harmful(dumps).select("at", pl.col("longest_s").alias("value"))
    else:
        rates = [(r.at, max(r.per_s.get("h_grant", 0.0), r.per_s.get("h_revoke", 0.0))) for r in diagnosis.lock_roles]
        points = pl.DataFrame(rates, schema={"at": pl.Int64, "value": pl.Float64}, orient="row")
    known = points.drop_nulls()
    dated = known.filter(pl.col("at") >= DAY_US)
    shown = dated if dated.height else known
    if shown.is_empty():
        return []
    start, end = shown.select(pl.col("at").min().alias("start"), pl.col("at").max().alias("end")).row(0)
    place = ((pl.col("at") - start) * SPARK_POINTS // max(1, end - start)).clip(upper_bound=SPARK_POINTS - 1)
    highest = dict(shown.group_by(place.alias("place")).agg(pl.col("value").max()).iter_rows())
    return [max(0.0, float(highest[place])) if place in highest else None for place in range(SPARK_POINTS)]
