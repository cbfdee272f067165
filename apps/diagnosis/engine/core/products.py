"""How many records of a case belong to which product, by the formats that were read."""

from __future__ import annotations

import polars as pl

from apps.diagnosis.engine.core.store import Facts
from parsers.records import Section
from parsers.registry import parsers


def records_by_product(facts: Facts) -> dict[str, int]:
    """Products with at least one record; formats of several products count for none."""
    if not facts.has(Section):
        return {}
    known = parsers()
    tally: dict[str, int] = {}
    for name, records in facts.scan(Section).group_by("format").agg(pl.col("records").sum()).collect().iter_rows():
        product = known[name].product if name in known else ""
        if product and records:
            tally[product] = tally.get(product, 0) + records
    return tally
