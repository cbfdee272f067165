"""What I/O histories say of the disks at the end of the chains: fast or slow against their neighbours, and how they are
called.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property

from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import limits as limits_of
from apps.diagnosis.engine.scale.io import Requests, ScaleIo
from apps.diagnosis.engine.scale.nsds import ScaleNsds, short
from parsers.dataclass import dataclass


def median_of(rows: Iterable[Requests]) -> float:
    """Median of the medians, each as often as its requests; 0 where there are none."""
    ordered = sorted((one.median_ms, one.count) for one in rows)
    half, seen = sum(number for _, number in ordered) / 2, 0
    for milliseconds, number in ordered:
        seen += number
        if seen >= half:
            return milliseconds
    return 0.0


def requests_in(rows: Iterable[Requests]) -> int:
    """How many requests some rows stand for."""
    return sum(one.count for one in rows)


@dataclass(frozen=True, slots=True)
class DiskHistory:
    """The history of a server on one disk against its others."""

    own: tuple[Requests, ...]
    others: tuple[Requests, ...]

    @property
    def median_ms(self) -> float:
        """Of the disk."""
        return median_of(self.own)

    @property
    def is_slow(self) -> bool:
        """Slow in itself and against the others, on enough requests."""
        limits = limits_of("scale-history")
        enough = limits.severe_requests if self.median_ms >= limits.severe_ms else limits.requests
        if self.median_ms < limits.slow_ms or not (self.is_apart or requests_in(self.own) >= enough):
            return False
        return not self.others or self.median_ms >= limits.ratio * median_of(self.others)

    @property
    def is_apart(self) -> bool:
        """Whether its quickest request took longer than the slowest of enough others: no two disks in order differ
        so by chance, however few the requests.
        """
        limits = limits_of("scale-history")
        if not self.own or not self.others:
            return False
        shortest, longest = min(one.shortest_ms for one in self.own), max(one.longest_ms for one in self.others)
        is_far = self.median_ms >= limits.severe_ms or shortest >= limits.far * longest
        least = limits.apart_requests if is_far else limits.severe_requests
        return shortest > longest and min(requests_in(self.own), requests_in(self.others)) >= least

    @property
    def is_severe(self) -> bool:
        """So slow that no load explains it: by itself, or by far against all others."""
        limits = limits_of("scale-history")
        return self.median_ms >= limits.severe_ms or (
            self.is_apart and self.median_ms >= limits.far * median_of(self.others)
        )

    @property
    def is_fast(self) -> bool:
        """Fast, on enough requests."""
        limits = limits_of("scale-history")
        return requests_in(self.own) >= limits.requests and self.median_ms <= limits.fast_ms

    @property
    def refs(self) -> tuple[Ref, ...]:
        """Its slowest request."""
        return tuple(one.ref for one in sorted(self.own, key=lambda one: -one.longest_ms)[:1])


class DiskHistories:
    """What the servers' own histories show of their disks."""

    def __init__(self, nsds: ScaleNsds, io: ScaleIo) -> None:
        self._nsds = nsds
        self._io = io

    def of(self, server: str | None, disk: str) -> DiskHistory:
        """What a server's own history shows of a disk, named by device or by NSD."""
        nsds = self._nsds
        device = nsds.devices.get((server or "", disk)) or short(disk)
        uid = nsds.uids.get(disk) or nsds.uids.get((nsds.name_of(server, disk) or (disk,))[0])
        rows = self._io.served_by(server) if server in self._io.servers else ()
        own = tuple(
            one for one in rows if one.device is not None and (short(one.device) == device or one.device == uid)
        )
        return DiskHistory(own, tuple(one for one in rows if one not in own))

    def nsd_of(self, server: str | None, disk: str) -> tuple[str, str | None, tuple[Ref, ...]]:
        """Which NSD a device is, its file system and the line that tells; nothing where no table does."""
        found = self._nsds.name_of(server, disk)
        if found is None or found[0] == disk:
            return "", None, ()
        return found[0], self._nsds.file_systems.get(found[0]), (found[1],)

    @cached_property
    def slow(self) -> list[tuple[str | None, str, DiskHistory]]:
        """Disks that the history alone shows to be slow against the others of their server: server, device, history."""
        found = []
        for server in self._io.servers:
            rows = self._io.served_by(server)
            for device in dict.fromkeys(one.device for one in rows if one.device):
                history = DiskHistory(
                    tuple(one for one in rows if one.device == device),
                    tuple(one for one in rows if one.device != device),
                )
                if history.is_slow and history.others:
                    found.append((server, device, history))
        return sorted(found, key=lambda one: -one[2].median_ms)

    @cached_property
    def slow_for_clients(self) -> list[tuple[str | None, str, str, DiskHistory]]:
        """Disks that a client's history shows to be slow against their sisters behind the same server, else against its
        other disks: client, server, device, history.
        """
        found = []
        everywhere = by_node(one for rows in self._io.by_server.values() for one in rows)
        for server, requests in self._io.by_server.items():
            here = by_node(requests)
            for client, device in dict.fromkeys((one.node, one.device) for one in requests if one.device):
                history = against_sisters(here[client], everywhere[client], device)
                if history.is_slow and history.others:
                    found.append((client, server, str(device), history))
        return sorted(found, key=lambda one: -one[3].median_ms)

    @cached_property
    def slow_servers(self) -> list[tuple[str | None, str, int, DiskHistory]]:
        """Servers that are slow for a client with each of their disks, where others answer it quickly: client, server,
        how many disks, history.
        """
        found = []
        for server, requests in self._io.by_server.items():
            elsewhere = by_node(one for other, rows in self._io.by_server.items() if other != server for one in rows)
            for client, own in by_node(requests).items():
                disks = {one.device for one in own}
                alone = [DiskHistory((one,), tuple(elsewhere[client])) for one in own]
                history = DiskHistory(tuple(own), tuple(elsewhere[client]))
                if len(disks) > 1 and history.is_slow and history.others and all(map(_is_behind, alone)):
                    found.append((client, server, len(disks), history))
        return sorted(found, key=lambda one: -one[3].median_ms)


def _is_behind(history: DiskHistory) -> bool:
    """Whether a disk is slow and slower than others, however few the requests to it."""
    limits = limits_of("scale-history")
    return history.median_ms >= max(limits.slow_ms, limits.ratio * median_of(history.others))


def against_sisters(here: Sequence[Requests], everywhere: Sequence[Requests], device: str | None) -> DiskHistory:
    """A disk against those of the same server, else of any."""
    own = tuple(one for one in here if one.device == device)
    sisters = tuple(one for one in here if one.device != device)
    return DiskHistory(own, sisters or tuple(one for one in everywhere if one.device != device))


def by_node(requests: Iterable[Requests]) -> dict[str | None, list[Requests]]:
    """Requests by the node that saw them."""
    found: dict[str | None, list[Requests]] = defaultdict(list)
    for one in requests:
        found[one.node].append(one)
    return found


def span_of_requests(rows: Sequence[Requests]) -> tuple[int | None, int | None]:
    """First and last moment of some requests."""
    return (
        min((one.first for one in rows if one.first is not None), default=None),
        max((one.last for one in rows if one.last is not None), default=None),
    )
