"""Clocks of nodes by their logs: what several nodes logged in the same words, once each; or about each other."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.clocks import Pair
from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.model import Ref
from parsers.records import DAY_US, Event

SECOND_US: Final = 1_000_000
APART_S: Final = 900.0  # a pair further apart is a chance likeness, or clocks in different zones
ALIKE: Final = 50
EVENT_ERROR_S: Final = 2.0
SHARED_KINDS: Final = (
    "expel|member|quorum|recover|takeover|join|leave|left|generation|regroup|config|ring|fence|token|failed|"
    "cluster|manager|lockspace"
)
MUTUAL_KINDS: Final = (
    "connected",
    "connection-closed",
    "connection-unanswered",
    "reconnected",
    "link-down",
    "link-up",
    "disconnected",
)
_SHARED: Final = re.compile("|".join((SHARED_KINDS, *MUTUAL_KINDS)))
OWN_WORDS: Final = r"\[\d+\]|0x[0-9A-Fa-f]+|\bpid[ =:]*\d+|\bthread \d+"


def event_pairs(store: Facts, nodes: Nodes) -> Iterator[Pair]:
    """What nodes logged in the same words, or about each other, equally often."""
    kinds = store.values_present(Event, "kind") if store.has(Event) else frozenset()
    if kinds is not None and not any(kind is not None and _SHARED.search(kind) for (kind,) in kinds):
        return
    if (few := store.few(Event)) is not None and len({*few["node"]} - {None}) < 2:
        return
    dated = pl.col("at").ge(DAY_US) & pl.col("node").is_not_null()
    columns = ["node", "at", "kind", "about", "text", "artifact", "line"]
    rows = nodes.named(store.scan(Event).filter(dated & _tells()).select(columns).collect())
    if rows.is_empty():
        return
    rows = rows.unique(subset=["node", "at", "kind", "text"], keep="first", maintain_order=True)
    same: dict[tuple[str, str], dict[str, list[tuple[int, Ref]]]] = defaultdict(lambda: defaultdict(list))
    mutual: dict[tuple[str, str, str], dict[str, list[tuple[int, Ref]]]] = defaultdict(lambda: defaultdict(list))
    for row in rows.with_columns(pl.col("text").str.replace_all(OWN_WORDS, "").alias("words")).iter_rows(named=True):
        logged = (row["at"], Ref(row["artifact"], row["line"]))
        if row["kind"] in MUTUAL_KINDS:
            about = nodes.name(row["about"] or "")
            if about:
                mutual[row["kind"], min(row["node"], about), max(row["node"], about)][row["node"]].append(logged)
        else:
            same[row["kind"], row["words"]][row["node"]].append(logged)
    for _, by_node in sorted([*same.items(), *mutual.items()], key=lambda item: item[0]):
        yield from _logged(by_node)


def _tells() -> pl.Expr:
    return pl.col("kind").str.contains(SHARED_KINDS) | pl.col("kind").is_in(MUTUAL_KINDS)


def _logged(by_node: dict[str, list[tuple[int, Ref]]]) -> Iterator[Pair]:
    """Each neighbour in the order of names: with hundreds of nodes not every one with every other."""
    names = sorted(by_node)
    for one, other in pairwise(names):
        mine, theirs = sorted(by_node[one], key=_when), sorted(by_node[other], key=_when)
        if len(mine) != len(theirs) or len(mine) > ALIKE:
            continue
        for (at, ref), (seen, other_ref) in zip(mine, theirs, strict=True):
            ahead = (seen - at) / SECOND_US
            if abs(ahead) <= APART_S:
                yield Pair(one, other, ahead, EVENT_ERROR_S, "events", ref, other_ref)


def _when(logged: tuple[int, Ref]) -> tuple[int, int, int]:
    at, ref = logged
    return at, ref.artifact, ref.line
