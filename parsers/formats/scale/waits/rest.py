"""Answers of the Storage Scale GUI's REST interface: ``nodes/NAME/info/waiters``, ``.../deadlock``, ``.../iohist``.

    "mmDiagWaitersParams" : [ {
      "threadId" : "96217", "threadAddr" : "00000000C3D8A140", "threadName" : "RebuildWorkThread",
      "waitStartTime" : "2031-04-17_08:55:20-0600", "waitTime" : 48.7, "isMonitored" : "monitored", "auxReason" : "for
      I/O completion"
    } ]

Yields the same as ``mmdiag --waiters -Y``, ``--deadlock -Y`` and ``--iohist``: Waiter and WaiterShape, DeadlockFact,
DiskIo. The node is in the address that was asked, not in the answer: it comes from the prompt above. I/O times are of
the day only. Tolerated: JSON on one line, cut JSON, numbers in quotes. Source: IBM Storage Scale documentation, REST
endpoints of a node's info.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.scale.waits.rows import Rows
from parsers.formats.scale.waits.y import DEADLOCK_COLUMNS, WAITER_COLUMNS, Row, waiter_of
from parsers.grammars.json_walk import LINE, Opened, Scalar, Walk, figure
from parsers.output import Output
from parsers.records import DiskIo
from parsers.records.waits import DeadlockFact
from parsers.registry import parser
from parsers.sections.reader import OpenSection

_CLAIM: Final = r'(?:\{ {0,8})?"mmDiag(?:WaitersParams|DeadLock|IohistParams)" {0,8}:'
_NODE_URL = re.compile(r"/nodes/([A-Za-z0-9][\w.-]{0,252})/info")
_TIMES: Final = (
    ("threshold", "mediumWaiterTime"),
    ("threshold_short", "shortWaiterTime"),
    ("overload_index", "overloadIndex"),
)
_OPS: Final = {"R": "read", "W": "write"}
SECTOR_BYTES: Final = 512
WAITERS, DEADLOCK, IOHIST = "mmDiagWaitersParams", "deadlockDetectionThread", "mmDiagIohistParams"


@parser(
    "scale_rest", version=1, product="spectrum-scale", claims=_CLAIM, owns=LINE, commands=("curl", "http"), priority=1
)
def scale_rest(section: OpenSection, out: Output) -> None:
    """Objects of the three lists."""
    if section.command is not None and (requested := _NODE_URL.search(section.command.text)):
        section.speaks_of(node=requested[1], basis="header")
    rows, walk = Rows(section, out), Walk()
    for line in section:
        for closed in walk.feed(line.text, line.number):
            _object(closed, rows, section, out)
    rows.settle()
    rows.flush()


def _object(closed: Opened, rows: Rows, section: OpenSection, out: Output) -> None:
    if closed.key in (WAITERS, DEADLOCK):
        _waiter(closed, rows)
    elif closed.key == "deadlockDetectionTimes":
        _times(closed, section, out)
    elif closed.key == IOHIST:
        _io(closed, section, out)


def _waiter(closed: Opened, rows: Rows) -> None:
    is_waiter = closed.key == WAITERS
    columns = WAITER_COLUMNS if is_waiter else DEADLOCK_COLUMNS
    fields = {name: _text(closed.values.get(name)) for name in columns}
    cells = tuple(fields[name] for name in columns)
    waiter = waiter_of(
        Row(node=None, table="waiters" if is_waiter else "deadlockThread", fields=fields, cells=cells, columns=columns)
    )
    if waiter is not None:
        rows.add(closed.line, waiter)


def _text(value: Scalar) -> str:
    if isinstance(value, float):
        return f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else f"{value:.9f}".rstrip("0")
    return "" if value is None else str(value)


def _times(closed: Opened, section: OpenSection, out: Output) -> None:
    cluster = closed.values.get("overloadCluster")
    name = cluster if isinstance(cluster, str) and cluster else None
    facts: list[tuple[str, float | None, str | None]] = [
        (what, figure(closed.values.get(column)), None) for what, column in _TIMES
    ]
    if (verdict := closed.values.get("overloaded")) is not None:
        facts.append(("overloaded", float(verdict) if isinstance(verdict, bool) else figure(verdict), name))
    for what, value, own in facts:
        if value is not None:
            section.add(DeadlockFact, closed.line, what=what, value=value, name=own)


def _io(closed: Opened, section: OpenSection, out: Output) -> None:
    values = closed.values
    clock = [figure(values.get(name)) for name in ("ioStartHour", "ioStartMin", "ioStartSec")]
    hour, minute, second = (part if part is not None else -1.0 for part in clock)
    known = 0 <= hour < 24 and 0 <= minute < 60 and 0 <= second < 60
    sectors = figure(values.get("nSec"))
    out.add(
        DiskIo(
            line=closed.line,
            node=section.node,
            at=round(((hour * 60 + minute) * 60 + second) * 1e6) if known else None,
            source="iohist",
            device=_text(values.get("devName")) or _text(values.get("disk")) or None,
            op=_OPS.get(_text(values.get("rw")).strip().upper(), "other"),
            count=1.0,
            bytes=sectors * SECTOR_BYTES if sectors is not None else None,
            mean_ms=figure(values.get("ioTimeMS")),
            what=_text(values.get("bufType")) or None,
            where=_text(values.get("ioType")) or None,
            peer=_text(values.get("nsdNode")) or None,
            context=_text(values.get("context")) or None,
            thread=_text(values.get("thread")) or None,
        )
    )
