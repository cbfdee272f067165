"""Votes that are missing in a cluster that goes on without them, as its tools count them."""

from __future__ import annotations

from collections.abc import Mapping

from parsers.records import Event
from parsers.sections.reader import OpenSection


def put_missing_votes(section: OpenSection, line: int, source: str, keys: Mapping[str, str], node: str | None) -> None:
    """An ``Event`` where fewer votes are there than are expected. keys: as printed, with their values."""
    there, expected = keys.get("Total votes", ""), keys.get("Expected votes", "")
    if there.isdigit() and expected.isdigit() and int(there) < int(expected):
        votes = f"{there} of {expected}"
        section.add(
            Event,
            line,
            node=section.node or node,
            source=source,
            kind="votes-missing",
            about=votes,
            text=f"Total votes {votes}",
        )
