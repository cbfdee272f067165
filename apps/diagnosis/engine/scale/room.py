"""Room in Spectrum Scale file systems: space for data and metadata, inodes of file systems and filesets, as
last shown.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any, Final

import polars as pl

from apps.diagnosis.engine.core.facts.records import in_order, of_meaning
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.metrics import Meaning, metric
from parsers.dataclass import dataclass
from parsers.records import Counter

USED: Final = "Number of used inodes"
MOST: Final = "Maximum number of inodes"
SPACE: Final = metric("file-system-space")
INODES: Final = metric("file-system-inodes")
FILESETS: Final = metric("fileset-inodes")
Last = dict[tuple[str | None, str], tuple[float, Ref]]
_SIZED = re.compile(r"(data|metadata|total|pool (\S{1,200})(?: (data|metadata))?) (size|free)$")


@dataclass(frozen=True, slots=True)
class Room:
    """How much of something is taken. ``what``: data | metadata | total | inodes; ``name``: of the pool or
    the fileset.
    """

    fs: str | None
    what: str
    name: str | None
    size: float
    free: float
    refs: tuple[Ref, ...]

    @property
    def free_share(self) -> float:
        """From 0, full, to 1."""
        return max(0.0, self.free) / self.size if self.size > 0 else 1.0


class ScaleRoom:
    """Room of one case."""

    def __init__(self, store: Facts) -> None:
        self._store = store

    def _last(self, metric: Meaning) -> Last:
        """The last value by scope and name, the first ones seen first."""
        if not self._store.has(Counter):
            return {}
        has_value = pl.col("value").is_not_null()
        if (few := self._store.few(Counter)) is not None:
            rows = in_order(of_meaning(few, metric), has_value)
        else:
            rows = self._store.scan(Counter).filter(metric.rows & has_value).sort("artifact", "line").collect()
        return {
            (row["scope"], row["name"]): (row["value"], Ref(row["artifact"], row["line"]))
            for row in rows.iter_rows(named=True)
        }

    @cached_property
    def space(self) -> tuple[Room, ...]:
        """Space by file system, kind and pool."""
        found: dict[tuple[str | None, str, str | None], dict[str, Any]] = {}
        for (fs, name), (value, ref) in self._last(SPACE).items():
            match = _SIZED.match(name)
            if match is None:
                continue
            what = match[3] or ("pool" if match[2] else match[1])
            own = found.setdefault((fs, what, match[2]), {"refs": []})
            own[match[4]] = value
            own["refs"].append(ref)
        return tuple(
            Room(fs, what, pool, own["size"], own["free"], tuple(dict.fromkeys(own["refs"])))
            for (fs, what, pool), own in found.items()
            if own.get("size") and "free" in own
        )

    @cached_property
    def inodes(self) -> tuple[Room, ...]:
        """Inodes that may still be used, up to the limit, by file system and by fileset."""
        found: list[Room] = []
        last = self._last(INODES)
        for fs in dict.fromkeys(scope for scope, _ in last):
            used, most = last.get((fs, USED)), last.get((fs, MOST))
            if used and most and most[0] > 0:
                found.append(Room(fs, "inodes", None, most[0], most[0] - used[0], (used[1], most[1])))
        filesets = self._last(FILESETS)
        for scope in dict.fromkeys(scope for scope, _ in filesets):
            room = _of_fileset(scope or "", filesets)
            if room is not None:
                found.append(room)
        return tuple(found)


def _of_fileset(scope: str, last: Last) -> Room | None:
    """Used inodes are printed, or they are what is allocated and not free; without either, nothing is known."""
    most, alloc, used, free = (
        last.get((scope, name)) for name in ("maxInodes", "allocInodes", "usedInodes", "freeInodes")
    )
    taken = used[0] if used else alloc[0] - free[0] if alloc and free else None
    if most is None or taken is None or most[0] <= 0:
        return None
    fs, _, name = scope.partition(":")
    refs = tuple(dict.fromkeys(one[1] for one in (most, used, free) if one))
    return Room(fs or None, "inodes", name, most[0], most[0] - taken, refs)
