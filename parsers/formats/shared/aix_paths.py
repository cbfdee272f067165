"""Paths of disks on AIX as their drivers list them: SDD, SDDPCM and the path control of AIX.

    DEV#:   4  DEVICE NAME: hdisk4  TYPE: 2145  ALGORITHM:  Load Balance
    Path#      Adapter/Path Name          State     Mode     Select     Errors
        0*          fscsi0/path0           OPEN   NORMAL         35          0
    Adpt#     Name   State     Mode             Select     Errors  Paths  Active
        0   fscsi1  DEGRAD   ACTIVE         1096084594         12     38      19

    name    path_id  status   path_status  parent  connection
    hdisk4  1        Failed   Clo          fscsi0  500507180120c5cb,2000000000000

Yields ``DiskPath`` per path: down where it failed or its device is not what it was, standby where nobody opened the
disk or an operator took the path away. ``StorageState`` of an adapter and of a port of the storage: degraded where some
of its paths failed. Tolerated: rows without their heading, the names of SDD on Linux. Source: the guide of the
Multipath Subsystem Device Driver and lsmpio of the AIX commands reference, recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.shared.aix import PATH_STANDINGS
from parsers.ledger import Fate
from parsers.output import Output
from parsers.records.states import DiskPath, HealthStanding, PathStanding, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_OF_SDD: Final[dict[str, PathStanding]] = {
    "OPEN": "up",
    "CLOSE": "standby",
    "CLOSED": "standby",
    "DEAD": "down",
    "FAILED": "down",
    "INVALID": "down",
    "CLOSE_FAILED": "down",
    "OPEN_FAILED": "down",
}
_OF_PATH: Final[dict[str, PathStanding]] = {"Fai": "down", "Deg": "down", "Clo": "standby", "Dis": "standby"}
"""What ``lsmpio`` says of the path itself, where it says more than its state."""
_DISK: Final = r"[a-z][\w-]{1,40}"
_ADAPTER: Final = r"(?:fscsi|vscsi|iscsi|scsi|sas|fcs|nvme)\d{1,5}"


def _device(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["disk"] = match["disk"]


def _sdd_path(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state, mode = match["state"], match["mode"]
    section.add(
        DiskPath,
        line.number,
        map=section.state.get("disk"),
        device=f"{match['adapter']}/{match['path']}",
        state=f"{state} {mode}",
        standing="standby" if mode == "OFFLINE" and state != "FAILED" else _OF_SDD[state],
    )


def _mpio_path(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    words = (match["words"] or "").split(",")
    found = next((_OF_PATH[word] for word in words if word in _OF_PATH), None)
    standing = PATH_STANDINGS[match["state"]]
    section.add(
        DiskPath,
        line.number,
        map=match["disk"],
        device=match["parent"],
        address=match["connection"],
        state=f"{match['state']} {match['words']}",
        standing=standing if standing != "up" or found is None else found,
    )


def _adapter(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state, mode = match["state"], match["mode"]
    text = f"{state} {mode}, {match['active']} of {match['paths']} paths"
    standing: HealthStanding = "degraded" if state != "NORMAL" else "healthy" if mode == "ACTIVE" else "hint"
    _put(section, line, match["name"], text, standing)


def _driver(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["adapter"] = match["name"]


def _link(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    name, state = section.state.get("adapter"), match["state"]
    _put(section, line, name, f"link {state.lower()}", "healthy" if state == "Up" else "degraded")


def _port(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    lost = int(match["failed"]) + int(match["missing"])
    state = (
        f"{match['failed']} paths failed, {match['missing']} missing" if lost else f"{match['enabled']} paths enabled"
    )
    _put(section, line, f"port {match['port']}", state, "degraded" if lost else "healthy", section.state.get("adapter"))


def _put(
    section: OpenSection, line: Line, name: str | None, state: str, standing: HealthStanding, of: str | None = None
) -> None:
    section.add(
        StorageState,
        line.number,
        source="path driver",
        sort="controller",
        name=name,
        of=of,
        state=state,
        standing=standing,
    )


_SDD: Final = Rows(
    Row(
        "device",
        rf"DEV#:\s{{1,8}}\d{{1,5}}\s{{1,8}}DEVICE NAME:\s{{1,8}}(?P<disk>{_DISK})\s{{1,8}}TYPE:",
        _device,
        fate=Fate.FRAME,
    ),
    Row("heading", r"(?:Path|Adpt)#\s{1,40}(?:Adapter/|Name\s)", fate=Fate.FRAME),
    Row("counts", r"(?:Total (?:Dual Active.{0,60}|Devices|Opened\w{0,12})|Active Adapters) ?: ?\d", fate=Fate.FRAME),
    Row("serial", r"(?:SERIAL|LUN SERIAL|LUN IDENTIFIER|VID|OS): ?\S|={20,160}$", fate=Fate.FRAME, opens=False),
    Row(
        "path",
        rf"\d{{1,4}}\*?\s{{1,40}}(?P<adapter>{_ADAPTER}|Host\d{{1,4}}Channel\d{{1,3}})/(?P<path>\w{{1,40}})\s{{1,40}}"
        rf"(?P<state>{'|'.join(_OF_SDD)})\s{{1,12}}(?P<mode>NORMAL|OFFLINE)\s{{1,20}}\d{{1,18}}\s{{1,20}}\d{{1,18}}$",
        _sdd_path,
    ),
    Row(
        "adapter",
        rf"\d{{1,4}}\s{{1,12}}(?P<name>{_ADAPTER}|Host\d{{1,4}}Channel\d{{1,3}})\s{{1,12}}(?P<state>NORMAL|DEGRAD|FAILED)"
        r"\s{1,12}(?P<mode>ACTIVE|OFFLINE)\s{1,20}\d{1,18}\s{1,20}\d{1,18}\s{1,20}(?P<paths>\d{1,6})\s{1,20}(?P<active>\d{1,6})$",
        _adapter,
    ),
)


@parser("sdd_paths", version=1, product="storage", rows=_SDD, commands=("pcmpath", "datapath"))
def sdd_paths(section: OpenSection, out: Output) -> None:
    """``pcmpath query`` and ``datapath query``: the paths of disks, and how many of them each adapter has."""
    _SDD.read(section, out, "no path or adapter with its state")


_MPIO: Final = Rows(
    Row("heading", r"name\s{1,20}path_id\s{1,8}status\s{1,12}path_status\s", fate=Fate.FRAME),
    Row("heading of ports", r"Remote Ports\s{1,12}Enabled\s|Paths(?:\s{1,12}Paths){3}$", fate=Fate.FRAME, opens=False),
    Row(
        "path",
        rf"(?P<disk>{_DISK})\s{{1,12}}\d{{1,5}}\s{{1,12}}(?P<state>{'|'.join(PATH_STANDINGS)})\s{{1,12}}"
        rf"(?:(?P<words>[A-Z][a-z]{{2}}(?:,[A-Z][a-z]{{2}}){{0,3}}|N/A)\s{{1,12}})?\s{{0,20}}(?P<parent>{_ADAPTER})\s{{1,12}}"
        r"(?P<connection>[\w,.:]{3,64})$",
        _mpio_path,
    ),
    Row("driver", rf"Adapter Driver: (?P<name>{_ADAPTER}) -> AIX PCM$", _driver, fate=Fate.FRAME),
    Row("port of the adapter", r"Adapter WWPN:\s{1,8}[0-9a-f]{16}$", fate=Fate.FRAME, opens=False),
    Row("link", r"Link State:\s{1,12}(?P<state>\w{2,12})$", _link, opens=False),
    Row(
        "port",
        r"(?P<port>[0-9a-f]{16})\s{1,20}(?P<enabled>\d{1,6})\s{1,20}\d{1,6}\s{1,20}(?P<failed>\d{1,6})\s{1,20}"
        r"(?P<missing>\d{1,6})\s{1,20}0x[0-9a-f]{1,8}$",
        _port,
        opens=False,
    ),
)


@parser("lsmpio", version=1, product="storage", rows=_MPIO, commands=("lsmpio",))
def lsmpio(section: OpenSection, out: Output) -> None:
    """``lsmpio`` of AIX: its own view of each path; with ``-ar`` the ports of the storage."""
    _MPIO.read(section, out, "no path or port with its state")
