"""Who is master in the Cluster Volume Manager of Veritas: ``vxdctl -c mode``, ``vxclustadm nidmap``, ``vxclustadm -v nodestate``,
``fsclustadm showprimary``.

    mode: enabled: cluster active - SLAVE                  nodeId=0
    master: carp2                                          masterId=1
    Name                CVM Nid    CM Nid     State        members=0x3
    carp1               1          0          Joined: Slave
    carp2               0          1          Joined: Master

Yields ``Setting`` for the mode and each value of nodestate, ``Member`` with group ``CVM master`` for the name or CVM id of the master,
with group ``CVM`` for members by id, and with the node as group for the state of nidmap; ``NodeAlias`` of name and CM Nid, which is the
id of LLT. ``showprimary`` prints a name only and is known by its command: ``Member`` with group ``CFS primary``, the mount as its
generation is none; the mount stands in the state. Times: from above. Tolerated: further states, missing titles, cut rows. Source:
Storage Foundation for Oracle RAC and SFCFS administration guides 5 to 7.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records import Member, NodeAlias, Setting
from parsers.registry import parser
from parsers.sections import OpenSection
from parsers.text import Line, is_elision

_NAME: Final = r"[A-Za-z][\w.-]{0,126}"
_MODE: Final = r"mode: {1,8}(?:enabled|disabled|booted|not-running)(?: {0,4}: {0,4}(?:cluster|enabled) [^:]{0,60})?$"
_VALUES: Final = r"(?:nodeId|masterId|neighborId|joiners|leavers|reconfig_seqnum|vxfen)=\S"
_NIDS: Final = r"Name {1,60}CVM Nid {1,40}CM Nid {1,40}State"
_NIDROW: Final = rf"{_NAME} {{1,60}}\d{{1,3}} {{1,40}}\d{{1,3}} {{1,40}}(?:Joined|Out of Cluster)"
_CLAIMS: Final = rf"(?:{_MODE}|{_VALUES}|{_NIDS}|{_NIDROW}|state: {{1,4}}(?:cluster member|out of cluster|joining)$)"
_OWNS: Final = re.compile(rf"(?:{_CLAIMS}|master: {{1,8}}{_NAME}$|[a-zA-Z_]{{3,30}}=\S)")
_MODE_ROW = re.compile(r"mode: {1,8}(\S.{0,100})$")
_MASTER = re.compile(rf"master: {{1,8}}({_NAME})$")
_PAIR = re.compile(r"(?<!\S)([a-zA-Z_]{3,30})=(\S{1,64})")
_NID = re.compile(rf"({_NAME}) {{1,60}}(\d{{1,3}}) {{1,40}}(\d{{1,3}}) {{1,40}}(\S.{{0,60}})$")
_HEX = re.compile(r"0x[0-9a-fA-F]{1,16}$")


def _owns(text: str, before: str) -> bool:
    return is_elision(text) or _OWNS.match(text.lstrip()) is not None


def _member(section: OpenSection, out: Output, line: Line, source: str, group: str, members: str, state: str | None = None) -> None:
    out.add(
        Member(
            line=line.number, node=section.node, at=section.at, zone_min=section.zone_min, source=source, group=group, members=members,
            state=state,
        )
    )  # fmt: skip


def _setting(section: OpenSection, out: Output, line: Line, source: str, name: str, value: str) -> None:
    out.add(
        Setting(
            line=line.number, node=section.node, source=source, name=name, value=value, at=section.at, zone_min=section.zone_min
        )
    )  # fmt: skip


@parser("cvm", version=1, product="veritas", claims=_CLAIMS, owns=_owns, commands=("vxdctl", "vxclustadm"))
def cvm(section: OpenSection, out: Output) -> None:
    """Mode, node ids and state of the volume manager's cluster."""
    for line in section:
        text = line.text.strip()
        if is_elision(text):
            out.ignore()
        elif mode := _MODE_ROW.match(text):
            _setting(section, out, line, "vxdctl -c mode", "mode", mode[1])
        elif master := _MASTER.match(text):
            _member(section, out, line, "vxdctl -c mode", "CVM master", master[1])
        elif nid := _NID.match(text):
            _nid(section, out, line, nid)
        elif pairs := _PAIR.findall(text):
            _nodestate(section, out, line, pairs)
        elif not text.startswith(("Name", "state:")):
            out.skip(line, "no mode, node id or state")


def _nid(section: OpenSection, out: Output, line: Line, row: re.Match[str]) -> None:
    name, cm_nid, state = row[1], str(int(row[3])), row[4].strip()
    _member(section, out, line, "vxclustadm nidmap", name, "", state)
    out.add(NodeAlias(line=line.number, node=name, alias=cm_nid, kind="id"))
    if state.endswith("Master"):
        _member(section, out, line, "vxclustadm nidmap", "CVM master", name)


def _nodestate(section: OpenSection, out: Output, line: Line, pairs: list[tuple[str, str]]) -> None:
    """``members`` is a mask of CVM ids, which need not be those of LLT: they stay numbers of their own."""
    for name, value in pairs:
        _setting(section, out, line, "vxclustadm nodestate", name, value)
        if name == "members" and _HEX.match(value):
            mask = int(value, 16)
            ids = " ".join(f"CVM{bit}" for bit in range(64) if mask >> bit & 1)
            _member(section, out, line, "vxclustadm nodestate", "CVM", ids)


_PRIMARY_ROW: Final = rf"{_NAME}$"


@parser(
    "cfs_primary",
    version=1,
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
        if mount is not None:
            section.speaks_of(scope=mount)
        _member(section, out, line, "fsclustadm showprimary", "CFS primary", line.text.strip(), mount)
