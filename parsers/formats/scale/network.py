"""The network of Spectrum Scale as one daemon sees it: ``mmdiag --network`` and ``mmfsadm dump tscomm``.

    === mmdiag: network ===
    Pending messages:
    msg_id 4711, service 13.1, msg_type 20 'tmMsgRevoke', n_dest 1, n_pending 1
    this 0x7F31C40A2DA0, n_xhold 1, cl 0, cbFn 0x0, age 37 sec
    sent by 'RevokeHandlerThread' (0x7F31C40A1000)
    dest <c0n2>          status pending   , err 0, reply len 0 by TCP connection
      my address      10.44.1.31/24 (bond0) <c0n2>
        hostname      node     idx destination     status     err  sock  sent(MB)  recvd(MB)  ostype
        tarn-s1       <c0n0>     0 10.44.1.11      connected  0    40    900       2700       Linux/L

Yields ``PendingRpc`` (a row per destination), ``Connection`` (a row per TCP or RDMA connection; one more where the
details tell of a fault), ``NodeAlias`` (host name and address of every peer), ``Setting`` (connection mode and port;
speed and MTU of interfaces), ``Counter`` (figures of a connection: ``retrans``, ``rtt``; packets that an interface
lost). An index like ``<c0n2>`` holds for the daemon that prints it alone: it is no alias, and is resolved by the table
of the same section. Tolerated: rows alone, cut rows, missing columns. No times. Source: IBM Storage
Scale documentation, mmdiag; releases 3.5 to 5.2.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from parsers.dataclass import dataclass
from parsers.output import Output
from parsers.records import Counter, NodeAlias, Setting
from parsers.records.states import Connection
from parsers.records.waits import PendingRpc
from parsers.registry import parser
from parsers.sections.reader import OpenSection

SOURCE: Final = "mmdiag --network"
PENDING_KEPT: Final = 20_000
_NAME: Final = r"[A-Za-z0-9][\w.-]{0,252}"
_ADDRESS: Final = r"(?:\d{1,3}\.){3}\d{1,3}|[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:.]{1,44}"
_INDEX: Final = r"<c\d{1,6}n\d{1,6}>"
_ROW: Final = rf"{_NAME} {{1,200}}{_INDEX}"
_HEAD: Final = r"hostname {1,80}node {1,20}(?:idx {1,8})?destination"
_MESSAGE: Final = r"msg_id {1,4}\d{1,18}, {1,4}service {1,4}\d"
CLAIM: Final = (
    rf"Pending messages:|{_MESSAGE}|Inter-node communication configuration:|TCP Connections between nodes:"
    rf"|RDMA Connections between nodes:|{_HEAD}"
    r"|Connection details:"
)
_DETAILS: Final = (
    r"connection info:|retry\(success\):|tcp connection state:|packet statistics:|lost: \d|retrans: "
    r"\d|network speed\(|rtt\(|pending data statistics|read/write calls pending:|(?:GPFS|Socket) "
    r"Send-Queue:|Inuse owner:|\[ ?\d{1,3}\]:\d|IpPair Table|idx {1,8}iface|\d{1,4} {1,8}[a-z]\w{1,20} "
    r"{1,20}(?:up|down|unknown)\b|Fabric \d|hostname {1,80}idx {1,8}CM\b|Message statistics|Dropped"
)
_OWNS: Final = (
    rf"{CLAIM}|\(none\)|this 0x|sent by '|dest \S{{1,60}} {{1,20}}status|tsc[A-Z]\w{{2,40}} {{1,40}}\S|my "
    rf"(?:address|node number|addr list|subnet list)(?: |$)|{_ROW}|{_NAME} {{1,200}}\d{{1,4}} {{1,20}}[YN] "
    rf"{{1,20}}[A-Z]{{2,8}}\b|{_INDEX} \S|status \w|{_DETAILS}|[a-z]\w{{1,40}} \d|connMode \w|Device "
    r"|reconnectTcpConns|devicename {1,40}speed|[a-z][\w.:-]{1,40}(?: {1,40}[\w.-]{1,20}){3}(?: {1,40}\d{1,18}){4,8}$"
)
_PEER = re.compile(
    rf"({_NAME}) {{1,200}}({_INDEX}) {{1,20}}(?:(\d{{1,6}}) {{1,20}})?({_ADDRESS})"
    r"(?: {1,20}([a-z]\w{1,30})(?: {1,20}(-?\d{1,9}))?)?(?: |$)"
)
_CUT_ROW = re.compile(_ROW)
_RDMA_DEVICE = re.compile(r"Fabric \d{1,4} - Device (\S{1,40}) Port (\d{1,3})")
_RDMA_ROW = re.compile(rf"({_NAME}) {{1,200}}(\d{{1,4}}) {{1,20}}[YN] {{1,20}}([A-Z]{{2,8}})\b(.{{0,200}})$")
_ERRORS = re.compile(r"\( {0,8}(\d{1,12}) {0,8}\)")
_MY_ADDRESS = re.compile(rf"my address {{1,40}}({_ADDRESS})(?:/\d{{1,3}})?(?: |$)")
_MODE = re.compile(r"(tsc[A-Z]\w{2,40}) {1,40}(\S{1,80})$")
_DETAIL_OF = re.compile(rf"{_INDEX} {{1,20}}({_ADDRESS})(?:/\d{{1,6}})?(?: \(({_NAME})\))?")
_STATUS = re.compile(r"status (\w{1,30})(?: was_broken (\d{1,9}))?(?: err (-?\d{1,9}))?")
_CONNECTIONS = re.compile(r"nMaxTcpConns (\d{1,4})(?: \(\d{1,4}\))? nActiveCount (\d{1,4})")
_IP_PAIR = re.compile(
    rf"\d{{1,4}} {{1,8}}(?P<card>[a-z]\w{{1,20}}) {{1,20}}(?P<state>[a-z]{{2,12}}) {{1,20}}\d{{1,9}} "
    rf"{{1,20}}(?:{_ADDRESS}) {{1,20}}(?P<peer>{_ADDRESS})(?: |$)"
)
_DEVICE = re.compile(
    r"(?P<name>[a-z][\w.:-]{1,40}) {1,40}(?P<speed>-?\d{1,9}) {1,40}(?P<mtu>\d{1,6}) {1,40}(?P<duplex>[a-z]{2,10})"
    r" {1,40}(?P<rx_dropped>\d{1,18}) {1,40}(?P<rx_errors>\d{1,18}) {1,40}(?P<tx_dropped>\d{1,18}) {1,40}"
    r"(?P<tx_errors>\d{1,18})(?: |$)"
)
_PAIR = re.compile(r"([A-Za-z][\w/() -]{1,40}): {1,8}(\d{1,18})(?![\w.(])")

_MSG = re.compile(
    r"msg_id {1,4}(\d{1,18}), {1,4}service {1,4}[\d.]{1,20},? {1,4}msg_type {1,4}\d{1,9} {1,4}'([^']{0,120})'"
    r"(?:, {1,4}n_dest {1,4}(\d{1,9}))?(?:, {1,4}n_pending {1,4}(\d{1,9}))?"
)
_THIS = re.compile(r"this 0x([0-9A-Fa-f]{1,16})\b")
_AGE = re.compile(r"\bage {1,4}(\d{1,9}(?:\.\d{1,9})?) {0,4}sec")
_SENT = re.compile(r"sent by '([^']{0,120})' \(0x([0-9A-Fa-f]{1,16})\)")
_DEST = re.compile(
    r"dest {1,4}<?([^\s<>]{1,60})>? {1,40}status {1,4}([a-z][a-z ]{0,30}?) {0,8}(?:, {0,4}err {1,4}(-?\d{1,9})|$)"
)


@dataclass(slots=True)
class _Detail:
    """One block of the connection details."""

    line: int
    address: str
    peer: str | None
    state: str = ""
    faulty: bool = False


class _Pending:
    """Messages that wait for replies; put out at the end, when the table has told who ``<c0n2>`` is."""

    def __init__(self, section: OpenSection) -> None:
        self._section = section
        self._open: PendingRpc | None = None
        self._answered = False
        self.rows: list[PendingRpc] = []

    def begin(self, line: int, match: re.Match[str]) -> None:
        """A message."""
        self.close()
        section = self._section
        self._open = PendingRpc(
            line=line,
            node=section.node,
            at=section.at,
            zone_min=section.zone_min,
            message_id=int(match[1]),
            rpc=match[2] or None,
            replies_due=int(match[4]) if match[4] else None,
        )
        self._answered = False

    def close(self) -> None:
        """The message is whole; one without a destination stands by itself."""
        if self._open is not None and not self._answered:
            self.rows.append(self._open)
        self._open = None

    def take(self, line: int, text: str) -> bool:
        """A line of the open message, or not."""
        if match := _MSG.match(text):
            self.begin(line, match)
            return True
        message = self._open
        if message is None:
            return False
        if match := _THIS.match(text):
            age = _AGE.search(text)
            self._open = replace(message, record=int(match[1], 16), seconds=float(age[1]) if age else None)
        elif match := _SENT.match(text):
            self._open = replace(message, thread=int(match[2], 16))
        elif match := _DEST.match(text):
            self._answered = True
            self.rows.append(
                replace(message, line=line, peer=match[1], state=match[2], error=int(match[3]) if match[3] else None)
            )
        else:
            return False
        return True


_NOT_NEEDED: Final = "init"
"""A connection that was never made, without an error: daemons connect when they have something to say."""


def carries(state: str) -> bool:
    """Whether the words of a connection's state say that it works."""
    return state.lower().startswith(("connected", "rts", "active", "up"))


class _Table:
    """Connections."""

    def __init__(self, section: OpenSection, out: Output) -> None:
        self._section = section
        self._out = out
        self._device = "RDMA"
        self._detail: _Detail | None = None
        self.names: dict[str, str] = section.state.setdefault("names", {})

    def _link(self, line: int, peer: str | None, link: str, address: str | None, state: str) -> None:
        section = self._section
        section.add(
            Connection,
            line,
            source=SOURCE,
            peer=peer,
            link=link,
            address=address,
            state=state,
            standing="unknown" if state in ("", _NOT_NEEDED) else "up" if carries(state) else "down",
        )

    def take(self, line: int, text: str) -> bool:
        """A line that tells of a connection."""
        if match := _PEER.match(text):
            self._peer(line, match)
        elif match := _RDMA_DEVICE.match(text):
            self._device = f"RDMA {match[1]}/{match[2]}"
        elif match := _RDMA_ROW.match(text):
            errors = sum(int(number) for number in _ERRORS.findall(match[4]))
            self._link(
                line, match[1], f"{self._device} {match[2]}", None, f"{match[3]} err {errors}" if errors else match[3]
            )
        elif match := _IP_PAIR.match(text):
            self._link(
                line,
                self._detail.peer if self._detail is not None else None,
                f"addresses over {match['card']}",
                match["peer"],
                match["state"],
            )
        elif match := _DEVICE.match(text):
            self._interface(line, match)
        elif match := _DETAIL_OF.match(text):
            self.close()
            self._detail = _Detail(line, match[1], match[2])
        else:
            return self._detail is not None and self._details(line, text, self._detail)
        return True

    def _interface(self, line: int, match: re.Match[str]) -> None:
        """A row of the interfaces: what it is set to, and what it lost."""
        section, name = self._section, match["name"]
        for setting in ("speed", "mtu", "duplex"):
            section.add(Setting, line, scope=name, source=SOURCE, name=setting, value=match[setting])
        for figure in ("rx_dropped", "rx_errors", "tx_dropped", "tx_errors"):
            section.add(
                Counter,
                line,
                scope=name,
                source=SOURCE,
                name=figure,
                kind="cumulative",
                unit="packets",
                value=float(match[figure]),
                sample=line,
            )

    def _peer(self, line: int, match: re.Match[str]) -> None:
        name, index, number, address, status, error = match.groups()
        if len(self.names) < PENDING_KEPT:
            self.names[index[1:-1]] = name
        self._out.add(NodeAlias(line=line, node=name, alias=address, kind="address"))
        if status:
            state = f"{status} err {error}" if error and int(error) else status
            self._link(line, name, f"tcp {number}" if number else "tcp", address, state)

    def _details(self, line: int, text: str, detail: _Detail) -> bool:
        if match := _STATUS.match(text):
            broken, error = int(match[2] or 0), int(match[3] or 0)
            detail.state = f"{match[1]}{f' was_broken {broken}' if broken else ''}{f' err {error}' if error else ''}"
            detail.faulty = bool(broken or error or match[1] != "connected")
        elif (match := _CONNECTIONS.match(text)) and int(match[2]) < int(match[1]):
            detail.state = f"{detail.state} nActiveCount {match[2]} of nMaxTcpConns {match[1]}".strip()
            detail.faulty = True
        for name, value in _PAIR.findall(text):
            self._section.add(
                Counter,
                line,
                scope=detail.peer or detail.address,
                source=SOURCE,
                name=name.strip(),
                kind="gauge",
                value=float(value),
                sample=detail.line,
            )
        return True

    def close(self) -> None:
        """The details of a connection are whole."""
        detail, self._detail = self._detail, None
        if detail is not None and detail.faulty:
            self._link(detail.line, detail.peer, "tcp details", detail.address, detail.state)


@parser(
    "scale_network",
    version=6,
    product="spectrum-scale",
    claims=CLAIM,
    owns=_OWNS,
    commands=("mmdiag", "mmfsadm"),
    places=r"\bmmdiag {1,4}--network\b",
)
def scale_network(section: OpenSection, out: Output) -> None:
    """``mmdiag --network``: pending messages, connections, and the address of every peer."""
    pending, table = _Pending(section), _Table(section, out)
    for line in section:
        text = line.text.strip()
        if pending.take(line.number, text) or table.take(line.number, text):
            continue
        if (own := _MY_ADDRESS.match(text)) and section.node:
            section.add(NodeAlias, line.number, alias=own[1], kind="address")
        elif mode := _MODE.match(text):
            out.add(
                Setting(line=line.number, node=section.node, source=SOURCE, name=mode[1], value=mode[2], at=section.at)
            )
        elif _CUT_ROW.match(text):
            out.skip(line, "no peer with its address")
        elif text.startswith(("msg_id", "dest ")):
            out.skip(line, "a pending message that is cut")
        else:
            out.ignore()
    pending.close()
    table.close()
    _put(pending.rows, table.names, out)


def _put(rows: Sequence[PendingRpc], names: dict[str, str], out: Output) -> None:
    for row in rows:
        out.add(replace(row, peer=names.get(row.peer, row.peer) if row.peer else None))
