"""Links of Solaris and their groups: ``dladm show-link``, ``show-phys``, ``show-ether``, ``show-dev``, ``ipmpstat``.

    LINK       CLASS     MTU    STATE    OVER          LINK    MEDIA       STATE   SPEED  DUPLEX    DEVICE
    net3       phys      1500   down     --            net3    Ethernet    up      100    half      ixgbe3

    LINK       PTYPE    STATE    AUTO  SPEED-DUPLEX    PAUSE         bge0   link: up    speed: 1000  Mbps  duplex: full
    net0       current  up       yes   10G-f           bi

    INTERFACE   ACTIVE  GROUP   FLAGS     LINK  PROBE   STATE        GROUP  GROUPNAME  STATE     FDT     INTERFACES
    net1        no      ipmp0   -------   down  failed  failed       ipmp0  ipmp0      degraded  10.00s  net0 [net1]

Yields ``Interface`` for each link, ``Setting`` ``Speed`` of one that is up and ``mtu``, and ``ListedState``: half
duplex, an interface that its group gave up and a group that is short of one are wrong; a link that is down is so only
beside its like on other nodes, which a rule compares. A link that nobody uses is ``unknown`` here, and so is its
standing. Source: dladm(8), ipmpstat(8) of Solaris 10 and 11, as recalled.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.records import Setting
from parsers.records.states import Interface, LinkStanding, ListedStanding, ListedState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows, everyday, heading

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_NAME: Final = r"[a-z][\w./-]{0,30}\d{1,5}"
_STATE: Final = r"(?P<state>up|down|unknown)"
_STANDINGS: Final[dict[str, LinkStanding]] = {"up": "up", "down": "down"}
_OF_GROUPS: Final[dict[str, ListedStanding]] = {"ok": "good", "failed": "wrong", "degraded": "wrong", "offline": "hint"}
_LETTERS: Final = {"f": "full", "h": "half"}


def _put(section: OpenSection, line: Line, name: str, state: str, standing: ListedStanding, source: str) -> None:
    row = " ".join(line.text.split())[:400]
    section.add(ListedState, line.number, source=source, name=name, state=state, standing=standing, row=row)


def _state(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state = match["state"]
    standing = _STANDINGS.get(state, "unknown")
    section.add(Interface, line.number, source="dladm", name=match["name"], state=state, standing=standing)


def _link(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _state(section, line, match)
    if match["mtu"].isdecimal():
        section.add(Setting, line.number, scope=match["name"], source="dladm", name="mtu", value=match["mtu"])


def _port(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _state(section, line, match)
    _wire(section, line, match, f"{match['speed']} Mb/s", match["duplex"])


def _ether(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _state(section, line, match)
    unit = f" {match['unit']}b/s" if match["unit"] else " Mb/s"
    _wire(section, line, match, f"{match['speed']}{unit}", _LETTERS[match["duplex"]])


def _wire(section: OpenSection, line: Line, match: re.Match[str], speed: str, duplex: str) -> None:
    """How fast a link is; of one that is not up the figure is left over, or none."""
    if match["state"] != "up" or not speed.strip("0 ")[:1].isdecimal():
        return
    section.add(Setting, line.number, scope=match["name"], source="dladm", name="Speed", value=speed)
    if duplex == "half":
        _put(section, line, match["name"], f"half duplex at {speed}", "wrong", "dladm")


def _member(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state, link = match["state"], match["link"]
    section.add(
        Interface,
        line.number,
        source="ipmpstat",
        name=match["name"],
        state=link,
        standing=_STANDINGS.get(link, "unknown"),
    )
    text = f"{state} (link {link}, probe {match['probe']})" if state == "failed" else state
    _put(section, line, f"{match['name']} of {match['group']}", text, _OF_GROUPS.get(state, "unknown"), "ipmpstat")


def _group(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put(section, line, f"group {match['name']}", match["state"], _OF_GROUPS.get(match["state"], "unknown"), "ipmpstat")


_ROWS: Final = Rows(
    heading("heading of links", r"LINK\s{1,60}CLASS\s{1,20}MTU\s{1,20}STATE\s"),
    heading("heading of ports", r"LINK\s{1,60}MEDIA\s{1,40}STATE\s{1,20}SPEED\s{1,12}DUPLEX\s"),
    heading("heading of wires", r"LINK\s{1,60}PTYPE\s{1,20}STATE\s{1,20}AUTO\s{1,12}SPEED-DUPLEX\s"),
    heading("heading of members", r"INTERFACE\s{1,60}ACTIVE\s{1,20}GROUP\s{1,60}FLAGS\s{1,20}LINK\s"),
    heading("heading of groups", r"GROUP\s{1,60}GROUPNAME\s{1,60}STATE\s{1,20}FDT\s"),
    Row(
        "link",
        rf"(?P<name>{_NAME})\s{{1,60}}(?:phys|aggr|vlan|vnic|etherstub|part|iptun|bridge|simnet|veth)\s{{1,20}}"
        rf"(?P<mtu>\d{{1,6}}|--)\s{{1,20}}{_STATE}\s",
        _link,
    ),
    Row(
        "port",
        rf"(?P<name>{_NAME})\s{{1,60}}(?:Ethernet|Infiniband|WiFi|--)\s{{1,40}}{_STATE}\s{{1,20}}"
        r"(?P<speed>\d{1,7})\s{1,12}(?P<duplex>full|half|unknown)\s",
        _port,
    ),
    Row(
        "wire",
        rf"(?P<name>{_NAME})\s{{1,60}}current\s{{1,20}}{_STATE}\s{{1,20}}(?:yes|no|--)\s{{1,12}}"
        r"(?P<speed>\d{1,6})(?P<unit>[MG]?)-(?P<duplex>[fh])\b",
        _ether,
    ),
    Row(
        "device",
        rf"(?P<name>{_NAME})\s{{1,40}}link: {_STATE}\s{{1,20}}speed: (?P<speed>\d{{1,7}})\s{{0,8}}Mbps\s{{1,20}}"
        r"duplex: (?P<duplex>full|half|unknown)\b",
        _port,
    ),
    Row(
        "member of a group",
        rf"(?P<name>{_NAME})\s{{1,60}}(?:yes|no)\s{{1,20}}(?P<group>[A-Za-z][\w.-]{{0,40}})\s{{1,60}}[-a-zA-Z]{{7}}"
        r"\s{1,20}(?P<link>up|down|unknown)\s{1,20}(?P<probe>ok|failed|unknown|disabled)\s{1,20}"
        r"(?P<state>ok|failed|offline|unknown)$",
        _member,
    ),
    Row(
        "group",
        r"(?P<name>[a-z][\w.-]{0,40})\s{1,60}[A-Za-z][\w.-]{0,40}\s{1,60}(?P<state>ok|degraded|failed)\s{1,20}"
        r"(?:\d{1,4}\.\d\ds|--)\s{1,20}\S.{0,200}$",
        _group,
    ),
    everyday(
        "what a link offers", rf"{_NAME}\s{{1,60}}(?:capable|adv|peeradv|--)\s{{1,20}}(?:up|down|--|-)\s", opens=False
    ),
)


@parser("solaris_links", version=1, product="", rows=_ROWS, commands=("dladm", "ipmpstat"))
def solaris_links(section: OpenSection, out: Output) -> None:
    """``dladm`` and ``ipmpstat``: links, their speeds, and groups of them."""
    _ROWS.read(section, out, "no link and no group")
