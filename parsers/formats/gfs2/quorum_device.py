"""Status of the quorum device: ``corosync-qdevice-tool -s`` of a node, ``corosync-qnetd-tool -l`` of its server.

    Qdevice-net information                       Cluster "tarn":
    QNetd host:             pike9:5403                Node ID 2:
    State:                  Connected                     Configured node list:   1, 2
    Poll timer running:     Yes (cast vote)               Membership node list:   1, 2
        1   Node ID = 2, State = member                   Vote:                   ACK (ACK)

Yields ``HealthState``: of the connection of the node to its server, of each node that the server gives a vote or none,
of nodes that are configured and no members. Settings are passed over. No times. Source: corosync-qdevice-tool(8),
corosync-qnetd-tool(8).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records.states import HealthStanding, HealthState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

SOURCE: Final = "corosync-qdevice-tool"
_LIST: Final = r"\d{1,10}(?:, {0,4}\d{1,10}){0,64}"


def _put(section: OpenSection, line: Line, component: str, state: str, standing: HealthStanding) -> None:
    section.add(HealthState, line.number, source=SOURCE, component=component, state=state, standing=standing)


def _host(section: OpenSection, _line: Line, match: re.Match[str]) -> None:
    section.state["host"] = match["host"]


def _state(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """Connected, or a way there, or why not."""
    of = f" {section.state['host']}" if section.state.get("host") else ""
    state = match["state"].strip()
    _put(section, line, f"quorum device{of}", state, "healthy" if state == "Connected" else "degraded")


def _cluster(section: OpenSection, _line: Line, match: re.Match[str]) -> None:
    section.state["cluster"] = match["cluster"]
    section.state["id"] = ""


def _node_of_server(section: OpenSection, _line: Line, match: re.Match[str]) -> None:
    section.state["id"], section.state["configured"] = match["id"], ""


def _configured(section: OpenSection, _line: Line, match: re.Match[str]) -> None:
    section.state["configured"] = match["list"]


def _members(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """Nodes that are configured and no members, as the one sees it that the list is of."""
    configured = re.findall(r"\d+", section.state.get("configured") or "")
    away = [one for one in configured if one not in re.findall(r"\d+", match["list"])]
    state = f"members {match['list']}" + (f", without {', '.join(away)}" if away else "")
    _put(section, line, f"membership{_of(section)}", state, "degraded" if away else "healthy")


def _vote(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """What the node got at last stands in brackets."""
    vote = match["last"] or match["vote"]
    standing: HealthStanding = (
        "healthy" if vote == "ACK" else "degraded" if vote in ("NACK", "Wait for reply") else "unknown"
    )
    _put(section, line, f"vote of the quorum device{_of(section)}", match["vote"], standing)


def _listed(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    is_member = match["state"] == "member"
    _put(section, line, f"node {match['id']}", match["state"], "healthy" if is_member else "degraded")


def _of(section: OpenSection) -> str:
    node, cluster = section.state.get("id"), section.state.get("cluster")
    return (f" for node {node}" if node else "") + (f" of {cluster}" if cluster else "")


_ROWS: Final = Rows(
    Row("titles", r"Qdevice(?:-net)? information$", fate=Fate.FRAME),
    Row("host", r"QNetd host:\s{1,40}(?P<host>[\w.:-]{1,250}?)(?::\d{1,5})?$", _host, Fate.FRAME),
    Row(
        "state of the connection",
        r"State:\s{1,40}(?P<state>Connected|Connect(?:ing)?\b.{0,80}|Disconnected.{0,80}|Waiting.{0,80})$",
        _state,
        opens=False,
    ),
    Row("cluster", r'Cluster "(?P<cluster>[^"]{1,120})":$', _cluster, Fate.FRAME),
    Row("node of the server", r"Node ID (?P<id>\d{1,10}):$", _node_of_server, Fate.FRAME),
    Row("configured", rf"Configured node list:(?:\s{{1,40}}(?P<list>{_LIST}))?$", _configured, Fate.FRAME),
    Row("members", rf"Membership node list:\s{{1,40}}(?P<list>{_LIST})$", _members),
    Row(
        "vote",
        r"Vote:\s{1,40}(?P<vote>N?ACK|No change|Ask later|Wait for reply|Undefined)"
        r"(?: \((?P<last>[A-Za-z ]{2,20})\))?$",
        _vote,
        opens=False,
    ),
    Row("listed", r"\d{1,4}\s{1,12}Node ID = (?P<id>\d{1,10}), State = (?P<state>\w{2,20})$", _listed),
    Row("listed alone", r"\d{1,4}\s{1,12}Node ID = \d{1,10}$", fate=Fate.EVERYDAY),
    Row(
        "settings",
        r"(?:Tie-breaker|VQ vote timer interval|QNetd address|Sync HB interval|Echo reply received|Connected since"
        r"|Last poll call|Poll timer running|TLS active|Connected (?:clients|clusters)|Maximum send/receive size):\s",
        fate=Fate.EVERYDAY,
    ),
    Row(
        "further settings",
        r"(?:Model|Node ID|HB interval|Heuristics|Cluster name|Connect timeout|TLS|Algorithm|Client address|KAP .{1,30}"
        r"|Quorum node list|Expected votes|Active clusters):(?:\s|$)|-{10,40}$",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
)


@parser(
    "quorum_device", version=1, product="gfs2", rows=_ROWS, commands=("corosync-qdevice-tool", "corosync-qnetd-tool")
)
def quorum_device(section: OpenSection, out: Output) -> None:
    """The connection to the server of the device, and its votes."""
    _ROWS.read(section, out, "no part of the status of a quorum device")
