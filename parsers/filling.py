"""How full something is, from a share: the same limits for every tool that shows one."""

from __future__ import annotations

from typing import Final

from parsers.records import RoomStanding

TIGHT: Final = 95.0
FULL: Final = 99.5
"""Per cent; tools round up, so that the last half is left out."""


def room_standing(share: float | None, *, is_limit: bool = False) -> RoomStanding:
    """What a share in per cent comes to. is_limit: of a limit that one user or group has, not of all that there is."""
    if share is None:
        return "unknown"
    if share >= FULL:
        return "spent" if is_limit else "full"
    return "tight" if share >= TIGHT else "free"
