"""Clocks of nodes of one VxFS mount: rates of locks granted on one node and revoked on the other, shifted until they
fit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Final

import numpy as np
import numpy.typing as npt

from apps.diagnosis.engine.core.facts.clocks import Pair
from apps.diagnosis.engine.core.model import LockRole
from parsers.records import DAY_US

SECOND_US: Final = 1_000_000
Rates = npt.NDArray[np.float64]
LEAST_SAMPLES: Final = 5
SHIFT_S: Final = 90
VARIED: Final = 0.3
FITS: Final = 0.3
OVERLAP: Final = 0.6
NEARLY: Final = 0.05
MOST_ERROR_S: Final = 20.0
GRID_MOST: Final = 20_000


def lock_pairs(roles: Iterable[LockRole]) -> Iterator[Pair]:
    """For each two nodes of a mount the shift at which what one takes looks like what the other loses."""
    by_scope: dict[str | None, dict[str, list[LockRole]]] = defaultdict(lambda: defaultdict(list))
    for role in roles:
        if role.node is not None and role.at is not None and role.at >= DAY_US and not role.node_inferred:
            by_scope[role.scope][role.node].append(role)
    for scope in sorted(by_scope, key=str):
        for one, other in combinations(sorted(by_scope[scope]), 2):
            taking, losing = by_scope[scope][one], by_scope[scope][other]
            found = [_shift(taking, losing, "h_grant", "h_revoke"), _shift(taking, losing, "h_revoke", "h_grant")]
            for shift, error in filter(None, found):
                yield Pair(one, other, shift, error, "locks", taking[0].ref, losing[0].ref)


def _shift(one: Sequence[LockRole], other: Sequence[LockRole], key: str, other_key: str) -> tuple[float, float] | None:
    """Seconds that ``other`` is ahead, and how exact that is; None where the rates do not tell."""
    begun = min(role.at or 0 for role in (*one, *other)) // SECOND_US - 60
    mine, theirs = _curve(one, key, begun), _curve(other, other_key, begun)
    if mine is None or theirs is None or not (_varies(mine) and _varies(theirs)):
        return None
    size = max(len(mine), len(theirs)) + 2 * SHIFT_S
    mine, theirs = _padded(mine, size), _padded(theirs, size)
    costs = np.array([_cost(mine, theirs, shift) for shift in range(-SHIFT_S, SHIFT_S + 1)])
    if not np.isfinite(costs).any():
        return None
    best = int(np.nanargmin(costs))
    good = np.flatnonzero(costs <= costs[best] + NEARLY)
    shift, error = float(good.mean() - SHIFT_S), float(good.max() - good.min()) / 2 + 1.0
    return (shift, error) if costs[best] <= FITS and error <= MOST_ERROR_S else None


def _curve(roles: Sequence[LockRole], key: str, begun: int) -> Rates | None:
    """Rate in each second from ``begun`` on, as a share of its mean; nan where no sample tells."""
    samples = [
        (role.at // SECOND_US - begun, role.interval_s, role.per_s[key])
        for role in roles
        if role.at is not None and key in role.per_s
    ]
    if len(samples) < LEAST_SAMPLES or samples[-1][0] > GRID_MOST or max(end for end, _, _ in samples) > GRID_MOST:
        return None
    curve = np.full(max(end for end, _, _ in samples) + 1, np.nan)
    for end, length, rate in samples:
        curve[max(0, end - max(1, round(length))) : end] = rate
    mean = float(np.nanmean(curve))
    return curve / mean if mean > 0 else None


def _varies(curve: Rates) -> bool:
    return float(np.nanstd(curve)) >= VARIED


def _padded(curve: Rates, size: int) -> Rates:
    return np.concatenate((np.full(SHIFT_S, np.nan), curve, np.full(size - SHIFT_S - len(curve), np.nan)))


def _cost(mine: Rates, theirs: Rates, shift: int) -> float:
    """Mean difference where both are known, which must be most of what the shorter one knows; else infinite."""
    moved = np.roll(theirs, -shift)
    both = ~np.isnan(mine) & ~np.isnan(moved)
    least = OVERLAP * min(int((~np.isnan(mine)).sum()), int((~np.isnan(theirs)).sum()))
    return float(np.abs(mine[both] - moved[both]).mean()) if both.sum() >= max(least, 10) else float("inf")
