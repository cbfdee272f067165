"""How badly a VxFS file system is cut up, from its reports: three factors, the indices of later releases, and how full
it is.

Shares of free space below 8 and below 64 blocks come from the report, or from its table of free extents. The third
factor is measured against the whole file system, so a nearly full one always fails it, however well its free space lies
together: that is told apart.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final, Literal

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import Meaning, metric
from parsers.dataclass import dataclass
from parsers.records.states import Room

EXTENTS: Final = metric("vxfs-extents")
DIRECTORIES: Final = metric("vxfs-directories")
State = Literal["bad", "moderate", "good", "full", "nearly_full", "extend_first", "unknown"]
FREE_INDEX: Final = "free space fragmentation index"
INDICES: Final = (FREE_INDEX, "file fragmentation index")
_CELL: Final = "free extents of "
_BELOW: Final = "free blocks in extents smaller than "


@dataclass(frozen=True)
class Report:
    """One report of a mount. ``figures`` by name as the tool prints them, with their lines."""

    node: str | None
    scope: str | None
    at: int | None
    zone_min: int | None
    ref: Ref
    figures: dict[str, tuple[float, Ref]]
    free_share: float | None
    free_ref: Ref | None

    def figure(self, name: str) -> float | None:
        """A figure of the report."""
        found = self.figures.get(name)
        return found[0] if found is not None else None

    @cached_property
    def cells(self) -> dict[int, float]:
        """Number of free extents by their size in blocks."""
        return {
            int(name.removeprefix(_CELL)): value for name, (value, _) in self.figures.items() if name.startswith(_CELL)
        }

    @cached_property
    def table_blocks(self) -> float:
        """Free blocks as the table adds up."""
        return sum(size * count for size, count in self.cells.items())

    @property
    def is_cut(self) -> bool:
        """The table does not add up to the printed total, or to the printed shares: rows are missing."""
        total = self.figure("total free blocks")
        if not self.cells:
            return False
        if total is not None and self.table_blocks != total:
            return True
        return any(
            (printed := self.figure(f"{_BELOW}{size}")) is not None
            and (own := self._own_share(size)) is not None
            and abs(printed - own) > 0.011
            for size in (8, 64)
        )

    def _own_share(self, size: int) -> float | None:
        blocks = self.table_blocks
        return 100 * sum(one * count for one, count in self.cells.items() if one < size) / blocks if blocks else None

    def below(self, size: int) -> float | None:
        """Per cent of the free space in extents smaller than so many blocks: as printed, else from a whole table."""
        printed = self.figure(f"{_BELOW}{size}")
        if printed is not None:
            return printed
        return None if self.is_cut else self._own_share(size)

    @property
    def large_share(self) -> float | None:
        """Per cent of the whole file system that is free in extents of 64 blocks or more."""
        below = self.below(64)
        return None if below is None or self.free_share is None else (100 - below) / 100 * self.free_share

    def lines(self) -> tuple[Ref, ...]:
        """The lines that decide."""
        names = [f"{_BELOW}8", f"{_BELOW}64", "total free blocks", f"{_CELL}1", f"{_CELL}64"]
        shown = [self.figures[name][1] for name in names if name in self.figures]
        return tuple(dict.fromkeys((self.ref, *shown, *((self.free_ref,) if self.free_ref else ()))))

    def state(self, limits: Limits) -> State:
        """The verdict of the three factors."""
        small, medium, large = self.below(8), self.below(64), self.large_share
        if small is None and medium is None:
            return "unknown"
        if (small or 0) > limits.bad_below_8 or (medium or 0) > limits.bad_below_64:
            return (
                "extend_first" if self.free_share is not None and self.free_share < limits.nearly_full_free else "bad"
            )
        if large is not None and large < limits.large_share:
            return "full" if (self.free_share or 0) < limits.full_free else "nearly_full"
        is_good = (small or 0) < limits.good_below_8 and (medium or 0) < limits.good_below_64
        return "good" if is_good else "moderate"


class FragmentationReports:
    """Reports of a case on extents and directories."""

    def __init__(self, records: Records) -> None:
        self._records = records

    @cached_property
    def extents(self) -> tuple[Report, ...]:
        """``fsadm -E`` and ``df -o s``, in the order of time, else of the text."""
        return tuple(self._reports(EXTENTS))

    @cached_property
    def directories(self) -> tuple[Report, ...]:
        """``fsadm -D``."""
        return tuple(report for report in self._reports(DIRECTORIES) if "blocks to reduce" in report.figures)

    def _reports(self, metric: Meaning) -> list[Report]:
        found: dict[tuple[int, int], Report] = {}
        for row in self._records.frame(metric, pl.col("value").is_not_null()).iter_rows(named=True):
            key = (row["artifact"], row["sample"])
            if key not in found:
                free = self._free_share(row["node"], row["scope"])
                ref = Ref(row["artifact"], row["sample"] or row["line"])
                found[key] = Report(row["node"], row["scope"], row["at"], row["zone_min"], ref, {}, *free)
            found[key].figures.setdefault(row["name"], (row["value"], Ref(row["artifact"], row["line"])))
        return sorted(
            found.values(), key=lambda report: (report.at is None, report.at or 0, report.ref.artifact, report.ref.line)
        )

    def _free_share(self, node: str | None, scope: str | None) -> tuple[float | None, Ref | None]:
        """How much of a file system is free, by ``df``; None where it is not shown."""
        if scope is None:
            return None, None
        own = (node, scope) if node is not None and (node, scope) in self._rooms else (None, scope)
        room = self._rooms.get(own)
        if room is None or room.share is None:
            return None, None
        return room.left if room.left is not None else 100 - room.share, room.ref

    @cached_property
    def _rooms(self) -> dict[tuple[str | None, str | None], Room]:
        """The last row of each file system that tells its share, by node and mount; by no node: of any node."""
        found: dict[tuple[str | None, str | None], Room] = {}
        for room in self._records.of(Room):
            if room.sort == "file system":
                for node in {room.node, None}:
                    if room.share is not None or (node, room.name) not in found:
                        found[node, room.name] = room
        return found
