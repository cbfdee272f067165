"""The ``vxfsstat -s``, ``-i``, ``-v`` and ``lltshow`` text of the CFS sample, all derived from the same walks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random
from typing import Final

from apps.ingest.samples.cfs_story import (
    CLOCK,
    DRAINS,
    INODES,
    NODES,
    RIVALS,
    SEED,
    WARM,
    Traffic,
    peer,
    sample_windows,
)

# the pairs of a row, in the order in which the tool prints them
ROWS: Final = (
    ("vxi_recv_open_mbr", "vxi_hlock_init"), ("vxi_hlockgrant", "vxi_hlockrevoke"),
    ("vxi_masterless_locks", "vxi_normalize_locks"),
    ("vxi_inode_btranidflush", "vxi_hlock_deinit"), ("vxi_rwlockgrant", "vxi_rwlockrevoke"),
    ("vxi_rwlock_iupdat", "vxi_glockgrant"),
    ("vxi_glockrevoke", "vxi_glockgrant_pbhit"), ("vxi_staleowner", "vxi_strong_pullowner"),
)  # fmt: skip
_SINCE_MOUNT: Final = {
    "vxi_masterless_locks": 412_391,
    "vxi_normalize_locks": 412_388,
    "vxi_strong_pullowner": 3_298_944,
}
_LATENCY_SHARES: Final = (0.99521, 0.0034, 0.0009, 0.0003, 0.0001, 0.00005, 0.00003, 0.00001)


def rows(values: Mapping[str, int]) -> list[str]:
    return [f"{a:<22}{values.get(a, 0):>10}    {b:<22}{values.get(b, 0):>10}" for a, b in ROWS]


def non_zero(lines: Iterable[str]) -> list[str]:
    """``awk '$2 != 0 || $4 != 0 {print}'``."""
    return [line for line in lines if any(field != "0" for field in line.split()[1:4:2])]


def matching(lines: Iterable[str], *words: str) -> list[str]:
    """``egrep 'word|word'``."""
    return [line for line in lines if any(word in line for word in words)]


def header(end: float, length: float | None) -> str:
    kind = "absolute sample" if length is None else f"delta ({length:.3f} sec sample)"
    return f"{CLOCK.millis(end)} {CLOCK.long_date(end)} -- {kind}"


class Counters:
    """Ownership counters of one node, window by window."""

    def __init__(self, node: str, traffic: Traffic) -> None:
        self.node = node
        self._traffic = traffic
        self._rng = Random(f"{SEED} counters {node}")

    def absolute(self) -> dict[str, int]:
        """Since the mount: nearly all locks are normalised already."""
        i = NODES.index(self.node) + 1
        grants = 7_012_377 // i
        since = {name: value // i for name, value in _SINCE_MOUNT.items()}
        return since | {
            "vxi_hlock_init": grants // 2,
            "vxi_hlockgrant": grants,
            "vxi_hlockrevoke": grants - 31_977 // i,
            "vxi_hlock_deinit": grants // 2 - 512,
            "vxi_rwlockgrant": grants // 2,
            "vxi_rwlockrevoke": grants // 2 - 904,
            "vxi_glockgrant": since["vxi_strong_pullowner"],
            "vxi_glockrevoke": since["vxi_strong_pullowner"] - 2_210 // i,
        }

    def window(self, start: float, end: float) -> dict[str, int]:
        values = self._contended(start, end) if self.node in RIVALS else {}
        return values or self._quiet(start, end)

    def _contended(self, start: float, end: float) -> dict[str, int]:
        own = self._traffic.pulls(self.node, start, end)
        lost = self._traffic.pulls(peer(self.node), start, end)
        if not own.total + lost.total:
            return {}
        revoked = self._about(lost.total)
        book_keeping = own.lazy_off_alone
        return {
            "vxi_hlock_init": book_keeping,
            "vxi_hlockgrant": own.total + book_keeping,
            "vxi_hlockrevoke": revoked + book_keeping,
            "vxi_hlock_deinit": book_keeping,
            "vxi_rwlockgrant": own.with_g_lock,
            "vxi_rwlockrevoke": min(revoked, lost.with_g_lock) + book_keeping,
            "vxi_glockgrant": own.with_g_lock,
            "vxi_glockrevoke": min(revoked, lost.with_g_lock),
            "vxi_glockgrant_pbhit": book_keeping,
            "vxi_strong_pullowner": own.total,
        }

    def _about(self, count: int) -> int:
        """The two ends count at slightly different moments."""
        return round(count * self._rng.uniform(0.996, 1.004))

    def _quiet(self, start: float, end: float) -> dict[str, int]:
        for node, first, last in DRAINS:
            if node == self.node and start >= first and end <= last:
                given = self._rng.randrange(34, 66)
                return {"vxi_hlockrevoke": given, "vxi_rwlockrevoke": given}
        few = self._rng.randrange(1, 12) if self._rng.random() < 0.4 else 0
        lost = self._rng.randrange(0, 4) if few else 0
        return {"vxi_hlock_init": few, "vxi_hlockgrant": few, "vxi_hlockrevoke": lost, "vxi_rwlockgrant": few}


def warm_walks(node: str, start: float, end: float) -> int:
    """Walks of the owner that began in the window; they last two seconds."""
    return sum(who == node and start <= at < end for who, at, _ in WARM)


def inode_report(rng: Random, walks_here: float) -> list[str]:
    """``vxfsstat -i`` of one interval in which ``walks_here`` trees were walked."""
    lookups = round(INODES * walks_here * 1.004)
    hits = round(lookups * rng.uniform(0.8552, 0.8571))
    missed = lookups - hits
    rate = 100 * hits / lookups if lookups else 0.0
    inode_lookups = missed + (rng.randrange(20, 160) if lookups else 0)
    inode_rate = 100.0 if lookups else 0.0
    return [
        "Lookup, DNLC & Directory Cache Statistics",
        f"{0:>9} maximum entries in dnlc",
        f"{missed:>9} total lookups             0.00% fast lookup",
        f"{lookups:>9} total dnlc lookup        {rate:>5.2f}% dnlc hit rate",
        f"{0:>9} total enter           {float(hits):>9.2f}  hit per enter",
        f"{0:>9} total dircache setup      0.00  calls per setup",
        f"{missed:>9} total directory scan      0.00% fast directory scan",
        "inode cache statistics",
        f"{431_204:>9} inodes current    452010 peak               483328 maximum",
        f"{inode_lookups:>9} lookups           {inode_rate:>6.2f}% hit rate",
        f"{0:>9} inodes alloced          0 freed",
        f"{1_764:>9} sec recycle age [not limited by maximum]",
        f"{600:>9} sec free age",
        "",
    ]


def node_report(node: str, at: float, traffic: Traffic) -> list[str]:
    """``vxfsstat -v``: cache gauges of the node; every walk checks the access of each inode once."""
    walked = traffic.pulls(node, 0.0, at).total + INODES * warm_walks(node, 0.0, at)
    pairs = (
        ("vxi_icache_curino", 431_204, "vxi_iaccess", 18_402_116 + round(walked * 1.003)),
        ("vxi_icache_inuseino", 419_877, "vxi_icache_maxino", 483_328),
        ("vxi_icache_peakino", 452_010, "vxi_bcache_recycleage", 96_200 + int(at)),
    )
    return ["", header(round(at, 3), None), "", *(f"{a:<22}{x:>10}    {b:<22}{y:>10}" for a, x, b, y in pairs), ""]


def llt_report(at: float, traffic: Traffic, rng: Random, *, swapped: bool) -> list[str]:
    """``lltshow -p 5`` at ``at``: rates of the last 1, 10 and 30 s and the latencies since LLT started."""
    out = ["=== LLT port 5:"]
    for direction, size, ratio in (("tx", 322, 1.0), ("rx", 224, 1.02)):
        factor = 2.02 - ratio if swapped else ratio
        rates = [traffic.packets_per_s(at - back, at) * factor * rng.uniform(0.99, 1.01) for back in (1.0, 10.0, 30.0)]
        rates[0] += rng.randrange(0, 12)  # heartbeats and the odd message
        kb = [rate * size / 1024 for rate in rates]
        gigabit = int(kb[0] * 1024 * 8 / 1e9 * 100) / 100
        packets = "/".join(f"{rate:.0f}" for rate in rates)
        kbytes = "/".join(f"{value:.0f}" for value in kb)
        out.append(f"{direction}rate={packets} pkts, {kbytes} KB per s/10s/30s ({gigabit:.2f} Gb/sec)")
        total = 91_744_031 + round(traffic.packets_per_s(-1.0, at) * (at + 1.0) * factor)
        out += [f"{direction}latency dist (in millisec):", *_histogram(total)]
    return out


def _histogram(total: int) -> list[str]:
    cells = [round(total * share) for share in _LATENCY_SHARES] + [0] * 8 + [7]
    labels = [f"{ms:>2} ms" if ms > 9 else f"{ms} ms" for ms in range(16)] + [">=16ms"]
    labels[10:16] = [f"{ms}ms" for ms in range(10, 16)]
    printed = [f"{count:>10} ({label})" for count, label in zip(cells, labels, strict=True)]
    return ["".join(printed[i : i + 4]) for i in range(0, len(printed), 4)]


def sample_blocks(node: str, traffic: Traffic) -> Iterable[tuple[str, list[str]]]:
    """Header and rows of every sample of ``vxfsstat -s -t 10``, the absolute one first."""
    counters = Counters(node, traffic)
    intervals = list(sample_windows(node))
    yield header(intervals[0][0], None), rows(counters.absolute())
    for start, end, length in intervals:
        yield header(end, length), rows(counters.window(start, end))
