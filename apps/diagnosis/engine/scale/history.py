"""What I/O histories say of the disks at the end of the chains: fast or slow against their neighbours, and how they are called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from apps.diagnosis.engine.core.knowledge import limits as limits_of
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.wording import count, plural
from apps.diagnosis.engine.scale.io import Requests
from apps.diagnosis.engine.scale.nsds import short

if TYPE_CHECKING:
    from apps.diagnosis.engine.facts import CaseFacts


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


def milliseconds(value: float) -> str:
    """``0.76 ms``, ``12 ms``, ``1.2 s``."""
    return f"{value / 1000:.1f} s" if value >= 1000 else f"{count(value)} ms" if value >= 10 else f"{value:.2f} ms"


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
        if requests_in(self.own) < enough or self.median_ms < limits.slow_ms:
            return False
        return not self.others or self.median_ms >= limits.ratio * median_of(self.others)

    @property
    def is_fast(self) -> bool:
        """Fast, on enough requests."""
        limits = limits_of("scale-history")
        return requests_in(self.own) >= limits.requests and self.median_ms <= limits.fast_ms

    @property
    def refs(self) -> tuple[Ref, ...]:
        """Its slowest request."""
        return tuple(one.ref for one in sorted(self.own, key=lambda one: -one.longest_ms)[:1])

    def sentence(self, server: str) -> str:
        """With a leading blank; empty where there is no history."""
        if not self.own:
            return ""
        own = plural(requests_in(self.own), "request")
        text = f" In the I/O history of {server} {own} to it took {milliseconds(self.median_ms)} at the median"
        if self.others:
            text += f", {plural(requests_in(self.others), 'request')} to its other disks {milliseconds(median_of(self.others))}"
        return f"{text}."


def history_of(facts: CaseFacts, server: str | None, disk: str) -> DiskHistory:
    """What a server's own history shows of a disk, named by device or by NSD."""
    tables = facts.scale_tables
    device = tables.nsds.devices.get((server or "", disk)) or short(disk)
    uid = tables.nsds.uids.get(disk) or tables.nsds.uids.get((tables.nsds.name_of(server, disk) or (disk,))[0])
    rows = tables.io.served_by(server) if server is not None else ()
    own = tuple(one for one in rows if one.device is not None and (short(one.device) == device or one.device == uid))
    return DiskHistory(own, tuple(one for one in rows if one not in own))


def nsd_sentence(facts: CaseFacts, server: str | None, disk: str) -> tuple[str, tuple[Ref, ...]]:
    """Which NSD a device is, with the line that tells; nothing where no table does."""
    found = facts.scale_tables.nsds.name_of(server, disk)
    if found is None or found[0] == disk:
        return "", ()
    fs = facts.scale_tables.nsds.file_systems.get(found[0])
    return f" It is NSD {found[0]}{f' of file system {fs}' if fs else ''}.", (found[1],)


def slow_disks(facts: CaseFacts) -> list[tuple[str, str, DiskHistory]]:
    """Disks that the history alone shows to be slow against the others of their server: server, device, history."""
    found = []
    io = facts.scale_tables.io
    for server in io.servers:
        rows = io.served_by(server)
        for device in dict.fromkeys(one.device for one in rows if one.device):
            history = DiskHistory(tuple(one for one in rows if one.device == device), tuple(one for one in rows if one.device != device))
            if history.is_slow and history.others:
                found.append((server, device, history))
    return sorted(found, key=lambda one: -one[2].median_ms)


def span_of_requests(rows: Sequence[Requests]) -> tuple[int | None, int | None]:
    """First and last moment of some requests."""
    return (
        min((one.first for one in rows if one.first is not None), default=None),
        max((one.last for one in rows if one.last is not None), default=None),
    )
