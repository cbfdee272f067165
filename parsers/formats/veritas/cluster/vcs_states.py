"""States of VCS one by one: ``hagrp -state``, ``hares -state``, ``hasys -state``.

    #Group       Attribute             System     Value          #System      Attribute   Value
    rolls        State                 ouse1      |ONLINE|       ouse1        SysState    RUNNING
    rolls        State                 ouse2      |OFFLINE|FAULTED|

Yields ``ServiceState`` per group or resource, ``ClusterMember`` per system, ``Setting`` per value of the cluster;
several states are joined by ``|``. Rows
without their heading are read where the attribute names what they are. No times. Source: hagrp(1M), hares(1M),
hasys(1M).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import Setting
from parsers.records.states import (
    ClusterMember,
    HeartbeatLink,
    LinkStanding,
    ListedState,
    NodeStanding,
    ServiceSort,
    ServiceStanding,
    ServiceState,
)
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_NAME: Final = r"[A-Za-z0-9][\w.-]{0,126}"
_WORDS: Final = (
    r"ONLINE|OFFLINE|FAULTED|PARTIAL|STARTING|STOPPING|UNKNOWN|MONITOR TIMEDOUT|WAITING FOR \w{1,24}|ADMIN_WAIT|PENDING"
)
_VALUE: Final = rf"\|?(?:{_WORDS})(?:(?:\s?\\?\|\s?|\\?\s{{2,3}})(?:{_WORDS}|[A-Z_ ]{{2,30}})){{0,6}}\|?"
_SYSTEM_WORDS: Final = (
    r"RUNNING|EXITED|EXITING|FAULTED|INITING|LEAVING|UNKNOWN|[A-Z]{3,12}_(?:WAIT|BUILD|DISCOVER_WAIT"
    r"|PEER_WAIT|ADMIN_WAIT|FORCIBLY)"
)


def service_standing(state: str) -> ServiceStanding:
    """Of a group or resource: what is faulted or only partly there serves nobody."""
    words = {word.strip() for word in state.split("|")}
    if words & {"FAULTED", "ADMIN_WAIT", "ADMIN WAIT"}:
        return "faulted"
    if any(word.startswith(("STARTING", "STOPPING", "PENDING", "WAITING")) for word in words):
        return "changing"
    if "PARTIAL" in words:
        return "partial"
    if any(word in ("STATE UNKNOWN", "MONITOR TIMEDOUT", "UNKNOWN") or word.startswith("UNABLE") for word in words):
        return "unsure"
    return "online" if "ONLINE" in words else "offline" if "OFFLINE" in words else "unknown"


def _service(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    # Without a heading: the states of a group stand between bars, those of a resource do not.
    known = section.state.get("sort") or ("group" if match["value"].startswith("|") else "resource")
    sort: ServiceSort = "resource" if known == "resource" else "group"
    state = re.sub(r"\\?\s{2,3}", "|", match["value"]).replace("\\", "").strip("|").strip()
    standing = service_standing(state)
    name = match["name"]
    section.add(
        ServiceState,
        line.number,
        source="hagrp -state" if sort == "group" else "hares -state",
        sort=sort,
        on=match["system"],
        state=state,
        group=name if sort == "group" else None,
        resource=name if sort == "resource" else None,
        standing=standing,
    )


def _waits(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A resource that was asked to go online or offline and has not arrived."""
    section.add(
        ServiceState,
        line.number,
        source="IState of hares",
        sort="resource",
        on=match["system"],
        state=match["value"],
        resource=match["name"],
        standing="changing",
    )


def _aside(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A group that is frozen, for now or for good, or that the engine may not start on a system."""
    is_frozen = match["attribute"] != "AutoDisabled"
    section.add(
        ServiceState,
        line.number,
        source=f"{match['attribute']} of hagrp",
        sort="group",
        group=match["name"],
        on=None if is_frozen else match["system"],
        state="frozen" if is_frozen else "autodisabled",
        standing="disabled",
    )


def _parallel(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(
        Setting, line.number, scope=match["name"], source="hagrp -display", name="Parallel", value=match["value"]
    )


def _flagged(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A resource whose agent can't tell its state, or could not do what it was asked for."""
    flags = match["flags"].strip("|").replace("|", " ")
    section.add(
        ServiceState,
        line.number,
        source="Flags of hares",
        sort="resource",
        on=match["system"],
        state=flags,
        resource=match["name"],
        standing="changing" if flags == "RESTARTING" else "faulted" if "ADMIN" in flags else "unsure",
    )


def _frozen_system(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(
        ClusterMember,
        line.number,
        source="Frozen of hasys",
        member=match["name"],
        layer="services",
        state="RUNNING frozen",
        standing="up",
    )


_LINK = re.compile(r"(\S{1,64})\s{1,8}(UP|DOWN|UNKNOWN)\b")
_LINK_STANDINGS: Final[dict[str, LinkStanding]] = {"UP": "up", "DOWN": "down"}


def _links(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """The private links of a system, as the engine on it sees them."""
    for name, state in _LINK.findall(match["links"]):
        section.add(
            HeartbeatLink,
            line.number,
            node=match["name"],
            source="LinkHbStatus of hasys",
            link=name,
            state=state,
            standing=_LINK_STANDINGS.get(state, "unknown"),
        )


def system_standing(state: str) -> NodeStanding:
    """Of a system: one that was stopped leaves, one that waits for a person or faulted is down."""
    if state.startswith("RUNNING"):
        return "up"
    if state.startswith("FAULTED") or "ADMIN_WAIT" in state:
        return "down"
    if state.startswith(("EXIT", "LEAV")):
        return "leaving"
    is_joining = state.startswith("INITING") or state.partition(" ")[0].endswith(("_WAIT", "_BUILD"))
    return "joining" if is_joining else "unknown"


def _system(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state = match["state"]
    standing = system_standing(state)
    section.add(
        ClusterMember,
        line.number,
        source="hasys -state",
        member=match["name"],
        layer="services",
        state=state,
        standing=standing,
    )


def _cluster_state(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state = match["value"]
    section.add(
        ListedState,
        line.number,
        source="haclus -state",
        name="cluster",
        state=state,
        standing="good" if state == "RUNNING" else "hint" if state in ("INITING", "LEAVING") else "wrong",
        row=line.text.strip(),
    )


def _remote_cluster(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A cluster of another site, or this one."""
    state = match["state"]
    section.add(
        ListedState,
        line.number,
        source="haclus -state",
        name=f"cluster {match['name']}",
        state=state,
        standing="good"
        if state == "RUNNING"
        else "hint"
        if state in ("INIT", "INITING", "INQUIRY", "TRANSITIONING", "EXITING")
        else "wrong",
        row=line.text.strip(),
    )


def _remote_heartbeat(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state = match["state"]
    section.add(
        ListedState,
        line.number,
        source="hahb -state",
        name=f"heartbeat {match['name']} to cluster {match['cluster']}",
        state=state,
        standing="good" if state == "ALIVE" else "wrong" if state in ("DOWN", "DOUBT") else "hint",
        row=line.text.strip(),
    )


def _heading(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["sort"] = match["kind"].lower()


_STATES: Final = Rows(
    Row(
        "heading",
        r"#?(?P<kind>Group|Resource|System)\s{1,40}Attribute\s{1,40}(?:System\s{1,40})?Value$",
        _heading,
        fate=Fate.FRAME,
    ),
    Row(
        "service",
        rf"(?P<name>{_NAME})\s{{1,60}}State\s{{1,60}}(?P<system>{_NAME})\s{{1,60}}(?P<value>{_VALUE})$",
        _service,
    ),
    Row(
        "resource that waits",
        rf"(?P<name>{_NAME})\s{{1,60}}IState\s{{1,60}}(?P<system>{_NAME})\s{{1,60}}"
        r"(?P<value>waiting (?:to go|for) \S[\w ()/]{1,60})$",
        _waits,
    ),
    Row(
        "group that is set aside",
        rf"(?P<name>{_NAME})\s{{1,60}}(?P<attribute>Frozen|TFrozen|AutoDisabled)\s{{1,60}}(?P<system>global|localclus|{_NAME})"
        r"\s{1,60}1$",
        _aside,
    ),
    Row(
        "whether a group runs on several systems",
        rf"(?P<name>{_NAME})\s{{1,60}}Parallel\s{{1,60}}(?:global|localclus)\s{{1,60}}(?P<value>[012])$",
        _parallel,
        opens=False,
    ),
    Row(
        "resource with a flag",
        rf"(?P<name>{_NAME})\s{{1,60}}Flags\s{{1,60}}(?P<system>{_NAME})\s{{1,60}}"
        r"(?P<flags>\|?(?:UNABLE TO OFFLINE|MONITOR TIMEDOUT|STATE UNKNOWN|ADMIN[ _]WAIT|RESTARTING)[A-Z _|]{0,60})$",
        _flagged,
    ),
    Row(
        "system that is frozen",
        rf"(?P<name>{_NAME})\s{{1,60}}T?Frozen\s{{1,60}}1$",
        _frozen_system,
        opens=False,
    ),
    Row(
        "system that is not frozen, or another value of one",
        rf"{_NAME}\s{{1,60}}T?Frozen\s{{1,60}}0$",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row(
        "links of a system",
        rf"(?P<name>{_NAME})\s{{1,60}}LinkHbStatus\s{{1,60}}(?P<links>\S{{1,64}}\s{{1,8}}(?:UP|DOWN|UNKNOWN)\b.{{0,400}})$",
        _links,
        opens=False,
    ),
    Row(
        "attribute without a value",
        rf"{_NAME}\s{{1,60}}(?!I?State$|SysState$|ClusState$|Flags$)[A-Z]\w{{2,40}}$",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row(
        "other attribute",
        rf"{_NAME}\s{{1,60}}(?!State\s|SysState\s|ClusState\s)[A-Z]\w{{2,40}}\s{{1,60}}(?:global|localclus|{_NAME})"
        r"(?:\s{1,60}\S.{0,400})?$",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row("section of a monitor", r"<<<veritas_vcs(?:_\w{1,40})?(?::[\w()]{1,40})?>>>$", fate=Fate.FRAME),
    Row("state of the cluster", r"ClusState\s{1,40}(?P<value>[A-Z_]{4,24})$", _cluster_state),
    Row("name of the cluster", rf"ClusterName\s{{1,40}}{_NAME}$", fate=Fate.FRAME, opens=False),
    Row("title of clusters", r"#?Cluster\s{1,40}Attribute\s{1,40}Value$", fate=Fate.FRAME),
    Row(
        "cluster that runs",
        rf"(?P<name>{_NAME})\s{{1,60}}ClusState\s{{1,60}}(?P<state>RUNNING|INITING)$",
        _remote_cluster,
    ),
    Row(
        "cluster elsewhere",
        rf"(?P<name>{_NAME})\s{{1,60}}ClusState\s{{1,60}}(?P<state>LOST_CONN|LOST_HB|FAULTED|EXITED|EXITING|INQUIRY|UNKNOWN"
        r"|INIT|TRANSITIONING)$",
        _remote_cluster,
    ),
    Row(
        "heartbeat to a cluster elsewhere",
        rf"(?P<name>{_NAME})\s{{1,60}}State\s{{1,60}}(?P<cluster>{_NAME})\s{{1,60}}(?P<state>ALIVE|DOWN|UNKNOWN)$",
        _remote_heartbeat,
        opens=False,
    ),
    Row(
        "heartbeat to a cluster elsewhere, alone",
        rf"(?P<name>Icmp|IcmpS|Steward|[A-Z]\w{{2,20}})\s{{1,60}}(?P<cluster>{_NAME})\s{{1,60}}(?P<state>ALIVE|DOWN|DOUBT|UNKNOWN)$",
        _remote_heartbeat,
        opens=False,
    ),
    Row(
        "heading of heartbeats",
        r"#?Heartbeat\s{1,40}(?:Attribute\s{1,40})?Cluster\s{1,40}(?:Value|State)$",
        fate=Fate.FRAME,
    ),
    Row("system", rf"(?P<name>{_NAME})\s{{1,60}}SysState\s{{1,60}}(?P<state>{_SYSTEM_WORDS})$", _system),
)


def _value(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(Setting, line.number, source="haclus -display", name=match["name"], value=match["value"].strip())


_CLUSTER: Final = Rows(
    Row("heading", r"#\s{0,4}Attribute\s{1,40}Value$|Attribute\s{4,40}Value$", fate=Fate.FRAME),
    Row(
        "value",  # behind one blank by the form of the names of attributes
        r"(?P<name>(?=\w{3,41}\s\s|[A-Z][a-z]{1,20}[A-Z]|[A-Z]{3}\s)[A-Z][A-Za-z0-9]{2,40})\s{1,60}(?P<value>\S.{0,400})$",
        _value,
        opens=False,
    ),
    Row("no value", r"[A-Z][A-Za-z0-9]{2,40}$", fate=Fate.EVERYDAY, opens=False),
)


@parser(
    "vcs_cluster",
    version=2,
    product="veritas",
    rows=_CLUSTER,
    commands=("haclus",),
    places=r"\bhaclus\b.{0,20} -(?:display|disp)\b",
)
def vcs_cluster(section: OpenSection, out: Output) -> None:
    """``haclus -display``: values of the whole cluster."""
    _CLUSTER.read(section, out, "no value of the cluster")


@parser(
    "vcs_states", version=7, product="veritas", rows=_STATES, commands=("hagrp", "hares", "hasys", "haclus", "hahb")
)
def vcs_states(section: OpenSection, out: Output) -> None:
    """States of groups, resources and systems."""
    _STATES.read(section, out, "no group, resource or system with its state")
