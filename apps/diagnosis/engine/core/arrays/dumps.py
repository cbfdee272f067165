"""Dumps as the timeline counts them: waiters and the longest age per node, moment and category."""

from __future__ import annotations

from typing import Final

import polars as pl

DUMP_SCHEMA: Final = pl.Schema(
    {
        "node": pl.Categorical(),
        "at": pl.Int64(),
        "category": pl.Int8(),
        "waiters": pl.UInt32(),
        "longest_s": pl.Float64(),
    }
)
