"""Rules on storage under Spectrum Scale: a disk at the end of the chains (SC-01)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.knowledge import limits as limits_of
from apps.diagnosis.engine.core.model import Figure, Part, Severity
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.core.wording import listed, plural, seconds
from apps.diagnosis.engine.facts import CaseFacts
from apps.diagnosis.engine.scale.chains import Behind, Chains, Group, Vertex
from apps.diagnosis.engine.scale.evidence import disks_part, dumps_part, lines_of, nodes_of, other_disks, shown, slow_too, span_of, zone_of
from apps.diagnosis.engine.scale.history import (
    history_of,
    median_of,
    milliseconds,
    nsd_sentence,
    requests_in,
    slow_disks,
    span_of_requests,
)
from apps.diagnosis.engine.scale.spans import SpanTable
from apps.diagnosis.engine.scale.wants import UNNAMED_DISK

MEDIANS_SHOWN: Final = 5
HANGS: Final = "does not answer"


@rule("SC-01")
def disk_slow(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: threads on many nodes hang; servers, log and tokens look guilty in turn.

    Reasoning: followed from node to node the waits end at the I/O completion of one disk, while other disks of that server answer.
    Source: IBM Spectrum Scale performance talk (waiters and their categories); how waits chain is inferred from the dumps' own words.
    """
    if not facts.scale.any:
        yield from _by_history(facts, set())
        return
    chains, table = facts.scale.chains, facts.scale.spans
    disks = [b for b in chains.behind if b.end.kind == "disk"]
    total = sum(group.waits for group in chains.groups)
    chosen = [b for b in disks if b.waiters >= limits.share * total or _longest_on(b) >= limits.hangs_s][: int(limits.most)]
    known = {(b.end.node, b.end.what) for b in disks}
    for behind in chosen:
        disk = _by_its_history(facts, behind)
        known.add((behind.end.node, disk))
        yield _with_history(facts, behind, disk, _at_the_end(chains, table, behind, limits))
    yield from _by_median(table, known)
    yield from _by_history(facts, known)


def _longest_on(behind: Behind) -> float:
    """Seconds of the longest wait for the disk itself."""
    return max((g.longest_s for g in behind.groups if g.to.place == "disk" and g.node == behind.end.node), default=0.0)


def _by_its_history(facts: CaseFacts, behind: Behind) -> str:
    """The disk; where its waiters do not name it, the only one that the server's I/O history shows to be slow."""
    if behind.end.what != UNNAMED_DISK:
        return behind.end.what
    slow = [disk for server, disk, _ in slow_disks(facts) if server == behind.end.node]
    return slow[0] if len(slow) == 1 else behind.end.what


def _names(disk: str, waiters_say: str, server: str | None) -> dict[str, str]:
    """Words for a disk that waiters name, that only the history names, or that nothing names."""
    if waiters_say != UNNAMED_DISK:
        alias = f" A device name such as {disk} holds for {shown(server)} alone; the same name elsewhere is another disk."
        return {"disk": disk, "disk_first": f"Disk {disk}", "a_disk": f"disk {disk}", "alias": alias}
    by = "" if disk == UNNAMED_DISK else f" ({disk} by its I/O history)"
    alias = " The waiters do not say which disk it is." if disk == UNNAMED_DISK else ""
    return {"disk": f"a disk{by}", "disk_first": f"A disk{by}", "a_disk": f"a disk{by}", "alias": alias}


def _with_history(facts: CaseFacts, behind: Behind, disk: str, found: Draft) -> Draft:
    """The finding with the name of the disk and what the server's I/O history says of it against its others."""
    server = behind.end.node
    history = history_of(facts, server, disk)
    named, name_refs = nsd_sentence(facts, server, disk)
    hangs = found.words["does"] == HANGS
    contradicts = history.is_fast and not hangs
    parts = found.parts
    if history.is_slow:
        parts = (*parts, Part("agreement", 1.0, "the I/O history of the server shows the same disk as slow against its others"))
    elif contradicts:
        parts = (*parts, Part("agreement", 0.6, "the I/O history of the server shows the disk as fast"))
    figures = (Figure("Median of its requests", round(history.median_ms, 3), "ms", limits_of("scale-history").words("slow_ms")),)
    told = named + history.sentence(server or "the server")
    return replace(
        found,
        severity="medium" if contradicts and found.severity == "high" else found.severity,
        evidence=(*found.evidence, *name_refs, *history.refs),
        words={**found.words, **_names(disk, behind.end.what, server), "others": f"{found.words['others']}{told}"},
        figures=(*found.figures, *(figures if history.own else ())),
        parts=parts,
    )


def _by_history(facts: CaseFacts, known: set[tuple[str | None, str]]) -> Iterator[Draft]:
    """No waiters needed: one disk of a server much slower than its others in the server's own history."""
    bounds = limits_of("scale-history")
    for server, disk, history in slow_disks(facts)[:MEDIANS_SHOWN]:
        if (server, disk) in known:
            continue
        named, name_refs = nsd_sentence(facts, server, disk)
        start, end = span_of_requests(history.own)
        yield Draft(
            severity="low",
            variant="history",
            evidence=(*history.refs, *name_refs, *(one.ref for one in history.others[:2])),
            words={
                "disk": disk,
                "server": server,
                "median": milliseconds(history.median_ms),
                "rest": milliseconds(median_of(history.others)),
                "count": plural(requests_in(history.own), "request"),
                "named": named,
            },
            nodes=(server,),
            start=start,
            end=end,
            figures=(
                Figure("Median of its requests", round(history.median_ms, 3), "ms", bounds.words("slow_ms")),
                Figure("Median of the others", round(median_of(history.others), 3), "ms"),
                Figure("Requests", requests_in(history.own), "", bounds.words("requests")),
            ),
            parts=(evidence_part(1 + len(name_refs), 1), Part("completeness", 0.8, "no dump shows who waits for it")),
            basis="proposed",
            weight=history.median_ms / 1000,
        )


def _at_the_end(chains: Chains, table: SpanTable, behind: Behind, limits: Limits) -> Draft:
    end, groups = behind.end, behind.groups
    own = [g for g in groups if g.to.place == "disk" and g.to.name == end.what and g.node == end.node]
    own_ones = set(own)
    victims = [g for g in groups if g not in own_ones]
    logs = [log for log in chains.log_writes() if end in chains.ends[log]]
    log_waits = [g for g in groups if g.to in logs or (g.want.sort == "lock" and any(g.to.node == log.node for log in logs))]
    others, slow = other_disks(table, own[0].code, end.what, limits_of("scale-bands").slow_s)
    evidence = lines_of(own, log_waits, victims)
    start, end_at = span_of(groups)
    harmed = [g for g in victims if g.longest_s > limits.severe_s]
    does = HANGS if not any(g.ended for g in own) else "answers slowly"
    askers = _askers(groups, logs)
    return Draft(
        severity=_severity(behind, bool(harmed), limits),
        variant=_variant(logs, victims),
        evidence=evidence,
        words={
            **_names(end.what, end.what, end.node),
            "server": shown(end.node),
            "does": does,
            "waits": plural(behind.waiters, "wait"),
            "nodes": plural(len(behind.nodes) or 1, "node"),
            "askers": plural(len(askers) or 1, "node"),
            "log_node": logs[0].node if logs else "",
            "longest": seconds(max(g.longest_s for g in own)),
            "others": _others(others, slow),
            "victims": _victims(victims, end.node),
        },
        nodes=behind.nodes,
        start=start,
        end=end_at,
        zone_min=zone_of(groups),
        figures=(
            Figure("Waits behind the disk", behind.waiters),
            Figure("Longest wait on the disk", round(max(g.longest_s for g in own), 4), "s"),
            Figure(
                "Longest wait of others behind it",
                round(max((g.longest_s for g in victims), default=0.0), 4),
                "s",
                limits.words("severe_s"),
            ),
            Figure("Other disks of the server that are slow", slow),
        ),
        parts=(evidence_part(len(evidence), len(behind.nodes)), disks_part(others, slow), dumps_part(own)),
        causes=_symptoms(chains, behind, logs),
        weight=float(behind.waiters) + behind.longest_s,
    )


def _victims(victims: list[Group], server: str | None) -> str:
    """Nodes that only wait; with a leading blank."""
    names = [node for node in nodes_of(victims) if node != server]
    return f" Victims, not causes: {listed(names, 6)}." if names else ""


def _severity(behind: Behind, is_harmed: bool, limits: Limits) -> Severity:
    if is_harmed:
        return "high"
    return "medium" if behind.longest_s >= limits.severe_s or behind.waiters > 1 else "low"


def _variant(logs: list[Vertex], victims: list[Group]) -> str:
    if logs:
        return "log"
    return "" if victims else "alone"


def _askers(groups: tuple[Group, ...], logs: list[Vertex]) -> tuple[str, ...]:
    """Nodes that wait for an answer: of the node with the log where there is one, else of any other."""
    asked = {log.node for log in logs}
    return nodes_of(g for g in groups if g.to.place in ("answer", "acquire") and (not asked or g.to.node in asked))


def _others(others: int, slow: int) -> str:
    if slow:
        said = slow_too(others, slow)
        return f" {said[0].upper()}{said[1:]} too: its path or the server itself may be the cause."
    return f" {plural(others, 'other disk')} of the same server answered quickly all the time." if others else ""


def _symptoms(chains: Chains, behind: Behind, logs: list[Vertex]) -> tuple[str, ...]:
    """Findings that this disk explains."""
    locks = any(g.want.sort == "lock" for g in behind.groups if chains.ends[g.to] == (behind.end,))
    return (*(("SC-04",) if logs else ()), *(("SC-21",) if locks or logs else ()))


def _by_median(table: SpanTable, known: set[tuple[str | None, str]]) -> Iterator[Draft]:
    """Trouble below a second: half of very many I/O waits on one disk are older than a disk takes."""
    bands = limits_of("scale-bands")
    suspects = [row for row in table.io if row.disk is not None and row.waits >= bands.io_waits and row.above * 2 > row.waits]
    for row in sorted(suspects, key=lambda row: -row.above)[:MEDIANS_SHOWN]:
        node = table.nodes.name(row.node)
        if (node, row.disk) in known:
            continue
        yield Draft(
            severity="low",
            variant="median",
            evidence=(row.ref,),
            words={"disk": row.disk, "server": shown(node), "waits": plural(row.waits, "I/O wait"), "above": row.above},
            nodes=(node,) if node else (),
            figures=(
                Figure("I/O waits on the disk", row.waits, "", bands.words("io_waits")),
                Figure("Older than the limit", row.above, "", bands.words("io_median_s")),
            ),
            parts=(evidence_part(1, 1), Part("completeness", 0.7, "whether the disk rotates is not known; the slower limit is used")),
            basis="proposed",
            weight=float(row.above),
        )
