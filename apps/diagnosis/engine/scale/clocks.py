"""Clocks of nodes brought together for one purpose: to tell which waits of different nodes belong to one event.

What the case knows of its clocks counts first. Where that leaves nodes out, a wait for a message and the thread that
works on such messages at the node asked are taken for a pair when both are equally old in their own dumps, though the
clocks of these dumps differ:

    cn1   12:00:30   PrefetchWorkerThread  for NSD I/O on nsd2      41.2 s
    nsd2  12:03:10   NSDThread             for I/O completion       41.3 s        the clock of nsd2 is 160 s ahead
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
import polars as pl

from apps.diagnosis.engine.core.arrays.spans import NO_TIME, Ints
from apps.diagnosis.engine.core.facts.clocks import Pair, offsets
from apps.diagnosis.engine.core.facts.node_clocks import Clocks
from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.scale.awaited import Awaited, awaited_of, family_of
from apps.diagnosis.engine.scale.spans import Columns, SpanTable
from parsers.records import DAY_US

NEVER: Final = Ref(-1, 0)


class _Oldest(NamedTuple):
    """The oldest wait of a node for one thing."""

    node: str
    age_s: float
    end: int
    ref: Ref


def ahead_us(clocks: Clocks, nodes: Nodes, table: SpanTable, columns: Columns, rules: Limits) -> Ints:
    """By node number: how far its clock is ahead of the others', where that is more than the error; else 0."""
    found = np.zeros(table.nodes.size, np.int64)
    if len(table.nodes.names) < 2:
        return found
    known = [Pair(o.reference, o.node, o.offset_s, o.error_s, "message", NEVER, NEVER) for o in clocks.offsets]
    for offset in offsets([*known, *_pairs(nodes, table, columns, rules)]):
        code = table.nodes.code(offset.node)
        if code is not None and abs(offset.offset_s) > max(offset.error_s, rules.clock_s):
            found[code] = round(offset.offset_s * 1e6)
    return found


def _pairs(nodes: Nodes, table: SpanTable, columns: Columns, rules: Limits) -> Iterator[Pair]:
    firsts = [first for first, _ in table.moments.values()]
    if not firsts or max(firsts) - min(firsts) <= rules.clock_s * 1e6:
        return  # one moment on all clocks
    asking, working = _oldest(nodes, table, columns)
    for (target, message), askers in sorted(asking.items()):
        worker = working.get((target, message)) or working.get((target, family_of(message)))
        if worker is None:
            continue
        for asker in askers:
            ahead = (worker.end - asker.end) / 1e6
            alike = abs(worker.age_s - asker.age_s) <= rules.alike_s
            if (
                alike
                and asker.node != target
                and abs(ahead) <= rules.clocks_apart_s
                and (worker.end < DAY_US) == (asker.end < DAY_US)
            ):
                yield Pair(
                    asker.node, target, ahead, max(1.1, abs(worker.age_s - asker.age_s)), "waits", asker.ref, worker.ref
                )


Asking = dict[tuple[str, str], list[_Oldest]]
Working = dict[tuple[str, str], _Oldest]


def _oldest(nodes: Nodes, table: SpanTable, columns: Columns) -> tuple[Asking, Working]:
    """By node asked and message: the oldest wait of each node that asks, and of the threads there that work on it."""
    frame = pl.DataFrame(
        {
            "node": columns.node,
            "text": columns.text,
            "age": columns.seconds,
            "end": columns.end,
            "artifact": columns.artifact,
            "line": columns.line,
        }
    )
    rows = (
        frame.filter(pl.col("end") != NO_TIME)
        .sort("age", descending=True)
        .unique(["node", "text"], keep="first", maintain_order=True)
    )
    asking: dict[tuple[str, str], dict[str, _Oldest]] = defaultdict(dict)
    working: Working = {}
    for code, number, age, end, artifact, line in rows.iter_rows():
        node = table.nodes.name(code)
        if node is None:
            continue
        awaited: Awaited = awaited_of(table.texts.texts[number], age)
        one = _Oldest(node, age, end, Ref(artifact, line))
        if awaited.target is not None and awaited.sort in ("nsd", "rpc"):
            asking[nodes.name(awaited.target), awaited.name].setdefault(node, one)
        if awaited.role:
            working.setdefault((node, awaited.role), one)
    return {key: list(by_node.values()) for key, by_node in asking.items()}, working
