"""How many records of a case belong to which product, by the formats that were read."""

from __future__ import annotations

import polars as pl

from apps.diagnosis.engine.core.store import Facts
from parsers.records import Section
from parsers.registry import parsers


def records_by_product(facts: Facts) -> dict[str, int]:
    """Products with at least one record; formats of several products count for none."""
    return _by_product(facts, pl.col("records").sum())


def empty_outputs_by_product(facts: Facts) -> dict[str, int]:
    """Outputs that were read whole and list nothing, by product: a dump of waiters while nothing waits."""
    is_empty = (pl.col("records") == 0) & (pl.col("not_understood") == 0)
    return _by_product(facts, is_empty.sum())


def _by_product(facts: Facts, number: pl.Expr) -> dict[str, int]:
    if not facts.has(Section):
        return {}
    known = parsers()
    tally: dict[str, int] = {}
    for name, found in facts.scan(Section).group_by("format").agg(number.alias("found")).collect().iter_rows():
        product = known[name].product if name in known else ""
        if product and found:
            tally[product] = tally.get(product, 0) + found
    return tally
