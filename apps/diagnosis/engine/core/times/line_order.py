"""Which of two lines of logs came later: by their moments, and by their order in one file where those do not tell.

Times of day may be of two days, and an hour comes twice where the clock leaves summer time.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from parsers.records import DAY_US

_MINUTE_US: Final = 60_000_000


class Stand(NamedTuple):
    """Where a line stands: its moment by the clock of its host (us), that clock's zone, its file and line."""

    at: int | None
    zone_min: int | None
    artifact: int
    line: int


def is_behind(one: Stand, other: Stand) -> bool:
    """Whether the first came later; within one moment, or where a moment is missing: whether it stands below."""
    at, than = one.at, other.at
    if one.artifact == other.artifact and at is not None and than is not None:
        if max(at, than) < DAY_US:
            return one.line > other.line
        if None not in (one.zone_min, other.zone_min) and one.zone_min != other.zone_min:
            at, than = _utc(at, one.zone_min), _utc(than, other.zone_min)
    if at is None or than is None or at == than:
        return one[2:] > other[2:]
    return at > than


def _utc(at: int, zone_min: int | None) -> int:
    return at - _MINUTE_US * (zone_min or 0)
