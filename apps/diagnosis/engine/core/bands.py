"""Bands of the time axis: from the message that says that a node is out, that quorum is lost or that fencing began, to
the one that ends it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from apps.diagnosis.engine.core.words.knowledge import rows_of
from parsers.dataclass import dataclass
from parsers.messages.catalogue import meanings


@dataclass(frozen=True, slots=True)
class Band:
    """Kinds of messages that begin and end a stretch."""

    label: str
    begins: frozenset[str]
    ends: frozenset[str]

    def ended_by(self, kind: str) -> frozenset[str]:
        """Kinds that end what a message of this kind began."""
        own = meanings()[kind].ended_by if kind in meanings() else ()
        return self.ends.union(own) - {kind}

    @property
    def kinds(self) -> frozenset[str]:
        own = (end for kind in self.begins if kind in meanings() for end in meanings()[kind].ended_by)
        return self.begins | self.ends | frozenset(own)


@cache
def bands() -> Mapping[str, Band]:
    """By name, in the order of their lanes. A message that no catalogue has stops the start."""
    found = {
        name: Band(row["label"], frozenset(row["begins"]), frozenset(row["ends"]))
        for name, row in rows_of("bands").items()
    }
    for name, band in found.items():
        if unknown := (band.begins | band.ends) - set(meanings()):
            raise ValueError(f"bands: {name} names messages that no catalogue has: {', '.join(sorted(unknown))}")
    return found
