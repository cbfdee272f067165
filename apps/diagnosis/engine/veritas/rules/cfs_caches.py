"""Rules on caches and states of VxFS: cold cache (R1), small inode cache (R2), cluster locks (R3)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from apps.diagnosis.engine.core.facts.runs import TimedRun, TimedRuns
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Advice, Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import metric
from apps.diagnosis.engine.core.words.sentences import render, sentence
from apps.diagnosis.engine.veritas.cluster import STORMS, Capture, ClusterFacts, steps
from apps.diagnosis.engine.veritas.lock_samples import CACHE_LEVELS, NOT_LIMITED, LockRoles, Walks
from parsers.dataclass import dataclass

INODE_CACHE: Final = metric("vxfs-inode-cache")
VXFS_COUNTERS: Final = metric("vxfs-counters")
CACHES: Final = metric("vxfs-caches")
LOCK_COUNTERS: Final = metric("vxfs-lock-counters")


IACCESS, RECYCLE = "vxi_iaccess", "vxi_bcache_recycleage"
MASTER: Final = ("vxi_masterless_locks", "vxi_normalize_locks")
CACHE: Final = ("lookups", "hit rate", "inodes alloced")
Pair = tuple[TimedRun, TimedRun]
Names = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Missed:
    """A sample in which look-ups miss (hit, per cent), or inodes are allocated at a high rate (per second)."""

    capture: Capture
    refs: tuple[Ref, ...]
    hit: float | None = None
    alloced: float | None = None


@sentence("cache-misses")
@dataclass(frozen=True, slots=True)
class MissedWords:
    """Look-ups miss."""


@sentence("cache-filled")
@dataclass(frozen=True, slots=True)
class FilledWords:
    """Inodes accessed while the age of recycled buffers fell, in seconds."""

    accessed: float
    was: float
    now: float


@sentence("first-run-slow")
@dataclass(frozen=True, slots=True)
class RunWords:
    """Seconds of two runs."""

    cold: float
    warm: float


@sentence("runs-from-cache")
@dataclass(frozen=True, slots=True)
class CachedWords:
    """Seconds of all runs that found their inodes in the cache."""

    seconds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ColdWords:
    """how: what shows it; hits (per cent), alloced (per second): figures of samples; ratio: cold against warm; rate:
    files per second.
    """

    nodes: Names
    certain: bool
    how: tuple[str, ...]
    hits: tuple[tuple[str, float], ...]
    alloced: tuple[tuple[str, float], ...]
    ratio: float | None
    rate: float | None


@rule("R1", needs=(ClusterFacts, LockRoles, TimedRuns, Walks), words=ColdWords)
def cold_cache(
    cluster: ClusterFacts, roles: LockRoles, runs: TimedRuns, walked: Walks, limits: Limits
) -> Iterator[Seen]:
    """Symptom: the first walk over a tree is many times slower than the next one, on one node.

    Reasoning: the inode cache misses or fills while the walk runs, or its repetition is quick although no locks moved
    in between. Source: Veritas InfoScale article 100031805.
    """
    missed = list(_missing_cache(cluster, limits))
    filled = list(_filled_cache(cluster, limits))
    walks = [pair for pair in _cold_runs(runs, limits) if not _storm_between(cluster, roles, *pair)]
    if not (missed or filled or walks):
        return
    captures = [one.capture for one in missed] + [later for _, later in filled]
    nodes = (*(capture.node for capture in captures), *(run.node for pair in walks for run in pair))
    certain = bool(missed or walks)
    words = _cold_words(nodes, missed, tuple(_how(missed, filled, walks)), certain=certain)
    if walks:
        cold, warm = walks[0]
        how = (*words.how, *_from_cache(runs, cold, limits))
        words = replace(words, how=how, ratio=cold.seconds / warm.seconds, rate=_rate(walked, cold))
    yield Seen(
        level="certain" if certain else "probable",
        words=words,
        lines=_cold_lines(missed, filled, walks),
        nodes=nodes,
        times=[*(capture.at for capture in captures), *(run.at for run, _ in walks)],
        parts=() if certain else ("no_rate",),
    )


def _cold_lines(
    missed: Sequence[Missed], filled: Sequence[tuple[Capture, Capture]], walks: Sequence[tuple[TimedRun, TimedRun]]
) -> list[Ref]:
    """What shows it: samples of look-ups, readings of the cache, timed walks."""
    return [
        *(ref for one in missed for ref in one.refs),
        *(ref for pair in filled for one in pair for ref in one.refs(IACCESS, RECYCLE)),
        *(run.ref for pair in walks[:2] for run in pair),
    ]


def _cold_words(nodes: Names, missed: Sequence[Missed], how: tuple[str, ...], *, certain: bool) -> ColdWords:
    """What samples show of it."""
    return ColdWords(
        nodes=nodes,
        certain=certain,
        how=how,
        hits=tuple(("Hit rate", one.hit) for one in missed[:2] if one.hit is not None),
        alloced=tuple(("Inodes allocated", one.alloced) for one in missed[:2] if one.alloced is not None),
        ratio=None,
        rate=None,
    )


def _missing_cache(cluster: ClusterFacts, limits: Limits) -> Iterator[Missed]:
    """Delta samples in which look-ups miss, or inodes are allocated at a high rate."""
    for captures in cluster.captures(INODE_CACHE, names=CACHE).values():
        for capture in captures:
            length = capture.interval_s
            if not length:
                continue
            looked, hit, alloced = (capture.get(name) for name in CACHE)
            if hit is not None and hit < limits.hit_percent and (looked or 0) / length >= limits.lookups_per_s:
                yield Missed(capture, capture.refs("lookups", "hit rate"), hit=hit)
            elif alloced is not None and alloced / length > limits.alloced_per_s:
                yield Missed(capture, capture.refs("inodes alloced"), alloced=alloced / length)


def _filled_cache(cluster: ClusterFacts, limits: Limits) -> Iterator[tuple[Capture, Capture]]:
    """Readings between which inodes were accessed while the age of recycled buffers collapsed."""
    for captures in cluster.captures(VXFS_COUNTERS, names=(IACCESS, RECYCLE)).values():
        whole = [
            capture for capture in captures if capture.get(IACCESS) is not None and capture.get(RECYCLE) is not None
        ]
        for earlier, later in steps(whole):
            grown, was, now = later.since(earlier, IACCESS), earlier.get(RECYCLE), later.get(RECYCLE)
            if grown and was and now is not None and grown >= limits.accesses and now <= limits.collapse * was:
                yield earlier, later


def _cold_runs(timed: TimedRuns, limits: Limits) -> Iterator[Pair]:
    """A first run and the one after it in the same text, several times as quick."""
    by_command: dict[tuple[str, int, str | None], list[TimedRun]] = defaultdict(list)
    for run in timed.all:
        by_command[run.command, run.ref.artifact, run.node].append(run)
    first_of: dict[tuple[str, int], TimedRun] = {}
    for (command, artifact, _), runs in by_command.items():
        first = first_of.get((command, artifact))
        first_of[command, artifact] = runs[0] if first is None or runs[0].ref.line < first.ref.line else first
    for (command, artifact, _), runs in by_command.items():
        for cold, warm in pairwise(runs):
            quicker = cold.seconds >= limits.slowed_factor * warm.seconds and cold.seconds >= limits.cold_s
            if quicker and cold is first_of[command, artifact]:
                yield cold, warm


def _storm_between(cluster: ClusterFacts, roles: LockRoles, cold: TimedRun, warm: TimedRun) -> bool:
    """Lock traffic from the start of the text to the second run, or while the first one ran."""
    storms = (role.ref for role in roles.all if role.role in STORMS)
    if any(ref.artifact == cold.ref.artifact and ref.line < warm.ref.line for ref in storms):
        return True
    end = cold.at + round(cold.seconds * 1e6) if cold.at is not None else None
    return cluster.harm_by_storms.overlaps(cold.at, end)


def _rate(walks: Walks, run: TimedRun) -> float | None:
    """Files a second of a run whose command counted them."""
    same = [
        walk.files
        for walk in walks.all
        if walk.artifact == run.ref.artifact and " ".join(walk.command.split()) == run.command
    ]
    return (same[0] / run.seconds or None) if same and run.seconds else None


def _from_cache(timed: TimedRuns, cold: TimedRun, limits: Limits) -> Iterator[str]:
    """All runs of the command in that text that found their inodes in the cache, whichever node they ran on."""
    runs = [run.seconds for run in timed.all if (run.command, run.ref.artifact) == (cold.command, cold.ref.artifact)]
    warm = [one for one in runs if one < limits.slowed_factor * min(runs)]
    if len(warm) > 1:
        yield render(CachedWords(tuple(f"{one:.1f}" for one in warm)))


def _how(missed: list[Missed], filled: list[tuple[Capture, Capture]], walks: list[Pair]) -> Iterator[str]:
    if missed:
        yield render(MissedWords())
    if filled:
        earlier, later = filled[0]
        yield render(
            FilledWords(later.since(earlier, IACCESS) or 0, earlier.get(RECYCLE) or 0, later.get(RECYCLE) or 0)
        )
    if walks:
        cold, warm = walks[0]
        yield render(RunWords(cold.seconds, warm.seconds))


@dataclass(frozen=True, slots=True)
class SmallWords:
    """Inodes that the cache holds and may hold; walked: those of a walk that is larger; age: seconds until an inode is
    reused.
    """

    node: str | None
    current: float
    maximum: float
    walked: int | None
    age: float | None


@rule("R2", needs=(ClusterFacts, Walks), words=SmallWords)
def icache_too_small(cluster: ClusterFacts, walks: Walks, limits: Limits) -> Iterator[Seen]:
    """Symptom: walks stay slow however often they are repeated on one node.

    Reasoning: the inode cache is at its limit, the limit is what ages inodes out, and the walk is larger or inodes do
    not get old. Source: Veritas InfoScale article 100031805; HP, common misconfigured resources (JFS inode cache).
    """
    walked = max((walk.files for walk in walks.all), default=0)
    tunings = _ninode(cluster)
    for (node, _), found in cluster.captures(CACHES, names=CACHE_LEVELS, per_scope=False).items():
        full = [capture for capture in found if _is_full(capture, limits)]
        if full and not any(capture.get(NOT_LIMITED) for capture in found):
            yield from _small(node, full[-1], _age(found, limits), walked, tunings)


def _age(found: list[Capture], limits: Limits) -> float | None:
    """Seconds until an inode is reused, where that is too short."""
    ages = [age for capture in found if (age := _level(capture, "vxi_icache_recycleage", "recycle age")) is not None]
    return min(ages) if ages and min(ages) < limits.age_s else None


def _small(node: str | None, last: Capture, age: float | None, walked: int, tunings: tuple[str, ...]) -> Iterator[Seen]:
    maximum = _level(last, "vxi_icache_maxino", "inodes maximum") or 0.0
    over = walked > maximum
    if not over and age is None:
        return
    current = _level(last, "vxi_icache_curino", "inodes current") or 0.0
    value = str(round(1.1 * walked)) if over else "N"
    yield Seen(
        level="over" if over else "young",
        words=SmallWords(node, current, maximum, walked if over else None, age),
        lines=last.refs(*SHOWN),
        nodes=(node,),
        times=(last.at,),
        zone_min=last.zone_min,
        tunings=tunings,
        advice=tuple(Advice(tuning, words=(("value", value),)) for tuning in tunings),
    )


SHOWN: Final = (
    "vxi_icache_curino",
    "vxi_icache_maxino",
    "vxi_icache_peakino",
    "inodes current",
    "recycle age",
    "vxi_icache_recycleage",
)


def _level(capture: Capture, *names: str) -> float | None:
    return next((value for name in names if (value := capture.get(name)) is not None), None)


def _is_full(capture: Capture, limits: Limits) -> bool:
    maximum = _level(capture, "vxi_icache_maxino", "inodes maximum")
    peak = _level(capture, "vxi_icache_peakino", "inodes peak")
    current = _level(capture, "vxi_icache_curino", "inodes current")
    return bool(maximum) and min(peak or 0.0, current or 0.0) >= limits.full * (maximum or 0.0)


def _ninode(cluster: ClusterFacts) -> tuple[str, ...]:
    """The parameter of the platform, where the files show which one it is; else both."""
    commands = " ".join(run.command for run in cluster.commands)
    if re.search(r"\b(?:kctune|kmtune|swlist|bdf)\b", commands):
        return ("vx-ninode",)
    if re.search(r"\b(?:rpm|dmesg|modinfo|sysctl|iostat|lsblk|ip|uname -r)\b", commands):
        return ("vxfs-ninode",)
    return ("vxfs-ninode", "vx-ninode")


@dataclass(frozen=True, slots=True)
class StateWords:
    """Shares of locks once without a master that became cluster locks, at the last and at the first reading; again:
    there are two.
    """

    scope: str | None
    share: float
    again: bool
    was: float
    state: str
    locks: float


@rule("R3", needs=(ClusterFacts,), words=StateWords)
def lock_state(cluster: ClusterFacts, limits: Limits) -> Iterator[Seen]:
    """Symptom: whether cluster locking can be what slows a walk.

    Reasoning: of the locks once created without a master the share that had to be turned into cluster locks, on the
    node that made most. Source: Veritas InfoScale article 100031805.
    """
    by_scope: dict[str | None, list[Capture]] = defaultdict(list)
    for (_, scope), captures in cluster.captures(LOCK_COUNTERS, names=MASTER).items():
        whole = [capture for capture in captures if all(capture.get(name) is not None for name in MASTER)]
        by_scope[scope] += [capture for capture in whole if capture.interval_s is None]
    for scope, captures in by_scope.items():
        most = max(captures, key=_masterless, default=None)
        if most is not None and _masterless(most) >= limits.locks:
            same = [
                c for c in captures if c.node == most.node or _masterless(c) == _masterless(most)
            ]  # one node under two names
            same.sort(key=lambda c: (c.at or 0, c.artifact, c.sample))
            yield _state(scope, same[0], same[-1], limits)


def _masterless(capture: Capture) -> float:
    return capture.get(MASTER[0]) or 0.0


def _share(capture: Capture) -> float:
    return (capture.get(MASTER[1]) or 0.0) / (capture.get(MASTER[0]) or 1.0)


def _state(scope: str | None, first: Capture, last: Capture, limits: Limits) -> Seen:
    share = _share(last)
    state = "masterless" if share < limits.masterless else "normalised" if share > limits.normalised else "mixed"
    return Seen(
        level=state,
        words=StateWords(scope, share, first is not last, _share(first), state, _masterless(last)),
        lines=(*first.refs(*MASTER), *last.refs(*MASTER)),
        nodes=(first.node, last.node),
        times=(first.at, last.at),
        zone_min=last.zone_min,
    )
