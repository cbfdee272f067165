"""Services of Solaris by its service management facility: ``svcs``, ``svcs -a``, ``svcs -xv``.

    STATE          STIME    FMRI                          svc:/system/vxfen:default (VERITAS I/O fencing)
    online         Jan_04   svc:/system/llt:default        State: maintenance since Sun Jan  4 08:00:01 2015
    maintenance     8:00:01 svc:/system/vxfen:default     Reason: Start method exited with $SMF_EXIT_ERR_FATAL.

Yields ``ServiceState`` per service: one in maintenance or degraded failed, one that is offline waits for others, one
that is disabled is off on purpose. What ``-x`` says of the reason stands in the state. No times. Source: svcs(1),
smf(7).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records.states import ServiceStanding, ServiceState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_FMRI: Final = r"(?:svc|lrc):/[\w./:,-]{1,200}"
_STATE: Final = r"(?:maintenance|degraded|offline|online|disabled|uninitialized|legacy_run)"
_STANDINGS: Final[dict[str, ServiceStanding]] = {
    "maintenance": "faulted", "degraded": "partial", "offline": "offline", "online": "online", "legacy_run": "online",
    "disabled": "disabled",
}  # fmt: skip
_REASON: Final = re.compile(r"Reason: {1,8}(?P<reason>\S.{0,160}?)\.?$")


def _put(section: OpenSection, line: Line, name: str, state: str, reason: str | None = None) -> None:
    section.add(
        ServiceState,
        line.number,
        source="svcs",
        sort="unit",
        group=name,
        on=section.node,
        state=f"{state}: {reason}" if reason else state,
        standing=_STANDINGS.get(state, "unknown"),
    )


def _listed(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put(section, line, match["name"], match["state"].rstrip("*"))


def _named(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["service"] = match["name"]


def _explained(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    name = section.state.get("service")
    if name is None:
        return
    below = section.peek()
    reason = _REASON.match(below.text.strip()) if below is not None else None
    _put(section, line, name, match["state"], reason["reason"] if reason else None)


_ROWS: Final = Rows(
    Row("title", r"STATE {2,20}STIME {2,20}FMRI$", fate=Fate.FRAME),
    Row("service", rf"(?P<state>{_STATE}\*?) {{1,20}}[\w:]{{1,12}} {{1,8}}(?P<name>{_FMRI})$", _listed),
    Row("name", rf"(?P<name>{_FMRI}) \(.{{1,120}}\)$", _named, fate=Fate.FRAME),
    Row("state", rf"State: (?P<state>{_STATE}) since \S.{{1,40}}$", _explained, opens=False),
    Row("more of it", r"(?:Reason|See|Impact): {1,8}\S", fate=Fate.EVERYDAY, opens=False),
    Row(
        "process of a service",
        r"(?:\w{3}_\d\d|\d{1,2}:\d\d:\d\d) {1,12}\d{1,9} [\w./-]{1,60}$",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row("what depends on it", rf"{_FMRI}$", fate=Fate.EVERYDAY, opens=False),
)


@parser("svcs", messages=True, version=1, product="", rows=_ROWS, commands=("svcs",))
def svcs(section: OpenSection, out: Output) -> None:
    """``svcs``: services of Solaris and how they stand."""
    _ROWS.read(section, out, "no service with its state")
