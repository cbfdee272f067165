"""Rule on messages that wait for replies, and on connections that carry none (SC-40)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import field
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.scale.symptoms import Symptoms
from parsers.dataclass import dataclass
from parsers.records.states import Connection
from parsers.records.waits import PendingRpc

ROWS_KEPT: Final = 20_000
STATES_SHOWN: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingWords:
    """The two ends, the state of their connections as printed, and the messages that wait, the oldest first."""

    node: str | None
    peer: str
    states: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    waiting: int = 0
    oldest: float | None = None


@dataclass(slots=True)
class _Pair:
    """What one node lists of another."""

    links: list[Connection] = field(default_factory=list)
    messages: dict[str, None] = field(default_factory=dict)
    waiting: int = 0
    oldest: float | None = None
    refs: list[Ref] = field(default_factory=list)

    @property
    def is_cut_off(self) -> bool:
        """Whether no connection carries anything."""
        return bool(self.links) and all(one.standing == "down" for one in self.links)


@rule("SC-40", needs=(Records, Nodes, Symptoms), words=PendingWords)
def pending_messages(records: Records, nodes: Nodes, symptoms: Symptoms, limits: Limits) -> Iterator[Seen]:
    """Symptom: requests stand still between two nodes.

    Reasoning: a daemon lists a message that a node has not answered, or lists no connection to a node that works.
    Source: IBM Storage Scale documentation, mmdiag command.
    """
    pairs = _pairs(records, nodes, symptoms)
    order = sorted(
        pairs.items(), key=lambda one: (not one[1].is_cut_off, -(one[1].oldest or 0.0), one[0][0] or "", one[0][1])
    )
    for (node, peer), pair in order[: int(limits.most)]:
        oldest = pair.oldest or 0.0
        if not pair.is_cut_off and oldest < limits.slow_s:
            continue
        is_long = oldest >= limits.severe_s
        level = "cut_waited" if pair.is_cut_off and pair.waiting else "cut" if pair.is_cut_off else ""
        yield Seen(
            level=level or ("long" if is_long else "pending"),
            variant="" if pair.is_cut_off else "connected",
            words=PendingWords(
                node=node,
                peer=peer,
                states=tuple(dict.fromkeys(one.state or "down" for one in pair.links))[:STATES_SHOWN],
                messages=tuple(pair.messages)[:STATES_SHOWN],
                waiting=pair.waiting,
                oldest=pair.oldest,
            ),
            lines=(*pair.refs[:3], *(one.ref for one in pair.links[:5])),
            nodes=(node, peer),
            times=[one.at for one in pair.links],
            parts=("once",),
            weight=oldest,
        )


def _pairs(records: Records, nodes: Nodes, symptoms: Symptoms) -> dict[tuple[str | None, str], _Pair]:
    found: dict[tuple[str | None, str], _Pair] = defaultdict(_Pair)
    for link in symptoms.connections:
        if link.peer:
            found[link.node, link.peer].links.append(link)
    if records.has(PendingRpc):
        rows = records.frame(PendingRpc, ~pl.col("incoming") & pl.col("peer").is_not_null()).head(ROWS_KEPT)
        for row in rows.iter_rows(named=True):
            state = (row["state"] or "pending").strip()
            if not state.startswith("pending"):
                continue
            pair = found[row["node"], nodes.name(row["peer"])]
            pair.waiting += 1
            pair.messages[row["rpc"] or phrase("unnamed.message")] = None
            pair.refs.append(Ref(row["artifact"], row["line"]))
            pair.oldest = max(pair.oldest or 0.0, row["seconds"] or 0.0)
    return found
