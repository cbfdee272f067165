"""Lines, figures and parts of confidence that the Scale rules share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from apps.diagnosis.engine.core.model import Part, Ref
from apps.diagnosis.engine.core.wording import plural
from apps.diagnosis.engine.scale.chains import Group

if TYPE_CHECKING:
    from apps.diagnosis.engine.scale.spans import SpanTable

LINES: Final = 7
EXAMPLES: Final = 2


def lines_of(*families: Iterable[Group], most: int = LINES) -> tuple[Ref, ...]:
    """The longest waits of each family, family after family, then more of them."""
    ranked = [sorted(family, key=lambda g: (-g.longest_s, g.ref.artifact, g.ref.line)) for family in families]
    refs = [group.ref for family in ranked for group in family[:EXAMPLES]]
    refs += [group.ref for family in ranked for group in family[EXAMPLES:]]
    return tuple(dict.fromkeys(refs))[:most]


def span_of(groups: Sequence[Group]) -> tuple[int | None, int | None]:
    """First start and last moment of some waits."""
    starts = [group.start for group in groups if group.start is not None]
    ends = [group.end for group in groups if group.end is not None]
    return min(starts, default=None), max(ends, default=None)


def zone_of(groups: Sequence[Group]) -> int | None:
    """The zone, where all name the same."""
    zones = {group.zone_min for group in groups if group.zone_min is not None}
    return zones.pop() if len(zones) == 1 else None


def nodes_of(groups: Iterable[Group]) -> tuple[str, ...]:
    """Named nodes of some waits."""
    return tuple(sorted({group.node for group in groups if group.node}))


def shown(node: str | None) -> str:
    """A node in a sentence."""
    return node or "an unnamed node"


def dumps_part(groups: Sequence[Group]) -> Part:
    """One dump cannot tell a hang from a slow moment."""
    dumps = max((group.dumps for group in groups), default=0)
    if dumps >= 2:
        return Part("agreement", 1.0, f"the same waits stand in {dumps} dumps")
    return Part("agreement", 0.85, "one dump only: whether the waits go on is not seen")


def other_disks(table: SpanTable, node: int, disk: str, slow_s: float) -> tuple[int, int]:
    """Other disks of a node with I/O waits: how many, and how many of them slow."""
    longest: dict[str, float] = defaultdict(float)
    for row in table.io:
        if row.node == node and row.disk is not None and row.disk != disk:
            longest[row.disk] = max(longest[row.disk], row.longest_s)
    return len(longest), sum(seconds >= slow_s for seconds in longest.values())


def slow_too(others: int, slow: int) -> str:
    """How many of a server's other disks are slow: "2 of 5 other disks of the server are slow"."""
    if others == 1:
        return "the other disk of the server is slow"
    return f"{slow} of {plural(others, 'other disk')} of the server {'is' if slow == 1 else 'are'} slow"


def disks_part(others: int, slow: int) -> Part:
    """Whether the trouble is of this disk alone."""
    if slow:
        return Part("completeness", 0.8, f"{slow_too(others, slow)} too")
    if others:
        return Part("completeness", 1.0, f"{plural(others, 'other disk')} of the same server answer quickly")
    return Part("completeness", 0.95, "no other disk of the server shows in the dumps")
