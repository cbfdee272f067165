"""Rules on GFS2 glocks: contended inode (GL-01), pending demote (GL-02), deadlock (GL-05), contention inside one node (GL-11)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from apps.diagnosis.engine.facts import CaseFacts
from apps.diagnosis.engine.gfs2_facts import Entry, GlockFacts, Lock
from apps.diagnosis.engine.gfs2_waits import cycles_with_rounds
from apps.diagnosis.engine.knowledge import Limits
from apps.diagnosis.engine.model import Figure, Part, Ref, Severity
from apps.diagnosis.engine.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.wording import listed, plural, seconds

SHOWN = 5


@dataclass(frozen=True, slots=True)
class Contention:
    """One glock that processes wait for: its waits, its holders at those moments, its inode."""

    fs: str | None
    glock: str
    waits: list[Entry]
    holders: list[Entry]
    locks: list[Lock]

    @property
    def processes(self) -> set[str]:
        return {wait.name for wait in self.waits}

    @property
    def nodes(self) -> tuple[str, ...]:
        return tuple(sorted({wait.node for wait in self.waits if wait.node}))

    @property
    def most_waiters(self) -> int:
        """Most processes in one round of captures, over all nodes."""
        return max(Counter(wait.capture for wait in self.waits).values())

    @property
    def most_in_one_dump(self) -> int:
        return max(Counter((wait.node, wait.capture) for wait in self.waits).values())

    @property
    def captures(self) -> int:
        return len({(wait.node, wait.capture) for wait in self.waits})

    @property
    def recurs(self) -> bool:
        """Waited for in two captures of one node."""
        return any(n >= 2 for n in Counter(node for node, _ in {(w.node, w.capture) for w in self.waits}).values())

    @property
    def on_many_nodes(self) -> bool:
        """Waited for on two nodes in one round of captures."""
        rounds: dict[int, set[str]] = defaultdict(set)
        for wait in self.waits:
            rounds[wait.capture].add(wait.node)
        return any(len(nodes) > 1 for nodes in rounds.values())

    @property
    def is_directory(self) -> bool:
        return any(lock.is_directory for lock in self.locks)

    @property
    def is_local(self) -> bool:
        """All waiters and holders on one node, and the holder is seen."""
        return bool(self.holders) and len({*self.nodes, *(h.node for h in self.holders)}) == 1

    @property
    def main_holder(self) -> Entry | None:
        """The process that holds it most often."""
        if not self.holders:
            return None
        name = Counter(h.name for h in self.holders).most_common(1)[0][0]
        return max((h for h in self.holders if h.name == name), key=lambda h: (h.at or 0, h.line))

    @property
    def times(self) -> list[int]:
        return [wait.at for wait in self.waits if wait.at is not None]


def contentions(facts: GlockFacts) -> list[Contention]:
    """Contended inode glocks, those with most waiters first."""
    locks: dict[tuple[str | None, str], list[Lock]] = defaultdict(list)
    for lock in facts.locks:
        locks[lock.key].append(lock)
    found = []
    for key, waits in facts.contended.items():
        if waits[0].glock.startswith("2/"):
            holders = list({(h.artifact, h.line): h for wait in waits for h in facts.holders(wait)}.values())
            found.append(Contention(key[0], key[1], waits, holders, locks[key]))
    return sorted(found, key=lambda c: (-c.most_waiters, -c.captures, c.glock))


def _is_contended(one: Contention, limits: Limits) -> bool:
    return one.most_in_one_dump >= limits.waiters or one.recurs or one.on_many_nodes


def _severity(one: Contention, limits: Limits) -> Severity:
    if one.is_directory and one.most_waiters >= limits.critical_waiters:
        return "critical"
    if one.recurs or one.on_many_nodes:
        return "high"
    return "medium" if one.most_in_one_dump >= limits.medium_waiters else "low"


def _words(one: Contention, facts: GlockFacts) -> dict[str, object]:
    holder = one.main_holder
    number = one.locks[0].number if one.locks else int(one.glock.split("/")[1], 16)
    known = {lock.inode_type for lock in one.locks if lock.inode_type is not None}
    what = "directory" if one.is_directory else "file" if known else "object not shown"
    demote = max((lock.demote_us or 0 for lock in one.locks), default=0) / 1e6
    total = max((len(facts.captures.get((node, one.fs), ())) for node in one.nodes), default=one.captures)
    fs = (one.fs or "").rsplit(":", 1)[-1] or "the file system"
    held = "no holder is seen in these dumps"
    if holder is not None:
        held = f"held {holder.state} by {holder.name} [{holder.command}] in {holder.function.split('+', 1)[0] or 'an unknown function'}"
    asked = f" The holder's node was asked to give it up for up to {seconds(demote)}." if demote >= 1 else ""
    return {
        "glock": one.glock,
        "inode": number,
        "what": what,
        "fs": fs,
        "waiters": plural(len(one.processes), "process", "processes"),
        "nodes": listed(one.nodes),
        "held": held,
        "most": one.most_waiters,
        "seen": len({w.capture for w in one.waits}),
        "captures": total,
        "asked": asked,
    }


def _evidence(one: Contention, facts: GlockFacts) -> tuple[Ref, ...]:
    """The holder with its glock, and the first waiters of each node in the capture with most of them."""
    worst = Counter(wait.capture for wait in one.waits).most_common(1)[0][0]
    refs = []
    holder = one.main_holder
    if holder is not None:
        lock = facts.lock_of.get((holder.node, holder.fs, holder.glock, holder.capture))
        refs += [Ref(lock.artifact, lock.line)] if lock else []
        refs.append(Ref(holder.artifact, holder.line))
    for node in one.nodes[:4]:
        refs += [Ref(w.artifact, w.line) for w in one.waits if w.node == node and w.capture == worst][:2]
    return tuple(refs) or (Ref(one.waits[0].artifact, one.waits[0].line),)


def _parts(one: Contention, evidence: tuple[Ref, ...]) -> tuple[Part, ...]:
    seen = (
        Part("completeness", 1.0, "the holder is in the dumps")
        if one.holders
        else Part("completeness", 0.65, "no holder is seen in these dumps")
    )
    again = (
        Part("agreement", 1.0, f"seen in {one.captures} dumps") if one.captures > 1 else Part("agreement", 0.75, "seen in one dump only")
    )
    return evidence_part(len(evidence), len({*one.nodes, *(h.node for h in one.holders)})), seen, again


def _draft(one: Contention, facts: GlockFacts, severity: Severity, causes: tuple[str, ...]) -> Draft:
    evidence = _evidence(one, facts)
    holder = one.main_holder
    span = max((s.seconds or 0 for s in facts.spans if (s.last.fs, s.last.glock) == (one.fs, one.glock)), default=0.0)
    return Draft(
        severity=severity,
        evidence=evidence,
        words=_words(one, facts),
        nodes=tuple(sorted({*one.nodes, *([holder.node] if holder else [])})),
        start=min(one.times, default=None),
        end=max(one.times, default=None),
        zone_min=one.waits[0].zone_min,
        figures=(
            Figure("Processes that waited", len(one.processes), "", "limit 2"),
            Figure("Most at one time", one.most_waiters, "", "limit 10 for a directory"),
            Figure("Dumps with waiters", one.captures, "", "limit 2"),
            *((Figure("Longest wait, at least", round(span, 1), "s"),) if span else ()),
        ),
        parts=_parts(one, evidence),
        causes=causes,
        tunings=("one-node-per-tree-gfs2", "backup-one-node", "split-directory")
        if one.is_directory
        else ("one-node-per-tree-gfs2", "backup-one-node"),
        weight=len(one.processes) * max(1.0, span),
    )


@rule("GL-01")
def contended_inode(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: processes of several nodes hang on one file or directory.

    Reasoning: holder lines with W on one inode glock in several captures or on several nodes; the H line names who has it.
    Source: kernel documentation of glocks, and the limits that glocktop_analyze uses.
    """
    glocks = facts.glocks
    hits = [one for one in contentions(glocks) if _is_contended(one, limits) and not one.is_local]
    for one in hits[:SHOWN]:
        yield _draft(one, glocks, _severity(one, limits), ("GL-02",))


@rule("GL-11")
def local_contention(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: processes of one node hang on one file or directory.

    Reasoning: all waiters and the holder are on one node: no cluster traffic is behind it.
    Source: kernel documentation of glocks.
    """
    glocks = facts.glocks
    hits = [one for one in contentions(glocks) if one.is_local and (one.most_in_one_dump >= limits.waiters or one.recurs)]
    for one in hits[:SHOWN]:
        severity: Severity = (
            "info" if len(one.processes) == 1 else "high" if one.recurs else "medium" if one.most_in_one_dump > 2 else "low"
        )
        yield _draft(one, glocks, severity, ("GL-02",))


@rule("GL-02")
def demote_pending(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: other nodes wait for a lock whose owner was asked to release it long ago.

    Reasoning: flag D and the age behind d:, beyond the minimum hold time.
    Source: kernel documentation of glocks; the bands of age are proposed.
    """
    glocks = facts.glocks
    pending = [lock for lock in glocks.locks if "D" in lock.flags and (lock.demote_us or 0) >= limits.info_s * 1e6]
    worst: dict[tuple[str | None, str], Lock] = {}
    for lock in pending:
        if lock.key not in worst or (lock.demote_us or 0) > (worst[lock.key].demote_us or 0):
            worst[lock.key] = lock
    for lock in sorted(worst.values(), key=lambda one: -(one.demote_us or 0))[:SHOWN]:
        yield _demote(lock, glocks, limits)


def _demote(lock: Lock, glocks: GlockFacts, limits: Limits) -> Draft:
    age = (lock.demote_us or 0) / 1e6
    holders = [e for e in glocks.holds if (e.node, e.fs, e.glock, e.capture) == (lock.node, lock.fs, lock.object, lock.capture)]
    remote = [w for w in glocks.contended.get(lock.key, []) if w.node != lock.node]
    bands: tuple[tuple[float, Severity], ...] = (
        (limits.critical_s, "critical"),
        (limits.high_s, "high"),
        (limits.medium_s, "medium"),
        (limits.low_s, "low"),
    )
    severity: Severity = next((name for least, name in bands if age >= least), "info")
    because = "it shows neither a holder nor data to write back"
    if holders:
        because = f"{holders[0].command} [{holders[0].pid}] works under it in {holders[0].function.split('+', 1)[0]}"
    elif {"y", "f"} & set(lock.flags):
        because = "dirty data or a log flush has to go out first"
    evidence = (
        Ref(lock.artifact, lock.line),
        *(Ref(h.artifact, h.line) for h in holders[:1]),
        *(Ref(w.artifact, w.line) for w in remote[:1]),
    )
    return Draft(
        severity=severity,
        evidence=evidence,
        words={
            "node": lock.node or "a node",
            "age": seconds(age),
            "glock": lock.object,
            "state": lock.state,
            "because": because,
            "asker": " by another node" if remote else "",
            "raw": lock.demote_us,
        },
        nodes=(lock.node,) if lock.node else (),
        start=lock.at - (lock.demote_us or 0) if lock.at is not None and lock.at > (lock.demote_us or 0) else lock.at,
        end=lock.at,
        zone_min=lock.zone_min,
        figures=(Figure("Age of the request", round(age, 1), "s", limits.words("low_s")),),
        parts=(
            evidence_part(len(evidence), 1 + bool(remote)),
            Part("completeness", 1.0, "holder and waiter are in the dumps")
            if holders and remote
            else Part("completeness", 0.8, "one side is not in the dumps"),
            Part("agreement", 1.0, "nothing contradicts it"),
        ),
        weight=age,
    )


@rule("GL-05")
def wait_cycle(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: processes hang for ever, each holding what the next one wants.

    Reasoning: a circle of waits whose every edge is seen in one round of captures.
    Source: graph theory on the fields of the dump; a lock that does not move between two dumps is a bug.
    """
    for cycle, waits in cycles_with_rounds(facts.glocks)[:SHOWN]:
        rounds = len({wait.capture for wait in waits})
        names = {wait.name: wait for wait in waits}
        evidence = tuple(Ref(wait.artifact, wait.line) for wait in list(names.values())[:8])
        yield Draft(
            severity="critical" if rounds >= limits.captures else "high",
            evidence=evidence,
            words={"cycle": " \u2192 ".join(cycle), "first": cycle[0], "n": plural(len(names), "process", "processes"), "rounds": rounds},
            nodes=tuple(sorted({wait.node for wait in waits if wait.node})),
            start=min((w.at for w in waits if w.at is not None), default=None),
            end=max((w.at for w in waits if w.at is not None), default=None),
            zone_min=waits[0].zone_min,
            figures=(Figure("Processes in the circle", len(names)), Figure("Captures that show it", rounds, "", limits.words("captures"))),
            parts=(
                evidence_part(len(evidence), len({w.node for w in waits})),
                Part("completeness", 1.0, "every edge is seen"),
                Part("agreement", 1.0, f"seen in {rounds} captures") if rounds > 1 else Part("agreement", 0.75, "seen in one capture only"),
            ),
            causes=("GL-01", "GL-02", "GL-11"),
            weight=1e9,
        )
