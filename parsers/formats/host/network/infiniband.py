"""Ports of InfiniBand and RoCE adapters: ``ibstat``, ``ibstatus``, ``ibv_devinfo``, ``ibdev2netdev``, ``perfquery``,
``ibportstate`` and ``ibqueryerrors``.

    CA 'mlx5_0'                                   Infiniband device 'mlx5_0' port 1 status:
        Port 1:                                           default gid:     fe80::1
            State: Active                                 state:           4: ACTIVE
            Physical state: LinkUp                        phys state:      5: LinkUp
            Rate: 100                                     rate:            100 Gb/sec (4X EDR)

    hca_id: mlx5_0                                mlx5_0 port 1 ==> ib0 (Down)
            port:   1
                    state:          PORT_DOWN (1)

Yields ``HealthState`` of each port by its logical state: degraded where it has a link and is not active (no subnet
manager answers it) and where it lost the link over which a subnet manager once reached it (its lids stay), a hint where
it never had one, as a port that nobody uses has none either; degraded, too, where it is active over one lane of its
cable; and ``Setting`` of the other values with the port as
scope. Of ``perfquery`` (``SymbolErrorCounter:....12``) a ``Counter`` for each figure with the port as scope, and a
``HealthState`` where its link was lost since they were cleared; ``ibqueryerrors`` lists ports whose errors are beyond
its limits: degraded where the cable or the transceiver is at fault (``SymbolErrorCounter``). Source: ibstat(8),
ibstatus(8), perfquery(8), ibqueryerrors(8).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import Counter, Setting
from parsers.records.states import HealthStanding, HealthState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line


def _adapter(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state.update(adapter=match["name"], port=match.groupdict().get("port"))


def _port(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["port"] = match["port"]


def _name(section: OpenSection) -> str:
    adapter, port = section.state.get("adapter") or "an adapter", section.state.get("port")
    return f"{adapter}/{port}" if port else str(adapter)


def _state(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state = match["state"].lower()
    standing: HealthStanding = "healthy" if state == "active" else "hint" if state in _WITHOUT_LINK else "degraded"
    section.state.update(down=line.number if state == "down" else None, lids=0, active=state == "active")
    section.add(
        HealthState,
        line.number,
        source="ibstat",
        component=f"port {_name(section)}",
        state=state,
        standing=standing,
    )


def _value(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    name, value = match["name"].strip(), match["value"].strip()
    if name.lower() in _LIDS and section.state.get("down") and value not in _NO_LID:
        section.state["lids"] += 1
        if section.state["lids"] == _NEEDED:
            section.add(
                HealthState,
                section.state["down"],
                source="ibstat",
                component=f"port {_name(section)}",
                state="down, and had a link before",
                standing="degraded",
            )
    if name.lower() == "rate" and section.state.get("active") and _ONE_LANE.search(value):
        section.add(
            HealthState,
            line.number,
            source="ibstat",
            component=f"port {_name(section)}",
            state=f"active over one lane only: {value}",
            standing="degraded",
        )
    section.add(Setting, line.number, scope=_name(section), source="ibstat", name=name, value=value)


def _of_card(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """What stands behind a port, and whether the link of that is there: unused ones have none either."""
    is_up = match["state"].lower() == "up"
    section.add(
        HealthState,
        line.number,
        source="ibdev2netdev",
        component=f"port {match['name']}/{match['port']}",
        state=f"{match['card']} {match['state'].lower()}",
        standing="healthy" if is_up else "hint",
    )


_WITHOUT_LINK: Final = frozenset(("down", "disabled"))
_LIDS: Final = ("base lid", "sm lid", "port_lid", "sm_lid")
_NEEDED: Final = 2
"""Of a port that was in use: its own address and that of its subnet manager."""
_ONE_LANE: Final = re.compile(r"\(1X\b")
"""Cables have four lanes or more: with one of them the rest did not come up."""
_NO_LID: Final = frozenset(("0", "0x0", "0x0000", "65535", "0xffff"))
"""Of a port that no subnet manager ever configured."""
_VALUES: Final = (
    r"CA type|Number of ports|Firmware version|Hardware version|Node GUID|System image GUID|Physical state|Rate"
    r"|Base lid|LMC|SM lid|Capability mask|Port GUID|Link layer|default gid|base lid|sm lid|phys state|rate|link_layer"
    r"|transport|fw_ver|node_guid|sys_image_guid|vendor_id|vendor_part_id|hw_ver|board_id|phys_port_cnt|max_mtu"
    r"|active_mtu|sm_lid|port_lid|port_lmc"
)
_ROWS: Final = Rows(
    Row("adapter", r"CA:? '(?P<name>[\w.-]{1,40})'$", _adapter, fate=Fate.FRAME),
    Row(
        "port of an adapter",
        r"Infiniband device '(?P<name>[\w.-]{1,40})' port (?P<port>\d{1,3}) status:$",
        _adapter,
        fate=Fate.FRAME,
    ),
    Row("port", r"Port (?P<port>\d{1,3}):$", _port, fate=Fate.FRAME, opens=False),
    Row("adapter of ibv_devinfo", r"hca_id:\s{1,48}(?P<name>[\w.-]{1,40})$", _adapter, fate=Fate.FRAME),
    Row("heading of ports", r"Device ports:$", fate=Fate.FRAME, opens=False),
    Row("port of ibv_devinfo", r"port:\s{1,48}(?P<port>\d{1,3})$", _port, fate=Fate.FRAME, opens=False),
    Row("state of ibv_devinfo", r"state:\s{1,48}PORT_(?P<state>[A-Z]{3,20}) \(\d{1,2}\)$", _state, opens=False),
    Row(
        "card of a port",
        r"(?P<name>[a-z][\w.-]{1,39}) port (?P<port>\d{1,3}) ==> (?P<card>[\w.@-]{1,40}) \((?P<state>Up|Down)\)$",
        _of_card,
    ),
    Row("state", r"[Ss]tate:\s{1,24}(?:\d: )?(?P<state>[A-Za-z]{4,20})$", _state, opens=False),
    Row("value", rf"(?P<name>{_VALUES}):\s{{1,48}}(?P<value>\S.{{0,120}})$", _value, opens=False),
)


@parser("infiniband", version=3, product="", rows=_ROWS, commands=("ibstat", "ibstatus", "ibv_devinfo", "ibdev2netdev"))
def infiniband(section: OpenSection, out: Output) -> None:
    """``ibstat`` and ``ibstatus``: adapters with their ports."""
    _ROWS.read(section, out, "no value of an adapter")


def _head(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["port"] = f"{match['port']} of lid {match['lid']}"


def _count(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    name, value, port = match["name"], float(match["value"]), section.state.get("port")
    section.add(
        Counter,
        line.number,
        scope=port,
        source="perfquery",
        name=name,
        kind="cumulative",
        value=value,
        sample=line.number,
    )
    if name in _LOSSES and value:
        section.add(
            HealthState,
            line.number,
            source="perfquery",
            component=f"port {port or 'of an adapter'}",
            state=f"{_LOSSES[name]} {match['value']} times since the counters were cleared",
            standing="hint",
        )


_LOSSES: Final = {
    "LinkDownedCounter": "link lost",
    "LinkErrorRecoveryCounter": "link recovered",
    "LocalLinkIntegrityErrors": "too many errors of the link",
    "ExcessiveBufferOverrunErrors": "buffers overrun",
}
_COUNTS: Final = Rows(
    Row(
        "title",
        r"# Port (?:extended )?counters: Lid (?P<lid>\d{1,6}) port (?P<port>\d{1,4})\b.{0,60}$",
        _head,
        fate=Fate.FRAME,
    ),
    Row("what is asked", r"(?:PortSelect|CounterSelect2?):\.{2,60}\S{1,20}$", fate=Fate.FRAME),
    Row(
        "count",
        r"(?P<name>(?:Port|Symbol|Link|LocalLink|ExcessiveBuffer|VL15|QP1|Xmt|Rcv|Unicast|Multicast)\w{3,40}):\.{2,60}"
        r"(?P<value>\d{1,20})$",
        _count,
    ),
)


@parser("perfquery", version=1, product="", rows=_COUNTS, commands=("perfquery",))
def perfquery(section: OpenSection, out: Output) -> None:
    """``perfquery``: what a port counts."""
    _COUNTS.read(section, out, "no counter of a port")


def _link(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state = match["state"]
    section.add(
        HealthState,
        line.number,
        source="ibportstate",
        component=f"port {section.state.get('port') or 'of a switch'}",
        state=state,
        standing="healthy" if state == "Active" else "degraded",
    )


_PORT_STATE: Final = Rows(
    Row("title", r"# Port info: Lid (?P<lid>\d{1,6}) port (?P<port>\d{1,4})\b.{0,60}$", _head, fate=Fate.FRAME),
    Row("sort", r"(?:CA|Switch|CA/RT)? ?PortInfo:$", fate=Fate.FRAME),
    Row("state", r"LinkState:\.{2,60}(?P<state>(?!Down)[A-Z][A-Za-z]{3,16})$", _link),
    # A port that nobody uses is down too: whether it should be, nothing says.
    Row("state of one that is down", r"LinkState:\.{2,60}Down$"),
    Row("state below it", r"PhysLinkState:\.{2,60}[A-Z][A-Za-z]{3,40}$", fate=Fate.FRAME),
    Row(
        "value",
        r"(?:Link(?:Width|Speed)\w{6,16}|Lid|SMLid|LMC|Mkey(?:LeasePeriod)?|ProtectBits|Cap(?:abilities|Mask)?|NeighborMTU):"
        r"\.{2,60}\S.{0,80}$",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
)


@parser("ibportstate", version=1, product="", rows=_PORT_STATE, commands=("ibportstate",))
def ibportstate(section: OpenSection, out: Output) -> None:
    """``ibportstate``: the link of a port of a switch or an adapter."""
    _PORT_STATE.read(section, out, "no value of a port")


def _owner(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["owner"] = match["name"].strip()


def _beyond(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    owner = section.state.get("owner") or match["guid"]
    port = f"{match['port']} of {owner}"
    found = [(one["name"], one["value"]) for one in _COUNTED.finditer(match["errors"])]
    for name, value in found:
        section.add(
            Counter,
            line.number,
            scope=port,
            source="ibqueryerrors",
            name=name,
            kind="cumulative",
            value=float(value),
            sample=line.number,
        )
    shown = [one for one in found if one[0] in _ERRORS] or [one for one in found if one[0] in _LOSSES]
    if shown:
        section.add(
            HealthState,
            line.number,
            source="ibqueryerrors",
            component=f"port {port}",
            state=", ".join(f"{value} {_ERRORS.get(name) or _LOSSES[name]}" for name, value in shown[:3]),
            standing="degraded" if shown[0][0] in _ERRORS else "hint",
        )


def _summary(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    if int(match["nodes"]) and not int(match["bad"]):
        section.add(
            HealthState,
            line.number,
            source="ibqueryerrors",
            component="fabric",
            state=f"no errors on {match['nodes']} nodes",
            standing="healthy",
        )


_ERRORS: Final = {
    "SymbolErrorCounter": "symbol errors",
    "PortRcvErrors": "errors received",
    "LinkErrorRecoveryCounter": "recoveries of the link",
    "LocalLinkIntegrityErrors": "errors of the link",
    "ExcessiveBufferOverrunErrors": "overruns of buffers",
}
"""Of a link that works badly. A link that was lost may have been a host that was started again."""
_COUNTED = re.compile(r"\[(?P<name>[A-Za-z]\w{3,60}) == (?P<value>\d{1,20})\b[^\]]{0,40}\]")
_BEYOND: Final = Rows(
    Row("adapter", r"Errors for (?:0x[0-9a-f]{1,16} )?\"(?P<name>[^\"]{1,100})\"$", _owner, fate=Fate.FRAME),
    Row(
        "port beyond its limits",
        r"GUID (?P<guid>0x[0-9a-f]{1,16}) port (?P<port>\d{1,4}|ALL): {0,4}(?P<errors>\[.{1,1000}\])$",
        _beyond,
    ),
    Row("link", r"Link info: .{1,300}$", fate=Fate.FRAME, opens=False),
    Row("summary", r"## Summary: (?P<nodes>\d{1,9}) nodes checked, (?P<bad>\d{1,9}) bad nodes found$", _summary),
    Row("note", r"## Suppressed:.{0,300}$|## {2,20}\d{1,9} ports checked.{0,200}$", fate=Fate.FRAME, opens=False),
)


@parser("ibqueryerrors", version=1, product="", rows=_BEYOND, commands=("ibqueryerrors",))
def ibqueryerrors(section: OpenSection, out: Output) -> None:
    """``ibqueryerrors``: ports whose errors are beyond its limits."""
    _BEYOND.read(section, out, "no port and no summary")
