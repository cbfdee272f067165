"""What each level of a link gives. All else follows from these few answers."""

from __future__ import annotations

from typing import Final

from apps.sharing.models import ShareLink
from parsers.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Level:
    """Who a link is for, and what its pages hold."""

    name: str
    label: str
    words: str
    gives: tuple[str, ...]
    needs_account: bool = False
    is_masked: bool = False
    shows_raw: bool = False
    """Raw text, notes and doubts: everything that the team sees, read only."""


LEVELS: Final = {
    level.name: level
    for level in (
        Level(
            ShareLink.Level.COLLEAGUE,
            "Colleague",
            "Whoever is signed in and holds the link sees what you see, read only.",
            ("all names", "raw text", "notes", "no bundle download"),
            needs_account=True,
            shows_raw=True,
        ),
        Level(
            ShareLink.Level.DEVELOPMENT,
            "Development",
            "Enough to read the waits, nothing that names the customer.",
            ("stand-in names", "no raw files", "no notes"),
            is_masked=True,
        ),
        Level(
            ShareLink.Level.CUSTOMER,
            "Customer",
            "Their own names stay; our notes, doubts and history go.",
            ("their names", "no raw files", "tunings"),
        ),
    )
}


def level_of(link: ShareLink) -> Level:
    """The level of a link."""
    return LEVELS[link.level]
