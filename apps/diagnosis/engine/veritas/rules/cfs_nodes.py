"""Rules on two nodes of one VxFS mount: clocks that stand apart (R24), files that both write (R28)."""

from __future__ import annotations

from collections.abc import Iterator

from apps.diagnosis.engine.core.facts.node_clocks import Clocks
from apps.diagnosis.engine.core.facts.runs import TimedRuns
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import LockRole
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.veritas.cluster import ClusterFacts
from apps.diagnosis.engine.veritas.harm import harm_of
from apps.diagnosis.engine.veritas.lock_mounts import Mounts
from parsers.dataclass import dataclass

Names = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class ApartWords:
    """apart: seconds between two clocks, or between the ends of two samples; of these one is a figure."""

    one: str | None
    other: str | None
    apart: float
    clocks: float | None = None
    samples: float | None = None


@rule("R24", needs=(Clocks, ClusterFacts, Mounts), words=ApartWords)
def clock_skew(clocks: Clocks, cluster: ClusterFacts, mounts: Mounts, limits: Limits) -> Iterator[Seen]:
    """Symptom: the two sides of one hand-over seem to happen at different times.

    Reasoning: what both nodes printed of one moment differs by more than its error; or both sides of a pull are sampled
    in windows apart. Source: Storage Foundation Cluster File System 4.1 administration (clocks must be synchronised).
    """
    known = (one for one in clocks.offsets if one.node != one.reference)
    apart = [one for one in known if abs(one.offset_s) > max(limits.apart_s, one.error_s)]
    if apart and cluster.applies:
        worst = max(apart, key=lambda offset: abs(offset.offset_s))
        words = ApartWords(worst.node, worst.reference, abs(worst.offset_s), clocks=abs(worst.offset_s))
        yield Seen(level="clocks", words=words, lines=worst.refs, nodes=(worst.node, worst.reference))
        return
    for mount in mounts.all:
        pulls = [role for role in mount.roles if role.role == "puller"]
        pairs = [(role, victim) for role in pulls for victim in mount.victims(role, limits.pair_s)[:1]]
        intervals = [(role, victim) for role, victim in pairs if _gap(role, victim) >= 0]
        if intervals:
            role, victim = max(intervals, key=lambda pair: _gap(*pair))
            away = abs((role.at or 0) - (victim.at or 0)) / 1e6
            yield Seen(
                level="windows",
                words=ApartWords(role.node, victim.node, away, samples=away),
                lines=(role.ref, victim.ref),
                nodes=(role.node, victim.node),
                times=(role.at, victim.at),
                zone_min=role.zone_min,
            )


def _gap(one: LockRole, other: LockRole) -> float:
    """Seconds between two windows; negative where they overlap."""
    early, late = sorted((one, other), key=lambda role: role.at or 0)
    return ((late.at or 0) - (early.at or 0)) / 1e6 - late.interval_s


@dataclass(frozen=True, slots=True)
class WriteWords:
    """Grants and revokes of read/write locks per second, beyond the pulls."""

    nodes: Names
    scope: str
    granted: float
    revoked: float
    harm: str
    slowed_by: float | None


@rule("R28", needs=(Mounts, TimedRuns), words=WriteWords)
def rwlock_contention(mounts: Mounts, runs: TimedRuns, limits: Limits) -> Iterator[Seen]:
    """Symptom: several nodes write one file, and each write is slow.

    Reasoning: read/write locks are granted and revoked on two nodes at once, more than the pulls of inodes explain.
    Source: recalled; the counters by arithmetic on published samples.
    """
    for mount in mounts.all:
        busy = [role for role in mount.roles if min(_writes(role)) >= limits.rw_per_s]
        both = [role for role in busy if any(other in busy for other in mount.near(role, limits.pair_s))]
        nodes = tuple(role.node for role in both)
        if len(set(nodes)) < 2:
            continue
        peak = max(both, key=lambda role: sum(_writes(role)))
        harm = harm_of(runs, both, mount.roles, key="rw_grant", peak=peak)
        yield Seen(
            level=harm.level(),
            words=WriteWords(nodes, mount.name, *_writes(peak), harm.sentence(), harm.slowed_by),
            lines=[
                ref
                for role in both[:3]
                for ref in (role.ref, *(role.refs[key] for key in ("rw_grant", "rw_revoke") if key in role.refs))
            ],
            nodes=nodes,
            times=[role.at for role in both],
            zone_min=peak.zone_min,
            weight=harm.seconds,
            harm="storm" if harm.measured and harm.run is None else "",
        )


def _writes(role: LockRole) -> tuple[float, float]:
    """Grants and revokes of rw locks per second beyond the book-keeping of pulls; 0 where a sample does not show one of
    the four.
    """
    per = role.per_s
    if not {"rw_grant", "rw_revoke", "h_init", "h_deinit"} <= set(per):
        return 0.0, 0.0
    return max(0.0, per["rw_grant"] - per["h_init"]), max(0.0, per["rw_revoke"] - per["h_deinit"])
