"""Subsystems of AIX: ``lssrc`` and ``clshowsrv`` of PowerHA.

    Status of the PowerHA SystemMirror subsystems:
    Subsystem         Group            PID          Status
     clstrmgrES       cluster          9109590      active
     clconfd          caa                           inoperative

Yields ``ListedState`` and, to compare nodes, a ``Setting``. A subsystem that does not run is an everyday sight in
``lssrc -a``; where the cluster lists what it needs, it is wrong. No times. Source: lssrc(1) of AIX and clshowsrv of
PowerHA SystemMirror, recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import Setting
from parsers.records.states import ListedState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows, everyday
from parsers.text import Line


def _needed(section: OpenSection, _line: Line, match: re.Match[str]) -> None:
    section.state["needed by"] = match["by"]


def _subsystem(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    name, state, by = match["name"], match["state"], section.state.get("needed by")
    section.add(
        ListedState,
        line.number,
        source="lssrc",
        name=f"subsystem {name}" if by is None else f"subsystem {name} of {by}",
        state=state,
        standing="good" if state == "active" else "wrong" if by is not None else "hint",
        row=line.text.strip(),
    )
    section.add(Setting, line.number, source="lssrc", name=name, value=state)


_ROWS: Final = Rows(
    Row(
        "needed",
        r"Status of the (?P<by>PowerHA SystemMirror|RSCT|CAA|HACMP)(?: for AIX)? subsystems(?: used by .{3,40})?:$",
        _needed,
        fate=Fate.FRAME,
    ),
    Row("heading", r"Subsystem\s{1,24}Group\s{1,24}PID\s{1,24}Status\b", fate=Fate.FRAME),
    Row(
        "subsystem",
        r"(?P<name>[A-Za-z][\w.-]{1,40})\s{1,40}(?:[a-z][\w-]{1,24}\s{1,40})?(?:\d{1,10}\s{1,24})?"
        r"(?P<state>active|inoperative|stopping|warned to stop)$",
        _subsystem,
        opens=False,
    ),
    everyday(
        "details of the cluster manager",
        r"(?:Details of PowerHA|Current state: ST_|sccsid = |build = |i_local_nodeid|ml_idx\[|There are \d"
        r"|CLversion:"
        r"|local node|cluster fix level|The following timer|Current DNP|DNP Values for|PgSpFree = |CAA Cluster"
        r"|Capability \d"
        r"|id: \d|.{2,40} capability is |trcOn \d|Last event run was).{0,160}$",
        opens=False,
    ),
)


@parser("aix_subsystems", version=2, product="", rows=_ROWS, commands=("lssrc", "clshowsrv"))
def aix_subsystems(section: OpenSection, out: Output) -> None:
    """Whether each subsystem runs."""
    _ROWS.read(section, out, "no subsystem with its state")
