"""Members of a Patroni cluster of PostgreSQL: ``patronictl list``.

    + Cluster: larder (6880800257296229838) --+---------+--------------+----+-----------+
    | Member | Host            | Role         | State        | TL | Lag in MB |
    | carp1  | 10.9.0.1:5432   | Leader       | running      | 78 |           |
    | carp2  | 10.9.0.2:5432   | Replica      | start failed |    |   unknown |

Yields ``ServiceState``: PostgreSQL of each member; faulted where it failed or crashed, missing where it is stopped,
changing while it starts or is copied. Source: the manual of Patroni on patronictl and on states of members.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records.states import ServiceStanding, ServiceState
from parsers.registry import parser
from parsers.sections.reader import OpenSection

_STATES: Final[dict[str, ServiceStanding]] = {
    "running": "online",
    "streaming": "online",
    "in archive recovery": "online",
    "starting": "changing",
    "restarting": "changing",
    "stopping": "changing",
    "creating replica": "changing",
    "initializing new cluster": "changing",
    "running custom bootstrap script": "changing",
    "starting after custom bootstrap": "changing",
    "stopped": "missing",
    "start failed": "faulted",
    "restart failed": "faulted",
    "stop failed": "faulted",
    "crashed": "faulted",
    "initdb failed": "faulted",
    "custom bootstrap failed": "faulted",
}
_ROLE: Final = r"(?:Leader|Replica|Sync Standby|Quorum Standby|Standby Leader|Master|Replicatefrom|)"
_STATE: Final = "|".join(sorted(_STATES, key=len, reverse=True))
_TITLE: Final = r"\+ Cluster: \S.{0,200}[-+]{2,200}$"
_HEADING: Final = (
    r"(?:\| {0,40})?(?:Cluster {1,40}\| {0,40})?Member {1,120}\| {0,40}Host {1,120}\| {0,40}Role {1,40}\|.{0,200}$"
)
_ROW: Final = (
    rf"(?:\| {{0,40}})?(?:[\w.-]{{1,80}} {{1,40}}\| {{0,40}})?(?P<member>[\w.-]{{1,120}}) {{1,120}}"
    rf"\| {{0,40}}(?P<host>[\w.:\[\]-]{{2,120}}) {{1,120}}\| {{0,40}}(?P<role>{_ROLE}) {{0,40}}"
    rf"\| {{0,40}}(?P<state>{_STATE}) {{0,40}}(?:\|.{{0,200}})?$"
)
_LINE = re.compile(_ROW)
_RULER: Final = r"[+-][-+ ]{10,300}$"


@parser(
    "patroni",
    version=1,
    product="",
    claims=rf"(?:{_TITLE}|{_HEADING}|{re.sub('[?]P<.{1,8}?>', '?:', _ROW)})",
    owns=rf"(?:{_TITLE}|{_HEADING}|{_RULER}|\|? ?\S.{{0,200}} \| .{{0,300}}$|Maintenance mode: )",
    commands=("patronictl",),
)
def patroni(section: OpenSection, out: Output) -> None:
    """Members with their states."""
    for line in section:
        text = line.text.strip()
        if (match := _LINE.match(text)) is not None:
            section.add(
                ServiceState,
                line.number,
                source="patronictl list",
                sort="resource",
                resource=f"PostgreSQL of {match['member']}",
                state=match["state"],
                standing=_STATES[match["state"]],
            )
        elif re.match(rf"{_TITLE}|{_HEADING}|{_RULER}|Maintenance mode: ", text):
            out.frame()
        else:
            out.skip(line, "no member with its state")
