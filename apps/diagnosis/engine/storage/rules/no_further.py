"""A rule on long work that is as far in a later look as it was before (ST-73)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.look_order import LookOrder
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import metric
from parsers.dataclass import dataclass
from parsers.records import Counter

DONE: Final = metric("share-done")
MINUTE_US: Final = 60_000_000


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
