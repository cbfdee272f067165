"""Rule on circles of waits under Spectrum Scale: deadlocks (SC-10)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.scale.evidence import dumps_of, lines_of, nodes_of, repeated, span_of, waits_in, zone_of
from apps.diagnosis.engine.scale.groups import Behind, Deadlock
from apps.diagnosis.engine.scale.waits import ScaleWaits
from parsers.dataclass import dataclass

NAMES_SHOWN: Final = 12
FIRST: Final = 1e6  # weight: a circle stands before all other findings of its severity


@dataclass(frozen=True, slots=True, kw_only=True)
class CircleWords:
    """circle: its members with arrows; age: since when it is closed, in s; queue: waits behind it; exact: edges are
    known by message ids.

    waits, longest: where an edge rests on a guess.
    """

    members: tuple[str, ...] = ()
    count: int | None = None
    circle: str = ""
    messages: tuple[str, ...] = ()
    age: float | None = None
    queue: int | None = None
    victims: tuple[str, ...] = ()
    dumps: int
    exact: bool = False
    waits: int | None = None
    longest: float | None = None
    nodes: tuple[str, ...] = ()


@rule("SC-10", needs=(ScaleWaits,), words=CircleWords)
def deadlock_cycle(waits: ScaleWaits, limits: Limits) -> Iterator[Seen]:
    """Symptom: some nodes wait for each other for ever, and whatever needs one of them queues up behind.

    Reasoning: each of them waits for an answer of the next, whose thread that works on it waits in turn; nothing
    outside can end it. Source: IBM Storage Scale documentation, automated deadlock detection; how messages and handlers
    belong together is inferred.
    """
    most = int(limits.most)
    yield from (_seen(deadlock, limits) for deadlock in waits.deadlocks[:most])
    if not waits.deadlocks:
        yield from (_suspected(behind) for behind in [b for b in waits.behind if b.end.in_circle][:most])


def _seen(deadlock: Deadlock, limits: Limits) -> Seen:
    members, ring, queue = deadlock.members, deadlock.ring, deadlock.queue
    is_lasting = deadlock.dumps >= limits.dumps
    severity = "medium" if deadlock.longest_s < limits.severe_s else "critical" if is_lasting else "high"
    return Seen(
        level=severity if deadlock.is_exact else f"{severity}_by_names",
        variant="" if is_lasting else "once",
        words=CircleWords(
            members=members,
            count=len(members),
            circle=" \u2192 ".join((*members[:NAMES_SHOWN], "\u2026" if len(members) > NAMES_SHOWN else members[0])),
            messages=tuple(sorted({group.awaited.via for group in ring})),
            age=deadlock.longest_s,
            queue=waits_in(queue),
            victims=tuple(node for node in nodes_of(queue) if node not in members),
            dumps=deadlock.dumps if is_lasting else dumps_of(ring),
            exact=deadlock.is_exact,
        ),
        lines=(*lines_of(ring), *lines_of(queue, most=1)),
        nodes=members,
        times=span_of(ring),
        zone_min=zone_of(ring),
        parts=("exact" if deadlock.is_exact else "by_names", "lasting" if is_lasting else repeated(ring)),
        causes=("SC-05", "SC-21", "SC-24"),
        weight=deadlock.longest_s + FIRST,
    )


def _suspected(behind: Behind) -> Seen:
    """Nodes that wait for each other, where an edge rests on a guess: no deadlock is claimed."""
    groups = behind.groups
    return Seen(
        level="guess",
        words=CircleWords(waits=behind.waiters, longest=behind.longest_s, nodes=behind.nodes, dumps=dumps_of(groups)),
        lines=lines_of(groups),
        nodes=behind.nodes,
        times=span_of(groups),
        zone_min=zone_of(groups),
        parts=("threads_unknown", repeated(groups)),
        weight=behind.longest_s,
    )
