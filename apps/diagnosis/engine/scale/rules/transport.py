"""Rules on what carries messages and data of Spectrum Scale: RDMA (SC-08), MTU and bonds (SC-29), flow control and drivers (SC-32)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Final

from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.model import Figure, Part, Ref
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.core.wording import count, listed, plural, seconds
from apps.diagnosis.engine.facts import CaseFacts
from apps.diagnosis.engine.scale.chains import Group
from apps.diagnosis.engine.scale.evidence import lines_of, nodes_of, span_of, zone_of
from apps.diagnosis.engine.scale.signs import RDMA, Sign, Signs, refs_of, when
from apps.diagnosis.engine.scale.waits import ScaleWaits

DATA_MESSAGE: Final = "scale-W36"
RDMA_KINDS: Final = frozenset(("scale-W28", "scale-W36", "scale-R01", "scale-R02", "scale-R03"))
_OFF: Final = frozenset(("disable", "disabled", "no", "0"))


def rdma_waits(facts: CaseFacts) -> list[Group]:
    """Long waits for RDMA."""
    if not facts.get(ScaleWaits).any:
        return []
    return [g for g in facts.get(ScaleWaits).chains.groups if g.text.at(g.longest_s).kind_id in RDMA_KINDS]


def is_tcp_only(facts: CaseFacts) -> bool:
    """Whether the settings say that RDMA is off everywhere."""
    values = facts.get(Signs).setting("verbsRdma")
    return bool(values) and all(value in _OFF for value in values)


def rdma_errors(facts: CaseFacts) -> list[Sign]:
    """Log lines about failed RDMA; a connection that is only closed is none."""
    return [s for s in facts.get(Signs).events(RDMA) if s.kind != "rdma-closed" or s.value]


@rule("SC-08")
def rdma_stall(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: data transfers hang, or the log of mmfsd is full of RDMA errors.

    Reasoning: threads wait for the completion of RDMA, or NSD I/O hangs while connections over RDMA break with errors.
    Source: APARs IJ01910 and IJ40280; the wording of some waits is recalled.
    """
    waits, errors = rdma_waits(facts), rdma_errors(facts)
    if not errors:  # a message that moves data also waits on TCP, and behind a disk
        waits = [g for g in waits if g.text.at(g.longest_s).kind_id != DATA_MESSAGE]
    if is_tcp_only(facts) or (not waits and len(errors) < limits.errors):
        return
    longest = max((g.longest_s for g in waits), default=0.0)
    near = _hanging_io(facts, errors) if not waits else []
    evidence = (*lines_of(waits, near, most=4), *refs_of(errors))
    if not evidence:
        return
    start, end = span_of(waits) if waits else when(errors)
    nodes = tuple(sorted({*nodes_of(waits), *nodes_of(near), *(s.node for s in errors if s.node)}))
    worst = max(longest, max((g.longest_s for g in near), default=0.0))
    yield Draft(
        severity="high" if worst >= limits.severe_s else "medium" if waits or near else "low",
        variant="" if waits else "errors",
        evidence=evidence,
        words={
            "waits": plural(sum(g.waits for g in waits), "wait"),
            "longest": seconds(worst),
            "nodes": listed(nodes) or "nodes not named",
            "errors": plural(len(errors), "RDMA error"),
            "peers": listed(sorted({s.about for s in errors if s.about})) or "peers not named",
            "harm": f" {plural(sum(g.waits for g in near), 'wait')} for NSD I/O of that time last up to {seconds(worst)}." if near else "",
        },
        nodes=nodes,
        start=start,
        end=end,
        zone_min=zone_of(waits),
        figures=(
            Figure("Waits for RDMA", sum(g.waits for g in waits)),
            Figure("Longest wait", round(worst, 4), "s", limits.words("severe_s")),
            Figure("RDMA errors in the log", len(errors), "", limits.words("errors")),
        ),
        parts=(
            evidence_part(len(evidence), len(nodes)),
            Part("completeness", 1.0 if errors else 0.8, "the log shows the errors" if errors else "no log of that time is here"),
        ),
        basis="derived" if errors and (waits or near) else None,
        weight=worst + len(errors),
    )


def _hanging_io(facts: CaseFacts, errors: Sequence[Sign]) -> list[Group]:
    """Waits for NSD I/O at the time of the errors."""
    if not facts.get(ScaleWaits).any:
        return []
    start, end = when(errors)
    waits = [g for g in facts.get(ScaleWaits).chains.groups if g.want.sort == "nsd"]
    return [
        g
        for g in waits
        if start is None or g.start is None or g.end is None or (g.start <= (end or start) + NEAR_US and g.end >= start - NEAR_US)
    ]


NEAR_US: Final = 600_000_000


@rule("SC-29")
def mtu_or_bond(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: large transfers to some node hang while small messages pass.

    Reasoning: the interface of one name has another MTU on that node than on most, or a connection counts many segments sent again.
    Source: recalled network practice; the figures are those that the tools print.
    """
    groups = network_waits(facts)
    yield from _unequal(facts, groups, limits)
    yield from _dead_link(facts, groups, limits)
    yield from _sent_again(facts, groups, limits)


def _unequal(facts: CaseFacts, groups: Sequence[Group], limits: Limits) -> Iterator[Draft]:
    """One interface name, several MTUs."""
    signs = facts.get(Signs)
    for interface, by_node in sorted(signs.mtus.items()):
        values = sorted({value for value, _ in by_node.values()})
        if len(values) < 2 or len(by_node) < limits.nodes:
            continue
        usual = max(values, key=lambda value: (sum(v == value for v, _ in by_node.values()), value))
        odd = {node: ref for node, (value, ref) in sorted(by_node.items()) if value != usual}
        hit = [g for g in groups if g.node in odd or g.to.node in odd]
        refs = (*list(odd.values())[:3], next(ref for value, ref in by_node.values() if value == usual))
        longest = max((g.longest_s for g in hit), default=0.0)
        yield Draft(
            severity="high" if longest >= limits.severe_s else "low",
            variant="" if hit else "hint",
            evidence=(*refs, *lines_of(hit, most=4)),
            words={
                "interface": interface, "odd": listed(odd), "values": listed(values), "usual": usual,
                "waits": plural(sum(g.waits for g in hit), "wait"), "longest": seconds(longest),
            },
            nodes=tuple(sorted(odd)),
            figures=(
                Figure("Nodes with another MTU", len(odd)),
                Figure("Longest network wait of them", round(longest, 4), "s", limits.words("severe_s")),
            ),
            parts=(
                evidence_part(len(refs), len(by_node)),
                Part("completeness", 0.8, "whether the switch passes large frames is not in the files"),
            ),
            basis="inferred" if hit else "recalled",
            weight=longest,
        )  # fmt: skip


def _dead_link(facts: CaseFacts, groups: Sequence[Group], limits: Limits) -> Iterator[Draft]:
    """An interface went down and did not come back, on a node that waits for others or is waited for."""
    for sign in facts.get(Signs).dead_links:
        hit = [g for g in groups if sign.node in (g.node, g.to.node)]
        start, end = span_of(hit)
        if hit and sign.is_near(start, end, round(limits.slack_s * 1e6)):
            words = {"node": sign.node, "interface": sign.about or "an interface"}
            yield _with_waits("link", (sign.ref,), hit, words, limits)


def _sent_again(facts: CaseFacts, groups: Sequence[Group], limits: Limits) -> Iterator[Draft]:
    """One connection of a node sends far more segments again than its others, and threads wait for that very peer."""
    by_node: dict[str, list[Sign]] = defaultdict(list)
    for sign in facts.get(Signs).retransmits:
        by_node[sign.node or ""].append(sign)
    for node, rows in sorted(by_node.items()):
        worst = max(rows, key=lambda s: (s.value or 0.0, s.about or ""))
        usual = median(s.value or 0.0 for s in rows)
        hit = [g for g in groups if g.node == node and g.to.node == worst.about]
        many = (worst.value or 0.0) >= max(limits.retransmits, limits.ratio * usual)
        if hit and many and len(rows) >= limits.nodes:
            words = {"node": node, "peer": worst.about, "count": count(worst.value or 0.0), "usual": count(usual)}
            yield _with_waits("retransmits", (worst.ref,), hit, words, limits)


def _with_waits(variant: str, refs: tuple[Ref, ...], hit: Sequence[Group], words: Mapping[str, object], limits: Limits) -> Draft:
    longest = max(g.longest_s for g in hit)
    start, end = span_of(hit)
    return Draft(
        severity="high" if longest >= limits.severe_s else "low",
        variant=variant,
        evidence=(*refs, *lines_of(hit, most=4)),
        words={**words, "waits": plural(sum(g.waits for g in hit), "wait"), "longest": seconds(longest)},
        nodes=nodes_of(hit),
        start=start,
        end=end,
        zone_min=zone_of(hit),
        figures=(Figure("Longest wait over that path", round(longest, 4), "s", limits.words("severe_s")),),
        parts=(
            evidence_part(len(hit) + 1, len(nodes_of(hit))),
            Part("completeness", 0.8, "switch ports and the other end are not in the files"),
        ),
        basis="inferred",
        weight=longest,
    )


def network_waits(facts: CaseFacts) -> list[Group]:
    """Long waits for another node's answer."""
    return [g for g in facts.get(ScaleWaits).chains.groups if g.to.place in ("answer", "message")] if facts.get(ScaleWaits).any else []


@rule("SC-32")
def roce_or_driver(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: RDMA stalls or breaks on some nodes again and again.

    Reasoning: network cards there count pauses, discards or congestion marks, so the fabric holds senders back or drops.
    Source: recalled practice of RoCE with flow control; counters as ethtool prints them.
    """
    waits, errors, counted = rdma_waits(facts), rdma_errors(facts), facts.get(Signs).flow_control
    concerned = {s.node for s in errors} | {g.node for g in waits} | {s.about for s in errors} | {g.to.node for g in waits}
    rising = [s for s in counted if s.kind == "rising" and s.node in concerned]
    standing = [s for s in counted if s.kind == "counted" and s.node in concerned]
    if is_tcp_only(facts) or not (waits or len(errors) >= limits.errors) or not (rising or standing):
        return
    some = rising or standing
    evidence: tuple[Ref, ...] = (*refs_of(some), *lines_of(waits, most=2), *refs_of(errors, 2))
    longest = max((g.longest_s for g in waits), default=0.0)
    nodes = tuple(sorted({s.node for s in some if s.node}))
    yield Draft(
        severity="high" if rising and longest >= limits.severe_s else "low",
        variant="" if rising else "hint",
        evidence=evidence,
        words={
            "nodes": listed(nodes) or "nodes not named",
            "counters": listed(sorted({s.text for s in some})),
            "errors": plural(len(errors), "RDMA error"),
            "waits": plural(sum(g.waits for g in waits), "wait"),
            "longest": seconds(longest),
        },
        nodes=nodes,
        figures=(Figure("Counters of that kind", len(some)), Figure("RDMA errors in the log", len(errors), "", limits.words("errors"))),
        parts=(
            evidence_part(len(evidence), len(nodes)),
            Part(
                "completeness",
                0.9 if rising else 0.5,
                "the counters rise between two readings" if rising else "one reading: since when they stand is not known",
            ),
        ),
        causes=("SC-08",) if rising else (),
        basis="inferred" if rising else "recalled",
        weight=longest,
    )
