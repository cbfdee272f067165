"""Rows of ``mmdiag ... -Y``: colon-separated cells whose order the HEADER row tells, each percent-encoded by itself."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final
from urllib.parse import unquote

from parsers.dataclass import dataclass
from parsers.formats.scale.waits.cut_rows import ROW_LIMIT
from parsers.formats.scale.waits.detail import NUMBER, Detail, number, plain, read_detail, split_reason
from parsers.formats.scale.waits.line import ALIKE_KEPT, BULLETS, WaiterLine
from parsers.times.clock import parse_instant

_ROW = re.compile(
    rf"{BULLETS}(?:([A-Za-z0-9][\w.-]{{0,252}}): {{0,8}})?(mm[a-z]{{1,20}}:[A-Za-z]{{1,40}}:(?:HEADER|\d{{1,9}}):.*)$"
)
_HEX = re.compile(r"(?:0x)?([0-9A-Fa-f]{5,16})")
_LOCK_NAME = re.compile(r"\w{1,80}(?:Condvar|CondVar|Mutex)\w{0,8}")
_AUX = re.compile(r"for |until |calling |delaying |waiting |on node ", re.IGNORECASE)
_NUMBER = re.compile(NUMBER)
_ANY_ADDRESS: Final = "00000001"

WAITER_COLUMNS: Final = (
    "version", "reserved", "reserved", "threadId", "threadAddr", "threadName", "waitStartTime", "waitTime",
    "isMonitored", "condVarAddr",
    "condVarName", "condVarReason", "mutexAddr", "mutexName", "auxReason", "delayTime", "delayReason",
)  # fmt: skip
DEADLOCK_COLUMNS: Final = tuple(name for name in WAITER_COLUMNS if name not in ("threadAddr", "isMonitored"))
TIMES_COLUMNS: Final = (
    "version",
    "reserved",
    "reserved",
    "mediumWaiterTime",
    "shortWaiterTime",
    "overloadCluster",
    "overloadIndex",
    "overloaded",
)
_KNOWN: Final[dict[str, tuple[str, ...]]] = {
    "waiters": WAITER_COLUMNS,
    "deadlockThread": DEADLOCK_COLUMNS,
    "deadlockDetectionTimes": TIMES_COLUMNS,
    "deadlockNodes": ("version", "reserved", "reserved", "nodeList"),
}
_LOCK_COLUMNS: Final = frozenset(
    ("condVarAddr", "condVarName", "condVarReason", "mutexAddr", "mutexName", "auxReason", "delayTime", "delayReason")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One data row. ``cells`` are the values in order from the version on, ``short`` says that the header has more
    columns.
    """

    node: str | None
    table: str
    fields: dict[str, str]
    cells: tuple[str, ...]
    columns: tuple[str, ...]

    @property
    def short(self) -> bool:
        """Whether cells are missing."""
        return len(self.cells) < len(self.columns)


class Tables:
    """Reads rows by the HEADER that stands above them; where a filter dropped it, by the order that is documented."""

    def __init__(self) -> None:
        self._columns: dict[str, tuple[str, ...]] = {}

    def columns(self, table: str) -> tuple[str, ...]:
        """Columns of a table."""
        return self._columns.get(table) or _KNOWN.get(table, ())

    def read(self, text: str) -> Row | str | None:
        """A row, the name of the table whose HEADER this is, or None for text that is neither."""
        match = _ROW.match(text.strip()[:ROW_LIMIT])
        if match is None:
            return None
        _, table, kind, *cells = match[2].split(":")
        if cells and cells[-1] == "":
            cells.pop()
        values = tuple(unquote(cell) if "%" in cell else cell for cell in cells)
        if kind == "HEADER":
            self._columns[table] = values
            return table
        columns = self.columns(table)
        fields: dict[str, str] = {}
        for name, value in zip(columns, values, strict=False):
            fields.setdefault(name, value)
        return Row(node=match[1], table=table, fields=fields, cells=values, columns=columns)


def waiter_of(row: Row) -> WaiterLine | None:
    """The waiter that a row of the tables ``waiters`` or ``deadlockThread`` tells; None where it is cut before it says
    anything.
    """
    fields = row.fields
    begun = parse_instant(fields.get("waitStartTime", "").strip())
    watched = fields.get("isMonitored", "").strip().lower()
    thread_id = fields.get("threadId", "").strip()
    if not any(fields.get(name, "").strip() for name in ("threadId", "threadName", "waitTime")):
        return None
    return WaiterLine(
        style="Y" if row.table == "waiters" else "deadlock",
        node=row.node,
        seconds=_number(fields.get("waitTime", "")),
        since=begun.us if begun else None,
        zone_min=begun.zone_min if begun else None,
        monitored=True if watched in ("monitored", "yes") else False if watched in ("ignored", "no") else None,
        thread=plain(fields.get("threadName", ""))[:128] or None,
        thread_id=int(thread_id) if thread_id.isascii() and thread_id.isdigit() and len(thread_id) <= 18 else None,
        address=_address(fields.get("threadAddr", "")),
        detail=_detail(row),
    )


def _number(text: str) -> float | None:
    text = text.strip()
    return number(text) if _NUMBER.fullmatch(text) else None


def _address(text: str) -> int | None:
    match = _HEX.fullmatch(text.strip())
    return int(match[1], 16) or None if match else None


def _detail(row: Row) -> Detail:
    fields = {name: value for name, value in row.fields.items() if name in _LOCK_COLUMNS}
    first = next((fields[name] for name in row.columns if name in _LOCK_COLUMNS and name in fields), "")
    if row.short or (first and _address(first) is None):
        return _read_detail(_by_content(row), is_short=row.short)
    addresses = [name for name in ("condVarAddr", "mutexAddr") if _address(fields.get(name, "")) is not None]
    if len(addresses) != 1:
        return _read_detail(fields, is_short=False)
    detail = _detail_alike(tuple(sorted((fields | {addresses[0]: _ANY_ADDRESS}).items())))
    return detail if detail.wait_address is None else detail.at(_address(fields[addresses[0]]))


@lru_cache(maxsize=ALIKE_KEPT)
def _detail_alike(fields: tuple[tuple[str, str], ...]) -> Detail:
    """What many rows say alike is read once: all but the address of the lock."""
    return _read_detail(dict(fields), is_short=False)


def _read_detail(fields: dict[str, str], *, is_short: bool) -> Detail:
    detail = read_detail(plain(fields.get("auxReason", "")))
    known = any(value.strip() for value in fields.values())
    return replace(detail, complete=known or not is_short, **(_delay(fields, detail) | _lock(fields, detail)))


def _by_content(row: Row) -> dict[str, str]:
    """Cells behind the wait time of a row that left empty ones out: told apart by what they hold."""
    index = next((i for i, name in enumerate(row.columns) if name in _LOCK_COLUMNS), len(row.cells))
    found: dict[str, str] = {}
    for cell in row.cells[index:]:
        value = cell.strip()
        if not value:
            continue
        if _address(value) is not None:
            name = "condVarAddr"
        elif _LOCK_NAME.fullmatch(value):
            name = "mutexName" if "Mutex" in value else "condVarName"
        else:
            name = "auxReason" if cell[:1].isspace() or _AUX.match(value) else "condVarReason"
        found.setdefault(name, value)
    if "mutexName" in found and "condVarAddr" in found:
        found["mutexAddr"] = found.pop("condVarAddr")
    return found


def _lock(fields: dict[str, str], detail: Detail) -> dict[str, Any]:
    """Condition variable or mutex, and the reason with the message and node it may name."""
    reason = plain(fields.get("condVarReason", "")).removeprefix("reason").strip(" '")
    found: dict[str, Any] = {key: value for key, value in (split_reason(reason) if reason else {}).items() if value}
    if detail.reason and "reason" not in found:
        found["reason"] = detail.reason
    for kind, start in (("ThCond", "condVar"), ("ThMutex", "mutex")):
        name, address = plain(fields.get(f"{start}Name", "")), _address(fields.get(f"{start}Addr", ""))
        if name or address:
            return found | {"wait_kind": kind, "wait_name": name[:200] or None, "wait_address": address}
    return found


def _delay(fields: dict[str, str], detail: Detail) -> dict[str, Any]:
    seconds = _number(fields.get("delayTime", ""))
    why = plain(fields.get("delayReason", ""))[:400]
    found: dict[str, Any] = {} if seconds is None else {"delay_s": seconds}
    return found | {"aux": why} if why and not detail.aux else found
