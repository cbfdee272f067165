"""The category of the longest wait of each name in the graph of waits: its boxes have the colours of the timeline."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from apps.diagnosis.page_table_files import PageTableFiles
from apps.diagnosis.values import AnyDiagnosis


def categories_of(diagnosis: AnyDiagnosis, names: Sequence[str]) -> dict[str, int]:
    """By node, and by thread of a node as the graph names it; threads that idle do not count."""
    spans = PageTableFiles(diagnosis).spans()
    if spans is None:
        return {}
    harmful = spans.filter((pl.col("category").fill_null(0) > 1) & pl.col("node").is_not_null())
    worst = pl.col("category").get(pl.col("seconds").fill_null(0.0).arg_max())
    nodes = harmful.group_by("node").agg(worst).collect()
    found: dict[str, int] = dict(nodes.iter_rows())
    if not any(":" in name for name in names):
        return found
    threads = harmful.filter(pl.col("thread_id").is_not_null()).group_by("node", "thread_id").agg(worst).collect()
    return {f"{node}:{thread}": category for node, thread, category in threads.iter_rows()} | found
