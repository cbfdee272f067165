"""Traced disk requests and the calls that caused them, by process: how large they are, how long they take, which way
they go.

A stacked driver shows each request once more under another major number: only the driver that a process's first request
names is counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from statistics import median
from typing import Any, Final

import polars as pl

from apps.diagnosis.engine.core.metrics import disk_io
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.records import Records
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
        return tuple(_traces(rows, self._by_process)) if rows.height else ()

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


def _traces(rows: pl.DataFrame, calls: dict[tuple[int, int], list[Call]]) -> Iterator[Trace]:
    groups: dict[tuple[int, int], list[dict[str, Any]]] = {}
    for row in rows.iter_rows(named=True):
        groups.setdefault((row["artifact"], row["pid"]), []).append(row)
    for (artifact, pid), found in groups.items():
        major = found[0]["device"].partition(",")[0]
        by_device: dict[str, list[dict[str, Any]]] = {}
        for row in found:
            if row["device"].partition(",")[0] == major and row["bytes"]:
                by_device.setdefault(row["device"], []).append(row)
        for device, own in by_device.items():
            yield _trace(pid, device, own, tuple(calls.get((artifact, pid), ())))


def _trace(pid: int, device: str, rows: list[dict[str, Any]], calls: tuple[Call, ...]) -> Trace:
    issued = [row for row in rows if row["is_strategy"]] or rows
    done = [row for row in rows if row["mean_ms"] is not None]
    flags = [int(row["flags"], 16) for row in issued if row["flags"] is not None]
    shown = [*issued[:2], *done[:1]]
    return Trace(
        pid=pid,
        device=device,
        node=rows[0]["node"],
        op=issued[0]["op"],
        size=round(median(row["bytes"] for row in issued)),
        requests=len(issued),
        flags=max(set(flags), key=flags.count) if flags else None,
        contiguous=_contiguous(issued),
        service_ms=median(row["mean_ms"] for row in done) if done else None,
        refs=tuple(dict.fromkeys(Ref(row["artifact"], row["line"]) for row in shown)),
        calls=calls,
    )


def _contiguous(rows: list[dict[str, Any]]) -> bool:
    """Each request begins where the one before ended."""
    ends = [(row["sector"], row["bytes"]) for row in rows if row["sector"] is not None]
    return len(ends) > 1 and all(after == start + size / 512 for (start, size), (after, _) in pairwise(ends))
