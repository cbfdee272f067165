"""The log of LBNL Node Health Check, ``nhc.log``: what a node failed before or between jobs, and who was taken out.

    ERROR:  nhc:  Health check failed:  check_fs_mount:  /srv/rye not mounted
    20270312 04:11:09 [slurm] /usr/libexec/nhc/node-mark-offline oat07 check_fs_mount:  /srv/rye not mounted
    /usr/libexec/nhc/node-mark-offline:  Marking mix  oat07 offline:  NHC: check_fs_mount:  /srv/rye not mounted
    20270312 04:21:09 [slurm] /usr/libexec/nhc/node-mark-online oat07
    Node Health Check completed successfully (2s).

Yields ``HealthState``: of each node the last one, so that a node that was put online again is well; of a log that names
none, the last of the file. Times of the marks only. Source: LBNL Node Health Check, its scripts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from parsers.ledger import Fate
from parsers.records.states import HealthState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows
from parsers.times.clock import Instant, find_instant

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_NODE: Final = r"[A-Za-z0-9][\w.-]{0,252}"
_STAMP: Final = r"(?P<day>\d{8}) {1,4}(?P<time>\d\d:\d\d:\d\d) \[[\w-]{2,20}\] "
_SCRIPT: Final = r"/\S{0,200}node-mark-"
_WHAT: Final = r"(?P<what>check_\w{2,60}|Script timed out|Check for[^\n:]{1,60}):? {0,4}(?P<reason>[^\n]{0,300})"
_NODES_MOST: Final = 10_000


class _Last(NamedTuple):
    """at: None where the line has no moment of its own."""

    line: int
    at: Instant | None
    state: str
    is_well: bool


def _keep(section: OpenSection, line: Line, found: re.Match[str], state: str) -> None:
    """The last of a node; no state: it is well."""
    groups = found.groupdict()
    last: dict[str | None, _Last] = section.state.setdefault("last", {})
    node = groups.get("node") or section.node
    if node in last or len(last) < _NODES_MOST:
        last[node] = _Last(line.number, _moment(groups), state or "passed", is_well=not state)


def _moment(groups: dict[str, str | None]) -> Instant | None:
    day = groups.get("day")
    if day is None:
        return None
    instant = find_instant(f"{day[:4]}-{day[4:6]}-{day[6:]} {groups['time']}")
    return instant[0] if instant else None


def _failed(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    state = f"{found['what']}, {found['reason'].strip()}" if found["reason"].strip() else found["what"]
    _keep(section, line, found, state.rstrip(".,"))


def _well(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    _keep(section, line, found, "")


_ROWS: Final = Rows(
    Row("mark off", rf"{_STAMP}{_SCRIPT}offline (?P<node>{_NODE}) {{1,4}}(?:NHC: )?{_WHAT}$", _failed, Fate.EVERYDAY),
    Row(
        "marks off",
        rf"{_SCRIPT}offline: {{1,4}}Marking (?:[a-z+*~$-]{{2,20}} {{1,4}})?(?P<node>{_NODE}) offline: {{1,4}}"
        rf"(?:NHC: )?{_WHAT}$",
        _failed,
        Fate.EVERYDAY,
    ),
    Row(
        "failed",
        rf"(?:(?:ERROR: {{1,4}})?(?:nhc|NHC): {{1,4}})?Health check failed: {{1,4}}{_WHAT}$",
        _failed,
        Fate.EVERYDAY,
    ),
    Row("mark on", rf"{_STAMP}{_SCRIPT}online (?P<node>{_NODE})\b[^\n]{{0,300}}$", _well, Fate.EVERYDAY),
    Row(
        "marks on",
        rf"{_SCRIPT}online: {{1,4}}Marking (?:[a-z+*~$-]{{2,20}} {{1,4}})?(?P<node>{_NODE}) online\b",
        _well,
        Fate.EVERYDAY,
    ),
    Row(
        "passed",
        r"(?:(?:INFO: {1,4})?(?:nhc|NHC): {1,4})?Node Health Check completed successfully\b",
        _well,
        Fate.EVERYDAY,
    ),
    Row(
        "steps",
        r"(?:(?:INFO: {1,4})?(?:nhc|NHC): {1,4})?Node Health Check starting\b"
        rf"|{_SCRIPT}(?:on|off)line: {{1,4}}(?:{_NODE} is already|Not |Node {_NODE} )",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
)


@parser("nhc_log", version=1, product="", rows=_ROWS, places=r"\bnhc\.log\b")
def nhc_log(section: OpenSection, out: Output) -> None:
    """Checks of a node that failed, and nodes that were taken out or put back."""
    _ROWS.read(section, out, "no check of a node")
    for node, one in section.state.get("last", {}).items():
        section.add(
            HealthState,
            one.line,
            node=node,
            at=one.at.us if one.at else None,
            source="nhc",
            component="node health check",
            state=one.state,
            standing="healthy" if one.is_well else "degraded",
        )
