"""Lines, times and nodes of waits as the Scale rules show them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from apps.diagnosis.engine.core.facts.nodes import nodes_in
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.scale.groups import Group
from apps.diagnosis.engine.scale.spans import SpanTable

LINES: Final = 7
EXAMPLES: Final = 2


def lines_of(*families: Iterable[Group], most: int = LINES) -> tuple[Ref, ...]:
    """The longest waits of each family, family after family, then more of them."""
    ranked = [sorted(family, key=lambda g: (-g.longest_s, g.ref.artifact, g.ref.line)) for family in families]
    refs = [group.ref for family in ranked for group in family[:EXAMPLES]]
    refs += [group.ref for family in ranked for group in family[EXAMPLES:]]
    return tuple(dict.fromkeys(refs))[:most]


def span_of(groups: Iterable[Group]) -> tuple[int | None, int | None]:
    """First start and last moment of some waits."""
    known = list(groups)
    starts = [group.start for group in known if group.start is not None]
    ends = [group.end for group in known if group.end is not None]
    return min(starts, default=None), max(ends, default=None)


def zone_of(groups: Iterable[Group]) -> int | None:
    """The zone, where all name the same."""
    zones = {group.zone_min for group in groups if group.zone_min is not None}
    return zones.pop() if len(zones) == 1 else None


def nodes_of(groups: Iterable[Group]) -> tuple[str, ...]:
    """Named nodes of some waits."""
    return nodes_in(groups)


def waits_in(groups: Iterable[Group]) -> int:
    """How many waits some groups stand for."""
    return sum(group.waits for group in groups)


def longest_of(groups: Iterable[Group]) -> float:
    """The longest wait in seconds, 0 where there is none."""
    return max((group.longest_s for group in groups), default=0.0)


def dumps_of(groups: Iterable[Group]) -> int:
    """In how many dumps the same wait stands, at most."""
    return max((group.dumps for group in groups), default=0)


def repeated(groups: Sequence[Group]) -> str:
    """The factor of the confidence: one dump cannot tell a hang from a slow moment."""
    return "lasting" if dumps_of(groups) > 1 else "once"


def other_disks(table: SpanTable, node: int, disk: str, slow_s: float) -> tuple[int, int]:
    """Other disks of a node with I/O waits: how many, and how many of them slow."""
    longest: dict[str, float] = defaultdict(float)
    for row in table.io:
        if row.node == node and row.disk is not None and row.disk != disk:
            longest[row.disk] = max(longest[row.disk], row.longest_s)
    return len(longest), sum(seconds >= slow_s for seconds in longest.values())


def counted(words: Iterable[str]) -> tuple[str, ...]:
    """How often each word stands there, the most frequent first: ``3 × failed path``; alone where it came once."""
    tally = sorted(Counter(words).items(), key=lambda item: (-item[1], item[0]))
    return tuple(f"{number} \u00d7 {word}" if number > 1 else word for word, number in tally)
