"""Paths to disks: what the logs of hosts say of them, what tables show, and which maps queue while no path is left."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.events import Events, by_node
from apps.diagnosis.engine.core.facts.records import Records, cells, groups, in_order
from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.core.words.metrics import setting
from parsers.dataclass import dataclass
from parsers.records import Section, Setting
from parsers.records.states import DiskPath, PathLayer

MAPS: Final = setting("multipath-maps")
LOST: Final = ("path-failed", "path-offline", "path-checker-timeout", "rport-lost")
ERRORS: Final = ("io-error", "scsi-error", "io-timeout")
"""What a path that fails does to the requests on it."""
SEARCH: Final = r"\|\s*(?:[ef]?grep|awk|sed|findstr)\b|\bctlr=\S"
"""What stands behind a command whose rows are chosen by their words, or in one that lists a controller."""
KINDS: Final = (*LOST, "path-restored", "path-answers", "paths-remaining", "map-recovery-mode")


@dataclass(frozen=True, slots=True)
class PathTable:
    """Paths of one map as a node showed them last. before: the same map in earlier looks, the oldest first.

    is_filtered: a search stood behind the command, so that others may be hidden.
    """

    node: str | None
    map: str | None
    layer: PathLayer
    paths: Sequence[DiskPath]
    before: Sequence[Sequence[DiskPath]] = ()
    is_filtered: bool = False

    @property
    def down(self) -> list[DiskPath]:
        """Those that can not be used."""
        return [path for path in self.paths if path.standing == "down"]

    @property
    def once_down(self) -> list[DiskPath]:
        """Those that an earlier look showed as lost."""
        return [path for look in self.before for path in look if path.standing == "down"]

    @property
    def seen_at(self) -> int | None:
        """When it was looked at last."""
        return self.paths[0].at


class DiskPaths:
    """Paths to disks in one case."""

    def __init__(self, records: Records, events: Events, settings: Settings) -> None:
        self._records = records
        self._events = events
        self._settings = settings

    @cached_property
    def logged(self) -> tuple[tuple[str | None, pl.DataFrame], ...]:
        """Lines of logs on paths, node by node; Linux writes them for device-mapper.

        A device that went offline is one of its paths only where something else of the case speaks of paths.
        """
        has_maps = any(path.layer == "device-mapper" for path in self._records.of(DiskPath))
        return tuple(
            (node, rows)
            for node, rows in by_node(self._events.of(KINDS))
            if has_maps or set(rows["kind"].unique()) - {"path-offline", "path-answers"}
        )

    @cached_property
    def tables(self) -> tuple[PathTable, ...]:
        """Maps in the order of the text."""
        groups: dict[tuple[str | None, str | None, PathLayer, int | None], list[DiskPath]] = defaultdict(list)
        for path in self._records.of(DiskPath):
            text = path.artifact if path.node is None else None  # two texts that name no node may be of two
            groups[path.node, path.map, path.layer, text].append(path)
        return tuple(
            PathTable(node, name, layer, looks[-1], looks[:-1], self._is_filtered(looks[-1]))
            for (node, name, layer, _), paths in groups.items()
            for looks in [_of_one(_looks(paths), node)]
        )

    def _is_filtered(self, paths: Sequence[DiskPath]) -> bool:
        """Whether a search chose the rows: where it left only paths that are down, the others of the map are hidden."""
        return all(path.standing == "down" for path in paths) and any(
            path.artifact == artifact and first <= path.line <= last
            for path in paths
            for artifact, first, last in self._searches
        )

    @cached_property
    def _searches(self) -> tuple[tuple[int, int, int], ...]:
        """Sections whose command hands its rows to a search for words, by their lines."""
        if not self._records.has(Section):
            return ()
        searched = pl.col("command").str.contains(SEARCH)
        rows = self._records.scan(Section).filter(searched).select("artifact", "line", "last_line").collect()
        return tuple(rows.iter_rows())

    @cached_property
    def lossy_layers(self) -> tuple[PathLayer, ...]:
        """What joins the paths that failed and are not back, each once."""
        logged: list[PathLayer] = ["device-mapper"] if any(not are_back(rows) for _, rows in self.logged) else []
        return tuple(dict.fromkeys([*logged, *(table.layer for table in self.tables if table.down)]))

    @cached_property
    def queueing(self) -> tuple[Setting, ...]:
        """Features of maps that queue when no path is left, in the order of the text."""
        is_features = pl.col("name") == "features"
        return tuple(one for one in self._settings.shown(MAPS, is_features) if "queue_if_no_path" in one.value)

    def errors_on(self, node: str | None, devices: Collection[str]) -> list[tuple[int, int]]:
        """A line of each kind of errors that a node logged of these devices and of no other ones: their paths are
        what fails.
        """
        own = set(devices)
        return [line for line, abouts in self._errors.get(node, {}).values() if abouts <= own]

    @cached_property
    def _errors(self) -> dict[str | None, dict[str, tuple[tuple[int, int], set[str]]]]:
        """By node and kind of errors: the first line, and the devices of which all of them speak."""
        found: dict[str | None, dict[str, tuple[tuple[int, int], set[str]]]] = defaultdict(dict)
        rows = in_order(self._events.of(ERRORS), pl.col("about").is_not_null())
        for node, kind, about, *line in cells(rows, "node", "kind", "about", "artifact", "line"):
            _, abouts = found[node].setdefault(kind, ((line[0], line[1]), set()))
            abouts.add(about)
        return found

    def shown_lost(self, node: str | None) -> frozenset[str]:
        """Devices of paths that the tables of a node show as down."""
        return frozenset(
            path.device for table in self.tables if table.node == node for path in table.down if path.device
        )

    def under(self, device: str) -> list[str]:
        """Paths of a map, by its name or its dm device."""
        maps = self._settings.of(MAPS).filter((pl.col("name") == "dm") & (pl.col("value") == device))["scope"].to_list()
        return sorted({one.device for one in self._records.of(DiskPath) if one.device and one.map in (device, *maps)})


def _of_one(looks: list[list[DiskPath]], node: str | None) -> list[list[DiskPath]]:
    """Those of one node in their order. Where nobody tells node and time a later look may be of another: then the worst
    stands for all.
    """
    if node is not None or all(look[0].at is not None for look in looks):
        return looks
    return [max(looks, key=lambda look: sum(path.standing == "down" for path in look))]


def _looks(paths: Sequence[DiskPath]) -> list[list[DiskPath]]:
    """Looks at one map, in the order of their times where all have one: a path that comes again, or "no path", begins
    the next.
    """
    looks: list[list[DiskPath]] = []
    seen: set[tuple[str | None, str | None]] = set()
    for path in paths:
        key = (path.device, path.address)
        if not looks or key in seen or path.device is None or looks[-1][0].device is None or path.at != looks[-1][0].at:
            looks.append([])
            seen = set()
        seen.add(key)
        looks[-1].append(path)
    times = [look[0].at for look in looks]
    if None in times:
        return looks
    return sorted(looks, key=lambda look: look[0].at or 0)


def are_back(rows: pl.DataFrame) -> bool:
    """Whether the log ends with as many paths as it ever counted, or with as many that came back as were lost."""
    in_order = rows.sort("at", "artifact", "line", nulls_last=True)
    lost = in_order.filter(pl.col("kind").is_in(LOST))
    restored = in_order.filter(pl.col("kind").is_in(["path-restored", "path-answers"]))
    if restored.is_empty() or in_order["kind"].to_list()[-1] in LOST:
        return False
    for _, counted in groups(in_order.filter(pl.col("kind") == "paths-remaining"), "about"):
        active = counted["value"].drop_nulls().to_list()
        if active and active[-1] < max(active):
            return False
    active = in_order.filter(pl.col("kind") == "paths-remaining")["value"].drop_nulls().to_list()
    return bool(active and active[-1]) if active else restored.height >= lost.height
