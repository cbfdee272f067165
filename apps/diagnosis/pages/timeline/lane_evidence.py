"""What stands behind a point of a lane: the lines that it was drawn from."""

from __future__ import annotations

from typing import Any, Final

import polars as pl

from apps.diagnosis.models import Diagnosis
from apps.diagnosis.page_table_files import PageTableFiles
from apps.diagnosis.pages.timeline.clock_shift import Shifts, shifted
from apps.diagnosis.pages.timeline.heat import HEAT_LOCKS, HEAT_WAITS, UNNAMED
from apps.diagnosis.pages.timeline.io_lanes import IO_LANES, io_words, slowest
from apps.diagnosis.pages.timeline.lane_data import LOCK_LANE, NODE_UNKNOWN, LineUrl
from apps.diagnosis.pages.timeline.log_lanes import LOG, gravest_near, message_text
from apps.diagnosis.pages.timeline.wait_states import WAIT_STATES
from parsers.dataclass import dataclass

ROWS: Final = 15


@dataclass(frozen=True, slots=True)
class Point:
    """What was chosen on a lane: a moment, or a cell of a node that lasts until another."""

    lane: str
    at: int
    until: int | None = None
    node: str = ""

    @property
    def node_or_none(self) -> str | None:
        return None if self.node == UNNAMED else self.node


def lines_behind(
    diagnosis: Diagnosis, point: Point, line_url: LineUrl, shifts: Shifts | None = None
) -> list[dict[str, Any]]:
    """[{words, url, line}] of the lane's point at a moment; `shifts` are those that the lane is drawn with."""
    shifts = shifts or {}
    tables = PageTableFiles(diagnosis)
    lane, at = point.lane, point.at
    if lane == HEAT_LOCKS:
        moved = shifts.get(point.node, 0)
        until = at if point.until is None else point.until
        found, words = _lock_samples(tables, point.node_or_none, at - moved, until - moved), _lock_words
    elif lane.startswith(LOCK_LANE):
        name = lane.removeprefix(LOCK_LANE)
        found, words = (
            _lock_samples(tables, None if name == NODE_UNKNOWN else name, at - shifts.get(name, 0)),
            _lock_words,
        )
    elif lane == LOG:
        found, words = _log_lines(tables, point, shifts), _log_words
    elif lane in IO_LANES:
        found, words = slowest(tables, at, shifts, ROWS), io_words
    else:
        found, words = _longest_waits(tables, point, shifts), _wait_words
    return [{"words": words(row), "url": line_url(row["artifact"], row["line"]), "line": row["line"]} for row in found]


def _lock_samples(tables: PageTableFiles, node: str | None, at: int, until: int | None = None) -> list[dict[str, Any]]:
    samples = tables.locks(at, at if until is None else until)
    return (
        []
        if samples is None
        else samples.filter(pl.col("node").eq_missing(pl.lit(node, pl.String))).head(ROWS).to_dicts()
    )


def _lock_words(row: dict[str, Any]) -> str:
    grants, revokes = row["h_grant"] or 0, row["h_revoke"] or 0
    return (
        f"{row['node'] or 'node unknown'} {row['role'].replace('_', ' ')}: h grants {grants:.0f}/s, h revokes "
        f"{revokes:.0f}/s"
    )


def _log_lines(tables: PageTableFiles, point: Point, shifts: Shifts) -> list[dict[str, Any]]:
    marks = tables.table("log-marks")
    if marks is None:
        return []
    until = point.at if point.until is None else point.until
    return gravest_near(shifted(marks, "at", shifts) if shifts else marks, point.at, until, ROWS)


def _log_words(row: dict[str, Any]) -> str:
    return f"{row['node'] or 'node unknown'}: {message_text(row['message'], row['about'])} ({row['weight']})"


def _longest_waits(tables: PageTableFiles, point: Point, shifts: Shifts) -> list[dict[str, Any]]:
    spans = tables.spans()
    if spans is None:
        return []
    at, until = pl.lit(point.at), pl.lit(point.at if point.until is None else point.until)
    if shifts:
        by = pl.col("node").replace_strict(list(shifts), list(shifts.values()), default=0, return_dtype=pl.Int64)
        at, until = at - by, until - by
    covering = spans.filter((pl.col("start") <= until) & (pl.col("end") >= at))
    if point.lane in {HEAT_WAITS, WAIT_STATES}:
        covering = covering.filter(pl.col("category").fill_null(0) != 1)
    if point.lane == HEAT_WAITS:
        covering = covering.filter(pl.col("node").eq_missing(pl.lit(point.node_or_none, pl.String)))
    return (
        covering.sort("seconds", "artifact", "line", descending=[True, False, False], nulls_last=True)
        .head(ROWS)
        .collect()
        .to_dicts()
    )


def _wait_words(row: dict[str, Any]) -> str:
    what = row["waits_on"] or row["reason"] or ""
    return f"{row['node'] or 'node unknown'} {row['thread'] or ''}: {what}, {row['seconds'] or 0:.1f} s"
