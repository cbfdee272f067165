"""Rows of the records that tell the spellings of nodes, for the resolver."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from apps.diagnosis.engine.core.nodes import AliasRow
from apps.diagnosis.engine.core.store import Facts
from parsers.records import NodeAlias, Section, WaiterShape


def alias_rows(facts: Facts) -> Iterator[AliasRow]:
    """What tables state, and positions that waiters print beside an address."""
    for row in facts.frame(NodeAlias).select("node", "alias", "kind", "artifact", "line").iter_rows():
        yield AliasRow(*row)
    printed = pl.col("target").is_not_null() & pl.col("target_index").is_not_null()
    shapes = facts.scan(WaiterShape).filter(printed).select("target", "target_index", "artifact", "line")
    first = shapes.group_by("target", "target_index", "artifact").agg(pl.col("line").min()).collect()
    for target, index, artifact, line in first.iter_rows():
        yield AliasRow(target, index, "index", artifact, line)


def heading_names(facts: Facts) -> set[str]:
    """Names that sections have from a heading, and from nothing better."""
    rows = facts.scan(Section).select("node", "node_basis").drop_nulls().unique().collect()
    names = {name for name, basis in rows.iter_rows() if basis == "heading"}
    return names - {name for name, basis in rows.iter_rows() if basis not in ("heading", "unknown")}
