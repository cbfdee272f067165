"""The lock samples of one mount in time order: what stands near, what alternates, and when lazy_isize_enable came into
force.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property

from apps.diagnosis.engine.core.facts.setting_history import latest, setting_history
from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.core.model import LockRole
from apps.diagnosis.engine.core.words.sentences import render, sentence
from apps.diagnosis.engine.veritas.lock_samples import LAZY, OFF, LockRoles
from parsers.dataclass import dataclass


@dataclass(frozen=True)
class Mount:
    """All samples of a mount. ``scope`` is None where the dumps do not name it."""

    scope: str | None
    roles: tuple[LockRole, ...]

    @property
    def name(self) -> str:
        """The mount as it stands in a sentence."""
        return self.scope or "the file system"

    @cached_property
    def _moments(self) -> list[int]:
        return [role.at or 0 for role in self.roles]

    def near(self, role: LockRole, within_s: float) -> list[LockRole]:
        """Samples of other nodes that end within so many seconds, the nearest first."""
        if role.at is None:
            return []
        reach = round(within_s * 1e6)
        found = self.roles[bisect_left(self._moments, role.at - reach) : bisect_right(self._moments, role.at + reach)]
        return sorted(
            (other for other in found if other.node != role.node),
            key=lambda other: abs((other.at or 0) - (role.at or 0)),
        )

    @cached_property
    def _edges(self) -> set[int]:
        """Pulls in the sample before or after ping-pong of the same node: one of the two walks began or ended in that
        window.
        """
        edges: set[int] = set()
        by_node: dict[str | None, LockRole] = {}
        for role in self.roles:
            before = by_node.get(role.node)
            by_node[role.node] = role
            if before is not None and {before.role, role.role} == {"puller", "ping_pong"} and _adjoin(before, role):
                edges.add(id(before if before.role == "puller" else role))
        return edges

    def inside(self, hits: Sequence[LockRole]) -> list[LockRole]:
        """Pulls without those at the edges of ping-pong; all of them where there are no others."""
        return [role for role in hits if id(role) not in self._edges] or list(hits)

    def victims(self, role: LockRole, within_s: float) -> list[LockRole]:
        """Nodes that lose locks while this one pulls, the nearest sample first."""
        return [other for other in self.near(role, within_s) if other.role == "victim"]

    def alternating(self, within_s: float) -> list[LockRole]:
        """Pullers that take turns, A, B and A again, each within seconds of the one before: they take the same inodes
        back.
        """
        pullers = [role for role in self.roles if role.role == "puller" and role.node is not None]
        turns: list[list[LockRole]] = []  # samples of one node in a row
        hits: dict[int, LockRole] = {}
        for role in pullers:
            if turns and (role.at or 0) - (turns[-1][-1].at or 0) > within_s * 1e6:
                turns = []
            if turns and turns[-1][-1].node == role.node:
                turns[-1].append(role)
                continue
            turns = [*turns[-2:], [role]]
            if len(turns) == 3 and turns[0][0].node == role.node:
                hits |= {id(one): one for turn in turns for one in turn}
        return sorted(hits.values(), key=lambda one: (one.at or 0, one.ref.artifact, one.ref.line))


def _adjoin(one: LockRole, other: LockRole) -> bool:
    """Whether the second window begins where the first one ends, give or take half a window."""
    gap_us = (other.at or 0) - (one.at or 0) - other.interval_s * 1e6
    return abs(gap_us) <= other.interval_s * 5e5


class Mounts:
    """Mounts of which lock samples are there."""

    def __init__(self, roles: LockRoles) -> None:
        self._roles = roles

    @cached_property
    def all(self) -> tuple[Mount, ...]:
        """In the order in which they first show."""
        by_scope: dict[str | None, list[LockRole]] = defaultdict(list)
        for role in self._roles.all:
            by_scope[role.scope].append(role)
        return tuple(Mount(scope, tuple(roles)) for scope, roles in by_scope.items())


def span(roles: Sequence[LockRole]) -> tuple[int | None, int | None]:
    """First moment of the first window and last moment of the last."""
    known = [(role.at, role.interval_s) for role in roles if role.at is not None]
    return (
        (min(max(0, at - round(length * 1e6)) for at, length in known), max(at for at, _ in known))
        if known
        else (None, None)
    )


@sentence("changed-since")
@dataclass(frozen=True, slots=True)
class SinceWords:
    """The moment, or the line of its transcript where no time is known."""

    at: int | None
    line: int | None


@dataclass(frozen=True, slots=True)
class Change:
    """lazy_isize_enable was switched on, and is on at the last reading of every node that shows it."""

    at: int | None
    line: int | None = None

    @property
    def words(self) -> str:
        """Since when."""
        return render(SinceWords(self.at, self.line))


def lazy_change(settings: Settings, mount: Mount, nodes: Sequence[str]) -> Change | None:
    """When the tunable came into force on the nodes of a finding; None where it is off, not shown, or was on all the
    time.
    """
    found = setting_history(settings, LAZY, mount.scope)
    if not found or any(reading.value in OFF for reading in found) or not any(reading.changed for reading in found):
        return None
    involved = [reading for reading in found if reading.node in nodes] or list(found)
    since = [reading.since for reading in involved if reading.changed and reading.since is not None]
    if since:
        return Change(max(since))
    return Change(None, latest(involved).ref.line)


def is_before(roles: Sequence[LockRole], change: Change) -> bool:
    """Whether all samples were taken before the change; what has no time is not known to be."""
    end = span(roles)[1]
    return end is not None and change.at is not None and end <= change.at
