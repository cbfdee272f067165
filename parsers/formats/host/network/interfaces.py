"""Network interfaces as ``netstat -i``, ``ip -s link``, ``ifconfig`` and ``/proc/net/dev`` show them: counters since
boot, MTU, state.

    Kernel Interface table
    Iface       MTU Met    RX-OK RX-ERR RX-DRP RX-OVR    TX-OK TX-ERR TX-DRP TX-OVR Flg
    bond0      1500   0   845265      0      0      0     1753      0      0      0 BMmRU

    2: eth1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 qdisc mq state UP mode DEFAULT qlen 1000
        link/ether 02:5e:10:00:00:17 brd ff:ff:ff:ff:ff:ff
        RX: bytes  packets  errors  dropped overrun mcast
        1113685    2244     0       0       0       0

    eth1: flags=4163<UP,BROADCAST,RUNNING,MULTICAST>  mtu 9000                  eth1  Link encap:Ethernet  HWaddr ...
            RX errors 0  dropped 12  overruns 0  frame 0                          RX packets:36 errors:0 dropped:12 ...

     face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop ...  /proc/net/dev
     eth1: 60600053  109378    0   12    0     0          0         0 44256546  121425    0    0 ...

Yields ``Counter`` (cumulative since boot) with the interface as scope and names such as ``RX packets``, ``RX errors``,
``RX dropped``, ``RX overrun`` (the same for both tools), ``Setting`` ``mtu`` and ``VLAN``, and ``Interface`` with the
flags or the state as printed. ``netstat -in`` of Solaris gives packets, errors and collisions. Columns by header;
``Met`` may be missing. Each address of ``ip addr`` and ``ifconfig`` is an ``Interface`` too. Source: netstat(8),
ip-link(8), ifconfig(8), proc(5), netstat(1M).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from parsers.formats.host.network.bonding import tell_none, tell_over, tell_part
from parsers.grammars.cells import is_whole
from parsers.output import Output
from parsers.records import Counter, Setting
from parsers.records.states import Interface, LinkStanding
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

_TITLE: Final = r"Kernel Interface table\s{0,8}$"
_HEADER: Final = r"Iface\s{1,20}MTU\s"
_SOLARIS: Final = r"Name\s{1,20}Mtu\s{1,20}(?:Net/Dest|Network)\s{1,40}Address\s{1,40}Ipkts\s"
_ROW: Final = r"\S{1,64}\s{1,30}\d{2,6}\s{1,30}\S"
_NETSTAT_NAMES: Final = {
    "RX-OK": "RX packets", "RX-ERR": "RX errors", "RX-DRP": "RX dropped", "RX-OVR": "RX overrun", "TX-OK": "TX packets",
    "TX-ERR": "TX errors", "TX-DRP": "TX dropped", "TX-OVR": "TX overrun", "Ipkts": "RX packets", "Ierrs": "RX errors",
    "Idrop": "RX missed", "Opkts": "TX packets", "Oerrs": "TX errors", "Collis": "collisions",
}  # fmt: skip

_IP_HEAD: Final = r"\d{1,6}: [\w.@:-]{1,64}: <[A-Z0-9_,-]{0,400}> mtu \d"
_ON_ONE_LINE: Final = r"\d{1,6}: [\w.@:-]{1,64}\s{1,20}inet6? [\da-fA-F.:]{3,60}/\d{1,3}(?:\s|$)"
"""Of ``ip -o addr``: an address a line, the rest of its block behind it."""
_IP_DIRECTION: Final = r"[RT]X(?: errors)?:\s{1,20}(?:bytes|length)\b"
_IP_REST: Final = (
    r"link/(?:\w{1,24}\b|\[\d)|inet6? \S|valid_lft |altname |(?:bond|vlan|bridge|openvswitch|team|vxlan|geneve|"
    r"veth|macvlan|macvtap|ipvlan|tun|gre|vrf|dummy|alias|minmtu)\w{0,20}(?: |$)"
    r"|\d{1,20}(?:\s{1,24}\d{1,20}){3,9}\s{0,8}$|promiscuity "
)
_IP = re.compile(
    r"\d{1,6}: (?P<name>[\w.-]{1,64})(?:@[\w.-]{1,64})?: <(?P<flags>[A-Z0-9_,-]{0,400})> mtu (?P<mtu>\d{1,6})\b"
    r"(?:.{0,200} state (?P<state>[A-Z]{1,24}))?"
)
_MASTER = re.compile(r" master (?P<master>[\w.-]{1,64})(?: |$)")
_LETTERS = re.compile(r"[ABDLMOPRUamr]{2,12}$")
_ADDRESS = re.compile(
    r"\d{1,6}: (?P<name>[\w.-]{1,64})(?:@[\w.-]{1,64})?\s{1,20}inet6? (?P<address>[\da-fA-F.:]{3,60}/\d{1,3})(?:\s|$)"
)
_VLAN = re.compile(r"vlan protocol [\w.]{3,12} id (\d{1,4})\b")
_INET = re.compile(r"inet6? (\S{1,64})")


@parser(
    "netstat_i",
    version=3,
    product="",
    claims=rf"(?:{_TITLE}|{_HEADER}|{_SOLARIS})",
    owns=rf"(?:{_TITLE}|{_HEADER}|{_SOLARIS}|{_ROW})",
    commands=("netstat",),
)
def netstat_i(section: OpenSection, out: Output) -> None:
    """``netstat -i``: a row per interface."""
    names: list[str] = []
    for line in section:
        words = line.text.split()
        if words[0] in ("Kernel", "Iface", "Name"):
            names = [] if words[0] == "Kernel" else words
        elif not names or not _interface(section, out, line, names, words):
            out.skip(line, "no row of the table of interfaces")


def _interface(section: OpenSection, out: Output, line: Line, names: list[str], words: list[str]) -> bool:
    if len(words) == len(names) - 1 and "Address" in names:  # of AIX and BSD: a loopback without an address
        words = [*words[: names.index("Address")], "", *words[names.index("Address") :]]
    if len(words) != len(names):
        return "no statistics available" in line.text
    row = dict(zip(names, words, strict=True))
    interface = words[0].rstrip("*")
    mtu = row.get("MTU", row.get("Mtu", ""))
    figures = {
        _NETSTAT_NAMES[name]: float(text) for name, text in row.items() if name in _NETSTAT_NAMES and is_whole(text, 20)
    }
    if not figures or not is_whole(mtu):
        return False
    _counters(section, out, line, interface, "netstat -i", figures)
    _mtu(section, out, line, interface, "netstat -i", mtu)
    if flags := row.get("Flg"):
        _put(section, out, line, interface, "netstat -i", flags)
    return True


def _counters(
    section: OpenSection,
    out: Output,
    line: Line,
    interface: str,
    source: str,
    figures: dict[str, float],
    sample: int | None = None,
) -> None:
    """sample: the line that the figures of one look at it share, where they stand on several."""
    out.extend(
        Counter,
        line=line.number,
        node=section.node,
        scope=interface,
        source=source,
        name=[*figures],
        kind="cumulative",
        value=[*figures.values()],
        at=section.at,
        zone_min=section.zone_min,
        sample=sample or line.number,
    )


def _mtu(section: OpenSection, out: Output, line: Line, interface: str, source: str, mtu: str) -> None:
    section.add(Setting, line.number, scope=interface, source=source, name="mtu", value=mtu)


def _put(
    section: OpenSection,
    out: Output,
    line: Line,
    interface: str,
    source: str,
    state: str | None,
    address: str | None = None,
) -> None:
    section.add(
        Interface,
        line.number,
        source=source,
        name=interface,
        state=state,
        address=address,
        standing=_standing(state),
    )


def _standing(state: str | None) -> LinkStanding:
    """A state, flags between commas, or the letters of netstat, of which ``U`` is up."""
    if state is None or state == "UNKNOWN":
        return "unknown"
    if _LETTERS.match(state):
        return "up" if "U" in state else "down"
    return "up" if "UP" in state.split(",") else "down"


@parser(
    "ip_link",
    version=5,
    product="",
    claims=rf"(?:{_IP_HEAD}|{_IP_DIRECTION}|{_ON_ONE_LINE})",
    owns=rf"(?:{_IP_HEAD}|{_IP_DIRECTION}|{_ON_ONE_LINE}|{_IP_REST})",
    commands=("ip",),
)
def ip_put(section: OpenSection, out: Output) -> None:
    """``ip -s link`` and ``ip addr``: a block per interface, or with ``-o`` a line for each address."""
    interface: str | None = section.state.get("interface")
    names: list[str] = []
    direction = ""
    for line in section:
        words = line.text.split()
        if match := _IP.match(line.text.lstrip()):
            interface = section.state["interface"] = match["name"]
            names = []
            _mtu(section, out, line, interface, "ip link", match["mtu"])
            _put(section, out, line, interface, "ip link", match["state"] or match["flags"])
            master = _MASTER.search(line.text)
            _keep(section, line, interface, match["flags"], match["state"], master["master"] if master else None)
        elif match := _ADDRESS.match(line.text.lstrip()):
            _put(section, out, line, match["name"], "ip addr", None, match["address"])
        elif re.match(_IP_DIRECTION, line.text.lstrip()):
            direction, names = words[0].rstrip(":"), _direction_names(words[1:])
        elif names and interface and len(words) == len(names) and all(is_whole(word, 20) for word in words):
            figures = {f"{direction} {name}": float(text) for name, text in zip(names, words, strict=True)}
            _counters(section, out, line, interface, "ip -s link", figures)
            names = []
        elif (match := _VLAN.match(line.text.lstrip())) and interface:
            section.add(Setting, line.number, scope=interface, source="ip link", name="VLAN", value=match[1])
        elif (match := _INET.match(line.text.lstrip())) and interface:
            _put(section, out, line, interface, "ip addr", None, match[1])
        else:
            _other(out, line, words)
    _bonds(section)


class _Card(NamedTuple):
    """As a link is shown: of which bond or bridge it is a part, and whether it has a carrier and is wanted up."""

    line: int
    flags: frozenset[str]
    state: str | None
    master: str | None

    @property
    def is_bond(self) -> bool:
        return "MASTER" in self.flags and "NOARP" not in self.flags

    @property
    def is_up(self) -> bool:
        return self.state == "UP" or (self.state in (None, "UNKNOWN") and {"UP", "LOWER_UP"} <= self.flags)


def _keep(section: OpenSection, line: Line, interface: str, flags: str, state: str | None, master: str | None) -> None:
    card = _Card(line.number, frozenset(flags.split(",")), state, master)
    section.state.setdefault("cards", {})[interface] = card


def _bonds(section: OpenSection) -> None:
    """Below all links: bonds that are down though their cards are up, and cards that a bond misses."""
    cards: dict[str, _Card] = section.state.pop("cards", {})
    for name, below in _parts(cards).items():
        up = sum(part.is_up for part in below.values())
        for part, card in below.items():
            if {"SLAVE", "UP"} <= card.flags and not card.is_up:
                tell_part(section, card.line, part, "down")
        whole = cards[name]
        if whole.is_up:
            continue
        if up:
            tell_over(section, whole.line, name, up, is_bond=whole.is_bond)
        elif whole.is_bond and "UP" in whole.flags:
            tell_none(section, whole.line, name, len(below))


def _parts(cards: Mapping[str, _Card]) -> dict[str, dict[str, _Card]]:
    """By bond or bridge its cards. A bridge counts where it is wanted up: the one of Open vSwitch is down by design."""
    bonds = [name for name, card in cards.items() if card.is_bond]
    parts: dict[str, dict[str, _Card]] = {name: {} for name in bonds}
    only = bonds[0] if len(bonds) == 1 else None
    for name, card in cards.items():
        master = card.master or (only if "SLAVE" in card.flags else None)
        if master is not None and master in cards and (master in parts or "UP" in cards[master].flags):
            parts.setdefault(master, {})[name] = card
    return parts


_BRIEF: Final = r"[\w.-]{1,64}(?:@[\w.-]{1,64})?\s{1,40}(?:UP|DOWN|UNKNOWN|LOWERLAYERDOWN|DORMANT|NOTPRESENT|TESTING)"
_BRIEF_ROW = re.compile(
    r"(?P<name>[\w.-]{1,64})(?:@[\w.-]{1,64})?\s{1,40}(?P<state>[A-Z]{2,24})(?:\s{1,40}(?P<rest>\S.{0,2000}))?$"
)
_BRIEF_FLAGS = re.compile(r"<([A-Z0-9_,-]{1,400})>")
_BRIEF_INET = re.compile(r"[\da-fA-F:.]{3,60}/\d{1,3}(?:\s|$)")


def _owns_brief(text: str, before: str) -> bool:
    return re.match(rf"{_BRIEF}(?:\s|$)", text.strip()) is not None


@parser(
    "ip_brief",
    version=1,
    product="",
    claims=rf"{_BRIEF}\s{{1,40}}(?:(?:[\da-f]{{2}}:){{5}}[\da-f]{{2}}\s{{1,40}}<[A-Z]|[\da-f.:]{{3,60}}/\d{{1,3}}(?:\s|$))",
    owns=_owns_brief,
    places=r"\bip (?:-\w{1,9} ){0,3}-br(?:ief)?\b",
)
def ip_brief(section: OpenSection, out: Output) -> None:
    """``ip -br link`` and ``ip -br addr``: a row per interface."""
    for line in section:
        match = _BRIEF_ROW.match(line.text.strip())
        if match is None:
            out.skip(line, "no interface with its state")
            continue
        rest = match["rest"] or ""
        _put(section, out, line, match["name"], "ip -br", match["state"])
        if (flags := _BRIEF_FLAGS.search(rest)) is not None:
            _keep(section, line, match["name"], flags[1], match["state"], None)
        for address in rest.split() if _BRIEF_INET.match(rest) else ():
            if _BRIEF_INET.match(address):
                _put(section, out, line, match["name"], "ip -br", None, address)
    _bonds(section)


def _direction_names(names: list[str]) -> list[str]:
    """Names of the figures below; those of ``RX errors:`` tell of what sort the errors were."""
    return [f"errors: {name}" for name in names[1:]] if names and names[0] == "errors:" else names


def _other(out: Output, line: Line, words: list[str]) -> None:
    if words[0].isdigit():
        out.skip(line, "figures without their names")
    elif not words[0].startswith("link/"):
        out.ignore()


_OLD_HEAD: Final = r"[\w.:@-]{1,64}\s{1,40}Link\s{1,20}encap:\S"
_NEW_HEAD: Final = r"[\w.:@-]{1,64}:\s{1,20}flags=[0-9a-f]{1,16}<[A-Z0-9_,-]{0,400}>"
_OLD_FLAGS: Final = r"(?:[A-Z_]{2,16}\s{1,40}){1,12}MTU:\d{2,6}"
_MOVED: Final = r"(?:[RT]X\s{1,20}(?:packets|errors|bytes)(?:\s{1,20}|:)\d|collisions:\d)"
_CARD_REST: Final = (
    r"(?:inet6?|ether|infiniband|loop|media:|status:|nd6\s{1,20}options=\S{1,80}|groups:|unspec)\s|options=\d"
    r"|(?:Memory|Interrupt|Base\s{1,20}address)[: ]|device\s{1,20}(?:interrupt|memory)\s|\[NO FLAGS\]"
)
_IFCONFIG = re.compile(
    rf"(?P<old>{_OLD_HEAD})|(?P<new>{_NEW_HEAD}) (?:metric \d{{1,6}} )?mtu (?P<mtu>\d{{1,6}})"
    rf"|(?P<flags>{_OLD_FLAGS})|(?P<moved>{_MOVED})|inet6? (?:addr: ?)?(?P<address>[\da-fA-F.:]{{3,60}})"
    r"(?:(?: {1,4}(?:broadcast|[Bb]cast:|P-t-P:) ?\S{1,40}){0,2} {1,4}(?:netmask |Mask:)"
    r"(?P<mask>\d{1,3}(?:\.\d{1,3}){3}))?"
)
"""Blanks in turn are one by then."""
_MASKS: Final = {
    ".".join(str(byte) for byte in (((1 << 32) - (1 << (32 - bits))) & 0xFFFFFFFF).to_bytes(4, "big")): bits
    for bits in range(1, 33)
}
"""Masks of networks as dotted bytes, with how many bits they have."""
_CARD_FIGURE = re.compile(r"(?P<name>[a-z]{2,20})(?: |:)(?P<value>\d{1,20})(?![\w.])")
_WHOLE = re.compile(r"[RT]X packets:\d{1,20} errors:\d")
_NO_NAME: Final = "(name not shown)"
_SAME: Final = {"overruns": "overrun"}
"""What ``ip -s link`` calls the same."""


@parser(
    "ifconfig",
    version=1,
    product="",
    claims=rf"(?:{_OLD_HEAD}|{_NEW_HEAD}|{_MOVED})",
    owns=rf"(?:{_OLD_HEAD}|{_NEW_HEAD}|{_OLD_FLAGS}|{_MOVED}|{_CARD_REST})",
    commands=("ifconfig",),
)
def ifconfig(section: OpenSection, out: Output) -> None:
    """``ifconfig`` of Linux, in its old form and its new one: a block per interface."""
    for line in section:
        text = " ".join(line.text.split())
        interface: str | None = section.state.get("interface")
        if (match := _IFCONFIG.match(text)) is None:
            out.ignore()
        elif match["old"] or match["new"]:
            interface, section.state["head"] = text.split()[0].rstrip(":"), line.number
            section.state["interface"] = interface
            if match["new"]:
                _mtu(section, out, line, interface, "ifconfig", match["mtu"])
                _put(section, out, line, interface, "ifconfig", text[text.index("<") + 1 : text.index(">")])
            else:
                out.frame()
        elif interface is None and match["moved"] and _WHOLE.match(text) is not None:
            section.state.setdefault("head", line.number)
            _card_figures(section, out, line, _NO_NAME, text)
        elif interface is None:
            out.skip(line, "an interface without its name")
        elif match["flags"]:
            _mtu(section, out, line, interface, "ifconfig", text.split("MTU:")[1].split()[0])
            _put(section, out, line, interface, "ifconfig", ",".join(text.split("MTU:")[0].split()))
        elif match["moved"]:
            _card_figures(section, out, line, interface, text)
        else:
            bits = _MASKS.get(match["mask"] or "")
            address = match["address"] if bits is None else f"{match['address']}/{bits}"
            _put(section, out, line, interface, "ifconfig", None, address)


def _card_figures(section: OpenSection, out: Output, line: Line, interface: str, text: str) -> None:
    """Figures of a line, each under the direction that stands before it."""
    figures: dict[str, float] = {}
    direction = ""
    for word in re.split(r"(?=\b[RT]X )", text):
        direction = word[:2] if word[:3] in ("RX ", "TX ") else ""
        for found in _CARD_FIGURE.finditer(word):
            name = _SAME.get(found["name"], found["name"])
            figures[f"{direction} {name}".strip()] = float(found["value"])
    figures.pop("txqueuelen", None)
    if figures:
        _counters(section, out, line, interface, "ifconfig", figures, section.state["head"])
    else:
        out.skip(line, "no figures of an interface")


_PROC_HEAD: Final = r"(?:Inter-\s{0,8}\|\s{0,8}Receive|face \|\s{0,4}bytes\s{1,8}packets)"
_PROC_ROW: Final = r"[\w.@-]{1,64}:\s{0,20}\d{1,20}(?:\s{1,24}\d{1,20}){2,15}\s{0,8}$"
_PROC_NAMES: Final = tuple(
    f"{direction} {name}"
    for direction, names in (
        ("RX", ("bytes", "packets", "errors", "dropped", "overrun", "frame", "compressed", "mcast")),
        ("TX", ("bytes", "packets", "errors", "dropped", "overrun", "collsns", "carrier", "compressed")),
    )
    for name in names
)


@parser("net_dev", version=1, product="", claims=_PROC_HEAD, owns=rf"(?:{_PROC_HEAD}|{_PROC_ROW})")
def net_dev(section: OpenSection, out: Output) -> None:
    """``/proc/net/dev``: a row per interface."""
    for line in section:
        name, mark, rest = line.text.strip().partition(":")
        words = rest.split()
        if mark and len(words) == len(_PROC_NAMES) and all(is_whole(word, 20) for word in words):
            figures = dict(zip(_PROC_NAMES, map(float, words), strict=True))
            _counters(section, out, line, name, "/proc/net/dev", figures)
        elif "|" in line.text:
            out.frame()
        else:
            out.skip(line, "no row of the table of interfaces")
