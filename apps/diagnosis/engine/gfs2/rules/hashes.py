"""Rules on hash tables that are too small: those of the lock manager (DH-01), that of the glocks (DH-02)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from apps.diagnosis.engine.core.facts.claims import Claims
from apps.diagnosis.engine.core.facts.runs import TimedRuns
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import metric
from apps.diagnosis.engine.gfs2.cluster import Cluster, Figure
from apps.diagnosis.engine.gfs2.profiles import HASH_WALKS, Profile, ProfileRow, Profiles
from apps.diagnosis.engine.gfs2.stated_scans import Span, StatedScan, StatedScans
from parsers.dataclass import dataclass

RESOURCES: Final = metric("lock-manager-resources")
GLOCKS: Final = metric("glocks-in-memory")
TREE_SINCE: Final = (3, 3)
RESIZED_SINCE: Final = (6, 10)
DEFAULT_BUCKETS: Final = 1024.0
SIZES: Final = ("rsbtbl_size", "lkbtbl_size", "dirtbl_size")
Shown = Literal["profile", "count", "both"]


@dataclass(frozen=True, slots=True)
class Kernel:
    """What the release says about the tables; all None where no release was sent."""

    text: str | None = None
    release: tuple[int, int, int, int] | None = None

    @property
    def is_tree(self) -> bool:
        """Whether each bucket holds a tree."""
        return self.release is not None and TREE_SINCE <= self.release[:2] < RESIZED_SINCE

    @property
    def resizes(self) -> bool:
        """Whether the resource table grows by itself."""
        return self.release is not None and self.release[:2] >= RESIZED_SINCE

    @property
    def resizes_glocks(self) -> bool:
        """Whether the glock table grows by itself: RHEL 7 from 3.10.0-514, mainline from about 4.9."""
        if self.release is None:
            return False
        if self.release[:3] == (3, 10, 0):
            return self.release[3] >= 514
        return self.release[:2] >= (4, 9)

    @property
    def has_glock_option(self) -> bool:
        """RHEL 6 from 2.6.32-642 can be given the size."""
        return self.release is not None and self.release[:3] == (2, 6, 32) and self.release[3] >= 642


def _kernel(cluster: Cluster) -> Kernel:
    found = cluster.kernels
    return Kernel(found[-1][1], found[-1][0]) if found else Kernel()


def _shown(profile: object | None, counted: object | None) -> Shown:
    """What bears a finding out."""
    return "both" if profile and counted else "profile" if profile else "count"


class _Chain(NamedTuple):
    """Resources of the largest lock space for each of its buckets."""

    length: float
    buckets: float
    counted: Figure


class _Walks(NamedTuple):
    """Hash walks in a report: per cent of the module's samples, CPU seconds where all of its rows have them."""

    profile: Profile
    rows: tuple[ProfileRow, ...]
    share: float
    seconds: float | None


@dataclass(frozen=True, slots=True)
class LockTableWords:
    """share: per cent of the lock manager's samples in the functions named in walks; spent_s of module_s: CPU seconds.

    per_bucket: of so many resources in so many buckets; tables: sizes by name. gate: what the kernel keeps in a bucket.
    scan: what its speaker states to have taken scan_s, of which the walks are at most scan_pct per cent.
    """

    shown: Shown
    share: float | None
    walks: tuple[str, ...]
    spent_s: float | None
    module_s: float | None
    per_bucket: float | None
    resources: float | None
    buckets: float | None
    tables: tuple[str, ...]
    gate: Literal["unknown", "tree", "list"]
    kernel: str | None
    scan: str | None
    scan_s: Span | None
    scan_speaker: str | None
    scan_pct: float | None


@rule("DH-01", needs=(Cluster, Profiles, Claims, StatedScans, TimedRuns), words=LockTableWords)
def dlm_hash(
    cluster: Cluster, profiles: Profiles, claims: Claims, scans: StatedScans, runs: TimedRuns, limits: Limits
) -> Iterator[Seen]:
    """Symptom: work on many files is slow although storage and network are idle.

    Reasoning: a large part of the lock manager's processor time walks hash chains, or the chains are long by count.
    Source: Red Hat guidance on the table sizes; which function walks which table.
    """
    kernel = _kernel(cluster)
    walks = max(
        (one for one in map(_walks, profiles.all) if one.share >= limits.share_pct),
        key=lambda one: one.share,
        default=None,
    )
    chain = _chain(cluster, limits.chain_tree if kernel.is_tree else limits.chain)
    if kernel.resizes or (walks is None and chain is None):
        return
    scan = _scan(walks, claims, scans) if walks else None
    lines = (*(row.ref for row in (walks.rows[:5] if walks else ())), *((chain.counted.ref,) if chain else ()))
    yield Seen(
        level="large_part" if walks and _is_large_part(walks, runs, limits) else "seen",
        words=_lock_table_words(cluster, kernel, walks, chain, scan),
        lines=lines,
        nodes=(walks.profile.node,) if walks else (),
        borne_by=(len(lines), 1),
        parts=("counted" if kernel.release and chain else "partly",),
        tunings=_tunings(kernel),
        weight=(walks.seconds or walks.share) if walks else 0.0,
    )


def _walks(profile: Profile) -> _Walks:
    """Trees have other functions than lists."""
    rows = tuple(row for row in profile.rows if row.module == "dlm" and row.symbol in HASH_WALKS)
    spent = [row.seconds for row in rows if row.seconds is not None]
    return _Walks(
        profile, rows, profile.share(HASH_WALKS, "dlm"), (sum(spent) or None) if len(spent) == len(rows) else None
    )


def _chain(cluster: Cluster, most: float) -> _Chain | None:
    """Chains of the largest lock space, where they are longer than ``most``."""
    largest = max(cluster.figures(RESOURCES), key=lambda one: one.value, default=None)
    if largest is None:
        return None
    sizes = [
        float(value.value)
        for value in cluster.values(("rsbtbl_size",))
        if value.value.isdigit() and int(value.value) > 0
    ]
    buckets = sizes[-1] if sizes else DEFAULT_BUCKETS
    chain = _Chain(largest.value / buckets, buckets, largest)
    return chain if chain.length > most else None


def _scan(walks: _Walks, claims: Claims, scans: StatedScans) -> StatedScan | None:
    """The scan that whoever shows a profile states: the speaker of the nearest statement above it. No command is
    printed with it.
    """
    first = min((row.ref for row in walks.profile.rows), key=lambda ref: ref.line)
    speaker = claims.speaker_at(first)
    return next((scan for scan in scans.all if scan.speaker == speaker), None) if walks.seconds else None


def _is_large_part(walks: _Walks, runs: TimedRuns, limits: Limits) -> bool:
    """Whether the walks are a large part of the time of a slow command that was timed."""
    longest = max((run.seconds for run in runs.all), default=0.0)
    return bool(walks.seconds and longest) and 100 * (walks.seconds or 0.0) / longest >= limits.wall_pct


def _lock_table_words(
    cluster: Cluster, kernel: Kernel, walks: _Walks | None, chain: _Chain | None, scan: StatedScan | None
) -> LockTableWords:
    spent = walks.seconds if walks else None
    sizes = {value.name: value.value for value in cluster.values(SIZES)}
    return LockTableWords(
        shown=_shown(walks, chain),
        share=walks.share if walks else None,
        walks=tuple(f"{row.symbol} {row.percent:.2f} %" for row in walks.rows) if walks else (),
        spent_s=spent,
        module_s=walks.profile.seconds if walks else None,
        per_bucket=chain.length if chain else None,
        resources=chain.counted.value if chain else None,
        buckets=chain.buckets if chain else None,
        tables=tuple(f"{name} {sizes[name]}" for name in SIZES if name in sizes),
        gate="unknown" if kernel.release is None else "tree" if kernel.is_tree else "list",
        kernel=kernel.text,
        scan=scan.what if scan else None,
        scan_s=scan.seconds if scan else None,
        scan_speaker=scan.speaker if scan else None,
        scan_pct=100 * spent / scan.seconds.high if scan and spent else None,
    )


def _tunings(kernel: Kernel) -> tuple[str, ...]:
    """Only tables that the kernel has; RHEL 6 keeps all three."""
    if kernel.release is None or kernel.release[:3] <= (2, 6, 32):
        return ("rsbtbl-size", "lkbtbl-size", "dirtbl-size")
    gone = [name for name, since in (("lkbtbl-size", (3, 1)), ("dirtbl-size", (3, 6))) if kernel.release[:2] >= since]
    return tuple(name for name in ("rsbtbl-size", "lkbtbl-size", "dirtbl-size") if name not in gone)


@dataclass(frozen=True, slots=True)
class GlockTableWords:
    """share: per cent of the samples of the gfs2 module that walk the table; glocks: how many are cached."""

    shown: Shown
    share: float | None
    glocks: float | None
    kernel: str | None


def _largest_share(profiles: Profiles, least_pct: float) -> tuple[Profile | None, float | None]:
    shares = [(profile, profile.share(("search_bucket",), "gfs2")) for profile in profiles.all]
    return max((one for one in shares if one[1] >= least_pct), key=lambda one: one[1], default=(None, None))


def _glock_walks(profile: Profile | None) -> Iterator[Ref]:
    """Lines of the profile that walk the table."""
    rows = profile.rows if profile is not None else ()
    return (row.ref for row in rows if row.symbol == "search_bucket" and row.module == "gfs2")


@rule("DH-02", needs=(Cluster, Profiles), words=GlockTableWords)
def glock_hash(cluster: Cluster, profiles: Profiles, limits: Limits) -> Iterator[Seen]:
    """Symptom: as above, with millions of glocks on a kernel of fixed table size.

    Reasoning: the share of search_bucket in a profile of the gfs2 module, or the number of glocks.
    Source: Red Hat notes on the glock hash table.
    """
    kernel = _kernel(cluster)
    profile, share = _largest_share(profiles, limits.share_pct)
    counted = [one for one in cluster.figures(GLOCKS) if one.value > limits.glocks]
    many = max(counted, key=lambda one: one.value, default=None)
    if kernel.resizes_glocks or (profile is None and (many is None or kernel.release is None)):
        return  # a number alone says nothing on a kernel that is not known
    lines = (*_glock_walks(profile), *((many.ref,) if many else ()))
    how = "both" if profile is not None and many is not None else "one"
    yield Seen(
        level=how,
        words=GlockTableWords(_shown(profile, many), share, many.value if many else None, kernel.text),
        lines=lines,
        nodes=(many.node,) if many else (),
        borne_by=(len(lines), 1),
        parts=(how,),
        tunings=("gl-hash-size",) if kernel.has_glock_option else ("vm-vfs-cache-pressure",) if many else (),
        weight=share or 0.0,
    )
