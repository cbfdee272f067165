"""Tasks of VxVM one by one (``vxtask -l list``) and volumes with their snapshots (``vxsnap print``).

    Task:      174 RUNNING
    Type:      ATCOPY
    Operation: PLXATT Vol rolls Plex rolls-02 Dg rollsdg
    Progress:  08.12% 17028864 of 209715200 Blocks

    NAME         SNAPOBJECT         TYPE       PARENT    SNAPSHOT     %DIRTY       %VALID
    rolls        --                 volume     --        --           --           100.00
                 rolls_snp          volume     --        rolls_cp     0.02         --

Yields ``Counter`` for the progress of a task, with the object of its operation as scope, as ``vxtask list`` does, and
``StorageState`` for a task that is paused or stops; for a volume ``Counter`` of its valid part, and ``StorageState``
where it is whole. No times. Tolerated: cut lists. Source: vxtask(1M), vxsnap(1M); both layouts are recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import Counter
from parsers.records.states import StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_NAME: Final = r"[\w.:/-]{1,120}"
_STATES: Final = {"RUNNING": "R", "PAUSED": "P", "ABORTING": "A"}


def _task(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["standing"], section.state["type"] = match["state"], None
    section.state["of"], section.state["operation"] = None, None


def _type(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["type"] = match["type"]


def _operation(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["operation"], section.state["of"] = match["operation"], match["volume"] or match["group"]


def _progress(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    task = section.state.get("type") or section.state.get("operation") or "TASK"
    about, standing = section.state.get("of"), section.state.get("standing", "RUNNING")
    done = float(match["done"])
    section.add(
        Counter,
        line.number,
        scope=about,
        source="vxtask list",
        name=f"{task}/{_STATES[standing]}",
        value=done,
        unit="%",
    )
    if standing != "RUNNING":
        section.add(
            StorageState,
            line.number,
            source="vxtask list",
            sort="volume",
            name=about,
            state=f"{task} {standing.lower()} at {done:g} %",
            standing="degraded",
        )


_TASK: Final = Rows(
    Row("task", r"Task:\s{1,20}\d{1,9} (?P<state>RUNNING|PAUSED|ABORTING)\b", _task, fate=Fate.FRAME),
    Row("type", r"Type:\s{1,20}(?P<type>[A-Z]{2,16})$", _type, fate=Fate.FRAME, opens=False),
    Row(
        "operation",
        rf"Operation:\s{{1,20}}(?P<operation>[A-Z]{{2,16}})(?: (?:Vol(?:ume)?|Rvg) (?P<volume>{_NAME}))?"
        rf"(?: Plex {_NAME})?(?: {_NAME}){{0,4}}?(?: Dg (?P<group>{_NAME}))?$",
        _operation,
        fate=Fate.FRAME,
        opens=False,
    ),
    Row(
        "progress",
        r"Progress:\s{1,20}(?P<done>\d{1,3}(?:\.\d{1,3})?)%\s",
        _progress,
        opens=False,
    ),
    Row(
        "figures",
        r"(?:Started|Throttle|Work time|Execution time|Parent|Ptid|Tag):\s{1,20}\S",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    also=r"(?:Type|Operation|Progress):\s{1,20}\S",
)


@parser("vxtask_long", version=1, product="veritas", rows=_TASK, commands=("vxtask",))
def vxtask_long(section: OpenSection, out: Output) -> None:
    """``vxtask -l list``: a list for each task."""
    _TASK.read(section, out, "no property of a task")


_WHOLE: Final = 100.0
_SHARE: Final = r"(?:\d{1,3}\.\d{1,2}|--)"
_KIND: Final = r"(?:volume|vset|mirbrk|mirsnap|fullinst|linkbrk|spaceopt|linksnap|mirror)"


def _part(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    valid, dirty = match["valid"], match["dirty"]
    if valid != "--" and float(valid) >= _WHOLE:
        section.add(
            StorageState,
            line.number,
            source="vxsnap print",
            sort="volume",
            name=match["name"],
            state=f"{valid} % valid",
            standing="healthy",
        )
    for name, value in (("valid", valid), ("dirty", dirty)):
        if value != "--":
            section.add(
                Counter,
                line.number,
                scope=match["name"],
                source="vxsnap print",
                name=name,
                value=float(value),
                unit="%",
                kind="gauge",
            )


_SNAPSHOTS: Final = Rows(
    Row(
        "heading",
        r"NAME\s{1,60}SNAPOBJECT\s{1,60}TYPE\s{1,60}PARENT\s{1,60}SNAPSHOT\s{1,60}%DIRTY\s{1,60}%VALID$",
        fate=Fate.FRAME,
    ),
    Row(
        "volume or snapshot",
        rf"(?P<name>{_NAME})\s{{1,60}}(?:(?:--|{_NAME})\s{{1,60}})?{_KIND}\s{{1,60}}(?:--|{_NAME})\s{{1,60}}(?:--|{_NAME})"
        rf"\s{{1,60}}(?P<dirty>{_SHARE})\s{{1,60}}(?P<valid>{_SHARE})$",
        _part,
    ),
    also=rf"{_NAME}\s{{1,60}}(?:--|{_NAME})\s{{1,60}}{_KIND}\s",
)


@parser("vxsnap", version=2, product="veritas", rows=_SNAPSHOTS, commands=("vxsnap",))
def vxsnap(section: OpenSection, out: Output) -> None:
    """``vxsnap print``: snapshots with the part of them that is whole."""
    _SNAPSHOTS.read(section, out, "no volume or snapshot with its share")
