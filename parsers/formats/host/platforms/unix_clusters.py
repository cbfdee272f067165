"""Clusters of Solaris and HP-UX as their tools list them: ``scstat`` and ``cmviewcl``.

    -- Resources --                                                        NODE           STATUS       STATE
                Resource Name  Node Name   State        Status Message     hpdb2          down         failed
      Resource: tide-app       manta       Stop failed  Faulted            PACKAGE  STATUS  STATE   AUTO_RUN  NODE
      Cluster node:     manta               Online                         pkgora   down    failed  disabled  unowned

Yields ``ClusterMember`` per node, ``ServiceState`` per resource group, resource and package, ``ListedState`` per
transport path, quorum server, service and subnet and of the cluster itself, ``Interface`` per interface. A package that
is halted on purpose is off; one that failed is down. No times.
Source: scstat(1M) of Sun Cluster, cmviewcl(1M) of Serviceguard, recalled.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records.states import ClusterMember, Interface, ListedState, NodeStanding, ServiceStanding, ServiceState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_NAME: Final = r"[A-Za-z0-9][\w.-]{0,126}"
_GAP: Final = r"\s{1,60}"
_GOOD: Final = ("online", "offline", "unmanaged")


def _member(section: OpenSection, line: Line, node: str, state: str, standing: NodeStanding, source: str) -> None:
    section.add(
        ClusterMember,
        line.number,
        source=source,
        member=node,
        layer="membership",
        state=state,
        standing=standing,
    )


def _node(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state = match["state"]
    _member(section, line, match["node"], state, "up" if state == "Online" else "down", "scstat")


def _standing(state: str) -> ServiceStanding:
    word = state.lower()
    if "fail" in word or "fault" in word or word.startswith("error"):
        return "faulted"
    if word.startswith(("pending", "starting", "stopping")):
        return "changing"
    return "online" if word.startswith("online") else "offline" if word in _GOOD else "unknown"


def _service(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state, name, is_group = " ".join(match["state"].split()), match["name"], match["sort"] == "Group"
    section.add(
        ServiceState,
        line.number,
        source="scstat",
        sort="group" if is_group else "resource",
        group=name if is_group else None,
        resource=None if is_group else name,
        on=match["node"],
        state=state,
        standing=_standing(state),
    )


def _transport(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state, name = match["state"], f"{match['one']} to {match['other']}"
    section.add(
        ListedState,
        line.number,
        source="scstat",
        name=name,
        state=state,
        standing="good" if state == "Path online" else "wrong",
        row=f"transport path {name}: {state}",
    )


_STATES: Final = (
    r"Online(?:[_ -]{1,2}(?:faulted|not monitored|not_monitored))?|Offline|Unmanaged|Error--?stop failed"
    r"|(?:Stop|Start|Monitor)[_ ]failed|Pending[_ ]\w{3,12}(?:[_ ]blocked)?|Starting|Stopping"
)
_SCSTAT: Final = Rows(
    Row("title", r"-- (?:Cluster|Resource|Quorum|Device|IPMP)[\w ]{2,60} --$", fate=Fate.FRAME),
    Row("rule", r"-{2,40}$", fate=Fate.FRAME, opens=False),
    Row("node", rf"Cluster node:{_GAP}(?P<node>{_NAME}){_GAP}(?P<state>Online|Offline)$", _node),
    Row(
        "service",
        rf"(?P<sort>Group|Resource):{_GAP}(?P<name>{_NAME}){_GAP}(?P<node>{_NAME}){_GAP}(?P<state>(?i:{_STATES}))"
        r"(?:\s|$)",
        _service,
    ),
    Row(
        "transport path",
        rf"Transport path:{_GAP}(?P<one>{_NAME}:\w{{1,20}}){_GAP}(?P<other>{_NAME}:\w{{1,20}}){_GAP}"
        r"(?P<state>\w[\w ]{2,40})$",
        _transport,
    ),
    Row("parts", rf"Resources:{_GAP}{_NAME}(?:\s|$)", fate=Fate.FRAME),
    Row("votes", r"Quorum votes (?:possible|needed|present):\s{1,20}\d{1,4}$", fate=Fate.EVERYDAY),
    Row(
        "heading",
        r"(?:Node name|Group Name|Resource Name|Endpoint|Device (?:Group|Name))\s{2,60}\S"
        r"|-{3,40}(?:\s{1,40}-{3,40}){1,5}$",
        fate=Fate.FRAME,
        opens=False,
    ),
)


@parser("scstat", version=1, product="", rows=_SCSTAT, commands=("scstat",))
def scstat(section: OpenSection, out: Output) -> None:
    """``scstat``: nodes, paths, resource groups and resources of Sun Cluster."""
    _SCSTAT.read(section, out, "no state of a part of the cluster")


def _titled(section: OpenSection, _line: Line, match: re.Match[str]) -> None:
    section.state["title"] = match["what"]


def _newer_node(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    if section.state.get("title") == "Node Status":
        _member(section, line, match["name"], match["state"], "up" if match["state"] == "Online" else "down", "clnode")
    else:
        _newer_part(section, line, match)


def _newer_part(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A device group, a quorum device or a path: its state stands in the last column."""
    name, state = match["name"], match["state"]
    sort = section.state.get("title", "").removesuffix(" Status").removesuffix("Status").strip().lower() or "part"
    section.add(
        ListedState,
        line.number,
        source="status of Sun Cluster",
        name=f"{sort} {name}",
        state=state,
        standing="good" if state in ("Online", "Ok", "Path online") else "wrong",
        row=f"{sort} {name}: {state}",
    )


def _newer_group(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state = match["state"]
    section.add(
        ServiceState,
        line.number,
        source="clresourcegroup",
        sort="group",
        group=match["name"],
        on=match["node"],
        state=state,
        standing=_standing(state),
    )


_NEWER: Final = Rows(
    Row(
        "title",
        r"=== Cluster (?P<what>Nodes|Resource Groups|Resources|Device Groups|Transport Paths|Quorum|DID Devices"
        r"|Zone Clusters)\b[\w ,()-]{0,40} ===$",
        _titled,
        fate=Fate.FRAME,
    ),
    Row("title below", r"--- (?P<what>[A-Z][\w ,()-]{3,60}?) ---$", _titled, fate=Fate.FRAME, opens=False),
    Row(
        "heading",
        r"(?:Node Name|Device Group Name|Group Name|Resource Name|Endpoint1|Device Name|Quorum Name)\s{2,60}\S"
        r"|-{3,40}(?:\s{1,40}-{3,40}){0,5}$|Needed\s{2,20}Present\s{2,20}Possible$|\d{1,3}(?:\s{2,20}\d{1,3}){2}$",
        fate=Fate.FRAME,
        opens=False,
    ),
    Row("two columns", rf"(?P<name>{_NAME})\s{{2,60}}(?P<state>Online|Offline|Ok|Fail)$", _newer_node, opens=False),
    Row(
        "resource group",
        rf"(?P<name>{_NAME})\s{{2,60}}(?P<node>{_NAME})\s{{2,60}}(?:Yes|No)\s{{2,60}}(?P<state>(?i:{_STATES}))$",
        _newer_group,
        opens=False,
    ),
    Row(
        "more columns",
        rf"(?P<name>{_NAME}(?::\w{{1,20}})?)(?:\s{{2,60}}(?:[\w.,:-]{{1,126}})){{1,3}}\s{{2,60}}"
        r"(?P<state>Online|Degraded|Offline|Ok|Fail|Path online|faulted|waiting)$",
        _newer_part,
        opens=False,
    ),
    also=rf"{_NAME}\s{{2,60}}\w{{1,20}}$",
)


@parser(
    "clnode",
    version=1,
    product="",
    rows=_NEWER,
    commands=("clnode", "cldevicegroup", "cldg", "clresourcegroup", "clrg", "clinterconnect", "clquorum"),
)
def clnode(section: OpenSection, out: Output) -> None:
    """``clnode status`` and its like of Sun Cluster 3.2 and later."""
    _NEWER.read(section, out, "no state of a part of the cluster")


def _heading(section: OpenSection, _line: Line, match: re.Match[str]) -> None:
    section.state["table"] = match["what"]


def _cluster(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    if section.state.get("table") != "CLUSTER":
        return  # a row of another table that was cut
    name, state = match["name"], match["state"]
    section.add(
        ListedState,
        line.number,
        source="cmviewcl",
        name=name,
        state=state,
        standing="good" if state == "up" else "hint" if state == "starting" else "wrong",
        row=f"cluster {name}: {state}",
    )


def _row(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    name, status, state = match["name"], match["status"], match["state"]
    table = "PACKAGE" if match["on"] is not None else section.state.get("table")  # only packages have more columns
    if table == "NAME":
        _part(section, line, f"quorum server {name}", f"{status}, {state}", is_down=status != "up")
    elif table == "NODE":
        section.state["on"] = name
        section.state["lost"] = section.state.get("lost", False) or (status, state) == ("down", "failed")
        _member(section, line, name, f"{status}, {state}", "up" if status == "up" else "down", "cmviewcl")
    elif table == "PACKAGE":
        section.add(
            ServiceState,
            line.number,
            source="cmviewcl",
            sort="group",
            group=name,
            on=match["on"] if match["on"] not in (None, "unowned") else None,
            state=f"{status}, {state}",
            standing=_package_standing(section, status, state, match["on"]),
        )


def _package_standing(section: OpenSection, status: str, state: str, on: str | None) -> ServiceStanding:
    """Of a package; one that no node runs after one failed was not halted on purpose."""
    if (status, state) == ("up", "running"):
        return "online"
    if state in ("starting", "halting", "reconfiguring"):
        return "changing"
    was_left = section.state.get("lost", False) and on == "unowned"
    return "faulted" if state == "failed" or was_left else "offline"


def _part(section: OpenSection, line: Line, name: str, state: str, *, is_down: bool) -> None:
    section.add(
        ListedState,
        line.number,
        source="cmviewcl",
        name=name,
        state=state,
        standing="wrong" if is_down else "good",
        row=f"{name}: {state}",
    )


def _network(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """An interface of the node above, of which a standby one takes the place; a primary one that is down is missed."""
    if match["role"] == "PRIMARY" and match["status"] == "down":
        section.add(
            ListedState,
            line.number,
            node=section.state.get("on") or section.node,
            source="cmviewcl",
            name=f"primary network {match['name']}",
            state="down",
            standing="wrong",
            row=f"primary network {match['name']}: down",
        )
        return
    section.add(
        Interface,
        line.number,
        node=section.state.get("on") or section.node,
        name=match["name"],
        state=f"{match['role'].lower()}, {match['status']}",
        standing="up" if match["status"] == "up" else "down",
    )


def _item(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A service or a subnet of the package above."""
    name = f"{match['item'].lower()} {match['name']}"
    _part(section, line, name, match["status"], is_down=match["status"] == "down")


_CMVIEWCL: Final = Rows(
    Row(
        "heading",
        rf"(?P<what>NODE|PACKAGE|NAME){_GAP}STATUS{_GAP}STATE(?:{_GAP}AUTO_RUN{_GAP}NODE)?$",
        _heading,
        Fate.FRAME,
    ),
    Row(
        "headings of details",
        r"(?:(?:Network|Policy|Script|Node_Switching|Dependency|Other)_(?:Parameters|Attributes)|Quorum_Server_Status):$"
        r"|(?:INTERFACE|POLICY_NAME|ITEM|NODE_TYPE|ATTRIBUTE_NAME)\s{1,40}(?:STATUS|CONFIGURED_VALUE|ATTRIBUTE_VALUE)(?:\s|$)",
        fate=Fate.FRAME,
        opens=False,
    ),
    Row(
        "network",
        rf"(?P<role>PRIMARY|STANDBY){_GAP}(?P<status>up|down|unknown){_GAP}"
        rf"(?:[\w/.:()-]{{1,60}}{_GAP})?(?P<name>[a-z][\w.:]{{1,20}})$",
        _network,
        opens=False,
    ),
    Row(
        "item",
        rf"(?P<item>Service|Subnet|Resource){_GAP}(?P<status>up|down|uninitialized|unknown)(?:{_GAP}\d{{1,6}}){{0,2}}"
        rf"{_GAP}(?P<name>\S{{1,120}})$",
        _item,
        opens=False,
    ),
    Row(
        "switching",
        rf"(?:Primary|Alternate){_GAP}(?:up|down|unknown){_GAP}(?:enabled|disabled){_GAP}{_NAME}(?:{_GAP}\(current\))?$"
        rf"|(?:Failover|Failback){_GAP}[a-z_]{{3,40}}$",
        fate=Fate.FRAME,
        opens=False,
    ),
    Row("cluster", rf"(?P<what>CLUSTER){_GAP}STATUS$", _heading, fate=Fate.FRAME),
    Row("packages", r"UNOWNED_PACKAGES$", fate=Fate.FRAME),
    Row("its state", rf"(?P<name>{_NAME}){_GAP}(?P<state>up|down|starting|unknown)$", _cluster, opens=False),
    Row(
        "row",
        rf"(?P<name>{_NAME}){_GAP}(?P<status>up|down|starting|halting|unknown|blocked|changing){_GAP}"
        rf"(?P<state>running|failed|halted|halting|starting|reforming|unknown|blocked|changing|detached|reconfiguring)"
        rf"(?:{_GAP}(?:enabled|disabled){_GAP}(?P<on>{_NAME}))?$",
        _row,
        opens=False,
    ),
)


def _in_lines(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """``cmviewcl -f line``: the state of the cluster, of a node or of a package."""
    sort, name, state = match["sort"], match["name"], match["state"]
    section.add(
        ListedState,
        line.number,
        source="cmviewcl",
        name=f"{sort} {name}" if sort else "cluster",
        state=state,
        standing="good" if state in ("ok", "up") else "wrong" if state in ("down", "degraded", "failed") else "hint",
        row=line.text.strip(),
    )


_LINES: Final = Rows(
    Row("section of a monitor", r"<<<hpux_serviceguard(?::[\w()]{1,40})?>>>$", fate=Fate.FRAME),
    Row(
        "state",
        rf"(?:(?P<sort>node|package):(?P<name>{_NAME})\|)(?:summary|status)=(?P<state>[a-z_]{{2,24}})$",
        _in_lines,
    ),
    Row("name of all", rf"name={_NAME}$", fate=Fate.FRAME, opens=False),
    Row("state of all", r"(?P<sort>)(?P<name>)(?:summary|status)=(?P<state>[a-z_]{2,24})$", _in_lines, opens=False),
    Row(
        "value",
        r"(?:(?:node|package|interface|subnet|service):[^|=]{1,120}\|){0,3}\w{2,40}=.{0,200}$",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
)


@parser("cmviewcl_lines", version=2, product="", rows=_LINES, places=r"\bcmviewcl\b.{0,60} -f {0,3}line\b")
def cmviewcl_lines(section: OpenSection, out: Output) -> None:
    """``cmviewcl -f line``: a value on each line."""
    _LINES.read(section, out, "no value of Serviceguard")


@parser("cmviewcl", version=2, product="", rows=_CMVIEWCL, commands=("cmviewcl",))
def cmviewcl(section: OpenSection, out: Output) -> None:
    """``cmviewcl``: nodes and packages of Serviceguard."""
    _CMVIEWCL.read(section, out, "no node and no package with its state")
