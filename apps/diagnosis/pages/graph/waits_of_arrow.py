"""Which waits an arrow of the wait graph is drawn from, as conditions over the spans."""

from __future__ import annotations

from typing import Final

import polars as pl

from apps.diagnosis.pages.graph.waitgraph import OF, Arrow, WaitGraph
from apps.diagnosis.values import AnyDiagnosis

ROUND_US: Final = 30_000_000
"""Dumps of the nodes that follow each other within half a minute are one round."""
ROUNDS_SHOWN: Final = 60
KEYS: Final = ("node", "thread_id", "category", "target", "waits_on", "object", "wait_name")


def spellings_of(diagnosis: AnyDiagnosis, name: str) -> set[str]:
    """A node's name and its other names, as waits print them."""
    node = next((node for node in diagnosis.summary.get("nodes", ()) if node["name"] == name), None)
    return {name, *node["aliases"]} if node else {name}


def behind(graph: WaitGraph, arrow: Arrow, spellings: set[str]) -> pl.Expr:
    """The waits of an arrow: of the one who waits, for what it waits for."""
    return _who(graph, arrow) & _for(graph, arrow, spellings)


def _who(graph: WaitGraph, arrow: Arrow) -> pl.Expr:
    """The ones who wait; of a lock or log those who wait for it."""
    if graph.is_resource(arrow.frm):
        return _names(arrow.frm)
    return by_name(arrow.frm)


def by_name(name: str) -> pl.Expr:
    """Waits of a node, or of one thread of it."""
    node, colon, thread = name.rpartition(":")
    if colon and thread.isascii() and thread.isdigit() and len(thread) < 19:
        return (pl.col("node") == node) & (pl.col("thread_id") == int(thread))
    return pl.col("node") == name


def _for(graph: WaitGraph, arrow: Arrow, spellings: set[str]) -> pl.Expr:
    """Waits that name what is waited for, or that go through the arrow's messages where the text names no target."""
    if graph.is_resource(arrow.frm):
        return pl.lit(value=True)
    if graph.is_resource(arrow.to):
        return _names(arrow.to) | pl.col("waits_on").is_in(list(arrow.vias))
    target = pl.col("target").is_in(sorted(spellings))
    return target | pl.concat_list([_mentions(name) for name in sorted(spellings)]).list.any()


def _names(resource: str) -> pl.Expr:
    name, of, node = resource.rpartition(OF)
    if of:
        return _names(name) & (pl.col("node") == node)
    return (
        (pl.col("object") == resource)
        | _mentions(resource)
        | pl.col("wait_name").fill_null("").str.starts_with(resource)
    )


def _mentions(name: str) -> pl.Expr:
    return pl.col("waits_on").fill_null("").str.contains(name, literal=True)


def rounds(spans: pl.LazyFrame | None) -> list[tuple[int, int]]:
    """First and last moment of each round of dumps, at most sixty spread over the case."""
    if spans is None:
        return []
    moments = spans.select(pl.col("end").drop_nulls().unique()).collect()["end"].sort().to_list()
    found: list[tuple[int, int]] = []
    for at in moments:
        if found and at - found[-1][0] <= ROUND_US:
            found[-1] = (found[-1][0], at)
        else:
            found.append((at, at))
    if len(found) <= ROUNDS_SHOWN:
        return found
    return [found[number * (len(found) - 1) // (ROUNDS_SHOWN - 1)] for number in range(ROUNDS_SHOWN)]


def waiting_at(
    graph: WaitGraph, diagnosis: AnyDiagnosis, spans: pl.LazyFrame, moment: tuple[int, int]
) -> list[dict[str, object]]:
    """The graph's arrows as edges that stood at a moment: how many waits each had then, and the longest of them."""
    first, last = moment
    there = spans.filter((pl.col("start") <= last) & (pl.col("end") >= first))
    waits = there.group_by(KEYS).agg(pl.len().alias("n"), pl.col("seconds").max()).collect()
    found: list[dict[str, object]] = []
    for arrow in graph.arrows:
        mine = waits.filter(behind(graph, arrow, spellings_of(diagnosis, arrow.to)))
        if mine.height:
            found.append(
                {
                    "frm": arrow.frm,
                    "to": arrow.to,
                    "via": arrow.label,
                    "count": int(mine["n"].sum()),
                    "longest_s": _longest(mine),
                    "resolved": arrow.is_resolved,
                }
            )
    return found


def _longest(waits: pl.DataFrame) -> float:
    most = waits["seconds"].max()
    return float(most) if isinstance(most, int | float) else 0.0
