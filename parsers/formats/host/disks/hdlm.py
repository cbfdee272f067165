"""Paths of Hitachi's path manager: ``dlnkmgr view -path`` and ``-lu``.

    PathID PathName                        DskName iLU    ChaPort Status     Type IO-Count IO-Errors DNum HDevName
    000001 0000.0000.0000000000630000.0000 OPEN-V  00120B 2A      Offline(E) Own  213      41        0    hdisk4

Yields ``DiskPath`` per path: down where an error took it off, standby where a person did. No times. Source: the user's
guide of HDLM, recalled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records.states import DiskPath, PathStanding
from parsers.registry import parser
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    import re

    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_STANDINGS: Final[dict[str, PathStanding]] = {
    "Online": "up",
    "Online(P)": "up",
    "Online(S)": "up",
    "Online(D)": "up",
    "Online(E)": "down",
    "Offline(C)": "standby",
    "Offline(E)": "down",
    "Offline(P)": "down",
    "Offline": "down",
}


def _path(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    section.add(
        DiskPath,
        line.number,
        map=found["disk"],
        device=found["port"],
        address=found["name"],
        state=found["state"],
        standing=_STANDINGS[found["state"]],
    )


_STATE: Final = r"(?P<state>(?:Online(?:\([PSDE]\))?|Offline(?:\([CEP]\))?))"
_ROWS: Final = Rows(
    Row("sums", r"Paths:\d{1,9} OnlinePaths:\d{1,9}$", fate=Fate.FRAME),
    Row("heading", r"PathID\s{1,20}PathName\s{1,60}\S.{0,200}$", fate=Fate.FRAME),
    Row("headings of sums", r"PathStatus\s{1,20}IO-Count\s{1,20}IO-Errors$", fate=Fate.FRAME),
    Row("sum", r"(?:Online|Reduced)\s{1,20}\d{1,18}\s{1,20}\d{1,18}$", fate=Fate.EVERYDAY, opens=False),
    Row(
        "path",
        r"\d{6}\s{1,8}(?P<name>[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4,20}){1,3}|[\w.-]{4,80})\s{1,8}\S[^\n]{2,140}?\s"
        rf"(?P<port>[0-9A-Z]{{2,4}})\s{{1,12}}{_STATE}\s{{1,12}}(?:Own|Non)\s{{1,12}}\d{{1,18}}\s{{1,20}}\d{{1,18}}\s{{1,12}}"
        r"(?:\d{1,6}|-)\s{1,12}(?P<disk>[A-Za-z][\w/-]{1,60})$",
        _path,
        opens=False,
    ),
    Row("end", r"KAPL01001-I\b", fate=Fate.FRAME, opens=False),
)


@parser("hdlm", version=1, product="storage", rows=_ROWS, commands=("dlnkmgr",))
def hdlm(section: OpenSection, out: Output) -> None:
    """Each path with its disk and its state."""
    _ROWS.read(section, out, "no path with its state")
