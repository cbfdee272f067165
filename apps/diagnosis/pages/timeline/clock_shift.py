"""Nodes whose clock is off, shown shifted: what an address says of it, and what the page says about it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Final

import polars as pl
from django.http import QueryDict

from apps.diagnosis.values import AnyDiagnosis

SECOND_US: Final = 1_000_000
MOST_S: Final = 2 * 86_400
MOST_NODES: Final = 32
NODE_CHARS: Final = 120
Shifts = dict[str, int]
"""Microseconds to add to the times of a node."""


def shifts_from(query: QueryDict) -> Shifts:
    """``shift=n1:-12.5`` may stand several times; what is malformed or beyond two days is left out."""
    found: Shifts = {}
    for part in query.getlist("shift")[:MOST_NODES]:
        node, colon, text = part.rpartition(":")
        seconds = _seconds(text)
        if colon and 0 < len(node) <= NODE_CHARS and seconds:
            found[node] = round(seconds * SECOND_US)
    if (node := query.get("shift_node", "")[:NODE_CHARS]) and (
        seconds := _seconds(query.get("shift_by", ""))
    ) is not None:
        found.pop(node, None)
        if seconds:
            found[node] = round(seconds * SECOND_US)
    return found


def _seconds(text: str) -> float | None:
    try:
        value = float(text[:20].replace(",", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) and abs(value) <= MOST_S else None


def reach(shifts: Shifts) -> int:
    """By how much more is to be read at both ends of a window."""
    return max((abs(by) for by in shifts.values()), default=0)


def shifted(rows: pl.DataFrame, column: str, shifts: Shifts) -> pl.DataFrame:
    """The same rows with the times of these nodes moved."""
    if not shifts or rows.is_empty():
        return rows
    by = pl.col("node").replace_strict(list(shifts), list(shifts.values()), default=0, return_dtype=pl.Int64)
    return rows.with_columns(pl.col(column) + by)


def shift_context(diagnosis: AnyDiagnosis | None, query: QueryDict) -> dict[str, Any]:
    """For the form and the sentence above the lanes."""
    shifts = shifts_from(query)
    nodes = diagnosis.summary.get("nodes", ()) if diagnosis else ()
    return {
        "shift_nodes": [{"name": node["name"], "ahead_s": node.get("clock_offset_s")} for node in nodes]
        if len(nodes) > 1
        else [],
        "shifts": [
            {"node": node, "seconds": by / SECOND_US, "without": _query(query, shifts, {node})}
            for node, by in shifts.items()
        ],
        "kept": [
            (name, value)
            for name, values in query.lists()
            if name not in {"shift_node", "shift_by", "shift"}
            for value in values
        ],
        "shift_kept": [f"{node}:{by / SECOND_US:g}" for node, by in shifts.items()],
    }


def _query(query: QueryDict, shifts: Shifts, without: Iterable[str]) -> str:
    changed = query.copy()
    for name in ("shift_node", "shift_by", "shift"):
        changed.pop(name, None)
    changed.setlist("shift", [f"{node}:{by / SECOND_US:g}" for node, by in shifts.items() if node not in set(without)])
    return changed.urlencode()
