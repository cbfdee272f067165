"""Replication of Db2 to its standby: ``db2pd -hadr``.

    Database Member 0 -- Database LARDER -- Active -- Up 12 days 03:12:44
                               HADR_STATE = DISCONNECTED
                      HADR_CONNECT_STATUS = DISCONNECTED

Yields ``StorageState`` of the replication. Other keys are everyday. Source: the manual of Db2 on monitoring of HADR.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records.states import HealthStanding, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows, everyday
from parsers.text import Line

_STANDINGS: Final[dict[str, HealthStanding]] = {
    "PEER": "healthy",
    "CONNECTED": "healthy",
    "REMOTE_CATCHUP": "hint",
    "LOCAL_CATCHUP": "hint",
}
"""Every other one says that the standby is behind or out of reach."""


def _database(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["database"] = match["database"]


def _state(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state = match["state"]
    section.add(
        StorageState,
        line.number,
        source="db2pd -hadr",
        sort="replication link",
        name=f"HADR of {section.state['database']}" if "database" in section.state else "HADR",
        state=state.lower().replace("_", " "),
        standing=_STANDINGS.get(state, "degraded"),
    )


_ROWS: Final = Rows(
    Row("database", r"Database Member \d{1,5} -- Database (?P<database>\S{1,40}) -- ", _database, fate=Fate.FRAME),
    Row("state", r"HADR_(?:STATE|CONNECT_STATUS) {1,4}= (?P<state>[A-Z_]{4,40})$", _state),
    everyday(
        "settings", r"(?:HADR|REPLAY|STANDBY|PRIMARY|LOG|PEER|HEARTBEAT|TIME|TAKEOVER|READS)_?[A-Z_()]{0,60} {1,4}="
    ),
)


@parser(
    "db2_hadr",
    version=1,
    product="",
    claims=r"(?:HADR_(?:ROLE|STATE|CONNECT_STATUS) {1,4}= [A-Z]|Database Member \d{1,5} -- Database )",
    owns=_ROWS.owns,
    commands=("db2pd",),
)
def db2_hadr(section: OpenSection, out: Output) -> None:
    """The link of each database to its standby."""
    _ROWS.read(section, out, "no state of the replication")
