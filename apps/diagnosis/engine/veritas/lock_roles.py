"""What each node did with the cluster locks of a VxFS mount, sample by sample of ``vxfsstat -s``.

Rates per second come from the interval in the sample's own header. A counter that a sample does not show is unknown,
save where an awk filter dropped exactly the rows of zeros. ``vxi_hlock_deinit`` is subtracted from the revokes: it is
the book-keeping of the node that pulls.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import Final, Literal

import polars as pl

from apps.diagnosis.engine.core.facts.nodes import nodes_in
from apps.diagnosis.engine.core.model import LockRole, Ref, comparable
from apps.diagnosis.engine.core.times.open_years import known_part
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.wording import names_path
from parsers.dataclass import dataclass

COUNTERS: Final = {
    "vxi_hlockgrant": "h_grant",
    "vxi_hlockrevoke": "h_revoke",
    "vxi_hlock_deinit": "h_deinit",
    "vxi_hlock_init": "h_init",
    "vxi_glockgrant": "g_grant",
    "vxi_glockrevoke": "g_revoke",
    "vxi_rwlockgrant": "rw_grant",
    "vxi_rwlockrevoke": "rw_revoke",
    "vxi_strong_pullowner": "pull",
    "vxi_normalize_locks": "normalize",
}
Role = Literal["puller", "victim", "ping_pong", "drain", "idle"]
Lazy = Literal["on", "off", "unknown"]
NAMED_BY_PEOPLE: Final = ("heading", "ordinal", "unknown")
OVERLAP_US: Final = 1_500_000  # windows may touch by what a slow tool takes to print


@dataclass(frozen=True, slots=True)
class LazyState:
    """lazy_isize_enable as seen at a line of an artifact (``at`` where the time is known)."""

    artifact: int
    line: int
    at: int | None
    scope: str | None
    on: bool


@dataclass(frozen=True, slots=True)
class Walk:
    """A walk over a tree whose files a command counted."""

    artifact: int
    line: int
    command: str
    files: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sample:
    artifact: int
    header: int
    node: str | None
    basis: str
    scope: str | None
    at: int
    zone_min: int | None
    interval_s: float
    zero_filter: bool
    values: dict[str, tuple[float, int]]

    @property
    def start(self) -> int:
        return self.at - round(self.interval_s * 1_000_000)

    def per_s(self, key: str) -> float | None:
        """Rate of a counter; None where the sample does not show it and no filter says it was zero."""
        if key in self.values:
            return self.values[key][0] / self.interval_s
        return 0.0 if self.zero_filter else None

    def same_reading(self) -> Hashable:
        """Equal for a sample and its copy in another file."""
        return (
            self.node,
            self.scope,
            self.at,
            self.interval_s,
            frozenset((key, value) for key, (value, _) in self.values.items()),
        )


def lock_roles(
    counters: pl.DataFrame,
    sections: pl.DataFrame,
    lazy: Sequence[LazyState],
    walks: Sequence[Walk],
    curino: float | None,
    limits: Limits,
) -> tuple[LockRole, ...]:
    """Roles of all delta samples in time order. Shapes: Counter and Section frames as the store gives them."""
    samples = sorted(_distinct(_samples(counters, sections)), key=lambda s: (s.at, s.artifact, s.header))
    states, counted = _LazyStates(lazy), _Walks(walks, curino)
    roles = [_role(sample, node, inferred, states, counted, limits) for sample, node, inferred in _placed(samples)]
    conflicts = _conflicts(
        roles, {(s.artifact, s.header) for s in samples if s.basis in ("heading", "ordinal")}, limits
    )
    return tuple(replace(role, label_conflict=True) if i in conflicts else role for i, role in enumerate(roles))


_COLUMNS: Final = (
    "artifact",
    "sample",
    "line",
    "node",
    "scope",
    "at",
    "zone_min",
    "interval_s",
    "zero_filter",
    "name",
    "value",
)


def _samples(counters: pl.DataFrame, sections: pl.DataFrame) -> Iterator[_Sample]:
    delta = (pl.col("kind") == "delta") & (pl.col("interval_s") > 0)
    wanted = counters.filter(
        delta & pl.col("at").is_not_null() & pl.col("value").is_not_null() & pl.col("name").is_in(list(COUNTERS))
    )
    bases = _NodeBases(sections)
    for (artifact, header), group in groupby(
        wanted.sort("artifact", "line").select(_COLUMNS).iter_rows(), key=itemgetter(0, 1)
    ):
        rows = list(group)
        _, _, line, node, scope, at, zone_min, interval_s, zero_filter, _, _ = rows[0]
        yield _Sample(
            artifact=artifact,
            header=header,
            node=node,
            basis=bases(artifact, line),
            scope=scope,
            at=at,
            zone_min=zone_min,
            interval_s=interval_s,
            zero_filter=zero_filter,
            values={COUNTERS[row[-2]]: (row[-1], row[2]) for row in rows},
        )


def _distinct(samples: Iterable[_Sample]) -> Iterator[_Sample]:
    """A sample once, though the same text lies in two files."""
    seen: set[Hashable] = set()
    for sample in samples:
        if (reading := sample.same_reading()) not in seen:
            seen.add(reading)
            yield sample


class _NodeBases:
    """How the node of a line is known, from the sections."""

    def __init__(self, sections: pl.DataFrame) -> None:
        self._by_artifact: dict[int, list[tuple[int, int, str]]] = {}
        wanted = sections.filter(pl.col("format").str.starts_with("vxfsstat")).sort("artifact", "line")
        for artifact, first, last, basis in wanted.select("artifact", "line", "last_line", "node_basis").iter_rows():
            self._by_artifact.setdefault(artifact, []).append((first, last, basis))

    def __call__(self, artifact: int, line: int) -> str:
        rows = self._by_artifact.get(artifact, [])
        place = bisect_right(rows, line, key=itemgetter(0)) - 1
        return rows[place][2] if place >= 0 and line <= rows[place][1] else "unknown"


def _placed(samples: Sequence[_Sample]) -> Iterator[tuple[_Sample, str | None, bool]]:
    """Give each sample its node. Two windows of one node and mount can't overlap with different values: where people
    wrote the headings, the later one belongs to the other node. Two prompts of one node may well watch at the same
    time.
    """
    nodes: dict[str | None, set[str]] = {}
    for sample in samples:
        if sample.node is not None:
            nodes.setdefault(sample.scope, set()).add(sample.node)
    last_end: dict[tuple[str, str | None], int] = {}
    for sample in samples:
        node, inferred = sample.node, False
        if (
            node is not None
            and sample.basis in NAMED_BY_PEOPLE
            and _overlaps(last_end.get((node, sample.scope)), sample)
        ):
            others = [n for n in nodes[sample.scope] - {node} if not _overlaps(last_end.get((n, sample.scope)), sample)]
            node, inferred = others[0] if len(others) == 1 else None, True
        if node is not None:
            last_end[node, sample.scope] = sample.at
        yield sample, node, inferred


def _overlaps(end: int | None, sample: _Sample) -> bool:
    return end is not None and comparable(end, sample.at) and sample.start < end - OVERLAP_US


def classify(rates: dict[str, float | None], limits: Limits) -> Role:
    """Role of one sample from its rates per second (h_grant, h_revoke, h_deinit, pull); unknown ones satisfy
    nothing.
    """
    g = rates.get("h_grant") or 0.0
    revoked = rates.get("h_revoke")
    r = max(0.0, (revoked or 0.0) - (rates.get("h_deinit") or 0.0))
    p = rates.get("pull") or 0.0
    busy, one_sided = limits.busy_per_s, limits.one_sided
    if g >= busy and r >= busy and min(g, r) / max(g, r) >= limits.balance:
        return "ping_pong"
    if p >= busy and r < one_sided * g:
        return "puller"
    if r >= busy and g < one_sided * r:
        return "victim"
    if r < limits.drain_per_s and g == 0 and (revoked or 0.0) > 0:
        return "drain"
    return "idle"


def _role(
    sample: _Sample, node: str | None, inferred: bool, lazy: _LazyStates, walks: _Walks, limits: Limits
) -> LockRole:
    rates = {key: sample.per_s(key) for key in COUNTERS.values()}
    role = classify(rates, limits)
    pull, files = rates["pull"], walks.files(sample)
    forecast = files / pull if role in ("puller", "ping_pong") and pull and files else None
    return LockRole(
        node=node,
        node_inferred=inferred,
        scope=sample.scope,
        at=sample.at,
        zone_min=sample.zone_min,
        interval_s=sample.interval_s,
        role=role,
        first_time=role == "victim" and (rates["normalize"] or 0.0) >= limits.busy_per_s,
        lazy_isize=_lazy(sample, rates, lazy, limits),
        per_s={key: round(value[0] / sample.interval_s, 4) for key, value in sample.values.items()},
        forecast_s=round(forecast, 3) if forecast else None,
        label_conflict=False,
        ref=Ref(sample.artifact, sample.header),
        lines={key: line for key, (_, line) in sample.values.items()},
    )


class _Walks:
    """How many inodes a walk over a mount meets."""

    def __init__(self, walks: Sequence[Walk], curino: float | None) -> None:
        self._walks = sorted(walks, key=lambda walk: (walk.artifact, walk.line))
        self._curino = curino
        self._below: dict[str | None, dict[int, list[Walk]]] = {}

    def files(self, sample: _Sample) -> float | None:
        """Files of the walk nearest in the same text, else of any walk of that mount, else the inodes in the cache."""
        below = self._of(sample.scope)
        if same := below.get(sample.artifact):
            place = bisect_right(same, sample.header, key=lambda walk: walk.line)
            return min(same[max(0, place - 1) : place + 1], key=lambda walk: abs(walk.line - sample.header)).files
        if sample.scope is None or not below:
            return self._curino
        return max(walk.files for walks in below.values() for walk in walks)

    def _of(self, scope: str | None) -> dict[int, list[Walk]]:
        if scope not in self._below:
            found = self._below.setdefault(scope, {})
            for walk in self._walks:
                if scope is None or names_path(walk.command, scope):
                    found.setdefault(walk.artifact, []).append(walk)
        return self._below[scope]


class _LazyStates:
    """The last state of lazy_isize_enable seen before a sample on its mount, on any node."""

    def __init__(self, states: Sequence[LazyState]) -> None:
        self._states = states
        self._here: dict[tuple[str | None, int], list[LazyState]] = {}
        self._elsewhere: dict[tuple[str | None, int, int], list[LazyState]] = {}

    def before(self, sample: _Sample) -> LazyState | None:
        """In the same text by line, in other texts by time; of two the later one."""
        here = _last(self._same_text(sample), sample.header, lambda state: state.line + 1)
        there = _last(self._other_texts(sample), sample.at, lambda state: state.at or 0)
        if here is None or there is None:
            return here or there
        return there if here.at is not None and (there.at or 0) > here.at else here

    def _same_text(self, sample: _Sample) -> list[LazyState]:
        key = (sample.scope, sample.artifact)
        if key not in self._here:
            mine = (s for s in self._states if s.artifact == sample.artifact and s.scope in (None, sample.scope))
            self._here[key] = sorted(mine, key=lambda state: state.line)
        return self._here[key]

    def _other_texts(self, sample: _Sample) -> list[LazyState]:
        key = (sample.scope, sample.artifact, known_part(sample.at))
        if key not in self._elsewhere:
            others = (s for s in self._states if s.artifact != sample.artifact and s.scope in (None, sample.scope))
            timed = [s for s in others if s.at is not None and comparable(s.at, sample.at)]
            self._elsewhere[key] = sorted(timed, key=lambda state: (state.at or 0, state.artifact, state.line))
        return self._elsewhere[key]


def _last(states: list[LazyState], bound: int, key: Callable[[LazyState], int]) -> LazyState | None:
    """The last state whose key is below or at the bound."""
    place = bisect_right(states, bound, key=key)
    return states[place - 1] if place else None


def _lazy(sample: _Sample, rates: dict[str, float | None], states: _LazyStates, limits: Limits) -> Lazy:
    """Counters of the sample decide; else the last state seen on that mount before it."""
    g_grant, g_revoke = rates["g_grant"], rates["g_revoke"]
    if (g_grant or 0) > 0 or (g_revoke or 0) > 0:
        return "off"
    if (rates["pull"] or 0) >= limits.busy_per_s and g_grant == 0 and g_revoke == 0:
        return "on"
    before = states.before(sample)
    return ("on" if before.on else "off") if before is not None else "unknown"


def _conflicts(roles: Sequence[LockRole], by_people: set[tuple[int, int]], limits: Limits) -> set[int]:
    """Indices of samples whose labels contradict the counters: where people wrote the headings, a node that already
    owns the inodes can't pull them all again from a node that owns none. Then the two labels are swapped, and the owner
    is the other one.
    """
    owner: dict[str | None, str | None] = {}
    marked: set[int] = set()
    for phase in _phases(roles, limits):
        scope = roles[phase[0]].scope
        pullers = {roles[i].node for i in phase if roles[i].role == "puller"}
        victims = sorted(
            node for i in phase if roles[i].role == "victim" and (node := roles[i].node) and node not in pullers
        )
        if len(pullers) != 1 or not victims:
            continue
        puller = pullers.pop()
        swapped = owner.get(scope) == puller and all(
            (roles[i].ref.artifact, roles[i].ref.line) in by_people for i in phase
        )
        if swapped:
            marked.update(phase)
        owner[scope] = victims[0] if swapped else puller
    return marked


def _phases(roles: Sequence[LockRole], limits: Limits) -> Iterator[list[int]]:
    """Indices of samples that belong together: pullers and victims of one mount, less than the phase gap apart."""
    phases: dict[str | None, list[int]] = {}
    for index, role in enumerate(roles):
        if role.role not in ("puller", "victim") or role.at is None:
            continue
        phase = phases.setdefault(role.scope, [])
        if phase and role.at - (roles[phase[-1]].at or 0) > limits.phase_gap_s * 1_000_000:
            yield phase
            phase = phases[role.scope] = []
        phase.append(index)
    yield from (phase for phase in phases.values() if phase)


def names(roles: Iterable[LockRole]) -> tuple[str, ...]:
    """Known node names of samples, each once, sorted."""
    return nodes_in(roles)
