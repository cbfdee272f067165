"""Narrow reads of what a diagnosis left in Parquet: rollups, spans, lock samples, runs."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any, Final

import polars as pl

from apps.cases import storage
from apps.diagnosis.engine.page_tables import SPAN_NODES, SPANS_BY_AGE
from apps.diagnosis.engine.rollups import rollup_of_nodes
from apps.diagnosis.values import AnyDiagnosis

OVERVIEW_BUCKETS: Final = 200


class PageTableFiles:
    """The view files of one diagnosis; a file that is not there means that the case has no such data."""

    def __init__(self, diagnosis: AnyDiagnosis) -> None:
        self._prefix = diagnosis.views
        self._window = (diagnosis.window_start_us, diagnosis.window_end_us)

    def _path(self, name: str) -> Path | None:
        if not self._prefix:
            return None
        full = f"{self._prefix}{name}"
        return storage.local_path(full) if storage.exists(full) else None

    def _scan(self, name: str) -> pl.LazyFrame | None:
        path = self._path(name)
        return None if path is None else pl.scan_parquet(path)

    def rollup(
        self, start: int, end: int, bucket_us: int, nodes: frozenset[str] | None, *, by_node: bool = False
    ) -> pl.DataFrame | None:
        """Rows of the finest rollup whose buckets are not narrower than asked for; over all nodes, or for some."""
        if not self._widths:
            return None
        width = next((w for w in self._widths if w >= bucket_us), self._widths[-1])
        rows = self._scan("rollup.parquet") if nodes is None and not by_node else self._rollup_of_nodes(width)
        if rows is None:
            return None
        rows = rows.filter(
            (pl.col("width_us") == width) & (pl.col("bucket_us") > start - width) & (pl.col("bucket_us") <= end)
        )
        if nodes is not None:
            rows = rows.filter(pl.col("node").is_in(list(nodes)))
        return rows.collect()

    def _rollup_of_nodes(self, width: int) -> pl.LazyFrame | None:
        """In one file for all widths where an earlier version wrote it."""
        own = self._names(rollup_of_nodes(width))
        return _scan_all(own) if own else self._scan("rollup-nodes.parquet")

    @cached_property
    def _widths(self) -> list[int]:
        path = self._path("rollup-widths.parquet")
        return [] if path is None else pl.read_parquet(path)["width_us"].sort().to_list()

    def locks(self, start: int, end: int) -> pl.DataFrame | None:
        """Lock samples whose interval touches the window."""
        rows = self._scan("locks.parquet")
        reach = (pl.col("interval_s") * 1_000_000).cast(pl.Int64)
        return None if rows is None else rows.filter((pl.col("at") >= start) & (pl.col("at") - reach <= end)).collect()

    def links(self, start: int, end: int) -> pl.DataFrame | None:
        """Interconnect gauges in the window."""
        rows = self._scan("links.parquet")
        return None if rows is None else rows.filter(pl.col("at").is_between(start, end)).sort("at").collect()

    def io(self, start: int, end: int, nodes: frozenset[str] | None = None) -> pl.DataFrame | None:
        """Sizes and times of I/O in the window, by node and moment."""
        rows = self._scan("io.parquet")
        if rows is None:
            return None
        rows = rows.filter(pl.col("at").is_between(start, end))
        return (rows if nodes is None else rows.filter(pl.col("node").is_in(list(nodes)))).collect()

    def runs(self) -> pl.DataFrame | None:
        """Timed commands."""
        rows = self._scan("runs.parquet")
        return None if rows is None else rows.collect()

    def table(self, name: str) -> pl.DataFrame | None:
        """A small table by its name: settings, objects, captures, lock-types, flows; None where the case has no such
        data.
        """
        rows = self._scan(f"{name}.parquet")
        return None if rows is None else rows.collect()

    def spans(self) -> pl.LazyFrame | None:
        """Waiters followed over dumps."""
        return _scan_all(self._span_names) if self._span_names else None

    def spans_by_age(self) -> list[pl.LazyFrame] | None:
        """``spans`` in parts, each with the longest first; None for parts of an earlier version, which have
        no order.
        """
        if not all(SPANS_BY_AGE in name for name in self._span_names):
            return None
        return [pl.scan_parquet(storage.local_path(name)) for name in self._span_names]

    def span_nodes(self) -> dict[str | None, int] | None:
        """Node and number of its spans."""
        if (rows := self.table(SPAN_NODES)) is not None:
            return dict(rows.select("node", "spans").iter_rows())
        spans = self.spans()
        return None if spans is None else dict(spans.group_by("node").len().collect().iter_rows())

    @cached_property
    def _span_names(self) -> list[str]:
        return self._names("spans-")

    def _names(self, begin: str) -> list[str]:
        """Files whose names begin so."""
        return [name for name in self._listing if name.rsplit("/", 1)[-1].startswith(begin)]

    @cached_property
    def _listing(self) -> list[str]:
        return list(storage.listing(self._prefix)) if self._prefix else []

    def activity(self) -> list[tuple[int, Any]]:
        """(moment, amount) over the whole case, each kind of data against its own peak."""
        points: list[tuple[int, Any]] = []
        rollup = self._scan("rollup.parquet")
        if rollup is not None and self._widths:
            length = (self._window[1] or 0) - (self._window[0] or 0)
            width = next((w for w in self._widths if w >= length / OVERVIEW_BUCKETS), self._widths[-1])
            rows = rollup.filter(pl.col("width_us") == width).group_by("bucket_us").agg(pl.col("waiters").sum())
            points += _against_peak(rows.collect())
        locks = self._scan("locks.parquet")
        if locks is not None:
            points += _against_peak(locks.select("at", pl.sum_horizontal("h_grant", "h_revoke").alias("n")).collect())
        return points


def _scan_all(names: list[str]) -> pl.LazyFrame:
    return pl.scan_parquet([storage.local_path(name) for name in names])


def _against_peak(rows: pl.DataFrame) -> list[tuple[int, Any]]:
    most = rows[:, 1].max() if rows.height else 0
    return [(at, value / most) for at, value in rows.iter_rows() if value is not None] if most else []
