"""Settings of a case: what tools show, what is in force, and what comes into force at the next mount."""

from __future__ import annotations

from functools import cache, cached_property
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.records import cells, in_order, of_meaning
from apps.diagnosis.engine.core.facts.store import FEW_ROWS, NONE, Facts
from apps.diagnosis.engine.core.words.metrics import Meaning, holds, lists_nodes
from parsers.records import DiskName, Setting

VOLUMES: Final = "/dev/vx/"
"""Devices of volumes that hold a file system whole: what is set on the volume is set on its mount."""


@cache
def _no_settings() -> pl.DataFrame:
    return NONE[Setting].with_columns(holds=holds(), lists_nodes=lists_nodes())


class Settings:
    """All settings with canonical nodes."""

    def __init__(self, store: Facts, nodes: Nodes) -> None:
        self._store = store
        self._nodes = nodes

    @cached_property
    def all(self) -> pl.DataFrame:
        """In artifact and line order; what is said of a volume is said of its mount.

        ``holds``: when it is in force (``metrics.HOLDS``); ``lists_nodes``: its scope is a list of nodes or a class of
        them.
        """
        if not self._store.has(Setting):
            return _no_settings()
        rows = in_order(self._nodes.named(self._store.frame(Setting)))
        rows = rows.with_columns(holds=holds(), lists_nodes=lists_nodes())
        return rows.with_columns(pl.col("scope").replace(self.mount_of)) if self.mount_of else rows

    @cached_property
    def in_force(self) -> pl.DataFrame:
        """Settings that hold now: those of a table come into force at the next mount."""
        return self.all.filter(pl.col("holds") != "next mount") if self.all.height else self.all

    def of(self, meaning: Meaning) -> pl.DataFrame:
        """Settings of one meaning, in force or not."""
        if not self._may_hold(meaning):
            return self._none
        return of_meaning(self.all, meaning) if self.all.height <= FEW_ROWS else self.all.filter(meaning.rows)

    @cached_property
    def _none(self) -> pl.DataFrame:
        return self.all.clear()

    def _may_hold(self, meaning: Meaning) -> bool:
        present = self._store.values_present(Setting, *meaning.columns)
        return present is None or meaning.is_among(present)

    def shown(self, meaning: Meaning | None = None, *where: pl.Expr) -> tuple[Setting, ...]:
        """As objects, in the order of the text: those of one meaning, or all, that meet all conditions."""
        rows, names = self.all if meaning is None else self.of(meaning), ("artifact", *Setting.columns())
        if rows.is_empty():
            return ()
        rows = rows.filter(*where) if where else rows
        return tuple(Setting(**dict(zip(names, values, strict=True))) for values in cells(rows, *names))

    @cached_property
    def mount_of(self) -> dict[str, str]:
        """Mounts by the device of their volume."""
        named = pl.col("device").str.starts_with(VOLUMES) & pl.col("fs").is_not_null()
        rows = in_order(self._store.frame(DiskName), named)
        return dict(rows.select("device", "fs").iter_rows())
