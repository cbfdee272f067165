"""Columns of the sysstat tools (``iostat``, ``sar``, ``mpstat``, ``pidstat``): by the words of their headers; no parser
of its own.

A table is its header: names of the columns, with the key (device, interface, CPU, process) at a place of its own. Rows
gather in it and are put out as columns. Sizes in kB, MB, blocks and sectors become bytes; layouts of all releases give
the same records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from math import isfinite
from typing import Any, Final

from parsers.dataclass import dataclass
from parsers.output import Output
from parsers.records import Counter, DiskIo

_BATCH: Final = 4_000
_MOST: Final = 1e300
_KIB: Final = 1024.0
_SECTOR: Final = 512.0
# name of a column -> (operation, bytes per unit)
_MOVED: Final = {
    "rkB/s": ("read", _KIB), "wkB/s": ("write", _KIB), "rMB/s": ("read", _KIB**2), "wMB/s": ("write", _KIB**2),
    "rsec/s": ("read", _SECTOR), "wsec/s": ("write", _SECTOR), "rd_sec/s": ("read", _SECTOR),
    "wr_sec/s": ("write", _SECTOR),
    "kB_read/s": ("read", _KIB), "kB_wrtn/s": ("write", _KIB), "MB_read/s": ("read", _KIB**2),
    "MB_wrtn/s": ("write", _KIB**2),
    "Blk_read/s": ("read", _SECTOR), "Blk_wrtn/s": ("write", _SECTOR), "dkB/s": ("other", _KIB),
    "dMB/s": ("other", _KIB**2),
}  # fmt: skip
QUEUE_MOST: Final = 1e7
_QUEUE: Final = ("avgqu-sz", "aqu-sz")
_READ: Final = frozenset((*_MOVED, *_QUEUE, "tps", "r/s", "w/s", "await", "r_await", "w_await", "%util"))

Floats = list[float | None]


def figure(text: str) -> float | None:
    """A number of a table, also with a decimal comma, a per cent sign or a unit of ``--human``; None where it
    is none.
    """
    try:
        return _bounded(float(text))
    except ValueError:
        pass
    plain = text.replace(",", ".").rstrip("%")
    scale = {"k": _KIB, "M": _KIB**2, "G": _KIB**3, "T": _KIB**4}.get(plain[-1:], 1.0)
    try:
        return _bounded(float(plain.rstrip("kMGT")) * scale)
    except ValueError:
        return None


def _bounded(value: float) -> float | None:
    """None also for what ``float`` takes and no tool prints as a figure: ``nan``, ``inf``, hundreds of digits."""
    return value if abs(value) < _MOST else None


def figures(texts: Sequence[str], unit: float = 1.0) -> Floats:
    """A column of numbers; nearly always all of them are plain. ``unit``: of the column, in bytes; a figure may bring
    its own.
    """
    try:
        values = [*map(float, texts)]
    except ValueError:
        return [_in_unit(text, unit) for text in texts]
    if max(map(abs, values), default=0.0) < _MOST and isfinite(sum(values)):
        return [*values]
    return [_bounded(value) for value in values]


def _in_unit(text: str, unit: float) -> float | None:
    value = figure(text)
    return value / unit if value is not None and text[-1:] in "kMGT" else value


@dataclass(slots=True)
class Place:
    """Where and when rows were counted."""

    node: str | None = None
    at: int | None = None
    zone_min: int | None = None
    interval_s: float | None = None
    first: bool = False
    sample: int = 0


@dataclass(slots=True)
class Table:
    """A header and the rows below it."""

    source: str
    names: tuple[str, ...]
    key: int
    plain: bool = False
    lines: list[int] = field(default_factory=list)
    cells: list[list[str]] = field(default_factory=list)
    place: Place | None = None
    held: list[tuple[int, Place]] = field(default_factory=list)

    @property
    def width(self) -> int:
        """Words of a row."""
        return len(self.names)

    def at_place(self, place: Place) -> None:
        """The rows to come were counted there."""
        if place is not self.place:
            self.place = place
            self.held.append((len(self.lines), place))

    @property
    def full(self) -> bool:
        """Whether it is time to put rows out."""
        return len(self.lines) >= _BATCH

    @property
    def keys(self) -> Sequence[str | None]:
        """The key of each row."""
        return [row[self.key] for row in self.cells] if self.key >= 0 else [None] * len(self.cells)

    def places(self) -> list[Place]:
        """The place of each row."""
        ends = [*(start for start, _ in self.held[1:]), len(self.lines)]
        return [place for (start, place), end in zip(self.held, ends, strict=True) for _ in range(end - start)]

    @property
    def is_disks(self) -> bool:
        """Whether the rows are disks."""
        return self.key >= 0 and self.names[self.key] in ("Device", "Device:", "DEV")

    def flush(self, out: Output) -> None:
        """Put the rows out and forget them."""
        if not self.lines:
            return
        by_column = dict(zip(self.names, zip(*self.cells, strict=True), strict=False))
        if self.is_disks:
            by_column = {name: texts for name, texts in by_column.items() if name in _READ}
        shown = {name: texts for name, texts in by_column.items() if self.key < 0 or name != self.names[self.key]}
        columns = {name: figures(texts, _MOVED.get(name, ("", 1.0))[1]) for name, texts in shown.items()}
        if self.is_disks:
            _put_disks(self, columns, out)
        else:
            _put_counters(self, columns, out)
        self.lines, self.cells, self.held, self.place = [], [], [], None


def _put_counters(table: Table, columns: dict[str, Floats], out: Output) -> None:
    places = table.places()
    boot = f"{table.source} (since boot)"
    sources = [boot if place.first else table.source for place in places]
    shared: dict[str, Any] = {
        "line": table.lines,
        "node": [p.node for p in places],
        "scope": table.keys,
        "source": sources,
        "at": [p.at for p in places],
        "zone_min": [p.zone_min for p in places],
        "interval_s": [p.interval_s for p in places],
        "sample": [p.sample for p in places],
    }
    for name, values in columns.items():
        if any(value is not None for value in values):
            out.extend(
                Counter, **shared, name=name, kind="gauge", unit="%" if name.startswith("%") else "", value=values
            )


def _put_disks(table: Table, columns: dict[str, Floats], out: Output) -> None:
    places = table.places()
    boot = f"{table.source} (since boot)"
    sources = [boot if place.first else table.source for place in places]
    shared: dict[str, Any] = {
        "line": table.lines,
        "node": [p.node for p in places],
        "at": [p.at for p in places],
        "zone_min": [p.zone_min for p in places],
        "interval_s": [None if p.first else p.interval_s for p in places],
        "source": sources,
        "device": table.keys,
    }
    none: Floats = [None] * len(table.lines)
    by_op = {op: _bytes(columns, op) for op in ("read", "write", "other")}
    counts = {"read": columns.get("r/s"), "write": columns.get("w/s"), "other": columns.get("d/s")}
    waits = {"read": columns.get("r_await"), "write": columns.get("w_await"), "other": columns.get("d_await")}
    out.extend(
        DiskIo,
        **shared,
        op="",
        per_s=True,
        count=columns.get("tps") or _sum(none, counts["read"], counts["write"]),
        bytes=_sum(none, by_op["read"], by_op["write"]),
        mean_ms=columns.get("await") or _both(none, counts, waits),
        util=columns.get("%util") or none,
        queue=[_queue(value) for value in next((columns[name] for name in _QUEUE if name in columns), none)],
    )
    for op in ("read", "write"):
        if counts[op] or by_op[op]:
            more = {"count": counts[op], "bytes": by_op[op], "mean_ms": waits[op]}
            out.extend(DiskIo, **shared, op=op, per_s=True, **{name: values or none for name, values in more.items()})


def _bytes(columns: dict[str, Floats], op: str) -> Floats | None:
    for name, (kind, unit) in _MOVED.items():
        if kind == op and name in columns:
            return [None if value is None else value * unit for value in columns[name]]
    return None


def _sum(none: Floats, *parts: Floats | None) -> Floats:
    shown = [part for part in parts if part is not None]
    if not shown:
        return none
    if len(shown) == 1:
        return shown[0]
    return [None if a is None or b is None else a + b for a, b in zip(shown[0], shown[1], strict=True)]


def _both(none: Floats, counts: dict[str, Floats | None], waits: dict[str, Floats | None]) -> Floats:
    """The mean wait of all requests: weighted by the counts, or where these were left out the shorter of the two waits
    that are not 0, which the mean can't be below.
    """
    reads, writes = waits["read"], waits["write"]
    if counts["read"] is not None or counts["write"] is not None or (reads is None and writes is None):
        return _weighted(none, counts, waits)
    rows = zip(reads or none, writes or none, strict=True)
    return [min((wait for wait in row if wait), default=0.0) for row in rows]


def _weighted(none: Floats, counts: dict[str, Floats | None], waits: dict[str, Floats | None]) -> Floats:
    """The mean wait of reads and writes together, which newer releases leave out."""
    parts: Sequence[Floats | None] = (counts["read"], waits["read"], counts["write"], waits["write"])
    if any(part is None for part in parts):
        return none
    return [_mean(*row) for row in zip(*(part or none for part in parts), strict=True)]


def _mean(reads: float | None, read_ms: float | None, writes: float | None, write_ms: float | None) -> float | None:
    if reads is None or read_ms is None or writes is None or write_ms is None:
        return None
    total = reads + writes
    return round((reads * read_ms + writes * write_ms) / total, 4) if total > 0 else None


def _queue(value: float | None) -> float | None:
    """A queue that a disk can have; more is an unsigned counter that ran below zero."""
    return value if value is not None and value <= QUEUE_MOST else None
