"""Which texts of a shape a pattern fits: of texts that differ from each other in their digits alone. Of ASCII alone, as
all of ``parsers.patterns.alternatives``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Literal, NamedTuple

from parsers.patterns.alternatives import alternatives

Fit = Literal["all", "some", "none"]


class _Way(NamedTuple):
    """One alternative of a pattern, which takes all digits alike; is_sure: so does what it stands for."""

    search: Callable[[str], re.Match[str] | None]
    is_sure: bool


def fit_of(pattern: str, alike: str) -> Fit:
    """Which texts of a shape a pattern that is searched for fits; some: perhaps."""
    fit: Fit = "none"
    for way in _ways(pattern):
        if way.search(alike) is not None:
            if way.is_sure:
                return "all"
            fit = "some"
    return fit


@cache
def _ways(pattern: str) -> tuple[_Way, ...]:
    ways, branches = [], tuple(alternatives(pattern))
    if is_at_start := len(branches) == 1 and pattern.startswith("^(?:"):
        branches = tuple(alternatives(pattern[1:]))
    for one in branches:
        text = one.loose if one.tells_digits else one.pattern
        known = re.compile(text if text is not None else "")
        ways.append(_Way(known.match if is_at_start else known.search, not one.tells_digits))
    return tuple(ways)
