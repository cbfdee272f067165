"""Traps of VCS as ``snmptrapd`` logs them, each variable on a line of its own.

    VERITAS-CLUSTER-MIB::systemName.0 = STRING: "carp1"
    VERITAS-CLUSTER-MIB::entityName.0 = STRING: "mail_mnt"
    VERITAS-CLUSTER-MIB::entityType.0 = STRING: "Resource"
    VERITAS-CLUSTER-MIB::severityId.0 = INTEGER: error(2)
    VERITAS-CLUSTER-MIB::message.0 = STRING: "Resource has faulted"

Yields ``ListedState`` per trap, with what it says of which thing on which system. No times. Source: Cluster Server
administrator's guide, SNMP-specific files; layout recalled.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records.states import ListedState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_GRAVE: Final = re.compile(r"(?i)^(?:error|severe)")
_KEPT: Final = ("systemName", "entityName", "entityType", "entitySubType", "severityId")


def _variable(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    name, value = found["name"], (found["text"] or found["word"] or "").strip()
    if name in _KEPT:
        section.state[name] = value
        return
    if name != "message":
        return
    kept: dict[str, str] = {key: section.state.pop(key, "") for key in _KEPT}
    section.add(
        ListedState,
        line.number,
        node=kept["systemName"] or section.node,
        source="traps of VCS",
        name=" ".join(filter(None, (kept["entityType"].lower(), kept["entityName"]))) or "cluster",
        state=value,
        standing="wrong" if _GRAVE.match(kept["severityId"]) else "hint" if "warn" in kept["severityId"] else "good",
        row=f"{kept['entityType']} {kept['entityName']}: {value}".strip(" :"),
    )


_ROWS: Final = Rows(
    Row(
        "variable",
        r"VERITAS-CLUSTER-MIB::(?P<name>\w{2,40})\.\d{1,6} = [A-Za-z0-9-]{3,20}: "
        r"(?:\"(?P<text>[^\"]{0,400})\"|(?P<word>\S[^\"]{0,200}))$",
        _variable,
        fate=Fate.EVERYDAY,
    ),
    Row(
        "head",
        r"(?:DISMAN-EVENT-MIB|SNMPv2-MIB|SNMP-COMMUNITY-MIB)::\S{1,80} = \S.{0,200}$",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
)


@parser("vcs_traps", version=1, product="veritas", rows=_ROWS)
def vcs_traps(section: OpenSection, out: Output) -> None:
    """What the notifier of VCS sent to a station."""
    _ROWS.read(section, out, "no variable of a trap")
