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

Yields ``ClusterMember`` for systems and ``ServiceState`` for service groups, mounts and failed resources, with the
system that they stand on; state as printed (``frozen`` is added where it is 1). Rows of further lettered sections are
kept whole, with the title of their section. Times: from above. Tolerated: missing titles, several states joined by
``|``, cut rows. Source: VCS 5 to 8 administration guides.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.veritas.cluster.vcs_states import service_standing, system_standing
from parsers.line_kinds import is_elision
from parsers.output import Output
from parsers.records.states import ClusterMember, Layer, NodeStanding, ServiceSort, ServiceStanding, ServiceState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

_NAME: Final = r"[A-Za-z0-9][\w.-]{0,126}"
_NAME_OF_CLUSTER: Final = r"[A-Za-z0-9][\w.:-]{0,126}"
_SYSTEM_STATES: Final = (
    r"(?:RUNNING|EXITED|EXITING|EXITING_FORCIBLY|FAULTED|INITING|LEAVING|LOCAL_BUILD|REMOTE_BUILD|UNKNOWN"
    r"|[A-Z]{3,12}_(?:DISCOVER_WAIT|PEER_WAIT|ADMIN_WAIT|BUILD))"
)
_SYSTEM: Final = rf"A {{1,8}}{_NAME} {{1,40}}{_SYSTEM_STATES} {{1,40}}[01]$"
_GROUP_STATE: Final = r"\|?[A-Z_]{3,24}(?:[| ]{1,3}[A-Z_]{3,24}){0,6}\|?"
"""No single letter: that is the mark of the next row, on a line that holds several."""
_GROUP: Final = rf"B {{1,8}}{_NAME} {{1,40}}{_NAME} {{1,40}}[YN] {{1,40}}[YN] {{1,40}}{_GROUP_STATE}$"
_DASHES: Final = r"(?:--|[\u2013\u2014]{1,2})"  # web pages make one dash of two
_TITLES: Final = (
    rf"{_DASHES} (?:(?:SYSTEM|GROUP) STATE|(?:GROUPS|RESOURCES|AGENTS|REMOTE|WAN|WAC|CLUSTERS?) [A-Z]{{4}})"
)
_SUM_CLAIMS: Final = rf"(?:{_TITLES}|{_SYSTEM}|{_GROUP})"
_SUM_OWNS: Final = re.compile(
    rf"(?:{_SUM_CLAIMS}|{_DASHES} [A-Za-z]|(?:[C-MO-X] {{1,8}}|[A-Z] {{2,8}}){_NAME_OF_CLUSTER}(?: {{1,40}}\S|$)"
    r"|#?(?:System|Group) {2,40}State)"
)
_SYSTEM_ROW = re.compile(rf"A {{1,8}}({_NAME}) {{1,40}}(\S{{3,40}}) {{1,40}}([01])$")
_GROUP_ROW = re.compile(
    rf"B {{1,8}}({_NAME}) {{1,40}}({_NAME}) {{1,40}}([YN]) {{1,40}}([YN]) {{1,40}}(\S{{2,80}}|{_GROUP_STATE})$"
)
_OTHER_ROW = re.compile(rf"[C-Z] {{1,8}}({_NAME_OF_CLUSTER})(?: {{1,40}}(\S.{{0,300}}))?$")
_TITLE_ROW = re.compile(rf"{_DASHES} ([A-Z][A-Z/ ]{{5,60}})$")

_CFS_TABLE: Final = r"NODE {1,40}CLUSTER MANAGER STATE {1,40}CVM STATE"
_CFS_ON_ONE_LINE: Final = rf"Node {{1,40}}: {{1,8}}{_NAME} {{1,80}}Cluster Manager {{0,40}}: {{0,8}}[a-z]"
_CFS_CLAIMS: Final = (
    rf"(?:Node {{5,40}}: {{1,8}}{_NAME}$|{_CFS_ON_ONE_LINE}|Cluster Manager {{0,40}}: {{0,8}}[a-z]|CVM state {{0,40}}: "
    rf"{{0,8}}[a-z]|{_CFS_TABLE}|MOUNT POINT {{1,60}}SHARED VOLUME|No mount point registered with cluster)"
)
_CFS_ROW: Final = rf"{_NAME} {{1,40}}(?:running|not-running|offline|online|unknown) {{1,40}}[a-z-]{{3,20}}$"
_CFS_OWNS: Final = re.compile(rf"(?:{_CFS_CLAIMS}|{_CFS_ROW}|/\S{{0,255}} {{1,60}}\S)")
_CFS_PARTS = re.compile(r" {1,80}(?=Node {1,40}: |Cluster Manager {0,40}: |CVM state {0,40}: |MOUNT POINT |/\S)")
_CFS_NODE = re.compile(rf"Node {{1,40}}: {{1,8}}({_NAME})$")
_CFS_STATE = re.compile(r"(Cluster Manager|CVM state) {0,40}: {0,8}(\S.{0,60})$")
_CFS_TABLE_ROW = re.compile(rf"({_NAME}) {{1,40}}([a-z-]{{3,20}}) {{1,40}}([a-z-]{{3,20}})$")
_CFS_MOUNT = re.compile(r"(/\S{0,255}) {1,60}(\S{1,64}) {1,60}(\S{1,64}) {1,60}(\S.{0,40})$")


_CFS_STANDINGS: Final[dict[str, NodeStanding]] = {
    "running": "up",
    "online": "up",
    "not-running": "leaving",
    "offline": "leaving",
}
_MOUNT_STANDINGS: Final[dict[str, ServiceStanding]] = {"MOUNTED": "online", "NOT MOUNTED": "offline"}


def _system(section: OpenSection, out: Output, line: Line, name: str, state: str) -> None:
    _member(section, out, line, "hastatus", "services", name, state, system_standing(state))


def _member(
    section: OpenSection,
    out: Output,
    line: Line,
    source: str,
    layer: Layer,
    name: str,
    state: str,
    standing: NodeStanding,
) -> None:
    section.add(ClusterMember, line.number, source=source, member=name, layer=layer, state=state, standing=standing)


def _cfs_member(
    section: OpenSection, out: Output, line: Line, name: str, of: str, state: str, *, is_expected: bool = False
) -> None:
    """State of the cluster manager or of CVM on a node; a service that does not run may have been stopped on purpose.

    is_asked_for: the cluster manager runs there, so that CVM should run, too.
    """
    layer: Layer = "volumes" if of.startswith("CVM") else "services"
    standing = _CFS_STANDINGS.get(state, "unknown")
    if is_expected and standing == "leaving":
        standing = "down"
    _member(section, out, line, "cfscluster status", layer, name, f"{of}: {state}", standing)


def _service(
    section: OpenSection,
    out: Output,
    line: Line,
    source: str,
    sort: ServiceSort,
    group: str,
    state: str,
    standing: ServiceStanding,
    *,
    on: str | None = None,
    resource: str | None = None,
    resource_type: str | None = None,
) -> None:
    section.add(
        ServiceState,
        line.number,
        source=source,
        sort=sort,
        group=group,
        state=state,
        standing=standing,
        on=on,
        resource=resource,
        resource_type=resource_type,
    )


_TITLED: Final[tuple[tuple[str, ServiceStanding], ...]] = (
    ("NOT PROBED", "unsure"), ("FAILED", "faulted"), ("ONLINING", "changing"), ("OFFLINING", "changing"),
    ("FROZEN", "disabled"), ("DISABLED", "disabled"),
)  # fmt: skip
_GOOD_WORDS: Final = ("ALIVE", "RUNNING")
_BAD_WORD = re.compile(r"(?:FAULTED|FAILED|DOWN|LOST_CONN|LOST_HB|DISCONN|ALARM|STALE_ADMIN_WAIT)$")


def _further(section: OpenSection, out: Output, line: Line, group: str, rest: str) -> None:
    """A row of a further section: a resource with what the title says of it, a frozen group, a remote cluster."""
    title, words = section.state.get("title", ""), " ".join(rest.split())
    state = f"{title}: {words}".rstrip(": ")
    standing = next((standing for word, standing in _TITLED if title.endswith(word)), None)
    parts = words.split()
    if title.startswith("RESOURCES") and standing is not None and len(parts) >= 3:
        _service(
            section,
            out,
            line,
            "hastatus",
            "resource",
            group,
            state if standing == "faulted" else " ".join([title.removeprefix("RESOURCES ").lower(), *parts[3:]]),
            standing,
            on=parts[2],
            resource=parts[1],
            resource_type=parts[0],
        )
    elif title == "GROUPS FROZEN":
        _service(section, out, line, "hastatus", "group", group, "frozen", "disabled")
    elif parts and (title in ("REMOTE CLUSTER STATE", "WAN HEARTBEAT STATE")):
        _remote(section, out, line, group, parts)
    else:
        is_bad = bool(parts) and _BAD_WORD.match(parts[-1]) is not None
        _service(section, out, line, "hastatus", "other", group, state, "unsure" if is_bad else standing or "unknown")


def _remote(section: OpenSection, out: Output, line: Line, name: str, parts: list[str]) -> None:
    """A row of another cluster, or of the agent of a heartbeat with the cluster to which it goes."""
    is_heartbeat = section.state.get("title") == "WAN HEARTBEAT STATE" and len(parts) == 2
    is_bad, is_good = _BAD_WORD.match(parts[-1]) is not None, parts[-1] in _GOOD_WORDS
    _service(
        section,
        out,
        line,
        "hastatus",
        "remote cluster",
        parts[0] if is_heartbeat else name,
        f"heartbeat {parts[1]}" if is_heartbeat else " ".join(parts),
        "unsure" if is_bad else "online" if is_good else "unknown",
        resource=f"{parts[0]} ({name})" if is_heartbeat else None,
    )


def _is_titled(section: OpenSection, letter: str) -> bool:
    """Whether the title above is the one of a row: all rows below one title have the same letter."""
    if section.state.get("letter") is None:
        section.state["letter"] = letter
    return bool(section.state.get("title")) and section.state["letter"] == letter


def _owns_sum(text: str, before: str) -> bool:
    return is_elision(text) or _SUM_OWNS.match(text.lstrip()) is not None


@parser("hastatus", version=7, product="veritas", claims=_SUM_CLAIMS, owns=_owns_sum, commands=("hastatus",))
def hastatus(section: OpenSection, out: Output) -> None:
    """``hastatus -sum``: states of systems and service groups."""
    for line in section:
        text = line.text.strip()
        if is_elision(text):
            out.ignore()
        elif title := _TITLE_ROW.match(text):
            section.state.update(title=title[1], letter=None)
        elif not _sum_row(section, out, line, text) and not text.startswith(("--", "\u2013", "\u2014")):
            is_row = _OTHER_ROW.match(text) is not None
            out.skip(line, "a row without its title" if is_row else "no system and no group with its state")


def _sum_row(section: OpenSection, out: Output, line: Line, text: str) -> bool:
    """Whether a line is a row whose columns are known."""
    if system := _SYSTEM_ROW.match(text):
        section.state["letter"] = "A"
        section.state.setdefault("runs", set()).update({system[1]} if system[2] == "RUNNING" else ())
        _system(section, out, line, system[1], system[2] + (" frozen" if system[3] == "1" else ""))
    elif group := _GROUP_ROW.match(text):
        section.state["letter"] = "B"
        _group(section, out, line, group)
    elif (other := _OTHER_ROW.match(text)) and _is_titled(section, text[0]):
        _further(section, out, line, other[1], other[2] or "")
    else:
        return False
    return True


def _group(section: OpenSection, out: Output, line: Line, group: re.Match[str]) -> None:
    marks = [word for flag, word in ((group[3] == "N", "not probed"), (group[4] == "Y", "autodisabled")) if flag]
    standing = service_standing(group[5])
    if standing == "offline" and group[3] == "N" and group[2] in section.state.get("runs", ()):
        standing = "unsure"  # nobody knows whether it runs on a system that does
    _service(section, out, line, "hastatus", "group", group[1], " ".join((group[5], *marks)), standing, on=group[2])


def _owns_cfs(text: str, before: str) -> bool:
    return is_elision(text) or _CFS_OWNS.match(text.lstrip()) is not None


@parser("cfscluster", version=4, product="veritas", claims=_CFS_CLAIMS, owns=_owns_cfs, commands=("cfscluster",))
def cfscluster(section: OpenSection, out: Output) -> None:
    """``cfscluster status``: cluster manager, CVM and shared mounts, node by node."""
    for line in section:
        text = line.text.strip()
        if is_elision(text):
            out.ignore()
            continue
        read = [_cfs_line(section, out, line, part) for part in _CFS_PARTS.split(text)]
        if not all(read):
            out.skip(line, "no state of a node or a mount")


def _cfs_line(section: OpenSection, out: Output, line: Line, text: str) -> bool:
    if (node := _CFS_NODE.match(text)) is not None:
        section.state["of"] = node[1]
        return True
    return text.startswith(("NODE ", "MOUNT POINT", "No mount point")) or _cfs_row(section, out, line, text)


def _cfs_row(section: OpenSection, out: Output, line: Line, text: str) -> bool:
    of: str | None = section.state.get("of") or section.heading_node  # with one blank the line of the node is a heading
    if (state := _CFS_STATE.match(text)) and of is not None:
        runs = section.state.get("manager") == "running"
        section.state["manager"] = state[2].strip() if state[1] == "Cluster Manager" else None
        _cfs_member(
            section, out, line, of, state[1], state[2].strip(), is_expected=runs and state[1] != "Cluster Manager"
        )
    elif mount := _CFS_MOUNT.match(text):
        standing = _MOUNT_STANDINGS.get(mount[4].strip(), "unknown")
        _service(section, out, line, "cfscluster status", "mount", mount[1], mount[4].strip(), standing, on=of)
    elif row := _CFS_TABLE_ROW.match(text):
        _cfs_member(section, out, line, row[1], "Cluster Manager", row[2])
        _cfs_member(section, out, line, row[1], "CVM state", row[3], is_expected=row[2] == "running")
    else:
        return False
    return True
