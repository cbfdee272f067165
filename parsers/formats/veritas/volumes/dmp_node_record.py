"""``vxdmpadm list dmpnode`` of Veritas Dynamic Multi-Pathing: all that is known of a disk, and its paths.

    dmpdev         = reed0_0a11
    state          = enabled
    enclosure      = reed0
    num_paths      = 4
    ###path        = name state type transport ctlr hwpath aportID aportWWN attr
    path           = sdd enabled(a) - FC c2 c2 07E-01 50:00:09:72:08:12:34:18 -
    path           = sdh disabled - FC c2 c2 10E-01 50:00:09:72:08:12:34:24 -

Yields ``DiskPath`` per path with the DMP node as map, ``StorageState`` of the node. No times. Tolerated: any further
property, cut rows. Source: vxdmpadm(1M), Dynamic Multi-Pathing administrator's guide.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records.states import DiskPath, PathStanding, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_EQUALS: Final = r"\s{1,20}= "


def _node(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["node"] = match["name"]


def _state(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(
        StorageState,
        line.number,
        source="vxdmpadm list dmpnode",
        sort="disk",
        name=section.state.get("node"),
        state=match["state"],
        standing="healthy" if match["state"] == "enabled" else "failed",
    )


def _path(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state = match["state"]
    standing: PathStanding = "up" if state.startswith("enabled") else "down"
    section.add(
        DiskPath,
        line.number,
        source="vxdmpadm list dmpnode",
        map=section.state.get("node"),
        device=match["device"],
        state=state,
        standing=standing,
        layer="dmp",
    )


_ROWS: Final = Rows(
    Row("node", rf"dmpdev{_EQUALS}(?P<name>\S{{1,200}})$", _node, fate=Fate.FRAME),
    Row("state", rf"state{_EQUALS}(?P<state>enabled|disabled)$", _state, opens=False),
    Row(
        "path",
        rf"path{_EQUALS}(?P<device>\S{{1,120}}) (?P<state>(?:enabled|disabled)(?:\([a-z]\))?)(?: \S{{1,80}}){{1,12}}$",
        _path,
    ),
    Row("title of the paths", rf"###path{_EQUALS}name state\b", fate=Fate.FRAME),
    Row(
        "property",
        r"(?!(?:dmpdev|state|path)\s)\w[\w -]{1,30}?\s{1,20}= ?.{0,400}$",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    also=rf"(?:state|path){_EQUALS}",
)


@parser("dmp_node_record", version=1, product="veritas", rows=_ROWS)
def dmp_node_record(section: OpenSection, out: Output) -> None:
    """``vxdmpadm list dmpnode``: a disk with all its paths."""
    _ROWS.read(section, out, "no property of a DMP node")
