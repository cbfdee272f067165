"""Tests of disks for I/O fencing: ``vxfentsthdw``.

    Testing carp1 /dev/rhdisk75 carp2 /dev/rhdisk76
    RegisterIgnoreKeys on disk /dev/rhdisk75 from node carp1 ............... Passed
    Reserve disk /dev/rhdisk75 from node carp1 ............................. Failed
    ALL tests on the disk /dev/rhdisk75 have PASSED

Yields ``StorageState`` of the disk on its node: a step that failed, and the end of a test that passed; steps that
passed are understood and not kept. No times. Tolerated: dots or none, "Pass" and "Passed". Source: vxfentsthdw(1M),
Veritas Cluster Server administration guide.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records.states import HealthStanding, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_DISK: Final = r"(?P<disk>/dev/[\w./:-]{1,200}|[A-Za-z][\w.:-]{1,126})"
_WHERE: Final = r"(?:from|on|for) node (?P<node>[A-Za-z0-9][\w.-]{0,126})"
_DOTS: Final = r"[ .]{0,120}"


def _put(section: OpenSection, line: Line, match: re.Match[str], state: str, standing: HealthStanding) -> None:
    section.add(
        StorageState,
        line.number,
        node=match.groupdict().get("node") or section.node,
        source="vxfentsthdw",
        sort="disk",
        name=match["disk"],
        state=state,
        standing=standing,
    )


def _failed(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put(section, line, match, f"not fit for I/O fencing: {match['step'].strip().lower()} failed", "degraded")


def _passed(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put(section, line, match, "passed all tests for I/O fencing", "healthy")


_STEP: Final = rf"(?P<step>[A-Z][A-Za-z ]{{2,60}}?)(?: (?:on|from|to|for))? disk {_DISK} {_WHERE}{_DOTS}"
_ROWS: Final = Rows(
    Row("step that failed", rf"{_STEP}\bFail(?:ed|ure)?\b", _failed),
    Row("step that passed", rf"{_STEP}\bPass(?:ed)?$", fate=Fate.EVERYDAY),
    Row("end of a test", rf"ALL tests on the disk {_DISK} have PASSED", _passed),
    Row("disks of a test", r"Testing [\w.-]{1,128} /dev/\S{1,200} [\w.-]{1,128} /dev/\S{1,200}$", fate=Fate.FRAME),
    Row("disk that is ready", r"The disk is now ready to be configured for I/O Fencing", fate=Fate.EVERYDAY),
    Row(
        "evaluation", rf"Evaluat(?:e|ing) the (?:disks|test nodes)[\w ]{{0,40}}{_DOTS}", fate=Fate.EVERYDAY, opens=False
    ),
    Row(
        "words around it",
        r"(?:Enter|Unable to|The disk|The following disks|Removing test keys|VERITAS|Veritas vxfentsthdw|[*]{4,80}"
        r"|Test completed|Log file:|This utility|Do you still want|WARNING!+|THIS UTILITY|Press |The logfile)",
        fate=Fate.FRAME,
        opens=False,
    ),
)


@parser("vxfentsthdw", version=1, product="veritas", rows=_ROWS, commands=("vxfentsthdw",))
def vxfentsthdw(section: OpenSection, out: Output) -> None:
    """``vxfentsthdw``: whether disks can be used for I/O fencing."""
    _ROWS.read(section, out, "no step of a test")
