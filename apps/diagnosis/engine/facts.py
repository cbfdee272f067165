"""Facts of a case, computed once and shared by all rules."""

from __future__ import annotations

from functools import cached_property

import polars as pl

from apps.diagnosis.engine.core.case import Case
from apps.diagnosis.engine.core.nodes import Nodes
from apps.diagnosis.engine.core.records import Records
from apps.diagnosis.engine.core.runs import TimedRun, TimedRuns
from apps.diagnosis.engine.core.settings import Settings
from apps.diagnosis.engine.core.store import Facts
from apps.diagnosis.engine.gfs2.glocks import GlockFacts
from apps.diagnosis.engine.gfs2.profiles import Profile, Profiles


class CaseFacts(Case):
    """What the rules read that are not yet registered with what they need."""

    def __init__(self, facts: Facts) -> None:
        from apps.diagnosis.engine.products import PRODUCTS

        super().__init__(facts, PRODUCTS)
        self.facts = facts

    @cached_property
    def nodes(self) -> Nodes:
        """Resolver of node names."""
        return self.get(Nodes)

    @cached_property
    def records(self) -> Records:
        """The records by what they mean."""
        return self.get(Records)

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
    def glocks(self) -> GlockFacts:
        """Queues of GFS2 glocks over all captures and nodes."""
        return self.get(GlockFacts)

    @cached_property
    def profiles(self) -> tuple[Profile, ...]:
        """Profiles of the kernel, each once."""
        return self.get(Profiles).all

    @property
    def timed_runs(self) -> tuple[TimedRun, ...]:
        """Wall-clock times of commands, in artifact and line order."""
        return self.get(TimedRuns).all
