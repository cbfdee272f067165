"""Processes that wait for I/O, as their host counts them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

import polars as pl

from apps.diagnosis.engine.core.knowledge import limits
from apps.diagnosis.engine.core.model import Shown
from parsers.records import Counter

if TYPE_CHECKING:
    from apps.diagnosis.engine.facts import CaseFacts


def harm(case: CaseFacts) -> Iterator[Shown]:
    """Hosts on which many processes are blocked and the processors wait for I/O."""
    if not case.facts.has(Counter):
        return
    least = limits("shown-harm")
    over = ((pl.col("name") == "b") & (pl.col("value") >= least.blocked)) | ((pl.col("name") == "wa") & (pl.col("value") >= least.wait_pct))
    rows = case.facts.scan(Counter).filter((pl.col("source") == "vmstat") & over).select("node", "name", "value").collect()
    by_node: dict[str | None, dict[str, float]] = defaultdict(dict)
    for node, name, value in case.named(rows).iter_rows():
        by_node[node][name] = max(value, by_node[node].get(name, 0.0))
    for node, worst in by_node.items():
        if len(worst) > 1:
            yield Shown(f"up to {worst['b']:g} processes of {node or 'a node that is not named'} wait for I/O", node)
