"""Paths and attachment points of Solaris: ``luxadm display``, ``mpathadm list lu``, ``cfgadm -al``.

    DEVICE PROPERTIES for disk: /dev/rdsk/c6t60060E80d0s2       /dev/rdsk/c0t600A0B80d0s2
      Controller           /devices/pci@400/SUNW,emlxs@0/fp@0,0         Total Path Count: 4
        Device Address              50060e8005a1c203,7                  Operational Path Count: 2
        State                       OFFLINE
    Ap_Id                Type       Receptacle Occupant   Condition
    c4::50060e8029cbb08  disk       connected  configured failing

Yields ``DiskPath`` per path of ``luxadm``; ``StorageState`` per unit of ``mpathadm``, which prints how many of its
paths work, and per attachment point that is in use: what is not configured is not used by this host, whatever its
condition. A port of Fibre Channel or SCSI without a cable stays connected: one that is disconnected was switched off.
Tolerated: missing values. Source: luxadm(1M), mpathadm(1M), cfgadm(1M), recalled.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records.states import DiskPath, HealthStanding, PathStanding, StorageState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_SLICE: Final = re.compile(r"s2$")
_STANDINGS: Final[dict[str, PathStanding]] = {
    "ONLINE": "up", "OFFLINE": "down", "FAILED": "down", "ERROR": "down", "STANDBY": "standby",
}  # fmt: skip
_BROKEN: Final = ("failed", "failing", "unusable")
_PORT_TYPE: Final = re.compile(r"fc(?:-fabric|-private|-public|-pt-to-pt)?$|scsi-(?:bus|sas)$|sas$")


def _unit(section: OpenSection, _line: Line, match: re.Match[str]) -> None:
    section.state.update(unit=_SLICE.sub("", match["name"].rsplit("/", 1)[-1]), controller=None, address=None)


def _controller(section: OpenSection, _line: Line, match: re.Match[str]) -> None:
    section.state.update(controller=match["path"].removeprefix("/devices"), address=None)


def _address(section: OpenSection, _line: Line, match: re.Match[str]) -> None:
    section.state["address"] = match["address"]


def _path(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state = section.state
    section.add(
        DiskPath,
        line.number,
        map=state.get("unit"),
        device=state.get("controller"),
        address=state.get("address"),
        state=match["state"],
        standing=_STANDINGS[match["state"]],
    )


_LUXADM: Final = Rows(
    Row("unit", r"DEVICE PROPERTIES for disk: (?P<name>\S{1,200})$", _unit, fate=Fate.FRAME),
    Row("file", r"(?P<name>/dev/rdsk/\S{1,120})$", _unit, fate=Fate.FRAME, opens=False),
    Row("place", r"/devices/\S{1,300}$", fate=Fate.FRAME, opens=False),
    Row("controller", r"Controller\s{1,40}(?P<path>/devices/\S{1,300})$", _controller, fate=Fate.FRAME),
    Row("address", r"Device Address\s{1,40}(?P<address>[0-9a-f]{16},\w{1,8})", _address, Fate.FRAME, opens=False),
    Row("state", rf"State\s{{1,40}}(?P<state>{'|'.join(_STANDINGS)})$", _path, opens=False),
    Row(
        "value",
        r"(?:Vendor|Product ID|Revision|Serial Num|Unformatted capacity|(?:Read|Write) Cache|M(?:in|ax)imum prefetch"
        r"|Device Type|Path\(s\)|Host controller port WWN|Class)(?:[:\s]|$)",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
)


@parser("luxadm", version=1, product="storage", rows=_LUXADM, commands=("luxadm",))
def luxadm(section: OpenSection, out: Output) -> None:
    """``luxadm display``: the paths of a disk by their controllers."""
    _LUXADM.read(section, out, "no part of a disk")


def _total(section: OpenSection, _line: Line, match: re.Match[str]) -> None:
    section.state["total"] = int(match["count"])


def _working(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    count, total = int(match["count"]), section.state.pop("total", None)
    if total is None:
        return
    standing: HealthStanding = "healthy" if count >= total else "degraded" if count else "failed"
    section.add(
        StorageState,
        line.number,
        source="mpathadm",
        sort="map",
        name=section.state.get("unit"),
        state=f"{count} of {total} paths work",
        standing=standing,
    )


_MPATHADM: Final = Rows(
    Row("unit", r"(?:/scsi_vhci/|/dev/rdsk/)(?P<name>\S{1,200})$", _unit, fate=Fate.FRAME, opens=False),
    Row("all paths", r"Total Path Count: {1,4}(?P<count>\d{1,5})$", _total, fate=Fate.FRAME),
    Row("working ones", r"Operational Path Count: {1,4}(?P<count>\d{1,5})$", _working),
)


@parser(
    "mpathadm",
    version=1,
    product="storage",
    rows=_MPATHADM,
    claims=rf"(?:/dev/rdsk/c\d{{1,4}}t[0-9A-F]{{16,40}}d\d{{1,5}}(?:s2)?$|{_MPATHADM.claims})",
    commands=("mpathadm",),
)
def mpathadm(section: OpenSection, out: Output) -> None:
    """``mpathadm list lu``: how many paths of each unit work."""
    _MPATHADM.read(section, out, "no count of paths")


def _point(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    condition, is_port = match["condition"], _PORT_TYPE.match(match["type"]) is not None
    is_off = is_port and match["receptacle"] == "disconnected"
    if match["occupant"] != "configured" and not is_off:
        return
    section.add(
        StorageState,
        line.number,
        source="cfgadm",
        sort="controller" if is_port or match["type"].endswith("bus") else "disk",
        name=match["name"],
        state=f"disconnected {match['occupant']}" if is_off else condition,
        standing="degraded" if is_off or condition in _BROKEN else "healthy",
    )


_CFGADM: Final = Rows(
    Row("heading", r"Ap_Id\s{1,60}Type\s{1,30}Receptacle\s{1,20}Occupant\s{1,20}Condition$", fate=Fate.FRAME),
    Row(
        "point",
        r"(?P<name>[\w./:,@-]{2,80})\s{1,60}(?P<type>[\w./()-]{2,24})\s{1,30}"
        r"(?P<receptacle>connected|empty|disconnected)\s{1,20}"
        r"(?P<occupant>configured|unconfigured)\s{1,20}(?P<condition>ok|unknown|failed|failing|unusable)\b",
        _point,
        fate=Fate.EVERYDAY,
    ),
)


@parser("cfgadm", version=2, product="storage", rows=_CFGADM, commands=("cfgadm",))
def cfgadm(section: OpenSection, out: Output) -> None:
    """``cfgadm -al``: attachment points and their condition."""
    _CFGADM.read(section, out, "no attachment point")
