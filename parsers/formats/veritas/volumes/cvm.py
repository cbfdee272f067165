"""Who is master in the Cluster Volume Manager of Veritas: ``vxdctl -c mode``, ``vxclustadm nidmap``, ``vxclustadm -v
nodestate``, ``fsclustadm showprimary``.

    mode: enabled: cluster active - SLAVE                  nodeId=0
    master: carp2                                          masterId=1
    Name                CVM Nid    CM Nid     State        members=0x3
    carp1               1          0          Joined: Slave
    carp2               0          1          Joined: Master

Yields ``Setting`` for the mode and each value of nodestate, ``Manager`` for the name or CVM id of the master,
``Membership`` for members by id, ``ClusterMember`` for the states of nidmap; ``NodeAlias`` of name and CM Nid, which is
the id of LLT. ``showprimary`` prints a name only and is known by its command: it yields a ``Manager`` of the mount.
``cluster inactive`` is no fault by itself: every host prints it that shares no disk group. Times: from above.
Tolerated: further states, missing titles, cut rows. Source: Storage Foundation for Oracle RAC and SFCFS administration
guides 5 to 7.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.line_kinds import is_elision
from parsers.output import Output
from parsers.records import NodeAlias, Setting
from parsers.records.states import ClusterMember, Manager, Membership, NodeStanding, Role
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

_NAME: Final = r"[A-Za-z][\w.-]{0,126}"
_MODE: Final = r"mode: {1,8}(?:enabled|disabled|booted|not-running)(?: {0,4}: {0,4}(?:cluster|enabled) [^:]{0,60})?$"
_VALUES: Final = r"(?:nodeId|masterId|neighborId|(?:members|joiners|leavers)(?:\[\d{1,2}\])?|reconfig_seqnum|vxfen)=\S"
_NIDS: Final = r"Name {1,60}CVM Nid {1,40}CM Nid {1,40}State"
_NIDROW: Final = rf"{_NAME} {{1,60}}(?:-?\d{{1,3}}|-) {{1,40}}(?:\d{{1,3}}|-) {{1,40}}(?:Joined|[Oo]ut of [Cc]luster)"
_CLAIMS: Final = (
    rf"(?:{_MODE}|{_VALUES}|{_NIDS}|{_NIDROW}|state: {{1,4}}(?:cluster member|out of cluster|joining"
    r"|cluster aborting|master switching in progress)$|Out of "
    r"cluster: )"
)
_OWNS: Final = re.compile(rf"(?:{_CLAIMS}|master: {{1,8}}{_NAME}$|(?:reason|reconfig): {{1,8}}\S|[a-zA-Z_]{{3,30}}=\S)")
_MODE_ROW = re.compile(r"mode: {1,8}(\S.{0,100})$")
_MASTER = re.compile(rf"master: {{1,8}}({_NAME})$")
_PAIR = re.compile(r"(?<!\S)([a-zA-Z_]{3,30})(?:\[0\])?=(\S{1,64})")
_FURTHER_WORD = re.compile(r"(?:members|joiners|leavers)\[\d{1,2}\]=")  # of a mask that a longer cluster needs
_NID = re.compile(rf"({_NAME}) {{1,60}}(-?\d{{1,3}}|-) {{1,40}}(\d{{1,3}}|-) {{1,40}}(\S.{{0,60}})$")
_HEX = re.compile(r"0x[0-9a-fA-F]{1,16}$")


def _owns(text: str, before: str) -> bool:
    return is_elision(text) or _OWNS.match(text.lstrip()) is not None


def _manager(
    section: OpenSection, out: Output, line: Line, source: str, role: Role, name: str, of: str | None = None
) -> None:
    section.add(Manager, line.number, source=source, role=role, manager=name, of=of)


def _setting(section: OpenSection, line: Line, source: str, name: str, value: str) -> None:
    section.add(Setting, line.number, source=source, name=name, value=value)


@parser("cvm", version=7, product="veritas", claims=_CLAIMS, owns=_owns, commands=("vxdctl", "vxclustadm"))
def cvm(section: OpenSection, out: Output) -> None:
    """Mode, node ids and state of the volume manager's cluster."""
    for line in section:
        text = line.text.strip()
        if is_elision(text):
            out.ignore()
        elif mode := _MODE_ROW.match(text):
            _setting(section, line, "vxdctl -c mode", "mode", mode[1])
            if "inactive" in mode[1]:
                _own_state(section, line, "vxdctl -c mode", f"CVM {mode[1].rpartition(': ')[2]}", "unknown")
            elif "cluster active" in mode[1]:
                _own_state(section, line, "vxdctl -c mode", "CVM cluster active", "up")
            elif ": cluster " in mode[1]:
                _own_state(section, line, "vxdctl -c mode", f"CVM {mode[1].partition(': ')[2]}", "unknown")
        elif master := _MASTER.match(text):
            _manager(section, out, line, "vxdctl -c mode", "volume master", master[1])
        elif nid := _NID.match(text):
            _nid(section, out, line, nid)
        elif pairs := _PAIR.findall(text):
            _nodestate(section, out, line, pairs)
        elif _FURTHER_WORD.match(text):
            out.everyday()
        elif text.startswith("reconfig:"):
            _setting(section, line, "vxclustadm nodestate", "reconfig", text.partition(":")[2].strip())
        elif text.startswith(("state:", "reason:")):
            _node_state(section, line, text)
        elif text.startswith("Out of cluster"):
            _own_state(section, line, "vxclustadm nidmap", "CVM out of cluster")
        elif not text.startswith("Name"):
            out.skip(line, "no mode, node id or state")


def _own_state(section: OpenSection, line: Line, source: str, state: str, standing: NodeStanding = "down") -> None:
    """Whether the node on which the command ran takes part in the cluster of volumes."""
    section.add(
        ClusterMember, line.number, source=source, member=section.node, layer="volumes", state=state, standing=standing
    )


_ON_PURPOSE: Final = "user initiated"


def _is_on_purpose(section: OpenSection, value: str) -> bool:
    """Whether somebody stopped CVM there: the reason says so, which stands in the line below the state."""
    below = section.peek()
    name, _, reason = (below.text if below is not None else "").partition(":")
    return value.strip().startswith(_ON_PURPOSE) or (
        name.strip() == "reason" and reason.strip().startswith(_ON_PURPOSE)
    )


def _node_state(section: OpenSection, line: Line, text: str) -> None:
    """``vxclustadm nodestate``: the state, and in the next line why a node is out."""
    name, _, value = text.partition(":")
    _setting_of(section, line, name, value.strip())
    source = "vxclustadm nodestate"
    if name == "reason" or "out of cluster" in value:
        standing: NodeStanding = "leaving" if _is_on_purpose(section, value) else "down"
        _own_state(section, line, source, f"CVM {'is out: ' if name == 'reason' else ''}{value.strip()}", standing)
    elif "cluster member" in value:
        _own_state(section, line, source, "CVM cluster member", "up")


def _setting_of(section: OpenSection, line: Line, name: str, value: str) -> None:
    section.add(Setting, line.number, source="vxclustadm nodestate", name=name, value=value)


def _nid(section: OpenSection, out: Output, line: Line, row: re.Match[str]) -> None:
    name, state = row[1], row[4].strip()
    is_out = "out of cluster" in state.lower()
    standing: NodeStanding = "up" if state.startswith("Joined") else "down" if is_out else "unknown"
    section.add(
        ClusterMember,
        line.number,
        source="vxclustadm nidmap",
        member=name,
        layer="volumes",
        state=state,
        standing=standing,
    )
    if row[3].isdecimal():
        out.add(NodeAlias(line=line.number, node=name, alias=str(int(row[3])), kind="id"))
    if state.endswith("Master"):
        _manager(section, out, line, "vxclustadm nidmap", "volume master", name)


def _nodestate(section: OpenSection, out: Output, line: Line, pairs: list[tuple[str, str]]) -> None:
    """``members`` is a mask of CVM ids, which need not be those of LLT: they stay numbers of their own."""
    for name, value in pairs:
        _setting(section, line, "vxclustadm nodestate", name, value)
        if name == "members" and _HEX.match(value):
            mask = int(value, 16)
            ids = " ".join(f"CVM{bit}" for bit in range(64) if mask >> bit & 1)
            section.add(
                Membership,
                line.number,
                source="vxclustadm nodestate",
                sort="volumes",
                group="CVM",
                members=ids,
                standing="normal",
            )


_PRIMARY_ROW: Final = rf"{_NAME}$"


@parser(
    "cfs_primary",
    version=3,
    product="veritas",
    claims=r"(?!)",
    owns=_PRIMARY_ROW,
    commands=("fsclustadm",),
    places=r"\bfsclustadm .{0,80}\bshowprimary\b",
)
def cfs_primary(section: OpenSection, out: Output) -> None:
    """``fsclustadm -v showprimary MOUNT``: the name of the node that is primary of a mount."""
    words = section.command.args if section.command is not None else ()
    mount = next((word for word in words if word.startswith("/")), None)
    for line in section:
        if section.state.setdefault("primary", name := line.text.strip()) != name:
            out.skip(line, "a mount has one primary")  # how somebody signs below it
            continue
        if mount is not None:
            section.speaks_of(scope=mount)
        _manager(section, out, line, "fsclustadm showprimary", "file system primary", name, mount)
