"""Ports of Fibre Channel adapters of HP-UX: ``fcmsutil``.

    # fcmsutil /dev/td1
                    Link Speed = 2Gb
                    Driver state = ONLINE

Yields ``ListedState`` per port, by the name in the command. No times. Source: fcmsutil(1M), recalled.
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

_PORT: Final = re.compile(r"/dev/(\w{2,20})\b")
_AWAY: Final = ("INITIALIZING", "READY", "DISABLED")
"""On the way, or taken out by a person."""


def _state(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    port = _PORT.search(section.command.text) if section.command is not None else None
    state = found["state"]
    name = f"Fibre Channel port{f' {port[1]}' if port else ''}"
    section.add(
        ListedState,
        line.number,
        source="fcmsutil",
        name=name,
        state=state,
        standing="good" if state == "ONLINE" else "hint" if state in _AWAY else "wrong",
        row=f"{name}: {state}",
    )


_ROWS: Final = Rows(
    Row("state", r"Driver state = (?P<state>[A-Z][A-Z_]{3,40})$", _state),
    Row("value", r"[A-Z][\w ()/.,#-]{2,60}? (?:is )?= {0,4}\S.{0,200}$", fate=Fate.EVERYDAY, opens=False),
)


@parser("fcmsutil", version=1, product="", rows=_ROWS, commands=("fcmsutil",), places=r"\bfcmsutil {1,4}/dev/\w{2,20}$")
def fcmsutil(section: OpenSection, out: Output) -> None:
    """The state of a port."""
    _ROWS.read(section, out, "no value of a port")
