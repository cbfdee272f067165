"""Room in Spectrum Scale file systems: space for data and metadata, inodes of file systems and filesets, as last shown."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import polars as pl

from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.store import Facts
from parsers.records import Counter

USED: Final = "Number of used inodes"
MOST: Final = "Maximum number of inodes"
_SIZED = re.compile(r"(data|metadata|total|pool (\S{1,200})(?: (data|metadata))?) (size|free)$")


@dataclass(frozen=True, slots=True)
class Room:
    """How much of something is taken. ``what``: data | metadata | total | inodes; ``name``: of the pool or the fileset."""

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

    @cached_property
    def _last(self) -> dict[tuple[str, str | None, str], tuple[float, Ref]]:
        wanted = pl.col("source").is_in(["mmdf", "mmlspool", "mmlsfileset"]) & pl.col("value").is_not_null()
        rows = self._store.scan(Counter).filter(wanted).sort("artifact", "line").collect()
        return {
            (row["source"], row["scope"], row["name"]): (row["value"], Ref(row["artifact"], row["line"]))
            for row in rows.iter_rows(named=True)
        }

    @cached_property
    def space(self) -> tuple[Room, ...]:
        """Space by file system, kind and pool."""
        found: dict[tuple[str | None, str, str | None], dict[str, Any]] = {}
        for (source, fs, name), (value, ref) in self._last.items():
            match = _SIZED.match(name) if source != "mmlsfileset" else None
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
        for fs in dict.fromkeys(scope for source, scope, _ in self._last if source == "mmdf"):
            used, most = self._last.get(("mmdf", fs, USED)), self._last.get(("mmdf", fs, MOST))
            if used and most and most[0] > 0:
                found.append(Room(fs, "inodes", None, most[0], most[0] - used[0], (used[1], most[1])))
        for scope in dict.fromkeys(scope for source, scope, _ in self._last if source == "mmlsfileset"):
            room = self._of_fileset(scope or "")
            if room is not None:
                found.append(room)
        return tuple(found)

    def _of_fileset(self, scope: str) -> Room | None:
        """Used inodes are printed, or they are what is allocated and not free; without either, nothing is known."""
        most, alloc, used, free = (
            self._last.get(("mmlsfileset", scope, name)) for name in ("maxInodes", "allocInodes", "usedInodes", "freeInodes")
        )
        taken = used[0] if used else alloc[0] - free[0] if alloc and free else None
        if most is None or taken is None or most[0] <= 0:
            return None
        fs, _, name = scope.partition(":")
        refs = tuple(dict.fromkeys(one[1] for one in (most, used, free) if one))
        return Room(fs or None, "inodes", name, most[0], most[0] - taken, refs)
