"""Rules on nodes that do not answer: network or peer (SC-03), manager (SC-24), one pair blocked (SC-28), owner cluster
(SC-34).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.scale.evidence import (
    dumps_of,
    lines_of,
    longest_of,
    nodes_of,
    repeated,
    span_of,
    waits_in,
    zone_of,
)
from apps.diagnosis.engine.scale.groups import Behind, Group, Vertex
from apps.diagnosis.engine.scale.symptoms import Symptom, Symptoms, refs_of
from apps.diagnosis.engine.scale.waits import ScaleWaits
from parsers.dataclass import dataclass

_REMOTE: Final = re.compile(r"<?c([1-9]\d{0,5})n\d{1,6}>?$")
_MANAGER_MESSAGES: Final = ("sgmMsg", "quotaMsg", "allocMsg")


@dataclass(frozen=True, slots=True)
class PeerWords:
    """broken: connections shown as broken; breaks: log lines about that; shown: both."""

    peer: str
    askers: tuple[str, ...]
    waits: int
    longest: float
    messages: tuple[str, ...]
    broken: int
    breaks: int
    shown: int
    dumps: int


@rule("SC-03", needs=(ScaleWaits, Symptoms), words=PeerWords)
def network_peer(waits: ScaleWaits, symptoms: Symptoms, limits: Limits) -> Iterator[Seen]:
    """Symptom: threads of one or more nodes wait for an answer of a node that does not seem to work on it.

    Reasoning: the node asked has no waiter that would hold up the answer, and the connection to it is shown as broken,
    or comes and goes. Source: IBM Storage Scale documentation, failures due to a network failure; network performance
    monitoring.
    """
    for behind in [b for b in waits.behind if b.end.kind == "node" and not b.end.in_circle][: int(limits.most)]:
        asking = _asking(waits, behind)
        near, broken = _breaks(symptoms, behind.end.what, asking, limits.slack_s)
        if not asking or (behind.end.leaves_data and not broken and len(near) < limits.breaks):
            continue
        if not _is_one_pair(waits, symptoms, behind, asking) or not (
            near or broken
        ):  # a pair that is blocked is left to SC-28
            yield _no_answer(behind, asking, near, broken, limits)


def _asking(waits: ScaleWaits, behind: Behind) -> list[Group]:
    """Waits for the node itself; an acquire alone says nothing of its connection."""
    return [
        g
        for g in behind.groups
        if any(v.place == "answer" and v.node == behind.end.what for v in (g.to, *_parts(waits, g)))
    ]


def _parts(waits: ScaleWaits, group: Group) -> tuple[Vertex, ...]:
    """The answers that a message to several nodes waits for."""
    return waits.chains.graph[group.to] if group.to.place == "message" else ()


def _breaks(symptoms: Symptoms, peer: str, asking: list[Group], slack_s: float) -> tuple[list[Symptom], list[Ref]]:
    """Log lines about breaks of the connection at the time of the waits, and rows that show it as broken."""
    nodes = nodes_of(asking)
    start, end = span_of(asking)
    near = [s for s in symptoms.breaks_with(peer, nodes) if s.is_near(start, end, round(slack_s * 1e6))]
    return near, symptoms.broken_to(peer, nodes)


def _no_answer(behind: Behind, asking: list[Group], near: list[Symptom], broken: list[Ref], limits: Limits) -> Seen:
    peer, longest = behind.end.what, longest_of(asking)
    which = "shown" if near or broken else "silent"
    lines = (*lines_of(asking, most=4), *broken[:2], *refs_of(near, 2))
    return Seen(
        level=f"{which}_severe" if longest >= limits.severe_s else which,
        words=PeerWords(
            peer,
            nodes_of(asking),
            behind.waiters,
            longest,
            tuple(sorted({g.awaited.via for g in asking})),
            len(broken),
            len(near),
            len(near) + len(broken),
            dumps_of(asking),
        ),
        lines=lines,
        nodes=(*behind.nodes, peer) if behind.end.node else behind.nodes,
        times=span_of(behind.groups),
        zone_min=zone_of(behind.groups),
        borne_by=(len(lines), len(behind.nodes)),
        parts=(which, repeated(asking)),
        weight=float(behind.waiters) + longest,
    )


@dataclass(frozen=True, slots=True)
class BlockedWords:
    """broken, breaks: as for a peer; connections: rows that the asker shows; others: those of them that are
    in order.
    """

    asker: str
    peer: str
    longest: float
    waits: int
    broken: int
    breaks: int
    connections: int
    others: int
    dumps: int


@rule("SC-28", needs=(ScaleWaits, Symptoms), words=BlockedWords)
def rpc_blocked(waits: ScaleWaits, symptoms: Symptoms, limits: Limits) -> Iterator[Seen]:
    """Symptom: one node waits for another for ever, while both work with everybody else.

    Reasoning: the node asked has a dump without the handler, nobody else waits for it, and only this pair's connection
    is broken. Source: IBM Storage Scale documentation, GPFS and network communication; the cause (firewall, route) is
    recalled.
    """
    for behind in [b for b in waits.behind if b.end.kind == "node" and not b.end.in_circle and not b.end.leaves_data]:
        asking = _asking(waits, behind)
        if not asking or not _is_one_pair(waits, symptoms, behind, asking):
            continue
        asker, peer = nodes_of(asking)[0], behind.end.what
        near, broken = _breaks(symptoms, peer, asking, limits.slack_s)
        own = [one for one in symptoms.connections if one.node == asker]
        others = {one.peer for one in own if one.peer and one.peer != peer and one.standing != "down"}
        is_shown = bool(broken and others) or len(near) >= limits.breaks
        longest = longest_of(asking)
        yield Seen(
            level="hint" if not is_shown else "severe" if longest >= limits.severe_s else "shown",
            words=BlockedWords(
                asker, peer, longest, behind.waiters, len(broken), len(near), len(own), len(others), dumps_of(asking)
            ),
            lines=(*lines_of(asking, most=4), *broken[:2], *refs_of(near, 2)),
            nodes=(asker, peer),
            times=span_of(asking),
            zone_min=zone_of(asking),
            parts=("shown" if is_shown else "hint", repeated(asking)),
            causes=("SC-05",),
            weight=longest,
        )


def _is_one_pair(waits: ScaleWaits, symptoms: Symptoms, behind: Behind, asking: list[Group]) -> bool:
    """Only one of several nodes waits for the node that does not answer, or that node's own list shows that it reaches
    others.
    """
    peer, askers = behind.end.what, nodes_of(asking)
    reaches = any(
        one.node == peer and one.standing == "up" and one.peer not in (None, peer, *askers)
        for one in symptoms.connections
    )
    return len(askers) == 1 and (reaches or len(waits.spans.nodes.names) > 2) and peer not in askers


@dataclass(frozen=True, slots=True)
class ManagerWords:
    """messages: names of those that it does not answer."""

    manager: str
    waits: int
    nodes: int
    messages: tuple[str, ...]
    longest: float
    dumps: int


def _to_managers(waits: ScaleWaits) -> dict[str, list[Group]]:
    found: dict[str, list[Group]] = defaultdict(list)
    for group in waits.groups:
        if group.to.place == "answer" and group.awaited.name.startswith(_MANAGER_MESSAGES):
            found[group.to.node].append(group)
    return found


@rule("SC-24", needs=(ScaleWaits, Symptoms), words=ManagerWords)
def manager_busy(waits: ScaleWaits, symptoms: Symptoms, limits: Limits) -> Iterator[Seen]:
    """Symptom: mounts, quota requests or block allocation hang on many nodes.

    Reasoning: their messages go to one manager node and the chains end inside it, at nothing that would explain it
    better. Source: IBM Spectrum Scale performance talk (mount waiting for the file system manager); waits for tokens do
    not count here.
    """
    for target, groups in sorted(_to_managers(waits).items()):
        chains, nodes = waits.chains, nodes_of(groups)
        inside = all(e.node == target and e.kind in ("lock", "thread") for g in groups for e in chains.ends[g.to])
        if not inside or waits_in(groups) < limits.waits or len(nodes) < limits.nodes:
            continue
        row = symptoms.managers.get(target)
        lines = (*lines_of(groups, [a for g in groups for a in chains.answers(g.to)], most=6), *([row] if row else []))
        yield Seen(
            level="busy",
            words=ManagerWords(
                target,
                waits_in(groups),
                len(nodes),
                tuple(sorted({g.awaited.name for g in groups})),
                longest_of(groups),
                dumps_of(groups),
            ),
            lines=lines,
            nodes=(*nodes, target),
            times=span_of(groups),
            zone_min=zone_of(groups),
            borne_by=(len(lines), len(nodes)),
            parts=("named" if row else "by_messages", repeated(groups)),
            weight=float(waits_in(groups)),
        )


@dataclass(frozen=True, slots=True)
class OwnerWords:
    """asking: nodes that wait for the node of the other cluster."""

    node: str
    waits: int
    longest: float
    asking: tuple[str, ...]


@rule("SC-34", needs=(ScaleWaits,), words=OwnerWords)
def remote_owner(waits: ScaleWaits, limits: Limits) -> Iterator[Seen]:
    """Symptom: threads wait for a node of another cluster.

    Reasoning: the index printed beside the target counts another cluster than the own one, so what holds it up is in
    the owner's dumps. Source: IBM Spectrum Scale performance talk (form of the index); that the owner cluster serves
    tokens and disks is inferred.
    """
    for behind in [b for b in waits.behind if b.end.leaves_data][: int(limits.most)]:
        remote = [g for g in behind.groups if g.to.node == behind.end.what and _is_remote(g)]
        if remote:
            yield Seen(
                level="remote",
                words=OwnerWords(behind.end.what, behind.waiters, behind.longest_s, nodes_of(remote)),
                lines=lines_of(remote, most=4),
                nodes=behind.nodes,
                times=span_of(remote),
                zone_min=zone_of(remote),
                parts=("searched",),
                weight=behind.longest_s,
            )


def _is_remote(group: Group) -> bool:
    shape = group.text.shape
    return any(mark is not None and _REMOTE.match(mark) is not None for mark in (shape.target_index, shape.target))
