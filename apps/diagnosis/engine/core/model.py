"""What a diagnosis consists of. Times are microseconds of the wall clock as printed (see ``parsers.records``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from math import prod
from typing import Final, Literal

from apps.diagnosis.engine.core.things import Thing
from apps.diagnosis.engine.core.times.open_years import known_part
from parsers.dataclass import dataclass
from parsers.records import Ref as Ref

Severity = Literal["critical", "high", "medium", "low", "info"]
Basis = Literal["stated", "derived", "inferred", "proposed", "recalled"]
AtStake = Literal["data", "service", "speed"]
Form = Literal["explained", "unexplained", "not_judged", "healthy"]
AT_STAKE: Final[tuple[AtStake, ...]] = ("data", "service", "speed")
SEVERITIES: Final[tuple[Severity, ...]] = ("critical", "high", "medium", "low", "info")
BASES: Final[dict[Basis, float]] = {"stated": 1.0, "derived": 0.95, "inferred": 0.8, "proposed": 0.6, "recalled": 0.4}
HINT_AT_MOST: Final = 0.2


@dataclass(frozen=True, slots=True)
class Figure:
    """A number of a finding. ``limit`` is the rule's limit in words, such as "limit 100 /s"."""

    name: str
    value: float
    unit: str = ""
    limit: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A named factor of a confidence, with its reason."""

    name: Literal["evidence", "completeness", "agreement", "basis"]
    value: float
    why: str


@dataclass(frozen=True, slots=True)
class Advice:
    """Where a tuning applies, and what fills its text: ``value`` is the recommended one where it depends on the case.

    lacking: nodes that are known not to have it, where the files can show it only where it is set.
    unfit: why it does not apply here, in words: it is then shown as that, without commands.
    """

    tuning: str
    scope: str | None = None
    words: tuple[tuple[str, str], ...] = ()
    lacking: tuple[str, ...] = ()
    unfit: str = ""


REDIRECTS: Final = 1e12
"""Weight of a finding that redirects the case whatever its severity: it is the first to be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a rule concludes. ``causes`` names the refs of findings that are only symptoms of this one.

    end_zone_min: of the end, where it is another one than that of the start.
    harm: what it did, in words, where that decides the severity: for what rests on a proposal or on memory.
    at_stake: of two findings of one severity the one that endangers data stands before the one that costs time.
    logged: begins the verdict where logs of its incident tell what came first; that follows.
    entry: kind of the entry, of the team or the site, that says what the lines mean; empty where none does.
    things: what it speaks of, by sort and name: what listings and messages say of one thing is of one incident.
    """

    rule: str
    ref: str
    severity: Severity
    basis: Basis
    title: str
    explanation: str
    evidence: tuple[Ref, ...]
    nodes: tuple[str, ...] = ()
    start: int | None = None
    end: int | None = None
    zone_min: int | None = None
    end_zone_min: int | None = None
    figures: tuple[Figure, ...] = ()
    disproved_by: str = ""
    tunings: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    causes: tuple[str, ...] = ()
    verdict: str = ""
    logged: str = ""
    weight: float = 0.0
    advice: tuple[Advice, ...] = ()
    harm: str = ""
    at_stake: AtStake = "speed"
    entry: str = ""
    things: frozenset[Thing] = frozenset()

    @property
    def confidence(self) -> float:
        """Product of the parts; what is only recalled is a hint at most."""
        value = prod(part.value for part in self.parts)
        return round(min(value, HINT_AT_MOST) if self.basis == "recalled" else value, 2)


def comparable(one: int, other: int) -> bool:
    """Both instants have a date, or both one without its year, or both are times of day."""
    return known_part(one) == known_part(other)


NEAR_US: Final = 600_000_000
"""Harm within ten minutes of something may have been done by it."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Harm on a node (None: it may have its cause on any node), from and to when it is seen."""

    what: str
    node: str | None = None
    start: int | None = None
    end: int | None = None

    def is_near(self, nodes: Sequence[str], start: int | None, end: int | None) -> bool:
        """Whether something on these nodes at that time may have caused it; what is not known is taken as near."""
        if self.node is not None and nodes and self.node not in nodes:
            return False
        first, last = start if start is not None else end, end if end is not None else start
        if first is None or last is None or self.start is None or self.end is None or not comparable(first, self.start):
            return True
        return first <= self.end + NEAR_US and last >= self.start - NEAR_US


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """A change to recommend, with its risk and its way back."""

    id: str
    parameter: str
    scope: str | None
    current: str | None
    current_at: Ref | None
    recommended: str
    status: Literal["recommended", "applied", "not_applicable"]
    commands: tuple[str, ...]
    persist: str
    caution: str
    way_back: str
    verify: str
    since: str
    why: str
    basis: Basis
    findings: tuple[str, ...]
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The sentence at the top of the case."""

    title: str
    severity: Severity
    confidence: float
    ref: str
    form: Form = "explained"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """``frm`` (a node, a process or a resource) waits for ``to``; ``via`` is the message, lock or I/O."""

    frm: str
    to: str
    via: str
    count: int
    longest_s: float
    resolved: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Root:
    """An end of the wait chains. ``waiters`` counts waits behind it, ``relieves`` those that would run if it let go."""

    kind: Literal["disk", "node", "thread", "lock", "link", "daemon"]
    what: str
    node: str | None
    why: str
    waiters: int
    relieves: int
    leaves_data: bool = False


@dataclass(frozen=True, slots=True)
class Missing:
    """What the next bundle must hold to decide."""

    what: str
    why: str
    node: str | None
    commands: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NextStep:
    """What to do now. ``about``: refs of the rules whose findings it follows from, or the title of the one finding."""

    why: str
    commands: tuple[str, ...]
    about: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Spelling:
    """Another spelling of a node (``kind``: name, address, index, id), and the row that states it."""

    alias: str
    kind: str
    ref: Ref | None


@dataclass(frozen=True, slots=True)
class NodeName:
    """A node and all its spellings. ``evidence`` has those that a row states; the others share its first label.

    ``clock_offset_s``: how far its clock is ahead of that of ``clock_reference``, give or take ``clock_error_s``; None
    is unknown.
    """

    name: str
    aliases: tuple[str, ...]
    evidence: tuple[Spelling, ...] = ()
    clock_offset_s: float | None = None
    clock_error_s: float | None = None
    clock_reference: str = ""
    clock_basis: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LockRole:
    """What one node did with the cluster locks of one mount in one delta sample of ``vxfsstat -s``."""

    node: str | None
    node_inferred: bool
    scope: str | None
    at: int | None
    zone_min: int | None
    interval_s: float
    role: Literal["puller", "victim", "ping_pong", "drain", "idle"]
    first_time: bool
    lazy_isize: Literal["on", "off", "unknown"]
    per_s: dict[str, float]
    forecast_s: float | None
    label_conflict: bool
    ref: Ref
    lines: dict[str, int] = field(default_factory=dict)

    @property
    def refs(self) -> dict[str, Ref]:
        """Where each counter stands: few samples are asked."""
        return {key: Ref(self.ref.artifact, line) for key, line in self.lines.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """Waiters of one kind and wording."""

    kind_id: str | None
    category: int | None
    thread: str | None
    reason: str | None
    wait_on: str | None
    count: int
    longest_s: float | None
    nodes: tuple[str, ...]
    meaning: str
    ref: Ref


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """The whole result: equal facts give an equal diagnosis."""

    products: tuple[str, ...]
    nodes: tuple[NodeName, ...]
    start: int | None
    end: int | None
    zone_min: int | None
    start_zone_min: int | None = None
    end_zone_min: int | None = None
    kinds: tuple[Kind, ...] = ()
    waits_for: tuple[Edge, ...] = ()
    roots: tuple[Root, ...] = ()
    cycles: tuple[tuple[str, ...], ...] = ()
    lock_roles: tuple[LockRole, ...] = ()
    findings: tuple[Finding, ...] = ()
    tunings: tuple[Tuning, ...] = ()
    verdict: Verdict | None = None
    missing: tuple[Missing, ...] = ()
    next_steps: tuple[NextStep, ...] = ()
