"""Rules on figures of two looks: long work that is as far in the later one as it was before (ST-73), and what each look
shows in order and got much worse between them (ST-75).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Final, Literal

import polars as pl

from apps.diagnosis.engine.core.facts.look_order import Look, LookOrder
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import metric, setting
from parsers.dataclass import dataclass
from parsers.records import Counter, DiskIo, Measurement, Setting

DONE: Final = metric("share-done")
MINUTE_US: Final = 60_000_000
TRIPS: Final = metric("round-trips")
PROGRAMS: Final = metric("memory-of-programs")
LEFT: Final = setting("life-left")
NUMBER: Final = re.compile(r"\d{1,9}(?:\.\d{1,4})?")
UNDATED: Final = ("undated",)
MANY: Final = 100_000
MORE_TO_DO: Final = 2
OF_GIB: Final = 1 / 1_048_576  # of KiB
_Row = Counter | DiskIo | Setting | Measurement
_Figures = dict[tuple[str | None, str], tuple[float, _Row]]


@dataclass(frozen=True, slots=True)
class ShareWords:
    """name: what is done; of: to which disk or volume; share: how much of it, in per cent; minutes: between."""

    node: str | None
    name: str
    of: str | None
    share: float
    minutes: float | None


@rule("ST-73", needs=(Records, LookOrder), words=ShareWords)
def no_further(records: Records, order: LookOrder, limits: Limits) -> Iterator[Seen]:
    """Symptom: a disk is rebuilt for days.

    Reasoning: the share that is done is the same in the first and in the last look at a node, and not all.
    Source: md(4), vxtask(1M), lvs(8); limits proposed.
    """
    rows = records.meant(Counter, DONE, pl.col("value") < limits.done)
    for looks in order.series(rows):
        first, last = ({(row.scope, row.name): row for row in look.rows} for look in (looks[0], looks[-1]))
        minutes = _minutes(looks[0].at, looks[-1].at)
        for key, row in last.items():
            before = first.get(key)
            if before is None or before.value != row.value or (minutes is not None and minutes < limits.apart_min):
                continue
            yield Seen(
                level="stays",
                words=ShareWords(row.node, row.name, row.scope, row.value or 0.0, minutes),
                lines=(before.ref, row.ref),
                nodes=(row.node,),
                times=[look.at for look in (looks[0], looks[-1]) if look.at is not None],
                borne_by=(2, 2),
                parts=() if minutes is not None else ("undated",),
                weight=minutes or 1.0,
            )


def _minutes(first: int | None, last: int | None) -> float | None:
    return (last - first) / MINUTE_US if first is not None and last is not None else None


@dataclass(frozen=True, slots=True)
class WorseWords:
    """name: of the figure, of: what has it; first, last: what the looks show."""

    node: str | None
    name: str
    of: str | None
    first: float
    last: float
    unit: str


@dataclass(frozen=True, slots=True)
class _Sort:
    """A sort of figures. rows: where they stand; times: by which it is worse; least: what matters at all; scale: to
    the unit in which it is shown; way: whether more is worse, a share of less, or so many points less; whole: of texts,
    each with many samples, that are compared as wholes.
    """

    level: str
    rows: Sequence[_Row]
    times: float
    least: float = 0.0
    scale: float = 1.0
    way: Literal["more", "less", "points"] = "more"
    whole: bool = False

    def by(self, before: float, value: float) -> float:
        """By how much it is worse; 0 where it is not."""
        if self.way == "points":
            return before - value if before - value >= self.times else 0.0
        low, high = (before, value) if self.way == "more" else (value, before)
        return high / low if low and high >= self.least and high >= self.times * low else 0.0


@rule("ST-75", needs=(Records, LookOrder, Settings), words=WorseWords)
def worse(records: Records, order: LookOrder, settings: Settings, limits: Limits) -> Iterator[Seen]:
    """Symptom: work is slower since a change, or a part is near its end; each look is within what is usual.

    Reasoning: a time is many times as long in the last look as in the first, a program holds many times the memory,
    what is left of a disk's life fell by much, or the same benchmark moves a fraction.
    Source: ping(8), iostat(1), fio(1), ps(1), nvme(1); limits proposed.
    """
    sorts = (
        _Sort("trips", records.meant(Counter, TRIPS, pl.col("value").is_not_null()), limits.trips, limits.trip_ms),
        _Sort("disks", _requests(records), limits.waits, limits.wait_ms, whole=True),
        _Sort(
            "programs", records.meant(Counter, PROGRAMS, pl.col("value") > 0), limits.grown, limits.grown_kib, OF_GIB
        ),
        _Sort("left", settings.shown(LEFT), limits.fallen, way="points"),
        _Sort("rates", _rates(records), limits.rates, way="less", whole=True),
    )
    for sort in sorts:
        for looks in order.series(sort.rows):
            if (seen := _worst(sort, looks)) is not None:
                yield seen


def _requests(records: Records) -> Sequence[_Row]:
    """Mean times of samples."""
    return _of_texts(records, DiskIo, pl.col("mean_ms").is_not_null(), pl.col("per_s"), pl.col("count") >= 1)


def _rates(records: Records) -> Sequence[_Row]:
    """What runs of a benchmark moved; those of one text another rule compares."""
    return _of_texts(records, Measurement, pl.col("unit").str.ends_with("/s"), pl.col("value") > 0)


def _of_texts(records: Records, kind: type[DiskIo | Measurement], *where: pl.Expr) -> Sequence[_Row]:
    """Rows of several texts, where they are few."""
    if not records.has(kind):
        return ()
    rows = records.frame(kind, *where)
    return records.of(kind, *where) if rows.height <= MANY and rows["artifact"].n_unique() > 1 else ()


def _worst(sort: _Sort, looks: Sequence[Look[_Row]]) -> Seen | None:
    """The figure that got worse by most; of runs of a benchmark all of them did: requests of another size do more of
    one and less of the other.
    """
    start, end = looks[0], looks[-1]
    rows = [[row for look in looks if look.artifact == one.artifact for row in look.rows] for one in (start, end)]
    if sort.whole and start.artifact == end.artifact:
        return None
    first, last = map(_figures, rows if sort.whole else (start.rows, end.rows))
    found = {
        key: sort.by(first[key][0], value) if _is_alike(first[key][1], row) else 0.0
        for key, (value, row) in last.items()
        if key in first
    }
    if sort.level == "rates" and 0.0 in found.values():
        return None
    key = max(found, key=lambda one: found[one], default=None)
    if key is None or not found[key]:
        return None
    (before, earlier), (value, later) = first[key], last[key]
    return Seen(
        level=sort.level,
        words=WorseWords(
            start.node, key[1], key[0], before * sort.scale, value * sort.scale, getattr(later, "unit", "")
        ),
        lines=(earlier.ref, later.ref),
        nodes=(start.node,),
        times=[look.at for look in (start, end) if look.at is not None],
        borne_by=(2, 2),
        parts=() if end.at is not None else UNDATED,
        weight=found[key],
    )


def _is_alike(first: _Row, last: _Row) -> bool:
    """Whether a disk has not far more to do than before."""
    if not isinstance(first, DiskIo) or not isinstance(last, DiskIo):
        return True
    return (last.count or 0.0) <= MORE_TO_DO * (first.count or 0.0)


def _figures(rows: Sequence[_Row]) -> _Figures:
    """By what has it and by its name: what a look shows of it, the median where that is more than one."""
    shown: dict[tuple[str | None, str], list[tuple[float, _Row]]] = defaultdict(list)
    for row in rows:
        if isinstance(row, DiskIo):
            shown[row.device, row.op].append((row.mean_ms or 0.0, row))
        elif isinstance(row, Setting):
            if (match := NUMBER.match(row.value)) is not None:
                shown[row.scope, row.name].append((float(match[0]), row))
        elif row.value is not None:
            shown[row.scope, row.name if isinstance(row, Counter) else row.what].append((row.value, row))
    return {key: (median(value for value, _ in own), own[-1][1]) for key, own in shown.items()}
