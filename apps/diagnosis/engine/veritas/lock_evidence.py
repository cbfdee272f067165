"""What the rules on cluster locks read from a sample: rates, its lines, and what speaks against it."""

from __future__ import annotations

from collections.abc import Sequence

from apps.diagnosis.engine.core.model import LockRole, Ref
from apps.diagnosis.engine.core.words.knowledge import limits as limits_of

Effects = tuple[tuple[str, float], ...]
"""What changes brought, as named figures."""


def rate(role: LockRole, key: str) -> float:
    """Counts per second; 0 where the sample does not show the counter."""
    return role.per_s.get(key, 0.0)


def lost(role: LockRole) -> float:
    """h locks taken away, without the book-keeping of the node's own pulls."""
    return max(0.0, rate(role, "h_revoke") - rate(role, "h_deinit"))


def sample_lines(role: LockRole, *keys: str) -> tuple[Ref, ...]:
    """Header of the sample and the lines of the named counters."""
    return (role.ref, *(role.refs[key] for key in keys if key in role.refs))


def each_once(*refs: tuple[Ref, ...]) -> tuple[Ref, ...]:
    """Lines once each: two counters often share a row."""
    return tuple(dict.fromkeys(ref for some in refs for ref in some))


def doubts(roles: Sequence[LockRole], taken: float = 0.0, given: float = 0.0) -> tuple[str, ...]:
    """What speaks against the samples. taken, given: two rates that count the same thing on both sides; 0 where one
    side is not here.
    """
    if any(role.label_conflict for role in roles):
        return ("labels",)
    if any(role.node_inferred for role in roles):
        return ("inferred",)
    apart = taken and given and abs(taken - given) > limits_of("lock-roles").both_sides * taken
    return ("counts",) if apart else ()
