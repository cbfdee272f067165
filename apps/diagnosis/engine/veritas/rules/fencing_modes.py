"""Rule on nodes of one cluster whose I/O fencing runs in different modes, or not at all (VX-04)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.records import Records
from apps.diagnosis.engine.core.registry import rule
from apps.diagnosis.engine.core.seen import Seen
from apps.diagnosis.engine.veritas.files import VeritasFiles
from parsers.records import ClusterMember, FencingSwitch


@dataclass(frozen=True, slots=True)
class ModesWords:
    """modes: each with a node that runs it; none: a node that does not fence at all."""

    nodes: tuple[str, ...]
    modes: tuple[str, ...]
    none: str | None


@dataclass(frozen=True, slots=True)
class UnfencedModeWords:
    """Nodes whose fencing is off, in a cluster in which no other node fences."""

    nodes: tuple[str | None, ...]


@rule("VX-04", needs=(VeritasFiles, Records), words=(ModesWords, UnfencedModeWords))
def fencing_modes_differ(files: VeritasFiles, records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: a node does not take over, or does not come back after a restart.

    Reasoning: the last look at each of two members of one cluster shows another mode of fencing. Source: vxfenadm(1M).
    """
    if not files.are_read:
        return
    every = {one.node: one for one in records.of(FencingSwitch)}
    last = {node: one for node, one in every.items() if node is not None}
    peers = defaultdict[str, set[str]](set)
    for one in records.of(ClusterMember):
        if one.layer == "fencing" and one.node is not None and one.member is not None:
            peers[one.node].add(one.member)
    for node in last:
        joined = [one for other, one in last.items() if other == node or other in peers[node]]
        modes = {(one.state or "").casefold(): one for one in joined}
        if len(modes) > 1:
            yield Seen(
                level="differ",
                words=ModesWords(
                    nodes=tuple(sorted(one.node or "" for one in joined)),
                    modes=tuple(f"{one.state} on {one.node}" for one in modes.values()),
                    none=next((one.node for one in joined if one.standing == "off"), None),
                ),
                lines=[one.ref for one in joined],
                nodes=[one.node for one in joined],
                times=[one.at for one in joined],
            )
            return
    if off := [one for one in every.values() if one.standing == "off"]:
        yield Seen(
            level="off",
            words=UnfencedModeWords(tuple(one.node for one in off)),
            lines=[one.ref for one in off],
            nodes=[one.node for one in off],
            times=[one.at for one in off],
        )
