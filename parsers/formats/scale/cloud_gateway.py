"""Nodes that move files to a cloud: ``mmcloudgateway service status``.

     Node  Daemon node name     Status    Configuration       Status   Configuration     Status    Status Reasons
       7   tarn-t1.tarn.lab     Started   cos-acct cos-point  ONLINE   cos-pair /gpfs/a/ ONLINE
       8   tarn-t2.tarn.lab     Started   cos-acct cos-point  OFFLINE  cos-pair /gpfs/a/ OFFLINE   connect_exception
       9   tarn-t3.tarn.lab     Stopped                       OFFLINE                    OFFLINE

Yields ``HealthState`` of the cloud gateway on each node. No times. Tolerated: blank cells, words in capitals. Source:
IBM Storage Scale documentation, mmcloudgateway and its list of statuses.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records.states import HealthState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows, heading

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_NAME: Final = r"[A-Za-z0-9][\w.-]{0,252}"
_SERVER: Final = (
    r"(?:Started|STARTED|Stopped|STOPPED|Shutdown|SHUTDOWN|Suspended|SUSPENDED|Failed|FAILED|Unknown|UNKNOWN)"
)
_STATUS = re.compile(r"\b(ONLINE|OFFLINE|ACTIVE|UNKNOWN|Online|Offline)\b")
_REASON = re.compile(r"\s([a-z]{2,30}(?:_[a-zA-Z]{2,30}){1,8})\s{0,8}$")


def _node(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    rest = found["rest"] or ""
    server, statuses = found["server"].capitalize(), [word.upper() for word in _STATUS.findall(rest)]
    is_off = any(word in ("OFFLINE", "UNKNOWN") for word in statuses)
    if server == "Started" and not statuses:
        return
    reason = _REASON.search(rest)
    is_well = server == "Started" and not is_off
    words = "ONLINE" if is_well else server if server != "Started" else "OFFLINE"
    section.add(
        HealthState,
        line.number,
        node=found["node"],
        source="mmcloudgateway service status",
        component="cloud gateway",
        state=f"{words} ({reason[1]})" if reason and not is_well else words,
        standing="healthy" if is_well else "degraded",
    )


_ROWS: Final = Rows(
    Row("class", r"Cloud Node Class:\s{1,40}\S", fate=Fate.FRAME),
    Row("service", r"Cloud Service(?::|\s{1,40}Status\b|$).{0,120}$", fate=Fate.FRAME, opens=False),
    Row("ruler", r"[-=]{3,240}(?:\s{1,20}[-=]{3,80}){0,8}$", fate=Fate.FRAME, opens=False),
    Row(
        "service and its status", r"[\w-]{2,60}\s{1,40}(?:ENABLED|DISABLED)\b.{0,120}$", fate=Fate.EVERYDAY, opens=False
    ),
    heading("heading", r"Node\s{1,40}Daemon node name\s{1,80}(?:Status|Server)\b"),
    Row("more of the heading", r"(?:Server\s|ID\s{1,80}File System\b).{0,200}$", fate=Fate.FRAME, opens=False),
    Row(
        "node",
        rf"\d{{1,6}}\s{{1,20}}(?P<node>{_NAME})\s{{1,80}}(?P<server>{_SERVER})\b(?P<rest>.{{0,400}})$",
        _node,
        opens=False,
    ),
)


@parser(
    "scale_cloud_gateway",
    version=1,
    product="spectrum-scale",
    rows=_ROWS,
    commands=("mmcloudgateway",),
    places=r"\bmmcloudgateway\b",
)
def scale_cloud_gateway(section: OpenSection, out: Output) -> None:
    """``mmcloudgateway service status``: whether each node reaches its cloud."""
    _ROWS.read(section, out, "no node with the status of its service")
