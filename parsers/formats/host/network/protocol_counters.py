"""``netstat -s``, ``nstat``, ``/proc/net/snmp``, ``ethtool -S`` and the settings that ``ethtool`` shows: counters of
protocols and of a network card.

    Tcp:                                             NIC statistics:
        1824 active connection openings                   rx_packets: 83125
        12 segments retransmited                          rx_dropped: 4
    TcpRetransSegs   12   0.0      Udp: InDatagrams NoPorts InErrors
                                   Udp: 8123 4 0
    Features for eth1:        Ring parameters for eth1:        Settings for eth1:
    rx-checksumming: on       RX:  4096                        Speed: 10000Mb/s

Yields ``Counter`` (cumulative): of ``netstat -s`` the words behind the figure as name and the protocol as scope; of
``nstat`` and the kernel's own table protocol and name in one word; of ``ethtool -S`` the name as printed and the
interface of the command as scope. Features, ring and speed are ``Setting`` with the interface as scope; whether it has
a link is an ``Interface`` too. Under its command the counters need no heading: people leave it out with ``grep``. No
times. Tolerated: rows without a figure, rows of several queues. Source: netstat(8), ethtool(8).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.grammars.cells import is_whole
from parsers.output import Output
from parsers.records import Counter, Setting
from parsers.records.states import Interface, ListedState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

_PROTOCOL: Final = r"(?:Ip|Icmp|IcmpMsg|Tcp|Udp|UdpLite|TcpExt|IpExt|Ip6|Icmp6|Udp6|Sctp|MPTcpExt):\s{0,8}$"
_OF_UNIX: Final = r"(?:tcp6?|udp6?|icmpv?6?|igmp|ip|ipv6|ip6|sctp|mptcp|arp|ipsec|esp|ah|pfkey|unix|rip6|carp):\s{0,8}$"
"""The same of BSD, macOS, AIX and HP-UX, where the words below are others."""
_PACKETS: Final = r"\d{1,20} packets sent$|\d{1,20} data packets? \(\d{1,20} bytes?\) retransmitted$"
_OF_TCP: Final = "packets sent"
"""Of UDP on Linux, of TCP elsewhere."""
_COUNTED: Final = r"\d{1,20} [a-zA-Z]|[A-Za-z][\w -]{2,60}: \d{1,20}\s{0,8}$|[a-zA-Z][\w -]{2,60}: \S{1,30}\s{0,8}$"
_OF_KERNEL: Final = r"(?:Ip|Icmp|IcmpMsg|Tcp|Udp|UdpLite|IcmpExt|TcpExt|IpExt|MPTcpExt|Ip6|Icmp6|Udp6|UdpLite6|Sctp)"
_NSTAT: Final = rf"{_OF_KERNEL}[A-Z0-9]\w{{1,40}}\s{{1,40}}\d{{1,20}}\s{{1,40}}\d{{1,12}}\.\d"
_SNMP: Final = rf"{_OF_KERNEL}: [A-Z][A-Za-z0-9]{{2,40}}(?: [A-Z][A-Za-z0-9]{{1,40}}){{0,400}}\s{{0,8}}$"
_SNMP_ROW: Final = rf"{_OF_KERNEL}: -?\d{{1,20}}(?: -?\d{{1,20}}){{0,400}}\s{{0,8}}$"
_MOST_NAMES: Final = 512
_STATISTICS: Final = r"[A-Z]{2,6} statistics:\s{0,8}$"
_ABOUT: Final = (
    r"(?:Features|Offload parameters|Ring parameters|Settings|Coalesce parameters|Pause parameters"
    r"|Channel parameters) for [\w.@-]{1,64}:\s{0,8}$"
)
_SPEED: Final = (
    r"(?:Speed: (?:\d{2,7}Mb/s|Unknown!)|Duplex: (?:Full|Half|Unknown!)|Link detected: (?:yes|no)\b"
    r"|Auto-negotiation: (?:on|off)|Port: (?:Twisted Pair|FIBRE|Direct Attach|Other|None)).{0,80}$"
)
"""What people pick out of the settings of a card."""
_CARD = re.compile(r"(?P<card>(?:eth|en[opsx]|em|p\d{1,3}p|ib|bond|team|lan|net|hsi|mlx|vmnic)\d[\w.]{0,14}):?$")
"""A card that a loop prints above its settings."""
_SENT = re.compile(r"\bethtool (?:-\w{1,3} )?([a-z][\w.-]{1,30})(?= {0,4}(?:[|;&'\"]|$))")
"""A command that is sent to other nodes, in a word of its own."""
_OF_FILE = re.compile(r"ethtool_(?:-\w{1,3}_)?((?:eth|en[opsx]|em|p\d{1,3}p|ib|bond|team)\d[a-z0-9]{0,14})(?=[_.]|$)")
"""A card in the name of a file."""
_NAMED: Final = re.compile(rf"{_CARD.pattern[:-3]}: {{1,20}}(?={_SPEED})")
_OF = re.compile(r"([A-Z][a-z]{1,10}).{0,20} for ([\w.@-]{1,64}):$")
_QUEUE: Final = re.compile(r"^(\[?[rt]x_?q?(?:ueue)?[ _-]?\d{1,4}\]?): (?=[a-z]\w{1,60}: \d)")
"""A queue of a card in front of its counter."""
_PAIR = re.compile(r"([A-Za-z][\w \[\].()/-]{0,80}?):\s{0,40}(\S.{0,200})?$")
_FIGURE_FIRST = re.compile(r"(\d{1,20}) ([a-zA-Z].{2,120})$")
_ETHTOOL_ROW: Final = (
    r"[\w\[\].()/ -]{1,80}:(?:\s{1,40}\S.{0,200})?\s{0,8}$|(?:Pre-set maximums|Current hardware "
    r"settings):|\d{2,7}base\S|(?:(?:drv|probe|link|timer|ifdown|ifup|rx_err|tx_err|tx_queued|intr|tx_done|rx_status|pktdata"
    r"|hw|wol)(?: |$)){1,16}$"
)


@parser(
    "netstat_s",
    version=3,
    product="",
    claims=rf"(?:{_PROTOCOL}|{_PACKETS})",
    owns=rf"(?:{_PROTOCOL}|{_OF_UNIX}|{_COUNTED})",
    commands=("netstat",),
    places=r"\bnetstat\s{1,8}(?:-[a-z]{1,6}\s{1,8}){0,3}-[a-z]{0,4}s[a-z]{0,4}(?=\s|$)",
)
def netstat_s(section: OpenSection, out: Output) -> None:
    """``netstat -s``: counters by protocol."""
    protocol: str | None = section.state.get("protocol")
    for line in section:
        text = line.text.strip()
        if re.match(rf"{_PROTOCOL}|{_OF_UNIX}", text):
            protocol = section.state["protocol"] = text.rstrip(":")
        elif match := _FIGURE_FIRST.match(text):
            is_tcp = match[2] == _OF_TCP and (protocol or "tcp").startswith("tcp")
            _count(section, out, line, protocol, "netstat -s", f"{match[2]} by TCP" if is_tcp else match[2], match[1])
        elif (pair := _PAIR.match(text)) and is_whole(pair[2] or "", 20):
            _count(section, out, line, protocol, "netstat -s", pair[1], pair[2])
        elif pair is None:
            out.skip(line, "no counter of a protocol")
        else:
            out.ignore()


@parser(
    "nstat",
    version=1,
    product="",
    claims=rf"(?:{_NSTAT}|#kernel$)",
    owns=rf"(?:{_NSTAT}|#(?:kernel|\d{{1,20}}\.\d))",
    commands=("nstat",),
)
def nstat(section: OpenSection, out: Output) -> None:
    """``nstat -a``: a counter of the kernel in each row, and its rate."""
    for line in section:
        name, value, *_ = [*line.text.split(), ""]
        if is_whole(value, 20):
            _count(section, out, line, None, "nstat", name, value)
        else:
            out.frame()


@parser(
    "net_snmp",
    version=1,
    product="",
    claims=_SNMP,
    owns=rf"{_SNMP}|{_SNMP_ROW}",
    places=r"/proc/net/(?:snmp|netstat)\b",
)
def net_snmp(section: OpenSection, out: Output) -> None:
    """``/proc/net/snmp`` and ``netstat``: the names of a protocol, and below them its figures."""
    for line in section:
        head, *words = line.text.split()
        names: list[str] = section.state.get(head, [])
        if not words or not words[0].lstrip("-").isdigit():
            section.state[head] = words[:_MOST_NAMES]
            out.frame()
            continue
        for name, value in zip(names, words, strict=False):
            if is_whole(value, 20):
                _count(section, out, line, None, "nstat", f"{head[:-1]}{name}", value)
        if not names:
            out.skip(line, "no names above the figures")


def _count(
    section: OpenSection, out: Output, line: Line, scope: str | None, source: str, name: str, value: str
) -> None:
    section.add(
        Counter,
        line.number,
        scope=scope,
        source=source,
        name=name,
        kind="cumulative",
        value=float(value),
        sample=line.number,
    )


@parser(
    "ethtool",
    version=5,
    product="",
    claims=rf"(?:{_STATISTICS}|{_ABOUT}|{_SPEED}|{_NAMED.pattern.replace('?P<card>', '?:')})",
    owns=rf"(?:{_STATISTICS}|{_ABOUT}|{_ETHTOOL_ROW}|{_CARD.pattern.replace('?P<card>', '?:')})",
    commands=("ethtool",),
    places=r"\bethtool[ _](?:-S|--statistics|-\w{0,3}S)\b|\bethtool \$?[\w{}.]{1,20}[\"']?(?: |$)",
)
def ethtool(section: OpenSection, out: Output) -> None:
    """``ethtool``: counters of a card, its features, rings and speed."""
    interface = _interface_of(section)
    about = "ethtool -S"
    for line in section:
        text = line.text.strip()
        if match := _CARD.match(text):
            about, interface = "ethtool settings", match["card"]
            out.frame()
            continue
        if match := _NAMED.match(text):
            about, interface, text = "ethtool settings", match["card"], text[match.end() :]
        elif re.match(_SPEED, text):
            about = "ethtool settings"
        if re.match(_STATISTICS, text):
            about = "ethtool -S"
        elif match := _OF.match(text):
            about, interface = f"ethtool {match[1].lower()}", match[2]
            section.speaks_of(scope=interface)
        elif text.startswith(("Pre-set maximums", "Current hardware")):
            about = "ethtool ring maximum" if text.startswith("Pre") else "ethtool ring"
        else:
            _ethtool_row(section, out, line, interface, about, text)


def _ethtool_row(section: OpenSection, out: Output, line: Line, interface: str | None, about: str, text: str) -> None:
    """text: what the line says of the card."""
    if _note_mode(section, line, interface, text):
        out.ignore()
        return
    pair = _PAIR.match(_QUEUE.sub(r"\1 ", text))
    value = (pair[2] or "").strip() if pair else ""
    if pair is None or not value:
        out.ignore()
    elif about == "ethtool -S" and is_whole(value, 20):
        _count(section, out, line, interface, about, pair[1].strip(), value)
    elif about == "ethtool -S":
        out.skip(line, "no counter of a card")
    elif (adaptive := _ADAPTIVE.match(text)) is not None:
        for way in ("RX", "TX"):
            name = f"Adaptive {way}"
            section.add(Setting, line.number, scope=interface, source=about, name=name, value=adaptive[way])
    else:
        section.add(Setting, line.number, scope=interface, source=about, name=pair[1].strip(), value=value)
        if pair[1].strip() == "Duplex" and value.lower() == "half":
            section.add(
                ListedState,
                line.number,
                source="ethtool",
                name=interface,
                state="half duplex",
                standing="wrong",
                row=text,
            )
        elif pair[1].strip() == "Link detected":
            section.add(
                Interface,
                line.number,
                source="ethtool",
                name=interface,
                state="no link" if value.startswith("no") else "link detected",
                standing="down" if value.startswith("no") else "up",
            )


def _note_mode(section: OpenSection, line: Line, interface: str | None, text: str) -> bool:
    """Whether the line goes on a list of speeds; the largest that a card can do is a setting of its own."""
    if text.startswith("Supported link modes:"):
        section.state["able"], section.state["most"] = True, (0, 0)
    elif _MODE.match(text) is None:
        if section.state.pop("able", False) and section.state["most"][0]:
            most, at = section.state["most"]
            section.add(
                Setting, at, scope=interface, source="ethtool settings", name="Largest speed", value=f"{most}Mb/s"
            )
        return False
    if section.state.get("able") and (speeds := [int(one) for one in _OFFERED.findall(text)]):
        section.state["most"] = max(section.state["most"], (max(speeds), line.number))
    return _MODE.match(text) is not None


_MODE: Final = re.compile(r"\d{1,7}base\S")
"""A line below ``Supported link modes`` or ``Advertised link modes``."""
_ADAPTIVE: Final = re.compile(r"Adaptive RX: {1,8}(?P<RX>on|off) {1,8}TX: {1,8}(?P<TX>on|off)$")
_OFFERED: Final = re.compile(r"\b(\d{2,7})base\w")


def _interface_of(section: OpenSection) -> str | None:
    """The card that the command or the name of the file speaks of."""
    command = section.command
    if command is not None and command.program == "ethtool":
        return next((word for word in command.args if not word.startswith("-")), None)
    if command is not None and (sent := _SENT.search(command.text)) is not None:
        return sent[1]
    named = section.path.rpartition("/")[2]
    match = re.search(
        r"ethtool_-\w{1,3}_([\w.-]{1,64}?)(?:(?:\.\d{1,3})?\.(?:txt|out|log))?$", named
    ) or _OF_FILE.search(named)
    return match[1] if match else None
