"""Waits that are stuck, that move and that begin, counted over the time axis."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import polars as pl

from apps.diagnosis.pages.timeline.heat import Columns

WAIT_STATES: Final = "wait-states"
MOST_COLUMNS: Final = 400
Ints = npt.NDArray[np.int64]


def wait_states(steps: pl.DataFrame | None, columns: Columns) -> dict[str, Any] | None:
    """The lane. A wait that begins within a column is first seen there; of the others that cross it, those that stood
    still from dump to dump or for a minute are stuck.
    """
    if steps is None or steps.is_empty():
        return None
    columns = columns.at_most(MOST_COLUMNS)
    stuck, moving = (steps.filter(pl.col("stuck") == is_stuck) for is_stuck in (True, False))
    crossing = [_crossing(part, columns) for part in (stuck, moving)]
    begun = _begun(stuck, columns) + _begun(moving, columns)
    series = (("stuck", crossing[0]), ("moving", crossing[1]), ("first seen", begun))
    filled = np.flatnonzero(crossing[0] + crossing[1] + begun)
    if not len(filled):
        return None
    return {
        "id": WAIT_STATES,
        "kind": "stack",
        "label": "Waits",
        "sub": "stuck: a minute or more, or in two dumps",
        "unit": "waits",
        "between": True,
        "buckets": columns.starts[filled].tolist(),
        "ends": columns.ends[filled].tolist(),
        "series": [
            {"key": name, "name": name, "values": [value or None for value in values[filled].tolist()]}
            for name, values in series
            if values.any()
        ],
    }


def _crossing(steps: pl.DataFrame, columns: Columns) -> Ints:
    """Waits that began before a column and last into it."""
    return _until(steps, "begins", columns.starts) - _until(steps, "ends", columns.starts)


def _begun(steps: pl.DataFrame, columns: Columns) -> Ints:
    return _until(steps, "begins", columns.ends) - _until(steps, "begins", columns.starts)


def _until(steps: pl.DataFrame, what: str, moments: Ints) -> Ints:
    """How many began, or ended, before each moment."""
    totals = np.concatenate([np.zeros(1, np.int64), np.cumsum(steps[what].to_numpy())])
    found: Ints = totals[np.searchsorted(steps["at"].to_numpy(), moments)]
    return found
