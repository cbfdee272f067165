"""Waits joined with the daemon's own list of messages that wait for replies (``mmdiag --network``, ``dump tscomm``).

    waiter   thread 0x7F31C40A1000, condition variable 0x7F31C40A2E58 ─┐
    message  id 4711 tmMsgRevoke, sent by thread 0x7F31C40A1000 ◂──────┘  record 0x7F31C40A2DA0, destination ece_12
    pending
    ece_12   message 4711 of that sender, handled by thread 0x7F55100C20 ──▸ the waiter of that thread there

A waiter and its message share the thread's address, its id, or the condition variable, which lies inside the message's
record. One message may wait for several nodes, and blocks until the last has answered. What stands here is exact where
names of threads only suggest.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
import polars as pl

from apps.diagnosis.engine.core.arrays.spans import Ints
from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.scale.groups import NONE
from apps.diagnosis.engine.scale.samples import NodeCodes
from apps.diagnosis.engine.scale.spans import Columns
from parsers.dataclass import dataclass
from parsers.records.waits import PendingRpc

RECORD_BYTES: Final = 0x400
_PENDING: Final = "pending"


@dataclass(frozen=True, slots=True)
class Message:
    """A message that a node sent, and the nodes that have not answered."""

    rpc: str
    peers: tuple[str, ...]


class _Pending(NamedTuple):
    """A message that a node sent and waits for, or that it received and handles."""

    node: str
    message_id: int
    incoming: bool
    peer: str | None
    state: str | None
    rpc: str | None
    thread: int | None
    thread_id: int | None
    condvar: int | None
    record: int | None

    @property
    def key(self) -> tuple[str, int]:
        """Node and number of the message."""
        return self.node, self.message_id


class Messages:
    """All messages of a case. Without any, nothing here costs time."""

    def __init__(self, store: Facts, nodes: Nodes, codes: NodeCodes) -> None:
        self._codes = codes
        frame = store.frame(PendingRpc)
        self._rows: list[_Pending] = []
        if not frame.is_empty():
            known = pl.col("node").is_not_null() & pl.col("message_id").is_not_null()
            named = nodes.named(nodes.named(frame.filter(known)), "peer").sort("artifact", "line")
            self._rows = [_Pending(*row) for row in named.select(_Pending._fields).iter_rows()]
        self._handlers: dict[tuple[str, str, int], int] = {}
        for row in self._rows:
            if row.incoming and row.peer is not None:
                self._handlers.setdefault((row.node, row.peer, row.message_id), len(self._handlers))

    @cached_property
    def sent(self) -> dict[tuple[str, int], Message]:
        """Messages by sender and id, with those that still owe an answer."""
        peers: dict[tuple[str, int], dict[str, None]] = defaultdict(dict)
        names: dict[tuple[str, int], str] = {}
        for row in self._rows:
            if not row.incoming and row.peer is not None and (row.state or _PENDING).strip().startswith(_PENDING):
                peers[row.key][row.peer] = None
                names.setdefault(row.key, row.rpc or "")
        return {key: Message(names[key], tuple(found)) for key, found in peers.items()}

    def handler(self, node: str, sender: str, message: int) -> int:
        """Number that the waits of the thread bear which works on a message; ``NONE`` where no dump shows it."""
        return self._handlers.get((node, sender, message), NONE)

    def joined(self, columns: Columns) -> tuple[Ints, Ints]:
        """For each wait the id of the message it waits for, and the number of the message that its thread works on."""
        waits, serves = np.full(len(columns), NONE, np.int64), np.full(len(columns), NONE, np.int64)
        if not self._rows:
            return waits, serves
        outgoing, incoming = self._index(incoming=False), self._index(incoming=True)
        codes = np.unique(np.array([key[0] for key in (*outgoing, *incoming)], np.int64))
        chosen = np.flatnonzero(np.isin(columns.node, codes))
        keys = zip(
            chosen.tolist(),
            *(c[chosen].tolist() for c in (columns.node, columns.address, columns.thread_id, columns.lock)),
            strict=True,
        )
        for row, node, address, thread, lock in keys:
            for sort, value in (("address", address), ("id", thread), ("condvar", lock)):
                key = (node, sort, value)
                if waits[row] == NONE and key in outgoing:
                    waits[row] = outgoing[key]
                if serves[row] == NONE and key in incoming:
                    serves[row] = incoming[key]
        self._by_record(columns, chosen, waits)
        return waits, serves

    def _index(self, *, incoming: bool) -> dict[tuple[int, str, int], int]:
        """Node, sort of key, key: to the message's id, or the handler's number."""
        found: dict[tuple[int, str, int], int] = {}
        for row in self._rows:
            code = self._codes.code(row.node)
            if row.incoming != incoming or code is None or (not incoming and row.key not in self.sent):
                continue
            number = self.handler(row.node, row.peer or "", row.message_id) if incoming else row.message_id
            for sort, key in (("address", row.thread), ("id", row.thread_id), ("condvar", row.condvar)):
                if key:
                    found.setdefault((code, sort, key), number)
        return found

    def _by_record(self, columns: Columns, chosen: Ints, waits: Ints) -> None:
        """The condition variable lies a little behind the beginning of the message's record."""
        records: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for row in self._rows:
            code = self._codes.code(row.node)
            if not row.incoming and row.record and code is not None and row.key in self.sent:
                records[code].append((row.record, row.message_id))
        for code, own in records.items():
            own.sort()
            starts, ids = (
                np.array([start for start, _ in own], np.uint64),
                np.array([number for _, number in own], np.int64),
            )
            rows = chosen[(columns.node[chosen] == code) & (waits[chosen] == NONE) & (columns.lock[chosen] > 0)]
            place = np.searchsorted(starts, columns.lock[rows], side="right") - 1
            inside = (place >= 0) & (columns.lock[rows] - starts[np.maximum(place, 0)] < RECORD_BYTES)
            waits[rows[inside]] = ids[place[inside]]
