"""Processes that wait for I/O, as their host counts them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.model import Shown
from apps.diagnosis.engine.core.words.knowledge import limits
from apps.diagnosis.engine.core.words.metrics import Meaning, metric
from apps.diagnosis.engine.core.words.phrases import phrase

BLOCKED: Final = metric("processes-blocked")
WAITING: Final = metric("time-waiting-for-io")


def harm(case: Case) -> Iterator[Shown]:
    """Hosts on which many processes are blocked and the processors wait for I/O."""
    records, least = case.get(Records), limits("shown-harm")
    waiting = _most(records, WAITING, least.wait_pct)
    for node, most in _most(records, BLOCKED, least.blocked).items():
        if node in waiting:
            yield Shown(phrase("storage-harm.blocked", blocked=most, node=node), node)


def _most(records: Records, metric: Meaning, least: float) -> dict[str | None, float]:
    """The largest value by node, of nodes that reach the least one."""
    rows = records.frame(metric, pl.col("value") >= least)
    return dict(rows.group_by("node", maintain_order=True).agg(pl.col("value").max()).iter_rows())
