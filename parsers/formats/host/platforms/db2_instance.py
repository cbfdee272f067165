"""``db2instance -list`` of Db2 pureScale: members, caching facilities and hosts on a cluster file system.

    ID  TYPE    STATE                 HOME_HOST  CURRENT_HOST  ALERT  PARTITION_NUMBER  LOGICAL_PORT  NETNAME
    0   MEMBER  WAITING_FOR_FAILBACK  rook1      rook2         NO     0                 1             rook2-ib0
    128 CF      PRIMARY               rook3      rook3         NO     -                 0             rook3-ib0

    HOSTNAME    STATE      INSTANCE_STOPPED  ALERT
    rook1       INACTIVE   NO                YES

Yields ``HealthState`` per member, facility and host, on the host where it is now. No times. Tolerated: rows without
their heading, cut last columns. Source: Db2 documentation, db2instance command.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records.states import HealthStanding, HealthState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_NAME: Final = r"[A-Za-z0-9][\w.-]{0,252}"
_WELL: Final = ("STARTED", "PRIMARY", "PEER", "ACTIVE")
_STOPPED: Final = ("STOPPED",)
_WRONG: Final = ("ERROR", "INACTIVE")


def _standing(state: str, *, is_alert: bool) -> HealthStanding:
    if state.startswith(_WRONG):
        return "failed"
    if is_alert:
        return "degraded"
    return "healthy" if state in _WELL else "hint" if state in _STOPPED else "degraded"


def _add(section: OpenSection, line: Line, component: str, found: re.Match[str]) -> None:
    """What was stopped by a command is no fault, an alert included: none is set then."""
    is_alert, stopped = found["alert"] == "YES", found.groupdict().get("stopped") == "YES"
    state = found["state"]
    section.add(
        HealthState,
        line.number,
        node=found["host"],
        source="db2instance",
        component=component,
        state=f"{state}, with an alert" if is_alert else state,
        standing="hint" if stopped and not is_alert else _standing(state, is_alert=is_alert),
    )


def _member(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    sort = "Db2 member" if found["type"] == "MEMBER" else "Db2 caching facility"
    _add(section, line, f"{sort} {found['id']}", found)


def _host(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    _add(section, line, "host of Db2", found)


_ROWS: Final = Rows(
    Row(
        "heading",
        r"ID\s{1,80}TYPE\s{1,80}STATE\s{1,80}HOME_HOST\b|HOSTNAME\s{1,80}STATE\s{1,80}INSTANCE_STOPPED\b",
        fate=Fate.FRAME,
    ),
    Row("ruler", r"-{2,80}(?:\s{1,80}-{2,80}){3,9}$", fate=Fate.FRAME, opens=False),
    Row(
        "member",
        rf"(?P<id>\d{{1,4}})\s{{1,80}}(?P<type>MEMBER|CF)\s{{1,80}}(?P<state>[A-Z][A-Z_]{{2,40}}(?:\(\d{{1,3}}%\))?)\s{{1,80}}{_NAME}"
        rf"\s{{1,80}}(?P<host>{_NAME})\s{{1,80}}(?P<alert>YES|NO)\b",
        _member,
    ),
    Row(
        "host",
        rf"(?P<host>{_NAME})\s{{1,80}}(?P<state>ACTIVE|INACTIVE)\s{{1,80}}(?P<stopped>YES|NO)\s{{1,80}}(?P<alert>YES|NO)$",
        _host,
        opens=False,
    ),
)


@parser("db2_instance", version=1, product="", rows=_ROWS, commands=("db2instance",), places=r"\bdb2instance\b")
def db2_instance(section: OpenSection, out: Output) -> None:
    """States of members, caching facilities and hosts."""
    _ROWS.read(section, out, "no member or host with its state")
