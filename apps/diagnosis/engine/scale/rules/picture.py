"""Rules on the whole picture of Scale: overload (SC-06), chains that leave the data (SC-11), test waiters (SC-16),
health (SC-26).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np

from apps.diagnosis.engine.core.arrays.spans import NO_TIME
from apps.diagnosis.engine.core.facts.events import refs
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.knowledge import limits as limits_of
from apps.diagnosis.engine.core.words.phrases import phrase, phrases
from apps.diagnosis.engine.scale.alike import SlowAlike, slow_alike
from apps.diagnosis.engine.scale.awaited import UNGIVEN
from apps.diagnosis.engine.scale.detector import SHORT_THRESHOLD, THRESHOLD, Detector
from apps.diagnosis.engine.scale.evidence import dumps_of, lines_of, nodes_of, repeated, span_of, waits_in, zone_of
from apps.diagnosis.engine.scale.history import span_of_requests
from apps.diagnosis.engine.scale.io import ScaleIo
from apps.diagnosis.engine.scale.spans import TEST_KIND, SpanTable, Tally, is_io_wait
from apps.diagnosis.engine.scale.symptoms import EXPELS, LOSSES, Symptoms
from apps.diagnosis.engine.scale.waits import ScaleWaits
from parsers.dataclass import dataclass
from parsers.records.waits import WaiterShape

NODES_SHOWN: Final = 50
MAY_LAST: Final = 2  # category of waits that may be long
SHOULD_BE_SHORT: Final = (3, 4)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadWords:
    """loaded: nodes that wait long on average; top: share of the end that holds most. cluster, times: where the product
    says it itself. node, disks, disk, requests, median, quickest: of a history in which all disks are slow alike, or
    the only one; in ms.
    """

    waits: int | None = None
    mean: float | None = None
    loaded: int = 0
    nodes: int = 0
    ends: int = 0
    top: float | None = None
    dumps: int = 0
    cluster: str | None = None
    times: int = 0
    node: str | None = None
    disks: int = 0
    disk: str = ""
    requests: int | None = None
    median: float | None = None
    quickest: float | None = None


@rule("SC-06", needs=(ScaleWaits, Detector, ScaleIo), words=LoadWords)
def overload(waits: ScaleWaits, detector: Detector, io: ScaleIo, limits: Limits) -> Iterator[Seen]:
    """Symptom: everything is slow and nothing in particular hangs.

    Reasoning: waits for I/O and network are many and long on most nodes, and no one end holds most of them; or the
    product says so itself. Source: IBM Spectrum Scale performance talk (category 4, overload index); the deadlock
    detector's printed sentence.
    """
    rows = detector.overloaded
    if rows.height:
        lines = refs(rows)[:4]
        yield Seen(
            level="printed",
            words=LoadWords(cluster=rows["name"][0], times=rows.height),
            lines=lines,
            nodes=rows["node"].to_list(),
            times=rows["at"].to_list(),
            borne_by=(len(lines), 1),
            parts=("own_verdict",),
        )
    yield from _measured(waits, limits)
    for one in slow_alike(io, limits.requests, limits.disks):
        yield _all_slow(one)


def _all_slow(found: SlowAlike) -> Seen:
    return Seen(
        level="history_severe" if found.median >= limits_of("scale-history").severe_ms else "history",
        variant=found.seen_by,
        words=LoadWords(
            node=found.node,
            disks=found.disks,
            disk=found.disk,
            requests=found.requests,
            median=found.median,
            quickest=found.quickest,
        ),
        lines=[one.ref for one in sorted(found.rows, key=lambda one: -one.longest_ms)[:3]],
        nodes=[found.node] if found.node else [],
        times=span_of_requests(found.rows),
        parts=("shared_unknown",),
        weight=found.median / 1000,
    )


def _measured(waits: ScaleWaits, limits: Limits) -> Iterator[Seen]:
    groups = [g for g in waits.groups if g.category == 4]
    if not groups:
        return
    table = waits.spans
    number, total_s = (sum(column) for column in zip(*table.load.values(), strict=True)) if table.load else (0, 0.0)
    if number < limits.waits or len(table.load) < limits.nodes:
        return
    loaded = [node for node, (n, seconds) in table.load.items() if seconds / n >= limits.mean_s]
    top, beyond = _shares(waits)
    is_spread = (
        len(loaded) >= limits.nodes_share * len(table.nodes.names) and top < limits.one_end and beyond < limits.beyond
    )
    if total_s / number < limits.mean_s or not is_spread:
        return
    lines = lines_of(groups)
    yield Seen(
        level="measured",
        words=LoadWords(
            waits=int(number),
            mean=total_s / number,
            loaded=len(loaded),
            nodes=len(table.nodes.names),
            ends=len(waits.behind),
            top=top,
            dumps=dumps_of(groups),
        ),
        lines=lines,
        nodes=nodes_of(groups),
        times=span_of(groups),
        zone_min=zone_of(groups),
        borne_by=(len(lines), len(loaded)),
        parts=("no_history", repeated(groups)),
        weight=total_s / number,
    )


def _shares(waits: ScaleWaits) -> tuple[float, float]:
    """Share of the waits that one end holds at most, and of those whose chains leave the files: a load needs the ends
    in sight.
    """
    total = waits_in(waits.groups) or 1
    beyond = sum(b.waiters for b in waits.behind if b.end.leaves_data)
    return max((b.waiters for b in waits.behind), default=total) / total, beyond / total


@dataclass(frozen=True, slots=True)
class OpenEndWords:
    """node: where the chain leaves the files; asker: who asked for a token whose holder is not seen; asking: nodes that
    wait; named: nodes that the detector names as what the waits depend on. servers: whom a token was asked of.
    """

    node: str
    asker: str | None
    waits: int
    longest: float
    messages: tuple[str, ...]
    asking: tuple[str, ...]
    named: tuple[str, ...]
    servers: tuple[str, ...]


@rule("SC-11", needs=(ScaleWaits, Detector), words=OpenEndWords)
def leaves_data(waits: ScaleWaits, detector: Detector, limits: Limits) -> Iterator[Seen]:
    """Symptom: threads wait for a node that the upload does not show.

    Reasoning: the chain goes to a node without waiters of that time in these files, or to a holder that no dump names.
    Source: the dumps themselves.
    """
    open_ends = [b for b in waits.behind if b.end.leaves_data or b.end.what == UNGIVEN]
    for behind in open_ends[: int(limits.most)]:
        groups, end = behind.groups, behind.end
        messages = tuple(sorted({g.awaited.via for g in groups if g.to.node == end.what}))
        servers = tuple(sorted({g.to.node for g in groups if g.to.place == "acquire"}))
        yield Seen(
            level=f"{'beyond' if end.leaves_data else 'holder'}{_how_long(behind.longest_s, detector.limit_s)}",
            words=OpenEndWords(
                end.what,
                end.node,
                behind.waiters,
                behind.longest_s,
                messages,
                behind.nodes,
                detector.depends_on,
                servers,
            ),
            lines=lines_of([g for g in groups if g.to.node == end.what or end.what == UNGIVEN], groups, most=4),
            nodes=behind.nodes,
            times=span_of(groups),
            zone_min=zone_of(groups),
            parts=("searched",),
            weight=behind.longest_s,
        )


def _how_long(longest_s: float, limit_s: float) -> str:
    """How a wait stands against the detector's limit, and against what people call an incident."""
    if longest_s >= limit_s:
        return "_long"
    return "_minute" if longest_s >= limits_of("scale-bands").incident_s else ""


@dataclass(frozen=True, slots=True)
class LongWords:
    """longest, limit_s: in s; io: whether they are for I/O of disks."""

    threads: tuple[str, ...]
    reasons: tuple[str, ...]
    nodes: tuple[str, ...]
    waits: int
    longest: float
    limit_s: float
    io: bool


@rule("SC-39", needs=(ScaleWaits, Detector, Symptoms), words=LongWords)
def beyond_limit(waits: ScaleWaits, detector: Detector, symptoms: Symptoms, limits: Limits) -> Iterator[Seen]:
    """Symptom: threads wait very long for something that no other rule knows.

    Reasoning: the wait is monitored and older than the detector's threshold; of what may last by its kind only I/O of
    disks counts, as a request to a disk ends within moments whatever job makes it. One of a kind that nobody knows is
    told from a minute on. Source: IBM Storage Scale documentation, automated deadlock detection.
    """
    if not waits.any:
        return
    table = waits.spans
    old, level = _beyond_limit(waits, symptoms, detector.limit_s)
    if not old:
        return
    shapes = [table.texts.texts[t.text].shape for t in old]
    words = LongWords(*_figures_of(waits, old), detector.limit_s, all(_is_io(shape) for shape in shapes))
    yield _of_old(level, words, old)


def _figures_of(
    waits: ScaleWaits, old: Sequence[Tally]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], int, float]:
    """Threads, reasons and nodes of old waits, how many they are and how old the oldest is, in s."""
    threads, reasons = _threads_and_reasons([waits.spans.texts.texts[t.text].shape for t in old])
    return threads, reasons, waits.nodes_of(old), waits.spans.waits_of(old), old[0].longest_s or 0.0


def _of_old(level: str, words: LongWords | LeftWords, old: Sequence[Tally]) -> Seen:
    return Seen(
        level=level,
        words=words,
        lines=[Ref(t.artifact, t.line) for t in old[:5]],
        nodes=words.nodes,
        parts=("searched",),
        weight=words.longest,
    )


def _beyond_limit(waits: ScaleWaits, symptoms: Symptoms, limit_s: float) -> tuple[list[Tally], str]:
    """Waits that the detector would report, else old ones of a kind that nobody knows; and what they weigh."""
    old = _oldest_first(t for t in _standing(waits, symptoms) if _is_unexpected(waits, t, limit_s))
    if old:
        return old, "long"
    strange = _oldest_first(t for t in _standing(waits, symptoms) if _is_strange(waits, t))
    return strange, _level_of_strange(waits, strange) if strange else ""


@dataclass(frozen=True, slots=True)
class LeftWords:
    """longest, limit_s: in s; meaning: of the kind of the longest, and what it waits for."""

    threads: tuple[str, ...]
    reasons: tuple[str, ...]
    nodes: tuple[str, ...]
    waits: int
    longest: float
    limit_s: float
    meaning: str
    resource: str


@rule("SC-41", needs=(ScaleWaits, Detector, Symptoms), words=LeftWords, alone=True)
def left_over(
    waits: ScaleWaits, detector: Detector, symptoms: Symptoms, spoken_of: frozenset[str | None], limits: Limits
) -> Iterator[Seen]:
    """Symptom: threads wait very long, for something whose kind is known, and nothing else in the dumps shows why.
    Beside other findings: those of nodes of which none of these speaks, that wait for nobody else.

    Reasoning: a wait whose kind should be short is older than the detector's threshold, or lasts for a minute. Which
    rule ever should have spoken: such a wait is never passed over. Source: IBM Storage Scale documentation, automated
    deadlock detection.
    """
    if not waits.any:
        return
    left = [t for t in _standing(waits, symptoms) if not spoken_of or _is_apart(waits, t, spoken_of)]
    level, old = _oldest(waits, left, detector.limit_s, is_alone=not spoken_of)
    if not old:
        return
    kind = waits.spans.texts.texts[old[0].text].at(old[0].longest_s)
    words = LeftWords(*_figures_of(waits, old), detector.limit_s, kind.meaning, kind.resource)
    yield _of_old(level, words, old)


def _oldest(waits: ScaleWaits, left: Sequence[Tally], limit_s: float, *, is_alone: bool) -> tuple[str, Sequence[Tally]]:
    """Those to be named, the oldest first, and why: over the detector's limit, longer than is usual, or a minute."""
    if old := _oldest_first(t for t in left if _should_be_short(waits, t, limit_s)):
        return "left", old
    if is_alone and (old := _oldest_first(t for t in left if _lasts_unusually(waits, t, limit_s))):
        return "may_last", old
    bands = limits_of("scale-bands")
    old = _oldest_first(t for t in left if _should_be_short(waits, t, bands.serious_s))
    return "minute" if old and (old[0].longest_s or 0.0) >= bands.incident_s else "seconds", old


def _is_apart(waits: ScaleWaits, tally: Tally, spoken_of: frozenset[str | None]) -> bool:
    """Whether nothing was said of any of its nodes, and it is no link of a chain to another node."""
    shape = waits.spans.texts.texts[tally.text].shape
    if shape.rpc is not None or shape.target is not None:
        return False
    name = waits.spans.nodes.name
    names = {name(code) for code in tally.nodes}
    return None not in names and not names & spoken_of


def _oldest_first(tallies: Iterable[Tally]) -> list[Tally]:
    return sorted(tallies, key=lambda t: (-(t.longest_s or 0.0), t.text))


def _threads_and_reasons(shapes: Sequence[WaiterShape]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    threads = dict.fromkeys(shape.thread or "threads" for shape in shapes)
    unprinted = phrase("unnamed.reason")
    return tuple(threads), tuple(dict.fromkeys(shape.reason or shape.aux or unprinted for shape in shapes))


def _standing(waits: ScaleWaits, symptoms: Symptoms) -> Iterator[Tally]:
    """Waiters of which no log tells the end."""
    return (t for t in waits.spans.tallies if Ref(t.artifact, t.line) not in symptoms.ended_waits)


def _should_be_short(waits: ScaleWaits, tally: Tally, limit_s: float) -> bool:
    return _old_category(waits, tally, limit_s) in SHOULD_BE_SHORT


def _lasts_unusually(waits: ScaleWaits, tally: Tally, limit_s: float) -> bool:
    """It may last by its kind, and no job of maintenance is known to make it."""
    kind = waits.spans.texts.texts[tally.text].by_age.kind_id or ""
    return _old_category(waits, tally, limit_s) == MAY_LAST and kind not in phrases("scale-jobs")


def _old_category(waits: ScaleWaits, tally: Tally, limit_s: float) -> int | None:
    """The category of waits beyond the limit that the detector watches, else None."""
    text = waits.spans.texts.texts[tally.text]
    if (tally.longest_s or 0.0) < limit_s or text.shape.monitored is False or text.shape.long:
        return None
    return waits.category_of(text, tally.longest_s)


def _is_unexpected(waits: ScaleWaits, tally: Tally, limit_s: float) -> bool:
    text = waits.spans.texts.texts[tally.text]
    if (tally.longest_s or 0.0) < limit_s or text.shape.monitored is False or text.shape.long:
        return False
    kind = text.at(tally.longest_s)
    if kind.kind_id == TEST_KIND:
        return False
    category = waits.category_of(text, tally.longest_s)
    return category is None if category != MAY_LAST else _is_io(text.shape)


def _is_strange(waits: ScaleWaits, tally: Tally) -> bool:
    """A wait whose kind nobody knows, so that nothing says that it may last: of a minute, or of seconds that people
    notice where the detector watches it. A request to a disk may not last for a minute either, whatever job makes it.
    """
    text, bands = waits.spans.texts.texts[tally.text], limits_of("scale-bands")
    watched = text.shape.monitored
    if watched is False or text.shape.long or text.at(tally.longest_s).kind_id == TEST_KIND:
        return False
    category = waits.category_of(text, tally.longest_s)
    if category is not None:
        return category == MAY_LAST and (tally.longest_s or 0.0) >= bands.incident_s and _is_io(text.shape)
    return (tally.longest_s or 0.0) >= (bands.serious_s if watched else bands.incident_s)


def _level_of_strange(waits: ScaleWaits, old: Sequence[Tally]) -> str:
    if (old[0].longest_s or 0.0) < limits_of("scale-bands").incident_s:
        return "seconds"
    if all(waits.category_of(waits.spans.texts.texts[t.text], t.longest_s) == MAY_LAST for t in old):
        return "request"
    return "minute" if any(_shape(waits, t).monitored for t in old) else "unwatched"


def _shape(waits: ScaleWaits, tally: Tally) -> WaiterShape:
    return waits.spans.texts.texts[tally.text].shape


def _is_io(shape: WaiterShape) -> bool:
    return is_io_wait(shape.reason, shape.aux)


@dataclass(frozen=True, slots=True)
class TestWords:
    """threshold, short_threshold: of detection, in force, in s; older: the wait is older than the first of them."""

    nodes: tuple[str, ...]
    longest: float
    threshold: float | None
    short_threshold: float | None
    older: bool


@rule("SC-16", needs=(ScaleWaits, Detector), words=TestWords)
def test_waiter(waits: ScaleWaits, detector: Detector, limits: Limits) -> Iterator[Seen]:
    """Symptom: a very old waiter of a dump command.

    Reasoning: thread MMFSADMDumpCmdThread waiting for mercy is made by a test command.
    Source: IBM Spectrum Scale performance talk.
    """
    if not waits.any:
        return
    table = waits.spans
    tests = table.kept_of(TEST_KIND)
    if not len(tests):
        return
    nodes = tuple(sorted({name for code in tests.node.tolist() if (name := table.nodes.name(code))}))
    longest = float(tests.seconds.max())
    lines = [
        Ref(artifact, line) for artifact, line in zip(tests.artifact[:4].tolist(), tests.line[:4].tolist(), strict=True)
    ]
    threshold = detector.value_in_force(THRESHOLD)
    yield Seen(
        level="test",
        words=TestWords(
            nodes, longest, threshold, detector.value_in_force(SHORT_THRESHOLD), longest > (threshold or 0.0)
        ),
        lines=(*lines, *(ref for _, ref in detector.in_force.values())),
        nodes=nodes,
        times=[*_known(tests.start.tolist()), *_known(tests.end.tolist())],
        borne_by=(len(lines), len(nodes)),
        parts=("says_it",),
    )


def _known(times: list[int]) -> list[int]:
    return [time for time in times if time != NO_TIME]


@dataclass(frozen=True, slots=True)
class HealthWords:
    """longest: wait that should be short, in s; judged: whether there is one at all."""

    waiters: int
    nodes: int
    longest: float
    judged: bool


@rule("SC-26", needs=(ScaleWaits, Detector, Symptoms), words=HealthWords)
def healthy(waits: ScaleWaits, detector: Detector, symptoms: Symptoms, limits: Limits) -> Iterator[Seen]:
    """Symptom: none, or a complaint that has another cause.

    Reasoning: no wait that should be short lasts a second, I/O waits pass the check of count and median, nothing says
    overloaded. Source: age bands proposed here; median check of I/O waits proposed here.
    """
    logged = symptoms.events((*EXPELS, *LOSSES, "long-waiter"))
    if not waits.any or waits.groups or detector.overloaded.height or logged or not _is_quiet(waits, detector.limit_s):
        return
    if _beyond_limit(waits, symptoms, detector.limit_s)[0]:
        return
    table = waits.spans
    judged = [
        t for t in table.tallies if table.texts.texts[t.text].at(float("inf") if t.aged else None).category in (3, 4)
    ]
    longest = max(judged, key=lambda t: (t.longest_s or 0.0, -t.text), default=None)
    some = longest or table.tallies[0]
    yield Seen(
        level="quiet",
        words=HealthWords(
            table.waiters, max(1, len(table.nodes.names)), (longest.longest_s or 0.0) if longest else 0.0, bool(judged)
        ),
        lines=(Ref(some.artifact, some.line),),
        nodes=table.nodes.names[:NODES_SHOWN],
        times=[moment for moments in table.moments.values() for moment in moments],
        parts=("looked_at", "sent"),
    )


def _is_quiet(waits: ScaleWaits, limit_s: float) -> bool:
    """No old wait of unknown kind or of one that should be short, nothing held back on purpose, and I/O waits that pass
    the check of count and median.
    """
    table: SpanTable = waits.spans
    bands, kept = limits_of("scale-bands"), table.kept
    known = np.array([waits.category_of(text, None) is not None for text in table.texts.texts], np.bool_)
    throttled = np.array(
        [text.by_age.kind is not None and text.by_age.kind.throttling for text in table.texts.texts], np.bool_
    )
    is_strange = bool(np.any(~known[kept.text] & (kept.seconds >= bands.serious_s)))
    is_old = any(_should_be_short(waits, tally, limit_s) for tally in table.tallies)
    io_waits, above = sum(row.waits for row in table.io), sum(row.above for row in table.io)
    has_slow_io = io_waits >= bands.io_waits and above * 2 > io_waits
    return not (is_strange or is_old or bool(np.any(throttled[kept.text])) or has_slow_io)
