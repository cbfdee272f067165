"""Rules on caches and states of VxFS: cold cache (R1), small inode cache (R2), cluster locks (R3), clocks (R24), many writers (R28)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from apps.diagnosis.engine.core.drafts import draft
from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.model import Advice, Figure, LockRole, Ref, Severity
from apps.diagnosis.engine.core.registry import Draft, rule
from apps.diagnosis.engine.core.runs import TimedRun, TimedRuns
from apps.diagnosis.engine.core.wording import count, listed, node_words, per_s, percent, seconds
from apps.diagnosis.engine.facts import CaseFacts
from apps.diagnosis.engine.veritas.cluster import STORMS, Capture, ClusterFacts, steps
from apps.diagnosis.engine.veritas.harm import harm_of
from apps.diagnosis.engine.veritas.lock_mounts import Mounts
from apps.diagnosis.engine.veritas.lock_samples import LockRoles, Walks

IACCESS, RECYCLE = "vxi_iaccess", "vxi_bcache_recycleage"
MASTER = ("vxi_masterless_locks", "vxi_normalize_locks")
CACHE = ("lookups", "hit rate", "inodes alloced")
LEVELS = (
    "vxi_icache_maxino", "vxi_icache_peakino", "vxi_icache_curino", "vxi_icache_recycleage", "inodes maximum", "inodes peak",
    "inodes current", "recycle age", "recycle age not limited by maximum",
)  # fmt: skip


@rule("R1")
def cold_cache(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: the first walk over a tree is many times slower than the next one, on one node.

    Reasoning: the inode cache misses or fills while the walk runs, or its repetition is quick although no locks moved in between.
    Source: Veritas InfoScale article 100031805.
    """
    missed = list(_missing_cache(facts, limits))
    filled = list(_filled_cache(facts, limits))
    walks = list(_cold_runs(facts, limits))
    if not (missed or filled or walks):
        return
    captures = [capture for capture, _, _ in missed] + [later for _, later in filled]
    evidence = [ref for _, refs, _ in missed for ref in refs]
    evidence += [ref for pair in filled for one in pair for ref in one.refs(IACCESS, RECYCLE)]
    evidence += [run.ref for pair in walks[:2] for run in pair]
    figures = [figure for _, _, figure in missed[:2]]
    if walks:
        cold, warm = walks[0]
        figures.append(Figure("Cold against warm", round(cold.seconds / warm.seconds, 1), "\u00d7", limits.words("slowed_factor")))
        rate = _rate(facts, cold)
        figures += [Figure("Inodes read", round(rate), "/s")] if rate else []
    nodes = [capture.node for capture in captures] + [run.node for pair in walks for run in pair]
    yield draft(
        "medium",
        evidence,
        {
            "node": node_words(nodes),
            "sure": "" if missed or walks else "probably ",
            "how": _how(missed, filled, walks) + (_from_cache(facts, walks[0][0], limits) if walks else ""),
        },
        nodes=nodes,
        times=[capture.at for capture in captures] + [cold.at for cold, _ in walks],
        figures=figures,
        lacks="" if missed or walks else "no hit rate and no repeated run of the same command is here",
        basis=None if missed or walks else "inferred",
    )


def _missing_cache(facts: CaseFacts, limits: Limits) -> Iterator[tuple[Capture, tuple[Ref, ...], Figure]]:
    """Delta samples in which look-ups miss, or inodes are allocated at a high rate."""
    for captures in facts.get(ClusterFacts).captures("vxfsstat -i", names=CACHE).values():
        for capture in captures:
            length = capture.interval_s
            if not length:
                continue
            looked, hit, alloced = (capture.get(name) for name in ("lookups", "hit rate", "inodes alloced"))
            if hit is not None and hit < limits.hit_percent and (looked or 0) / length >= limits.lookups_per_s:
                yield capture, capture.refs("lookups", "hit rate"), Figure("Hit rate", hit, "%", limits.words("hit_percent"))
            elif alloced is not None and alloced / length > limits.alloced_per_s:
                rate = Figure("Inodes allocated", round(alloced / length), "/s", limits.words("alloced_per_s"))
                yield capture, capture.refs("inodes alloced"), rate


def _filled_cache(facts: CaseFacts, limits: Limits) -> Iterator[tuple[Capture, Capture]]:
    """Readings between which inodes were accessed while the age of recycled buffers collapsed."""
    for captures in facts.get(ClusterFacts).captures("vxfsstat -v", names=(IACCESS, RECYCLE)).values():
        whole = [capture for capture in captures if capture.get(IACCESS) is not None and capture.get(RECYCLE) is not None]
        for earlier, later in steps(whole):
            grown, was, now = later.since(earlier, IACCESS), earlier.get(RECYCLE), later.get(RECYCLE)
            if grown and was and now is not None and grown >= limits.accesses and now <= limits.collapse * was:
                yield earlier, later


def _cold_runs(facts: CaseFacts, limits: Limits) -> Iterator[tuple[TimedRun, TimedRun]]:
    """A first run and the one after it in the same text, several times as quick, with no storm of locks between the two."""
    by_command: dict[tuple[str, int, str | None], list[TimedRun]] = defaultdict(list)
    for run in facts.timed_runs:
        by_command[run.command, run.ref.artifact, run.node].append(run)
    first_of: dict[tuple[str, int], TimedRun] = {}
    for (command, artifact, _), runs in by_command.items():
        first = first_of.get((command, artifact))
        first_of[command, artifact] = runs[0] if first is None or runs[0].ref.line < first.ref.line else first
    for (command, artifact, _), runs in by_command.items():
        for cold, warm in pairwise(runs):
            quicker = cold.seconds >= limits.slowed_factor * warm.seconds and cold.seconds >= limits.cold_s
            if quicker and cold is first_of[command, artifact] and not _storm_between(facts, cold, warm):
                yield cold, warm


def _storm_between(facts: CaseFacts, cold: TimedRun, warm: TimedRun) -> bool:
    """Lock traffic from the start of the text to the second run, or while the first one ran."""
    if any(
        role.role in STORMS and role.ref.artifact == cold.ref.artifact and role.ref.line < warm.ref.line
        for role in facts.get(LockRoles).all
    ):
        return True
    end = cold.at + round(cold.seconds * 1e6) if cold.at is not None else None
    return facts.get(ClusterFacts).harm_by_storms.overlaps(cold.at, end)


def _rate(facts: CaseFacts, run: TimedRun) -> float | None:
    """Files a second of a run whose command counted them."""
    same = [
        walk.files for walk in facts.get(Walks).all if walk.artifact == run.ref.artifact and " ".join(walk.command.split()) == run.command
    ]
    return same[0] / run.seconds if same and run.seconds else None


def _from_cache(facts: CaseFacts, cold: TimedRun, limits: Limits) -> str:
    """All runs of the command in that text that found their inodes in the cache, whichever node they ran on."""
    runs = [run.seconds for run in facts.timed_runs if (run.command, run.ref.artifact) == (cold.command, cold.ref.artifact)]
    warm = [one for one in runs if one < limits.slowed_factor * min(runs)]
    return f"; from the cache it took {listed((f'{one:.1f}' for one in warm), 8)} s" if len(warm) > 1 else ""


def _how(missed: Sequence[object], filled: Sequence[tuple[Capture, Capture]], walks: Sequence[tuple[TimedRun, TimedRun]]) -> str:
    parts = []
    if missed:
        parts.append("the inode cache misses while the command runs")
    if filled:
        earlier, later = filled[0]
        ages = f"{count(earlier.get(RECYCLE) or 0)} to {count(later.get(RECYCLE) or 0)}"
        parts.append(
            f"{count(later.since(earlier, IACCESS) or 0)} inodes were accessed while the age of recycled buffers fell from {ages} s"
        )
    if walks:
        cold, warm = walks[0]
        parts.append(f"the first run took {seconds(cold.seconds)}, the next {seconds(warm.seconds)}, and no locks moved in between")
    return "; ".join(parts)


@rule("R2")
def icache_too_small(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: walks stay slow however often they are repeated on one node.

    Reasoning: the inode cache is at its limit, the limit is what ages inodes out, and the walk is larger or inodes do not get old.
    Source: Veritas InfoScale article 100031805; HP, common misconfigured resources (JFS inode cache).
    """
    captures = facts.get(ClusterFacts).captures("vxfsstat -v", "vxfsstat -i", names=LEVELS, per_scope=False)
    for (node, _), found in captures.items():
        if any(capture.get("recycle age not limited by maximum") for capture in found):
            continue
        full = [capture for capture in found if _is_full(capture, limits)]
        if not full:
            continue
        last = full[-1]
        maximum = _level(last, "vxi_icache_maxino", "inodes maximum") or 0.0
        walked = max((walk.files for walk in facts.get(Walks).all), default=0)
        ages = [age for capture in found if (age := _level(capture, "vxi_icache_recycleage", "recycle age")) is not None]
        young = bool(ages) and min(ages) < limits.age_s
        if walked > maximum or young:
            yield _small(facts, node, last, maximum, walked, min(ages) if young else None, limits)


def _level(capture: Capture, *names: str) -> float | None:
    return next((value for name in names if (value := capture.get(name)) is not None), None)


def _is_full(capture: Capture, limits: Limits) -> bool:
    maximum = _level(capture, "vxi_icache_maxino", "inodes maximum")
    peak = _level(capture, "vxi_icache_peakino", "inodes peak")
    current = _level(capture, "vxi_icache_curino", "inodes current")
    return bool(maximum) and min(peak or 0.0, current or 0.0) >= limits.full * (maximum or 0.0)


def _small(facts: CaseFacts, node: str | None, last: Capture, maximum: float, walked: int, age: float | None, limits: Limits) -> Draft:
    names = ("vxi_icache_curino", "vxi_icache_maxino", "vxi_icache_peakino", "inodes current", "recycle age", "vxi_icache_recycleage")
    over = walked > maximum
    severity: Severity = "high" if over else "medium"
    reason = f"a walk meets {count(walked)} inodes" if over else f"inodes are reused after {age:g} s"
    wanted = (("value", str(round(1.1 * walked)) if over else "N"),)
    tunings = _ninode(facts)
    return draft(
        severity,
        last.refs(*names),
        {"node": node or "a node", "maximum": count(maximum), "reason": reason},
        nodes=[node],
        times=[last.at],
        zone_min=last.zone_min,
        figures=[
            Figure("Inodes in the cache", _level(last, "vxi_icache_curino", "inodes current") or 0.0, "", limits.words("full")),
            Figure("Largest number kept", maximum),
            Figure("Inodes of the walk", walked) if over else None,
            Figure("Recycle age", age, "s", limits.words("age_s")) if age is not None else None,
        ],
        tunings=tunings,
        advice=tuple(Advice(tuning, words=wanted) for tuning in tunings),
    )


def _ninode(facts: CaseFacts) -> tuple[str, ...]:
    """The parameter of the platform, where the files show which one it is; else both."""
    said = " ".join(run["command"] for run in facts.get(ClusterFacts).commands)
    if re.search(r"\b(?:kctune|kmtune|swlist|bdf)\b", said):
        return ("vx-ninode",)
    if re.search(r"\b(?:rpm|dmesg|modinfo|sysctl|iostat|lsblk|ip|uname -r)\b", said):
        return ("vxfs-ninode",)
    return ("vxfs-ninode", "vx-ninode")


@rule("R3")
def lock_state(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: whether cluster locking can be what slows a walk.

    Reasoning: of the locks once created without a master the share that had to be turned into cluster locks, on the node that made most.
    Source: Veritas InfoScale article 100031805.
    """
    by_scope: dict[str | None, list[Capture]] = defaultdict(list)
    for (_, scope), captures in facts.get(ClusterFacts).captures("vxfsstat -s", names=MASTER).items():
        whole = [c for c in captures if c.get("vxi_masterless_locks") is not None and c.get("vxi_normalize_locks") is not None]
        by_scope[scope] += [capture for capture in whole if capture.interval_s is None]
    for scope, captures in by_scope.items():
        most = max(captures, key=_masterless, default=None)
        if most is not None and _masterless(most) >= limits.locks:
            same = [c for c in captures if c.node == most.node or _masterless(c) == _masterless(most)]  # one node under two names
            same.sort(key=lambda c: (c.at or 0, c.artifact, c.sample))
            yield _state(scope, same[0], same[-1], limits)


def _masterless(capture: Capture) -> float:
    return capture.get("vxi_masterless_locks") or 0.0


def _share(capture: Capture) -> float:
    return (capture.get("vxi_normalize_locks") or 0.0) / (capture.get("vxi_masterless_locks") or 1.0)


def _state(scope: str | None, first: Capture, last: Capture, limits: Limits) -> Draft:
    share = _share(last)
    state = "masterless" if share < limits.masterless else "normalised" if share > limits.normalised else "mixed"
    was = "" if first is last else f" It was {percent(_share(first))} at the first reading."
    meaning = {
        "masterless": "Hardly any inode was met by a second node: cluster locking is not what slows this mount.",
        "normalised": "Most inodes were met by a second node: each further access goes through the cluster's locks.",
        "mixed": "A part of the inodes was met by a second node: only they go through the cluster's locks.",
    }
    return draft(
        "info",
        [*first.refs("vxi_masterless_locks", "vxi_normalize_locks"), *last.refs("vxi_masterless_locks", "vxi_normalize_locks")],
        {"scope": scope or "the file system", "share": percent(share), "state": state, "was": was, "meaning": meaning[state]},
        nodes=[first.node, last.node],
        times=[first.at, last.at],
        zone_min=last.zone_min,
        figures=[
            Figure("Locks made cluster locks", round(100 * share, 3), "%"),
            Figure("Locks created without a master", last.get("vxi_masterless_locks") or 0.0),
        ],
    )


@rule("R24")
def clock_skew(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: the two sides of one hand-over seem to happen at different times.

    Reasoning: what both nodes printed of one moment differs by more than its error; or both sides of a pull are sampled in windows apart.
    Source: Storage Foundation Cluster File System 4.1 administration (clocks must be synchronised).
    """
    apart = [
        offset
        for offset in facts.clock_offsets
        if offset.node != offset.reference and abs(offset.offset_s) > max(limits.apart_s, offset.error_s)
    ]
    if apart and facts.get(ClusterFacts).applies:
        worst = max(apart, key=lambda offset: abs(offset.offset_s))
        yield draft(
            "info",
            worst.refs,
            {"one": worst.node, "other": worst.reference, "apart": f"{abs(worst.offset_s):.1f}"},
            nodes=[worst.node, worst.reference],
            figures=[Figure("Clocks apart", abs(worst.offset_s), "s", limits.words("apart_s"))],
        )
        return
    for mount in facts.get(Mounts).all:
        pulls = [role for role in mount.roles if role.role == "puller"]
        pairs = [(role, victim) for role in pulls for victim in mount.victims(role, limits.pair_s)[:1]]
        windows = [(role, victim) for role, victim in pairs if _gap(role, victim) >= 0]
        if windows:
            role, victim = max(windows, key=lambda pair: _gap(*pair))
            away = abs((role.at or 0) - (victim.at or 0)) / 1e6
            yield draft(
                "info",
                [role.ref, victim.ref],
                {"one": role.node or "one node", "other": victim.node or "another", "apart": f"{away:.1f}"},
                variant="windows",
                nodes=[role.node, victim.node],
                times=[role.at, victim.at],
                zone_min=role.zone_min,
                figures=[Figure("Ends of the two samples apart", round(away, 1), "s")],
                basis="inferred",
            )


def _gap(one: LockRole, other: LockRole) -> float:
    """Seconds between two windows; negative where they overlap."""
    early, late = sorted((one, other), key=lambda role: role.at or 0)
    return ((late.at or 0) - (early.at or 0)) / 1e6 - late.interval_s


@rule("R28")
def rwlock_contention(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: several nodes write one file, and each write is slow.

    Reasoning: read/write locks are granted and revoked on two nodes at once, more than the pulls of inodes explain.
    Source: recalled; the counters by arithmetic on published samples.
    """
    for mount in facts.get(Mounts).all:
        busy = [role for role in mount.roles if min(_writes(role)) >= limits.rw_per_s]
        both = [role for role in busy if any(other in busy for other in mount.near(role, limits.pair_s))]
        if len({role.node for role in both}) < 2:
            continue
        peak = max(both, key=lambda role: sum(_writes(role)))
        harm = harm_of(facts.get(TimedRuns), both, mount.roles, key="rw_grant", peak=peak)
        granted, revoked = _writes(peak)
        yield draft(
            harm.severity(),
            [ref for role in both[:3] for ref in (role.ref, *(role.refs[key] for key in ("rw_grant", "rw_revoke") if key in role.refs))],
            {
                "nodes": node_words(role.node for role in both),
                "scope": mount.name,
                "granted": per_s(granted),
                "revoked": per_s(revoked),
                "harm": harm.sentence(),
            },
            nodes=[role.node for role in both],
            times=[role.at for role in both],
            zone_min=peak.zone_min,
            figures=[
                Figure("rw grants beyond pulls", round(granted, 1), "/s", limits.words("rw_per_s")),
                Figure("rw revokes beyond pulls", round(revoked, 1), "/s", limits.words("rw_per_s")),
                *harm.figures(),
            ],
            weight=harm.seconds,
            harm="the storm of locks lasted" if harm.measured and harm.run is None else "",
        )


def _writes(role: LockRole) -> tuple[float, float]:
    """Grants and revokes of rw locks per second beyond the book-keeping of pulls; 0 where a sample does not show one of the four."""
    per = role.per_s
    if not {"rw_grant", "rw_revoke", "h_init", "h_deinit"} <= set(per):
        return 0.0, 0.0
    return max(0.0, per["rw_grant"] - per["h_init"]), max(0.0, per["rw_revoke"] - per["h_deinit"])
