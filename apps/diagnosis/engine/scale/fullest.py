"""The dump of each node in which most threads of some sort wait, held against a setting that limits their number."""

from __future__ import annotations

from itertools import groupby
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.scale.settings import Held, ScaleSettings
from parsers.dataclass import dataclass
from parsers.records.waits import Waiter, WaiterShape

_ORDER: Final = ("waits", "artifact", "line")
_FALLING: Final = (True, False, False)


@dataclass(frozen=True, slots=True)
class FullDump:
    """The fullest dump of a node, and the setting that limits it: how many threads it allows, and where it is shown."""

    node: str
    at: int | None
    waits: int
    ref: Ref
    allowed: float
    held: Held


class FullestDumps:
    """Fullest dumps of a case by the setting that they are held against."""

    def __init__(self, store: Facts, nodes: Nodes, settings: ScaleSettings) -> None:
        self._store = store
        self._nodes = nodes
        self._settings = settings

    def near(self, setting: str, sort: pl.Expr, share: float) -> list[FullDump]:
        """By node, in their order: the fullest dump, where its waits reach a share of what the setting allows there.

        sort: which shapes of waiters count. File by file, so that memory follows the dumps of one file and not of the
        case.
        """
        if not self._settings.held(setting):
            return []
        wanted = self._store.frame(WaiterShape).filter(sort).select("artifact", "shape").unique()
        artifacts = set(wanted["artifact"].to_list())
        own = [part for part in self._store.parts(Waiter) if part.artifacts & artifacts]
        found = [
            _fullest(pl.concat(part.rows for part in parts), wanted)
            for _, parts in groupby(own, key=lambda part: part.artifacts)
        ]
        if not found:
            return []
        rows = self._nodes.named(pl.concat(found).sort(_ORDER, descending=_FALLING)).unique(
            "node", keep="first", maintain_order=True
        )
        return [
            dump
            for row in rows.sort("node").iter_rows()
            if (dump := self._held(setting, *row)) and dump.waits >= share * dump.allowed
        ]

    def _held(self, setting: str, artifact: int, node: str, at: int | None, waits: int, line: int) -> FullDump | None:
        allowed, held = self._settings.number(setting, node), self._settings.of_node(setting, node)
        return FullDump(node, at, waits, Ref(artifact, line), allowed, held) if allowed and held is not None else None


def _fullest(waiters: pl.LazyFrame, wanted: pl.DataFrame) -> pl.DataFrame:
    """Of each file, by spelling of the node."""
    return (
        waiters.filter(pl.col("node").is_not_null())
        .join(wanted.lazy(), on=["artifact", "shape"], how="semi")
        .group_by("artifact", "node", "at")
        .agg(pl.len().alias("waits"), pl.col("line").min())
        .sort(_ORDER, descending=_FALLING)
        .unique("node", keep="first", maintain_order=True)
        .select("artifact", "node", "at", "waits", "line")
        .collect()
    )
