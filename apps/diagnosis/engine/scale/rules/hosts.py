"""Rules on hosts below Spectrum Scale: maintenance (SC-09), a daemon without time or memory (SC-30), paths and adapters
(SC-36).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from apps.diagnosis.engine.core.facts.nodes import nodes_in
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref, comparable
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.knowledge import limits as limits_of
from apps.diagnosis.engine.core.words.phrases import phrases
from apps.diagnosis.engine.scale.awaited import UNNAMED_DISK
from apps.diagnosis.engine.scale.disk_logs import by_its_log
from apps.diagnosis.engine.scale.evidence import counted, lines_of, span_of, zone_of
from apps.diagnosis.engine.scale.groups import Behind
from apps.diagnosis.engine.scale.spans import is_io_wait
from apps.diagnosis.engine.scale.symptoms import EXPELS, LOSSES, PATHS, STARVED, Symptom, Symptoms, refs_of, when
from apps.diagnosis.engine.scale.waiter_texts import Text
from apps.diagnosis.engine.scale.waits import ScaleWaits
from parsers.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class JobWords:
    """waits: waiter lines of such jobs; longest: the oldest, in s."""

    jobs: tuple[str, ...]
    waits: int
    longest: float
    nodes: tuple[str, ...]


@rule("SC-09", needs=(ScaleWaits,), words=JobWords)
def maintenance(waits: ScaleWaits, limits: Limits) -> Iterator[Seen]:
    """Symptom: old waiters of a maintenance job, and nothing else waits long.

    Reasoning: their kinds belong to restripe, check, rebuild or are marked Long; the detector tolerates them and no
    chain is behind them. Source: IBM Spectrum Scale performance talk (waiters that may be long).
    """
    if not waits.any or waits.groups:
        return
    table = waits.spans
    old = [t for t in table.tallies if (t.longest_s or 0.0) >= limits.age_s]
    jobs = {t: job for t in old if (job := _job(table.texts.texts[t.text]))}
    if not jobs or any(is_slow_io(table.texts.texts[t.text], t.longest_s) for t in jobs):
        return
    nodes = waits.nodes_of(jobs)
    longest_first = sorted(jobs, key=lambda t: -(t.longest_s or 0.0))
    yield Seen(
        level="job",
        words=JobWords(
            tuple(sorted(set(jobs.values()))), sum(t.lines for t in jobs), longest_first[0].longest_s or 0.0, nodes
        ),
        lines=[Ref(t.artifact, t.line) for t in longest_first[:5]],
        nodes=nodes,
        parts=("progress_unknown",),
    )


def is_slow_io(text: Text, seconds: float | None) -> bool:
    """Whether a request to a disk takes a minute or more: no job excuses that."""
    if (seconds or 0.0) < limits_of("scale-bands").incident_s or text.shape.long:
        return False
    return is_io_wait(text.shape.reason, text.shape.aux)


def _job(text: Text) -> str | None:
    jobs = phrases("scale-jobs")
    return jobs.get(text.by_age.kind_id or "") or (jobs["long"] if text.shape.long else None)


@dataclass(frozen=True, slots=True)
class StarvedWords:
    """faults: what the kernel or the samples show; waits, longest: those that end in the node; stuck: for how long it
    stood still by its own lines, in s.
    """

    node: str
    faults: tuple[str, ...]
    lines: int
    waits: int
    longest: float
    stuck: float | None = None


@rule("SC-30", needs=(ScaleWaits, Symptoms), words=StarvedWords)
def daemon_starved(waits: ScaleWaits, symptoms: Symptoms, limits: Limits) -> Iterator[Seen]:
    """Symptom: one node answers nobody for a while, then goes on, or is expelled.

    Reasoning: its kernel tells of hung tasks, lockups or lack of memory, or samples show swapping or stolen time, where
    chains end. Source: the kernel's own messages; the limits of the samples are proposed.
    """
    starved = [s for s in (*symptoms.events(STARVED), *symptoms.strained) if s.node]
    if not starved:
        return
    ends, lost = _ends(waits), _lost(symptoms)
    for node in nodes_in(starved):
        behind = ends.get(node)
        own = [s for s in starved if s.node == node and _bears(s, behind, lost.get(node), limits)]
        if own and (behind is not None or node in lost):
            yield _starved(node, own, behind, limits, is_lost=node in lost)


def _lost(symptoms: Symptoms) -> dict[str, int | None]:
    """Nodes that were expelled, or lost or nearly lost their lease or membership, with the last time; who expels
    another is none.
    """
    losses = symptoms.events((*EXPELS, *LOSSES, "lease-overdue"))
    found: dict[str, int | None] = {}
    for one in losses:
        for name in (one.about, one.node if one.kind != "expel" else None):
            if name:
                found[name] = max((at for at in (one.at, found.get(name)) if at is not None), default=None)
    return found


def _bears(starved: Symptom, behind: Behind | None, lost_at: int | None, limits: Limits) -> bool:
    """Whether a starved host may be the cause: of waits at that time, else of the loss of its node."""
    if behind is None:
        return _is_before(starved, lost_at)
    return starved.is_near(*span_of(behind.groups), round(limits.slack_s * 1e6))


def _is_before(starved: Symptom, lost_at: int | None) -> bool:
    """Whether a host starved before its node was lost: a task that stands still since then waits for what was lost."""
    at = starved.at
    if at is None or lost_at is None or not comparable(at, lost_at):
        return True
    return at - round((starved.value or 0.0) * 1e6) <= lost_at


def _ends(waits: ScaleWaits) -> dict[str, Behind]:
    """Nodes in which chains end, by name; a disk says more than the host around it."""
    own = [b for b in waits.behind if b.end.node and b.end.kind in ("node", "thread", "lock") and not b.end.in_circle]
    return {b.end.node: b for b in reversed(own) if b.end.node}


def _stuck(own: Sequence[Symptom]) -> float | None:
    """For how long a processor or a task stood still, by the kernel's own lines."""
    return max((s.value for s in own if s.kind in STARVED and s.value), default=None)


def _starved(node: str, own: Sequence[Symptom], behind: Behind | None, limits: Limits, *, is_lost: bool) -> Seen:
    is_kernel = any(s.kind in STARVED for s in own)
    longest = behind.longest_s if behind else 0.0
    is_severe = is_kernel and (longest >= limits.severe_s or is_lost)
    faults = tuple(sorted({phrases("scale-starved")[s.kind] for s in own}))
    return Seen(
        level="severe" if is_severe else "kernel" if is_kernel else "samples",
        variant="" if behind else "lost",
        words=StarvedWords(node, faults, len(own), behind.waiters if behind else 0, longest, _stuck(own)),
        lines=(*refs_of(own, 4), *(lines_of(behind.groups, most=3) if behind else ())),
        nodes=(node, *(behind.nodes if behind else ())),
        times=when(own),
        borne_by=(len(own), 1),
        parts=("taker_unknown",),
        causes=("SC-03", "SC-21", "SC-22", "SC-28") if is_severe else (),
        weight=longest,
    )


@dataclass(frozen=True, slots=True)
class PathWords:
    """faults: what path or adapter shows, with how often; lines: how many lines show it; disk: None where neither the
    waits nor the log name it; logged: the log alone does.
    """

    disk: str | None
    server: str | None
    faults: tuple[str, ...]
    lines: int
    waits: int
    nodes: int
    longest: float
    logged: bool = False


@rule("SC-36", needs=(ScaleWaits, Symptoms), words=PathWords)
def path_or_hba(waits: ScaleWaits, symptoms: Symptoms, limits: Limits) -> Iterator[Seen]:
    """Symptom: one disk or one server is slow, and every application behind it.

    Reasoning: on that server the kernel or the multipath tool shows a failed path, resets, aborted commands or I/O
    errors at that time. Source: messages of kernel and multipath as printed; taking a path out is recalled practice.
    """
    faults = [s for s in (*symptoms.events(PATHS), *symptoms.bad_paths) if s.node] if waits.groups else []
    for behind in [b for b in waits.behind if b.end.kind == "disk" and b.end.node][: int(limits.most)]:
        start, end = span_of(behind.groups)
        own = [s for s in faults if s.node == behind.end.node and s.is_near(start, end, round(limits.slack_s * 1e6))]
        if own:
            yield _bad_path(behind, own, symptoms, limits)


def _bad_path(behind: Behind, own: Sequence[Symptom], symptoms: Symptoms, limits: Limits) -> Seen:
    is_named = behind.end.what != UNNAMED_DISK
    names = symptoms.maps_of(behind.end.what) if is_named else set()
    losses = None if is_named else by_its_log(symptoms, behind, limits.slack_s)
    disk = behind.end.what if is_named else losses.about if losses else None
    same = [s for s in own if s.about in names or any(name in s.text.split() for name in names)]
    shown = same or own
    which = "named" if same else "near"
    return Seen(
        level=f"{which}_severe" if behind.longest_s >= limits.severe_s else which,
        words=PathWords(
            disk,
            behind.end.node,
            counted(phrases("scale-paths")[s.kind] for s in shown),
            len(shown),
            behind.waiters,
            len(behind.nodes) or 1,
            behind.longest_s,
            logged=losses is not None,
        ),
        lines=(*refs_of(shown, 4), *lines_of(behind.groups, most=4)),
        nodes=behind.nodes,
        times=span_of(behind.groups),
        zone_min=zone_of(behind.groups),
        borne_by=(len(own), len(behind.nodes)),
        parts=(which,),
        causes=("SC-01",) if same else (),
        weight=float(behind.waiters) + behind.longest_s,
    )
