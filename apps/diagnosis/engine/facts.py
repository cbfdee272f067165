"""Facts of a case, computed once and shared by all rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.clocks import Offset, offsets, with_clock
from apps.diagnosis.engine.core.knowledge import limits
from apps.diagnosis.engine.core.model import LockRole, NodeName, Ref
from apps.diagnosis.engine.core.node_rows import alias_rows, heading_names
from apps.diagnosis.engine.core.nodes import Nodes
from apps.diagnosis.engine.core.records import Records
from apps.diagnosis.engine.core.shown_harm import ShownHarm
from apps.diagnosis.engine.core.store import Facts
from apps.diagnosis.engine.gfs2.glocks import GlockFacts
from apps.diagnosis.engine.gfs2.profiles import Profile, read_profiles
from apps.diagnosis.engine.scale.clock_pairs import pairs_of
from apps.diagnosis.engine.scale.shapes import ShapeTable
from apps.diagnosis.engine.scale.tables import ScaleTables
from apps.diagnosis.engine.scale.waits import ScaleWaits
from apps.diagnosis.engine.storage.copy_runs import CopyRun, copy_runs
from apps.diagnosis.engine.storage.disk_loads import DiskLoads
from apps.diagnosis.engine.veritas.cluster import ClusterFacts
from apps.diagnosis.engine.veritas.glm_waits import GlmWaits
from apps.diagnosis.engine.veritas.lock_roles import LazyState, Walk, lock_roles, speaks_of
from parsers.records import (
    CommandRun,
    Counter,
    DeadlockFact,
    DiskName,
    DlmLock,
    Event,
    GlmLock,
    Glock,
    GlockHolder,
    Link,
    Measurement,
    Member,
    PosixLock,
    Record,
    Section,
    Setting,
    Stack,
    Waiter,
)

LAZY: Final = "lazy_isize_enable"
AT_NEXT_MOUNT: Final = ("tunefstab", "fstab")
_WALKERS: Final = ("find", "ls", "du", "tar", "rsync", "stat")
_NODE_RECORDS: Final[tuple[type[Record], ...]] = (
    Section,
    Waiter,
    DeadlockFact,
    Counter,
    Setting,
    Measurement,
    CommandRun,
    Glock,
    GlockHolder,
    Event,
    Link,
    Member,
    GlmLock,
    DlmLock,
    PosixLock,
    Stack,
)


@dataclass(frozen=True, slots=True)
class TimedRun:
    """A command that was timed."""

    command: str
    seconds: float
    node: str | None
    at: int | None
    ref: Ref


class CaseFacts:
    """What the rules read."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    @cached_property
    def nodes(self) -> Nodes:
        """Resolver of node names."""
        seen: set[str] = set()
        for kind in _NODE_RECORDS:
            if self.facts.has(kind):
                seen.update(self.facts.scan(kind).select(pl.col("node").drop_nulls().unique()).collect()["node"].to_list())
        return Nodes(seen, alias_rows(self.facts), heading_names(self.facts))

    @cached_property
    def records(self) -> Records:
        """The records by what they mean."""
        return Records(self.facts, self.nodes)

    @cached_property
    def clock_offsets(self) -> tuple[Offset, ...]:
        """How far the clocks of the nodes stand apart."""
        return offsets(pairs_of(self))

    @cached_property
    def node_names(self) -> tuple[NodeName, ...]:
        """Nodes with their spellings and clocks."""
        found = {offset.node: offset for offset in self.clock_offsets}
        return tuple(with_clock(node, found.get(node.name)) for node in self.nodes.all())

    def named(self, frame: pl.DataFrame, column: str = "node") -> pl.DataFrame:
        """The frame with canonical node names."""
        spellings = frame[column].drop_nulls().unique().to_list()
        changed = {text: self.nodes.name(text) for text in spellings if self.nodes.name(text) != text}
        return frame.with_columns(pl.col(column).replace(changed)) if changed else frame

    @cached_property
    def settings(self) -> pl.DataFrame:
        """All settings in artifact and line order; what is said of a volume is said of its mount."""
        rows = self.named(self.facts.frame(Setting)).sort("artifact", "line")
        return rows.with_columns(pl.col("scope").replace(self.mount_of)) if self.mount_of else rows

    @cached_property
    def in_force(self) -> pl.DataFrame:
        """Settings that hold now: those of a table come into force at the next mount."""
        return self.settings.filter(~pl.col("source").is_in(AT_NEXT_MOUNT))

    @cached_property
    def mount_of(self) -> dict[str, str]:
        """Mounts by the device of their volume."""
        rows = self.facts.frame(DiskName).filter(pl.col("device").str.starts_with("/dev/vx/") & pl.col("fs").is_not_null())
        return dict(rows.select("device", "fs").iter_rows())

    @cached_property
    def lazy_states(self) -> tuple[LazyState, ...]:
        """lazy_isize_enable over time, in artifact and line order."""
        rows = self.in_force.filter(pl.col("name") == LAZY).select("artifact", "line", "at", "scope", "value")
        return tuple(
            LazyState(a, line, at, scope, value.strip() not in ("0", "off", "no")) for a, line, at, scope, value in rows.iter_rows()
        )

    def lazy_states_of(self, scope: str | None) -> list[LazyState]:
        """States seen on one mount, or on a mount that is not named."""
        return [state for state in self.lazy_states if state.scope in (None, scope)]

    @cached_property
    def walks(self) -> tuple[Walk, ...]:
        """Commands that walked a tree and printed how many files they met."""
        rows = (
            self.facts.frame(CommandRun).filter(pl.col("output_count").is_not_null()).select("artifact", "line", "command", "output_count")
        )
        return tuple(Walk(*row) for row in rows.iter_rows() if any(word in str(row[2]).split() for word in _WALKERS))

    @cached_property
    def curino(self) -> float | None:
        """Most inodes seen in an inode cache."""
        shown = (pl.col("name") == "vxi_icache_curino") & (pl.col("kind") == "gauge")
        rows = self.facts.scan(Counter).filter(shown).select(pl.col("value").max()).collect()
        value = rows.item() if rows.height else None
        return float(value) if value is not None else None

    @cached_property
    def lock_roles(self) -> tuple[LockRole, ...]:
        """Roles of the nodes, sample by sample of ``vxfsstat -s``."""
        if not self.facts.has(Counter):
            return ()
        counters = self.facts.scan(Counter).filter((pl.col("source") == "vxfsstat -s") & (pl.col("kind") == "delta")).collect()
        sections = self.facts.frame(Section)
        return lock_roles(self.named(counters), sections, self.lazy_states, self.walks, self.curino, limits("lock-roles"))

    @cached_property
    def shapes(self) -> ShapeTable:
        """Texts of Scale waiters, classified."""
        return ShapeTable(self.facts)

    @cached_property
    def glocks(self) -> GlockFacts:
        """Queues of GFS2 glocks over all captures and nodes."""
        return GlockFacts(self)

    @cached_property
    def scale(self) -> ScaleWaits:
        """Waiters of Spectrum Scale: spans, chains, kinds."""
        return ScaleWaits(self)

    @cached_property
    def scale_tables(self) -> ScaleTables:
        """Tables of Spectrum Scale: settings, disks, I/O histories, room."""
        return ScaleTables(self)

    @cached_property
    def veritas_cluster(self) -> ClusterFacts:
        """Captures, logs and members of LLT, GAB, VCS and GLM."""
        return ClusterFacts(self)

    @cached_property
    def glm_waits(self) -> GlmWaits:
        """Locks of the Group Lock Manager that nobody moved."""
        return GlmWaits(self)

    @cached_property
    def shown_harm(self) -> ShownHarm:
        """Who waited, and what took long."""
        return ShownHarm(self)

    @cached_property
    def profiles(self) -> tuple[Profile, ...]:
        """Profiles of the kernel, each once."""
        return read_profiles(self)

    @cached_property
    def copies(self) -> tuple[CopyRun, ...]:
        """Runs of dd with what they wrote to."""
        return copy_runs(self)

    @cached_property
    def disks(self) -> DiskLoads:
        """How disks answered over time."""
        return DiskLoads(self)

    @cached_property
    def timed_runs(self) -> tuple[TimedRun, ...]:
        """Wall-clock times of commands, in artifact and line order."""
        return tuple(self._timed())

    def _timed(self) -> Iterator[TimedRun]:
        rows = self.named(self.facts.frame(Measurement)).filter(
            (pl.col("tool") == "time") & (pl.col("what") == "real") & pl.col("value").is_not_null()
        )
        for row in rows.sort("artifact", "line").iter_rows(named=True):
            yield TimedRun(
                " ".join((row["command"] or "").split()), row["value"], row["node"], row["at"], Ref(row["artifact"], row["line"])
            )

    def timed_runs_on(self, scope: str | None) -> list[TimedRun]:
        """Timed commands that name the mount; all of them where no mount is known."""
        return [run for run in self.timed_runs if scope is None or speaks_of(run.command, scope)]
