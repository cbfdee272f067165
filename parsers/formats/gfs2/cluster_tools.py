"""Older cluster tools: ``group_tool ls``, ``cman_tool services``, ``cman_tool status``, ``cman_tool nodes``,
``fence_tool ls``, ``gfs_control ls``.

    type             level name       id       state              Service          Name            GID LID State
    Code
    gfs              2     projects   00030001 none               DLM Lock Space:  "clvmd"           2   3 run       -
    [1 2 3]                                                       [1 2 3]
    Cluster Name: pond        fence domain                        gfs mountgroups
    Quorum: 2                 member count  3                     name          projects
    Node name: kite3          victim count  0                     members       1 2 3

Yields ``Membership``: a group or service with its state and the node ids of its members (``none`` and ``run`` are
idle; what has failed waits for fencing); ``ClusterMember`` for nodes and for the victim of a fence domain; ``Quorum``
and ``Setting`` for the keys of ``cman_tool status``; ``NodeAlias`` for node ids. No times. Tolerated: member lists
that are missing, cut rows. Source: group_tool(8), cman_tool(8), fence_tool(8), gfs_control(8).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from parsers.dataclass import dataclass
from parsers.formats.gfs2.votes import put_missing_votes
from parsers.output import Output
from parsers.records import Event, NodeAlias, Setting
from parsers.records.states import ClusterMember, GroupStanding, Membership, NodeStanding, Quorum
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.headed import REMARK, Column, Table

_GROUP_HEAD: Final = r"type\s{1,24}level\s{1,8}name\s{1,24}id\s{1,12}state"
_SERVICE_HEAD: Final = r"Service\s{1,24}Name\s{1,60}GID\s{1,8}LID\s{1,8}State"
_MEMBERS: Final = r"\[\d[\d ]{0,400}\]\s{0,8}$"
_GROUP_ROW: Final = r"(?:fence|dlm|gfs|gfs2|cman|pvfs2)\s{1,24}[012]\s{1,12}\S{1,64}\s{1,24}[0-9a-f]{8}\s{1,12}\S"
_SERVICE_ROW: Final = r"(?:Fence Domain|DLM Lock Space|GFS Mount Group|User|CMAN [A-Z]\w{1,20}|quorum): {1,20}\""
_GROUP = re.compile(r"(\w{2,8})\s{1,24}([012])\s{1,12}(\S{1,64})\s{1,24}([0-9a-f]{8})\s{1,12}(\S{1,40})")
_SERVICE = re.compile(
    r"([A-Z][\w ]{2,24}): {1,20}\"([^\"]{1,80})\"\s{1,60}(\d{1,6})\s{1,8}(\d{1,6})\s{1,8}(\w{1,12})(?:\s{1"
    r",12}(\S.{0,60}))?$"
)
_STATUS: Final = (
    r"(?:Cluster Name|Cluster Id|Cluster Member|Cluster Generation|Membership state|Expected votes|Quorum device "
    r"votes|Total votes|Node votes|Active subsystems|Ports Bound|Node name|Node ID|Multicast addresses|Node "
    r"addresses|Config Version|Protocol version|Version|Nodes|Quorum|Flags):(?:\s|$)"
)
_STATUS_CLAIM: Final = (
    r"(?:Version: \d{1,2}\.\d{1,2}\.\d{1,2}$|Cluster Name: \S|Cluster Member: (?:Yes|No)|Membership state: "
    r"|Active subsystems: \d"
    r"|Cluster Generation: \d|Node votes: \d|Config Version: \d|Node ID: \d|Multicast addresses: \S|Node addresses: \S)"
)
_STATUS_PAIR = re.compile(r"([A-Z][A-Za-z ]{3,30}):\s{0,20}(\S.{0,120})?$")
_NODES: Final = Table(
    Column("Node", cell=r"\d{1,6}$", needed=True),
    Column("Sts", cell=r"[MXd]$", needed=True),
    Column("Inc", cell=r"\d{1,12}$"),
    Column("Joined", cell=r"\d{4}-\d\d-\d\d"),
    Column("Name", cell=r"\S{1,128}$", needed=True),
    row=r"\d{1,6}\s{1,8}(?:[MXd]\s{1,8}\d{1,12}|\d{1,5}\s{1,8}\d{1,5}\s{1,8}[MXd])\s",
    frame=r"(?:Addresses: [\d.a-fA-F: ]{3,200}|Last fenced: {1,8}\d{4}-\S.{0,120})$",
    remark=r"Node has not been fenced since it went down$",
)
_LS_HEAD: Final = r"(?:fence domain|gfs mountgroups)\s{0,8}$"
_LS_ROW: Final = (
    r"(?:member count|victim count|victim now|master nodeid|wait state|members|name|id|flags|change|new change"
    r"|new status|new members|all nodes|nodeid)\s{1,20}\S|all nodes\s{0,8}$"
)
_LS_PAIR = re.compile(
    r"(member count|victim count|victim now|master nodeid|wait state|members|name|id|flags|new change|change|new status"
    r"|new members)\s{1,20}(\S.{0,200})$"
)


@dataclass(slots=True)
class _Group:
    """A group that may still get its members."""

    line: int
    group: str
    generation: str | None
    state: str | None
    members: str = ""


@parser(
    "cluster_groups",
    version=4,
    product="gfs2",
    claims=rf"(?:{_GROUP_HEAD}|{_SERVICE_HEAD}|{_SERVICE_ROW}|{_GROUP_ROW})",
    owns=rf"(?:{_GROUP_HEAD}|{_SERVICE_HEAD}|{_SERVICE_ROW}|{_GROUP_ROW}|{_MEMBERS})",
    commands=("group_tool", "cman_tool"),
)
def cluster_groups(section: OpenSection, out: Output) -> None:
    """``group_tool ls`` and ``cman_tool services``: groups with state and members."""
    held: _Group | None = None
    source = "group_tool ls"
    for line in section:
        text = line.text.strip()
        if re.match(_GROUP_HEAD, text) or re.match(_SERVICE_HEAD, text):
            source = "cman_tool services" if text.startswith("Service") else "group_tool ls"
        elif text.startswith("["):
            if held is not None:
                held.members = text.strip("[] ")
        elif match := _SERVICE.match(text):
            _put(section, out, "cman_tool services", held)
            held = _Group(line.number, f"{match[1]} {match[2]}", match[3], f"{match[5]} {match[6] or ''}".strip())
        elif match := _GROUP.match(text):
            _put(section, out, source, held)
            held = _Group(line.number, f"{match[1]} {match[3]}", match[4], match[5])
        else:
            out.skip(line, "no group with its state")
    _put(section, out, source, held)


def _put(section: OpenSection, out: Output, source: str, group: _Group | None) -> None:
    if group is not None:
        section.add(
            Membership,
            group.line,
            source=source,
            sort="daemon group",
            group=group.group,
            generation=group.generation,
            members=group.members,
            state=group.state,
            standing=_standing_of((group.state or "").split(" ")[0]),
            waits_for="fencing" if (group.state or "").startswith("FAIL_") else None,
        )


def _standing_of(state: str) -> GroupStanding:
    """Idle, failed and waiting for its recovery, or about to change its members."""
    if state in ("none", "run"):
        return "normal"
    return "waiting" if state.startswith(("FAIL_", "recover")) else "changing"


@parser(
    "cman_status",
    version=6,
    product="gfs2",
    claims=_STATUS_CLAIM,
    owns=_STATUS,
    commands=("cman_tool",),
    places=r"\bcman_tool(?:\s{1,8}-\w{1,8})?\s{1,8}status\b",
)
def cman_status(section: OpenSection, out: Output) -> None:
    """``cman_tool status``: keys and values."""
    keys: dict[str, str] = {}
    votes_line = 0
    for line in section:
        pair = _STATUS_PAIR.match(line.text.strip())
        if pair is None or not pair[2]:
            out.ignore()
            continue
        keys[pair[1]] = pair[2].strip()
        section.add(
            Setting,
            line.number,
            node=section.node or keys.get("Node name"),
            source="cman_tool status",
            name=pair[1],
            value=pair[2].strip(),
        )
        if pair[1] == "Total votes":
            votes_line = line.number
        elif pair[1] == "Membership state" and (standing := _STANDINGS.get(pair[2].strip())) is not None:
            node = section.node or keys.get("Node name")
            section.add(
                ClusterMember,
                line.number,
                source="cman_tool status",
                member=node,
                state=pair[2].strip(),
                standing=standing,
                layer="membership",
            )
        if pair[1] == "Quorum":
            votes_line = 0
            is_lost = "blocked" in pair[2] or _are_too_few(pair[2], keys)
            section.add(
                Quorum,
                line.number,
                node=section.node or keys.get("Node name"),
                source="cman_tool status",
                state=_with_votes(pair[2].strip(), keys) if is_lost else pair[2].strip(),
                quorate=not is_lost,
            )
            if not is_lost:
                put_missing_votes(section, line.number, "cman_tool status", keys, keys.get("Node name"))
        if pair[1] == "Node ID" and (
            node := keys.get("Node name") or section.node
        ):  # the name stands above, where it ended a section
            out.add(NodeAlias(line=line.number, node=node, alias=keys["Node ID"], kind="id"))
    if votes_line:  # cut above what it says of the quorum
        put_missing_votes(section, votes_line, "cman_tool status", keys, keys.get("Node name"))


_STANDINGS: Final[dict[str, NodeStanding]] = {
    "Joining": "joining",
    "Join-Wait": "joining",
    "Join-Ack": "joining",
    "Not-in-Cluster": "down",
}


def _are_too_few(quorum: str, keys: Mapping[str, str]) -> bool:
    """Whether the votes that are there are fewer than the quorum asks for."""
    there, needed = keys.get("Total votes", ""), quorum.split()[0]
    return there.isdigit() and needed.isdigit() and int(there) < int(needed)


def _with_votes(state: str, keys: Mapping[str, str]) -> str:
    """The state that is no good one, with the votes."""
    if "Total votes" not in keys or "Expected votes" not in keys:
        return state
    return f"{state}: {keys['Total votes']} of {keys['Expected votes']} votes"


_NODE_STATES: Final[dict[str, tuple[str, NodeStanding]]] = {
    "M": ("member", "up"), "X": ("not a member", "down"), "d": ("known, disallowed", "unknown"),
}  # fmt: skip


@parser("cman_nodes", version=5, product="gfs2", rows=_NODES, commands=("cman_tool",))
def cman_nodes(section: OpenSection, out: Output) -> None:
    """``cman_tool nodes``: id, state and name of each node; with ``-f`` whether a lost one was fenced."""
    member = ""
    for row in _NODES.rows(section, out, "no node with its state"):
        if REMARK in row.fields:
            section.add(
                ClusterMember,
                row.line,
                source="cman_tool nodes",
                member=member or None,
                layer="fencing",
                state="not fenced since it went down",
                standing="unclean",
            )
            continue
        member = row.fields["Name"]
        state, standing = _NODE_STATES[row.fields["Sts"]]
        if row.fields["Node"] == "0" and member.startswith("/"):  # the quorum disk, which is no node
            if standing == "down":
                text = f"Quorum disk {member}: {state}"
                section.add(Event, row.line, source="cman_tool nodes", kind="qdevice-lost", text=text)
            continue
        out.add(NodeAlias(line=row.line, node=member, alias=row.fields["Node"], kind="id"))
        section.add(
            ClusterMember,
            row.line,
            source="cman_tool nodes",
            member=member,
            layer="membership",
            generation=row.text("Inc"),
            state=state,
            standing=standing,
        )


@parser(
    "fence_domain",
    version=4,
    product="gfs2",
    claims=_LS_HEAD,
    owns=rf"(?:{_LS_HEAD}|{_LS_ROW})",
    commands=("fence_tool", "gfs_control"),
)
def fence_domain(section: OpenSection, out: Output) -> None:
    """``fence_tool ls`` and ``gfs_control ls``: victims, what is waited for, members."""
    group = "fence domain"
    source = "fence_tool ls"
    keys: dict[str, str] = {}
    first = 0
    for line in section:
        text = line.text.strip()
        if re.match(_LS_HEAD, text):
            group, source = (text, "fence_tool ls") if text == "fence domain" else ("gfs mountgroups", "gfs_control ls")
            first = line.number
        elif pair := _LS_PAIR.match(text):
            if pair[1] == "name":
                _domain(section, out, first, source, group, keys)
                group, keys, first = pair[2].strip(), {}, line.number
            else:
                keys[pair[1]] = pair[2].strip()
        else:
            out.ignore()
    _domain(section, out, first, source, group, keys)


def _domain(section: OpenSection, out: Output, line: int, source: str, group: str, keys: dict[str, str]) -> None:
    if not keys:
        return
    waits = keys.get("wait state") or keys.get("new status") or keys.get("flags")
    victims = keys.get("victim count")
    now = keys.get("victim now", "0")
    words = f"{victims} victims{f', now node {now}' if now != '0' else ''}"
    state = f"{waits or 'unknown'}, {words}" if victims is not None else waits
    section.add(
        Membership,
        line,
        source=source,
        group=group,
        sort="fence domain" if source == "fence_tool ls" else "mount group",
        generation=keys.get("change"),
        members=keys.get("members", ""),
        state=state,
        standing="waiting" if victims not in (None, "0") else "unknown",
        waits_for="fencing" if victims not in (None, "0") else None,
    )
    if victims not in (None, "0") and now != "0":
        section.add(
            ClusterMember,
            line,
            source=source,
            member=now,
            layer="fencing",
            state=f"victim now {now}",
            standing="unclean",
        )
