"""Rules on two looks at one node, each in order: what went (ST-60), what fills (ST-61), errors that grow (ST-63)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Final, TypeVar

import polars as pl

from apps.diagnosis.engine.core.facts.look_order import Look, LookOrder
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import Meaning, metric, setting
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.storage.rules.uneven_mounts import OF_CLUSTER, OWN_PLACES
from parsers.dataclass import dataclass
from parsers.records import Counter, DiskName, Record, Setting
from parsers.records.states import ClusterMember, DiskPath, Room, StorageState

R = TypeVar("R", bound=Record)
ERRORS: Final = metric("errors-that-grow")
CARDS: Final = metric("errors-of-cards")
AMOUNTS: Final = metric("room-by-amounts")
DEVICES: Final = setting("devices-listed")
SESSIONS: Final = setting("portals-in-use")
EXPORTS: Final = setting("exports-there")
HOUR_US: Final = 3_600_000_000
SIZE: Final = " size"
FREE: Final = " free"
POOL: Final = "pool "
FULL: Final = 100
MOST: Final = 8
UNDATED: Final = ("undated",)


@dataclass(frozen=True, slots=True)
class GoneWords:
    """sort: what went; gone: their names, name the first; further: how many beside it; left, before: how many the last
    and the first look list.
    """

    node: str | None
    sort: str
    gone: tuple[str, ...]
    name: str
    further: int
    left: int
    before: int


@rule("ST-60", needs=(Records, LookOrder, Settings), words=GoneWords)
def gone(records: Records, order: LookOrder, settings: Settings, _: Limits) -> Iterator[Seen]:
    """Symptom: none yet, or work that fails where something is missing that nobody calls missing.

    Reasoning: the first look of one command at a node lists a member, a disk, a path or a mounted file system that its
    last look does not list at all.
    Source: mmgetstate, mmlsdisk, multipath(8), df(1): what is gone leaves the list.
    """
    listed: tuple[tuple[str, type[Record] | Meaning, Callable[[object], str | None]], ...] = (
        ("path", DiskPath, _path),
        ("member", ClusterMember, _member),
        ("disk", DiskName, _disk),
        ("disk", StorageState, _part),
        ("mount", Room, _mount),
        ("device", DEVICES, _device),
        ("session", SESSIONS, _value),
        ("export", EXPORTS, _device),
    )
    for sort, kind, name_of in listed:
        rows: Sequence[Record] = settings.shown(kind) if isinstance(kind, Meaning) else records.of(kind)
        for looks in order.series(rows):
            names = [{name: row for row in look.rows if (name := name_of(row))} for look in (looks[0], looks[-1])]
            lost = sorted(names[0].keys() - names[1].keys())
            if not lost or not names[1] or 2 * len(lost) > len(names[0]):
                continue
            yield _gone(sort, looks, lost, names)


def _gone(sort: str, looks: Sequence[Look[R]], lost: Sequence[str], names: Sequence[dict[str, R]]) -> Seen:
    first, last = looks[0], looks[-1]
    return Seen(
        level=sort,
        words=GoneWords(
            first.node,
            phrase(f"two-looks.{sort}"),
            tuple(lost[:MOST]),
            lost[0],
            len(lost) - 1,
            len(names[1]),
            len(names[0]),
        ),
        lines=[*(names[0][name].ref for name in lost[:MOST]), *(row.ref for row in list(names[1].values())[:2])],
        nodes=(first.node,),
        times=[look.at for look in (first, last) if look.at is not None],
        borne_by=(2, 2),
        parts=("meant",) if last.at is not None else ("meant", *UNDATED),
        weight=float(len(lost)),
    )


def _path(row: object) -> str | None:
    if not isinstance(row, DiskPath) or row.device is None or row.map is None:
        return None
    return phrase("compared.one-of", name=row.device, whole=row.map)


def _member(row: object) -> str | None:
    return row.member if isinstance(row, ClusterMember) and row.of is None else None


def _disk(row: object) -> str | None:
    return row.name if isinstance(row, DiskName) and row.state is not None else None


def _device(row: object) -> str | None:
    return row.scope if isinstance(row, Setting) else None


def _value(row: object) -> str | None:
    return row.value if isinstance(row, Setting) else None


def _part(row: object) -> str | None:
    """A disk of a group of the volume manager."""
    if not isinstance(row, StorageState) or row.sort != "disk" or row.name is None or row.of is None:
        return None
    return phrase("compared.one-of", name=row.name, whole=row.of)


def _mount(row: object) -> str | None:
    """Where a file system is mounted that is no part of the host itself."""
    if not isinstance(row, Room) or row.sort != "file system" or row.name is None:
        return None
    match = OF_CLUSTER.match(row.name)
    place = match["mount"] if match else row.name
    return place if place.startswith("/") and place != "/" and OWN_PLACES.match(place) is None else None


@dataclass(frozen=True, slots=True)
class FillWords:
    """Shares taken, in per cent; hours: between the looks; full_in: hours until it is full at that rate."""

    node: str | None
    what: str
    first: float
    last: float
    hours: float | None
    full_in: float | None


@rule("ST-61", needs=(Records, LookOrder), words=FillWords)
def fills(records: Records, order: LookOrder, limits: Limits) -> Iterator[Seen]:
    """Symptom: none yet; writes fail when it is full.

    Reasoning: between two looks a file system, a pool or its inodes filled by so much that it is full within a day or
    a week at that rate; where no look has a time, by much, and little is left.
    Source: df(1); limits proposed.
    """
    pools = records.meant(Counter, AMOUNTS, pl.col("value").is_not_null())
    for looks in chain(order.series(records.of(Room)), map(_of_amounts, order.series(pools))):
        first, last = (
            {(row.sort, row.name, row.of): row for row in look.rows if row.share is not None}
            for look in (looks[0], looks[-1])
        )
        hours = _hours(looks[0], looks[-1])
        for key, row in last.items():
            before = first.get(key)
            if before is None or before.share is None or row.share is None or row.standing in ("full", "unknown"):
                continue
            rise = row.share - before.share
            level, full_in = _level(rise, row.share, hours, limits)
            if level is None:
                continue
            yield Seen(
                level=level,
                words=FillWords(
                    row.node, f"{row.sort} {row.name or ''}".strip(), before.share, row.share, hours, full_in
                ),
                lines=(before.ref, row.ref),
                nodes=(row.node,),
                times=[look.at for look in (looks[0], looks[-1]) if look.at is not None],
                borne_by=(2, 2),
                parts=() if hours else UNDATED,
                weight=rise,
            )


def _of_amounts(looks: Sequence[Look[Counter]]) -> tuple[Look[Room], ...]:
    """Pools that a listing shows by their size and by what is free, as the share that is taken."""
    return tuple(Look(one.node, one.command, one.artifact, one.line, one.at, _pools(one.rows)) for one in looks)


def _pools(rows: Sequence[Counter]) -> tuple[Room, ...]:
    sizes = {(row.scope, row.name.removesuffix(SIZE)): row.value for row in rows if row.name.endswith(SIZE)}
    found: list[Room] = []
    for row in rows:
        size = sizes.get((row.scope, name := row.name.removesuffix(FREE)))
        if row.name.endswith(FREE) and size and row.value is not None:
            share = 100 - 100 * row.value / size
            name = name.removeprefix(POOL)
            found.append(
                Room(
                    artifact=row.artifact,
                    line=row.line,
                    node=row.node,
                    at=row.at,
                    sort="pool",
                    name=name,
                    of=row.scope,
                    share=share,
                    standing="full" if share >= FULL else "free",
                )
            )
    return tuple(found)


def _hours(first: Look[R], last: Look[R]) -> float | None:
    return (last.at - first.at) / HOUR_US if first.at is not None and last.at is not None else None


def _level(rise: float, share: float, hours: float | None, limits: Limits) -> tuple[str | None, float | None]:
    """How soon it is full."""
    if rise <= 0:
        return None, None
    if hours is None:
        return ("grown" if rise >= limits.undated and share >= limits.taken else None), None
    full_in = (100 - share) * hours / rise
    if rise >= limits.points and full_in <= limits.soon_h:
        return "soon", full_in
    return ("fills" if rise >= limits.points and full_in <= limits.later_h else None), full_in


@dataclass(frozen=True, slots=True)
class GrowthWords:
    """of: the disk, the card or the port; name: of the counter; first, last: its values."""

    node: str | None
    of: str | None
    name: str
    first: float
    last: float


@rule("ST-63", needs=(Records, LookOrder), words=GrowthWords)
def errors_grow(records: Records, order: LookOrder, limits: Limits) -> Iterator[Seen]:
    """Symptom: a link is slow at times, and disks behind it answer late.

    Reasoning: a counter of errors since the start grew between two looks: a cable, a plug or an optic is failing now.
    Source: the kernel's documentation of fc_host; limits proposed.
    """
    rows = records.meant(Counter, ERRORS, pl.col("value").is_not_null())
    cards = records.meant(Counter, CARDS, pl.col("value").is_not_null())
    found: dict[tuple[str | None, str | None], Seen] = {}
    # Another rule compares what cards show where one text holds both looks, or each has a moment.
    apart = (looks for looks in order.series(cards) if looks[-1].at is None and looks[0].artifact != looks[-1].artifact)
    for looks in chain(order.series(rows), apart):
        first, last = ({(row.scope, row.name): row for row in look.rows} for look in (looks[0], looks[-1]))
        for key, row in last.items():
            before = first.get(key)
            grown = (row.value or 0.0) - (before.value or 0.0) if before is not None else 0.0
            seen = found.get((row.node, row.scope))
            if before is None or grown < limits.errors or (seen is not None and (seen.weight or 0.0) >= grown):
                continue
            found[row.node, row.scope] = Seen(
                level="grown",
                words=GrowthWords(row.node, row.scope, row.name, before.value or 0.0, row.value or 0.0),
                lines=(before.ref, row.ref),
                nodes=(row.node,),
                times=[look.at for look in (looks[0], looks[-1]) if look.at is not None],
                borne_by=(2, 2),
                parts=() if looks[-1].at is not None else UNDATED,
                weight=grown,
            )
    yield from found.values()
