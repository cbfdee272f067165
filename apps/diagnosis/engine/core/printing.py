"""What a product needs to print its rows: the paths of the files and the clock."""

from __future__ import annotations

from typing import Protocol


class Moments(Protocol):
    """How instants are printed."""

    def text(self, us: int | None, zone_min: int | None) -> str | None:
        """RFC 3339, or a time of day where the date is unknown."""


class Printer(Protocol):
    """The output that is written."""

    @property
    def clock(self) -> Moments:
        """How its instants are printed."""

    def path(self, artifact: int) -> str:
        """Display path of an artifact."""
