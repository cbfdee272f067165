"""Rules on POSIX locks, which a daemon answers and not the lock manager (PL-01), their ownership (PL-02), their orphans
(PL-03), their queues (PL-04).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

import polars as pl

from apps.diagnosis.engine.core.facts.claims import Claims, place
from apps.diagnosis.engine.core.facts.nodes import nodes_in
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import REDIRECTS, Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import metric
from apps.diagnosis.engine.gfs2.cluster import Cluster, short_fs
from apps.diagnosis.engine.gfs2.plocks import Plock, PosixLocks, blocked
from apps.diagnosis.engine.gfs2.presence import Presence
from apps.diagnosis.engine.gfs2.stated_scans import ELSEWHERE
from parsers.dataclass import dataclass
from parsers.records import Measurement, Setting

DELAYS: Final = metric("posix-lock-delays")
REQUESTS: Final = metric("plock-counts")
SHOWN: Final = 3
_MOVES_DATA = re.compile(r"\bping_pong\b.*\s-(?:rw|[mw])\b")


class _Rate(NamedTuple):
    """A rate of POSIX locks: measured, or stated."""

    ref: Ref
    node: str | None
    low: float
    high: float
    stated: bool


Beyond = Literal["impossible", "owned", "later"]


@dataclass(frozen=True, slots=True)
class RateWords:
    """best, lowest: highest and lowest rate, in locks/s; best_ms, lowest_ms: time of one operation then; stated: nobody
    measured.

    beyond: why the rate and a limit of it go together: set_to, in locks/s, or the usual one where none was sent.
    """

    best: float
    best_ms: float | None
    lowest: float | None
    lowest_ms: float | None
    stated: bool
    beyond: Beyond | None
    set_to: float | None


# By name alone, as a daemon shows it, and under its element of cluster.conf.
RATE_LIMITS: Final = ("plock_rate_limit", "gfs_controld.plock_rate_limit", "dlm.plock_rate_limit")
OWNERSHIP: Final = ("plock_ownership", "gfs_controld.plock_ownership", "dlm.plock_ownership")


@dataclass(frozen=True, slots=True)
class LimiterWords:
    """delayed: requests that the daemon counts as delayed; near: a measured rate at the limit in_force; slowest: all in
    locks/s.
    """

    nodes: tuple[str, ...]
    delayed: float | None
    near: float | None
    in_force: float | None
    slowest: float | None


@rule("PL-01", needs=(Records, Claims, Presence, Cluster), words=(RateWords, LimiterWords))
def posix_lock_path(
    records: Records, claims: Claims, presence: Presence, cluster: Cluster, limits: Limits
) -> Iterator[Seen]:
    """Symptom: a slow rate of ping_pong or of fcntl locks is taken for a slow lock manager.

    Reasoning: POSIX locks are answered by a daemon in user space; a rate near the limiter's, or its delays, is the
    limiter. Source: GFS2 maintainer; manuals of gfs_controld and dlm_controld.
    """
    measured = list(_measured(records))
    yield from _limiter(cluster, measured, limits)
    rates = [*measured, *(_stated(claims) if presence.shown else ())]
    if rates:
        yield _wrong_path(cluster, rates, limits)


def _measured(records: Records) -> Iterator[_Rate]:
    """Rates of ping_pong. With data written too, glocks are involved: those do not count."""
    for one in records.of(Measurement, pl.col("tool") == "ping_pong", pl.col("unit") == "locks/s"):
        if one.value is not None and not _MOVES_DATA.search(one.command or ""):
            yield _Rate(Ref(one.artifact, one.line), one.node, one.value, one.value, stated=False)


def _stated(claims: Claims) -> Iterator[_Rate]:
    """Rates that people state of ping_pong, save those of a file system without cluster locks."""
    for claim in claims.all:
        if (
            claim.unit == "locks/s"
            and claim.value is not None
            and "ping_pong" in claim.text
            and not ELSEWHERE.search(claim.text)
        ):
            yield _Rate(place(claim), None, claim.value, claim.high or claim.value, stated=True)


def _wrong_path(cluster: Cluster, rates: Sequence[_Rate], limits: Limits) -> Seen:
    best = max(rate.high for rate in rates)
    least = min(rates, key=lambda rate: rate.low).high
    lowest = least if least < best else None
    limit, _ = _in_force(cluster)
    lines = tuple(dict.fromkeys(rate.ref for rate in rates[:3]))
    return Seen(
        level="path",
        words=RateWords(
            best=best,
            best_ms=1000 / best if best > 0 else None,
            lowest=lowest,
            lowest_ms=1000 / lowest if lowest and lowest > 0 else None,
            stated=all(rate.stated for rate in rates),
            beyond=_beyond(cluster, best, limit, limits),
            set_to=limit,
        ),
        lines=lines,
        nodes=[rate.node for rate in rates],
        borne_by=(len(lines), 1),
        parts=("by_design",),
        weight=REDIRECTS,  # in a list by severity it stands before the others of its own
    )


def _beyond(cluster: Cluster, best: float, limit: float | None, limits: Limits) -> Beyond | None:
    """Why so high a rate and a limit go together, or that the setting has to be asked for."""
    if best <= limits.near_high * (limit or limits.usual):
        return None
    if limit is None:
        return "impossible"
    return "owned" if any(value.value.strip() == "1" for value in cluster.values(OWNERSHIP)) else "later"


def _limiter(cluster: Cluster, measured: Sequence[_Rate], limits: Limits) -> Iterator[Seen]:
    """The daemon's delays, or a measured rate at the limit in force."""
    delays = [figure for figure in cluster.figures(DELAYS) if figure.value > 0]
    limit, setting = _in_force(cluster)
    near = [rate for rate in measured if limit and limits.near_low * limit <= rate.low <= limits.near_high * limit]
    if not delays and not near:
        return
    lines = (
        *(figure.ref for figure in delays[:4]),
        *(rate.ref for rate in near[:3]),
        *((setting.ref,) if setting else ()),
    )
    nodes = nodes_in(delays, near)
    delayed = sum(figure.value for figure in delays)
    reads = [figure.value / figure.interval_s for figure in cluster.figures(REQUESTS) if figure.interval_s]
    yield Seen(
        level="limit",
        words=LimiterWords(
            nodes, delayed or None, near[0].low if near else None, limit, min(reads, default=None) or None
        ),
        lines=lines,
        nodes=nodes,
        borne_by=(len(lines), max(1, len(nodes))),
        parts=("counted" if delays else "near",),
        weight=delayed,
    )


def _in_force(cluster: Cluster) -> tuple[float, Setting] | tuple[None, None]:
    """The rate limit in locks/s with its setting."""
    found = [value for value in cluster.values(RATE_LIMITS) if value.value.strip().isdigit()]
    return (float(found[-1].value), found[-1]) if found and float(found[-1].value) > 0 else (None, None)


@dataclass(frozen=True, slots=True)
class OwnershipWords:
    """source: where the setting stands; files: locked from several nodes, changed of them with another owner in another
    dump.

    nobody: a shared file is owned by no node.
    """

    source: str
    files: int
    changed: int
    nobody: bool


@rule("PL-02", needs=(Cluster, PosixLocks), words=OwnershipWords)
def plock_ownership(cluster: Cluster, posix: PosixLocks, limits: Limits) -> Iterator[Seen]:
    """Symptom: POSIX locks take seconds, and longer the longer the cluster runs.

    Reasoning: ownership is switched on while several nodes lock the same files.
    Source: support page on slow POSIX locks; dlm_controld manual.
    """
    setting = next((v for v in reversed(cluster.values(OWNERSHIP)) if v.value.strip() in ("0", "1")), None)
    if setting is None or setting.value.strip() != "1":
        return
    shared = _shared(posix.of_cluster)
    locks = [lock for own in shared for lock in own]
    lines = (setting.ref, *(Ref(lock.artifact, lock.line) for lock in locks[:5]))
    changed = sum(len({lock.owning_node for lock in own if (lock.owning_node or 0) > 0}) > 1 for own in shared)
    if shared:
        yield Seen(
            level="shared",
            words=OwnershipWords(
                setting.source, len(shared), changed, nobody=any(lock.owning_node == 0 for lock in locks)
            ),
            lines=lines,
            nodes=[lock.owner_node for lock in locks],
            borne_by=(len(lines), 2),
            parts=("both",),
        )


def _shared(locks: Sequence[Plock]) -> list[list[Plock]]:
    """Locks of each file that several nodes lock."""
    by_file: dict[tuple[str | None, int], list[Plock]] = defaultdict(list)
    for lock in locks:
        by_file[lock.fs, lock.inode].append(lock)
    return [own for own in by_file.values() if len({lock.owner_node for lock in own}) > 1]


@dataclass(frozen=True, slots=True)
class OrphanWords:
    """owner, waiter: processes as node and pid; pid on node: the owner; dumps that show it."""

    inode: int
    fs: str
    owner: str
    waiter: str
    pid: int
    node: str
    dumps: int


@rule("PL-03", needs=(Cluster, PosixLocks), words=OrphanWords)
def plock_orphan(cluster: Cluster, posix: PosixLocks, limits: Limits) -> Iterator[Seen]:
    """Symptom: programs wait for a POSIX lock for ever.

    Reasoning: the process that holds it is not in the list of processes of its node, in two dumps.
    Source: dump of POSIX locks, list of processes.
    """
    found = [(pairs, len({(holder.artifact, holder.at) for _, holder in pairs})) for pairs in _orphans(cluster, posix)]
    for pairs, dumps in [one for one in found if one[1] >= limits.captures][:SHOWN]:
        wait, holder = pairs[-1]
        missing = cluster.alive[holder.owner_node][0]
        yield Seen(
            level="gone",
            words=OrphanWords(
                holder.inode, short_fs(holder.fs), holder.owner, wait.owner, holder.pid, holder.owner_node, dumps
            ),
            lines=(Ref(holder.artifact, holder.line), Ref(wait.artifact, wait.line), missing.ref),
            nodes=(holder.owner_node, wait.owner_node),
            borne_by=(3, 2),
            parts=("listed",),
        )


def _orphans(cluster: Cluster, posix: PosixLocks) -> list[list[tuple[Plock, Plock]]]:
    """Waiting and held locks of each file whose owner no list of processes of its node shows."""
    found: dict[tuple[str | None, int, str], list[tuple[Plock, Plock]]] = defaultdict(list)
    for wait, holders in blocked(posix.of_cluster):
        for holder in holders:
            lists = cluster.alive.get(holder.owner_node, ())
            if lists and all(holder.pid not in one.pids for one in lists):
                found[holder.fs, holder.inode, holder.owner].append((wait, holder))
    return list(found.values())


@dataclass(frozen=True, slots=True)
class QueueWords:
    """owner: process that holds the lock, on its node; waiters: processes that wait for it, on nodes; dumps in which
    the same process holds it; apart: s from the first of them to the last.
    """

    inode: int
    fs: str
    pid: int
    node: str
    waiters: int
    waiting: tuple[str, ...]
    nodes: tuple[str, ...]
    dumps: int
    apart: float | None


def _queues(posix: PosixLocks) -> list[list[tuple[Plock, Plock]]]:
    """Waits with their holder, by the lock; those with the most waiters first."""
    queues: dict[tuple[str | None, int, str], list[tuple[Plock, Plock]]] = defaultdict(list)
    for wait, holders in blocked(posix.of_cluster):
        for holder in [one for one in holders if one.at == wait.at][:1]:
            queues[holder.fs, holder.inode, holder.owner].append((wait, holder))
    return sorted(queues.values(), key=lambda pairs: (-len({wait.owner for wait, _ in pairs}), pairs[0][0].line))


@rule("PL-04", needs=(PosixLocks,), words=QueueWords)
def plock_queue(posix: PosixLocks, limits: Limits) -> Iterator[Seen]:
    """Symptom: programs that lock files hang, mail or databases or Samba, while the file system itself answers.

    Reasoning: several processes wait for the POSIX lock of one, or one waits from dump to dump for the same holder; the
    holder, and not the lock manager, decides when they go on. Source: dump of POSIX locks.
    """
    for pairs in _queues(posix)[:SHOWN]:
        waiters = dict.fromkeys(wait.owner for wait, _ in pairs)
        dumps = {(holder.artifact, holder.at) for _, holder in pairs}
        times = sorted(at for _, at in dumps if at is not None)
        holder = pairs[0][1]
        stands = len(times) > 1 and (times[-1] - times[0]) / 1e6 >= limits.apart_s
        if not stands and len(waiters) < limits.waiters:
            continue
        yield Seen(
            level="stands" if stands else "queue",
            words=QueueWords(
                holder.inode,
                short_fs(holder.fs),
                holder.pid,
                holder.owner_node,
                len(waiters),
                tuple(waiters),
                tuple(dict.fromkeys(wait.owner_node for wait, _ in pairs)),
                len(dumps),
                (times[-1] - times[0]) / 1e6 if len(times) > 1 else None,
            ),
            lines=(Ref(holder.artifact, holder.line), *(Ref(wait.artifact, wait.line) for wait, _ in pairs)),
            most_lines=6,
            nodes=(holder.owner_node, *(wait.owner_node for wait, _ in pairs)),
            times=[holder.at for _, holder in pairs],
            borne_by=(len(pairs) + 1, len(waiters)),
            parts=("dumps_apart",) if stands else ("one_dump",),
            weight=float(len(waiters)),
        )
