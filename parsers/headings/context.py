"""What the structure above a line says about it."""

from __future__ import annotations

from typing import Final, NamedTuple

from parsers.headings.transcript import Command
from parsers.times.clock import Instant

RESUME_LINES: Final = 25
"""A prompt this near above a section belongs to it; a parser goes on with its section over so many stray lines."""
HINTED: Final = frozenset(("unknown", "path", "ordinal"))
"""Bases of a node that give way to what the text itself says."""


class Context(NamedTuple):
    """What the structure above a line says about it. ``epoch`` grows with every structural line."""

    node: str | None = None
    node_basis: str = "unknown"
    clock: Instant | None = None
    command: Command | None = None
    prompt_line: int = 0
    epoch: int = 0
