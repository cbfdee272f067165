"""The event of a message that the catalogue knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypedDict, Unpack

from parsers.records import Event

if TYPE_CHECKING:
    from parsers.catalogue import Found
    from parsers.open_section import OpenSection

TEXT_KEPT: Final = 400


class OfLine(TypedDict, total=False):
    """What the line of a message tells by itself; else that of the section holds."""

    node: str | None
    at: int | None
    zone_min: int | None


def add_message(
    section: OpenSection, line: int, found: Found, *, source: str, text: str, **of_line: Unpack[OfLine]
) -> None:
    """Put out what a message says, with the beginning of its text."""
    section.add(
        Event,
        line,
        source=source,
        kind=found.kind,
        about=found.about,
        value=found.value,
        unit=found.unit,
        weight=found.weight,
        text=text[:TEXT_KEPT],
        **of_line,
    )
