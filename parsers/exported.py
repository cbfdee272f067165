"""Rows of a table that a log store exports: comma-separated, one column of which holds the line as it was logged.

    "_time",host,source,"_raw"
    "2031-04-03T04:11:20.000+0000",curlew,"/var/log/messages","Apr  3 04:11:20 curlew kernel: GFS2: ... withdrawn"

The first line of the text names the columns: one of them is a moment, one is the text, and often one is the host. A
text without a stamp of its own gets that of its row. A row of other columns, or one that goes on below, stays as it is.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from typing import Final

from parsers.clock import find_instant
from parsers.registry import claimed

LONGEST_HEADING: Final = 1000
MOST_COLUMNS: Final = 60
NEAR: Final = 40
"""Characters in which a logged line that has a stamp of its own begins it."""
_TEXTS: Final = ("_raw", "message", "log", "line", "msg", "body", "full_message", "short_message", "event.original")
_TIMES: Final = ("@timestamp", "_time", "timestamp", "time", "date", "ts", "datetime")
_HOSTS: Final = ("host.name", "host", "hostname", "_hostname", "host.hostname", "node", "agent.hostname", "server")
_PROGRAMS: Final = ("process.name", "program", "syslog_identifier", "application_name", "appname", "app_name", "ident")
_HOST = re.compile(r"[A-Za-z0-9][\w.-]{0,126}")
_PROGRAM = re.compile(r"[A-Za-z][\w./-]{0,40}")
_TAGGED = re.compile(r"[A-Za-z][\w./-]{0,40}\[\d{1,9}\]: ")
_ISO = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)[ ]?(Z|[+-]\d\d:?\d\d)?")
_LOCAL = re.compile(r"(?:[A-Z][a-z]{2} [A-Z]?[a-z]{0,2} ?|<\d{1,3}>)?[A-Z]?[a-z]{0,2} ?[ \d]\d \d\d:\d\d:\d\d ")


@dataclass(frozen=True, slots=True)
class Columns:
    """Places of the columns in a row of ``count``; -1: there is none."""

    count: int
    text: int
    time: int
    host: int
    program: int


def columns(text: str) -> Columns | None:
    """The columns that a line names, where it is the heading of exported log lines."""
    if "," not in text or len(text) > LONGEST_HEADING:
        return None
    names = [name.strip().lower() for name in _cells(text)]
    if not 1 < len(names) <= MOST_COLUMNS or len(set(names)) < len(names):
        return None
    found = [
        next((names.index(one) for one in some if one in names), -1) for some in (_TEXTS, _TIMES, _HOSTS, _PROGRAMS)
    ]
    return Columns(len(names), *found) if found[0] >= 0 and found[1] >= 0 else None


def logged(text: str, of: Columns) -> tuple[str, str] | None:
    """The host and the logged line of a row; None where it has other columns."""
    cells = _cells(text)
    if len(cells) != of.count or not (said := cells[of.text].strip()):
        return None
    host = cells[of.host].strip() if of.host >= 0 else ""
    host = host if _HOST.fullmatch(host) else ""
    if _LOCAL.match(said) or ((own := find_instant(said[:NEAR])) is not None and own[1] < NEAR // 2):
        return host, said
    if not host or (at := _ISO.match(cells[of.time].strip())) is None:
        return host, said
    stamp = f"{at[1]}T{at[2].replace(',', '.')}{at[3] or ''}"
    if _TAGGED.match(said):
        return "", f"{stamp} {host} {said}"
    program = cells[of.program].strip() if of.program >= 0 else ""
    if not _PROGRAM.fullmatch(program):
        program = "kernel" if _is_of_kernel(said, f"{stamp} {host} kernel: ") else "journal"
    return "", f"{stamp} {host} {program}: {said}"


def _is_of_kernel(said: str, head: str) -> bool:
    """Whether one parser knows a text both bare and as a line of the kernel."""
    return (owner := claimed(said)) is not None and claimed(head + said) is owner


def _cells(text: str) -> list[str]:
    try:
        return next(csv.reader([text], strict=True), [])
    except csv.Error:
        return []
