"""What each node did with the cluster locks of a VxFS mount, sample by sample of ``vxfsstat -s``.

Rates per second come from the interval in the sample's own header. A counter that a sample does not show is unknown,
save where an awk filter dropped exactly the rows of zeros. ``vxi_hlock_deinit`` is subtracted from the revokes: it is the
book-keeping of the node that pulls.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import polars as pl

from apps.diagnosis.engine.knowledge import Limits
from apps.diagnosis.engine.model import LockRole, Ref

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
NAMED_BY_PEOPLE: Final = ("heading", "unknown")


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


@dataclass(frozen=True, slots=True)
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


def lock_roles(
    counters: pl.DataFrame, sections: pl.DataFrame, lazy: Sequence[LazyState], walks: Sequence[Walk], curino: float | None, limits: Limits
) -> tuple[LockRole, ...]:
    """Roles of all delta samples in time order. Shapes: Counter and Section frames as the store gives them."""
    samples = sorted(_samples(counters, sections), key=lambda s: (s.at, s.artifact, s.header))
    roles = [_role(sample, node, inferred, lazy, walks, curino, limits) for sample, node, inferred in _placed(samples)]
    return tuple(_with_conflicts(roles, samples, limits))


def _samples(counters: pl.DataFrame, sections: pl.DataFrame) -> Iterator[_Sample]:
    wanted = counters.filter((pl.col("kind") == "delta") & (pl.col("source") == "vxfsstat -s") & pl.col("at").is_not_null())
    bases = _NodeBases(sections)
    for key, rows in wanted.sort("artifact", "line").group_by("artifact", "sample", maintain_order=True):
        first = rows.row(0, named=True)
        if not first["interval_s"]:
            continue
        values = {
            COUNTERS[n]: (v, line) for n, v, line in rows.select("name", "value", "line").iter_rows() if n in COUNTERS and v is not None
        }
        if values:
            artifact, header = int(str(key[0])), int(str(key[1]))
            basis = bases(artifact, first["line"])
            yield _Sample(
                artifact,
                header,
                first["node"],
                basis,
                first["scope"],
                first["at"],
                first["zone_min"],
                first["interval_s"],
                first["zero_filter"],
                values,
            )


class _NodeBases:
    """How the node of a line is known, from the sections."""

    def __init__(self, sections: pl.DataFrame) -> None:
        self._by_artifact: dict[int, list[tuple[int, int, str]]] = {}
        wanted = sections.filter(pl.col("format").str.starts_with("vxfsstat")).sort("artifact", "line")
        for artifact, first, last, basis in wanted.select("artifact", "line", "last_line", "node_basis").iter_rows():
            self._by_artifact.setdefault(artifact, []).append((first, last, basis))

    def __call__(self, artifact: int, line: int) -> str:
        found = [basis for first, last, basis in self._by_artifact.get(artifact, ()) if first <= line <= last]
        return found[0] if found else "unknown"


def _placed(samples: Sequence[_Sample]) -> Iterator[tuple[_Sample, str | None, bool]]:
    """Give each sample its node. Two windows of one node and mount can't overlap with different values: where people wrote
    the headings, the later one belongs to the other node."""
    last_end: dict[tuple[str | None, str | None], int] = {}
    for sample in samples:
        node, inferred = sample.node, False
        end = last_end.get((node, sample.scope))
        if sample.basis in NAMED_BY_PEOPLE and end is not None and sample.start < end - 1_500_000:
            others = {s.node for s in samples if s.scope == sample.scope and s.node not in (None, node)}
            node, inferred = (others.pop() if len(others) == 1 else None), True
        last_end[node, sample.scope] = sample.at
        yield sample, node, inferred


def classify(rates: dict[str, float | None], limits: Limits) -> Role:
    """Role of one sample from its rates per second (h_grant, h_revoke, h_deinit, pull); unknown ones satisfy nothing."""
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
    sample: _Sample,
    node: str | None,
    inferred: bool,
    lazy: Sequence[LazyState],
    walks: Sequence[Walk],
    curino: float | None,
    limits: Limits,
) -> LockRole:
    rates = {key: sample.per_s(key) for key in COUNTERS.values()}
    role = classify(rates, limits)
    pull = rates["pull"]
    refs = {key: Ref(sample.artifact, line) for key, (_, line) in sample.values.items()}
    files = _walked(sample, walks, curino)
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
        refs=refs,
    )


def _walked(sample: _Sample, walks: Sequence[Walk], curino: float | None) -> float | None:
    """Files of the walk nearest in the same text, else of any walk, else the inodes in the cache."""
    same = [walk for walk in walks if walk.artifact == sample.artifact and (sample.scope is None or sample.scope in walk.command)]
    if same:
        return min(same, key=lambda walk: abs(walk.line - sample.header)).files
    others = [walk.files for walk in walks if sample.scope and sample.scope in walk.command]
    return max(others) if others else curino


def _lazy(sample: _Sample, rates: dict[str, float | None], states: Sequence[LazyState], limits: Limits) -> Lazy:
    """Counters of the sample decide; else the last state seen on that mount before it."""
    g_grant, g_revoke = rates["g_grant"], rates["g_revoke"]
    if (g_grant or 0) > 0 or (g_revoke or 0) > 0:
        return "off"
    if (rates["pull"] or 0) >= limits.busy_per_s and g_grant == 0 and g_revoke == 0:
        return "on"
    before = [state for state in states if state.scope in (None, sample.scope) and _precedes(state, sample)]
    return ("on" if before[-1].on else "off") if before else "unknown"


def _precedes(state: LazyState, sample: _Sample) -> bool:
    if state.artifact == sample.artifact:
        return state.line < sample.header
    return state.at is not None and state.at <= sample.at


def _with_conflicts(roles: list[LockRole], samples: Sequence[_Sample], limits: Limits) -> Iterable[LockRole]:
    """Mark labels that contradict the counters: where people wrote the headings, a node that already owns the inodes
    can't pull them all again from a node that owns none. Then the two labels are swapped, and the owner is the other one."""
    by_people = {(s.artifact, s.header) for s in samples if s.basis == "heading"}
    owner: dict[str | None, str | None] = {}
    marked: set[int] = set()
    for phase in _phases(roles, limits):
        pullers = {roles[i].node for i in phase if roles[i].role == "puller"}
        victims = {roles[i].node for i in phase if roles[i].role == "victim"}
        scope = roles[phase[0]].scope
        if len(pullers) != 1 or not victims - pullers:
            continue
        puller = pullers.pop()
        swapped = owner.get(scope) == puller and all((roles[i].ref.artifact, roles[i].ref.line) in by_people for i in phase)
        if swapped:
            marked.update(phase)
        owner[scope] = next(iter(sorted(v for v in victims if v)), None) if swapped else puller
    return (replace(role, label_conflict=True) if i in marked else role for i, role in enumerate(roles))


def _phases(roles: Sequence[LockRole], limits: Limits) -> Iterator[list[int]]:
    """Indices of samples that belong together: pullers and victims of one mount, less than the phase gap apart."""
    phase: list[int] = []
    for index, role in enumerate(roles):
        if role.role not in ("puller", "victim") or role.at is None:
            continue
        last = roles[phase[-1]] if phase else None
        if last is not None and (last.scope != role.scope or role.at - (last.at or 0) > limits.phase_gap_s * 1_000_000):
            yield phase
            phase = []
        phase.append(index)
    if phase:
        yield phase
