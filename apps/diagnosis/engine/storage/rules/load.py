"""Rule on hosts with far more tasks that run or wait than hosts beside them (ST-21)."""

from __future__ import annotations

from collections.abc import Iterator, Set
from statistics import median
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records, grouped
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import metric
from parsers.dataclass import dataclass
from parsers.records import Counter

LOAD: Final = metric("load-average")
WANTING: Final = metric("tasks-that-want-a-processor")
IDLE: Final = metric("processors-idle")


@dataclass(frozen=True, slots=True)
class BesideWords:
    """Tasks that ran or waited on average, and the median of so many other nodes in the same output."""

    node: str | None
    load: float
    others: int
    beside: float


@dataclass(frozen=True, slots=True)
class AloneWords:
    """The same where no other node is there to compare with."""

    node: str | None
    load: float


@rule("ST-21", needs=(Records,), words=(BesideWords, AloneWords))
def loaded_node(records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: a node hardly answers, or not at all.

    Reasoning: on Linux the load also counts tasks that wait uninterruptibly for a disk, a lock or the network. A node
    whose load is many times that of its sisters holds such a queue; hundreds on one node are one without any sister.
    Where no load is shown, tasks that want a processor while none is idle are the same.
    Source: uptime(1), vmstat(8), proc(5); limits proposed.
    """
    if not records.has(Counter):
        return
    worst: dict[str | None, tuple[Counter, float]] = {}
    for one, load in sorted(records.counted(LOAD), key=lambda counted: -counted[1]):
        worst.setdefault(one.node, (one, load))
    for node, (one, load) in worst.items():
        others = [of_it for name, (_, of_it) in worst.items() if name is not None and name != node]
        beside = median(others) if others else None
        if load >= limits.alone:
            yield _seen(one, AloneWords(node, load), "alone")
        elif beside is not None and load >= max(limits.least, limits.ratio * max(beside, 1.0)):
            yield _seen(one, BesideWords(node, load, len(others), beside))
        elif load >= limits.likely:
            yield _seen(one, AloneWords(node, load), "likely", "likely")
    yield from _queues(records, {node for node, (_, load) in worst.items() if load >= limits.likely}, limits)


def _queues(records: Records, named: Set[str | None], limits: Limits) -> Iterator[Seen]:
    """Samples in which hundreds of tasks want a processor, and none of these has room."""
    rows = records.meant(Counter, WANTING, pl.col("value").is_not_null())
    idle = grouped(records.meant(Counter, IDLE, pl.col("value").is_not_null()), _look)
    for look, own in grouped(rows, _look).items():
        rooms = [one.value or 0.0 for one in idle.get(look, ())]
        queue = median(one.value or 0.0 for one in own)
        if own[0].node in named or not rooms or max(rooms) > limits.idle or queue < limits.alone:
            continue
        yield Seen(
            level="loaded",
            variant="queue",
            words=AloneWords(own[0].node, queue),
            shown=own,
            most_lines=4,
            parts=("load",),
            borne_by=(len(own), 1),
            weight=queue / 1000,
        )


def _look(one: Counter) -> tuple[int, str | None]:
    return one.artifact, one.node


def _seen(one: Counter, words: BesideWords | AloneWords, variant: str = "", level: str = "loaded") -> Seen:
    return Seen(
        level=level,
        variant=variant,
        words=words,
        shown=(one,),
        parts=("load",),
        weight=words.load / 1000,
    )
