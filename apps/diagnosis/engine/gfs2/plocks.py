"""POSIX locks of the cluster: apart from the glocks, for they are kept by a daemon and never appear among them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final, NamedTuple

import polars as pl

from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.records import Records, in_order
from apps.diagnosis.engine.core.model import Edge
from apps.diagnosis.engine.core.words.knowledge import limits
from apps.diagnosis.engine.core.words.metrics import Meaning, posix_lock
from apps.diagnosis.engine.gfs2.cluster import Cluster
from parsers.records.locks import PosixLock

OF_CLUSTER: Final = posix_lock("of-the-cluster")
OF_KERNEL: Final = posix_lock("of-one-kernel")


class Plock(NamedTuple):
    """A lock on a range of a file. ``owner`` is ``node:pid``; ``dump`` numbers the dumps of one node in their order."""

    artifact: int
    line: int
    node: str
    at: int | None
    fs: str | None
    inode: int
    mode: str
    start: int
    end: int
    owner_node: str
    owner: str
    pid: int
    waiting: bool
    owning_node: int | None

    @property
    def label(self) -> str:
        """Name of the range as a thing to wait for."""
        where = f" of {self.fs}" if self.fs is not None and self.fs.startswith("device ") else ""
        return (
            f"POSIX lock on inode {self.inode}{where} ({self.start} to "
            f"{self.end if self.end < 2**63 - 1 else 'the end'})"
        )

    def excludes(self, other: Plock) -> bool:
        """Whether both cannot be held at once."""
        return (
            "write" in (self.mode, other.mode)
            and self.start <= other.end
            and other.start <= self.end
            and self.owner != other.owner
        )


class PosixLocks:
    """POSIX locks with a mode, in artifact and line order."""

    def __init__(self, records: Records, nodes: Nodes, cluster: Cluster) -> None:
        self._records = records
        self._nodes = nodes
        self._cluster = cluster

    @cached_property
    def of_cluster(self) -> list[Plock]:
        """Those that the cluster keeps."""
        return self._locks(OF_CLUSTER)

    @cached_property
    def of_kernels(self) -> list[Plock]:
        """Those that the kernels keep: their devices are those of one node, and so no file is one of another node."""
        locks = self._locks(OF_KERNEL, pl.col("inode").is_not_null() & pl.col("pid").is_not_null())
        return [lock._replace(fs=f"device {lock.fs} of {lock.owner_node}") for lock in locks if lock.fs is not None]

    def _locks(self, kept: Meaning, *wanted: pl.Expr) -> list[Plock]:
        rows = in_order(self._cluster.timed(self._records.frame(kept, pl.col("mode").is_not_null(), *wanted)))
        locks = (PosixLock(**row) for row in rows.iter_rows(named=True))
        return [
            Plock(
                one.artifact,
                one.line,
                one.node or "",
                one.at,
                one.fs,
                one.inode or 0,
                one.mode or "",
                one.start or 0,
                one.end or 0,
                name,
                f"{name}:{one.pid}",
                one.pid or 0,
                one.waiting,
                one.owning_node,
            )
            for one in locks
            if (name := self._name(one.owner_node, one.node))
        ]

    def _name(self, number: int | None, node: str | None) -> str:
        if not number:
            return node or "a node"
        known = self._nodes.name(str(number))
        return known if known != str(number) else f"node {number}"


def blocked(locks: Sequence[Plock]) -> Iterator[tuple[Plock, list[Plock]]]:
    """Each waiting lock with those held on the same file in the same dump that exclude it."""
    held: dict[tuple[int, str | None, int], list[Plock]] = defaultdict(list)
    for lock in locks:
        if not lock.waiting:
            held[lock.artifact, lock.fs, lock.inode].append(lock)
    for lock in locks:
        if lock.waiting:
            yield lock, [one for one in held.get((lock.artifact, lock.fs, lock.inode), ()) if one.excludes(lock)]


def disputed(locks: Sequence[Plock]) -> Iterator[tuple[Plock, Plock]]:
    """The held and the waiting sight of one lock in dumps of two nodes at nearly one moment."""
    near_us = limits("dlm-view").skew_s * 1e6
    held: dict[tuple[object, ...], list[Plock]] = defaultdict(list)
    for lock in locks:
        if not lock.waiting:
            held[lock.fs, lock.inode, lock.owner, lock.start, lock.end].append(lock)
    for lock in locks:
        others = held.get((lock.fs, lock.inode, lock.owner, lock.start, lock.end), ()) if lock.waiting else ()
        for one in others:
            if one.node != lock.node and (one.at is None or lock.at is None or abs(one.at - lock.at) <= near_us):
                yield one, lock
                break


def posix_edges(posix: PosixLocks) -> tuple[Edge, ...]:
    """Process waits for a range of a file; the range is held by a process."""
    waits: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    known: set[tuple[str, str, str]] = set()
    locks = posix.of_cluster
    apart = {(one.fs, one.inode) for pair in disputed(locks) for one in pair}
    for lock, holders in (*blocked(locks), *blocked(posix.of_kernels)):
        key = (lock.owner, lock.label, f"wants to {lock.mode}")
        waits[key].add(lock.owner)
        if (
            holders and (lock.fs, lock.inode) not in apart
        ):  # where two daemons contradict each other, nobody is known to hold it
            known.add(key)
        for holder in holders:
            pair = (lock.label, holder.owner, f"held to {holder.mode}")
            waits[pair].add(lock.owner)
            if (lock.fs, lock.inode) not in apart:
                known.add(pair)
    return tuple(
        Edge(frm=key[0], to=key[1], via=key[2], count=len(names), longest_s=0.0, resolved=key in known)
        for key, names in waits.items()
    )
