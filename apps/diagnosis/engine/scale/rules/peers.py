"""Rules on nodes that do not answer: network or peer (SC-03), manager (SC-24), one pair blocked (SC-28), owner cluster (SC-34)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.model import Figure, Part, Ref
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.core.wording import listed, plural, seconds
from apps.diagnosis.engine.facts import CaseFacts
from apps.diagnosis.engine.scale.chains import Behind, Chains, Group, Vertex
from apps.diagnosis.engine.scale.evidence import dumps_part, lines_of, nodes_of, shown, span_of, zone_of
from apps.diagnosis.engine.scale.signs import Sign, Signs, refs_of
from apps.diagnosis.engine.scale.waits import ScaleWaits

_REMOTE: Final = re.compile(r"<?c([1-9]\d{0,5})n\d{1,6}>?$")
_MANAGER_MESSAGES: Final = ("sgmMsg", "quotaMsg", "allocMsg")


@rule("SC-03")
def network_peer(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: threads of one or more nodes wait for an answer of a node that does not seem to work on it.

    Reasoning: the node asked has no waiter that would hold up the answer, and the connection to it is shown as broken, or comes and goes.
    Source: IBM Storage Scale documentation, failures due to a network failure; network performance monitoring.
    """
    if not facts.get(ScaleWaits).any:
        return
    chains, signs = facts.get(ScaleWaits).chains, facts.get(Signs)
    for behind in [b for b in chains.behind if b.end.kind == "node" and not b.end.in_circle][: int(limits.most)]:
        asking = _asking(chains, behind)
        nodes = nodes_of(asking)
        start, end = span_of(asking)
        near = [s for s in signs.breaks_with(behind.end.what, nodes) if s.is_near(start, end, round(limits.slack_s * 1e6))]
        broken = signs.broken_to(behind.end.what, nodes)
        if not asking or (behind.end.leaves_data and not broken and len(near) < limits.breaks):
            continue
        if _is_one_pair(facts, behind, asking) and (near or broken):
            continue  # the matter of SC-28
        yield _no_answer(behind, asking, near, broken, limits)


def _asking(chains: Chains, behind: Behind) -> list[Group]:
    """Waits for the node itself; an acquire alone is no sign of its connection."""
    return [g for g in behind.groups if any(v.place == "answer" and v.node == behind.end.what for v in (g.to, *_parts(chains, g)))]


def _parts(chains: Chains, group: Group) -> tuple[Vertex, ...]:
    """The answers that a message to several nodes waits for."""
    return chains.graph[group.to] if group.to.place == "message" else ()


def _no_answer(behind: Behind, asking: list[Group], near: list[Sign], broken: list[Ref], limits: Limits) -> Draft:
    peer, longest = behind.end.what, max(g.longest_s for g in asking)
    is_shown = bool(near or broken)
    evidence = (*lines_of(asking, most=4), *broken[:2], *refs_of(near, 2))
    start, end = span_of(behind.groups)
    return Draft(
        severity="high" if is_shown and longest >= limits.severe_s else "medium" if longest >= limits.severe_s else "low",
        variant="" if is_shown else "silent",
        evidence=evidence,
        words={
            "peer": peer,
            "askers": listed(nodes_of(asking)) or shown(None),
            "waits": plural(behind.waiters, "wait"),
            "longest": seconds(longest),
            "messages": listed(sorted({g.want.via for g in asking})),
            "signs": _signs(near, broken),
        },
        nodes=tuple(sorted({*behind.nodes, peer})) if behind.end.node else behind.nodes,
        start=start,
        end=end,
        zone_min=zone_of(behind.groups),
        figures=(
            Figure("Waits behind the node", behind.waiters),
            Figure("Longest wait for its answer", round(longest, 4), "s", limits.words("severe_s")),
            Figure("Log lines and connections that show a break", len(near) + len(broken)),
        ),
        parts=(
            evidence_part(len(evidence), len(behind.nodes)),
            Part(
                "completeness",
                1.0 if is_shown else 0.6,
                "the connection is seen" if is_shown else "no log and no table of connections shows the link",
            ),
            dumps_part(asking),
        ),
        basis="derived" if is_shown else "inferred",
        weight=float(behind.waiters) + longest,
    )


def _signs(near: list[Sign], broken: list[Ref]) -> str:
    parts = [f"{plural(len(broken), 'connection')} shown as broken"] if broken else []
    parts += [f"{plural(len(near), 'log line')} about breaks of the connection"] if near else []
    return listed(parts)


@rule("SC-28")
def rpc_blocked(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: one node waits for another for ever, while both work with everybody else.

    Reasoning: the node asked has a dump without the handler, nobody else waits for it, and only this pair's connection is broken.
    Source: IBM Storage Scale documentation, GPFS and network communication; the cause (firewall, route) is recalled.
    """
    if not facts.get(ScaleWaits).any:
        return
    chains, signs = facts.get(ScaleWaits).chains, facts.get(Signs)
    for behind in chains.behind:
        asking = _asking(chains, behind) if behind.end.kind == "node" and not behind.end.in_circle and not behind.end.leaves_data else []
        if not asking or not _is_one_pair(facts, behind, asking):
            continue
        asker, peer = nodes_of(asking)[0], behind.end.what
        start, end = span_of(asking)
        near = [s for s in signs.breaks_with(peer, (asker,)) if s.is_near(start, end, round(limits.slack_s * 1e6))]
        own = [one for one in signs.connections if one.node == asker]
        broken = [one.ref for one in own if one.peer == peer and one.standing == "down"]
        others = [one.peer for one in own if one.peer and one.peer != peer and one.standing != "down"]
        is_shown = bool(broken and others) or len(near) >= limits.breaks
        longest = max(g.longest_s for g in asking)
        evidence = (*lines_of(asking, most=4), *broken[:2], *refs_of(near, 2))
        yield Draft(
            severity="high" if is_shown and longest >= limits.severe_s else "medium" if is_shown else "low",
            variant="" if is_shown else "hint",
            evidence=evidence,
            words={
                "asker": asker, "peer": peer, "longest": seconds(longest), "waits": plural(behind.waiters, "wait"),
                "signs": _signs(near, broken), "others": plural(len(set(others)), "other connection"),
            },
            nodes=tuple(sorted((asker, peer))),
            start=start,
            end=end,
            zone_min=zone_of(asking),
            figures=(Figure("Longest wait of the pair", round(longest, 4), "s", limits.words("severe_s")),),
            parts=(
                evidence_part(len(evidence), 2),
                Part("completeness", 0.9 if is_shown else 0.5, f"connections of {asker} in the files: {len(own)}"),
                dumps_part(asking),
            ),
            causes=("SC-05",),
            basis="derived" if is_shown else "recalled",
            weight=longest,
        )  # fmt: skip


def _is_one_pair(facts: CaseFacts, behind: Behind, asking: list[Group]) -> bool:
    """Only one of several nodes waits for the node that does not answer."""
    return len(nodes_of(asking)) == 1 and len(facts.get(ScaleWaits).spans.nodes.names) > 2 and behind.end.what not in nodes_of(asking)


@rule("SC-24")
def manager_busy(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: mounts, quota requests or block allocation hang on many nodes.

    Reasoning: their messages go to one manager node and the chains end inside it, at nothing that would explain it better.
    Source: IBM Spectrum Scale performance talk (mount waiting for the file system manager); waits for tokens do not count here.
    """
    if not facts.get(ScaleWaits).any:
        return
    chains, managers = facts.get(ScaleWaits).chains, facts.get(Signs).managers
    by_target: dict[str, list[Group]] = defaultdict(list)
    for group in chains.groups:
        if group.to.place == "answer" and group.want.name.startswith(_MANAGER_MESSAGES):
            by_target[group.to.node].append(group)
    for target, groups in sorted(by_target.items()):
        inside = all(e.node == target and e.kind in ("lock", "thread") for g in groups for e in chains.ends[g.to])
        waits, longest = sum(g.waits for g in groups), max(g.longest_s for g in groups)
        if not inside or waits < limits.waits or len(nodes_of(groups)) < limits.nodes:
            continue
        evidence = (
            *lines_of(groups, [a for g in groups for a in chains.answers(g.to)], most=6),
            *([managers[target]] if target in managers else []),
        )
        start, end = span_of(groups)
        yield Draft(
            severity="medium",
            evidence=evidence,
            words={
                "manager": target,
                "waits": plural(waits, "wait"),
                "nodes": plural(len(nodes_of(groups)), "node"),
                "messages": listed(sorted({g.want.name for g in groups})),
                "longest": seconds(longest),
            },
            nodes=tuple(sorted({*nodes_of(groups), target})),
            start=start,
            end=end,
            zone_min=zone_of(groups),
            figures=(Figure("Waits for the manager", waits, "", limits.words("waits")), Figure("Longest of them", round(longest, 4), "s")),
            parts=(
                evidence_part(len(evidence), len(nodes_of(groups))),
                Part(
                    "completeness",
                    1.0 if target in managers else 0.8,
                    "the table of managers names it" if target in managers else "by the messages sent to it",
                ),
                dumps_part(groups),
            ),
            weight=float(waits),
        )


@rule("SC-34")
def remote_owner(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: threads wait for a node of another cluster.

    Reasoning: the index printed beside the target counts another cluster than the own one, so what holds it up is in the owner's dumps.
    Source: IBM Spectrum Scale performance talk (form of the index); that the owner cluster serves tokens and disks is inferred.
    """
    if not facts.get(ScaleWaits).any:
        return
    for behind in [b for b in facts.get(ScaleWaits).chains.behind if b.end.leaves_data][: int(limits.most)]:
        remote = [g for g in behind.groups if g.to.node == behind.end.what and _is_remote(g)]
        if not remote:
            continue
        evidence = lines_of(remote, most=4)
        start, end = span_of(remote)
        yield Draft(
            severity="info",
            evidence=evidence,
            words={
                "node": behind.end.what, "waits": plural(behind.waiters, "wait"), "longest": seconds(behind.longest_s),
                "from": listed(nodes_of(remote)) or shown(None),
            },
            nodes=behind.nodes,
            start=start,
            end=end,
            zone_min=zone_of(remote),
            figures=(Figure("Waits that end there", behind.waiters),),
            parts=(evidence_part(len(evidence), len(behind.nodes)), Part("completeness", 1.0, "all files were searched for that node")),
            weight=behind.longest_s,
        )  # fmt: skip


def _is_remote(group: Group) -> bool:
    shape = group.text.shape
    return any(mark is not None and _REMOTE.match(mark) is not None for mark in (shape.target_index, shape.target))
