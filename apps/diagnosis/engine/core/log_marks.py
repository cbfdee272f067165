"""Lines of logs as marks of the time axis: those that weigh something, and those that begin or end a band.

The text of a line is not kept here: pages say what its kind means, and open the line itself. ``message`` is a kind of
the catalogue; empty for one that a site or a team named, as its name is theirs.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from apps.diagnosis.engine.core.bands import bands
from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.facts.events import once
from apps.diagnosis.engine.core.facts.records import Records
from parsers.messages.catalogue import meanings
from parsers.messages.site_entries import ENDINGS
from parsers.records import Event

MARKS_KEPT: Final = 100_000
"""The gravest: a log of millions of warnings is one block at any zoom."""
MARK_WEIGHTS: Final = ("disaster", "trouble", "notice")
MARK_SCHEMA: Final = {
    "node": pl.String, "at": pl.Int64, "weight": pl.String, "message": pl.String, "about": pl.String,
    "artifact": pl.Int64, "line": pl.Int64,
}  # fmt: skip


def log_marks(case: Case) -> pl.DataFrame:
    """A row for each dated line, in the order of time."""
    if not case.store.has(Event):
        return pl.DataFrame(schema=MARK_SCHEMA)
    by_kind = {kind: meaning.weight for kind, meaning in meanings().items()}
    known = pl.col("kind").replace_strict(list(by_kind), list(by_kind.values()), default="", return_dtype=pl.String)
    weight = pl.when(pl.col("weight") == "").then(known).otherwise(pl.col("weight"))
    in_band = pl.col("kind").is_in(sorted(frozenset().union(*(band.kinds for band in bands().values()))))
    is_shown = pl.col("at").is_not_null() & (weight.is_in(MARK_WEIGHTS) | in_band)
    ours = sorted(kind for kind in by_kind if not kind.endswith(tuple(ENDINGS.values())))
    message = pl.when(pl.col("kind").is_in(ours)).then("kind").otherwise(pl.lit(""))
    rows = once(case.get(Records).frame(Event, is_shown)).with_columns(weight.alias("weight"), message.alias("message"))
    rank = pl.col("weight").replace_strict(MARK_WEIGHTS, range(len(MARK_WEIGHTS)), default=len(MARK_WEIGHTS))
    kept = rows.sort(rank, maintain_order=True).head(MARKS_KEPT) if rows.height > MARKS_KEPT else rows
    return kept.select(pl.col(name).cast(kind) for name, kind in MARK_SCHEMA.items()).sort("at", maintain_order=True)
