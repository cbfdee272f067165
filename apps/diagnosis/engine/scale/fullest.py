"""The dump of each node in which most threads of some sort wait, held against a setting that limits their number."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from parsers.records import Waiter, WaiterShape

if TYPE_CHECKING:
    from apps.diagnosis.engine.facts import CaseFacts

_ORDER: Final = ("waits", "artifact", "line")
_FALLING: Final = (True, False, False)


def fullest_dumps(facts: CaseFacts, setting: str, sort: pl.Expr) -> list[dict[str, Any]]:
    """By node: artifact, first line, moment and number of waits of its fullest dump; none where nobody shows the setting.

    sort: which shapes of waiters count. File by file, so that memory follows the dumps of one file and not of the case.
    """
    if not facts.scale_tables.settings.held(setting):
        return []
    wanted = facts.facts.frame(WaiterShape).filter(sort).select("artifact", "shape").unique()
    artifacts = set(wanted["artifact"].to_list())
    files: dict[int, list[pl.LazyFrame]] = defaultdict(list)
    for (source, _), part in zip(facts.facts.files(Waiter), facts.facts.parts(Waiter), strict=True):
        if source.artifact in artifacts:
            files[source.artifact].append(part)
    found = [_fullest(pl.concat(parts), wanted) for parts in files.values()]
    if not found:
        return []
    rows = facts.named(pl.concat(found).sort(_ORDER, descending=_FALLING))
    return list(rows.unique("node", keep="first", maintain_order=True).sort("node").iter_rows(named=True))


def _fullest(waiters: pl.LazyFrame, wanted: pl.DataFrame) -> pl.DataFrame:
    """Of one file, by spelling of the node."""
    return (
        waiters.filter(pl.col("node").is_not_null())
        .join(wanted.lazy(), on=["artifact", "shape"], how="semi")
        .group_by("artifact", "node", "at")
        .agg(pl.len().alias("waits"), pl.col("line").min())
        .sort(_ORDER, descending=_FALLING)
        .unique("node", keep="first", maintain_order=True)
        .collect()
    )
