"""Rules on contended GFS2 glocks: over nodes (GL-01), inside one node (GL-11), and that nothing is wrong (GL-00)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from apps.diagnosis.engine.core.knowledge import Limits, limits
from apps.diagnosis.engine.core.model import SEVERITIES, Figure, Part, Ref, Severity
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.core.wording import listed, plural, seconds
from apps.diagnosis.engine.facts import CaseFacts
from apps.diagnosis.engine.gfs2.cluster import events, figures
from apps.diagnosis.engine.gfs2.contention import Contention
from apps.diagnosis.engine.gfs2.demotes import demotes
from apps.diagnosis.engine.gfs2.glocks import GlockFacts
from apps.diagnosis.engine.gfs2.waits import pending

SHOWN: Final = 5
EVIDENCE_MOST: Final = 8
SCANS: Final = frozenset(
    ("tar", "rsync", "find", "du", "ls", "cp", "bacula-fd", "bpbkar", "dsmc", "updatedb", "clamscan", "clamd", "restic", "borg")
)
MAIL: Final = ("imap", "pop3", "lmtp", "dovecot", "exim", "postfix", "smtpd", "sendmail", "procmail", "courier", "deliver", "maildrop")


def contended(facts: GlockFacts) -> list[Contention]:
    """Glocks that GL-01 speaks of, in its order."""
    one = limits("GL-01")
    found = [c for c in facts.contentions if not c.is_local and _is_contended(c, one)]
    found += [c for c in facts.lone if c.moves > 1]  # ping-pong that harms somebody now and then
    return sorted(found, key=lambda c: SEVERITIES.index(severity_of(c, one)))


def _is_contended(one: Contention, limits: Limits) -> bool:
    return one.most_in_one_dump >= limits.waiters or one.recurs or one.on_many_nodes


def _is_busy(one: Contention) -> bool:
    """Never two at a time and nobody seen twice: a lock that is used a lot, and let go each time."""
    return one.most_waiters < 2 and not one.lasting


def severity_of(one: Contention, limits: Limits) -> Severity:
    """How much harm the fight over a lock does."""
    if one.is_directory and one.most_waiters >= limits.critical_waiters:
        return "critical"
    if (one.moves and not _is_busy(one)) or one.moves > 1:
        return "high"
    if _is_busy(one) and not one.on_many_nodes:
        return "low"
    if one.recurs or one.on_many_nodes:
        return "high"
    return "medium" if one.most_in_one_dump >= limits.medium_waiters else "low"


@rule("GL-01")
def contended_inode(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: processes of several nodes hang on one file or directory.

    Reasoning: holder lines with W on one inode glock in several captures or on several nodes; the H line names who has it.
    Source: kernel documentation of glocks, and the limits that glocktop_analyze uses.
    """
    hits = contended(facts.glocks)
    causes = ("GL-02",) if hits and _explains(facts.glocks, hits, severity_of(hits[0], limits)) else ()
    for number, one in enumerate(hits[:SHOWN]):
        rest = len(hits) - SHOWN if number == 0 else 0
        yield _draft(one, facts.glocks, limits, severity_of(one, limits), causes=causes, rest=rest)
    known = {one.glock for one in hits}
    yield from _by_trace(facts, known, limits)


def _by_trace(facts: CaseFacts, known: set[str], limits: Limits) -> Iterator[Draft]:
    """Glocks that other nodes ask for again and again, as a trace counts it."""
    found = [
        figure
        for figure in figures(facts, "trace", "^2/[0-9a-f]+ demote requests remote$")
        if (figure.interval_s or 0) >= limits.trace_window_s and figure.value >= limits.trace_per_s * (figure.interval_s or 0)
    ]
    for figure in sorted(found, key=lambda one: -one.value / (one.interval_s or 1))[:SHOWN]:
        glock = figure.name.partition(" ")[0]
        if glock in known:
            continue
        rate = figure.value / (figure.interval_s or 1)
        yield Draft(
            severity="high",
            variant="trace",
            evidence=(figure.ref,),
            words={
                "glock": glock,
                "inode": int(glock.partition("/")[2], 16),
                "device": f" of device {figure.scope}" if figure.scope else "",
                "node": figure.node or "a node",
                "rate": f"{rate:.1f}",
                "seconds": seconds(figure.interval_s or 0),
            },
            nodes=(figure.node,) if figure.node else (),
            figures=(Figure("Requests of other nodes", round(rate, 2), "/s", limits.words("trace_per_s")),),
            parts=(evidence_part(1, 1), Part("completeness", 0.85, "counted in a trace; who asks is not in it")),
            weight=rate,
        )


def _explains(facts: GlockFacts, hits: Sequence[Contention], severity: Severity) -> bool:
    """Whether all overdue requests to release a lock belong to the contended locks, and none is the graver fact."""
    keys = {(one.fs, one.glock) for one in hits}
    overdue = demotes(facts)
    return all(d.lock.key in keys and SEVERITIES.index(d.severity) >= SEVERITIES.index(severity) for d in overdue)


@rule("GL-11")
def local_contention(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: processes of one node hang on one file or directory.

    Reasoning: all waiters and the holder are on one node: no cluster traffic is behind it.
    Source: kernel documentation of glocks.
    """
    glocks = facts.glocks
    hits = [one for one in glocks.contentions if one.is_local]
    hits += [one for one in glocks.lone if one.is_local and one.held_s >= limits.lone_s]
    alone = len({node for node, _ in glocks.captures}) < 2
    for number, one in enumerate(hits[:SHOWN]):
        severity = "info" if len(one.processes) == 1 else severity_of(one, limits)
        rest = len(hits) - SHOWN if number == 0 else 0
        yield _draft(one, glocks, limits, severity, variant="alone" if alone else "", rest=rest)


@rule("GL-00")
def healthy_glocks(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: none, or a complaint that has another cause.

    Reasoning: no glock is waited for twice, by two processes or by two nodes, and no node is late with releasing one.
    Source: the limits of the rules on contention and on pending requests.
    """
    glocks = facts.glocks
    if not glocks.any or not _is_quiet(glocks) or events(facts, "gfs2-withdraw"):
        return  # the dump that a withdraw leaves in the log says nothing on how the locks were
    nodes = tuple(sorted({node for node, _ in glocks.captures if node}))
    times = [one.at for own in glocks.captures.values() for one in own if one.at is not None]
    some = glocks.waits[0] if glocks.waits else glocks.locks[0] if glocks.locks else None
    captures = sum(map(len, glocks.captures.values()))
    yield Draft(
        severity="info",
        evidence=(Ref(some.artifact, some.line),) if some else (),
        words={
            "waits": plural(len(glocks.waits), "single short wait") if glocks.waits else "No wait",
            "captures": plural(captures, "capture"),
            "nodes": plural(max(1, len(nodes)), "node"),
        },
        nodes=nodes,
        start=min(times, default=None),
        end=max(times, default=None),
        zone_min=some.zone_min if some else None,
        figures=(Figure("Single waits", len(glocks.waits)), Figure("Captures", captures)),
        parts=(
            Part("evidence", 0.7, f"{plural(captures, 'capture')} looked at"),
            Part("completeness", 0.7, "only what was sent is judged"),
        ),
    )


def _is_quiet(glocks: GlockFacts) -> bool:
    """Only lone waits of every day: nobody seen twice, no late release, no circle."""
    if any(span.dumps > 1 for span in glocks.spans) or glocks.circles:
        return False
    overdue = any(one.severity != "info" for one in demotes(glocks))
    crowded = any(len(glocks.queues.waiting(wait.queue)) > 1 for wait in glocks.waits)
    return not overdue and not crowded and not glocks.contentions


def _draft(
    one: Contention,
    facts: GlockFacts,
    limits: Limits,
    severity: Severity,
    *,
    causes: tuple[str, ...] = (),
    variant: str = "",
    rest: int = 0,
) -> Draft:
    evidence = _evidence(one, facts)
    return Draft(
        severity=severity,
        variant=variant,
        evidence=evidence,
        words=_words(one, facts, rest),
        nodes=one.nodes,
        start=min(one.times, default=None),
        end=max(one.times, default=None),
        zone_min=one.waits[0].zone_min,
        figures=tuple(_figures(one, facts, limits)),
        parts=_parts(one, facts, evidence),
        causes=causes,
        tunings=_tunings(one),
        weight=one.most_waiters * max(1.0, _longest_s(one, facts), one.held_s),
    )


def _longest_s(one: Contention, facts: GlockFacts) -> float:
    return max((facts.span_at[wait.nth].seconds or 0.0 for wait in one.waits), default=0.0)


def _words(one: Contention, facts: GlockFacts, rest: int) -> dict[str, object]:
    known = {lock.inode_type for lock in one.locks if lock.inode_type is not None}
    waiting = one.waiting_nodes
    everybody = "" if len(one.processes) == one.most_waiters else f", {len(one.processes)} over the whole time"
    return {
        "glock": facts.label(one.fs, one.glock),
        "inode": one.inode,
        "what": "directory" if one.is_directory else "file" if known <= {8} and known else "kind of inode not shown",
        "fs": (one.fs or "").rsplit(":", 1)[-1] or "the file system",
        "waiters": plural(one.most_waiters, "process", "processes"),
        "where": " and ".join(waiting) if 0 < len(waiting) < 3 else plural(max(1, len(waiting)), "node"),
        "nodes": listed(waiting, 6) or "a node whose name is not shown",
        "everybody": everybody,
        "held": _held(one),
        "for": f" for at least {seconds(one.held_s)}" if one.held_s >= 1 else "",
        "seen": len(one.by_round),
        "captures": max(len(one.by_round), facts.rounds_of(one.fs)),
        "moves": f" It changed hands {plural(one.moves, 'time')} between the captures." if one.moves else "",
        "ceiling": _ceiling(one),
        "conflict": _conflict(one),
        "rest": f" {plural(rest, 'further glock')} of this sort not shown." if rest > 0 else "",
    }


def _held(one: Contention) -> str:
    holder = one.main_holder
    if holder is not None:
        return f"held {holder.state} by {holder.name} [{holder.command or '?'}] in {holder.place or 'an unknown function'}"
    if one.keepers:
        lock = one.keepers[-1]
        return f"kept {lock.state} by {lock.node or 'a node'} without a process ({pending(lock)})"
    return "no holder is seen in these dumps"


def _ceiling(one: Contention) -> str:
    """Most changes of owner per second that the minimum hold time allows."""
    holds = [lock.min_hold for lock in one.locks if lock.min_hold]
    if not holds:
        return ""
    hz = limits("GL-01").hz_if_unknown
    least = min(holds)
    share = f", about {hz / least / len(one.nodes):.0f} for each of {len(one.nodes)} nodes that all write" if len(one.nodes) > 1 else ""
    return (
        f" With a minimum hold time of {least} jiffies it can change node at most about {hz / least:.0f} times per second{share}"
        f" (HZ {hz:.0f} assumed)."
    )


def _conflict(one: Contention) -> str:
    if one.conflict is None:
        return ""
    first, second = one.conflict
    return (
        f" The dumps disagree: {first.node or 'one node'} shows it {first.state} and {second.node or 'another'} {second.state} at nearly"
        f" the same moment, which cannot both be true."
    )


def _figures(one: Contention, facts: GlockFacts, limits: Limits) -> Iterator[Figure]:
    yield Figure("Waiting at one time", one.most_waiters, "", limits.words("waiters"))
    yield Figure("Processes that waited", len(one.processes))
    yield Figure("Captures with waiters", len(one.by_round), f"of {facts.rounds_of(one.fs)}")
    if longest := _longest_s(one, facts):
        yield Figure("Longest wait, at least", round(longest, 1), "s")
    if one.held_s >= 1:
        yield Figure("Held for, at least", round(one.held_s, 6), "s")


def _evidence(one: Contention, facts: GlockFacts) -> tuple[Ref, ...]:
    """The holder with its glock, and the first waiters of each node in the round with most of them."""
    refs: list[Ref] = []
    holder = one.main_holder
    if holder is not None:
        lock = facts.lock_of.get(holder.queue)
        refs += [Ref(lock.artifact, lock.line)] if lock else []
        refs.append(Ref(holder.artifact, holder.line))
    elif one.keepers:
        refs.append(Ref(one.keepers[-1].artifact, one.keepers[-1].line))
    worst = [wait for wait in one.waits if wait.round == one.worst_round]
    for node in one.waiting_nodes or ("",):
        refs += [Ref(wait.artifact, wait.line) for wait in worst if wait.node == node][:2]
    return tuple(dict.fromkeys(refs))[:EVIDENCE_MOST]


def _parts(one: Contention, facts: GlockFacts, evidence: tuple[Ref, ...]) -> tuple[Part, ...]:
    return evidence_part(len(evidence), len(one.nodes)), _completeness(one, facts), _agreement(one)


def _completeness(one: Contention, facts: GlockFacts) -> Part:
    if not one.holders and not one.keepers:
        return Part("completeness", 0.65, "no holder is seen in these dumps")
    if one.is_local and len({node for node, _ in facts.captures}) < 2:
        return Part("completeness", 0.65, "no dump of another node is here")
    if not one.holders:
        return Part("completeness", 0.85, "the node that keeps it is in the dumps, without a process")
    return Part("completeness", 1.0, "the holder is in the dumps")


def _agreement(one: Contention) -> Part:
    if one.conflict is not None:
        return Part("agreement", 0.7, "the nodes' dumps disagree on who has it")
    if len(one.by_round) > 1:
        return Part("agreement", 1.0, f"seen in {len(one.by_round)} captures")
    return Part("agreement", 0.75, "seen in one capture only")


def _tunings(one: Contention) -> tuple[str, ...]:
    """Only what the commands and the inode of this case give a reason for; nothing of the cluster for a quarrel inside a node."""
    commands = {entry.command.lower() for entry in (*one.waits, *one.holders)}
    chosen = []
    if not one.is_local:
        chosen.append("one-node-per-tree-gfs2")
    if any(command in SCANS or command.startswith("backup") for command in commands):
        chosen.append("backup-one-node")
    if not one.is_local and any(word in command for command in commands for word in MAIL):
        chosen.append("mail-affinity")
    if one.is_directory:
        chosen.append("split-directory")
    return (*chosen, "noatime") if not one.is_local else tuple(chosen)
