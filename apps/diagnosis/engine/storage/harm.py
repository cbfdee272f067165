"""Processes that wait for I/O, as their host counts them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import polars as pl

from apps.diagnosis.engine.core.knowledge import limits
from apps.diagnosis.engine.core.metrics import Meaning, metric
from apps.diagnosis.engine.core.model import Shown
from parsers.records import Counter

if TYPE_CHECKING:
    from apps.diagnosis.engine.facts import CaseFacts

BLOCKED: Final = metric("processes-blocked")
WAITING: Final = metric("time-waiting-for-io")


def harm(case: CaseFacts) -> Iterator[Shown]:
    """Hosts on which many processes are blocked and the processors wait for I/O."""
    if not case.facts.has(Counter):
        return
    least = limits("shown-harm")
    blocked = _most(case, BLOCKED, least.blocked)
    waiting = _most(case, WAITING, least.wait_pct)
    for node, most in blocked.items():
        if node in waiting:
            yield Shown(f"up to {most:g} processes of {node or 'a node that is not named'} wait for I/O", node)


def _most(case: CaseFacts, metric: Meaning, least: float) -> dict[str | None, float]:
    """The largest value by node, of nodes that reach the least one."""
    rows = case.records.frame(metric, pl.col("value") >= least)
    return dict(rows.group_by("node", maintain_order=True).agg(pl.col("value").max()).iter_rows())
