"""Rule on thin pools that run out of space."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.events import Events, refs
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from parsers.dataclass import dataclass

TEXT_SHOWN: Final = 160


@dataclass(frozen=True, slots=True)
class PoolWords:
    """since: when the first line was logged, in us; text: the most telling line."""

    node: str | None
    lines: int
    since: int | None
    text: str


@rule("ST-09", needs=(Events,), words=PoolWords)
def thin_pool_full(events: Events, limits: Limits) -> Iterator[Seen]:
    """Symptom: writes fail or hang on a volume that looks large enough.

    Reasoning: device-mapper or the array says that the pool below it is nearly or quite full.
    Source: messages of device-mapper thin and of SCSI.
    """
    for node, rows in events.by_node(("thin-pool-full", "thin-pool-low")):
        full = rows.filter(pl.col("kind") == "thin-pool-full")
        shown = full if full.height else rows
        times = rows["at"].drop_nulls().sort().to_list()
        yield Seen(
            level="full" if full.height else "low",
            words=PoolWords(node, rows.height, times[0] if times else None, str(shown["text"][0])[:TEXT_SHOWN]),
            lines=refs(shown)[:5],
            nodes=(node,),
            times=times,
            borne_by=(rows.height, 1),
            parts=("logged",),
            harm="full" if full.height else "",
            weight=10.0,
        )
