"""Devices and ports of Solaris and HP-UX, and ports of Linux: ``ioscan``, ``iostat -En``, ``fcinfo``, ``systool``,
``fcoeadm -i``.

    disk      6  64000/0xfa00/0x4  esdisk  CLAIMED     DEVICE       NORTHWIND ARRAY
    tgtpath   4  0/4/1/0.0x5006.0x0 estp   NO_HW       TGT_PATH     fibre_channel target served by fcd driver

    c2t5006d3       Soft Errors: 0 Hard Errors: 4 Transport Errors: 31
    HBA Port WWN: 10000090fa000001                      port_state          = "Linkdown"
            State: offline                                      Symbolic Name:     fcoe v0.1 over ens3f1.204
                                                                OS Device Name:    host12
                                                                State:             Offline

Yields ``StorageState``: of ``ioscan`` degraded where the hardware does not answer or is suspended, or its health
(``-P health``) is not online, of ``iostat -En``
degraded where transport errors were counted and a hint where only hard ones were (a drive without a medium counts them
too), of a port degraded where its link is down; ``Counter`` of the errors since boot.

Source: ioscan(1M), iostat(1M), fcinfo(1M), recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import Counter, Setting
from parsers.records.states import HealthStanding, StorageSort, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_CLASSES: Final = r"disk|tgtpath|lunpath|fc|fcp|iscsi|ext_bus|tape|lan|target|escsi_ctlr|sas"
_SORTS: Final[dict[str, StorageSort]] = {
    "disk": "disk",
    "tape": "disk",
    "lunpath": "disk path",
    "tgtpath": "disk path",
}


def _named(match: re.Match[str]) -> str:
    """The class stands ahead of the number, unless the sort is called so."""
    number: str = match["instance"]
    return number if _SORTS.get(match["cls"]) == match["cls"] else f"{match['cls']} {number}"


def _scanned(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state = match["state"]
    is_gone = state == "NO_HW"
    section.add(
        StorageState,
        line.number,
        source="ioscan",
        sort=_SORTS.get(match["cls"], "controller"),
        name=_named(match),
        state=f"{state}: the hardware at {match['path']} does not answer" if is_gone else state,
        standing="degraded"
        if state in ("NO_HW", "ERROR", "SUSPENDED")
        else "healthy"
        if state == "CLAIMED"
        else "hint",
    )


_HEALTHS: Final[dict[str, HealthStanding]] = {
    "online": "healthy", "offline": "degraded", "limited": "degraded", "unusable": "degraded", "disabled": "degraded",
    "standby": "healthy",
}  # fmt: skip


def _health(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    health = match["health"]
    section.add(
        StorageState,
        line.number,
        source="ioscan",
        sort=_SORTS.get(match["cls"], "controller"),
        name=_named(match),
        state=f"{health}, at {match['path']}",
        standing=_HEALTHS[health],
    )


_STATES: Final = r"CLAIMED|UNCLAIMED|NO_HW|DIFF_HW|SUSPENDED|SCAN|ERROR"
_SCAN: Final = Rows(
    Row("heading", r"Class\s{1,12}I\s{1,12}H/W Path\s{1,60}Driver\s{1,20}S/W State\s", fate=Fate.FRAME),
    Row("heading of health", r"Class\s{1,12}I\s{1,12}H/W Path\s{1,60}health$", fate=Fate.FRAME),
    Row("ruler", r"={20,120}$", fate=Fate.FRAME, opens=False),
    Row(
        "health",
        rf"(?P<cls>{_CLASSES})\s{{1,12}}(?P<instance>\d{{1,5}})\s{{1,12}}(?P<path>[\d/.]\S{{0,80}})\s{{1,40}}"
        rf"(?P<health>{'|'.join(_HEALTHS)})$",
        _health,
    ),
    Row(
        "device",
        rf"(?P<cls>{_CLASSES})\s{{1,12}}(?P<instance>\d{{1,5}})\s{{1,12}}(?P<path>[\d/.]\S{{0,80}})\s{{1,40}}\S{{1,20}}"
        rf"\s{{1,20}}(?P<state>{_STATES})\s{{1,20}}[A-Z_]{{3,16}}(?:\s|$)",
        _scanned,
    ),
    Row("file", r"/dev/\S{1,80}(?:\s{1,20}/dev/\S{1,80}){0,6}$", fate=Fate.FRAME, opens=False),
)


@parser("ioscan", version=4, product="storage", rows=_SCAN, commands=("ioscan",))
def ioscan(section: OpenSection, out: Output) -> None:
    """``ioscan -fn`` of HP-UX: whether the hardware of each device answers."""
    _SCAN.read(section, out, "no device with its state")


def _fabric_port(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(
        StorageState,
        line.number,
        source="luxadm",
        sort="controller",
        name=match["path"],
        state=match["state"].lower(),
        standing="healthy" if match["state"] == "CONNECTED" else "hint",
    )


_FABRIC_PORTS: Final = Rows(
    Row("port", r"/devices(?P<path>/\S{4,200}):devctl\s{1,60}(?P<state>(?:NOT )?CONNECTED)$", _fabric_port),
)


@parser("luxadm_ports", version=1, product="storage", rows=_FABRIC_PORTS, commands=("luxadm",))
def luxadm_ports(section: OpenSection, out: Output) -> None:
    """``luxadm -e port`` of Solaris: whether something is at the other end of each port; one may be spare."""
    _FABRIC_PORTS.read(section, out, "no port with its state")


def _errors(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    name, counts = match["name"], {kind: int(match[kind]) for kind in ("soft", "hard", "transport")}
    section.state["disk"] = name
    for kind, count in counts.items():
        section.add(
            Counter,
            line.number,
            scope=name,
            source="iostat -E",
            name=f"{kind} errors",
            kind="cumulative",
            value=float(count),
            sample=line.number,
        )
    text = ", ".join(f"{counts[kind]} {kind} errors" for kind in ("hard", "transport") if counts[kind])
    section.add(
        StorageState,
        line.number,
        source="iostat -E",
        sort="disk",
        name=name,
        state=f"{text} since boot" if text else "no errors",
        standing="degraded" if counts["transport"] else "hint" if text else "healthy",
    )


def _sort(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    name, count = match["name"], match["count"]
    section.add(
        Counter,
        line.number,
        scope=section.state.get("disk"),
        source="iostat -E",
        name=name,
        kind="cumulative",
        value=float(count),
        sample=line.number,
    )


def _value(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    scope = section.state.get("disk")
    section.add(Setting, line.number, scope=scope, source="iostat -E", name=match["name"], value=match["value"].strip())


_ERRORS: Final = Rows(
    Row(
        "disk",
        r"(?P<name>[a-z]\w{1,40}(?:\.\w{1,20})?)\s{1,40}Soft Errors: (?P<soft>\d{1,12}) Hard Errors: (?P<hard>\d{1,12})"
        r" Transport Errors: (?P<transport>\d{1,12})\s{0,8}$",
        _errors,
    ),
    Row("maker", r"(?P<name>Vendor|Model): (?P<value>\S.{0,200})$", _value, opens=False),
    Row("size", r"(?P<name>Size): (?P<value>\S{1,20}.{0,60})$", _value, opens=False),
    Row(
        "sort",
        r"(?P<name>Media Error|Illegal Request): (?P<count>\d{1,12})(?:\s{1,4}\w[\w ]{2,40}: \d{1,12}){0,3}\s{0,8}$",
        _sort,
        opens=False,
    ),
)


@parser("iostat_errors", version=1, product="storage", rows=_ERRORS, commands=("iostat",))
def iostat_errors(section: OpenSection, out: Output) -> None:
    """``iostat -En`` of Solaris: errors of each disk since boot."""
    _ERRORS.read(section, out, "no errors of a disk")


def _port(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state.update(port=match["name"], over=None, device=None)
    section.add(Setting, line.number, scope=match["name"], source="fcinfo", name="port", value=match["name"])


def _over(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A port of FCoE is known by the interface below it until its own name follows."""
    section.state.update(port=match["over"], over=match["over"])
    section.add(Setting, line.number, scope=match["over"], source="fcoeadm", name="Symbolic Name", value=match["value"])


def _of_device(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    if section.state.get("over"):
        section.state["port"] = match["value"]
    section.state["device"] = match["value"].rsplit("/", 1)[-1]
    _of_port(section, line, match)


def _link(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state = match["state"]
    standing: HealthStanding = (
        "healthy" if state.lower() == "online" else "degraded" if state.lower() in _DOWN else "unknown"
    )
    text = f"link {state.lower()}" if standing == "degraded" else state
    section.add(
        StorageState,
        line.number,
        source="fcinfo",
        sort="controller",
        name=section.state.get("port"),
        of=section.state.get("over") if section.state.get("over") != section.state.get("port") else None,
        state=text,
        standing=standing,
    )


def _of_port(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    port = section.state.get("port")
    section.add(Setting, line.number, scope=port, source="fcinfo", name=match["name"], value=match["value"].strip())
    if match["name"] == "symbolic_name" and (firmware := _FIRMWARE.search(match["value"])) is not None:
        section.add(Setting, line.number, scope=port, source="fcinfo", name="firmware", value=firmware[1])
    if match["name"] == "Current Speed" and (device := section.state.get("device")):
        # The name of a port is its own: by that of its device it is compared with its like on other nodes.
        section.add(Setting, line.number, scope=device, source="fcinfo", name="Speed", value=match["value"].strip())


def _count(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """Errors of a link since its port was set up."""
    _counted(section, line, match["name"], float(match["count"]))


def _counted(section: OpenSection, line: Line, name: str, value: float) -> None:
    section.add(
        Counter,
        line.number,
        scope=section.state.get("port"),
        source="fcinfo",
        name=name,
        kind="cumulative",
        value=value,
    )


def _hex_count(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """The same of Linux, where all ones are a count that the driver does not keep."""
    value = int(match["hex"], 16)
    if value not in _NOT_KEPT:
        _counted(section, line, match["name"], float(value))
    else:
        section.add(
            Setting, line.number, scope=section.state.get("port"), source="fcinfo", name=match["name"], value="-"
        )


_NOT_KEPT: Final = (2**32 - 1, 2**64 - 1)
_FIRMWARE: Final = re.compile(r"\b(?:FW: ?|FV)(v?\d[\w.]{1,24})")
"""As drivers of adapters put it into the name by which a fabric knows their port."""
_DOWN: Final = frozenset(("offline", "linkdown", "error", "bypassed"))
_PORTS: Final = Rows(
    Row("port", r"HBA Port WWN: (?P<name>[0-9a-f]{16})\s{0,8}$", _port),
    Row("class", r'Class = "fc_(?:host|remote_ports)"$', None, fate=Fate.FRAME),
    Row("host", r'Class Device = "(?P<name>host\d{1,5})"$', _port),
    Row("over", r"Symbolic Name: {1,20}(?P<value>\S.{0,80} over (?P<over>[\w.@:-]{1,40}))$", _over),
    Row("device", r"(?P<name>OS Device Name): {1,20}(?P<value>\S{1,80})\s{0,8}$", _of_device, opens=False),
    Row("state", r"State: {1,20}(?P<state>[Oo]nline|[Oo]ffline|[Uu]nknown|Linkdown|Error)\s{0,8}$", _link, opens=False),
    Row("port state", r'port_state\s{1,30}= "(?P<state>[A-Za-z]{3,20})"$', _link),
    Row(
        "value",
        r"(?P<name>Port Mode|Port ID|OS Device Name|Manufacturer|Model|Firmware Version|FCode/BIOS Version"
        r"|Serial Number|Driver Name|Driver Version|Type|Supported Speeds|Current Speed|Node WWN|NPIV Not Supported"
        r"|Max NPIV Ports|NPIV port list"
        r"|Description|Revision|Driver|Number of Ports|Fabric ?Name|Node Name|Port Name|Speed"
        r"|Supported Speed|MaxFrameSize"
        r"|FC-ID \(Port ID\)): {0,20}(?P<value>\S.{0,120})$",
        _of_port,
        opens=False,
    ),
    Row("errors of the link", r"Link Error Statistics:$", fate=Fate.FRAME, opens=False),
    Row(
        "count",
        r"(?P<name>(?:Link Failure|Loss of (?:Sync|Signal)|Primitive Seq Protocol Error|Invalid (?:Tx Word|CRC))"
        r" Count): {0,20}(?P<count>\d{1,12})$",
        _count,
        opens=False,
    ),
    Row("statistics", r"Statistics:$", fate=Fate.FRAME, opens=False),
    Row(
        "count of fc_host",
        r'(?P<name>error_frames|(?:invalid|link|loss|prim)_[a-z_]{3,30}) {0,20}= "0x(?P<hex>[0-9a-f]{1,16})"$',
        _hex_count,
        opens=False,
    ),
    Row("attribute", r'(?P<name>[a-z_]{3,40})\s{1,30}= "(?P<value>[^"]{0,120})"?$', _of_port, opens=False),
)


@parser(
    "fc_ports",
    version=5,
    product="storage",
    rows=_PORTS,
    commands=("fcinfo", "systool", "fcoeadm"),
    places=r"\b(?:fcoeadm|systool -c fc_host)\b",
)
def fc_ports(section: OpenSection, out: Output) -> None:
    """``fcinfo hba-port``, ``systool -c fc_host -v`` and ``fcoeadm -i``: whether the link of each port is up."""
    _PORTS.read(section, out, "no value of a port")
