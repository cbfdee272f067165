"""State of a Veritas cluster: ``hastatus -sum`` and ``cfscluster status``.

    -- SYSTEM STATE
    -- System               State                Frozen
    A  carp1                RUNNING              0
    -- GROUP STATE
    -- Group           System               Probed     AutoDisabled    State
    B  mail            carp1                Y          N               ONLINE
      Node             :  carp1                                NODE      CLUSTER MANAGER STATE   CVM STATE
      Cluster Manager  :  running                              carp1     running                 not-running
      CVM state        :  running
      MOUNT POINT    SHARED VOLUME  DISK GROUP        STATUS
      /srv/pots      potvol         potdg             MOUNTED

Yields ``Member``: group is the system, service group or mount; members is the system that a service group or mount stands on; state as
printed (``frozen`` is added where it is 1). Rows of further lettered sections are kept whole, with the title of their section. Times:
from above. Tolerated: missing titles, several states joined by ``|``, cut rows. Source: VCS 5 to 8 administration guides.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records import Member
from parsers.registry import parser
from parsers.sections import OpenSection
from parsers.text import Line, is_elision

_NAME: Final = r"[A-Za-z0-9][\w.-]{0,126}"
_SYSTEM_STATES: Final = (
    r"(?:RUNNING|EXITED|EXITING|EXITING_FORCIBLY|FAULTED|INITING|LEAVING|LOCAL_BUILD|REMOTE_BUILD|UNKNOWN"
    r"|[A-Z]{3,12}_(?:DISCOVER_WAIT|PEER_WAIT|ADMIN_WAIT|BUILD))"
)
_SYSTEM: Final = rf"A {{1,8}}{_NAME} {{1,40}}{_SYSTEM_STATES} {{1,40}}[01]$"
_GROUP: Final = rf"B {{1,8}}{_NAME} {{1,40}}{_NAME} {{1,40}}[YN] {{1,40}}[YN] {{1,40}}[A-Z_|]{{4,80}}$"
_SUM_CLAIMS: Final = rf"(?:-- (?:SYSTEM|GROUP) STATE|{_SYSTEM}|{_GROUP})"
_SUM_OWNS: Final = re.compile(rf"(?:{_SUM_CLAIMS}|-- [A-Z]|[A-Z] {{1,8}}{_NAME} {{1,40}}\S|#?(?:System|Group) {{2,40}}State)")
_SYSTEM_ROW = re.compile(rf"A {{1,8}}({_NAME}) {{1,40}}(\S{{3,40}}) {{1,40}}([01])$")
_GROUP_ROW = re.compile(rf"B {{1,8}}({_NAME}) {{1,40}}({_NAME}) {{1,40}}([YN]) {{1,40}}([YN]) {{1,40}}(\S{{2,80}})$")
_OTHER_ROW = re.compile(rf"[C-Z] {{1,8}}({_NAME}) {{1,40}}(\S.{{0,300}})$")
_TITLE_ROW = re.compile(r"-- ([A-Z][A-Z/ ]{5,60})$")

_CFS_TABLE: Final = r"NODE {2,40}CLUSTER MANAGER STATE {1,40}CVM STATE"
_CFS_CLAIMS: Final = (
    rf"(?:Node {{5,40}}: {{1,8}}{_NAME}$|Cluster Manager {{0,40}}: {{0,8}}[a-z]|CVM state {{0,40}}: {{0,8}}[a-z]|{_CFS_TABLE}"
    r"|MOUNT POINT {1,60}SHARED VOLUME|No mount point registered with cluster)"
)
_CFS_ROW: Final = rf"{_NAME} {{1,40}}(?:running|not-running|offline|online|unknown) {{1,40}}[a-z-]{{3,20}}$"
_CFS_OWNS: Final = re.compile(rf"(?:{_CFS_CLAIMS}|{_CFS_ROW}|/\S{{0,255}} {{1,60}}\S)")
_CFS_NODE = re.compile(rf"Node {{1,40}}: {{1,8}}({_NAME})$")
_CFS_STATE = re.compile(r"(Cluster Manager|CVM state) {0,40}: {0,8}(\S.{0,60})$")
_CFS_TABLE_ROW = re.compile(rf"({_NAME}) {{1,40}}([a-z-]{{3,20}}) {{1,40}}([a-z-]{{3,20}})$")
_CFS_MOUNT = re.compile(r"(/\S{0,255}) {1,60}(\S{1,64}) {1,60}(\S{1,64}) {1,60}(\S.{0,40})$")


def _add(section: OpenSection, out: Output, line: Line, source: str, group: str, state: str, members: str = "") -> None:
    out.add(
        Member(
            line=line.number, node=section.node, at=section.at, zone_min=section.zone_min, source=source, group=group, members=members,
            state=state,
        )
    )  # fmt: skip


def _owns_sum(text: str, before: str) -> bool:
    return is_elision(text) or _SUM_OWNS.match(text.lstrip()) is not None


@parser("hastatus", version=1, product="veritas", claims=_SUM_CLAIMS, owns=_owns_sum, commands=("hastatus",))
def hastatus(section: OpenSection, out: Output) -> None:
    """``hastatus -sum``: states of systems and service groups."""
    for line in section:
        text = line.text.strip()
        if is_elision(text):
            out.ignore()
        elif title := _TITLE_ROW.match(text):
            section.state["title"] = title[1]
        elif system := _SYSTEM_ROW.match(text):
            _add(section, out, line, "hastatus", system[1], system[2] + (" frozen" if system[3] == "1" else ""))
        elif group := _GROUP_ROW.match(text):
            marks = [word for flag, word in ((group[3] == "N", "not probed"), (group[4] == "Y", "autodisabled")) if flag]
            _add(section, out, line, "hastatus", group[1], " ".join((group[5], *marks)), group[2])
        elif other := _OTHER_ROW.match(text):
            _add(section, out, line, "hastatus", other[1], f"{section.state.get('title', '')}: {' '.join(other[2].split())}")
        elif not text.startswith("--"):
            out.skip(line, "no system and no group with its state")


def _owns_cfs(text: str, before: str) -> bool:
    return is_elision(text) or _CFS_OWNS.match(text.lstrip()) is not None


@parser("cfscluster", version=1, product="veritas", claims=_CFS_CLAIMS, owns=_owns_cfs, commands=("cfscluster",))
def cfscluster(section: OpenSection, out: Output) -> None:
    """``cfscluster status``: cluster manager, CVM and shared mounts, node by node."""
    for line in section:
        text = line.text.strip()
        if is_elision(text):
            out.ignore()
        elif node := _CFS_NODE.match(text):
            section.state["of"] = node[1]
        elif text.startswith(("NODE ", "MOUNT POINT", "No mount point")):
            continue
        elif not _cfs_row(section, out, line, text):
            out.skip(line, "no state of a node or a mount")


def _cfs_row(section: OpenSection, out: Output, line: Line, text: str) -> bool:
    of: str | None = section.state.get("of")
    if (state := _CFS_STATE.match(text)) and of is not None:
        _add(section, out, line, "cfscluster status", of, f"{state[1]}: {state[2].strip()}")
    elif mount := _CFS_MOUNT.match(text):
        _add(section, out, line, "cfscluster status", mount[1], mount[4].strip(), of or "")
    elif row := _CFS_TABLE_ROW.match(text):
        _add(section, out, line, "cfscluster status", row[1], f"Cluster Manager: {row[2]}")
        _add(section, out, line, "cfscluster status", row[1], f"CVM state: {row[3]}")
    else:
        return False
    return True
