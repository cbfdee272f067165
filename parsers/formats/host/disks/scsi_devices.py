"""SCSI devices with their states: ``lsscsi -l``, and states that somebody printed out of ``/sys``.

    [1:0:0:1]    disk    CELLAR   SHELF-9          8888  /dev/sdb
      state=offline queue_depth=32 scsi_level=7 type=0 device_blocked=0 timeout=30
    /sys/block/sdc/device/state:running
    /sys/class/fc_host/host1/port_state:Linkdown
    /sys/class/fc_remote_ports/rport-1:0-3/port_state:Blocked

Yields ``DiskPath`` for devices and remote ports whose state is printed, ``StorageState`` for ports of adapters,
and a ``Setting`` for each device that is listed.
Tolerated: rows of ``lsscsi`` without a state, other values below ``/sys``. Source: lsscsi(8), the kernel's
drivers/scsi.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import Setting
from parsers.records.states import DiskPath, HealthStanding, PathStanding, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_UP: Final = frozenset(("running", "online", "live"))
_DOWN: Final = frozenset((
    "offline", "transport-offline", "cancel", "deleted", "dead", "error", "lost", "blocked", "linkdown", "bypassed",
))  # fmt: skip
_TYPES: Final = (
    r"disk|storage|cd/dvd|tape|enclosu|mediumx|process|printer|worm|optical|comms|zbc|wlun|no dev|unknown|0x\w{1,4}"
)


_WORDS: Final = (
    r"running|offline|transport-offline|blocked|quiesced?|created(?:-blocked)?|cancel|deleted|live|dead|lost|connecting"
    r"|Online|Offline|Linkdown|Blocked|Bypassed|Not Present|Marginal"
)
_PLACE: Final = (
    r"/sys/(?:class/(?:fc_host|fc_remote_ports|scsi_device|scsi_disk|nvme)|block)/[\w:.*?\[\]-]{1,40}/(?:device/)?"
    r"(?:port_)?state\b"
)
_FILE: Final = re.compile(r"/sys/(?:class/(\w{2,20})|block)/([\w:.*?\[\]-]{1,40})/(?:device/)?(?:port_)?state\b")
_ADAPTERS: Final = "fc_host"


def _device(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    name = section.state["device"] = match["device"] or match["address"]
    section.add(Setting, line.number, scope=name, source="lsscsi", name="device", value=match["address"])


def _state(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    if (name := section.state.pop("device", None)) is not None:
        _put_path(section, line, name, match["state"])


def _sysfs(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state = match["state"].strip('" ')
    if match["class"] != "fc_host":
        _put_path(section, line, match["name"], state)
        return
    _put_state(section, line, "controller", match["name"], state)


def _speed(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(Setting, line.number, scope=match["name"], source="sysfs", name="Speed", value=f"{match['speed']}/s")


def _put_state(section: OpenSection, line: Line, sort: Literal["controller", "path"], name: str, state: str) -> None:
    standing: HealthStanding = "healthy" if state.lower() in _UP else "degraded" if state.lower() in _DOWN else "hint"
    section.add(StorageState, line.number, source="sysfs", sort=sort, name=name, state=state, standing=standing)


def _alone(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A state below the one file that was printed; of several files of one sort it is not known of which."""
    text = section.command.text if section.command is not None else section.path or ""
    files = _FILE.findall(text)
    if len(files) != 1:
        return
    [(sort, name)] = files
    if sort == _ADAPTERS:
        _put_state(section, line, "controller", name, match["state"])
    elif any(mark in name for mark in "*?["):
        _put_state(section, line, "path", name, match["state"])
    else:
        _put_path(section, line, name, match["state"])


def _put_path(section: OpenSection, line: Line, name: str, state: str) -> None:
    """A device is one way to what lies behind it: whether there are others is not shown here."""
    standing: PathStanding = "up" if state.lower() in _UP else "down" if state.lower() in _DOWN else "unknown"
    section.add(DiskPath, line.number, source="lsscsi", device=name, state=state, standing=standing)


_ROWS: Final = Rows(
    Row(
        "device",
        rf"\[(?P<address>(?:\d{{1,5}}:){{3}}\d{{1,20}})\]\s{{1,8}}(?:{_TYPES})\s{{1,8}}\S.{{0,120}}?"
        r"\s(?:-|/dev/(?P<device>\S{1,60}))(?:\s{1,8}\S{1,60}){0,3}\s{0,8}$",
        _device,
        fate=Fate.FRAME,
    ),
    Row("state", r"state=(?P<state>[\w-]{2,20}) queue_depth=\d", _state, opens=False),
    Row(
        "value in /sys",
        r"/sys/(?:class/(?P<class>fc_host|fc_remote_ports|scsi_device|scsi_disk|nvme)|block)/(?P<name>[\w:.-]{1,40})/"
        r"(?:device/)?(?:port_)?state(?:: ?| ?= ?|\s{1,8})(?P<state>[\"A-Za-z][\w\" -]{1,24})$",
        _sysfs,
    ),
    Row(
        "device in /sys",
        r"/sys/(?:class/(?P<class>fc_host|fc_remote_ports|scsi_device|scsi_disk|nvme)|block)/(?P<name>[\w:.-]{1,40})"
        rf"/?(?:: ?| ?= ?|\s{{1,8}})(?P<state>{_WORDS})$",
        _sysfs,
    ),
    Row(
        "speed of an adapter",
        r"/sys/class/fc_host/(?P<name>host\d{1,4})/speed(?:: ?| ?= ?|\s{1,8})\"?(?P<speed>\d{1,4} Gbit)\b.{0,20}$",
        _speed,
    ),
    Row("state alone", rf"(?P<state>{_WORDS})$", _alone, opens=False),
    Row("another value", r"/sys/(?:class|block)/[\w:./-]{1,200}(?:: ?| ?= ?)\S", fate=Fate.EVERYDAY, opens=False),
    also=r"\[(?:\d{1,5}:){3}\d",
)


@parser("scsi_devices", version=4, product="storage", rows=_ROWS, commands=("lsscsi",), places=_PLACE)
def scsi_devices(section: OpenSection, out: Output) -> None:
    """Devices of SCSI, each with its state."""
    _ROWS.read(section, out, "no device with its state")
