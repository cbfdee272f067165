"""The event of a message that the catalogue knows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, TypedDict, Unpack

from parsers.records import Event, NodeNamed

if TYPE_CHECKING:
    from parsers.messages.catalogue import Found
    from parsers.sections.open_section import OpenSection

TEXT_KEPT: Final = 400
_NAMES_KEPT: Final = 1000


class OfLine(TypedDict, total=False):
    """What the line of a message tells by itself; else that of the section holds."""

    node: str | None
    at: int | None
    zone_min: int | None


def add_message(
    section: OpenSection, line: int, found: Found, *, source: str, text: str, **of_line: Unpack[OfLine]
) -> None:
    """Put out what a message says, with the beginning of its text."""
    put_names(section, line, found, of_line.get("node", section.node))
    if found.on:
        of_line["node"] = found.on
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


def put_names(section: OpenSection, line: int, found: Found, node: str | None) -> None:
    """Nodes that a message names besides what it is about, each once in a section. node: the one that wrote it."""
    if not (found.peers or found.on):
        return
    name_nodes(section, line, (*found.peers.split(), *([found.on] if found.on else ())), node)


def name_nodes(section: OpenSection, line: int, names: Iterable[str], node: str | None) -> None:
    """Nodes that a line names, each once in a section. node: the one that wrote it."""
    known: set[str] = section.state.setdefault("named", set())
    for name in names:
        if name not in known and len(known) < _NAMES_KEPT:
            known.add(name)
            section.add(NodeNamed, line, node=node, named=name)
