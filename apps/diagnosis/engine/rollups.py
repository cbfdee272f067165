"""Dumps of all products, and what the timeline and the list make of them: rollups by category and node, and a small
curve.

Rollups hold, per bucket of several widths, the most waiters that one dump showed and the longest age: peaks survive
every zoom.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, chain, groupby
from pathlib import Path
from typing import Final, NamedTuple

import polars as pl

from apps.diagnosis.engine.core.arrays.aside import Aside
from apps.diagnosis.engine.core.arrays.dumps import DUMP_SCHEMA
from apps.diagnosis.engine.core.arrays.memory import give_back
from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.model import LockRole
from apps.diagnosis.engine.core.page_tables import write_table
from apps.diagnosis.engine.core.times.open_years import known_part_of
from apps.diagnosis.engine.core.times.placed import Placed
from apps.diagnosis.engine.products import PRODUCTS
from parsers.records import DAY_US

WIDTHS_S: Final = (1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 21_600, 86_400)
BUCKETS_MOST: Final = 20_000
ROWS_AT_ONCE: Final = 500_000
ROLLUP_KEYS: Final = ("width_us", "bucket_us", "category")
SPARK_POINTS: Final = 40
SECOND_US: Final = 1_000_000


class _Window(NamedTuple):
    """What is known when all dumps were looked through: first and last moment, the usual pause between two dumps of a
    node, the longest harmful wait, and between which moments such waits have an age.
    """

    first: int
    last: int
    pause_us: float
    longest_s: float | None
    aged: tuple[int, int] | None


class Dumps:
    """Waiters and longest age per node, moment of a dump and category; a dump printed in two files counts once.

    Where they are very many they lie aside, and come in groups of some nodes: what is made of each node alone takes no
    room for all of them. ``on``: the day of those that carry a clock only.
    """

    def __init__(self, frames: Iterable[pl.DataFrame], nodes: Nodes) -> None:
        self.on: Placed | None = None
        self.clocks: list[int] = []
        """Earliest and latest of those without a date, of each part."""
        self._nodes = nodes
        self._sizes: Counter[str | None] = Counter()
        self._holders: dict[str | None, list[int]] = {}
        self._held: list[pl.DataFrame] = []
        self._aside: Aside | None = None
        for number, frame in enumerate(frames):
            self._add(number, frame.select(DUMP_SCHEMA.names()).cast(DUMP_SCHEMA))

    @classmethod
    def of(cls, case: Case) -> Dumps:
        """Those of all products."""
        return cls(chain.from_iterable(product.dump_frames(case) for product in PRODUCTS), case.get(Nodes))

    def _add(self, number: int, frame: pl.DataFrame) -> None:
        for spelling, rows in frame.group_by("node").len().iter_rows():
            name = None if spelling is None else self._nodes.name(spelling)
            self._sizes[name] += rows
            self._holders.setdefault(name, []).append(number)
        clocks = frame["at"].filter(frame["at"] < DAY_US)
        self.clocks += [] if clocks.is_empty() else clocks.to_frame().select(a=pl.min("at"), b=pl.max("at")).row(0)
        named = self._nodes.named(frame)
        if self._aside is None and self._sizes.total() <= ROWS_AT_ONCE:
            self._held.append(named)
            return
        aside = self._aside = self._aside or Aside()
        for place, earlier in enumerate(self._held):
            aside.put(str(place), earlier)
        self._held = []
        aside.put(str(number), named)

    def groups(self) -> Iterator[pl.DataFrame]:
        """All rows, those of some nodes after those of others."""
        several = [name for name, holders in self._holders.items() if len(holders) > 1]
        if self._aside is None:
            if self._sizes:
                yield self._once(pl.concat(self._held), several)
            return
        names = sorted(self._sizes, key=lambda name: (name is not None, name))
        ends = accumulate(self._sizes[name] for name in names)
        for _, some in groupby(zip(names, ends, strict=True), key=lambda one: one[1] // ROWS_AT_ONCE):
            yield self._once(self._of_nodes(self._aside, [name for name, _ in some]), several)

    def _of_nodes(self, aside: Aside, names: list[str | None]) -> pl.DataFrame:
        wanted = pl.col("node").is_in(
            pl.Series(names, dtype=pl.String).cast(pl.Categorical).implode(), nulls_equal=True
        )
        numbers = sorted({number for name in names for number in self._holders[name]})
        return pl.concat([aside.get(str(number)).filter(wanted) for number in numbers])

    def _once(self, rows: pl.DataFrame, several: list[str | None]) -> pl.DataFrame:
        if several:
            is_again = pl.col("node").is_in(pl.Series(several, dtype=pl.Categorical()).implode(), nulls_equal=True)
            peaks = pl.col("waiters", "longest_s").max()
            again = rows.filter(is_again).group_by("node", "at", "category").agg(peaks)
            rows = pl.concat([rows.filter(~is_again), again])
        return self.on.frame(rows) if self.on else rows

    @cached_property
    def window(self) -> _Window | None:
        """None where there is no dump."""
        ends, pauses, ages = [], [], []
        aged: list[tuple[int, int, int]] = []
        for rows in self.groups():
            ends.append(rows.select(first=pl.min("at"), last=pl.max("at")).row(0))
            own = rows.select("node", "at").unique().sort("node", "at")
            pauses.append(own.select(pl.col("at").diff().over("node")).to_series().drop_nulls())
            harmful = _harmful(rows).drop_nulls("longest_s")
            ages.append(harmful["longest_s"].max())
            of_days = harmful.group_by(known_part_of(pl.col("at"))).agg(first=pl.min("at"), last=pl.max("at"))
            aged += of_days.iter_rows()
        if not ends:
            return None
        most = max((known for known, _, _ in aged), default=0)
        own_ends = [(first, last) for known, first, last in aged if known == most]
        known = [float(age) for age in ages if isinstance(age, (int, float))]
        return _Window(
            first=min(first for first, _ in ends),
            last=max(last for _, last in ends),
            pause_us=pl.concat(pauses).to_frame().select(pl.all().median()).item() or SECOND_US,
            longest_s=max(known, default=None),
            aged=(min(a for a, _ in own_ends), max(b for _, b in own_ends)) if own_ends else None,
        )

    @property
    def longest_s(self) -> float | None:
        """The longest wait that is no idle thread's."""
        return self.window.longest_s if self.window else None


def _harmful(dumps: pl.DataFrame) -> pl.DataFrame:
    """Without category 1: threads that idle for hours are no trouble, and would hide those that are."""
    return dumps.filter(pl.col("category") != 1)


def write_rollups(dumps: Dumps, directory: Path) -> None:
    """Rollups over all nodes and by node, at several widths."""
    if dumps.window is None:
        return
    widths = _widths(dumps.window)
    summed: list[pl.DataFrame] = []
    for number, some in enumerate(dumps.groups()):
        summed = [_over_nodes(pl.concat([*summed, *_rollups_of(some, widths, directory, number)]))]
        give_back()
    write_table(summed[0].sort(ROLLUP_KEYS), directory / "rollup.parquet")
    write_table(pl.DataFrame({"width_us": widths}), directory / "rollup-widths.parquet")


def _rollups_of(some: pl.DataFrame, widths: list[int], directory: Path, number: int) -> Iterator[pl.DataFrame]:
    """Rollups of a group of nodes: each goes to a file of its own, and its sum over the nodes comes back."""
    finer: dict[int, pl.DataFrame] = {}  # by width: a peak of peaks is the peak
    for place, width in enumerate(widths):
        of = next((finer[one] for one in reversed(widths[:place]) if width % one == 0), None)
        found = finer[width] = _bucketed(some if of is None else of.rename({"bucket_us": "at"}), width)
        named = found.with_columns(pl.col("node").cast(pl.String), pl.col("category", "waiters").cast(pl.Int64))
        write_table(
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


def _widths(window: _Window) -> list[int]:
    """Bucket widths in microseconds: not below the usual pause between dumps, and not too many buckets."""
    length = window.last - window.first
    least = max(2 * window.pause_us, length / BUCKETS_MOST)  # nodes take their dumps one after the other
    fitting = [width * SECOND_US for width in WIDTHS_S if width * SECOND_US >= least]
    return [width for width in fitting if width <= max(length, fitting[0])] if fitting else [WIDTHS_S[-1] * SECOND_US]


def _bucketed(dumps: pl.DataFrame, width: int) -> pl.DataFrame:
    bucket = (pl.col("at") // width * width).alias("bucket_us")
    keys = (pl.lit(width, pl.Int64).alias("width_us"), bucket, "node", "category")
    peaks = (pl.col("waiters").max(), pl.col("longest_s").max())
    return dumps.group_by(*keys).agg(*peaks).select(*ROLLUP_KEYS, "node", "waiters", "longest_s")


def spark_of(dumps: Dumps, lock_roles: Sequence[LockRole]) -> list[float | None]:
    """Longest wait per bucket over the window, or lock traffic where there are no waiters; None where there is no
    sample.
    """
    if dumps.window is not None:
        ends = dumps.window.aged
        return _curve((_harmful(some).select("at", value="longest_s") for some in dumps.groups()), ends)
    rates = [(role.at, max(role.per_s.get("h_grant", 0.0), role.per_s.get("h_revoke", 0.0))) for role in lock_roles]
    points = pl.DataFrame(rates, schema={"at": pl.Int64, "value": pl.Float64}, orient="row").drop_nulls()
    known = known_part_of(pl.col("at"))
    shown = points.filter(known == known.max())
    ends = shown.select(first=pl.min("at"), last=pl.max("at")).row(0) if shown.height else None
    return _curve([points], ends)


def _curve(parts: Iterable[pl.DataFrame], ends: tuple[int, int] | None) -> list[float | None]:
    if ends is None:
        return []
    start, end = ends
    place = ((pl.col("at") - start) * SPARK_POINTS // max(1, end - start)).clip(upper_bound=SPARK_POINTS - 1)
    highest: dict[int, float] = {}
    for points in parts:
        shown = points.drop_nulls().filter(pl.col("at").is_between(start, end))
        for at, value in shown.group_by(place.alias("place")).agg(pl.col("value").max()).iter_rows():
            highest[at] = max(value, highest.get(at, value))
    return [max(0.0, float(highest[place])) if place in highest else None for place in range(SPARK_POINTS)]
