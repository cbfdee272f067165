"""Configuration of the cluster manager: ``corosync.conf``, ``corosync-cmapctl``, ``cluster.conf``,
``corosync-quorumtool``.

    totem {                                       runtime.config.totem.token (u32) = 3650
        version: 2                                stats.schedmiss.0.delay (flt) = 2023.957031
        token: 10000
    }                                             <totem token="10000" consensus="12000"/>
    Quorate:          Yes                         Nodeid      Votes    Qdevice Name
    Ring ID:          1/4412                           1          1         NR kite3 (local)

Yields ``Setting`` with the path of the key as name (``totem.token``, ``nodelist.node.1.ring0_addr``) and the source
as tool: ``corosync.conf``, ``cmap`` or ``cluster.conf`` (``totem token`` there becomes ``totem.token``, of ``dlm``
and ``gfs_controld`` likewise); counters of cmap below ``stats`` are ``Counter``, links of knet there
``HeartbeatLink``, ``ListedState`` what is wrong with them; ``NodeAlias`` for node ids; ``Quorum``; ``Event`` for a
quorum device that gives no vote, and for votes that are missing where the cluster goes on without them. Comments are
left out. No times. Tolerated: cut files, unclosed sections. Source: corosync.conf(5), cmap_keys(8), cluster.conf(5),
corosync-quorumtool(8).
"""

from __future__ import annotations

import re
from typing import Any, Final

from parsers.formats.gfs2.votes import put_missing_votes
from parsers.grammars.cells import figure
from parsers.output import Output
from parsers.records import Counter, Event, NodeAlias, Setting
from parsers.records.states import ClusterMember, HeartbeatLink, ListedState, NodeStanding, Quorum
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

_SECTIONS: Final = (
    r"(?:totem|quorum|nodelist|logging|interface|node|device|logger_subsys|service|aisexec|amf|qb|system|uidgid"
    r"|resources|nozzle|model|net|heuristics|disk)"
)
_OPEN: Final = r"(?:totem|quorum|nodelist|logging|amf|aisexec|qb|uidgid) ?\{\s{0,8}$"
_CONF_OWNS: Final = (
    rf"(?:{_SECTIONS} ?\{{\s{{0,8}}$|\}}\s{{0,8}}$|#|[a-z][a-z0-9_]{{1,60}}:(?:\s{{1,40}}\S.{{0,400}})?$"
    rf"|[a-z][a-z0-9_]{{1,60}}\s{{1,8}}\S{{1,80}}$)"
)
_PAIR = re.compile(r"([a-z][a-z0-9_]{1,60}):\s{0,40}(\S.{0,400})?$")
_OBJCTL: Final = (
    r"(?:runtime|totem|quorum|nodelist|cluster|logging|internal_configuration|service|uidgid)(?:\.[\w:/-]{1,60}){1,12}="
)
"""A key as ``corosync-objctl`` of the first releases prints it."""
_CMAP: Final = rf"(?:[a-z][\w.:/-]{{1,250}} \((?:str|u8|u16|u32|u64|i8|i16|i32|i64|flt|dbl|bin)\) = |{_OBJCTL})"
_CMAP_ROW = re.compile(r"([a-z][\w.:/-]{1,250}) \((str|u8|u16|u32|u64|i8|i16|i32|i64|flt|dbl|bin)\) = (.{0,400})$")
_OBJCTL_ROW = re.compile(r"([a-z][\w.:/-]{1,250})=(.{0,400})$")
_MEMBER_KEY = re.compile(r"runtime\.(?:totem\.pg\.mrp\.srp\.)?members\.(\d{1,10})\.status$")
_UNKNOWN_VALUE: Final = "Error: "
_XML_TAGS: Final = (
    r"cluster|cman|totem|dlm|gfs_controld|clusternodes?|clusternode|quorumd|fence_daemon|fencedevices?|rm"
    r"|logging|altname|multicast"
)
_XML_CLAIM: Final = (
    r"<\?xml |</?(?:cluster|cman|totem|gfs_controld|clusternodes|clusternode|fence_daemon|quorumd)[ />]|<dlm [a-z]"
)
_XML_OWNS: Final = r"</?(?!(?:pacemaker-result|crm_mon) )[A-Za-z?!]|[a-z_]{2,40}=\"|/?>"
_TAG = re.compile(rf"<({_XML_TAGS})\b([^<>]{{0,2000}})")
_ATTRIBUTE = re.compile(r"([a-z_]{2,40})=\"([^\"]{0,200})\"")
_NODE_TABLE: Final = r"Nodeid\s{1,12}Votes\s{1,12}(?:Qdevice\s{1,12})?Name"
_QUORUM_KEYS: Final = (
    r"(?:Quorum provider|Nodes|Node ID|Ring ID|Quorate|Votequorum information|Expected votes|Highest "
    r"expected|Total votes|Quorum|Flags)"
)
_QUORUM_CLAIM: Final = (
    rf"(?:Quorum provider:\s|Ring ID:\s|Quorate:\s{{1,20}}(?:Yes|No)|Votequorum information"
    rf"|Membership information|{_NODE_TABLE}|Quorum information|Cluster information$)"
)
_OF_PROXMOX: Final = r"(?:Name|Config Version|Transport|Secure auth):\s"
_QUORUM_OWNS: Final = (
    rf"(?:{_QUORUM_CLAIM}|{_QUORUM_KEYS}\b|Date:\s|{_OF_PROXMOX}|-{{5,80}}$"
    r"|(?:0x[0-9a-f]{1,8}|\d{1,10})\s{1,20}\d{1,6}\s)"
)
_QUORUM_ROW = re.compile(
    r"(0x[0-9a-f]{1,8}|\d{1,10})\s{1,20}(\d{1,6})\s{1,20}(?:((?:A|NA),\S{1,12}|NR"
    r"|Qdevice)\s{1,12})?(\S{1,128})(?: \((\w{1,12}|votes \d{1,6})\))?$"
)
_QUORUM_PAIR = re.compile(r"([A-Z][A-Za-z ]{3,30}):\s{1,40}(\S.{0,120})$")


@parser("corosync_conf", version=2, product="gfs2", claims=_OPEN, owns=_CONF_OWNS)
def corosync_conf(section: OpenSection, out: Output) -> None:
    """``corosync.conf``: keys with the path of their sections."""
    path: list[str] = []
    nodes = 0
    for line in section:
        text = line.text.strip()
        if text.startswith("#"):
            out.ignore()
        elif text.endswith("{"):
            name = text[:-1].strip()
            nodes += name == "node"
            path.append(f"node.{nodes - 1}" if name == "node" else name)
        elif text == "}":
            path = path[:-1]
        elif (pair := _PAIR.match(text)) and pair[2] and path:
            _setting(section, line, "corosync.conf", ".".join([*path, pair[1]]), pair[2].strip())
            _remember(out, path[-1], pair[1], pair[2].strip())
        else:
            out.skip(line, "no key with a value inside a section")
    _aliases(section, out)


def _remember(out: Output, where: str, key: str, value: str) -> None:
    """Keys of one node belong together: id, name, addresses."""
    if where.startswith("node.") and (key in ("nodeid", "name") or key.startswith("ring")):
        out.interned.setdefault("corosync_nodes", {}).setdefault(where, {})[key] = value


def _aliases(section: OpenSection, out: Output) -> None:
    nodes: dict[str, dict[str, str]] = out.interned.pop("corosync_nodes", {})
    for keys in nodes.values():
        name = keys.get("name") or keys.get("ring0_addr")
        if name is None:
            continue
        for key, value in keys.items():
            if value != name and key != "name":
                kind = "id" if key == "nodeid" else "address" if value[:1].isdigit() or ":" in value else "name"
                out.add(NodeAlias(line=section.line_number, node=name, alias=value, kind=kind))


def _setting(section: OpenSection, line: Line, source: str, name: str, value: str) -> None:
    section.add(Setting, line.number, source=source, name=name, value=value)


@parser("corosync_cmap", version=3, product="gfs2", claims=_CMAP, commands=("corosync-cmapctl", "corosync-objctl"))
def corosync_cmap(section: OpenSection, out: Output) -> None:
    """``corosync-cmapctl``: keys in force, and counters."""
    for line in section:
        text = line.text.strip()
        if match := _CMAP_ROW.match(text):
            name, kind, value = match[1], match[2], match[3].strip()
        elif match := _OBJCTL_ROW.match(text):
            name, kind, value = match[1], "", match[2].strip()
        else:
            out.skip(line, "no key with a value")
            continue
        if member := _MEMBER_KEY.match(name):
            standing: NodeStanding = "up" if value == "joined" else "down" if value == "left" else "unknown"
            section.add(
                ClusterMember,
                line.number,
                source="cmap",
                member=member[1],
                layer="heartbeat",
                state=value,
                standing=standing,
            )
            continue
        _knet(section, line, name, value)
        counted = name.startswith(("stats.", "runtime.totem.", "runtime.schedmiss.", "runtime.connections."))
        if counted and kind not in ("str", "bin") and (number := figure(value)) is not None:
            gauge = ".schedmiss." in name or "avg_" in name
            section.add(
                Counter,
                line.number,
                source="cmap",
                name=name,
                kind="gauge" if gauge else "cumulative",
                value=number,
                unit="ms" if name.endswith((".delay", ".timestamp")) and ".schedmiss." in name else "",
                sample=line.number,
            )
        elif value:
            _setting(section, line, "cmap", name, value)


_OF_LINK: Final = re.compile(r"stats\.knet\.node(?P<peer>\d{1,10})\.link(?P<link>\d)\.(?P<what>connected|enabled|mtu)$")
_FIREWALL: Final = "stats.srp.firewall_enabled_or_nic_failure"
_LEAST_MTU: Final = 1000
"""Bytes; below the smallest MTU of a network of today: knet found that nothing larger comes through."""


def _knet(section: OpenSection, line: Line, name: str, value: str) -> None:
    """How a link of knet to a peer stands, of those that are in use: a node has an entry for itself too."""
    if name == _FIREWALL and value == "1":
        _wrong(section, line, "totem", "a firewall or a failed card stops it")
    match = _OF_LINK.match(name)
    if match is None:
        return
    peer, link = f"node {match['peer']}", match["link"]
    key = f"knet {peer} {link}"
    if match["what"] == "connected":
        section.state[key] = value, line.number
    elif match["what"] == "mtu" and section.state.get(key, ("",))[0] == "1" and 0 < (figure(value) or 0) < _LEAST_MTU:
        _wrong(section, line, f"link {link} to {peer}", f"{value} bytes come through at most")
    elif match["what"] == "enabled" and value == "1" and key in section.state:
        connected, number = section.state[key]
        section.add(
            HeartbeatLink,
            number,
            source="cmap",
            peer=match["peer"],
            link=link,
            state="connected" if connected == "1" else "disconnected",
            standing="up" if connected == "1" else "down",
            protocol="totem",
        )


def _wrong(section: OpenSection, line: Line, name: str, state: str) -> None:
    section.add(
        ListedState, line.number, source="cmap", name=name, state=state, standing="wrong", row=line.text.strip()[:200]
    )


@parser("cluster_conf", version=3, product="gfs2", claims=_XML_CLAIM, owns=_XML_OWNS)
def cluster_conf(section: OpenSection, out: Output) -> None:
    """``cluster.conf`` of RHEL 5 and 6: attributes of the tags that matter."""
    for line in section:
        found = False
        for tag in _TAG.finditer(line.raw if "<" in line.raw else line.text):
            attributes = dict(_ATTRIBUTE.findall(tag[2]))
            found = True
            if tag[1] == "clusternode":
                _cluster_node(section, out, line, attributes)
            else:
                for key, value in attributes.items():
                    _setting(section, line, "cluster.conf", f"{tag[1]}.{key}", value)
        if not found:
            out.ignore()


def _cluster_node(section: OpenSection, out: Output, line: Line, attributes: dict[str, str]) -> None:
    name, node_id = attributes.get("name"), attributes.get("nodeid")
    if name and node_id:
        out.add(NodeAlias(line=line.number, node=name, alias=node_id, kind="id"))


@parser(
    "corosync_quorum",
    version=5,
    product="gfs2",
    claims=_QUORUM_CLAIM,
    owns=_QUORUM_OWNS,
    commands=("corosync-quorumtool", "pvecm"),
)
def corosync_quorum(section: OpenSection, out: Output) -> None:
    """``corosync-quorumtool``: quorum, ring, and who belongs to it."""
    keys: dict[str, str] = {}
    rows: list[tuple[int, re.Match[str]]] = []
    first = 0
    for line in section:
        text = line.text.strip()
        first = first or line.number
        if match := _QUORUM_ROW.match(text):
            rows.append((line.number, match))
        elif pair := _QUORUM_PAIR.match(text):
            keys[pair[1]] = pair[2].strip()
            first = line.number if pair[1] == "Quorate" else first
        elif text[0].isdigit():
            out.skip(line, "no node of the quorum")
    _quorum(section, out, first, keys, rows)


def _quorate(keys: dict[str, str]) -> bool | None:
    """As it is stated; without quorum the tool says so behind the number of votes that it needs, too."""
    stated = {"Yes": True, "No": False}.get(keys.get("Quorate", ""))
    if stated is None and "Quorate" in keys.get("Flags", "").split():
        stated = True
    return False if stated is None and "activity blocked" in keys.get("Quorum", "").lower() else stated


def _quorum_words(keys: dict[str, str]) -> str | None:
    """Quorum and votes, as far as they are shown."""
    quorate = _quorate(keys)
    state = keys.get("Quorate") if quorate is None else "quorate" if quorate else "not quorate"
    if quorate is False and "Total votes" in keys and "Expected votes" in keys:
        return f"{state}: {keys['Total votes']} of {keys['Expected votes']} votes"
    return state


def _has_no_vote(match: re.Match[str]) -> bool:
    """Whether the quorum device gives no vote, as its own row or that of a node says."""
    return match[2] == "0" if match[4] == "Qdevice" else (match[3] or "").startswith("NA,")


def _quorum(section: OpenSection, out: Output, first: int, keys: dict[str, str], rows: list[tuple[int, Any]]) -> None:
    """One membership, and the names that belong to the ids."""
    by_device = sorted(rows, key=lambda row: row[1][4] != "Qdevice")
    silent = [number for number, match in by_device if _has_no_vote(match)]
    rows = [(number, match) for number, match in rows if match[4] != "Qdevice"]  # a vote of its own, and no node
    local = next((match[4] for _, match in rows if match[5] == "local"), None)
    for number, match in rows:
        if not match[4][0].isdigit():
            node_id = str(int(match[1], 16)) if match[1].startswith("0x") else match[1]
            out.add(NodeAlias(line=number, node=match[4], alias=node_id, kind="id"))
            section.add(Setting, number, node=match[4], source="corosync-quorumtool", name="votes", value=match[2])
    if silent:
        section.add(
            Event,
            silent[0],
            node=section.node or local,
            source="corosync-quorumtool",
            kind="qdevice-lost",
            text="Qdevice without a vote",
        )
    elif _quorate(keys):
        put_missing_votes(section, first, "corosync-quorumtool", keys, local)
    if "Flags" in keys:
        section.add(
            Setting, first, node=section.node or local, source="corosync-quorumtool", name="Flags", value=keys["Flags"]
        )
    if keys or rows:
        section.add(
            Quorum,
            first,
            node=section.node or local,
            source="corosync-quorumtool",
            quorate=_quorate(keys),
            generation=keys.get("Ring ID"),
            members=" ".join(match[4] for _, match in rows),
            state=_quorum_words(keys),
        )
