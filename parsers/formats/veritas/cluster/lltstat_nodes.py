"""``lltstat -n``, ``-nvv``, ``-nvv active`` and ``-nvv configured`` of Veritas LLT: nodes and the links to them.

    LLT node information:                          LLT node information:
        Node                 State    Links            Node          State      Link    Status      Address
        *0 carp1           OPEN           2            *0 carp1       OPEN
         1 carp2           OPEN           2                                     igb2 UP     02:1B:5C:40:7A:06
                                                         1 carp2       OPEN
                                                                                igb2 DOWN

Yields ``ClusterMember`` for the state of a node, ``HeartbeatLink`` for each link to it, ``NodeAlias`` for id and name,
and ``Counter`` ``Links`` with the node as scope. The starred row is the node that printed it. Ids without a name that
only wait for a connection are no nodes of the cluster: they and their links are left out. No time is printed: it comes
from above. Tolerated: a star apart from its id, links on the row of the node, lost line ends, words behind the status
of a link. Source: VCS 5 to 7 installation and administration guides.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field
from typing import Any, Final

from parsers.dataclass import dataclass
from parsers.line_kinds import is_elision
from parsers.output import Output
from parsers.records import Counter, NodeAlias
from parsers.records.states import ClusterMember, HeartbeatLink, LinkStanding, NodeStanding
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.stretches import PlainRun

_NAME: Final = r"(?:[A-Za-z]|\d{1,7}[A-Za-z]\w{0,5}-(?=[A-Za-z]))[\w.-]{0,126}"
_STATE: Final = r"(?:OPEN|CONNWAIT)"
_ADDRESS: Final = r"(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}|(?:\d{1,3}\.){3}\d{1,3}|[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:]{2,44}"
_HEADING: Final = r"LLT node information:"
_NODE_STANDINGS: Final[dict[str, NodeStanding]] = {"OPEN": "up", "CONNWAIT": "joining"}
_LINK_STANDINGS: Final[dict[str, LinkStanding]] = {"UP": "up", "DOWN": "down"}
_TITLES: Final = r"Node {1,40}State {1,40}Link"
_NODE: Final = rf"(?:\* {{0,8}})?\d{{1,3}} {{1,60}}(?:{_NAME} {{1,60}})?{_STATE}(?![A-Za-z])"
_LINK: Final = r"[^\s*:]{1,64} {1,60}(?:UP|DOWN)(?![\w-])"
_CLAIMS: Final = rf"(?:{_HEADING}|{_TITLES}|{_NODE})"
_ODD: Final = rf"(?:\* {{0,8}})?\d{{1,3}} {{1,60}}{_NAME} {{1,60}}[A-Za-z_]{{2,20}}(?: {{1,60}}\d{{1,3}})?$"
"""A node in a state that nobody knows: unread, and no line of anybody else."""
_OWNS: Final = re.compile(rf"(?:{_CLAIMS}|{_LINK}|{_ODD})")
_ITEM = re.compile(
    rf"(?<!\S)(?:(?P<heading>{_HEADING})|(?P<titles>{_TITLES}\S*(?: {{1,40}}Status {{1,40}}Address)?)"
    rf"|(?P<me>\* {{0,8}})?(?P<id>\d{{1,3}}) {{1,60}}(?:(?P<name>{_NAME}) {{1,60}})?(?P<state>{_STATE})"
    rf"(?: {{1,60}}(?P<links>\d{{1,3}})(?![\w:.]))?"
    rf"|(?P<link>(?!UP |DOWN )[^\s*:]{{1,64}}) {{1,60}}(?P<status>UP|DOWN)(?: {{1,60}}(?P<address>{_ADDRESS}))?)(?!\S)"
)
_PLAIN: Final = re.compile(
    rf"(?:[ *]{{1,8}}\d{{1,3}} {{1,8}}{_NAME} {{1,60}}{_STATE}(?: {{1,60}}\d{{1,3}})?"
    r"| {8,80}[a-z]\w{1,30} {1,60}(?:UP|DOWN)(?: {1,60}(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2})?)$"
)
"""A row of a node or of a link that nothing could change or claim."""


def _owns(text: str, before: str) -> bool:
    return is_elision(text) or _OWNS.match(text.lstrip()) is not None


@dataclass(slots=True)
class _Node:
    """A row of the table with its links."""

    line: int
    id: str
    name: str | None
    state: str
    mine: bool
    links: int | None
    ways: list[tuple[int, str, str, str | None]] = field(default_factory=list)

    @property
    def is_peer(self) -> bool:
        """Whether it is a node of the cluster, and not just an id that nobody uses."""
        return self.name is not None or self.state != "CONNWAIT"


@dataclass(slots=True)
class _Table:
    """One print of the table."""

    nodes: list[_Node] = field(default_factory=list)
    written: int = 0

    def me(self) -> str | None:
        """The node that printed it."""
        return next((node.name for node in self.nodes if node.mine and node.name), None)


@parser("lltstat_nodes", version=2, product="veritas", claims=_CLAIMS, owns=_owns, commands=("lltstat",))
def lltstat_nodes(section: OpenSection, out: Output) -> None:
    """``lltstat -n`` and ``-nvv``: state of nodes and links."""
    table: _Table = section.state.setdefault("table", _Table())

    def inner(number: int, text: str) -> None:
        if (item := _ITEM.match(text, len(text) - len(text.lstrip()))) is not None:
            _take(table, number, item)

    run = PlainRun(lambda text: _PLAIN.match(text) is not None, inner)
    for line in section:
        if is_elision(line.text):
            out.ignore()
            continue
        items = list(_ITEM.finditer(line.text))
        if not items:
            out.skip(line, "no node and no link")
        for item in items:
            if item["heading"] or item["titles"]:
                table = _next(section, out, table)
            elif wrong := _take(table, line.number, item):
                out.skip(line, wrong)
                break
        if table.nodes:
            run.take(section)
    _write(section, out, table)


def _next(section: OpenSection, out: Output, table: _Table) -> _Table:
    """A heading begins another table, unless it is the second line of the first one's."""
    if not table.nodes:
        return table
    _write(section, out, table)
    fresh = section.state["table"] = _Table()
    return fresh


def _take(table: _Table, number: int, item: re.Match[str]) -> str:
    """A node, or a link of the node above it: what is wrong with it, or nothing."""
    if item["state"]:
        links = int(item["links"]) if item["links"] else None
        table.nodes.append(_Node(number, str(int(item["id"])), item["name"], item["state"], bool(item["me"]), links))
        return ""
    if not table.nodes:
        return "a link without its node"
    table.nodes[-1].ways.append((number, item["link"], item["status"], item["address"]))
    return ""


def _write(section: OpenSection, out: Output, table: _Table) -> None:
    """The rows of a table, once the starred one is known; after a stray line the last node may get more links."""
    me = table.me()
    if me is not None:
        section.is_on(me, renames=True)
        if section.state.get("own") and me != section.node:  # the table of the node above was there already
            section.speaks_of(node=me)
        section.state["own"] = me == section.node
    when: dict[str, Any] = {"node": section.node, "at": section.at, "zone_min": section.zone_min}
    _write_nodes(out, [node for node in table.nodes[table.written :] if node.is_peer], when)
    _write_links(out, [(node.name or node.id, *way) for node in table.nodes if node.is_peer for way in node.ways], when)
    for node in table.nodes:
        node.ways.clear()
    table.written = len(table.nodes)


def _write_nodes(out: Output, nodes: Sequence[_Node], when: dict[str, Any]) -> None:
    out.extend(
        ClusterMember,
        line=[node.line for node in nodes],
        source="lltstat -n",
        member=[node.name or node.id for node in nodes],
        layer="heartbeat",
        state=[node.state for node in nodes],
        standing=[_NODE_STANDINGS.get(node.state, "unknown") for node in nodes],
        **when,
    )
    for node in nodes:
        if node.name:
            out.add(NodeAlias(line=node.line, node=node.name, alias=node.id, kind="id"))
    linked = [node for node in nodes if node.links is not None]
    out.extend(
        Counter,
        line=[node.line for node in linked],
        source="lltstat -n",
        scope=[node.name or node.id for node in linked],
        name="Links",
        value=[node.links for node in linked],
        sample=[node.line for node in linked],
        **when,
    )


def _write_links(out: Output, ways: Sequence[tuple[str, int, str, str, str | None]], when: dict[str, Any]) -> None:
    """Each with its node in front."""
    if ways:
        peers, lines, links, states, addresses = (list(column) for column in zip(*ways, strict=True))
        out.extend(
            HeartbeatLink,
            line=lines,
            source="lltstat -nvv",
            peer=peers,
            link=links,
            state=states,
            address=addresses,
            standing=[_LINK_STANDINGS.get(state, "unknown") for state in states],
            **when,
        )
