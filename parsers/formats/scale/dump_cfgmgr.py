"""The nodes of a cluster of Spectrum Scale as one daemon sees them: ``mmfsadm dump cfgmgr``.

    Cluster Configuration [0] "tarn.lab":  id 0A2C010BA0F3
    Quorum nodes 3, nodes needed for quorum 2
      no  idx host name    ip address      func  tr p rpc   seqNo cnt mngd  sent   processing
       1   0 tarn-s1      10.44.1.11      qQl-  -  J  up       1   0    1   12.1    12.1
       2   1 tarn-s2      10.44.1.12      qQ--  -  -  dn       2   3    0      -       -

    node_no  addr                  up  joinTime          lease   status
    3        10.44.1.13 (tarn-s3)  up  2026-05-01_10:03  overdue 47.1   expel pending

Yields ``ClusterMember`` of each node, ``HealthState`` of one whose lease is overdue or that is about to be expelled,
``NodeAlias`` of its address, and ``Quorum`` where fewer quorum nodes are up than are needed. No times. Tolerated: other
columns, cut rows. Source: recalled; releases differ in their columns.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records import NodeAlias
from parsers.records.states import ClusterMember, HealthState, NodeStanding, Quorum
from parsers.registry import parser
from parsers.tables.rows import Row, Rows, everyday, heading

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

SOURCE: Final = "mmfsadm dump cfgmgr"
_NAME: Final = r"[A-Za-z][\w.-]{0,252}"
_ADDRESS: Final = r"(?:\d{1,3}\.){3}\d{1,3}"
_STANDINGS: Final[dict[str, NodeStanding]] = {
    "up": "up",
    "dn": "down",
    "down": "down",
    "dead": "down",
    "failed": "down",
    "expelled": "down",
    "joining": "joining",
    "arb": "joining",
    "leaving": "leaving",
}
_STATE = re.compile(rf"(?:^|\s)({'|'.join(_STANDINGS)})(?=\s|$)")
_LATE = re.compile(r"\b(?:lease )?(?:overdue|expired)(?: \d{1,9}(?:\.\d{1,9})?)?|\bexpel (?:pending|requested)")
_QUORUM_NODE = re.compile(r"\s{0,8}q\S{0,8}\s")


def _needed(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    section.state["needed"] = int(found["needed"]), line.number


def _node(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    name = found["name"] or found["named"]
    rest = found["rest"] or ""
    state = _STATE.search(rest)
    if state is None:
        return
    standing = _STANDINGS[state[1]]
    section.add(NodeAlias, line.number, node=name, alias=found["address"] or found["at"], kind="address")
    section.add(
        ClusterMember,
        line.number,
        source=SOURCE,
        member=name,
        layer="daemon",
        state="down" if standing == "down" else state[1],
        standing=standing,
    )
    if late := [match[0] for match in _LATE.finditer(rest)]:
        words = ", ".join(word if word.startswith(("lease", "expel")) else f"lease {word}" for word in late)
        section.add(
            HealthState, line.number, source=SOURCE, component=f"lease of {name}", state=words, standing="degraded"
        )
    if _QUORUM_NODE.match(rest):
        section.state.setdefault("voters", {})[name] = standing == "up"


_REST: Final = r"(?P<rest>\s.{0,400})$"
_ROWS: Final = Rows(
    Row("cluster", r"Cluster Configuration \[\d{1,4}\]\s{1,8}\"[^\"]{1,200}\"", fate=Fate.FRAME),
    Row(
        "quorum",
        r"Quorum nodes {1,8}\d{1,5}, {1,8}nodes needed for quorum {1,8}(?P<needed>\d{1,5})\b",
        _needed,
        fate=Fate.FRAME,
    ),
    heading("heading", r"no\s{1,8}idx\s{1,8}host ?name\s{1,80}ip address\b", r"node_no\s{1,20}addr\s{1,60}up\b"),
    Row("words above it", r"node\s{1,40}primary\s{1,40}admin\b", fate=Fate.FRAME, opens=False),
    Row("ruler", r"-{2,240}(?:\s{1,40}-{1,80}){0,20}$", fate=Fate.FRAME, opens=False),
    Row(
        "node",
        rf"\d{{1,6}}\s{{1,20}}(?:\d{{1,6}}\s{{1,20}})?(?:(?P<name>{_NAME})\s{{1,80}}(?P<address>{_ADDRESS})"
        rf"|(?P<at>{_ADDRESS})\s{{0,8}}\((?P<named>{_NAME})\)){_REST}",
        _node,
        opens=False,
    ),
    everyday(
        "property",
        r"(?:nClusters|ccUseCount|Type|Domain|UID domain|Lease duration|Current clock tick|Group ?leader|Port|Node "
        r"Listing|Assigned stripe group managers|authEnabled|myAddr|Cluster name)\b.{0,300}$",
        opens=False,
    ),
)


@parser(
    "scale_cfgmgr",
    version=1,
    product="spectrum-scale",
    rows=_ROWS,
    commands=("mmfsadm",),
    places=r"\bdump cfgmgr\b",
)
def scale_cfgmgr(section: OpenSection, out: Output) -> None:
    """``mmfsadm dump cfgmgr``: nodes with their states and leases."""
    _ROWS.read(section, out, "no node with its state")
    needed, at = section.state.get("needed", (0, 0))
    voters: dict[str, bool] = section.state.pop("voters", {})
    up = sorted(name for name, is_up in voters.items() if is_up)
    if voters and len(up) < needed:
        section.add(
            Quorum,
            at,
            source=SOURCE,
            layer="daemon",
            members=" ".join(up),
            state=f"{len(up)} of {len(voters)} quorum nodes up, {needed} needed",
            quorate=False,
        )
