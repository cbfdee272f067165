"""Rules on GFS2 glocks that are not let go: late release (GL-02), deadlock (GL-05)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.model import Figure, Part, Ref, Severity
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.core.wording import plural, seconds
from apps.diagnosis.engine.facts import CaseFacts
from apps.diagnosis.engine.gfs2.demotes import Demote, demotes
from apps.diagnosis.engine.gfs2.glocks import GlockFacts
from apps.diagnosis.engine.gfs2.graph import Circle

SHOWN: Final = 5
EVIDENCE_MOST: Final = 8
NAMES_MOST: Final = 12
REASONS: Final = {
    "write-back": "dirty data or the log has to be written out first: look at the storage",
    "unprocessed": "the lock manager's answer has reached the node and is not processed there: look at its glock workqueue and processors",
    "manager": "a change of state is in progress and the lock manager's answer may be missing",
    "unknown": "it shows neither a process nor data to write nor a change of state: a second capture has to tell",
}


@rule("GL-02")
def demote_pending(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: a lock is wanted whose owner was asked to release it long ago.

    Reasoning: flag D and the age behind d:, beyond the minimum hold time.
    Source: kernel documentation of glocks; the bands of age are proposed.
    """
    for one in demotes(facts.glocks)[:SHOWN]:
        yield _demote(one, facts.glocks, limits)


def _demote(one: Demote, glocks: GlockFacts, limits: Limits) -> Draft:
    lock, holder = one.lock, one.holders[0] if one.holders else None
    because = REASONS.get(one.reason, "")
    if holder is not None:
        because = f"{holder.command or 'a process'} [{holder.pid}] works under it in {holder.place or 'an unknown function'}"
    evidence = (
        Ref(lock.artifact, lock.line),
        *(Ref(h.artifact, h.line) for h in one.holders[:2]),
        *(Ref(w.artifact, w.line) for w in sorted(one.asking, key=lambda w: (w.node or "", w.line))[:2]),  # not in order of files
    )
    waiting = {wait.name for wait in glocks.contended.get(lock.key, ()) if wait.round == lock.round}
    since = lock.at - (lock.demote_us or 0) if lock.at is not None and lock.at > (lock.demote_us or 0) else lock.at
    return Draft(
        severity=one.severity,
        evidence=evidence,
        words={
            "node": lock.node or "A node",
            "age": seconds(lock.age_s),
            "glock": glocks.label(lock.fs, lock.object) + (f" (inode {lock.number})" if lock.type == 2 else ""),
            "state": lock.state,
            "because": because,
            "asker": " by another node" if one.asking or one.remote else "",
            "local": "" if one.asking or one.remote else " Whether another node or this one asked is not shown.",
            "waiting": f"; {plural(len(waiting), 'process waits', 'processes wait')} for it" if waiting else "",
            "raw": lock.demote_us,
            "exact": f"{lock.age_s:.6f}".rstrip("0").rstrip("."),
        },
        nodes=(lock.node,) if lock.node else (),
        start=since,
        end=lock.at,
        zone_min=lock.zone_min,
        figures=(Figure("Age of the request", round(lock.age_s, 6), "s", limits.words("low_s")),),
        parts=_parts(one, evidence),
        causes=("GL-01",) if _is_cause(one, glocks) else (),
        tunings=_tunings(one),
        weight=lock.age_s,
    )


def _parts(one: Demote, evidence: tuple[Ref, ...]) -> tuple[Part, ...]:
    both = bool(one.holders) and bool(one.asking)
    return (
        evidence_part(len(evidence), 1 + bool(one.asking)),
        Part("completeness", 1.0, "holder and waiter are in the dumps")
        if both
        else Part("completeness", 0.8, "one side is not in the dumps"),
        Part("agreement", 1.0, f"late in {one.captures} captures")
        if one.captures > 1
        else Part("agreement", 0.75, "late in one capture only"),
    )


def _is_cause(one: Demote, glocks: GlockFacts) -> bool:
    """Writing back without a process is the cause of the queue; with a process the queue's rule tells the same better."""
    queues = {(c.fs, c.glock) for c in glocks.contentions}
    return one.reason == "write-back" and queues == {one.lock.key}


def _tunings(one: Demote) -> tuple[str, ...]:
    """Where a process works under the lock and others want it, the work belongs elsewhere; else there is nothing to set here."""
    if one.reason != "holder" or not one.asking:
        return ()
    return ("one-node-per-tree-gfs2", "split-directory") if one.lock.is_directory else ("one-node-per-tree-gfs2",)


@rule("GL-05")
def wait_cycle(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: processes hang for ever, each holding what the next one wants.

    Reasoning: a circle of waits whose every edge is seen in one round of captures.
    Source: graph theory on the fields of the dump; a lock that does not move between two dumps is a bug.
    """
    found = facts.glocks.circles
    causes = ("GL-01", "GL-02", "GL-11") if found and _explains_all(facts.glocks, found) else ()
    for circle in sorted(found, key=lambda one: -one.rounds)[:SHOWN]:
        yield _cycle(circle, limits, causes)


def _explains_all(glocks: GlockFacts, found: list[Circle]) -> bool:
    """Whether every contended or late glock is one of a circle's, or held by one of its processes."""
    members = {name for circle in found for name in circle.names}
    others = [h.name for one in glocks.contentions if glocks.label(one.fs, one.glock) not in members for h in one.holders]
    late = [h.name for one in demotes(glocks) if glocks.label(*one.lock.key) not in members for h in one.holders]
    return all(name in members for name in (*others, *late))


def _cycle(circle: Circle, limits: Limits, causes: tuple[str, ...]) -> Draft:
    waits = {wait.name: wait for wait in circle.waits}
    times = [wait.at for wait in circle.waits if wait.at is not None]
    severity: Severity = "critical" if circle.rounds >= limits.captures else "high"
    names = circle.names if len(circle.names) <= NAMES_MOST else (*circle.names[:NAMES_MOST], f"{len(circle.names) - NAMES_MOST} more")
    evidence = tuple(Ref(wait.artifact, wait.line) for wait in list(waits.values())[:EVIDENCE_MOST])
    return Draft(
        severity=severity,
        evidence=evidence,
        words={
            "cycle": " \u2192 ".join(names),
            "first": circle.names[0],
            "n": plural(len(waits), "process", "processes"),
            "rounds": plural(circle.rounds, "capture"),
        },
        nodes=tuple(sorted({wait.node for wait in waits.values() if wait.node})),
        start=min(times, default=None),
        end=max(times, default=None),
        zone_min=circle.waits[0].zone_min,
        figures=(
            Figure("Processes in the circle", len(waits)),
            Figure("Captures that show it", circle.rounds, "", limits.words("captures")),
        ),
        parts=(
            evidence_part(len(evidence), len({wait.node for wait in waits.values()})),
            _completeness(circle, limits),
            _agreement(circle),
        ),
        causes=causes,
        weight=1e9,
    )


def _completeness(circle: Circle, limits: Limits) -> Part:
    if circle.skew_s > limits.skew_s:
        return Part("completeness", 0.65, f"its edges were read {circle.skew_s:.0f} s apart: only possible")
    return Part("completeness", 1.0, "every edge is seen")


def _agreement(circle: Circle) -> Part:
    if circle.rounds > 1:
        return Part("agreement", 1.0, f"seen in {circle.rounds} captures")
    return Part("agreement", 0.75, "seen in one capture only")
