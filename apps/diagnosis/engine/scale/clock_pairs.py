"""Things that two nodes saw at one moment: what the estimate of their clocks rests on (``clocks.py``).

- *message*: an RPC that its sender still waits for and its receiver still handles, both by the same message id.
- *waits*: a wait for the reply to an RPC, and the thread on the node asked that handles such an RPC, where no other
  node asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from apps.diagnosis.engine.core.arrays.spans import NO_TIME
from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.facts.clocks import Pair
from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.scale.spans import Columns
from apps.diagnosis.engine.scale.waits import ScaleWaits
from parsers.records import DAY_US
from parsers.records.waits import PendingRpc

SECOND_US: Final = 1_000_000
APART_S: Final = 900.0  # a pair further apart is a chance likeness, or clocks in different zones
ALIKE: Final = 50
MOST_PAIRS: Final = 10_000
MESSAGE_ERROR_S: Final = 0.5
WAIT_ERROR_S: Final = 1.1
HANDLER: Final = "Msg handler "


def clock_pairs(case: Case) -> Iterator[Pair]:
    """All pairs of a case."""
    yield from message_pairs(case)
    yield from wait_pairs(case)


# messages


def message_pairs(case: Case) -> Iterator[Pair]:
    """Sender and receiver of one message; the receiver's clock shows the start later by the way, which is short."""
    if not case.get(Facts).has(PendingRpc):
        return
    nodes = case.get(Nodes)
    frame = nodes.named(nodes.named(case.get(Facts).frame(PendingRpc)), "peer")
    known = frame.filter(pl.all_horizontal(pl.col("node", "peer", "at", "seconds", "message_id").is_not_null()))
    known = known.with_columns((pl.col("at") - (pl.col("seconds") * SECOND_US).cast(pl.Int64)).alias("start"))
    columns = ["message_id", "rpc", "node", "peer", "start", "artifact", "line"]
    sent = known.filter(~pl.col("incoming")).select(columns)
    received = known.filter(pl.col("incoming")).select(columns)
    joined = sent.join(
        received,
        left_on=["message_id", "rpc", "node", "peer"],
        right_on=["message_id", "rpc", "peer", "node"],
        how="inner",
    )
    for row in joined.sort("artifact", "line", "artifact_right", "line_right").head(MOST_PAIRS).iter_rows(named=True):
        ahead = (row["start_right"] - row["start"]) / SECOND_US
        if abs(ahead) <= APART_S:
            ref, other = Ref(row["artifact"], row["line"]), Ref(row["artifact_right"], row["line_right"])
            yield Pair(row["node"], row["peer"], ahead, MESSAGE_ERROR_S, "message", ref, other)


# waits


def wait_pairs(case: Case) -> Iterator[Pair]:
    """Waits for an RPC to a node, and its handlers there, in the order of their starts; only where one node
    alone asks.
    """
    if not case.get(ScaleWaits).any:
        return
    asking, handling = _requests_and_handlers(case)
    if not len(asking.key) or not len(handling.key):
        return
    both = _counted(asking).join(_counted(handling), on=["key", "waits"])
    one_asks = both.filter(
        pl.col("waits") <= ALIKE, pl.col("first") == pl.col("last"), pl.col("first") != pl.col("first_right")
    )
    for key, sender, other in sorted(one_asks.select("key", "first", "first_right").iter_rows()):
        yield from _in_order(asking.names[sender], asking.names[other], asking.of(key), handling.of(key))


class _Waits(NamedTuple):
    """Waits in the order of ``key``, which numbers the node asked together with the message; ``node`` is the one that
    waits.
    """

    key: npt.NDArray[np.int64]
    node: npt.NDArray[np.int64]
    columns: tuple[npt.NDArray[np.int64], ...]
    """Start, artifact and line."""
    names: list[str]

    def of(self, key: int) -> list[tuple[int, Ref]]:
        """Start and line of the waits of one key, in their order."""
        first, end = np.searchsorted(self.key, [key, key + 1])
        some = [column[first:end].tolist() for column in self.columns]
        return sorted(((start, Ref(artifact, line)) for start, artifact, line in zip(*some, strict=True)), key=_when)


def _by_key(
    key: npt.NDArray[np.int64],
    node: npt.NDArray[np.int64],
    kept: Columns,
    place: npt.NDArray[np.intp],
    names: list[str],
) -> _Waits:
    """Waits that stand at some places; key and node are theirs."""
    order = np.argsort(key, kind="stable")
    place = place[order]
    return _Waits(key[order], node[order], (kept.start[place], kept.artifact[place], kept.line[place]), names)


def _requests_and_handlers(case: Case) -> tuple[_Waits, _Waits]:
    """Waits for a message to a node, and waits of threads that handle such a message."""
    table = case.get(ScaleWaits).spans
    shapes = [text.shape for text in table.texts.texts]
    numbers: dict[str | None, int] = {}
    messages: dict[str | None, int] = {}
    known = [table.nodes.name(code) for code in range(table.nodes.size)]
    node_of = np.array([-1 if name is None else numbers.setdefault(name, len(numbers)) for name in known], np.int64)
    requested, handled, target_node = (np.full(len(shapes), -1, np.int64) for _ in range(3))
    name = cache(case.get(Nodes).name)
    for place, shape in enumerate(shapes):
        if shape.thread and shape.thread.startswith(HANDLER):
            message = shape.thread.removeprefix(HANDLER)
            handled[place] = messages.setdefault(message, len(messages))
        elif shape.thread and shape.rpc and shape.target:
            requested[place] = messages.setdefault(shape.rpc, len(messages))
            target_node[place] = numbers.setdefault(name(shape.target), len(numbers))
    kept = table.kept
    usable = (kept.start != NO_TIME) & (node_of[kept.node] >= 0)
    sent = np.flatnonzero(usable & (requested[kept.text] >= 0))
    worked = np.flatnonzero(usable & (handled[kept.text] >= 0))
    names = [one or "" for one in numbers]
    size = max(1, len(messages))
    sent_node, sent_text = node_of[kept.node[sent]], kept.text[sent]
    worked_node, worked_text = node_of[kept.node[worked]], kept.text[worked]
    return (
        _by_key(target_node[sent_text] * size + requested[sent_text], sent_node, kept, sent, names),
        _by_key(worked_node * size + handled[worked_text], worked_node, kept, worked, names),
    )


def _counted(waits: _Waits) -> pl.DataFrame:
    """How many waits each key has, and the first and last number of the nodes that wait."""
    node, frame = pl.col("node"), pl.DataFrame({"key": waits.key, "node": waits.node})
    return frame.group_by("key").agg(pl.len().alias("waits"), node.min().alias("first"), node.max().alias("last"))


def _when(wait: tuple[int, Ref]) -> tuple[int, int, int]:
    return wait[0], wait[1].artifact, wait[1].line


def _in_order(
    sender: str, other: str, waits: Sequence[tuple[int, Ref]], handlers: Sequence[tuple[int, Ref]]
) -> Iterator[Pair]:
    for (sent, ref), (begun, other_ref) in zip(waits, handlers, strict=True):
        ahead = (begun - sent) / SECOND_US
        if abs(ahead) <= APART_S and (sent < DAY_US) == (begun < DAY_US):
            yield Pair(sender, other, ahead, WAIT_ERROR_S, "waits", ref, other_ref)
