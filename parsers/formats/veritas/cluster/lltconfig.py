"""Settings of Veritas LLT: ``lltconfig -F query`` and ``-T query``, ``/etc/llttab``, ``/etc/llthosts``.

    Current LLT flow control values (in packets):       set-node carp1
      lowwater  = 8000                                  set-cluster 41
      highwater = 10000                                 link igb2 /dev/igb:2 - ether - -
    Current LLT timer values (.01 sec units):           link l1 /dev/udp - udp 50001 1472 10.9.1.1 10.9.1.255
      peerinact   = 1600                                set-flow window:5000
      peertrouble = 200                                 set-timer peertrouble:400
    0 carp1
    1 carp2

Yields ``Setting``. What is in force carries the name as printed (``window``, packets; ``peerinact``, 1/100 s); a
directive of llttab its own words (``set-flow window``), a link its tag as scope (``link``, ``link device``, ``link
type``, ``link MTU``, ``link address``). ``NodeAlias`` from llthosts and ``set-node`` are ids and names. A row of
llthosts is known by the command above it or by the path only. Tolerated: comments, directives on one line, units behind
a value. Source: VCS 7 administration guide; lltconfig(1M), llttab(4), llthosts(4).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.line_kinds import is_elision
from parsers.output import Output
from parsers.records import NodeAlias, Setting
from parsers.records.states import HeartbeatLink, ServiceState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_FLOWS: Final = r"lowwater|highwater|rportlowwater|rporthighwater|window|linkburst|largepktlen|ackval|sws"
_TIMERS: Final = (
    r"heartbeat|heartbeatlo|peertrouble|peertroublelo|peerinact|timetoreqhb|reqhbtime|timetosendhb|sendhbcap|arpreq"
)
_QUERY_HEADING: Final = r"(?:Current LLT (?:flow control|timer|peer) |LLT (?:timers|flow control)[a-z ()]{0,40}:?$)"
_OWN_NAMES: Final = (
    r"lowwater|highwater|rportlowwater|rporthighwater|linkburst|largepktlen|peertrouble|peertroublelo"
    r"|peerinact|timetoreqhb|reqhbtime|timetosendhb|sendhbcap"
)
_QUERY_CLAIMS: Final = rf"(?:{_QUERY_HEADING}|(?:{_OWN_NAMES}) {{0,12}}= {{0,12}}\d{{1,12}}(?![\w.]))"
_PLAIN_PAIR: Final = rf"(?:{_FLOWS}|{_TIMERS})(?: {{1,60}}|: {{0,60}})\d{{1,12}}(?: [a-z.]{{1,12}})?$"
_QUERY_OWNS: Final = re.compile(rf"(?:{_QUERY_CLAIMS}|[a-z][a-z_]{{1,30}} {{0,12}}= {{0,12}}\d|{_PLAIN_PAIR})")
_QUERY_PAIR = re.compile(r"(?<!\S)([a-z][a-z_]{1,30})(?: {0,12}= {0,12}|: {0,60}| {1,60})(\d{1,12})(?![\w.])")
_QUERY_NAMES: Final = frozenset(f"{_FLOWS}|{_TIMERS}|oos|retrans|service|arp".split("|"))

_DIRECTIVES: Final = (
    r"set-(?:node|cluster|flow|timer|checksum|addr|bcasthb|arp|dbg-minlinks|verbose|resptm|mtu|trace|udp)"
    r"|link-lowpri|link|exclude|include|start"
)
_TAB_CLAIMS: Final = (
    r"(?:set-(?:flow|timer) {1,8}[a-z]{2,20}:\d|set-(?:node|cluster) {1,8}\S{1,255} "
    r"{0,40}(?:$|#|set-|link)|set-checksum {1,8}\d|link(?:-lowpri)? {1,20}\S{1,64} {1,20}\S{1,128} "
    r"{1,20}\S{1,64} {1,20}(?:ether|udp6?|rdma)(?: |$))"
)
_TAB_OWNS: Final = rf"{_TAB_CLAIMS}|#|(?:{_DIRECTIVES})(?: |$)"
_SPLIT = re.compile(rf"(?<!\S)(?=(?:{_DIRECTIVES})(?: |$))")
_KEYED = re.compile(r"([a-z]{2,20}):(\d{1,12})$")
_LINK_FIELDS: Final = ("device", "nodes", "type", "SAP", "MTU", "address", "broadcast")

_HOSTS_ROW: Final = r"\d{1,3} {1,20}[A-Za-z][\w.-]{0,126}$"
_HOST = re.compile(r"(\d{1,3}) {1,20}([A-Za-z][\w.-]{0,126})$")


def _setting(section: OpenSection, line: Line, source: str, name: str, value: str, scope: str | None = None) -> None:
    section.add(Setting, line.number, scope=scope, source=source, name=name, value=value)


def _owns_query(text: str, before: str) -> bool:
    return is_elision(text) or _QUERY_OWNS.match(text.lstrip()) is not None


@parser(
    "lltconfig",
    version=2,
    product="veritas",
    claims=_QUERY_CLAIMS,
    owns=_owns_query,
    commands=("lltconfig",),
    places=r"\blltconfig .{0,40}\bquery\b|\blltstat .{0,20}-\w{0,6}t",
)
def lltconfig(section: OpenSection, out: Output) -> None:
    """``lltconfig -F query`` and ``-T query``: flow control and timers in force."""
    for line in section:
        text = line.text.strip()
        if is_elision(text):
            out.ignore()
            continue
        if is_heading := "LLT " in text:
            section.state["source"] = "lltconfig -T" if "timer" in text else "lltconfig -F"
        pairs = _QUERY_PAIR.findall(text)
        for name, value in pairs:
            timer = name not in _FLOWS.split("|") and name in _QUERY_NAMES
            source = section.state.get("source") or ("lltconfig -T" if timer else "lltconfig -F")
            _setting(section, line, source, name, value)
        if is_heading:
            out.frame()
        elif not pairs:
            out.skip(line, "no parameter with a number")


@parser("llttab", version=1, product="veritas", claims=_TAB_CLAIMS, owns=_TAB_OWNS)
def llttab(section: OpenSection, out: Output) -> None:
    """``/etc/llttab``: links, flow control and timers from the next start on."""
    for line in section:
        text = line.text.strip().split("#", 1)[0].rstrip()
        if not text:
            out.ignore()
            continue
        for directive in _SPLIT.split(text):
            if directive and not _directive(section, out, line, directive.split()):
                out.skip(line, "a directive cut or of an unknown layout")
                break


def _directive(section: OpenSection, out: Output, line: Line, words: list[str]) -> bool:
    """One directive; False where it is not understood."""
    name, values = words[0], words[1:]
    if name in ("set-flow", "set-timer"):
        return _keyed(section, out, line, name, values)
    if name in ("link", "link-lowpri"):
        return _link(section, out, line, name, values)
    if name == "start":
        return True
    if not values:
        return False
    if name == "set-node" and "/" not in values[0] and not values[0].isdigit():
        section.is_on(values[0])
    _setting(section, line, "llttab", name, " ".join(values))
    return True


def _keyed(section: OpenSection, out: Output, line: Line, name: str, values: list[str]) -> bool:
    pairs = [match for value in values if (match := _KEYED.match(value))]
    for pair in pairs:
        _setting(section, line, "llttab", f"{name} {pair[1]}", pair[2])
    return bool(pairs) and len(pairs) == len(values)


def _link(section: OpenSection, out: Output, line: Line, name: str, values: list[str]) -> bool:
    """``link TAG DEVICE NODES TYPE SAP MTU [ADDRESS BROADCAST]``."""
    if len(values) < 4:
        return False
    tag = values[0]
    _setting(section, line, "llttab", name, " ".join(values[1:]), tag)
    for field, value in zip(_LINK_FIELDS, values[1:], strict=False):
        if value != "-":
            _setting(section, line, "llttab", f"link {field}", value, tag)
    return True


@parser(
    "llthosts",
    version=2,
    product="veritas",
    claims=r"(?!)",
    owns=rf"#|{_HOSTS_ROW}",
    places=r"(?:^|[\s/!_.-])llthosts(?![\w])",
)
def llthosts(section: OpenSection, out: Output) -> None:
    """``/etc/llthosts``: ids of LLT and the names behind them."""
    for line in section:
        text = line.text.strip()
        if text.startswith("#"):
            out.ignore()
            continue
        if (match := _HOST.match(text)) is None:
            out.skip(line, "no id with a name")
            continue
        out.add(NodeAlias(line=line.number, node=match[2], alias=str(int(match[1])), kind="id"))


def _running(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(
        ServiceState,
        line.number,
        source="lltconfig",
        sort="unit",
        group=match["what"],
        on=section.node,
        state="not running" if match["off"] else "running",
        standing="missing" if match["off"] else "online",
    )


def _of_link(section: OpenSection, _line: Line, match: re.Match[str]) -> None:
    section.state["link"] = match["tag"]


def _peer(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A peer whose address on a link is all zeros was never heard on it."""
    section.add(NodeAlias, line.number, node=match["name"], alias=match["id"], kind="id")
    if not match["address"].strip("0:.-") or match["address"] in ("unknown", "none"):
        section.add(
            HeartbeatLink,
            line.number,
            source="lltconfig -a",
            peer=match["name"],
            link=section.state.get("link"),
            state="no address",
            standing="down",
        )


_PEERS: Final = Rows(
    Row("state", r"(?P<what>LLT|GAB) is (?P<off>not )?(?:running|configured)\.?$", _running),
    Row("link", r"Link \d{1,3} \((?P<tag>\S{1,64})\):$", _of_link, Fate.FRAME),
    Row(
        "peer",
        r"Node {1,8}(?P<id>\d{1,3}) (?P<name>[A-Za-z][\w.-]{0,126}) {1,60}: {1,8}"
        r"(?P<address>[0-9A-Fa-f:.]{7,40}|unknown|-|none)(?: .{0,40})?$",
        _peer,
    ),
)


@parser("llt_peers", version=3, product="veritas", rows=_PEERS, commands=("lltconfig",), priority=2)
def llt_peers(section: OpenSection, out: Output) -> None:
    """``lltconfig`` alone says whether LLT runs, ``lltconfig -a list`` whom it knows on which link."""
    _PEERS.read(section, out, "no state and no node of a link")
