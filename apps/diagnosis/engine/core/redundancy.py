"""What still serves where a part is lost: a disk whose group has no volume that stands still took a copy with it, and
no data.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from parsers.records import StorageState

_SERVES = ("healthy", "hint")


def with_what_is_left(states: Iterable[StorageState]) -> Iterator[StorageState]:
    """The states; a failed disk is one of a mirror where volumes of its group are listed on its node and all work."""
    found = list(states)
    volumes = defaultdict[tuple[str | None, str], set[str]](set)
    for one in found:
        if one.sort == "volume" and one.of:
            volumes[one.node, one.of].add(one.standing)
    for one in found:
        standings = volumes.get((one.node, one.of or ""), set())
        if one.sort == "disk" and one.standing == "failed" and standings and standings <= set(_SERVES):
            yield replace(one, sort="mirrored disk")
        else:
            yield one
