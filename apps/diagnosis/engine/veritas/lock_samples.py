"""Lock samples of a case: what each node did, with the states of lazy_isize_enable and the walks that explain it."""

from __future__ import annotations

from functools import cached_property
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.core.model import LockRole
from apps.diagnosis.engine.core.words.knowledge import limits
from apps.diagnosis.engine.veritas.lock_roles import COUNTERS, LazyState, Walk, lock_roles
from parsers.records import CommandRun, Counter, Section

LAZY: Final = "lazy_isize_enable"
OFF: Final = ("0", "off", "no")
WALKERS: Final = ("find", "ls", "du", "tar", "rsync", "stat")
CACHED: Final = "vxi_icache_curino"
NOT_LIMITED: Final = "recycle age not limited by maximum"
CACHE_LEVELS: Final = (
    "vxi_icache_maxino", "vxi_icache_peakino", CACHED, "vxi_icache_recycleage", "inodes maximum", "inodes peak",
    "inodes current",
    "recycle age", NOT_LIMITED,
)  # fmt: skip


class LazyStates:
    """lazy_isize_enable over time."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @cached_property
    def all(self) -> tuple[LazyState, ...]:
        """In artifact and line order."""
        rows = self._settings.in_force.filter(pl.col("name") == LAZY).select("artifact", "line", "at", "scope", "value")
        return tuple(
            LazyState(a, line, at, scope, value.strip() not in OFF) for a, line, at, scope, value in rows.iter_rows()
        )

    def of(self, scope: str | None) -> list[LazyState]:
        """States seen on one mount, or on a mount that is not named."""
        return [state for state in self.all if state.scope in (None, scope)]


class Walks:
    """Commands that walked a tree and printed how many files they met."""

    def __init__(self, records: Records) -> None:
        self._records = records

    @cached_property
    def all(self) -> tuple[Walk, ...]:
        """In artifact and line order."""
        counted = self._records.of(CommandRun, pl.col("output_count").is_not_null())
        return tuple(
            Walk(run.artifact, run.line, run.command, run.output_count or 0)
            for run in counted
            if any(word in run.command.split() for word in WALKERS)
        )

    @cached_property
    def most_cached(self) -> float | None:
        """Most inodes seen in an inode cache."""
        rows = self._records.scan(Counter).filter((pl.col("name") == CACHED) & (pl.col("kind") == "gauge"))
        value = rows.select(pl.col("value").max()).collect().item()
        return float(value) if value is not None else None


class LockRoles:
    """Roles of the nodes, sample by sample of ``vxfsstat -s``."""

    def __init__(self, records: Records, lazy: LazyStates, walks: Walks) -> None:
        self._records = records
        self._lazy = lazy
        self._walks = walks

    @cached_property
    def all(self) -> tuple[LockRole, ...]:
        """In time order."""
        if not self._records.has(Counter):
            return ()
        counters = self._records.frame(Counter, pl.col("name").is_in(list(COUNTERS)), pl.col("kind") == "delta")
        sections = self._records.frame(Section, pl.col("format").str.starts_with("vxfsstat"))
        return lock_roles(
            counters, sections, self._lazy.all, self._walks.all, self._walks.most_cached, limits("lock-roles")
        )
