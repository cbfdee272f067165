"""Disks and alerts of the cluster file system below Db2 pureScale: ``db2cluster``.

    PATH ON LOCAL HOST  RDNCY_GRP_ID     STATE              SITE
    (*) /dev/hdisk4     1                Up                 siteA
    /dev/hdisk6         2                Down               siteB

    PATH ON LOCAL HOST                          OTHER KNOWN PATHS
    /dev/hdisk4 (DOWN)

    Alert: Host name 'rook2' is INACTIVE.
    Action: Check the host for errors.
    Impact: DB2 members on the host can't restart there.

Yields ``StorageState`` of each disk whose state is shown, ``HealthState`` of an alert. No times. Source: Db2
documentation, db2cluster command.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records.states import HealthState, StorageState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows, everyday

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_PATH: Final = r"(?:\(\*\)\s{1,8})?(?P<path>/dev/\S{1,200})"
_ALERT_MOST: Final = 160


def _disk(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    state = found["state"]
    section.add(
        StorageState,
        line.number,
        source="db2cluster",
        sort="disk",
        name=found["path"],
        state=state,
        standing="healthy" if state.lower() == "up" else "degraded",
    )


def _alert(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    words = found["words"].strip()
    section.add(
        HealthState,
        line.number,
        source="db2cluster",
        component="Db2 alert",
        state=words[:_ALERT_MOST].rstrip(" ."),
        standing="degraded",
    )


_STATES: Final = r"(?P<state>(?i:up|down|suspended|unrecovered|recovering|unknown))"
_ROWS: Final = Rows(
    Row("heading", r"PATH ON LOCAL HOST\s{1,80}(?:RDNCY_GRP_ID|OTHER KNOWN PATHS|STATE)\b", fate=Fate.FRAME),
    Row("ruler", r"-{3,240}(?:\s{1,20}-{3,80}){0,6}$", fate=Fate.FRAME, opens=False),
    Row("disk", rf"{_PATH}\s{{1,80}}[\d-]{{1,6}}\s{{1,80}}{_STATES}\b", _disk, opens=False),
    Row("disk with a remark", rf"{_PATH}.{{0,200}}\({_STATES}\)", _disk, opens=False),
    everyday("disk without a state", r"(?:\(\*\)\s{1,8})?/dev/\S{1,200}(?:\s{1,80}/dev/\S{1,200}){0,4}$", opens=False),
    Row("number of an alert", r"\d{1,3}\.$", fate=Fate.FRAME, opens=False),
    Row("alert", r"Alert: {1,8}(?P<words>\S.{0,400})$", _alert, opens=False),
    Row("more of an alert", r"(?:Action|Impact): {1,8}\S", fate=Fate.FRAME, opens=False),
    Row("no alert", r"There are no alerts\b", fate=Fate.EVERYDAY),
    Row(
        "mode",
        r"The (?:shared file system cluster|cluster manager domain|host \S{1,120}) is not in maintenance mode\b",
        fate=Fate.EVERYDAY,
    ),
)


@parser("db2_cluster", version=1, product="", rows=_ROWS, commands=("db2cluster",), places=r"\bdb2cluster\b")
def db2_cluster(section: OpenSection, out: Output) -> None:
    """Disks of a file system with their states, and alerts."""
    _ROWS.read(section, out, "no disk or alert")
