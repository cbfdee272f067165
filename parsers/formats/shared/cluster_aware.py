"""Cluster Aware AIX: ``lscluster -m``, ``-i`` and ``-d``.

    Node name: owl1.example                        Node owl2.example
    State of node: UP NODE_LOCAL                            hdisk9:
    Reason: NONE                                                    State : DOWN
                                                                    Type : REPDISK

Yields ``ClusterMember`` per node, ``Interface`` per interface and ``StorageState`` per disk of a node. No times.
Source: lscluster of the AIX commands reference, recalled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records.states import ClusterMember, Interface, StorageState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    import re

    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_NODE: Final = r"[A-Za-z0-9][\w.-]{0,252}"


def _node(section: OpenSection, _line: Line, found: re.Match[str]) -> None:
    section.state["node"] = found["node"]


def _part(section: OpenSection, _line: Line, found: re.Match[str]) -> None:
    section.state["part"] = found["part"]


def _state_of_node(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    state = " ".join(found["state"].split())
    section.add(
        ClusterMember,
        line.number,
        source="lscluster",
        member=section.state.get("node") or section.node,
        layer="membership",
        state=state,
        standing="up" if state.startswith("UP") else "down" if state.startswith("DOWN") else "unknown",
    )


def _state_of_interface(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    state = " ".join(found["state"].split())
    section.add(
        Interface,
        line.number,
        node=section.state.get("node") or section.node,
        name=section.state.get("part"),
        state=state,
        standing="up" if state.startswith("UP") else "down" if state.startswith("DOWN") else "unknown",
    )


def _state_of_disk(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    state = found["state"].strip()
    section.add(
        StorageState,
        line.number,
        node=section.state.get("node") or section.node,
        source="lscluster",
        name=section.state.get("part"),
        of="cluster",
        state=state,
        standing="healthy" if state.startswith("UP") else "degraded",
    )


_ROWS: Final = Rows(
    Row(
        "title",
        r"Calling node query for all nodes|Node query number of nodes examined: \d"
        r"|(?:Storage|Network/Storage) Interface Query$"
        r"|Number of nodes reporting = \d|Number of nodes (?:expected|stale) = \d",
        fate=Fate.FRAME,
    ),
    Row("node", rf"Node name: (?P<node>{_NODE})$", _node, fate=Fate.FRAME, opens=False),
    Row("node above", rf"Node (?P<node>{_NODE})$", _node, fate=Fate.FRAME, opens=False),
    Row("interface", r"Interface number \d{1,4},? (?P<part>\S{1,40})$", _part, fate=Fate.FRAME, opens=False),
    Row("disk", r"(?P<part>[a-z]\w{2,40}):$", _part, fate=Fate.FRAME, opens=False),
    Row(
        "state of the node",
        r"State of node: (?P<state>[A-Z_]{2,20}(?: [A-Z_]{2,30}){0,3})$",
        _state_of_node,
    ),
    Row(
        "state of an interface",
        r"(?:Interface state:?|ifnet state:?) (?P<state>[A-Z_]{2,20}(?: [A-Z_]{2,30}){0,3})$",
        _state_of_interface,
        opens=False,
    ),
    Row("state of a disk", r"State {0,8}: (?P<state>[A-Z_]{2,20})$", _state_of_disk, opens=False),
    Row(
        "value",
        r"(?:Cluster (?:Name|name|shorthand id|uuid|UUID)|Reason|UUID for node|Smoothed rtt|Mean Deviation|Number of"
        r"|CLUSTER NAME|SHID|uDid|uUid|Type|Site|Points of contact|ifnet |MAC address|Flags|Probe|Extended|Interface"
        r"|dpcom|Storage|tcpsock|sfwcom|-{10,90}|[\w./-]{1,60}\s{1,40}(?:UP|DOWN)\b|n/a|IPv|broadcast)[^\n]{0,300}$",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
)


@parser("lscluster", version=1, product="", rows=_ROWS, commands=("lscluster",))
def lscluster(section: OpenSection, out: Output) -> None:
    """Nodes, interfaces and disks of Cluster Aware AIX."""
    _ROWS.read(section, out, "no part of the cluster with its state")
