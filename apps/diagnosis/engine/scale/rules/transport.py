"""Rules on what carries messages and data of Spectrum Scale: RDMA (SC-08), MTU and bonds (SC-29), flow control and
drivers (SC-32).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from statistics import median
from typing import Final

from apps.diagnosis.engine.core.facts.nodes import nodes_in
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import NEAR_US, Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.scale.evidence import lines_of, longest_of, nodes_of, span_of, waits_in, zone_of
from apps.diagnosis.engine.scale.groups import Group
from apps.diagnosis.engine.scale.symptoms import RDMA, Symptom, Symptoms, refs_of, when
from apps.diagnosis.engine.scale.waits import ScaleWaits
from parsers.dataclass import dataclass

CHECKSUM: Final = "checksum-error"
DATA_MESSAGE: Final = "scale-W36"
RDMA_KINDS: Final = frozenset(("scale-W28", "scale-W36", "scale-R01", "scale-R02", "scale-R03"))
_OFF: Final = frozenset(("disable", "disabled", "no", "0"))


def _rdma_waits(waits: ScaleWaits) -> list[Group]:
    """Long waits for RDMA."""
    return [g for g in waits.groups if g.text.at(g.longest_s).kind_id in RDMA_KINDS]


def _is_tcp_only(symptoms: Symptoms) -> bool:
    """Whether the settings say that RDMA is off everywhere."""
    values = symptoms.setting("verbsRdma")
    return bool(values) and all(value in _OFF for value in values)


def _rdma_errors(symptoms: Symptoms) -> list[Symptom]:
    """Log lines about failed RDMA; a connection that is only closed is none, and neither is a checksum alone, which TCP
    has as well.
    """
    found = [s for s in symptoms.events(RDMA) if s.kind != "rdma-closed" or s.value]
    return found if any(s.kind != CHECKSUM for s in found) else []


@dataclass(frozen=True, slots=True)
class RdmaWords:
    """waits: for RDMA; io_waits: for NSD I/O at the time of the errors; longest: of both, in s."""

    waits: int
    longest: float
    nodes: tuple[str, ...]
    errors: int
    peers: tuple[str, ...]
    io_waits: int


def _peers(errors: Iterable[Symptom], own: Iterable[Group]) -> tuple[str, ...]:
    return tuple(sorted({s.about for s in errors if s.about} | {peer for g in own if (peer := _peer(g))}))


@rule("SC-08", needs=(ScaleWaits, Symptoms), words=RdmaWords)
def rdma_stall(waits: ScaleWaits, symptoms: Symptoms, limits: Limits) -> Iterator[Seen]:
    """Symptom: data transfers hang, or the log of mmfsd is full of RDMA errors.

    Reasoning: threads wait for the completion of RDMA, or NSD I/O hangs while connections over RDMA break with errors.
    Source: APARs IJ01910 and IJ40280; the wording of some waits is recalled.
    """
    own, errors = _rdma_waits(waits), _rdma_errors(symptoms)
    if not errors:  # a message that moves data also waits on TCP, and behind a disk
        own = [g for g in own if g.text.at(g.longest_s).kind_id != DATA_MESSAGE]
    if _is_tcp_only(symptoms) or (not own and len(errors) < limits.errors):
        return
    near = _hanging_io(waits, errors) if not own else []
    nodes = nodes_in(own, near, errors)
    worst = longest_of((*own, *near))
    severity = "high" if worst >= limits.severe_s else "medium"
    yield Seen(
        level=f"{severity}_seen" if errors and (own or near) else severity,
        variant="" if own else "errors",
        words=RdmaWords(
            waits_in(own),
            worst,
            nodes,
            len(errors),
            _peers(errors, own),
            waits_in(near),
        ),
        lines=(*lines_of(own, near, most=4), *refs_of(errors)),
        nodes=nodes,
        times=span_of(own) if own else when(errors),
        zone_min=zone_of(own),
        parts=("errors_seen" if errors else "no_log",),
        causes=("SC-11",) if 2 * waits_in(own) > waits_in(waits.groups) else (),
        weight=worst + len(errors),
    )


def _peer(group: Group) -> str | None:
    """The node at the other end of a wait, where the waiter names it."""
    return group.to.node or group.to.name if group.to.place in ("answer", "message") else None


def _hanging_io(waits: ScaleWaits, errors: Sequence[Symptom]) -> list[Group]:
    """Waits for NSD I/O at the time of the errors."""
    start, end = when(errors)
    return [g for g in waits.groups if g.awaited.sort == "nsd" and _is_near(g, start, end)]


def _is_near(group: Group, start: int | None, end: int | None) -> bool:
    if start is None or group.start is None or group.end is None:
        return True
    return group.start <= (end or start) + NEAR_US and group.end >= start - NEAR_US


@dataclass(frozen=True, slots=True, kw_only=True)
class PathWords:
    """odd: nodes whose MTU on the interface is not the usual one. count: segments sent again to the peer; usual_count:
    to others.

    of_odd, over_path: the longest wait, for the figure of the sort of finding.
    """

    waits: int
    longest: float
    interface: str | None = None
    odd: tuple[str, ...] = ()
    odd_nodes: int | None = None
    values: tuple[str, ...] = ()
    usual: str = ""
    of_odd: float | None = None
    node: str | None = None
    peer: str | None = None
    count: float = 0.0
    usual_count: float = 0.0
    over_path: float | None = None


@rule("SC-29", needs=(ScaleWaits, Symptoms), words=PathWords)
def mtu_or_bond(waits: ScaleWaits, symptoms: Symptoms, limits: Limits) -> Iterator[Seen]:
    """Symptom: large transfers to some node hang while small messages pass.

    Reasoning: the interface of one name has another MTU on that node than on most, or a connection counts many segments
    sent again. Source: recalled network practice; the figures are those that the tools print.
    """
    groups = [g for g in waits.groups if g.to.place in ("answer", "message")]
    yield from _unequal(symptoms, groups, limits)
    yield from _dead_link(symptoms, groups, limits)
    yield from _sent_again(symptoms, groups, limits)


def _unequal(symptoms: Symptoms, groups: Sequence[Group], limits: Limits) -> Iterator[Seen]:
    """One interface name, several MTUs. Where nobody waits and the cards are in one network, that alone is told."""
    for interface, by_node in sorted(symptoms.mtus.items()):
        values = sorted({value for value, _ in by_node.values()})
        if len(values) < 2 or len(by_node) < limits.nodes:
            continue
        usual = max(values, key=lambda value: (sum(v == value for v, _ in by_node.values()), value))
        odd = {node: ref for node, (value, ref) in sorted(by_node.items()) if value != usual}
        hit = [g for g in groups if g.node in odd or g.to.node in odd]
        if not hit and symptoms.in_one_network(interface, by_node):
            continue
        refs = (*list(odd.values())[:3], next(ref for value, ref in by_node.values() if value == usual))
        longest = longest_of(hit)
        yield Seen(
            level="severe" if longest >= limits.severe_s else "mild" if hit else "hint",
            words=PathWords(
                interface=interface,
                odd=tuple(odd),
                odd_nodes=len(odd),
                values=tuple(values),
                usual=usual,
                waits=waits_in(hit),
                longest=longest,
                of_odd=longest,
            ),
            lines=(*refs, *lines_of(hit, most=4)),
            nodes=odd,
            borne_by=(len(refs), len(by_node)),
            parts=("switch_unknown",),
            weight=longest,
        )


def _dead_link(symptoms: Symptoms, groups: Sequence[Group], limits: Limits) -> Iterator[Seen]:
    """An interface went down and did not come back, on a node that waits for others or is waited for."""
    for symptom in symptoms.dead_links:
        hit = [g for g in groups if symptom.node in (g.node, g.to.node)]
        start, end = span_of(hit)
        if hit and symptom.is_near(start, end, round(limits.slack_s * 1e6)):
            words = PathWords(node=symptom.node, interface=symptom.about, waits=waits_in(hit), longest=longest_of(hit))
            yield _with_waits("link", symptom.ref, hit, words, limits)


def _sent_again(symptoms: Symptoms, groups: Sequence[Group], limits: Limits) -> Iterator[Seen]:
    """One connection of a node sends far more segments again than its others, and threads wait for that very peer."""
    by_node: dict[str, list[Symptom]] = defaultdict(list)
    for symptom in symptoms.retransmits:
        by_node[symptom.node or ""].append(symptom)
    for node, rows in sorted(by_node.items()):
        worst = max(rows, key=lambda s: (s.value or 0.0, s.about or ""))
        usual = median(s.value or 0.0 for s in rows)
        hit = [g for g in groups if g.node == node and g.to.node == worst.about]
        many = (worst.value or 0.0) >= max(limits.retransmits, limits.ratio * usual)
        if hit and many and len(rows) >= limits.nodes:
            words = PathWords(
                node=node,
                peer=worst.about,
                count=worst.value or 0.0,
                usual_count=usual,
                waits=waits_in(hit),
                longest=longest_of(hit),
            )
            yield _with_waits("retransmits", worst.ref, hit, words, limits)


def _with_waits(variant: str, ref: Ref, hit: Sequence[Group], words: PathWords, limits: Limits) -> Seen:
    longest = longest_of(hit)
    return Seen(
        level="severe" if longest >= limits.severe_s else "mild",
        variant=variant,
        words=replace(words, over_path=longest),
        lines=(ref, *lines_of(hit, most=4)),
        nodes=nodes_of(hit),
        times=span_of(hit),
        zone_min=zone_of(hit),
        borne_by=(len(hit) + 1, len(nodes_of(hit))),
        parts=("far_end_unknown",),
        weight=longest,
    )


@dataclass(frozen=True, slots=True)
class CardWords:
    """counters: those that count pauses, discards or congestion; number: how many, over all nodes."""

    nodes: tuple[str, ...]
    counters: tuple[str, ...]
    number: int
    errors: int
    waits: int
    longest: float


def _counted_beside(symptoms: Symptoms, own: Iterable[Group], errors: Iterable[Symptom]) -> list[Symptom]:
    """What the cards of the nodes at both ends count."""
    ends = [*((s.node, s.about) for s in errors), *((g.node, g.to.node) for g in own)]
    concerned = {name for pair in ends for name in pair}
    return [s for s in symptoms.flow_control if s.node in concerned]


@rule("SC-32", needs=(ScaleWaits, Symptoms), words=CardWords)
def roce_or_driver(waits: ScaleWaits, symptoms: Symptoms, limits: Limits) -> Iterator[Seen]:
    """Symptom: RDMA stalls or breaks on some nodes again and again.

    Reasoning: network cards there count pauses, discards or congestion marks, so the fabric holds senders back or
    drops. Source: recalled practice of RoCE with flow control; counters as ethtool prints them.
    """
    own, errors = _rdma_waits(waits), _rdma_errors(symptoms)
    counted = _counted_beside(symptoms, own, errors)
    rising = [s for s in counted if s.kind == "rising"]
    some = rising or counted
    if _is_tcp_only(symptoms) or not (own or len(errors) >= limits.errors) or not some:
        return
    longest, nodes = longest_of(own), nodes_in(some)
    yield Seen(
        level="standing" if not rising else "severe" if longest >= limits.severe_s else "rising",
        words=CardWords(nodes, tuple(sorted({s.text for s in some})), len(some), len(errors), waits_in(own), longest),
        lines=(*refs_of(some), *lines_of(own, most=2), *refs_of(errors, 2)),
        nodes=nodes,
        parts=("rising" if rising else "standing",),
        causes=("SC-08",) if rising else (),
        weight=longest,
    )
