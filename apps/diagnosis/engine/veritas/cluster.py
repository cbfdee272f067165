"""What the rules on LLT, GAB, VCS and GLM share: captures of counters and what grew between them, logs, members, links,
measured harm.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cached_property
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any, Final, NamedTuple, TypeVar

import polars as pl

from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.facts.runs import TimedRun, TimedRuns, slowed
from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.core.model import LockRole, Ref, comparable
from apps.diagnosis.engine.core.words.knowledge import limits
from apps.diagnosis.engine.core.words.metrics import Meaning, log, metric
from apps.diagnosis.engine.veritas.files import VeritasFiles
from apps.diagnosis.engine.veritas.lock_samples import LockRoles
from parsers.dataclass import dataclass
from parsers.records import DAY_US, CommandRun, Event, NodeAlias, Problem, Section, Setting
from parsers.records.locks import GlmLock
from parsers.records.states import HeartbeatLink, Manager, Membership
from parsers.sections.reader import CUTS

STORMS: Final = ("puller", "ping_pong", "victim")
SLACK_US: Final = 15_000_000  # clocks of two nodes
MOST_ROWS: Final = 400_000
MOST_EVENTS: Final = 100_000
LOGS: Final = log("veritas-cluster")
INTERCONNECT: Final = log("interconnect")
MESSAGES: Final = log("messages")
LOAD: Final = metric("host-load")
CRASHES: Final = ("panic", "panic-in-module", "kernel-oops", "hard-lockup")
"""Kinds of lines that a kernel logs as it goes."""
GAB_FLOW: Final = metric("gab-flow-control")
STARVED_KINDS: Final = (
    "out-of-memory", "oom-killed", "oom-deadlock", "daemon-killed-for-memory", "soft-lockup", "page-allocation-failure",
)  # fmt: skip
"""Messages of a kernel that lacks memory or processor time."""
OTHER_KINDS: Final = (
    *STARVED_KINDS,
    "reservation-conflict",
    "disk-group-import-fenced",
    "io-error",
    "buffer-error",
)
_COUNTED: Final = ("artifact", "sample", "node", "scope", "at", "zone_min", "interval_s", "line", "name", "value")
_LOGGED: Final = ("artifact", "line", "node", "at", "zone_min", "kind", "about", "value")
_OF_MEMBERS: Final = pl.when(pl.col("kind") == "port-membership").then(pl.col("text"))
_ALIKE: Final = 4  # counters by which two texts are readings of one node
Source = tuple[str | None, str | None]


class Logged(NamedTuple):
    """A line of a log that matters to the cluster. ``interconnect``: of LLT or GAB, ``message``: of the cluster or the
    kernel, ``members``: the line of a membership of GAB.
    """

    artifact: int
    line: int
    node: str | None
    at: int | None
    zone_min: int | None
    kind: str
    about: str | None
    value: float | None
    interconnect: bool
    message: bool
    members: str | None

    @property
    def ref(self) -> Ref:
        """Where it stands."""
        return Ref(self.artifact, self.line)


@dataclass(frozen=True, slots=True)
class Capture:
    """One reading of a tool on a node: its values by name, each with its line."""

    node: str | None
    scope: str | None
    at: int | None
    zone_min: int | None
    artifact: int
    sample: int
    interval_s: float | None
    values: dict[str, tuple[float, int]]

    def get(self, name: str) -> float | None:
        """A value; None where the reading does not show it."""
        return self.values[name][0] if name in self.values else None

    def refs(self, *names: str) -> tuple[Ref, ...]:
        """Lines of some values, each once."""
        return tuple(dict.fromkeys(Ref(self.artifact, self.values[name][1]) for name in names if name in self.values))

    def since(self, earlier: Capture, name: str) -> float | None:
        """By how much a counter grew; None where a reading lacks it or the counter was reset."""
        now, was = self.get(name), earlier.get(name)
        return now - was if now is not None and was is not None and now >= was else None


@dataclass(frozen=True, slots=True)
class Harm:
    """Whether anybody was slowed: storms of locks that last, and commands that took far longer than their
    fastest run.
    """

    measured: bool
    runs: tuple[TimedRun, ...]
    intervals: tuple[tuple[int, int], ...]

    def overlaps(self, start: int | None, end: int | None = None) -> bool:
        """Whether a moment or a time lies in a slow window; unknown times do not."""
        if start is None:
            return False
        last = end if end is not None else start
        return any(
            comparable(begin, start) and start <= stop + SLACK_US and last + SLACK_US >= begin
            for begin, stop in self.intervals
        )


Worked = TypeVar("Worked")


class ClusterFacts:
    """Facts of the cluster stack of one case."""

    def __init__(
        self, records: Records, nodes: Nodes, settings: Settings, runs: TimedRuns, roles: LockRoles, files: VeritasFiles
    ) -> None:
        self._records = records
        self._nodes = nodes
        self._settings = settings
        self._runs = runs
        self._roles = roles
        self._files = files
        self._worked_out: dict[Hashable, Any] = {}

    def once(self, work: Callable[[ClusterFacts], Worked]) -> Worked:
        """What a function makes of these facts, worked out at the first call: many rules ask node by node."""
        return self._once(work, lambda: work(self))

    def _once(self, key: Hashable, work: Callable[[], Worked]) -> Worked:
        if key not in self._worked_out:
            self._worked_out[key] = work()
        found: Worked = self._worked_out[key]
        return found

    @property
    def applies(self) -> bool:
        """Whether the case holds records of a Veritas format: the commands of the system alone are none."""
        return self._files.are_read

    def name(self, spelling: str) -> str:
        """Canonical name of a node."""
        return self._nodes.name(spelling)

    def captures(
        self, metric: Meaning, names: Sequence[str] = (), per_scope: bool = True
    ) -> dict[Source, list[Capture]]:
        """Readings of counters by node and scope, the earliest first. ``names``: only these values, where there are
        many.
        """
        key = (metric, tuple(names), per_scope)
        return self._once(key, lambda: self._captures(metric, names, per_scope))

    def _captures(self, metric: Meaning, names: Sequence[str], per_scope: bool) -> dict[Source, list[Capture]]:
        if not self._records.has(metric):
            return {}
        wanted = pl.col("name").is_in(names) & pl.col("value").is_not_null() if names else pl.col("value").is_not_null()
        rows = self._records.scan(metric).filter(wanted).select(_COUNTED).head(MOST_ROWS).collect()
        found: dict[Source, list[Capture]] = defaultdict(list)
        for key, group in groupby(rows.sort("artifact", "line").iter_rows(), key=itemgetter(0, 1, 2, 3)):
            values = list(group)
            artifact, sample, node, scope = key
            by_name = {row[8]: (row[9], row[7]) for row in values}
            at, zone_min, interval_s = values[0][4:7]
            found[node, scope if per_scope else None].append(
                Capture(node, scope, at, zone_min, artifact, sample, interval_s, by_name)
            )
        return {source: _in_time(captures) for source, captures in found.items()}

    @cached_property
    def events(self) -> list[Logged]:
        """Events of logs in artifact and line order; of a flood the first ones."""
        if not self._records.has(LOGS) and not self._records.has_any(Event, "kind", OTHER_KINDS):
            return []
        wanted = LOGS.rows | pl.col("kind").is_in(OTHER_KINDS)
        logged = (
            self._records.scan(Event)
            .filter(wanted)
            .select(*_LOGGED, interconnect=INTERCONNECT.rows, message=MESSAGES.rows, members=_OF_MEMBERS)
        )
        rows = logged.head(MOST_EVENTS).collect()
        return [Logged(*row) for row in rows.sort("artifact", "line").iter_rows()]

    def logged(self, *kinds: str) -> list[Logged]:
        """Events of some kinds."""
        return self._once(kinds, lambda: [row for row in self.events if row.kind in kinds])

    @cached_property
    def ports(self) -> list[Membership]:
        """Rows of tables of all GAB ports, in artifact and line order; one without a port says that GAB does
        not run.
        """
        ports = (one for one in self._records.of(Membership) if one.sort == "port")
        return [one for one in ports if one.generation is not None or one.group is None]

    @cached_property
    def masters(self) -> tuple[Manager, ...]:
        """What is said of the master of the volume manager, in artifact and line order."""
        of_volumes = (pl.col("role") == "volume master") & (pl.col("manager") != "")
        return self._records.of(Manager, of_volumes)

    @cached_property
    def links(self) -> tuple[HeartbeatLink, ...]:
        """Links of LLT in artifact and line order."""
        return self._records.of(HeartbeatLink, pl.col("peer").is_not_null() & (pl.col("protocol") == "llt"))

    @cached_property
    def glm(self) -> list[GlmLock]:
        """Rows of glmdump in artifact and line order."""
        rows = self._records.frame(GlmLock, pl.col("object").is_not_null())
        named = self._nodes.named(self._nodes.named(rows, "holder"), "waiter")
        return [GlmLock(**row) for row in named.iter_rows(named=True)]

    @cached_property
    def settings(self) -> tuple[Setting, ...]:
        """Settings in artifact and line order."""
        return self._settings.shown()

    def set_as(self, setting: Meaning) -> tuple[Setting, ...]:
        """Settings of one meaning."""
        return self._once(setting, lambda: self._settings.shown(setting))

    @cached_property
    def commands(self) -> tuple[CommandRun, ...]:
        """Commands at prompts in artifact and line order."""
        return self._records.of(CommandRun)

    @cached_property
    def host_ids(self) -> dict[str, str]:
        """Names by node id, as tables state them."""
        rows = self._records.frame(NodeAlias, pl.col("kind") == "id")
        return dict(rows.select("alias", "node").iter_rows())

    @cached_property
    def storms(self) -> list[LockRole]:
        """Samples in which inodes change their owner at a high rate."""
        return [role for role in self._roles.all if role.role in STORMS]

    @cached_property
    def harm(self) -> Harm:
        """What was slowed, and when."""
        runs = slowed(self._runs.all)
        intervals = [(role.at - round(role.interval_s * 1e6), role.at) for role in self.storms if role.at is not None]
        intervals += [(run.at, run.at + round(run.seconds * 1e6)) for run in runs if run.at is not None]
        return Harm(bool(runs) or _lasting(self._roles.all), tuple(runs), tuple(intervals))

    @cached_property
    def harm_by_storms(self) -> Harm:
        """The windows of lock storms alone."""
        intervals = tuple(
            (role.at - round(role.interval_s * 1e6), role.at) for role in self.storms if role.at is not None
        )
        return Harm(_lasting(self._roles.all), (), intervals)

    @cached_property
    def _sections_of_ports(self) -> pl.DataFrame:
        """Of texts with ports of GAB alone: beside them a case may hold a section for each of a million dumps."""
        return self._records.frame(Section, pl.col("artifact").is_in({row.artifact for row in self.ports}))

    @cached_property
    def whole_sections(self) -> set[tuple[int, int]]:
        """First lines of sections of texts with ports of GAB whose command has no filter, and in which the text does
        not end: what they do not show is not there.
        """
        rows = self._sections_of_ports.select("artifact", "line", "last_line", "command")
        cut = dict(self._records.frame(Problem, pl.col("message").is_in(CUTS)).select("artifact", "line").iter_rows())
        return {
            (artifact, line)
            for artifact, line, last, command in rows.iter_rows()
            if "|" not in (command or "") and not (artifact in cut and last >= cut[artifact] - 1)
        }

    @cached_property
    def section_starts(self) -> dict[int, list[tuple[int, int]]]:
        """First and last lines of sections by artifact, of those with ports of GAB."""
        found: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for artifact, first, last in self._sections_of_ports.select("artifact", "line", "last_line").iter_rows():
            found[artifact].append((first, last))
        return found

    def section_of(self, artifact: int, line: int) -> int | None:
        """First line of the section that a line stands in."""
        spans = self.section_starts.get(artifact, [])
        place = bisect_right(spans, line, key=itemgetter(0)) - 1
        return spans[place][0] if place >= 0 and line <= spans[place][1] else None


def _in_time(captures: list[Capture]) -> list[Capture]:
    if all(capture.at is not None for capture in captures):
        return sorted(captures, key=lambda one: (one.at or 0, one.artifact, one.sample))
    by_place = sorted(captures, key=lambda one: (one.artifact, one.sample))
    by_size = sorted(by_place, key=lambda one: sum(value for value, _ in one.values.values()))
    return by_size if all(_grew(was, now) for was, now in pairwise(by_size)) else by_place


def _grew(earlier: Capture, later: Capture) -> bool:
    """Whether counters of one node without a time tell which reading is the later one: none fell, and some grew."""
    if earlier.values.keys() != later.values.keys():
        return False
    grown = [later.values[name][0] - value for name, (value, _) in earlier.values.items()]
    return min(grown, default=0.0) >= 0 and sum(one > 0 for one in grown) >= _ALIKE


def steps(captures: Sequence[Capture]) -> Iterator[tuple[Capture, Capture]]:
    """Readings that follow each other on one node. Where the node is not named, those of one text, or of two texts
    whose counters can only be those of one node.
    """
    for earlier, later in pairwise(captures):
        if later.node is not None or earlier.artifact == later.artifact or _goes_on(earlier, later):
            yield earlier, later


def _goes_on(earlier: Capture, later: Capture) -> bool:
    """Whether the later of two dated readings counts on from the earlier one: none fell, and none but small ones grew
    much.
    """
    if earlier.at is None or later.at is None or earlier.at >= later.at or earlier.values.keys() != later.values.keys():
        return False
    pairs = [(value, later.values[name][0]) for name, (value, _) in earlier.values.items() if value]
    if len(pairs) < _ALIKE or any(was > now for was, now in pairs):
        return False
    return sum(now <= 1.25 * was for was, now in pairs) >= max(_ALIKE, len(pairs) // 2)


def _lasting(roles: Sequence[LockRole]) -> bool:
    """Whether a node had so many samples in a row at the rate that is harm by itself."""
    ladder = limits("ladder")
    in_row: dict[tuple[str | None, str | None], int] = defaultdict(int)
    longest = 0
    for role in roles:
        key = (role.node, role.scope)
        fast = (
            role.role in STORMS
            and max(role.per_s.get("pull", 0.0), role.per_s.get("h_revoke", 0.0)) >= ladder.storm_per_s
        )
        in_row[key] = in_row[key] + 1 if fast else 0
        longest = max(longest, in_row[key])
    return longest >= ladder.storm_samples


def unwrapped(rows: Sequence[Logged]) -> list[float]:
    """Seconds of events in the order of their text: a time of day that goes back by half a day is on the next day."""
    days, last, found = 0, None, []
    for row in rows:
        at = row.at if row.at is not None else last
        if at is None:
            found.append(0.0)
            continue
        if at < DAY_US and last is not None and last < DAY_US and last - at > DAY_US // 2:
            days += 1
        last = at
        found.append((at + (days * DAY_US if at < DAY_US else 0)) / 1e6)
    return found


def most_within(seconds: Sequence[float], span_s: float) -> int:
    """Most events in any stretch of so many seconds."""
    times, first, most = sorted(seconds), 0, 0
    for last, time in enumerate(times):
        while time - times[first] > span_s:
            first += 1
        most = max(most, last - first + 1)
    return most
