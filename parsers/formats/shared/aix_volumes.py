"""Volume groups, volumes and disks of AIX (``lsvg``, ``lslv``, ``lspv``), resource groups of PowerHA (``clRGinfo``).

    VOLUME GROUP:       tankvg                   VG IDENTIFIER:  00f939e200004c00000001
    TOTAL PVs:          2                        VG DESCRIPTORS: 3
    STALE PVs:          1                        STALE PPs:      88
    ACTIVE PVs:         1                        AUTO ON:        no
    hdisk3          000baf2b9e10273d                    tankvg          removed
    LV NAME             TYPE       LPs     PPs     PVs  LV STATE      MOUNT POINT
    fslv03              jfs2       800     1600    2    open/stale    /tank
    LOGICAL VOLUME:     fslv03                 VOLUME GROUP:   tankvg
    VG STATE:           active/complete        LV STATE:       opened/stale
    PHYSICAL VOLUME:    hdisk3                   VOLUME GROUP:     tankvg
    PV STATE:           missing
    orarg:ERROR:finch:non-concurrent:OHN:FNPN:NFB:ignore::: : :::
    orarg          ERROR                        finch
                   OFFLINE                      heron

Yields ``StorageState`` of a group, degraded where some of its disks are stale or not active, of a volume, degraded
where copies of it are stale (with its group only where it has several copies), and of a disk, missing where it is
removed or missing; ``ServiceState`` per resource
group and node. A disk that belongs to no group or whose group is not active is everyday. No times. Tolerated: a list
without its first lines. Source: lsvg, lslv and lspv of the AIX commands reference, clRGinfo of PowerHA SystemMirror,
recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import Setting
from parsers.records.states import ServiceStanding, ServiceState, StorageSort, StorageStanding, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows, everyday
from parsers.text import Line

_GONE: Final = ("removed", "missing")


def _put(section: OpenSection, line: Line, sort: StorageSort, name: str | None, state: str, *, is_bad: bool) -> None:
    standing: StorageStanding = "missing" if state in _GONE else "degraded" if is_bad else "healthy"
    group = section.state.get("group") if sort == "disk" else None
    section.add(
        StorageState, line.number, source="lsvg", sort=sort, name=name, of=group, state=state, standing=standing
    )


def _group(section: OpenSection, _line: Line, match: re.Match[str]) -> None:
    section.state["volume group"] = match["name"]


def _total(section: OpenSection, _line: Line, match: re.Match[str]) -> None:
    section.state["total"] = int(match["count"])


def _stale(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    disks, parts = match["disks"], match["parts"]
    is_bad = disks != "0" or parts != "0"
    state = f"stale disks: {disks}, stale partitions: {parts}" if is_bad else "nothing stale"
    _put(section, line, "volume group", section.state.get("volume group"), state, is_bad=is_bad)


def _active(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    count, total = int(match["count"]), section.state.get("total")
    if total is not None:
        state = f"{count} of {total} disks active"
        _put(section, line, "volume group", section.state.get("volume group"), state, is_bad=count < total)


def _disk(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["group"] = match["group"] if match["group"] != "None" else None
    state = match["state"] or "in no active group"
    _put(section, line, "disk", match["name"], state, is_bad=state in _GONE)


_LSVG: Final = Rows(
    Row("group", r"VOLUME GROUP:\s{1,20}(?P<name>\S{1,40})\s{1,40}VG IDENTIFIER:", _group, fate=Fate.FRAME),
    Row("disks", r"TOTAL PVs:\s{1,20}(?P<count>\d{1,5})\s", _total, fate=Fate.FRAME, opens=False),
    Row(
        "stale",
        r"STALE PVs:\s{1,20}(?P<disks>\d{1,5})\s{1,40}STALE PPs:\s{1,20}(?P<parts>\d{1,9})$",
        _stale,
        opens=False,
    ),
    Row("active disks", r"ACTIVE PVs:\s{1,20}(?P<count>\d{1,5})(?:\s|$)", _active, opens=False),
    everyday("values", r"[A-Z][A-Za-z/ ]{2,24}:\s{1,24}\S.{0,120}$", opens=False),
)


@parser("lsvg", version=3, product="storage", rows=_LSVG)
def lsvg(section: OpenSection, out: Output) -> None:
    """``lsvg`` with the name of a group: whether it has all its disks."""
    _LSVG.read(section, out, "no value of a volume group")


def _listed(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(
        StorageState,
        line.number,
        source="lsvg -l",
        sort="volume",
        name=match["name"],
        of=section.state.get("group") if int(match["parts"]) > int(match["whole"]) else None,
        state=match["state"],
        standing="degraded" if match["state"].endswith("stale") else "healthy",
    )


_NAMED: Final = r"(?P<group>[A-Za-z_][\w.-]{0,40}):$"


def _group_of(section: OpenSection, _line: Line, match: re.Match[str]) -> None:
    section.state["group"] = match["group"]


def _disk_of_group(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put(section, line, "disk", match["name"], match["state"], is_bad=match["state"] in _GONE)


_LSVG_P: Final = Rows(
    Row("heading", r"PV_NAME\s{1,40}PV STATE\s{1,40}TOTAL PPs\s{1,20}FREE PPs\b", fate=Fate.FRAME),
    Row("group", _NAMED, _group_of, Fate.FRAME, opens=False),
    Row(
        "disk",
        r"(?P<name>hdisk(?:power)?\d{1,6})\s{1,40}(?P<state>active|missing|removed|varied off|concurrent|defined)"
        r"\s{1,40}\d{1,9}\s{1,40}\d{1,9}(?:\s{1,40}\d{1,9}(?:\.\.\d{1,9}){4})?$",
        _disk_of_group,
    ),
)


@parser("lsvg_disks", version=1, product="storage", rows=_LSVG_P, commands=("lsvg",), places=r"\blsvg {1,4}-p\b")
def lsvg_disks(section: OpenSection, out: Output) -> None:
    """``lsvg -p``: the disks of a group, and whether they take part."""
    _LSVG_P.read(section, out, "no disk with its state")


_LSVG_L: Final = Rows(
    Row("group", _NAMED, _group_of, Fate.FRAME, opens=False),
    Row("heading", r"LV NAME\s{1,40}TYPE\s{1,24}LPs\s{1,16}PPs\s{1,16}PVs\s{1,16}LV STATE\b", fate=Fate.FRAME),
    Row(
        "volume",
        r"(?P<name>[A-Za-z]\S{0,60})\s{1,40}[a-z]\w{2,12}\s{1,24}(?P<whole>\d{1,9})\s{1,16}(?P<parts>\d{1,9})\s{1,16}"
        r"\d{1,5}\s{1,16}(?P<state>(?:open|closed)/(?:stale|syncd|syncing))(?:\s{1,24}\S{1,200})?$",
        _listed,
    ),
)


@parser("lsvg_volumes", version=2, product="storage", rows=_LSVG_L, commands=("lsvg",), places=r"\blsvg {1,4}-l\b")
def lsvg_volumes(section: OpenSection, out: Output) -> None:
    """``lsvg -l``: whether the copies of its volumes are alike."""
    _LSVG_L.read(section, out, "no volume with its state")


_NO_STATE: Final = r"(?!STALE|[LPV][VG] STATE)"
"""What is everyday whatever its value."""
_DISK_STATES: Final = "active|missing|removed|stale|varied off|concurrent|defined"


def _volume(section: OpenSection, _line: Line, match: re.Match[str]) -> None:
    section.state["volume"], section.state["of"] = match["name"], match["group"]


def _volume_state(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state = match["state"]
    section.add(
        StorageState,
        line.number,
        source="lslv",
        sort="volume",
        name=section.state.get("volume"),
        of=section.state.get("of"),
        state=state,
        standing="degraded" if "stale" in state else "hint" if "closed" in state else "healthy",
    )


def _stale_parts(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(
        StorageState,
        line.number,
        source="lslv",
        sort="volume",
        name=section.state.get("volume"),
        of=section.state.get("of"),
        state=f"{match['parts']} stale partitions",
        standing="degraded",
    )


_LSLV: Final = Rows(
    Row(
        "volume",
        r"LOGICAL VOLUME:\s{1,30}(?P<name>\S{1,40})\s{1,40}VOLUME GROUP:\s{1,20}(?P<group>\S{1,40})$",
        _volume,
        fate=Fate.FRAME,
    ),
    Row(
        "state",
        r"VG STATE:\s{1,30}\S{3,40}\s{1,40}LV STATE:\s{1,20}(?P<state>\w{4,8}/\w{4,8})$",
        _volume_state,
        opens=False,
    ),
    Row("stale", r"STALE PPs:\s{1,30}(?P<parts>[1-9]\d{0,8})(?:\s|$)", _stale_parts, opens=False),
    everyday("nothing stale", r"STALE PPs:\s{1,30}0(?:\s|$)", opens=False),
    everyday("values", rf"{_NO_STATE}[A-Z][A-Za-z/ -]{{2,40}}\s?\??:(?:\s{{1,24}}\S.{{0,120}})?$", opens=False),
)


@parser("lslv", version=1, product="storage", rows=_LSLV, commands=("lslv",))
def lslv(section: OpenSection, out: Output) -> None:
    """``lslv`` with the name of a volume: whether all its copies are alike."""
    _LSLV.read(section, out, "no value of a logical volume")


def _disk_named(section: OpenSection, _line: Line, match: re.Match[str]) -> None:
    section.state["disk"], section.state["group"] = match["name"], match["group"]


def _disk_state(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state = match["state"]
    _put(section, line, "disk", section.state.get("disk"), state, is_bad=state in _GONE)


def _disk_stale(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put(section, line, "disk", section.state.get("disk"), f"{match['parts']} stale partitions", is_bad=True)


_ONE_DISK: Final = Rows(
    Row(
        "disk",
        r"PHYSICAL VOLUME:\s{1,30}(?P<name>\S{1,40})\s{1,40}VOLUME GROUP:\s{1,20}(?P<group>\S{1,40})$",
        _disk_named,
        fate=Fate.FRAME,
    ),
    Row("state", rf"PV STATE:\s{{1,30}}(?P<state>{_DISK_STATES})(?:\s|$)", _disk_state, opens=False),
    Row("stale", r"STALE PARTITIONS:\s{1,30}(?P<parts>[1-9]\d{0,8})(?:\s|$)", _disk_stale, opens=False),
    everyday("nothing stale", r"STALE PARTITIONS:\s{1,30}0(?:\s|$)", opens=False),
    everyday("values", rf"{_NO_STATE}[A-Z][A-Za-z/ -]{{2,40}}\s?\??:?\s{{1,24}}\S.{{0,120}}$", opens=False),
)


@parser("lspv_one", version=2, product="storage", rows=_ONE_DISK, commands=("lspv",))
def lspv_one(section: OpenSection, out: Output) -> None:
    """``lspv`` with the name of a disk."""
    _ONE_DISK.read(section, out, "no value of a physical volume")


def _disk_listed(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A disk is known on all hosts by its number, and one of the cluster file system by the name it has there."""
    group, state = match["group"], match["state"]
    is_named = match["number"] == "none" and group != "None" and state is None
    number = group if is_named else match["number"]
    if number != "none":
        section.add(Setting, line.number, scope=match["name"], source="lspv", name="wwid", value=number)
    if is_named or state == "concurrent":
        section.add(Setting, line.number, scope=match["name"], source="lspv", name="cluster disk of", value=group)
    _disk(section, line, match)


_LSPV: Final = Rows(
    Row(
        "disk",
        r"(?P<name>hdisk(?:power)?\d{1,6})\s{1,24}(?P<number>[0-9a-f]{16}|none)\s{1,40}(?P<group>[A-Za-z_][\w.-]{0,40})"
        r"(?:\s{1,24}(?P<state>active|concurrent|removed|missing|locked|defined))?$",
        _disk_listed,
    ),
)


@parser("lspv", version=3, product="storage", rows=_LSPV, commands=("lspv",))
def lspv(section: OpenSection, out: Output) -> None:
    """``lspv``: the disks, their groups, and whether they take part."""
    _LSPV.read(section, out, "no disk with its group")


def _standing(state: str) -> ServiceStanding:
    if "ERROR" in state:
        return "faulted"
    if state in ("ACQUIRING", "RELEASING"):
        return "changing"
    return "online" if state.startswith("ONLINE") else "offline" if state.startswith("OFFLINE") else "unknown"


def _resources(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(
        ServiceState,
        line.number,
        source="clRGinfo",
        group=match["name"],
        on=match["node"],
        state=match["state"],
        standing=_standing(match["state"]),
    )


_STATE: Final = (
    r"(?:ONLINE|OFFLINE|ERROR)(?: SECONDARY)?|TEMPORARY ERROR|OFFLINE DUE TO \w[\w ]{2,30}|ACQUIRING|RELEASING"
    r"|UNMANAGED|UNKNOWN"
)
_NODE: Final = r"[A-Za-z][\w.-]{0,63}(?:@[\w.-]{1,60})?"


def _on_node(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A row of the table: the name of a group stands in its first row alone."""
    name = section.state["resources of"] = match.groupdict().get("name") or section.state.get("resources of")
    section.add(
        ServiceState,
        line.number,
        source="clRGinfo",
        group=name,
        on=match["node"].partition("@")[0],
        state=match["state"],
        standing=_standing(match["state"]),
    )


_RESOURCES: Final = Rows(
    Row("section of a monitor", r"<<<aix_hacmp_resources(?::[\w()]{1,40})?>>>$", fate=Fate.FRAME),
    Row(
        "group",
        r"(?P<name>[A-Za-z][\w.-]{0,63}):(?P<state>(?:ONLINE|OFFLINE)(?: SECONDARY)?|(?:TEMPORARY )?ERROR"
        r"|ACQUIRING|RELEASING|UNMANAGED|UNKNOWN):(?P<node>[A-Za-z][\w.-]{0,63}):(?:non-)?concurrent:.{0,200}$",
        _resources,
    ),
    Row("heading", r"Group Name\s{1,40}(?:Group )?State\s{1,60}Node(?: State)?$", fate=Fate.FRAME),
    Row("ruler", r"-{20,160}$", fate=Fate.FRAME, opens=False),
    Row(
        "of a node",
        rf"(?P<name>[A-Za-z][\w.-]{{0,63}})?\s{{1,60}}(?P<state>{_STATE})\s{{1,60}}(?P<node>{_NODE})$",
        _on_node,
        opens=False,
    ),
    Row("below it", rf"(?P<state>{_STATE})\s{{1,60}}(?P<node>{_NODE})$", _on_node, opens=False),
)


@parser("clrginfo", version=2, product="", rows=_RESOURCES, commands=("clRGinfo",))
def clrginfo(section: OpenSection, out: Output) -> None:
    """``clRGinfo``: each resource group on each node."""
    _RESOURCES.read(section, out, "no state of a resource group")
