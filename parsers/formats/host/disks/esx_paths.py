"""Paths of an ESXi host: ``esxcli storage core path list``, ``esxcli storage nmp path list`` and ``esxcfg-mpath -b``.

    fc.2000b1:2100b1-fc.5006c1:5006d1-naa.6f00aa22
       Runtime Name: vmhba2:C0:T1:L4
       Device: naa.6f00aa22
       State: dead

    naa.6f00aa22 : Cellar Fibre Channel Disk (naa.6f00aa22)
       vmhba2:C0:T1:L4 LUN:4 state:dead fc Adapter: WWNN: 20:00:...

Yields ``DiskPath`` with the device as map: ``dead`` is down, ``standby`` and a group without optimization stand by, as
does a path that was switched off. No times. Source: the reference of esxcli, recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records.states import DiskPath, PathStanding
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_DEVICE: Final = r"(?:naa|eui|t10|mpx|uuid|vml)\.[\w.:-]{3,120}"
_PATH: Final = r"vmhba\d{1,4}:C\d{1,4}:T\d{1,6}:L\d{1,6}"
_STANDINGS: Final[dict[str, PathStanding]] = {
    "active": "up",
    "dead": "down",
    "standby": "standby",
    "active unoptimized": "standby",
    "off": "standby",
    "disabled": "standby",
    "unavailable": "down",
}


def _name(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["path"], section.state["map"] = match["path"], None


def _device(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["map"] = match["map"]


def _state(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    path = section.state.pop("path", None)
    if path is not None:
        _put(section, line, path, match["state"], "esxcli")


def _row(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put(section, line, match["path"], match["state"], "esxcfg-mpath")


def _put(section: OpenSection, line: Line, path: str, state: str, source: str) -> None:
    section.add(
        DiskPath,
        line.number,
        source=source,
        map=section.state.get("map"),
        device=path,
        state=state,
        standing=_STANDINGS.get(state, "unknown"),
        layer="unknown",
    )


_PATHS: Final = Rows(
    Row("name of a path", rf"(?:UID: )?[a-z]\S{{1,250}}-\S{{1,250}}-{_DEVICE}$", fate=Fate.FRAME),
    Row("runtime name", rf"Runtime Name: (?P<path>{_PATH})$", _name, fate=Fate.FRAME),
    Row("device of a path", rf"Device: (?P<map>{_DEVICE})$", _device, fate=Fate.FRAME),
    Row("heading of a device", rf"(?P<map>{_DEVICE}) : \S.{{0,200}}\({_DEVICE}\)$", _device, fate=Fate.FRAME),
    Row("path", rf"(?P<path>{_PATH}) LUN:\d{{1,6}} state:(?P<state>\w{{1,20}}) \S.{{0,400}}$", _row),
    Row(
        "state",
        r"(?:Group )?State: (?P<state>active(?: unoptimized)?|dead|standby|off|disabled|unavailable|unknown)$",
        _state,
        opens=False,
    ),
    Row(
        "what else is shown",
        r"(?:Device Display Name|Adapter|Channel|Target|LUN|Plugin|Transport|Adapter Identifier|Target Identifier"
        r"|Adapter Transport Details|Target Transport Details|Maximum IO Size|Array Priority"
        r"|Storage Array Type Path Config|Path Selection Policy Path Config): {0,4}\S",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    also=r"(?:Group )?State: [a-z]",
)


@parser("esx_paths", version=1, product="storage", rows=_PATHS, commands=("esxcli", "esxcfg-mpath"))
def esx_paths(section: OpenSection, out: Output) -> None:
    """Paths of ESXi with their states."""
    _PATHS.read(section, out, "no path of ESXi with its state")
