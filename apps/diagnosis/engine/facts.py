"""Facts of a case, computed once and shared by all rules."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final, TypeVar

import polars as pl

from apps.diagnosis.engine.core.case import Case
from apps.diagnosis.engine.core.clocks import Offset
from apps.diagnosis.engine.core.knowledge import limits
from apps.diagnosis.engine.core.model import LockRole
from apps.diagnosis.engine.core.node_clocks import Clocks
from apps.diagnosis.engine.core.nodes import Nodes
from apps.diagnosis.engine.core.records import Records
from apps.diagnosis.engine.core.runs import TimedRun, TimedRuns
from apps.diagnosis.engine.core.settings import Settings
from apps.diagnosis.engine.core.store import Facts
from apps.diagnosis.engine.gfs2.glocks import GlockFacts
from apps.diagnosis.engine.gfs2.profiles import Profile, Profiles
from apps.diagnosis.engine.scale.shapes import ShapeTable
from apps.diagnosis.engine.scale.tables import ScaleTables
from apps.diagnosis.engine.scale.waits import ScaleWaits
from apps.diagnosis.engine.storage.copy_runs import CopyRun, copy_runs
from apps.diagnosis.engine.storage.disk_loads import DiskLoads
from apps.diagnosis.engine.veritas.cluster import ClusterFacts
from apps.diagnosis.engine.veritas.glm_waits import GlmWaits
from apps.diagnosis.engine.veritas.lock_roles import LazyState, Walk, lock_roles
from parsers.records import CommandRun, Counter, Section

F = TypeVar("F")
LAZY: Final = "lazy_isize_enable"
_WALKERS: Final = ("find", "ls", "du", "tar", "rsync", "stat")


class CaseFacts(Case):
    """What the rules read that are not yet registered with what they need."""

    def __init__(self, facts: Facts) -> None:
        from apps.diagnosis.engine.products import PRODUCTS

        super().__init__(facts, PRODUCTS)
        self.facts = facts

    def get(self, kind: type[F]) -> F:
        """Facts that still take the whole case are attributes of it."""
        name = _ATTRIBUTES.get(kind)
        found: F = getattr(self, name) if name else super().get(kind)
        return found

    @cached_property
    def nodes(self) -> Nodes:
        """Resolver of node names."""
        return self.get(Nodes)

    @cached_property
    def records(self) -> Records:
        """The records by what they mean."""
        return self.get(Records)

    @cached_property
    def clock_offsets(self) -> tuple[Offset, ...]:
        """How far the clocks of the nodes stand apart."""
        return self.get(Clocks).offsets

    def named(self, frame: pl.DataFrame, column: str = "node") -> pl.DataFrame:
        """The frame with canonical node names."""
        return self.nodes.named(frame, column)

    @cached_property
    def settings(self) -> pl.DataFrame:
        """All settings in artifact and line order."""
        return self.get(Settings).all

    @cached_property
    def in_force(self) -> pl.DataFrame:
        """Settings that hold now."""
        return self.get(Settings).in_force

    @cached_property
    def mount_of(self) -> dict[str, str]:
        """Mounts by the device of their volume."""
        return self.get(Settings).mount_of

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
        return self.get(GlockFacts)

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
    def profiles(self) -> tuple[Profile, ...]:
        """Profiles of the kernel, each once."""
        return self.get(Profiles).all

    @cached_property
    def copies(self) -> tuple[CopyRun, ...]:
        """Runs of dd with what they wrote to."""
        return copy_runs(self)

    @cached_property
    def disks(self) -> DiskLoads:
        """How disks answered over time."""
        return DiskLoads(self)

    @property
    def timed_runs(self) -> tuple[TimedRun, ...]:
        """Wall-clock times of commands, in artifact and line order."""
        return self.get(TimedRuns).all

    def timed_runs_on(self, scope: str | None) -> list[TimedRun]:
        """Timed commands that name the mount; all of them where no mount is known."""
        return self.get(TimedRuns).on(scope)


_ATTRIBUTES: Final[dict[type[Any], str]] = {
    ShapeTable: "shapes", ScaleWaits: "scale", ScaleTables: "scale_tables", ClusterFacts: "veritas_cluster",
    GlmWaits: "glm_waits", DiskLoads: "disks",
}  # fmt: skip
