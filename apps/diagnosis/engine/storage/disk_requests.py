"""Traced disk requests and the calls that caused them, by process: how large they are, how long they take, which way
they go.

A stacked driver shows each request once more under another major number: only the driver that a process's first request
names is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import pairwise
from statistics import median
from typing import Final, NamedTuple

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records, grouped
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.metrics import disk_io
from parsers.dataclass import dataclass
from parsers.records import DiskIo, Measurement

TRACED: Final = disk_io("traced-requests")
STRATEGY: Final = disk_io("traced-strategy")
PAGE_IO: Final = 0x10
PHYSICAL: Final = 0x20
MODE: Final = PAGE_IO | PHYSICAL
MIB: Final = 1 << 20
_MOVED: Final = r"^p?(?:read|write)v?(?:64)? (\d{1,18}) B$"


@dataclass(frozen=True, slots=True)
class Call:
    """One read or write of a process."""

    bytes: int
    ms: float
    ref: Ref


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """Requests of one process on one device."""

    pid: int
    device: str
    node: str | None
    op: str
    size: int
    requests: int
    flags: int | None
    contiguous: bool
    service_ms: float | None
    refs: tuple[Ref, ...]
    calls: tuple[Call, ...]

    @property
    def is_buffered(self) -> bool:
        """Pages of the cache are written: bit names as recalled."""
        return self.flags is not None and bool(self.flags & PAGE_IO) and not self.flags & PHYSICAL

    @property
    def is_direct(self) -> bool:
        """Straight from the process's memory: bit names as recalled."""
        return self.flags is not None and bool(self.flags & PHYSICAL) and not self.flags & PAGE_IO

    @property
    def request(self) -> int | None:
        """Bytes of one call of the process."""
        return round(median(call.bytes for call in self.calls)) if self.calls else None

    def serial_ms(self, size: int) -> float | None:
        """Time of so many bytes if one request followed the other."""
        return None if self.service_ms is None else self.service_ms * (size / self.size)


class Traces:
    """Traced requests and calls of a case."""

    def __init__(self, records: Records) -> None:
        self._records = records

    @cached_property
    def all(self) -> tuple[Trace, ...]:
        """Traced requests, a row per process and device, in the order of the text."""
        if not self._records.has(DiskIo):
            return ()
        rows = self._records.frame(TRACED, pl.col("pid").is_not_null()).with_columns(is_strategy=STRATEGY.rows)
        requests = map(_Request._make, rows.select(_Request._fields).iter_rows())
        return tuple(_traces(requests, self._by_process)) if rows.height else ()

    @property
    def calls(self) -> list[Call]:
        """Reads and writes of all traced processes."""
        return [call for calls in self._by_process.values() for call in calls]

    @cached_property
    def _by_process(self) -> dict[tuple[int, int], list[Call]]:
        """Reads and writes by artifact and process, in the order of the text."""
        found: dict[tuple[int, int], list[Call]] = {}
        if not self._records.has(Measurement):
            return found
        rows = self._records.scan(Measurement).filter(
            pl.col("tool").is_in(["tnf", "truss"]) & pl.col("value").is_not_null()
        )
        sized = rows.with_columns(pl.col("what").str.extract(_MOVED).cast(pl.Int64, strict=False).alias("bytes"))
        wanted = (
            sized.filter(pl.col("bytes") > 0)
            .select("artifact", "line", "command", "bytes", "value")
            .collect()
            .sort("artifact", "line")
        )
        for artifact, line, command, size, value in wanted.iter_rows():
            pid = (command or "").removeprefix("pid ")
            if pid.isdecimal() and pid.isascii():
                found.setdefault((artifact, int(pid)), []).append(Call(size, value, Ref(artifact, line)))
        return found


class _Request(NamedTuple):
    """A traced request to a disk."""

    artifact: int
    line: int
    node: str | None
    pid: int
    device: str
    op: str
    bytes: float | None
    sector: int | None
    flags: str | None
    mean_ms: float | None
    is_strategy: bool

    @property
    def ref(self) -> Ref:
        """Where it stands."""
        return Ref(self.artifact, self.line)

    @property
    def major(self) -> str:
        """The driver it went to."""
        return self.device.partition(",")[0]


def _traces(requests: Iterable[_Request], calls: dict[tuple[int, int], list[Call]]) -> Iterator[Trace]:
    for (artifact, pid), found in grouped(requests, lambda one: (one.artifact, one.pid)).items():
        first = [one for one in found if one.major == found[0].major and one.bytes]
        for device, own in grouped(first, lambda one: one.device).items():
            yield _trace(pid, device, own, tuple(calls.get((artifact, pid), ())))


def _trace(pid: int, device: str, requests: list[_Request], calls: tuple[Call, ...]) -> Trace:
    issued = [one for one in requests if one.is_strategy] or requests
    done = [(one.mean_ms, one.ref) for one in requests if one.mean_ms is not None]
    flags = [int(one.flags, 16) for one in issued if one.flags is not None]
    return Trace(
        pid=pid,
        device=device,
        node=requests[0].node,
        op=issued[0].op,
        size=round(median(one.bytes or 0.0 for one in issued)),
        requests=len(issued),
        flags=max(set(flags), key=flags.count) if flags else None,
        contiguous=_contiguous(issued),
        service_ms=median(ms for ms, _ in done) if done else None,
        refs=tuple(dict.fromkeys((*(one.ref for one in issued[:2]), *(ref for _, ref in done[:1])))),
        calls=calls,
    )


def _contiguous(requests: list[_Request]) -> bool:
    """Each request begins where the one before ended."""
    ends = [(one.sector, one.bytes or 0.0) for one in requests if one.sector is not None]
    return len(ends) > 1 and all(after == start + size / 512 for (start, size), (after, _) in pairwise(ends))
