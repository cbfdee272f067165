"""Tasks of the call home service of Spectrum Scale: ``mmcallhome status list``, and its groups, read over.

    === Executed call home tasks ===
    Group        Task       Start Time             Updated Time      Status   RC or Step   Package File Name
    autoGroup_1  daily      20310304120101.331     20310304120144    fail     RC=4

    Call Home Group  Call Home Node  Call Home Child Nodes
    autoGroup_1      carp1           carp1,carp2

Yields ``HealthState`` for the last run of each task that the listing shows, the newest by its start; earlier ones are
everyday. A task that was replaced or is still running is none. Tolerated: no header, further columns. Source: IBM
Storage Scale documentation, mmcallhome command; the layout is recalled.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records.states import HealthStanding, HealthState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows, everyday

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_STANDINGS: Final[dict[str, HealthStanding]] = {
    "success": "healthy", "running": "healthy", "minor": "hint", "fail": "degraded", "failed": "degraded",
    "aborted": "degraded", "error": "degraded",
}  # fmt: skip


def _task(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    standing = _STANDINGS.get(found["state"].lower(), "unknown")
    about = f"call home task {found['task']} of {found['group']}"
    state = f"{found['state']}, {found['step']}" if found["step"] else found["state"]
    newest: dict[str, tuple[str, HealthState]] = section.state.setdefault("newest", {})
    record = HealthState(
        line=line.number,
        node=section.node,
        at=section.at,
        zone_min=section.zone_min,
        source="mmcallhome",
        component=about,
        state=state,
        standing=standing,
    )
    if about not in newest or newest[about][0] < found["start"]:
        newest[about] = found["start"], record


_ROWS: Final = Rows(
    Row("title", r"=== Executed call home tasks ===", fate=Fate.FRAME),
    Row("heading", r"Group {2,60}Task {2,60}Start ?Time\b", fate=Fate.FRAME),
    Row("ruler", r"-{8,400}(?: {1,8}-{3,80}){0,12} {0,8}$", fate=Fate.FRAME, opens=False),
    Row(
        "task",
        r"(?P<group>[\w.-]{1,100}) {1,60}(?P<task>FTDC2CallHome|[a-z]\w{2,30})"
        r" {1,60}(?P<start>\d{14}(?:\.\d{1,6})?) {1,60}(?:\d{14} {1,60})?(?P<state>[a-z]{3,12})"
        r"(?: {1,60}(?P<step>RC=\d{1,4}|[\w.=]{2,40}))?(?: {1,60}\S.{0,400})?$",
        _task,
        Fate.FRAME,
    ),
    Row("heading of groups", r"Call Home Group {1,60}Call Home Node\b", fate=Fate.FRAME),
    everyday(
        "group",
        r"[\w.-]{1,100} {1,60}[A-Za-z0-9][\w.-]{0,252} {1,60}"
        r"[A-Za-z0-9][\w.-]{0,252}(?:, ?[A-Za-z0-9][\w.-]{0,252}){0,500}$",
        opens=False,
    ),
    everyday("no group", r"No call ?home groups? (?:defined|found|configured)", opens=False),
)


@parser(
    "scale_callhome",
    version=2,
    product="spectrum-scale",
    rows=_ROWS,
    commands=("mmcallhome",),
    places=r"\bmmcallhome\b",
)
def scale_callhome(section: OpenSection, out: Output) -> None:
    """``mmcallhome status list``: how the last run of each task ended."""
    _ROWS.read(section, out, "no task of call home")
    for _, record in section.state.get("newest", {}).values():
        out.add(record)
