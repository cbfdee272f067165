"""How full something is, from a share: the same limits for every tool that shows one."""

from __future__ import annotations

from typing import Final

from parsers.records.states import RoomStanding

TIGHT: Final = 95.0
FULL: Final = 99.5
"""Per cent; tools round up, so that the last half is left out."""
PAGING_TIGHT: Final = 80.0
PAGING_SPENT: Final = 95.0
PAGING_FULL: Final = 99.0
"""Of paging space, which fills within minutes once memory runs out: proposed, like the rest."""


def room_standing(share: float | None, *, is_limit: bool = False) -> RoomStanding:
    """What a share in per cent comes to. is_limit: of a limit that one user or group has, not of all that there is."""
    if share is None:
        return "unknown"
    if share >= FULL:
        return "spent" if is_limit else "full"
    return "tight" if share >= TIGHT else "free"


def paging_standing(share: float) -> RoomStanding:
    """What a share of paging space in per cent comes to."""
    if share >= PAGING_SPENT:
        return "full" if share >= PAGING_FULL else "spent"
    return "tight" if share >= PAGING_TIGHT else "free"
