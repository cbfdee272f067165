"""``vgdisplay -v`` of HP-UX: a volume group with its volumes and disks.

    --- Volume groups ---
    VG Name                     /dev/vg02
    Cur PV                      2
    Act PV                      1
       LV Name                     /dev/vg02/lvora
       LV Status                   available/stale
       PV Name                     /dev/disk/disk22
       PV Status                   unavailable

Yields ``StorageState`` per group, degraded where fewer disks are active than belong to it, per volume, degraded where
a mirror of it is stale, and per disk, degraded where it is not available; ``DiskPath`` per path of ``scsimgr lun_map``.
No times. Source: vgdisplay(1M) and scsimgr(1M) of HP-UX, recalled.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records.states import DiskPath, HealthStanding, PathStanding, StorageSort, StorageState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line


def _put(section: OpenSection, line: Line, sort: StorageSort, name: str | None, state: str, *, is_bad: bool) -> None:
    standing: HealthStanding = "degraded" if is_bad else "healthy"
    group = section.state.get("VG")
    section.add(
        StorageState,
        line.number,
        source="vgdisplay",
        sort=sort,
        name=name,
        of=group if name != group else None,
        state=state,
        standing=standing,
    )


def _named(section: OpenSection, _line: Line, match: re.Match[str]) -> None:
    section.state[match["what"]] = match["name"]


def _belong(section: OpenSection, _line: Line, match: re.Match[str]) -> None:
    section.state["disks"] = int(match["count"])


def _active(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    count, total = int(match["count"]), section.state.pop("disks", None)
    if total is not None:
        state = f"{count} of {total} disks active"
        _put(section, line, "volume group", section.state.get("VG"), state, is_bad=count < total)


def _volume(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state = match["state"]
    _put(section, line, "volume", section.state.get("LV"), state, is_bad=state.endswith("/stale"))


def _disk(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state = match["state"]
    _put(section, line, "disk", section.state.get("PV"), state, is_bad=state != "available")


_VALUE: Final = (
    r"(?:VG (?:Write Access|Status|Version|Max Size|Max Extents)|(?:Max|Cur|Open) LV|Max PV|Max PE per PV|VGDA"
    r"|PE Size \(Mbytes\)|(?:Total|Alloc|Free|Allocated) PE|Total (?:PVG|Spare PVs(?: in use)?)|LV Size \(Mbytes\)"
    r"|Current LE|Used PV|Autoswitch|Proactive Polling|Mirror copies|Consistency Recovery|Schedule|Stripes"
    r"|Stripe Size \(Kbytes\)|Bad block|Allocation|IO Timeout \(Seconds\))"
)
"""Names whose values stand a blank apart in what a page of the web made of the listing."""


def _extent(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """An extent of a mirror: each disk on which one is stale is told once in a listing."""
    if "LV" not in section.state and section.command is not None:
        command = _SEARCHED.search(section.command.text)
        section.state["LV"] = command[0] if command is not None else None
    known: set[str] = section.state.setdefault("stale", set())
    for disk in _STALE_ON.findall(match[0]):
        if disk not in known and len(known) < _DISKS_KEPT:
            known.add(disk)
            _put(section, line, "volume", section.state.get("LV"), f"extents on {disk} stale", is_bad=True)


def _warned(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A disk that a command of the volume manager can't reach, or a group that it can't activate."""
    sort: StorageSort = "disk" if match["away"] else "volume group"
    state = "not reached by the volume manager" if match["away"] else "could not be activated"
    section.add(
        StorageState,
        line.number,
        source="vgdisplay",
        sort=sort,
        name=match["away"] or match["off"],
        state=state,
        standing="degraded" if match["away"] else "failed",
    )


_STALE_ON: Final = re.compile(r"(/dev/\S{1,80})\s{1,20}\d{5,9}\s{1,20}stale\b")
_SEARCHED: Final = re.compile(r"/dev/\w{1,60}/\w{1,60}")
_DISKS_KEPT: Final = 64
_ON_DISK: Final = r"\s{1,20}(?:/dev/\S{1,80}|\?{3})\s{1,20}\d{5,9}\s{1,20}(?:current|stale)"
_ROWS: Final = Rows(
    Row(
        "stale extent",
        rf"\d{{5,9}}(?:{_ON_DISK}){{1,3}}(?<=stale)$|\d{{5,9}}\s{{1,20}}/dev/\S{{1,80}}\s{{1,20}}\d{{5,9}}\s{{1,20}}stale"
        rf"(?:{_ON_DISK}){{0,2}}$",
        _extent,
        fate=Fate.EVERYDAY,
    ),
    Row("extent", rf"\d{{5,9}}(?:{_ON_DISK}){{1,3}}$", fate=Fate.EVERYDAY, opens=False),
    Row(
        "heading of extents",
        r"--- Logical extents ---$|LE\s{1,12}PV1\s{1,40}PE1\s{1,12}Status 1",
        fate=Fate.FRAME,
        opens=False,
    ),
    Row(
        "title", r"--- (?:Volume groups|Logical volumes|Physical volumes|Physical volume groups) ---$", fate=Fate.FRAME
    ),
    Row(
        "name",
        r"(?P<what>[VLP]V|VG) Name\s{1,40}(?P<name>/dev/\S{1,120})(?:\s.{0,60})?$",
        _named,
        Fate.FRAME,
        opens=False,
    ),
    Row("disks", r"Cur PV\s{1,40}(?P<count>\d{1,5})$", _belong, fate=Fate.FRAME, opens=False),
    Row("active disks", r"Act PV\s{1,40}(?P<count>\d{1,5})$", _active, opens=False),
    Row("state of a mirror", r"LV Status\s{1,40}(?P<state>(?:un)?available/(?:stale|syncd))$", _volume),
    Row("state of a volume", r"LV Status\s{1,40}(?P<state>(?:un)?available)$", _volume, opens=False),
    Row("state of a disk", r"PV Status\s{1,40}(?P<state>(?:un)?available|missing|unknown)\b", _disk, opens=False),
    Row(
        "warning of a command",
        r"(?:vg|lv|pv)\w{2,12}: (?:Warning: )?[Cc]ould(?:n['\u2019]| no)t (?:(?:attach to the volume group|query)"
        r" physical volume \"?(?P<away>/dev/[^\s\":]{1,120})|activate volume group \"?(?P<off>[\w/.-]{1,120}))\"?:?",
        _warned,
    ),
    Row(
        "reason below a warning",
        r"The (?:specified )?path (?:of the physical volume refers to a device|does not correspond to physical volume)"
        r"|exist, or is not configured into the kernel\.|this volume group\.?$"
        r"|Quorum not present, or some physical volume\(s\) are missing"
        r"|(?:vg|lv|pv)\w{2,12}: (?:Warning: )?[Cc]ould(?:n['\u2019]| no)t query all of the physical volumes"
        r"|Volume group \"[^\"]{1,120}\" has been successfully (?:changed|created|extended)",
        fate=Fate.FRAME,
        opens=False,
    ),
    Row("group", r"VG Status\s{1,40}(?:un)?available(?:, \w{4,12}){0,2}$", fate=Fate.EVERYDAY),
    Row("value", rf"(?:[A-Z][\w ()/-]{{2,30}}\s{{2,40}}|{_VALUE} )\S.{{0,120}}$", fate=Fate.EVERYDAY, opens=False),
)


def _group_in_fields(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["VG"] = match["name"]
    total, count = int(match["total"]), int(match["count"])
    _put(section, line, "volume group", match["name"], f"{count} of {total} disks active", is_bad=count < total)


def _volume_in_fields(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state = match["state"]
    _put(section, line, "volume", match["name"], state, is_bad="stale" in state or state.startswith("unavailable"))


def _disk_in_fields(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put(section, line, "disk", match["name"], match["state"], is_bad=match["state"] != "available")


_FIELDS: Final = Rows(
    Row("section of a monitor", r"<<<hpux_lvm(?::[\w()]{1,40})?>>>$", fate=Fate.FRAME),
    Row(
        "group",
        r"vg_name=(?P<name>/dev/\S{1,100}?):.{0,200}?cur_pv=(?P<total>\d{1,5}):act_pv=(?P<count>\d{1,5}):.{0,400}$",
        _group_in_fields,
    ),
    Row("volume", r"lv_name=(?P<name>/dev/\S{1,100}?):lv_status=(?P<state>[a-z,]{4,40}):.{0,300}$", _volume_in_fields),
    Row("disk", r"pv_name=(?P<name>/dev/\S{1,100}?):pv_status=(?P<state>[a-z,]{4,40})(?::.{0,300})?$", _disk_in_fields),
)


@parser("vgdisplay_fields", version=2, product="storage", rows=_FIELDS)
def vgdisplay_fields(section: OpenSection, out: Output) -> None:
    """``vgdisplay -F`` of HP-UX: fields with their names on one line."""
    _FIELDS.read(section, out, "no fields of a volume group")


_STANDINGS: Final[dict[str, PathStanding]] = {
    "ACTIVE": "up",
    "OPENING": "up",
    "STANDBY": "standby",
    "UNOPEN": "standby",
    "CLOSING": "standby",
    "FAILED": "down",
    "OFFLINE": "down",
    "AUTH_FAILED": "down",
}


def _lun(section: OpenSection, _line: Line, match: re.Match[str]) -> None:
    section.state.update(lun=match["name"], path=None, paths=0)


def _path_of(section: OpenSection, _line: Line, match: re.Match[str]) -> None:
    section.state["path"] = match["name"]


def _path(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["paths"] = number = section.state.get("paths", 0) + 1
    section.add(
        DiskPath,
        line.number,
        map=section.state.get("lun"),
        device=section.state.get("path") or f"path {number}",
        state=match["state"],
        standing=_STANDINGS[match["state"]],
    )


_LUN_PATHS: Final = Rows(
    Row("section of a monitor", r"<<<hpux_multipath>>>$", fate=Fate.FRAME),
    Row("disk", r"LUN PATH INFORMATION FOR LUN : (?:/dev/(?:rdisk/)?)?(?P<name>\S{2,60})$", _lun, fate=Fate.FRAME),
    Row("path", r"LUN path : (?P<name>lunpath\d{1,6})$", _path_of, fate=Fate.FRAME, opens=False),
    Row("state", rf"State\s{{1,40}}= (?P<state>{'|'.join(_STANDINGS)})$", _path, opens=False),
    Row("value", r"[A-Z][\w ()/-]{3,60}\s{0,40}= ?.{0,120}$", fate=Fate.EVERYDAY, opens=False),
)


@parser("lun_paths", version=1, product="storage", rows=_LUN_PATHS, commands=("scsimgr",))
def lun_paths(section: OpenSection, out: Output) -> None:
    """``scsimgr lun_map`` of HP-UX: the paths of each disk."""
    _LUN_PATHS.read(section, out, "no state of a path")


@parser("vgdisplay_hpux", version=4, product="storage", rows=_ROWS, commands=("vgdisplay", "vgchange"))
def vgdisplay_hpux(section: OpenSection, out: Output) -> None:
    """``vgdisplay`` of HP-UX: groups, volumes and disks that are not whole."""
    _ROWS.read(section, out, "no value of a volume group")
