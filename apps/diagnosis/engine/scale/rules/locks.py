"""Rules on locks of Spectrum Scale: the recovery log (SC-04), tokens (SC-05), locks without a visible holder (SC-21)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.knowledge import limits as limits_of
from apps.diagnosis.engine.core.model import Figure, Part, Ref
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.core.spans import TOLERANCE_US
from apps.diagnosis.engine.core.wording import listed, plural, seconds
from apps.diagnosis.engine.facts import CaseFacts
from apps.diagnosis.engine.scale.chains import Behind, Chains, End, Group, Vertex
from apps.diagnosis.engine.scale.evidence import LINES, dumps_part, lines_of, nodes_of, shown, span_of, zone_of
from apps.diagnosis.engine.scale.log_size import log_advice
from apps.diagnosis.engine.scale.spans import OPENING_KIND, SpanTable
from apps.diagnosis.engine.scale.wants import LOG


@rule("SC-04")
def log_mutex(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: handlers of requests from all nodes stand at the LogFile mutex of one node.

    Reasoning: the oldest of them began with, or after, a log write that has not come back; while it runs the mutex stays taken.
    Source: IBM Spectrum Scale performance talk, worked example of three waits that began within 5 ms.
    """
    if not facts.scale.any:
        return
    chains, table = facts.scale.chains, facts.scale.spans
    for log in chains.log_writes():
        writes = [g for g in chains.groups if g.to == log]
        mutex = [
            g for g in chains.groups if g.want.sort == "lock" and g.want.name == LOG and g.to.node == log.node and g.episode == log.episode
        ]
        if mutex and _began_first(writes, mutex):
            advice = () if chains.graph[log] else log_advice(facts, writes[0].node)
            found = _behind_the_write(chains, table, log, writes, mutex, limits)
            yield replace(found, tunings=tuple(one.tuning for one in advice), advice=advice)


def _began_first(writes: Sequence[Group], mutex: Sequence[Group]) -> bool:
    """The write is as old as the oldest wait for the mutex, within the error of a clock."""
    write = max(writes, key=lambda g: g.longest_s)
    oldest = max(mutex, key=lambda g: g.longest_s)
    if write.start is None or oldest.start is None:
        return oldest.longest_s - write.longest_s <= TOLERANCE_US / 1e6
    return write.start - oldest.start <= TOLERANCE_US


def _behind_the_write(chains: Chains, table: SpanTable, log: Vertex, writes: list[Group], mutex: list[Group], limits: Limits) -> Draft:
    behind = chains.leading_to(log)
    io = [g for g in chains.groups if g.to in chains.graph[log] and g.episode == log.episode and g.code == writes[0].code]
    opening, opening_words = _opening(table, writes[0].code)
    known = {*writes, *mutex}
    evidence = (*lines_of(writes, mutex, io, [g for g in behind if g not in known], most=LINES - len(opening)), *opening)
    longest = max(g.longest_s for g in (*writes, *mutex))
    start, end = span_of(behind)
    node = writes[0].node
    return Draft(
        severity="high" if max(g.longest_s for g in behind) >= limits.severe_s else "medium",
        variant="led_on" if chains.graph[log] else "",
        evidence=evidence,
        words={
            "node": shown(node),
            "longest": seconds(max(g.longest_s for g in writes)),
            "mutex": plural(sum(g.waits for g in mutex), "wait"),
            "waits": plural(sum(g.waits for g in behind), "wait"),
            "ends": listed(_end_words(end) for end in chains.ends[log]),
            "opening": opening_words,
        },
        nodes=nodes_of(behind),
        start=start,
        end=end,
        zone_min=zone_of(behind),
        figures=(
            Figure("Age of the log write", round(max(g.longest_s for g in writes), 4), "s", limits.words("severe_s")),
            Figure("Waits for the LogFile mutex", sum(g.waits for g in mutex)),
            Figure("All waits behind the log", sum(g.waits for g in behind)),
        ),
        parts=(evidence_part(len(evidence), len(nodes_of(behind))), _path_part(bool(chains.graph[log])), dumps_part(writes)),
        weight=longest,
    )


def _end_words(end: End) -> str:
    where = f" of {end.node}" if end.node and end.node != end.what else ""
    return f"{end.kind} {end.what}{where}"


def _path_part(is_led_on: bool) -> Part:
    if is_led_on:
        return Part("completeness", 1.0, "the I/O that began with the log write is in the same dump")
    return Part("completeness", 0.85, "the I/O of the log write is not in the dump: which disk it waits for is not seen")


def _opening(table: SpanTable, code: int) -> tuple[tuple[Ref, ...], str]:
    """A device that does not open on the same node, its line and a sentence: a sign of the path, not the start."""
    opening = table.kept_of(OPENING_KIND)
    own = opening.where(opening.node == code)
    if not len(own):
        return (), ""
    disk = table.texts.texts[int(own.text[0])].shape.object or "a disk"
    age = seconds(float(own.seconds[0]))
    words = f" {disk} does not open there ({age}): look first at its path and state, and whether the log lies on it."
    return (Ref(int(own.artifact[0]), int(own.line[0])),), words


@rule("SC-05")
def token_contention(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: threads of several nodes wait until one node gives up a token, dump after dump.

    Reasoning: the revoke is sent to the holder, whose dumps are here and show no disk, log or further node behind it.
    Source: IBM Storage Scale documentation, automated deadlock detection; who sends a revoke is recalled.
    """
    if not facts.scale.any:
        return
    chains = facts.scale.chains
    by_holder: dict[str, list[Group]] = defaultdict(list)
    for group in chains.groups:
        again = group.dumps if group.longest_s < limits.severe_s else group.moments  # short waits come and go: only the same one counts
        is_revoke = group.want.is_rpc and "Revoke" in group.want.name and again >= limits.dumps
        if is_revoke and all(_is_at(end, group.to.node) for end in chains.ends[group.to]):
            by_holder[group.to.node].append(group)
    for holder, groups in sorted(by_holder.items()):
        longest = max(g.longest_s for g in groups)
        evidence = lines_of(groups, [answer for g in groups for answer in chains.answers(g.to)])
        start, end = span_of(groups)
        yield Draft(
            severity="high" if longest >= limits.severe_s else "medium",
            evidence=evidence,
            words={
                "holder": holder,
                "waits": plural(sum(g.waits for g in groups), "wait"),
                "askers": listed(nodes_of(groups)) or shown(None),
                "longest": seconds(longest),
            },
            nodes=tuple(sorted({*nodes_of(groups), holder})),
            start=start,
            end=end,
            zone_min=zone_of(groups),
            figures=(Figure("Longest wait for the token", round(longest, 4), "s", limits.words("severe_s")),),
            parts=(
                evidence_part(len(evidence), len(nodes_of(groups)) + 1),
                Part("completeness", 0.9, "the holder's dumps are here"),
                dumps_part(groups),
            ),
            weight=longest,
        )


def _is_at(end: End, node: str) -> bool:
    """The chain ends inside the holder, at nothing that would explain it better."""
    return end.node == node and not end.leaves_data and end.kind in ("node", "lock", "thread") and end.what != LOG


@rule("SC-21")
def long_mutex(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: threads wait long for something that is held for moments only.

    Reasoning: the wait is of category 3 and the dump shows no thread that would hold the lock.
    Source: IBM Spectrum Scale performance talk (category 3 must never be long).
    """
    if not facts.scale.any:
        return
    chains = facts.scale.chains
    explained = {(log.node, LOG) for log in chains.log_writes()}
    shown_ends = 0
    for behind in chains.behind:
        own = [g for g in behind.groups if g.category == 3 and _waits_at(g, behind.end)]
        if not own or behind.end.kind not in ("lock", "thread") or _is_explained(own, explained):
            continue
        draft = _without_holder(facts, behind, own, limits)
        if draft is not None:
            shown_ends += 1
            yield draft
        if shown_ends >= limits.most:
            break


def _waits_at(group: Group, end: End) -> bool:
    return group.to.place in ("lock", "write", "thread") and group.to.name == end.what and group.node == end.node


def _is_explained(own: Sequence[Group], explained: set[tuple[str, str]]) -> bool:
    """The recovery log with its write in sight is the matter of SC-04."""
    return any(g.want.sort == "lock" and (g.to.node, g.to.name) in explained for g in own)


def _without_holder(facts: CaseFacts, behind: Behind, own: list[Group], limits: Limits) -> Draft | None:
    longest = max(g.longest_s for g in own)
    is_lasting = max(g.dumps for g in own) >= limits.dumps
    short_s, is_printed = facts.scale.short_threshold(own[0].node)
    if longest < limits.severe_s and not is_lasting and behind.waiters < 2:
        return None
    start, end = span_of(behind.groups)
    evidence = lines_of(own, behind.groups)
    return Draft(
        severity="high" if longest >= limits.severe_s else "medium" if is_lasting else "low",
        evidence=evidence,
        words={
            "lock": own[0].want.via if behind.end.kind == "lock" else f"{behind.end.what} ({own[0].want.via})",
            "node": shown(behind.end.node),
            "longest": seconds(longest),
            "waits": plural(behind.waiters, "wait"),
            "threshold": seconds(short_s) if is_printed else f"{seconds(short_s)} (not printed here; the value of the talk)",
        },
        nodes=behind.nodes,
        start=start,
        end=end,
        zone_min=zone_of(behind.groups),
        figures=(
            Figure("Longest wait", round(longest, 4), "s", limits.words("severe_s")),
            Figure(
                "Threshold of the deadlock detector for such waits",
                short_s,
                "s",
                "printed" if is_printed else limits_of("scale-bands").words("short_s"),
            ),
        ),
        parts=(
            evidence_part(len(evidence), len(behind.nodes)),
            Part("completeness", 0.8, "who holds it is not in the dumps"),
            dumps_part(own),
        ),
        weight=longest,
    )
