"""Rule on the way to the disks: paths that fail or flap, and maps that queue when none is left."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.events import Events, refs, zone_of
from apps.diagnosis.engine.core.facts.records import cells, groups
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.times.moments import at_all
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.wording import moment
from apps.diagnosis.engine.storage.disk_paths import LOST, DiskPaths, PathTable, are_back
from parsers.dataclass import dataclass
from parsers.records import Setting
from parsers.records.states import PathLayer

LINES_OF_PATHS: Final = 6
_NUMBERED: Final = re.compile(r"\bmultipath: (\d{1,5}:\d{1,7}): ")
_NAMED: Final = re.compile(r"^([\w.:+-]{1,128}): [\w!/-]{1,60} - ")
# Not as patterns of Polars, which spend 50 ms on making one that counts letters of any language so often.
_SPELLINGS: Final = (re.compile(r"\d{1,5}:\d{1,7}$"), re.compile(r"(?:\d{1,5}:){3}\d{1,9}$"))
# A path by its number, and by its address.


@dataclass(frozen=True, slots=True, kw_only=True)
class LogWords:
    """Path events of one node. last: the last instant where it differs from the first; active, fewest: paths left,
    where counted. gone: paths that were lost, so many of them at least.
    """

    node: str | None
    map: str
    layer: PathLayer
    changes: int
    flapping: int
    first: int | None
    last: int | None
    counted: bool
    active: float | None
    fewest: float | None
    queues: bool
    waiters: int
    gone: tuple[str, ...]
    lost: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TableWords:
    """A map as a table shows it. gone: devices of the paths that are down, where some are left."""

    node: str | None
    map: str | None
    layer: PathLayer
    active: int
    down: int
    paths: int
    queues: bool
    at: int | None
    gone: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BackWords:
    """A map whose lost paths a later look shows as usable again. at: the last look; lost_at: the one before that."""

    node: str | None
    map: str | None
    paths: int
    lost: int
    at: int | None
    lost_at: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueWords:
    """Maps that queue; the first by name."""

    node: str | None
    map: str | None
    maps: int


@rule("ST-05", needs=(DiskPaths, Events), words=(LogWords, TableWords, BackWords, QueueWords))
def multipath_masking(disks: DiskPaths, events: Events, limits: Limits) -> Iterator[Seen]:
    """Symptom: I/O stands still for a while, and the file system with it, without an error.

    Reasoning: paths that fail in the log or in a table of paths: none left is critical, flapping high, one lost medium.
    Source: Red Hat article 627823.
    """
    hung = _hung(events) if disks.logged else {}
    logged: dict[str | None, list[Ref]] = {}
    filtered = _filtered(disks)
    for node, rows in disks.logged:
        if _none_lost(rows):
            continue
        seen = _with_rows(_logged(disks, hung.get(node, ()), node, rows, limits), filtered.get(node, ()))
        lost = set(seen.words.gone)
        if seen.level in ("lost", "several") and not seen.words.counted and lost and lost <= disks.shown_lost(node):
            logged[node] = list(seen.lines)  # the table says the same of these paths, and more
        else:
            yield seen
    none_left = {node for node, rows in disks.logged if _none_left(rows).height}
    for table in _whole(disks, filtered):
        if table.down and (table.layer == "dmp" or table.node not in none_left or len(table.down) < len(table.paths)):
            yield _shown(table, disks, logged.pop(table.node, []))
        elif table.once_down and not table.down:
            yield _back(table)
    if disks.queueing:
        yield _queues(disks.queueing)


def _hung(events: Events) -> dict[str | None, list[int]]:
    """When tasks hung, by node."""
    found: dict[str | None, list[int]] = defaultdict(list)
    tasks = events.of(("hung-task",)).filter(pl.col("at").is_not_null())
    for node, at in tasks.select("node", "at").iter_rows():
        found[node].append(at)
    return found


def _queues(maps: Sequence[Setting]) -> Seen:
    return Seen(
        level="queues",
        words=QueueWords(node=maps[0].node, map=maps[0].scope, maps=len(maps)),
        lines=[one.ref for one in maps],
        most_lines=4,
        borne_by=(len(maps), 1),
        nodes={one.node for one in maps},
        parts=("configured",),
    )


def _logged(disks: DiskPaths, hung: Sequence[int], node: str | None, rows: pl.DataFrame, limits: Limits) -> Seen:
    left = rows.filter(pl.col("kind") == "paths-remaining")
    none = _none_left(rows)
    changes = rows.filter(pl.col("kind").is_in([*LOST, "path-restored"]))
    flapping = _most_turns(changes, limits.flap_s)
    decisive = none if none.height else changes if changes.height else rows
    waiters = _waiters_near(hung, decisive["at"].drop_nulls().to_list(), limits.waiter_s)
    active = left["value"].drop_nulls().to_list()
    times = sorted(rows["at"].drop_nulls().to_list())
    over = are_back(rows)
    gone = tuple(rows.filter(pl.col("kind").is_in(LOST))["about"].drop_nulls().unique(maintain_order=True))
    errors = [Ref(*line) for line in disks.errors_on(node, gone)]
    paths = _paths_of(gone)
    if none.height:
        level = "none"
    elif flapping >= limits.flaps:
        level = "flapping" if over or waiters else "unsteady"
    else:
        level = "several" if paths > 1 and not over else "lost"
    if over:
        level = {"none": "none_back" if waiters or errors else "none_back_quiet", "lost": "lost_back"}.get(level, level)
    return Seen(
        level=level,
        words=LogWords(
            node=node,
            map=_maps_of(left, rows),
            layer="device-mapper",
            changes=changes.height,
            flapping=flapping,
            first=times[0] if times else None,
            last=times[-1] if times and moment(times[0]) != moment(times[-1]) else None,
            counted=bool(active),
            active=active[-1] if active else None,
            fewest=min(active, default=None),
            queues=bool(disks.queueing),
            waiters=waiters,
            gone=_by_name(gone),
            lost=paths,
        ),
        lines=[*refs(decisive)[:LINES_OF_PATHS], *errors],
        most_lines=LINES_OF_PATHS + len(errors),
        borne_by=(decisive.height, 1),
        nodes=(node,),
        times=times,
        zone_min=zone_of(rows),
        tunings=_to_change("device-mapper", disks, has_none=bool(none.height)),
        parts=("waiters" if waiters else "alone",),
        weight=float(waiters) + 1,
    )


def _filtered(disks: DiskPaths) -> dict[str | None, list[PathTable]]:
    """By the node that logs their paths as lost: tables of rows that somebody filtered out of one."""
    found: dict[str | None, list[PathTable]] = defaultdict(list)
    lost = [
        (node, {about for kind, about in cells(rows, "kind", "about") if kind in LOST}) for node, rows in disks.logged
    ]
    for table in disks.tables:
        if (node := _teller(table, lost)) is not None:
            found[node].append(table)
    return found


def _whole(disks: DiskPaths, filtered: Mapping[str | None, Sequence[PathTable]]) -> Iterator[PathTable]:
    """Tables that no log speaks for."""
    gone = {id(table) for tables in filtered.values() for table in tables}
    return (table for table in disks.tables if id(table) not in gone)


def _with_rows(seen: Seen, tables: Sequence[PathTable]) -> Seen:
    """What a log tells, with rows of tables that show the same paths as down."""
    rows = [path.ref for table in tables for path in table.down]
    return replace(seen, lines=[*seen.lines, *rows], most_lines=seen.most_lines + len(rows))


def _teller(table: PathTable, lost: Sequence[tuple[str | None, set[str | None]]]) -> str | None:
    """The one node that logs as lost what somebody filtered out of a table, without its map and node."""
    gone = {path.device for path in table.down if path.device}
    if table.node is not None or table.map is not None or not gone:
        return None
    tellers = [node for node, paths in lost if gone <= paths]
    return tellers[0] if len(tellers) == 1 else None


def _maps_of(left: pl.DataFrame, rows: pl.DataFrame) -> str:
    """Names of the maps; their major and minor numbers where the kernel knows no names."""
    texts = rows["text"].drop_nulls().unique().to_list()
    named = ({found[1] for text in texts if (found := pattern.search(text))} for pattern in (_NAMED, _NUMBERED))
    names: set[str] = next(filter(None, chain([set(left["about"].drop_nulls())], named)), set())
    return " and ".join(sorted(names)[:3])


def _paths_of(gone: Sequence[str]) -> int:
    """How many paths these are at least: the kernel and multipathd call one path by its number, by
    its address and by its name."""
    paths = [one for one in gone if not one.startswith("rport")]
    spelt = [sum(spelling.match(one) is not None for one in paths) for spelling in _SPELLINGS]
    return max(*spelt, len(paths) - sum(spelt))


def _by_name(gone: Sequence[str]) -> tuple[str, ...]:
    """The paths in the spelling that names most of them: by their own names rather than by numbers and ports."""
    named = [one for one in gone if not one.startswith("rport") and not any(how.match(one) for how in _SPELLINGS)]
    return tuple(named) if named and len(named) == _paths_of(gone) else tuple(gone)


def _most_turns(changes: pl.DataFrame, seconds: float) -> int:
    """How often one path was lost or came back within a window of that length, at the most: a link that takes many
    paths away and brings them back is one turn of each, and a checker reports a path that stays down again and again.
    """
    is_lost = pl.col("kind").is_in(LOST)
    turns = changes.sort("at", "artifact", "line", nulls_last=True).filter(
        is_lost.ne_missing(is_lost.shift(1).over("about"))
    )
    by_path = turns.filter(pl.col("kind").eq("path-restored").any().over("about")).group_by("about")
    return max((_most_within(own["at"].to_list(), seconds) for _, own in by_path), default=0)


def _none_lost(rows: pl.DataFrame) -> bool:
    """Whether nothing but numbers of paths is logged, of maps that keep several: one is written when a path comes back
    too.
    """
    if not (rows["kind"] == "paths-remaining").all():
        return False
    return all(
        min(counts, default=0) > 1 and counts[-1] == max(counts)
        for counts in (
            own["value"].drop_nulls().to_list()
            for _, own in groups(rows.sort("at", "artifact", "line", nulls_last=True), "about")
        )
    )


def _none_left(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.filter((pl.col("kind") == "paths-remaining") & (pl.col("value") == 0))


def _most_within(times: list[int | None], seconds: float) -> int:
    """Most instants inside a window of that length; without times all of them count as apart."""
    known = sorted(at for at in times if at is not None)
    best = start = 0
    for index, at in enumerate(known):
        while at - known[start] > seconds * 1e6:
            start += 1
        best = max(best, index - start + 1)
    return best


def _waiters_near(hung: Sequence[int], times: Sequence[int], seconds: float) -> int:
    """Blocked tasks that the kernel reports near one of the instants; ``hung``: when it reported them."""
    near = at_all(times)
    return sum(near.has(at - seconds * 1e6, at + seconds * 1e6) for at in hung)


def _to_change(layer: PathLayer, disks: DiskPaths, *, has_none: bool) -> tuple[str, ...]:
    """Settings of device-mapper are no advice for other layers; how long to queue is one where no path was left, or
    where a map queues.
    """
    if layer != "device-mapper":
        return ()
    return ("no-path-retry", "path-timeouts") if has_none or disks.queueing else ("path-timeouts",)


def _shown(table: PathTable, disks: DiskPaths, logged: Sequence[Ref]) -> Seen:
    """A map with paths that a table shows as down. said: lines of the log that tell of them."""
    gone = tuple(dict.fromkeys(path.device for path in table.down if path.device))
    further = [*logged[:LINES_OF_PATHS], *(Ref(*line) for line in disks.errors_on(table.node, gone))]
    down, paths = len(table.down), len(table.paths)
    is_alone = down == paths
    # Without its map, or below a search, nobody knows whether these are all of its paths.
    none_left = is_alone and table.map is not None and not table.is_filtered
    if none_left:
        level = "all-down"
    elif is_alone and table.is_filtered:
        level = "filtered"
    else:
        level = "shown-down" if is_alone and paths > 1 else "some-down"
    return Seen(
        level=level,
        words=TableWords(
            node=table.node,
            map=table.map,
            layer=table.layer,
            active=paths - down,
            down=down,
            paths=paths,
            queues=table.layer == "device-mapper" and bool(disks.queueing),
            at=table.seen_at,
            gone=() if level in ("all-down", "shown-down") else gone,
        ),
        lines=[*[path.ref for path in [*table.down, *table.once_down]][:LINES_OF_PATHS], *further],
        most_lines=LINES_OF_PATHS + len(further),
        borne_by=(down, 1),
        nodes=(table.node,),
        tunings=_to_change(table.layer, disks, has_none=none_left),
        parts=("table",),
        weight=1.0,
    )


def _back(table: PathTable) -> Seen:
    """A map that had lost paths in an earlier look and has all of them in the last one."""
    lost = table.once_down
    return Seen(
        level="back",
        words=BackWords(
            node=table.node,
            map=table.map,
            paths=len(table.paths),
            lost=len({(path.device, path.address) for path in lost}),
            at=table.seen_at,
            lost_at=lost[-1].at,
        ),
        lines=[path.ref for path in lost],
        most_lines=6,
        borne_by=(len(lost), 1),
        nodes=(table.node,),
        parts=("looks",),
        weight=1.0,
    )
