"""I/O histories of Spectrum Scale: how long requests took, by disk, server and thread. No request is held in memory."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import Final, NamedTuple

import polars as pl

from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.records import grouped
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.metrics import disk_io
from parsers.dataclass import dataclass
from parsers.records import DiskIo

SERVED: Final = ("srv", "lcl")
KIB: Final = 1024
_REQUESTS: Final = disk_io("daemon-io")
_PLACE: Final = ["artifact", "node", "where", "device", "peer"]


@dataclass(frozen=True, slots=True)
class Requests:
    """Requests of one node to one disk, seen at one place. ``ref`` is the slowest; ``first`` and ``last`` are their
    times.
    """

    artifact: int
    node: str | None
    where: str | None
    device: str | None
    peer: str | None
    count: int
    median_ms: float
    shortest_ms: float
    longest_ms: float
    first: int | None
    last: int | None
    ref: Ref


@dataclass(frozen=True, slots=True)
class SmallWrites:
    """Small direct writes of one node to one block of one file. ``refs`` are some of their lines in the order of the
    sectors.
    """

    artifact: int
    node: str | None
    device: str | None
    inode: int
    block: int
    count: int
    bytes: int
    median_ms: float
    rising: bool
    first: int | None
    last: int | None
    refs: tuple[Ref, ...]


@dataclass(frozen=True, slots=True)
class SharedInode:
    """A file or directory that several nodes write."""

    device: str
    inode: int
    what: str
    nodes: tuple[str, ...]
    writes: int
    same_block: bool
    refs: tuple[Ref, ...]


@dataclass(frozen=True, slots=True)
class LateRequests:
    """Requests of one node that took many times as long as most of its others: how many of how many, times in ms.
    disks: those they went to; refs: the slowest; first and last: of the late ones.
    """

    artifact: int
    node: str | None
    where: str | None
    requests: int
    median_ms: float
    late: int
    longest_ms: float
    disks: tuple[str, ...]
    first: int | None
    last: int | None
    refs: tuple[Ref, ...]


class ScaleIo:
    """The I/O histories of one case."""

    def __init__(self, store: Facts, nodes: Nodes) -> None:
        self._store = store
        self._nodes = nodes
        self.any = store.has(DiskIo)

    def _scan(self) -> pl.LazyFrame:
        return self._store.scan(DiskIo).filter(_REQUESTS.rows & pl.col("mean_ms").is_not_null())

    @cached_property
    def requests(self) -> tuple[Requests, ...]:
        """Requests by node, place and disk, in the order of the files."""
        if not self.any:
            return ()
        slowest = pl.col("mean_ms").arg_max()
        rows = (
            self._scan()
            .group_by(_PLACE, maintain_order=True)
            .agg(
                pl.len().alias("count"),
                pl.col("mean_ms").median().alias("median_ms"),
                pl.col("mean_ms").min().alias("shortest_ms"),
                pl.col("mean_ms").max().alias("longest_ms"),
                pl.col("at").min().alias("first"),
                pl.col("at").max().alias("last"),
                pl.col("line").get(slowest).alias("line"),
            )
            .collect()
        )
        named = self._nodes.named(rows)
        return tuple(Requests(*(*row, Ref(row[0], line))) for *row, line in named.iter_rows())

    def served_by(self, node: str | None) -> tuple[Requests, ...]:
        """What a server did on its own disks."""
        return self._served.get(node, ())

    @cached_property
    def _served(self) -> dict[str | None, tuple[Requests, ...]]:
        found: dict[str | None, list[Requests]] = defaultdict(list)
        for one in self.requests:
            if one.where in SERVED and one.device is not None:
                found[one.node].append(one)
        return {node: tuple(rows) for node, rows in found.items()}

    @property
    def servers(self) -> tuple[str | None, ...]:
        """Nodes whose history shows them serving disks; None for the one whose name is not known, if no two files are
        without a name.
        """
        unnamed = {one.ref.artifact for one in self._served.get(None, ())}
        return tuple(node for node in self._served if node is not None or len(unnamed) == 1)

    @cached_property
    def by_server(self) -> dict[str, list[Requests]]:
        """What clients saw of each server."""
        found: dict[str, list[Requests]] = {}
        for one in self.requests:
            if one.where == "cli" and one.peer:
                found.setdefault(self._nodes.name(one.peer), []).append(one)
        return found

    @property
    def by_clients(self) -> tuple[Requests, ...]:
        """What clients saw, also where no server is printed."""
        return tuple(one for one in self.requests if one.where == "cli")

    def late(self, limit_ms: float, times: float, whatever_ms: float) -> tuple[LateRequests, ...]:
        """Nodes with requests over a limit, many times the median of all, or longer than any load explains; the longest
        first.
        """
        if not self.any:
            return ()
        late = pl.col("mean_ms") >= limit_ms
        slowest = pl.col("mean_ms").arg_sort(descending=True)
        rows = (
            self._scan()
            .group_by("artifact", "node", "where", maintain_order=True)
            .agg(
                pl.len().alias("requests"),
                pl.col("mean_ms").median().alias("median_ms"),
                late.sum().cast(pl.Int64).alias("late"),
                pl.col("mean_ms").max().alias("longest_ms"),
                pl.col("device").filter(late).drop_nulls().unique(maintain_order=True).alias("disks"),
                pl.col("at").filter(late).min().alias("first"),
                pl.col("at").filter(late).max().alias("last"),
                pl.col("line").gather(slowest).head(4).alias("lines"),
            )
            .filter(
                (pl.col("late") > 0)
                & ((pl.col("longest_ms") >= times * pl.col("median_ms")) | (pl.col("longest_ms") >= whatever_ms))
            )
            .sort("longest_ms", descending=True, maintain_order=True)
            .collect()
        )
        found = []
        for artifact, node, where, requests, median, late_ones, longest, disks, first, last, lines in self._nodes.named(
            rows
        ).iter_rows():
            shown = tuple(Ref(artifact, line) for line in lines[:late_ones])
            found.append(
                LateRequests(
                    artifact, node, where, requests, median, late_ones, longest, tuple(disks), first, last, shown
                )
            )
        return tuple(found)

    def log_writes(self, node: str | None) -> tuple[int, float]:
        """Writes of a recovery log in the history of a node: how many, and their median in milliseconds."""
        if not self.any or node is None:
            return 0, 0.0
        return self._log_writes.get(node, (0, 0.0))

    @cached_property
    def _log_writes(self) -> dict[str | None, tuple[int, float]]:
        wanted = (pl.col("op") == "write") & pl.col("what").str.starts_with("log")
        rows = self._nodes.named(self._scan().filter(wanted).select("node", "mean_ms").collect())
        sums = rows.group_by("node").agg(pl.len(), pl.col("mean_ms").median())
        return {node: (count, float(median or 0.0)) for node, count, median in sums.iter_rows()}

    def small_writes(self, most_bytes: float, least: float) -> tuple[SmallWrites, ...]:
        """Direct writes by the threads of asynchronous I/O, several of them to one block of a file, most first."""
        if not self.any:
            return ()
        small = (
            (pl.col("op") == "write")
            & (pl.col("what") == "data")
            & pl.col("thread").fill_null("").str.starts_with("AioWorker")
            & (pl.col("bytes") <= most_bytes)
            & pl.col("tag1").is_not_null()
            & pl.col("tag2").is_not_null()
        )
        rows = (
            self._scan()
            .filter(small)
            .sort("sector", maintain_order=True)
            .group_by("artifact", "node", "device", "tag1", "tag2", maintain_order=True)
            .agg(
                pl.len().alias("count"),
                pl.col("bytes").max().cast(pl.Int64),
                pl.col("mean_ms").median().alias("median_ms"),
                ((pl.col("sector").n_unique() == pl.len()) & (pl.col("sector").max() > pl.col("sector").min()))
                .fill_null(value=False)
                .alias("rising"),
                pl.col("at").min().alias("first"),
                pl.col("at").max().alias("last"),
                pl.col("line").head(8).alias("lines"),
            )
            .filter(pl.col("count") >= least)
            .sort(["count", "artifact"], descending=[True, False])
            .collect()
        )
        return tuple(
            SmallWrites(*(*row, tuple(Ref(row[0], line) for line in sorted(lines))))
            for *row, lines in self._nodes.named(rows).iter_rows()
        )

    def shared_inodes(self) -> tuple[SharedInode, ...]:
        """Inodes that two nodes or more write through one disk, most nodes first. A number alone is not enough: file
        systems share them.
        """
        if not self.any:
            return ()
        written = (
            (pl.col("op") == "write")
            & pl.col("what").is_in(["data", "metadata"])
            & (pl.col("where") == "cli")
            & pl.col("device").str.contains(":", literal=True)
            & (pl.col("tag1") > 0)
            & pl.col("node").is_not_null()
        )
        rows = (
            self._scan()
            .filter(written)
            .group_by("device", "tag1", "tag2", "what", "node", maintain_order=True)
            .agg(pl.len().alias("writes"), pl.col("artifact").first(), pl.col("line").first())
            .collect()
        )
        writes = map(_Writes._make, self._nodes.named(rows).iter_rows())
        found = grouped(writes, lambda one: (one.device, one.inode, one.what))
        shared = [_shared(own) for own in found.values() if len({one.node for one in own}) > 1]
        return tuple(sorted(shared, key=lambda one: (-len(one.nodes), -one.writes, one.device, one.inode)))


class _Writes(NamedTuple):
    """Writes of one node to one block of an inode, with the line of the first."""

    device: str
    inode: int
    block: int | None
    what: str
    node: str
    writes: int
    artifact: int
    line: int


def _shared(writes: list[_Writes]) -> SharedInode:
    by_block: dict[int | None, set[str]] = {}
    first: dict[str, Ref] = {}
    for one in writes:
        by_block.setdefault(one.block, set()).add(one.node)
        first.setdefault(one.node, Ref(one.artifact, one.line))
    return SharedInode(
        device=writes[0].device,
        inode=writes[0].inode,
        what=writes[0].what,
        nodes=tuple(sorted(first)),
        writes=sum(one.writes for one in writes),
        same_block=any(len(nodes) > 1 for block, nodes in by_block.items() if block is not None),
        refs=tuple(first.values())[:8],
    )
