"""Paths to disks: what the logs of hosts say of them, what tables show, and which maps queue while no path is left."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import polars as pl

from apps.diagnosis.engine.core.events import Events, by_node
from apps.diagnosis.engine.core.metrics import setting
from apps.diagnosis.engine.core.records import Records
from apps.diagnosis.engine.core.settings import Settings
from parsers.records import DiskPath, PathLayer

MAPS: Final = setting("multipath-maps")
LOST: Final = ("path-failed", "path-offline", "path-checker-timeout", "rport-lost")
KINDS: Final = (*LOST, "path-restored", "paths-remaining", "map-recovery-mode")


@dataclass(frozen=True, slots=True)
class PathTable:
    """Paths of one map as a node shows them."""

    node: str | None
    map: str | None
    layer: PathLayer
    paths: Sequence[DiskPath]

    @property
    def down(self) -> list[DiskPath]:
        """Those that can not be used."""
        return [path for path in self.paths if path.standing == "down"]


class DiskPaths:
    """Paths to disks in one case."""

    def __init__(self, records: Records, events: Events, settings: Settings) -> None:
        self._records = records
        self._events = events
        self._settings = settings

    @cached_property
    def logged(self) -> tuple[tuple[str | None, pl.DataFrame], ...]:
        """Lines of logs on paths, node by node; Linux writes them for device-mapper."""
        return tuple(by_node(self._events.of(KINDS)))

    @cached_property
    def tables(self) -> tuple[PathTable, ...]:
        """Maps in the order of the text."""
        groups: dict[tuple[str | None, str | None, PathLayer], list[DiskPath]] = defaultdict(list)
        for path in self._records.of(DiskPath):
            groups[path.node, path.map, path.layer].append(path)
        return tuple(PathTable(*key, paths) for key, paths in groups.items())

    @cached_property
    def lossy_layers(self) -> tuple[PathLayer, ...]:
        """What joins the paths that failed, each once."""
        logged: list[PathLayer] = ["device-mapper"] if self.logged else []
        return tuple(dict.fromkeys([*logged, *(table.layer for table in self.tables if table.down)]))

    @cached_property
    def queueing(self) -> tuple[dict[str, Any], ...]:
        """Features of maps that queue when no path is left, in the order of the text."""
        rows = self._settings.of(MAPS).filter(pl.col("name") == "features")
        return tuple(row for row in rows.iter_rows(named=True) if "queue_if_no_path" in row["value"])

    def under(self, device: str) -> list[str]:
        """Paths of a map, by its name or its dm device."""
        maps = self._settings.of(MAPS).filter((pl.col("name") == "dm") & (pl.col("value") == device))["scope"].to_list()
        return sorted({one.device for one in self._records.of(DiskPath) if one.device and one.map in (device, *maps)})
