"""Dumps of Scale waiters, counted for the timeline."""

from __future__ import annotations

from typing import Final

import numpy as np
import polars as pl

from apps.diagnosis.engine.core.arrays.dumps import DUMP_SCHEMA
from apps.diagnosis.engine.scale.samples import NodeCodes, Part

CATEGORIES: Final = 128
_PRINTED: Final = ("artifact", "spelling", "node", "at", "category")


def counted(part: Part, nodes: NodeCodes) -> pl.DataFrame:
    """Waiters and the longest age per node, moment and category. A dump that several files hold, or that one file holds
    under two spellings of its node, counts once: the fullest.
    """
    chosen = np.flatnonzero(part.is_dated)
    artifact, spelling, at = part.artifact[chosen], part.spelling[chosen], part.samples.end[chosen]
    begins = np.ones(len(chosen), np.bool_)  # rows stand dump by dump in the files
    begins[1:] = (artifact[1:] != artifact[:-1]) | (spelling[1:] != spelling[:-1]) | (at[1:] != at[:-1])
    place = (np.cumsum(begins) - 1) * CATEGORIES + part.category[chosen]
    rows = pl.DataFrame({"place": place, "seconds": part.samples.seconds[chosen]})
    tally = rows.group_by("place").agg(waiters=pl.len(), longest_s=pl.col("seconds").fill_nan(None).max())
    first, category = np.divmod(tally["place"].to_numpy(), CATEGORIES)
    row = chosen[np.flatnonzero(begins)[first]]
    table = tally.select(
        "waiters",
        "longest_s",
        artifact=part.artifact[row],
        spelling=part.spelling[row],
        node=np.minimum(part.node[row], len(nodes.names)),
        at=part.samples.end[row],
        category=category,
    )
    summed = table.group_by(_PRINTED).agg(pl.col("waiters").sum(), pl.col("longest_s").max())
    once = summed.group_by(_PRINTED[2:]).agg(pl.col("waiters", "longest_s").max())
    names = pl.Series([*nodes.names, None], dtype=pl.Categorical())
    return once.with_columns(node=names.gather(once["node"])).select(DUMP_SCHEMA.names()).cast(DUMP_SCHEMA)
