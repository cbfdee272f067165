"""Facts about a GFS2 cluster beside its glocks: lock spaces, log lines, tasks, mounts. Read once per question, small."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import polars as pl

from apps.diagnosis.engine.core.model import Ref
from parsers.records import Counter, Event, Member, Setting, Stack, Version

if TYPE_CHECKING:
    from apps.diagnosis.engine.facts import CaseFacts

PROCESS_LIST: Final = "process list"
JOURNAL_WAITS: Final = frozenset(("gfs2_log_flush", "gfs2_log_reserve", "__gfs2_log_reserve", "__gfs2_trans_begin", "gfs2_log_wait"))
SCHEDULER: Final = re.compile(
    r"_{0,2}(?:io_)?schedule|_{0,2}switch_to|bit_wait|_{0,2}wait_on_bit|out_of_line_wait|wait_for_completion|do_wait_for"
)
"""Functions in which whatever waits is found: they do not tell for what."""
_RELEASE = re.compile(r"(\d{1,3})\.(\d{1,4})(?:\.(\d{1,5}))?(?:-(\d{1,5}))?")


class LogLine(NamedTuple):
    """A line of a log that matters."""

    ref: Ref
    node: str | None
    at: int | None
    zone_min: int | None
    source: str
    kind: str
    about: str | None
    value: float | None
    text: str


class Group(NamedTuple):
    """A lock space, or a node, as one node sees it."""

    ref: Ref
    node: str | None
    at: int | None
    source: str
    group: str
    members: tuple[str, ...]
    state: str


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


class Value(NamedTuple):
    """A setting or a figure."""

    ref: Ref
    node: str | None
    scope: str | None
    source: str
    name: str
    value: str
    at: int | None


class Figure(NamedTuple):
    """A counter's value."""

    ref: Ref
    node: str | None
    scope: str | None
    name: str
    value: float
    interval_s: float | None
    at: int | None


def events(case: CaseFacts, *kinds: str) -> list[LogLine]:
    """Lines of these kinds, in the order of their times, those without a time in the order of the files."""
    if not case.facts.has(Event):
        return []
    rows = case.named(case.facts.scan(Event).filter(pl.col("kind").is_in(kinds)).collect()).sort("at", "artifact", "line", nulls_last=True)
    return [
        LogLine(
            Ref(r["artifact"], r["line"]), r["node"], r["at"], r["zone_min"], r["source"] or "", r["kind"], r["about"], r["value"],
            r["text"] or "",
        )
        for r in rows.iter_rows(named=True)
    ]  # fmt: skip


def groups(case: CaseFacts, *sources: str) -> list[Group]:
    """What tools say about groups, in artifact and line order; members by name where their ids are known."""
    if not case.facts.has(Member):
        return []
    rows = case.named(case.facts.scan(Member).filter(pl.col("source").is_in(sources)).collect()).sort("artifact", "line")
    return [
        Group(
            Ref(r["artifact"], r["line"]), r["node"], r["at"], r["source"], r["group"] or "",
            tuple(case.nodes.name(member) for member in (r["members"] or "").split()), r["state"] or "",
        )
        for r in rows.iter_rows(named=True)
    ]  # fmt: skip


def tasks(case: CaseFacts) -> list[Task]:
    """Tasks with a stack or a state; not the whole list of processes, which ``alive`` answers for."""
    if not case.facts.has(Stack):
        return []
    wanted = (pl.col("source") != PROCESS_LIST) | (pl.col("state") == "D")
    rows = case.named(case.facts.scan(Stack).filter(wanted).collect()).sort("artifact", "line")
    return [
        Task(
            Ref(r["artifact"], r["line"]), r["node"], r["at"], r["source"] or "", r["task"] or "", r["pid"], r["state"] or "", r["seconds"],
            tuple((r["frames"] or "").split()),
        )
        for r in rows.iter_rows(named=True)
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Alive:
    """Which processes the list of a node shows."""

    pids: frozenset[int]
    at: int | None
    ref: Ref


def alive(case: CaseFacts) -> dict[str, list[Alive]]:
    """Whole lists of processes by node, one per artifact."""
    if not case.facts.has(Stack):
        return {}
    rows = case.named(
        case.facts.scan(Stack).filter(pl.col("source") == PROCESS_LIST).select("artifact", "line", "node", "at", "pid").collect()
    )
    found: dict[str, list[Alive]] = defaultdict(list)
    for (node, artifact, at), part in rows.group_by("node", "artifact", "at", maintain_order=True):
        if node is not None:
            pids = frozenset(int(pid) for pid in part["pid"].drop_nulls())
            found[str(node)].append(Alive(pids, at if isinstance(at, int) else None, Ref(int(str(artifact)), int(part["line"].item(0)))))
    return dict(found)


def values(case: CaseFacts, names: Collection[str], sources: Sequence[str] = ()) -> list[Value]:
    """Settings by name, in artifact and line order."""
    if not case.facts.has(Setting):
        return []
    wanted = pl.col("name").is_in(list(names))
    if sources:
        wanted &= pl.col("source").is_in(list(sources))
    rows = case.settings.filter(wanted)
    return [
        Value(Ref(r["artifact"], r["line"]), r["node"], r["scope"], r["source"], r["name"], r["value"], r["at"])
        for r in rows.iter_rows(named=True)
    ]


def figures(case: CaseFacts, source: str, names: str) -> list[Figure]:
    """Counters of one source whose names match a pattern, in artifact and line order."""
    if not case.facts.has(Counter):
        return []
    wanted = (pl.col("source") == source) & pl.col("name").str.contains(names) & pl.col("value").is_not_null()
    rows = case.named(case.facts.scan(Counter).filter(wanted).collect()).sort("artifact", "line")
    return [
        Figure(Ref(r["artifact"], r["line"]), r["node"], r["scope"], r["name"], r["value"], r["interval_s"], r["at"])
        for r in rows.iter_rows(named=True)
    ]


def kernels(case: CaseFacts) -> list[tuple[tuple[int, int, int, int], str, Ref]]:
    """Kernel releases as numbers, each with its text."""
    if not case.facts.has(Version):
        return []
    rows = case.facts.scan(Version).filter(pl.col("product") == "kernel").select("artifact", "line", "version").collect()
    found = []
    for artifact, line, text in rows.iter_rows():
        if match := _RELEASE.match(text or ""):
            found.append(((int(match[1]), int(match[2]), int(match[3] or 0), int(match[4] or 0)), text, Ref(artifact, line)))
    return found


def run_times(case: CaseFacts) -> dict[int, int]:
    """When the files of a lock capture were taken, by artifact: the host's file of the same run says it, the dumps themselves do not."""
    if not case.facts.has(Setting):
        return {}
    wanted = (pl.col("source") == "hostinformation") & (pl.col("name") == "TIMESTAMP") & pl.col("at").is_not_null()
    rows = case.facts.scan(Setting).filter(wanted).select("artifact", "at").collect()
    folders = {case.facts.paths[artifact].rpartition("/")[0]: at for artifact, at in rows.iter_rows()}
    folders.pop("", None)
    found = {}
    for source in case.facts.sources:
        folder = source.path
        while folder and folder not in folders:
            folder = folder.rpartition("/")[0]
        if folder:
            found[source.artifact] = folders[folder]
    return found


def timed(case: CaseFacts, frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with the time of the run where a record has none of its own."""
    times = run_times(case) if frame.height else {}
    if not times:
        return frame
    return frame.with_columns(pl.coalesce("at", pl.col("artifact").replace_strict(times, default=None, return_dtype=pl.Int64)).alias("at"))


def short_fs(fs: str | None) -> str:
    """A file system without its cluster, for sentences."""
    return (fs or "").rsplit(":", 1)[-1] or "the file system"
