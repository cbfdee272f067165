"""Facts about a GFS2 cluster beside its glocks: lock spaces, log lines, tasks, mounts. Read once per
question, small.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection
from functools import cached_property
from typing import Final, NamedTuple

import polars as pl

from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.records import Records, groups
from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.metrics import Meaning, setting, stack
from parsers.dataclass import dataclass
from parsers.records import Setting, Version
from parsers.records.states import GroupStanding, Membership
from parsers.records.waits import Stack

PROCESSES: Final = stack("process-list")
CAPTURE_TIME: Final = setting("capture-time")
JOURNAL_WAITS: Final = frozenset(
    ("gfs2_log_flush", "gfs2_log_reserve", "__gfs2_log_reserve", "__gfs2_trans_begin", "gfs2_log_wait")
)
SCHEDULER: Final = re.compile(
    r"_{0,2}(?:io_)?schedule|_{0,2}switch_to|bit_wait|_{0,2}wait_on_bit|out_of_line_wait"
    r"|wait_for_completion|do_wait_for"
)
"""Functions in which whatever waits is found: they do not tell for what."""
_GROUP_SORT = re.compile(r"^(?:dlm|gfs2?|DLM Lock Space|GFS Mount Group) ")
_RELEASE = re.compile(r"(\d{1,3})\.(\d{1,4})(?:\.(\d{1,5}))?(?:-(\d{1,5}))?")


class Space(NamedTuple):
    """A lock space as one node sees it."""

    ref: Ref
    node: str | None
    name: str
    members: tuple[str, ...]
    standing: GroupStanding
    waits_for: str | None


class Task(NamedTuple):
    """A task with its state and stack, innermost frame first."""

    ref: Ref
    node: str | None
    at: int | None
    source: str
    name: str
    pid: int | None
    state: str
    seconds: float | None
    frames: tuple[str, ...]


class Figure(NamedTuple):
    """A counter's value."""

    ref: Ref
    node: str | None
    scope: str | None
    name: str
    value: float
    interval_s: float | None
    at: int | None


@dataclass(frozen=True, slots=True)
class Alive:
    """Which processes the list of a node shows."""

    pids: frozenset[int]
    at: int | None
    ref: Ref


class Cluster:
    """What tools of the cluster and of its hosts show beside the glocks."""

    def __init__(self, store: Facts, nodes: Nodes, records: Records, settings: Settings) -> None:
        self._store = store
        self._nodes = nodes
        self._records = records
        self._settings = settings

    def lock_spaces(self) -> list[Space]:
        """Lock spaces in artifact and line order; members by name where their ids are known."""
        return [
            Space(
                one.ref,
                one.node,
                one.group or "",
                tuple(self._nodes.name(member) for member in one.members.split()),
                one.standing,
                one.waits_for,
            )
            for one in self._records.of(Membership)
            if one.sort == "lock space"
        ]

    def failed_groups(self) -> list[Space]:
        """Lock spaces and mounts of the older cluster tools that stand still; the fence domain itself is none."""
        return [
            Space(one.ref, one.node, _GROUP_SORT.sub("", one.group or ""), (), one.standing, one.waits_for)
            for one in self._records.of(Membership)
            if one.sort == "daemon group" and one.waits_for and not (one.group or "").lower().startswith("fence")
        ]

    @cached_property
    def tasks(self) -> list[Task]:
        """Tasks with a stack or a state; not the whole list of processes, which ``alive`` answers for."""
        return [
            Task(
                one.ref,
                one.node,
                one.at,
                one.source,
                one.task or "",
                one.pid,
                one.state or "",
                one.seconds,
                tuple(one.frames.split()),
            )
            for one in self._records.of(Stack, ~PROCESSES.rows | (pl.col("state") == "D"))
        ]

    @cached_property
    def alive(self) -> dict[str, list[Alive]]:
        """Whole lists of processes by node, one per artifact."""
        rows = self._records.frame(PROCESSES).select("artifact", "line", "node", "at", "pid")
        found: dict[str, list[Alive]] = defaultdict(list)
        for (node, artifact, at), part in groups(rows, "node", "artifact", "at"):
            if node is not None:
                pids = frozenset(part["pid"].drop_nulls())
                found[node].append(Alive(pids, at, Ref(artifact, part["line"].item(0))))
        return dict(found)

    def values(self, names: Collection[str], of: Meaning | None = None) -> tuple[Setting, ...]:
        """Settings by name, of one meaning or of any, in artifact and line order."""
        if not self._records.has_any(Setting, "name", names):
            return ()
        return self._settings.shown(of, pl.col("name").is_in(list(names)))

    def figures(self, metric: Meaning) -> list[Figure]:
        """Counters of one meaning, in artifact and line order."""
        return [
            Figure(one.ref, one.node, one.scope, one.name, value, one.interval_s, one.at)
            for one, value in self._records.counted(metric)
        ]

    @cached_property
    def kernels(self) -> list[tuple[tuple[int, int, int, int], str, Ref]]:
        """Kernel releases as numbers, each with its text."""
        found = []
        for one in self._records.of(Version):
            if one.product == "kernel" and (match := _RELEASE.match(one.version)):
                release = (int(match[1]), int(match[2]), int(match[3] or 0), int(match[4] or 0))
                found.append((release, one.version, one.ref))
        return found

    @cached_property
    def run_times(self) -> dict[int, int]:
        """When the files of a lock capture were taken, by artifact: the host's file of the same run says it, the dumps
        do not.
        """
        wanted = CAPTURE_TIME.rows & pl.col("at").is_not_null()
        rows = self._store.scan(Setting).filter(wanted).select("artifact", "at").collect()
        folders = {self._store.paths[artifact].rpartition("/")[0]: at for artifact, at in rows.iter_rows()}
        folders.pop("", None)
        found = {}
        for source in self._store.sources:
            folder = source.path
            while folder and folder not in folders:
                folder = folder.rpartition("/")[0]
            if folder:
                found[source.artifact] = folders[folder]
        return found

    def timed(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The frame with the time of the run where a record has none of its own."""
        times = self.run_times if frame.height else {}
        if not times:
            return frame
        known = pl.col("artifact").replace_strict(times, default=None, return_dtype=pl.Int64)
        return frame.with_columns(pl.coalesce("at", known).alias("at"))


def short_fs(fs: str | None) -> str:
    """A file system without its cluster, for sentences."""
    return (fs or "").rsplit(":", 1)[-1] or "the file system"
