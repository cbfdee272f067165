"""Rules on locks of Spectrum Scale: the recovery log (SC-04), tokens (SC-05), locks without a visible holder
(SC-21).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from apps.diagnosis.engine.core.arrays.spans import TOLERANCE_US
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.scale.awaited import LOG, is_reply
from apps.diagnosis.engine.scale.detector import Detector
from apps.diagnosis.engine.scale.evidence import (
    LINES,
    dumps_of,
    lines_of,
    longest_of,
    nodes_of,
    repeated,
    span_of,
    waits_in,
    zone_of,
)
from apps.diagnosis.engine.scale.groups import Behind, End, Group, Vertex
from apps.diagnosis.engine.scale.io import ScaleIo
from apps.diagnosis.engine.scale.log_size import log_advice
from apps.diagnosis.engine.scale.settings import ScaleSettings
from apps.diagnosis.engine.scale.spans import OPENING_KIND, SpanTable
from apps.diagnosis.engine.scale.waits import ScaleWaits
from parsers.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class LogWords:
    """longest: of the log write; mutex: waits for the LogFile mutex; opening: a device of the node that does not open,
    and since when.
    """

    node: str | None
    longest: float
    mutex: int
    waits: int
    ends: tuple[str, ...]
    dumps: int
    opening: str | None
    opening_age: float | None


@rule("SC-04", needs=(ScaleWaits, ScaleIo, ScaleSettings), words=LogWords)
def log_mutex(waits: ScaleWaits, io: ScaleIo, settings: ScaleSettings, limits: Limits) -> Iterator[Seen]:
    """Symptom: handlers of requests from all nodes stand at the LogFile mutex of one node.

    Reasoning: the oldest of them began with, or after, a log write that has not come back; while it runs the mutex
    stays taken. Source: IBM Spectrum Scale performance talk, worked example of three waits that began within 5 ms.
    """
    for log in waits.log_writes:
        writes = [g for g in waits.groups if g.to == log]
        at_log = [
            g for g in waits.groups if g.awaited.sort == "lock" and g.awaited.name == LOG and g.episode == log.episode
        ]
        mutex = [g for g in at_log if g.to.node == log.node]
        if mutex and _began_first(writes, mutex):
            yield _behind_the_write(waits, log, writes, mutex, io, settings, limits)


def _began_first(writes: Sequence[Group], mutex: Sequence[Group]) -> bool:
    """The write is as old as the oldest wait for the mutex, within the error of a clock."""
    write = max(writes, key=lambda g: g.longest_s)
    oldest = max(mutex, key=lambda g: g.longest_s)
    if write.start is None or oldest.start is None:
        return oldest.longest_s - write.longest_s <= TOLERANCE_US / 1e6
    return write.start - oldest.start <= TOLERANCE_US


def _behind_the_write(
    waits: ScaleWaits,
    log: Vertex,
    writes: list[Group],
    mutex: list[Group],
    io: ScaleIo,
    settings: ScaleSettings,
    limits: Limits,
) -> Seen:
    chains, node = waits.chains, writes[0].node
    leads_on = bool(chains.graph[log])
    behind = chains.leading_to(log)
    log_io = [
        g for g in chains.groups if g.to in chains.graph[log] and g.episode == log.episode and g.code == writes[0].code
    ]
    refs, disk, age = _opening(waits.spans, writes[0].code)
    others = [g for g in behind if g not in {*writes, *mutex}]
    advice = () if leads_on else log_advice(io, settings, node)
    return Seen(
        level="high" if longest_of(behind) >= limits.severe_s else "medium",
        variant="led_on" if leads_on else "",
        words=LogWords(
            node,
            longest_of(writes),
            waits_in(mutex),
            waits_in(behind),
            tuple(_end_words(end) for end in chains.ends[log]),
            dumps_of(writes),
            disk,
            age,
        ),
        lines=(*lines_of(writes, mutex, log_io, others, most=LINES - len(refs)), *refs),
        nodes=nodes_of(behind),
        times=span_of(behind),
        zone_min=zone_of(behind),
        parts=("io_seen" if leads_on else "io_unseen", repeated(writes)),
        tunings=tuple(one.tuning for one in advice),
        advice=advice,
        weight=longest_of((*writes, *mutex)),
    )


def _end_words(end: End) -> str:
    if end.node and end.node != end.what:
        return phrase("scale-places.end-of", kind=end.kind, what=end.what, node=end.node)
    return phrase("scale-places.end", kind=end.kind, what=end.what)


def _opening(table: SpanTable, code: int) -> tuple[tuple[Ref, ...], str | None, float | None]:
    """A device that does not open on the same node, its line, name and age: it shows trouble of the path, not the
    start.
    """
    opening = table.kept_of(OPENING_KIND)
    own = opening.where(opening.node == code)
    if not len(own):
        return (), None, None
    disk = table.texts.texts[int(own.text[0])].shape.object
    return (Ref(int(own.artifact[0]), int(own.line[0])),), disk, float(own.seconds[0])


@dataclass(frozen=True, slots=True)
class TokenWords:
    """askers: nodes that wait for the holder."""

    holder: str
    waits: int
    askers: tuple[str, ...]
    longest: float
    dumps: int


@rule("SC-05", needs=(ScaleWaits,), words=TokenWords)
def token_contention(waits: ScaleWaits, limits: Limits) -> Iterator[Seen]:
    """Symptom: threads of several nodes wait until one node gives up a token, dump after dump.

    Reasoning: the revoke is sent to the holder, whose dumps are here and show no disk, log or further node behind it.
    Source: IBM Storage Scale documentation, automated deadlock detection; who sends a revoke is recalled.
    """
    by_holder: dict[str, list[Group]] = defaultdict(list)
    for group in waits.groups:
        again = (
            group.dumps if group.longest_s < limits.severe_s else group.moments
        )  # short waits come and go: only the same one counts
        is_revoke = group.awaited.is_rpc and "Revoke" in group.awaited.name and again >= limits.dumps
        if is_revoke and all(_is_at(end, group.to.node) for end in waits.chains.ends[group.to]):
            by_holder[group.to.node].append(group)
    for holder, groups in sorted(by_holder.items()):
        longest = longest_of(groups)
        yield Seen(
            level="high" if longest >= limits.severe_s else "medium",
            words=TokenWords(holder, waits_in(groups), nodes_of(groups), longest, dumps_of(groups)),
            lines=lines_of(groups, [answer for g in groups for answer in waits.chains.answers(g.to)]),
            nodes=(*nodes_of(groups), holder),
            times=span_of(groups),
            zone_min=zone_of(groups),
            parts=("holder_seen", repeated(groups)),
            weight=longest,
        )


def _is_at(end: End, node: str) -> bool:
    """The chain ends inside the holder, at nothing that would explain it better."""
    return end.node == node and not end.leaves_data and end.kind in ("node", "lock", "thread") and end.what != LOG


@dataclass(frozen=True, slots=True)
class LockWords:
    """threshold: of the deadlock detector for such waits; printed: whether a dump of the case shows it. message: whose
    reply is awaited. reason: of a condition; meaning: what the waits of that kind mean.
    """

    lock: str
    node: str | None
    longest: float
    waits: int
    threshold: float
    printed: bool
    dumps: int
    message: str | None
    reason: str | None
    meaning: str | None


@rule("SC-21", needs=(ScaleWaits, Detector), words=LockWords)
def long_mutex(waits: ScaleWaits, detector: Detector, limits: Limits) -> Iterator[Seen]:
    """Symptom: threads wait long for something that is held for moments only.

    Reasoning: the wait is of category 3 and the dump shows no thread that would hold the lock.
    Source: IBM Spectrum Scale performance talk (category 3 must never be long).
    """
    shown = 0
    for behind, own in _without_holder(waits):
        longest, is_lasting = longest_of(own), dumps_of(own) >= limits.dumps
        if shown >= limits.most or (longest < limits.severe_s and not is_lasting and behind.waiters < 2):
            continue
        shown += 1
        reason, meaning = _condition(own[0], longest)
        yield Seen(
            level="high" if longest >= limits.severe_s else "medium" if is_lasting else "low",
            variant="reply" if is_reply(behind.end.what) else "condition" if reason else "",
            words=LockWords(
                _lock_words(behind.end, own[0]),
                behind.end.node,
                longest,
                behind.waiters,
                *detector.short_threshold(own[0].node),
                dumps_of(own),
                next((group.text.shape.rpc for group in own if group.text.shape.rpc), None),
                reason,
                meaning,
            ),
            lines=lines_of(own, behind.groups),
            nodes=behind.nodes,
            times=span_of(behind.groups),
            zone_min=zone_of(behind.groups),
            parts=("holder_unseen", repeated(own)),
            weight=longest,
        )


def _condition(group: Group, seconds: float) -> tuple[str | None, str | None]:
    """What a wait for a condition says itself, and what is known of its kind: nobody holds a condition."""
    shape, known = group.text.shape, group.text.at(seconds)
    if shape.wait_kind != "ThCond" or not shape.reason:
        return None, None
    return shape.reason, known.meaning if known.kind is not None and not known.kind.catch_all else None


def _without_holder(waits: ScaleWaits) -> Iterator[tuple[Behind, list[Group]]]:
    """Ends at a lock or a thread, with the waits of category 3 there; the recovery log with its write in sight is left
    to SC-04.
    """
    explained = {(log.node, LOG) for log in waits.log_writes}
    for behind in waits.behind:
        own = [g for g in behind.groups if g.category == 3 and _waits_at(g, behind.end)]
        is_explained = any(g.awaited.sort == "lock" and (g.to.node, g.to.name) in explained for g in own)
        if own and behind.end.kind in ("lock", "thread") and not is_explained:
            yield behind, own


def _waits_at(group: Group, end: End) -> bool:
    return group.to.place in ("lock", "write", "thread") and group.to.name == end.what and group.node == end.node


def _lock_words(end: End, group: Group) -> str:
    return (
        group.awaited.via
        if end.kind == "lock"
        else phrase("scale-places.thread", thread=end.what, reason=group.awaited.via)
    )
