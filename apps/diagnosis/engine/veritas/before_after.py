"""What a change brought: the same sort of lock traffic on one mount before and after a tunable was seen to change.

A case is cut into periods at each change of a value (``vxtunefs``, ``lltconfig``). Timed commands belong to the sample
of their period whose forecast they fit best; what fits none is no part of a storm. Times of commands decide; where one
side has none, the counters' rate.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import field
from functools import cached_property
from typing import Final, Literal, get_args

import polars as pl

from apps.diagnosis.engine.core.facts.records import in_order
from apps.diagnosis.engine.core.facts.runs import TimedRun, TimedRuns
from apps.diagnosis.engine.core.facts.setting_history import plain
from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.core.model import LockRole, Ref, comparable
from apps.diagnosis.engine.core.words.knowledge import limits
from apps.diagnosis.engine.core.words.metrics import setting
from apps.diagnosis.engine.core.words.sentences import render, sentence
from apps.diagnosis.engine.veritas.lock_mounts import Mount
from parsers.dataclass import dataclass
from parsers.records import DAY_US

Sort = Literal["first access", "pull", "ping-pong"]
Verdict = Literal["better", "same", "worse"]
Clock = Literal["none", "date", "time of day"]
CLOCKS: Final[tuple[Clock, ...]] = get_args(Clock)
TUNED: Final = setting("tuned-by-hand")


@sentence("lock-traffic")
@dataclass(frozen=True, slots=True)
class SortWords:
    """A sort of traffic as it stands in a sentence."""

    sort: Sort


@sentence("changed-value")
@dataclass(frozen=True, slots=True)
class ChangedWords:
    """A tunable and its two values."""

    name: str
    before: str
    after: str


@sentence("change-effect")
@dataclass(frozen=True, slots=True)
class EffectWords:
    """was, now: seconds where commands were timed, else inodes per second; factor: by how much, above 1."""

    done: tuple[str, ...]
    noun: str
    by: Literal["time", "rate"]
    was: float
    now: float
    outcome: Literal["faster", "slower", "more", "less", "same"]
    factor: float


@sentence("change-figure")
@dataclass(frozen=True, slots=True)
class VerdictWords:
    """The name of the figure."""

    verdict: Verdict


@sentence("change-not-sampled")
@dataclass(frozen=True, slots=True)
class UnsampledWords:
    """Tunables that changed, and the traffic that was seen on one side only."""

    names: tuple[str, ...]
    noun: str


@dataclass(frozen=True, slots=True)
class Changed:
    """A tunable that was seen to change."""

    name: str
    before: str
    after: str
    ref: Ref
    at: int | None

    @property
    def words(self) -> str:
        """Its name and its two values."""
        return render(ChangedWords(self.name, self.before, self.after))


class Order:
    """Which changes precede a reading: by time where both have a comparable one, else by line of the same text."""

    def __init__(self, changes: Sequence[Changed]) -> None:
        self._times: dict[Clock, list[int]] = {}
        self._lines: dict[tuple[int, Clock], list[int]] = {}
        for change in changes:
            clock = clock_of(change.at)
            self._lines.setdefault((change.ref.artifact, clock), []).append(change.ref.line)
            if change.at is not None:
                self._times.setdefault(clock, []).append(change.at)
        for sequence in (*self._times.values(), *self._lines.values()):
            sequence.sort()

    def before(self, ref: Ref, at: int | None) -> int:
        """How many of the changes precede it."""
        own = clock_of(at)
        timed = 0 if at is None else bisect_left(self._times.get(own, ()), at)
        by_line = (clock for clock in CLOCKS if at is None or clock != own)
        return timed + sum(bisect_left(self._lines.get((ref.artifact, clock), ()), ref.line) for clock in by_line)


def clock_of(at: int | None) -> Clock:
    """What an instant can be compared with."""
    return "none" if at is None else "date" if comparable(at, DAY_US) else "time of day"


@dataclass(slots=True)
class Phase:
    """Samples of one sort in one period, with the commands that fit them."""

    sort: Sort
    period: int
    roles: list[LockRole] = field(default_factory=list)
    runs: list[TimedRun] = field(default_factory=list)

    @property
    def slowest(self) -> TimedRun | None:
        """The command that took longest."""
        return max(self.runs, key=lambda run: run.seconds, default=None)

    @property
    def rate(self) -> float:
        """Inodes pulled per second by the node that is slowest at it."""
        return min((role.per_s.get("pull", 0.0) for role in self.roles if role.per_s.get("pull")), default=0.0)


@dataclass(frozen=True, slots=True)
class Effect:
    """One sort of traffic before and after: ``ratio`` above 1 is better."""

    sort: Sort
    changes: tuple[Changed, ...]
    ratio: float
    by_time: bool
    was: float
    now: float

    @property
    def verdict(self) -> Verdict:
        """In one word."""
        same = limits("before-after").same
        return "same" if abs(self.ratio - 1) <= same else "better" if self.ratio > 1 else "worse"

    def sentence(self) -> str:
        """With a leading blank."""
        done = tuple(dict.fromkeys(change.words for change in self.changes))
        by_time: dict[Verdict, Literal["faster", "slower", "same"]] = {
            "better": "faster",
            "worse": "slower",
            "same": "same",
        }
        by_rate: dict[Verdict, Literal["more", "less", "same"]] = {"better": "more", "worse": "less", "same": "same"}
        outcome = by_time[self.verdict] if self.by_time else by_rate[self.verdict]
        factor = 1 / self.ratio if outcome == "slower" else self.ratio
        noun = render(SortWords(self.sort))
        return render(EffectWords(done, noun, "time" if self.by_time else "rate", self.was, self.now, outcome, factor))

    def figure(self) -> tuple[str, float]:
        """By how much, above 1."""
        return render(VerdictWords(self.verdict)), self.ratio if self.ratio >= 1 else 1 / self.ratio


class History:
    """Changes, phases and effects of one mount."""

    def __init__(self, settings: Settings, runs: TimedRuns, mount: Mount) -> None:
        self.settings = settings
        self.runs = runs
        self.mount = mount

    @cached_property
    def changes(self) -> tuple[Changed, ...]:
        """Values that changed on this mount, or on the interconnect, in the order of the text."""
        return tuple(_changes(self.settings, self.mount.scope))

    @cached_property
    def phases(self) -> tuple[Phase, ...]:
        """Phases by period."""
        found: dict[tuple[Sort, int], Phase] = {}
        by_role: dict[int, Phase] = {}
        for role, sort, period in self._placed:
            phase = found.setdefault((sort, period), Phase(sort, period))
            phase.roles.append(role)
            by_role[id(role)] = phase
        for run in self.runs.on(self.mount.scope):
            if (nearest := self._fits(run)) is not None:
                by_role[id(nearest)].runs.append(run)
        return tuple(sorted(found.values(), key=lambda phase: (phase.period, phase.sort)))

    @cached_property
    def _placed(self) -> list[tuple[LockRole, Sort, int]]:
        """Samples that move inodes, with their sort and period."""
        sorted_roles = ((role, _sort(self.mount, role)) for role in self.mount.roles)
        return [(role, sort, self.period(role.ref, role.at)) for role, sort in sorted_roles if sort is not None]

    def period(self, ref: Ref, at: int | None) -> int:
        """How many changes were made before a reading."""
        return self._order.before(ref, at)

    @cached_property
    def _order(self) -> Order:
        return Order(self.changes)

    @cached_property
    def _forecasts(self) -> dict[int, list[tuple[float, int]]]:
        """By period: forecasts in rising order, each with its first sample."""
        firsts: dict[int, dict[float, int]] = {}
        for index, (role, _, period) in enumerate(self._placed):
            if role.forecast_s:
                firsts.setdefault(period, {}).setdefault(role.forecast_s, index)
        return {period: sorted(found.items()) for period, found in firsts.items()}

    def _fits(self, run: TimedRun) -> LockRole | None:
        """The sample of the run's period whose forecast it fits best: the next one below or above."""
        within = limits("ladder").forecast_within
        forecasts = self._forecasts.get(self.period(run.ref, run.at), [])
        after = bisect_left(forecasts, (run.seconds, -1))
        near = (
            (abs(run.seconds - forecast) / forecast, index)
            for forecast, index in forecasts[max(after - 1, 0) : after + 1]
        )
        best = min(near, default=(within + 1, -1))
        return self._placed[best[1]][0] if best[0] <= within else None

    def phase_of(self, role: LockRole) -> Phase | None:
        """The phase of a sample."""
        return self._phase_of.get(id(role))

    @cached_property
    def _phase_of(self) -> dict[int, Phase]:
        return {id(role): phase for phase in self.phases for role in phase.roles}

    def effects(self, roles: Sequence[LockRole]) -> list[Effect]:
        """Comparisons of the phases of these samples with the nearest phase of the same sort on the other side of a
        change.
        """
        wanted = {id(phase) for role in roles if (phase := self.phase_of(role)) is not None}
        return [
            effect
            for before, after in self._neighbours()
            if wanted & {id(before), id(after)} and (effect := self._effect(before, after)) is not None
        ]

    def _neighbours(self) -> Iterator[tuple[Phase, Phase]]:
        by_sort: dict[Sort, Phase] = {}
        for phase in self.phases:
            if phase.sort in by_sort:
                yield by_sort[phase.sort], phase
            by_sort[phase.sort] = phase

    def _effect(self, before: Phase, after: Phase) -> Effect | None:
        changes = self.changes[before.period : after.period]
        was, now = before.slowest, after.slowest
        if was is not None and now is not None and was.command == now.command:
            return (
                Effect(before.sort, changes, was.seconds / now.seconds, True, was.seconds, now.seconds)
                if now.seconds
                else None
            )
        if before.rate and after.rate:
            return Effect(before.sort, changes, after.rate / before.rate, False, before.rate, after.rate)
        return None

    def sentence(self, roles: Sequence[LockRole]) -> str:
        """What the changes brought to the traffic of a finding, with a leading blank; empty where nothing was
        changed.
        """
        if not self.changes:
            return ""
        effects = self.effects(roles)
        if effects:
            return "".join(effect.sentence() for effect in effects)
        sorts = list(dict.fromkeys(phase.sort for role in roles if (phase := self.phase_of(role)) is not None))
        done = tuple(dict.fromkeys(change.name for change in self.changes))
        return render(UnsampledWords(done, render(SortWords(sorts[0])))) if sorts else ""

    def figures(self, roles: Sequence[LockRole]) -> tuple[tuple[str, float], ...]:
        """The effects by name."""
        return tuple(effect.figure() for effect in self.effects(roles))

    def cold_run(self, run: TimedRun | None) -> TimedRun | None:
        """The first run of the same command that was slow without any lock traffic that explains it: it read the inodes
        from disk.
        """
        if run is None:
            return None
        same = [one for one in self.runs.on(self.mount.scope) if one.command == run.command]
        fastest = min(one.seconds for one in same)
        first = min(same, key=lambda one: (one.ref.artifact, one.ref.line))
        is_slow = first.seconds >= limits("ladder").slowed_factor * fastest
        return first if first.ref != run.ref and is_slow and self._fits(first) is None else None


def _sort(mount: Mount, role: LockRole) -> Sort | None:
    if role.role == "ping_pong":
        return "ping-pong"
    if role.role != "puller":
        return None
    return "first access" if any(victim.first_time for victim in mount.victims(role, limits("R4").pair_s)) else "pull"


def _changes(settings: Settings, scope: str | None) -> Iterator[Changed]:
    """Each time a node shows another value than before; a node that is not named is one node."""
    here = pl.col("scope").is_null() | (pl.col("scope") == (scope or "")) | ~pl.col("scope").str.starts_with("/")
    last: dict[tuple[str | None, str | None, str], str] = {}
    for row in in_order(settings.in_force, here & TUNED.rows).iter_rows(named=True):
        key = (row["node"], row["scope"], row["name"])
        value = plain(row["value"])
        if key in last and last[key] != value:
            yield Changed(row["name"], last[key], value, Ref(row["artifact"], row["line"]), row["at"])
        last[key] = value
