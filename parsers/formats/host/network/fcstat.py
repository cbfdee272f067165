"""``fcstat`` of AIX: a Fibre Channel adapter, its link and what it counted.

    FIBRE CHANNEL STATISTICS REPORT: fcs0
    Port Speed (supported): 16 GBIT
    Port Speed (running):   8 GBIT
    Attention Type:   Link Up
    Error Frames:  0
    Invalid CRC Count: 12
      No Command Resource Count: 812

Yields ``StorageState`` of the adapter's link (degraded where it is down), ``Setting`` of its speeds, ``Counter`` (since
the adapter was reset) of damaged frames, lost links and requests that waited for a resource of the adapter. No times.
Tolerated: any row below the name of the adapter. Source: fcstat of the AIX commands reference, recalled.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records import Counter, Setting
from parsers.records.states import StorageState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows, everyday

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_TOOL: Final = "fcstat"
_SPEEDS: Final = {"running": "Current Speed", "supported": "Largest speed"}


def _adapter(section: OpenSection, _line: Line, match: re.Match[str]) -> None:
    section.state["adapter"] = match["adapter"]


def _speed(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    name, value = _SPEEDS[match["which"]], f"{match['speed']} Gbit"
    section.add(Setting, line.number, scope=section.state.get("adapter"), source=_TOOL, name=name, value=value)


def _link(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    is_up = match["link"].lower() == "up"
    section.add(
        StorageState,
        line.number,
        source=_TOOL,
        sort="controller",
        name=section.state.get("adapter"),
        state=f"link {match['link'].lower()}",
        standing="healthy" if is_up else "degraded",
    )


def _count(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(
        Counter,
        line.number,
        scope=section.state.get("adapter"),
        source=_TOOL,
        name=match["name"],
        kind="cumulative",
        value=float(match["count"]),
    )


_ROWS: Final = Rows(
    Row("adapter", r"FIBRE CHANNEL STATISTICS REPORT: (?P<adapter>\w{2,20})", _adapter, fate=Fate.FRAME),
    Row(
        "speed",
        r"Port Speed \((?P<which>running|supported)\):\s{1,12}(?P<speed>\d{1,4}) GBIT$",
        _speed,
        opens=False,
    ),
    Row("link", r"Attention Type:\s{1,12}Link (?P<link>Up|Down)$", _link, opens=False),
    Row(
        "count",
        r"(?P<name>LIP Count|NOS Count|Error Frames|Dumped Frames|Link Failure Count|Loss of Sync Count"
        r"|Loss of Signal|Invalid Tx Word Count|Invalid CRC Count):\s{1,12}(?P<count>\d{1,20})$",
        _count,
        opens=False,
    ),
    Row(
        "lack of a resource",
        r"(?P<name>No (?:DMA Resource|Adapter Elements|Command Resource) Count):\s{1,12}(?P<count>\d{1,20})$",
        _count,
        opens=False,
    ),
    everyday(
        "values",
        r"(?:Device Type|Serial Number|Option ROM Version|ZA|World Wide (?:Node|Port) Name|Class-\d Implemented"
        r"|FC-4 TYPES|Class of Service|Port (?:FC ID|Type|Speed)|Attention Type|Topology|Seconds Since Last Reset"
        r"|Frames|Words|Primitive Seq|Firmware|Supported|(?:In|Out)put (?:Requests|Bytes)|Control Requests"
        r"|High Priority|Effective (?:max|num)|Adapter Effective|Transmit Statistics|Receive Statistics"
        r"|Number of|Length Errors|Driver|Port Busy|Elastic|Attached|Good|Bad|Hits|Misses)\b[^\n]{0,160}$",
        opens=False,
    ),
    Row(
        "titles",
        r"[-=]{4,100}(?:\s{1,60}[-=]{4,100})?$|FC SCSI|IP over FC"
        r"|[\w ()/-]{4,80} (?:Information|Statistics|Statistics\s{1,60}Receive Statistics)$",
        fate=Fate.FRAME,
        opens=False,
    ),
)


@parser("fcstat", version=1, product="storage", rows=_ROWS, commands=("fcstat",))
def fcstat(section: OpenSection, out: Output) -> None:
    """``fcstat``: the link of one adapter, its speed and its errors."""
    _ROWS.read(section, out, "no figure of an adapter")
