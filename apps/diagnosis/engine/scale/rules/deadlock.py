"""Rule on circles of waits under Spectrum Scale: deadlocks (SC-10)."""

from __future__ import annotations

from collections.abc import Iterator

from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.model import Figure, Part, Severity
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.core.wording import listed, plural, seconds
from apps.diagnosis.engine.facts import CaseFacts
from apps.diagnosis.engine.scale.chains import Behind, Deadlock
from apps.diagnosis.engine.scale.evidence import LINES, dumps_part, lines_of, nodes_of, span_of, zone_of
from apps.diagnosis.engine.scale.waits import ScaleWaits

NAMES_SHOWN = 12


@rule("SC-10")
def deadlock_cycle(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: some nodes wait for each other for ever, and whatever needs one of them queues up behind.

    Reasoning: each of them waits for an answer of the next, whose thread that works on it waits in turn; nothing outside can end it.
    Source: IBM Storage Scale documentation, automated deadlock detection; how messages and handlers belong together is inferred.
    """
    if not facts.get(ScaleWaits).any:
        return
    chains = facts.get(ScaleWaits).chains
    for deadlock in chains.deadlocks[: int(limits.most)]:
        yield _seen(deadlock, limits)
    if not chains.deadlocks:
        for behind in [b for b in chains.behind if b.end.in_circle][: int(limits.most)]:
            yield _suspected(behind)


def _seen(deadlock: Deadlock, limits: Limits) -> Draft:
    members, ring, queue = deadlock.members, deadlock.ring, deadlock.queue
    inside = set(members)
    victims = tuple(node for node in nodes_of(queue) if node not in inside)
    is_lasting = deadlock.dumps >= limits.dumps
    evidence = (*lines_of(ring, most=LINES), *lines_of(queue, most=1))
    start, end = span_of(ring)
    circle = " \u2192 ".join((*members[:NAMES_SHOWN], "\u2026" if len(members) > NAMES_SHOWN else members[0]))
    return Draft(
        severity=_severity(deadlock, is_lasting=is_lasting, limits=limits),
        variant="" if is_lasting else "once",
        evidence=evidence,
        words={
            "members": listed(members, NAMES_SHOWN),
            "count": plural(len(members), "node"),
            "circle": circle,
            "messages": listed(sorted({group.want.via for group in ring})),
            "longest": seconds(deadlock.longest_s),
            "queue": plural(sum(group.waits for group in queue), "wait"),
            "victims": f" Victims, not causes: {listed(victims, 6)}." if victims else "",
            "dumps": deadlock.dumps,
            "by": "the ids of the messages" if deadlock.is_exact else "the names of the threads that work on the messages",
        },
        nodes=members,
        start=start,
        end=end,
        zone_min=zone_of(ring),
        figures=(
            Figure("Nodes in the circle", len(members)),
            Figure("Youngest wait of the circle", round(deadlock.longest_s, 4), "s", limits.words("severe_s")),
            Figure("Waits queued behind it", sum(group.waits for group in queue)),
        ),
        parts=(
            evidence_part(len(evidence), len(members)),
            Part("completeness", 1.0 if deadlock.is_exact else 0.9, "every edge of the circle is in the dumps"),
            Part("agreement", 1.0, f"the same waits stand in {deadlock.dumps} dumps") if is_lasting else dumps_part(ring),
        ),
        causes=("SC-05", "SC-21", "SC-24"),
        basis=None if deadlock.is_exact else "inferred",
        weight=deadlock.longest_s + 1e6,
    )


def _severity(deadlock: Deadlock, *, is_lasting: bool, limits: Limits) -> Severity:
    if deadlock.longest_s < limits.severe_s:
        return "medium"
    return "critical" if is_lasting else "high"


def _suspected(behind: Behind) -> Draft:
    """Nodes that wait for each other, where an edge rests on a guess: no deadlock is claimed."""
    groups = behind.groups
    evidence = lines_of(groups)
    start, end = span_of(groups)
    return Draft(
        severity="low",
        variant="guess",
        evidence=evidence,
        words={
            "members": behind.end.what,
            "waits": plural(behind.waiters, "wait"),
            "longest": seconds(behind.longest_s),
            "nodes": listed(behind.nodes, 6),
        },
        nodes=behind.nodes,
        start=start,
        end=end,
        zone_min=zone_of(groups),
        figures=(Figure("Waits behind it", behind.waiters), Figure("Longest of them", round(behind.longest_s, 4), "s")),
        parts=(
            evidence_part(len(evidence), len(behind.nodes)),
            Part("completeness", 0.3, "which thread works on which message is not printed"),
            dumps_part(groups),
        ),
        basis="proposed",
        weight=behind.longest_s,
    )
