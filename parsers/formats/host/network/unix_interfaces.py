"""Adapters of the network on old Unix hosts: ``entstat`` of AIX, ``lanscan`` of HP-UX, ``dladm show-aggr`` of Solaris.

    ETHERNET STATISTICS (ent0) :
    Transmit Statistics:                          Receive Statistics:
    Packets: 1234567                              Packets: 7654321
    Transmit Errors: 0                            Receive Errors: 214
    Driver Flags: Up Broadcast Running
    No Carrier Sense: 0                           CRC Errors: 12
    Adapter Data Rate: 20000
    Link Status : Down
    Media Speed Running: 100 Mbps Half Duplex

    Path     Address        In# State NamePPA        ID   Type      Support Mjr#
    0/2/0/0  0x00306E4A1B23 1   DOWN  lan1 snap1     2    ETHER     Yes     119

    LINK        PORT           SPEED DUPLEX   STATE     ADDRESS            PORTSTATE
    aggr1       --             1000Mb full    up        0:14:4f:29:d1:9    --
                net2           0Mb   unknown  down      0:14:4f:29:d1:a    standby

Yields ``Counter`` (since the adapter was opened) with the adapter as scope, its speed as ``Setting``, and
``ListedState``: a link that is down or runs at half duplex is wrong with ``entstat``, which somebody asked about one
adapter, and in an aggregation; one that is down in ``lanscan``, which lists all ports, is a hint. Source: entstat(1) of
AIX, lanscan(1M) of HP-UX, dladm(1M) of Solaris, as recalled.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records import Counter, Setting
from parsers.records.states import ListedStanding, ListedState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows, everyday, heading

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line


def _adapter(section: OpenSection, _line: Line, match: re.Match[str]) -> None:
    section.state["adapter"] = match["adapter"]


def _figures(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    unit = "packets" if match["what"] == "Packets" else "errors"
    for name, value in ((f"TX {unit}", match["sent"]), (f"RX {unit}", match["got"])):
        section.add(
            Counter,
            line.number,
            scope=section.state.get("adapter"),
            source="entstat",
            name=name,
            kind="cumulative",
            value=float(value),
        )


def _counted(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(
        Counter,
        line.number,
        scope=section.state.get("adapter"),
        source="entstat",
        name=match["name"],
        kind="cumulative",
        value=float(match["count"]),
    )


def _rate(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    value = f"{match['rate']} Mb/s"
    section.add(Setting, line.number, scope=section.state.get("adapter"), source="entstat", name="Speed", value=value)


def _put(section: OpenSection, line: Line, name: str | None, state: str, standing: ListedStanding, source: str) -> None:
    row = " ".join(line.text.split())[:400]
    section.add(ListedState, line.number, source=source, name=name, state=state, standing=standing, row=row)


def _link(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    adapter, is_up = section.state.get("adapter"), match["link"].lower() == "up"
    _put(section, line, adapter, f"link {match['link'].lower()}", "good" if is_up else "wrong", "entstat")


def _speed(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    is_half = match["duplex"].lower() == "half"
    adapter = section.state.get("adapter")
    _put(section, line, adapter, match["speed"], "wrong" if is_half else "good", "entstat")
    section.add(Setting, line.number, scope=adapter, source="entstat", name="Speed", value=match["speed"])


_ENTSTAT: Final = Rows(
    Row("adapter", r"ETHERNET STATISTICS \((?P<adapter>\w{2,20})\) ?:", _adapter, fate=Fate.FRAME),
    Row(
        "packets and errors",
        r"(?P<what>Packets|Transmit Errors): (?P<sent>\d{1,20})\s{1,80}(?:Packets|Receive Errors): (?P<got>\d{1,20})$",
        _figures,
        opens=False,
    ),
    Row("link", r"(?:Physical Port )?Link Sta(?:tus|te) ?: (?P<link>[Uu]p|[Dd]own|UP|DOWN)$", _link, opens=False),
    Row(
        "speed",
        r"Media Speed Running: (?P<speed>[\d.]{1,6} ?[MG]bps (?P<duplex>Full|Half) Duplex)$",
        _speed,
        opens=False,
    ),
    Row(
        "frames damaged or without room",
        r"[\w /-]{3,40}: \d{1,20}\s{1,80}(?P<name>(?:CRC|Alignment|No Resource) Errors): (?P<count>\d{1,20})$",
        _counted,
        opens=False,
    ),
    Row("rate", r"Adapter Data Rate: (?P<rate>[1-9]\d{1,6})$", _rate, opens=False),
    Row(
        "other figures",
        r"(?:Bytes|Interrupts|Packets Dropped|Bad Packets|Max Packets on S/W|S/W Transmit|Current S/W|Broadcast Packets"
        r"|Multicast Packets|No Carrier Sense|DMA Underrun|Lost CTS|Max Collision|Late Collision|Deferred|SQE Test"
        r"|Timeout Errors|Single Collision|Multiple Collision|Current HW|No mbuf|Adapter (?:Reset|Data)|Elapsed Time"
        r"|Device Type|Hardware Address|Driver Flags|Media Speed Selected|Elapsed|Limits|CRC Errors|DMA Overrun"
        r"|Alignment Errors|No Resource Errors|Receive Collision|Packet Too|Packets Discarded|Receiver Start)",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row(
        "titles",
        r"-{8,80}(?:\s{1,40}-{8,40})?$|Transmit Statistics:|General Statistics:|[\w -]{4,60} Specific Statistics:"
        r"|(?:Simplex|64BitSupport|ChecksumOffload|LargeSend|PrivateSegment|DataRateSet|AlternateAddress)"
        r"(?: \w{4,20}){0,6}$",
        fate=Fate.FRAME,
        opens=False,
    ),
)


@parser("entstat", version=2, product="", rows=_ENTSTAT, commands=("entstat",))
def entstat(section: OpenSection, out: Output) -> None:
    """``entstat -d``: the link of one adapter, and what it counted."""
    _ENTSTAT.read(section, out, "no figure of an adapter")


def _port(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state = match["state"]
    _put(section, line, match["name"], state, "good" if state == "UP" else "hint", "lanscan")


_LANSCAN: Final = Rows(
    heading("headings", r"Hardware\s{1,20}Station\s{1,20}Crd\s|Path\s{1,20}Address\s{1,20}In#\s{1,12}State\s"),
    Row(
        "port",
        r"\S{1,60}\s{1,20}0x[0-9A-Fa-f]{12}\s{1,12}\d{1,5}\s{1,12}(?P<state>UP|DOWN)\s{1,12}(?P<name>lan\d{1,5})\s",
        _port,
    ),
    everyday("ports without numbers", r"lanscan: "),
)


@parser("lanscan", version=1, product="", rows=_LANSCAN, commands=("lanscan",))
def lanscan(section: OpenSection, out: Output) -> None:
    """``lanscan``: which ports have a link."""
    _LANSCAN.read(section, out, "no port with its state")


def _part(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    if match["whole"]:
        section.state["whole"] = match["whole"]
    port, whole, state = match["port"], section.state.get("whole"), match["state"]
    name = whole if port == "--" else f"{port} of {whole}" if whole else port
    standing: ListedStanding = "good" if state == "up" else "wrong" if state == "down" else "unknown"
    _put(section, line, name, f"link {state}", standing, "dladm show-aggr")


_AGGREGATIONS: Final = Rows(
    heading("headings", r"LINK\s{1,40}PORT\s{1,40}SPEED\s{1,12}DUPLEX\s{1,12}STATE\s{1,20}ADDRESS\s{1,40}PORTSTATE"),
    Row(
        "aggregation or port of it",
        r"(?:(?P<whole>[a-z]\w{1,30})\s{1,40})?(?P<port>--|[a-z]\w{0,28}\d{1,4})\s{1,40}\d{1,6}M[Bb]\s{1,12}"
        r"(?:full|half|unknown)\s{1,12}(?P<state>up|down|unknown)\s{1,20}[0-9a-f:]{11,17}\s{1,40}(?:attached|standby|--)$",
        _part,
        opens=False,
    ),
)


@parser("aggregations", version=1, product="", rows=_AGGREGATIONS, commands=("dladm",))
def aggregations(section: OpenSection, out: Output) -> None:
    """``dladm show-aggr -x``: the ports of aggregations."""
    _AGGREGATIONS.read(section, out, "no port with its state")
