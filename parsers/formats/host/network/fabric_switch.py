"""What a switch of a fabric shows of itself, its ports and its parts: Brocade and Cisco MDS.

    switchName:  sw-ebb                                        switchshow
    switchState: Online
      3   3   0a0300   id    N16   No_Sync     FC
    Fan 2 is Faulty, speed is 0 RPM                            fanshow
    Power Supply #2 is OK                                      psshow
      2     Ok                 38                100           tempshow
    Marginal ports monitor  MARGINAL                           switchstatusshow
    fc1/2      20     auto   on      errDisabled  swl  --      show interface brief
    fc1/1 is up                                                show interface
      0 discards, 41233 errors, 41233 CRC/FCS
      0 transmit B2B credit remaining

Yields ``HealthState`` of the switch, of its ports and parts. A port that nothing is plugged into, that somebody
disabled or whose far side is off looks alike on every switch and is everyday; one that finds no rhythm in its signal,
that the switch shut for errors or parted from the fabric is degraded. No times. Tolerated: any command left out, rows
without an index. Source: Brocade Fabric OS and Cisco MDS command references, recalled.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records.states import HealthStanding, HealthState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows, everyday, heading

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_DAMAGED: Final = 100
"""Frames; proposed: a port that comes up damages a few."""
_FAULTY: Final = r"No_Sync|Port_Flt|Lsr_Flt|Laser_Flt|Mod_Inv|Diag_Flt|Faulty"
_UNUSED: Final = r"No_Light|No_Module|No_SigDet|No_Card|No_Cable|In_Sync|Testing|Offline|Mod_Val"
_MEANT = re.compile(r"\bDisabled(?: \((?:Persistent|None)\)|$)")
_SHUT = re.compile(r"\bDisabled \([^()]{2,80}\)|\b[Ss]egmented\b|\b[Ff]enced\b")
_WELL: Final = frozenset(("ok", "online", "healthy", "good", "absent"))
_AT: Final = r"[^\n]{0,200}"


def _state(section: OpenSection, line: Line, component: str, state: str, *, is_well: bool) -> None:
    standing: HealthStanding = "healthy" if is_well else "degraded"
    name = section.state.get("switch")
    about = f"{component} of {name}" if name and component != name else component
    section.add(HealthState, line.number, source="fabric switch", component=about, state=state, standing=standing)


def _name(section: OpenSection, _line: Line, match: re.Match[str]) -> None:
    section.state["switch"] = match["name"]


def _switch(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    well = match["state"].lower() in _WELL
    _state(section, line, section.state.get("switch") or "switch", match["state"], is_well=well)


def _zoning(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    is_on = match["state"] == "ON"
    _state(section, line, "zoning", "on" if is_on else "off: every port reaches every other", is_well=is_on)


def _port(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state, rest = match["state"], match["rest"].strip()
    shut = _SHUT.search(rest)
    is_well = re.fullmatch(_FAULTY, state) is None and (shut is None or _MEANT.search(rest) is not None)
    _state(section, line, f"port {match['port']}", f"{state}{f', {shut[0]}' if shut else ''}", is_well=is_well)


def _part(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state = match["state"].strip()
    _state(section, line, f"{match['part']} {match['number']}".lower(), state, is_well=state.lower() in _WELL)


def _sensor(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state = f"{match['state']}, {match['degrees']} °C"
    _state(section, line, f"temperature sensor {match['number']}", state, is_well=match["state"].lower() in _WELL)


def _watched(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _state(section, line, match["what"].strip().lower(), match["state"], is_well=match["state"] == "HEALTHY")


def _interface(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["port"] = match["port"]
    is_well = re.fullmatch(_CISCO_FAULTY, match["state"]) is None
    _state(section, line, f"port {match['port']}", match["state"], is_well=is_well)


def _damaged(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    damaged = int(match["crc"])
    if "port" in section.state:
        state = f"{damaged} frames with a wrong checksum" if damaged else "no frame with a wrong checksum"
        _state(section, line, f"frames of port {section.state['port']}", state, is_well=damaged < _DAMAGED)


def _credit(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    if "port" in section.state:
        state = f"{match['left']} buffer credits left to send"
        _state(section, line, f"credits of port {section.state['port']}", state, is_well=int(match["left"]) > 0)


_CISCO_PORT: Final = r"(?P<port>(?:fc|vfc)\d{1,3}(?:/\d{1,3}){0,3}|(?:san-)?port-channel ?\d{1,4})"
_CISCO_FAULTY: Final = r"errDisabled|isolated|hwFailure|linkFailure|trunkFailed|suspended"
_CISCO_STATES: Final = rf"{_CISCO_FAULTY}|up|trunking|down|notConnected|sfpAbsent|init|outOfServc|adminDown"
_ROWS: Final = Rows(
    heading("called", r"(?:/fabos/cliexec/)?(?:switchshow|fanshow|psshow|tempshow|switchstatusshow)\b[^\n]{0,20}:$"),
    Row("name of the switch", r"switchName:\s{1,20}(?P<name>[\w.-]{1,63})$", _name, fate=Fate.FRAME),
    Row("name of the switch", r"Switch Name:\s{1,20}(?P<name>[\w.-]{1,63})$", _name, fate=Fate.FRAME, opens=False),
    Row("state of the switch", r"switchState:\s{1,20}(?P<state>Online|Offline|Testing|Faulty|Degraded)\b", _switch),
    Row("state of the switch", r"SwitchState:\s{1,20}(?P<state>[A-Z]{2,20})$", _switch, opens=False),
    Row("zoning", r"zoning:\s{1,20}(?P<state>ON|OFF)\b", _zoning, opens=False),
    everyday(
        "what the switch is",
        rf"switch(?:Type|Mode|Role|Domain|Id|Wwn|Beacon):\s{_AT}$",
        rf"(?:FC Router|HIF Mode|Address Mode|Allow XISL Use|Fabric Name|LS Attributes):\s{_AT}$",
        rf"(?:IP address|Duration):\s{_AT}$",
        r"No ISL found$|The Fabric has \d{1,4} switch",
        opens=False,
    ),
    heading("heading of ports", r"Index (?:Slot )?Port (?:Address )?\s{0,4}Media "),
    heading("heading of sensors", r"Sensor\s{1,8}State\s{1,30}Centigrade\b"),
    heading("heading of health", r"Switch Health Report\b"),
    Row(
        "port of a Brocade",
        r"(?:\d{1,4}\s{1,8}){0,2}(?P<port>\d{1,4})\s{1,8}(?:[0-9a-f]{6}|-{6})\s{1,8}(?:id|--|cu|sw|lw|un)\s{1,8}"
        rf"[\w-]{{1,4}}\s{{1,8}}(?P<state>Online|{_FAULTY}|{_UNUSED})\b(?P<rest>{_AT})$",
        _port,
    ),
    Row(
        "part of a Brocade",
        r"(?P<part>Fan|Power Supply) #?(?P<number>\d{1,3}) is (?P<state>[A-Za-z][A-Za-z ]{1,30}?)"
        r"(?:, speed is \d{1,6} RPM)?$",
        _part,
    ),
    Row(
        "sensor of a Brocade",
        r"(?P<number>\d{1,3})\s{1,12}(?P<state>Ok|Absent|Failed|Faulty|Above\w{0,12}|Below\w{0,12})\s{1,40}(?P<degrees>\d{1,3})"
        r"\s{1,40}\d{1,3}$",
        _sensor,
        opens=False,
    ),
    Row(
        "what a Brocade watches",
        r"(?P<what>[A-Z][A-Za-z ]{2,40}?) monitor\s{1,40}(?P<state>HEALTHY|MARGINAL|DOWN|FAULTY)$",
        _watched,
    ),
    heading("heading of interfaces", r"Interface\s{1,12}Vsan\s{1,12}Admin\s{1,12}Admin\s"),
    heading("heading of interfaces", r"(?:Mode\s{1,12}){1,3}Trunk\s|\(Gbps\)$|(?:Trunk\s{1,12})?Mode\s{1,12}Speed\b"),
    Row(
        "interface of a Cisco",
        rf"{_CISCO_PORT}\s{{1,12}}(?:\d{{1,4}}|--)\s{{1,12}}[\w-]{{1,6}}\s{{1,12}}(?:on|off|auto|--)\s{{1,12}}"
        rf"(?P<state>{_CISCO_STATES})\b{_AT}$",
        _interface,
    ),
    Row("interface of a Cisco", rf"{_CISCO_PORT} is (?P<state>{_CISCO_STATES})(?: \([^()]{{1,80}}\))?$", _interface),
    Row("frames of a Cisco", r"\d{1,20} discards, \d{1,20} errors, (?P<crc>\d{1,20}) CRC/FCS$", _damaged, opens=False),
    Row("credit of a Cisco", r"(?P<left>\d{1,6}) transmit B2B credit remaining", _credit, opens=False),
    everyday(
        "what an interface is",
        r"(?:Port description|Hardware|Port WWN|Port mode|Admin port mode|Operating Speed|Operating speed|Port vsan"
        rf"|Transmit B2B Credit|Receive B2B Credit|Receive data field Size|Beacon) is{_AT}$",
        rf"\d{{1,20}} (?:frames (?:in|out)put|discards, \d{{1,20}} errors$|unknown class"
        rf"|(?:in|out)put OLS|receive B2B){_AT}$",
        opens=False,
    ),
)


@parser(
    "fabric_switch",
    version=1,
    product="storage",
    rows=_ROWS,
    commands=("switchshow", "fanshow", "psshow", "switchstatusshow", "tempshow"),
)
def fabric_switch(section: OpenSection, out: Output) -> None:
    """Ports and parts of a switch."""
    _ROWS.read(section, out, "no row of the switch")
