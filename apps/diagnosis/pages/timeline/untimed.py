"""What no axis of time can hold: captures and waits of files that print neither a date nor a clock."""

from __future__ import annotations

import json
from typing import Any, Final

import polars as pl

from apps.diagnosis.page_table_files import PageTableFiles
from apps.diagnosis.pages.captures import chart, strip
from apps.diagnosis.pages.timeline.lane_data import LineUrl, node_numbers
from apps.diagnosis.values import AnyDiagnosis

OBJECTS_SHOWN: Final = 5
WAITS_SHOWN: Final = 12
HUES: Final = 8


def untimed(diagnosis: AnyDiagnosis, line_url: LineUrl) -> dict[str, Any] | None:
    """Captures on an axis of their own, in the order of the files, and the longest waits by their age; None where all
    have a time.
    """
    tables = PageTableFiles(diagnosis)
    captures = tables.table("captures")
    without = None if captures is None else captures.filter(pl.col("at").is_null())
    bars = chart(without, "")
    waits, count = (None, 0) if bars else _waits(tables, line_url)
    if bars is None and waits is None:
        return None
    return {"chart": bars, "objects": _objects(tables, diagnosis) if bars else [], "waits": waits, "waits_n": count}


def _objects(tables: PageTableFiles, diagnosis: AnyDiagnosis) -> list[dict[str, Any]]:
    """The locks that most wait for, each with its holder from capture to capture."""
    rows = tables.table("objects")
    if rows is None:
        return []
    hues = {name: number % HUES for name, number in node_numbers(diagnosis).items()}
    found = []
    for row in rows.sort("waiters", "object", descending=[True, False]).iter_rows(named=True):
        captures = json.loads(row["captures"])
        if captures and all(one.get("at") is None for one in captures):
            found.append({**row, "strip": strip(captures, hues, "")})
        if len(found) == OBJECTS_SHOWN:
            break
    return found


def _waits(tables: PageTableFiles, line_url: LineUrl) -> tuple[list[dict[str, Any]] | None, int]:
    """The longest first, each with its share of the longest; how many there are. Threads that idle are left out."""
    parts = tables.spans_by_age()
    if not parts:
        return None, 0
    is_untimed = pl.col("start").is_null() & pl.col("seconds").is_not_null() & (pl.col("category").fill_null(0) != 1)
    rows = pl.concat([part.filter(is_untimed) for part in parts]).sort(
        "seconds", "node", "line", descending=[True, False, False]
    )
    count = int(rows.select(pl.len()).collect().item())
    if not count:
        return None, 0
    shown = rows.head(WAITS_SHOWN).collect()
    longest = float(shown["seconds"][0]) or 1.0
    return [
        {**row, "share": round(100 * row["seconds"] / longest, 1), "url": line_url(row["artifact"], row["line"])}
        for row in shown.iter_rows(named=True)
    ], count
