"""Rule on disks whose counts of bad sectors grew between two looks (ST-49)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import metric
from parsers.dataclass import dataclass
from parsers.records import Counter

SECTORS: Final = metric("disk-sectors-lost")
CABLE: Final = metric("disk-transfers-broken")
HOURS: Final = metric("disk-hours")
SERIAL: Final = "serial number"
MOST: Final = 10_000
Key = tuple[str | int, str, str]  # the node, or the text where it names none; the disk; the count


@dataclass(frozen=True, slots=True)
class GrowthWords:
    """One count of a disk, as it was at first and as it was later."""

    disk: str
    node: str | None
    name: str
    first: float
    last: float
    grown: float


@rule("ST-49", needs=(Records, Settings), words=GrowthWords)
def growing_counts(records: Records, settings: Settings, limits: Limits) -> Iterator[Seen]:
    """Symptom: a disk is in order by its own verdict, and slower or louder from week to week.

    Reasoning: such counts never fall, so of two looks at one disk the larger is the later one, and what came between
    them is new. Each look by itself may be far below any threshold. Two disks of one name have two serial numbers, or
    hours that go the other way. Source: smartctl(8); limits proposed.
    """
    if not records.has(Counter):
        return
    hours = {key[:2]: rows for key, rows in _by_count(records.meant(Counter, HOURS))}
    several = _several(settings)
    worst: dict[tuple[str | int, str], Seen] = {}
    for meaning, level, least in ((SECTORS, "sectors", limits.sectors), (CABLE, "cable", limits.transfers)):
        for (place, disk, name), rows in _by_count(records.meant(Counter, meaning, pl.col("value").is_not_null())):
            first, last = min(rows, key=_value), max(rows, key=_value)
            grown = _value(last) - _value(first)
            is_other = (last.node, disk) in several or _go_apart(hours.get((place, disk), ()), first, last)
            if grown < least or is_other:
                continue
            seen = Seen(
                level=level,
                words=GrowthWords(disk, last.node, name, _value(first), _value(last), grown),
                lines=(first.ref, last.ref),
                nodes=(last.node,),
                times=(first.at, last.at),
                zone_min=last.zone_min,
                borne_by=(2, 1),
                parts=("looks",),
                weight=grown if level == "sectors" else grown / 1e6,
            )
            if (place, disk) not in worst or seen.weight > worst[place, disk].weight:
                worst[place, disk] = seen
    yield from sorted(worst.values(), key=lambda seen: -seen.weight)


def _by_count(rows: tuple[Counter, ...]) -> Iterator[tuple[Key, list[Counter]]]:
    """Looks at one count of one disk. Without a node two texts may be of two hosts."""
    found: dict[Key, list[Counter]] = defaultdict(list)
    for one in rows[:MOST]:
        if one.scope:
            found[one.node or one.artifact, one.scope, one.name].append(one)
    return ((key, own) for key, own in found.items() if len(own) > 1)


def _several(settings: Settings) -> set[tuple[str | None, str | None]]:
    """Names of devices under which two disks were looked at."""
    found: dict[tuple[str | None, str | None], set[str]] = defaultdict(set)
    is_serial = pl.col("name").str.to_lowercase() == SERIAL
    for node, scope, value in settings.all.filter(is_serial).select("node", "scope", "value").iter_rows():
        found[node, scope].add(value)
    return {key for key, values in found.items() if len(values) > 1}


def _go_apart(hours: Sequence[Counter], first: Counter, last: Counter) -> bool:
    """Whether the hours of the looks fall where the count grows."""
    if len(hours) < 2:
        return False
    in_order = sorted(hours, key=_place)
    rises = _value(in_order[-1]) - _value(in_order[0])
    return rises < 0 if _place(last) > _place(first) else rises > 0


def _place(one: Counter) -> tuple[int, int]:
    return one.artifact, one.line


def _value(one: Counter) -> float:
    return one.value or 0.0
