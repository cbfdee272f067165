"""``lvdisplay``, ``vgdisplay`` and ``pvdisplay`` of LVM on Linux: a block of names and values for each thing.

    --- Logical volume ---                          --- Volume group ---              --- Physical volume ---
    LV Path                /dev/vgreed/mail         VG Name               vgreed      PV Name         /dev/sdk
    LV Name                mail                     Cur PV                3           VG Name         vgreed
    VG Name                vgreed                   Act PV                2           Allocatable     yes
    LV Status              available
    Allocated pool data    99.40%

Yields ``StorageState`` of each volume (suspended ones and snapshots that no longer work are degraded), of each group
(degraded where fewer disks are active than it has) and of each disk (one that nobody found is missing); ``Room`` of
thin pools, their metadata and old snapshots. A volume that is not active is in order: nobody can say whether it is to
be. No times. Tolerated: other order, cut blocks, values left out. Source: lvdisplay(8), vgdisplay(8), pvdisplay(8).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.filling import room_standing
from parsers.ledger import Fate
from parsers.output import Output
from parsers.records.states import Room, StorageSort, StorageStanding, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows, everyday
from parsers.text import Line

_GAP: Final = r"\s{2,40}"
_GONE: Final = ("unknown", "[unknown]")


def _title(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state.clear()
    section.state["of"] = match["what"]


def _named(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state[match["what"]] = match["name"].strip()
    if match["what"] == "PV":
        if match["name"].startswith(_GONE):
            _put(section, line, "disk", match["name"].strip(), "missing", "missing")
        else:
            _put(section, line, "disk", match["name"].strip(), "there", "healthy")


def _put(section: OpenSection, line: Line, sort: StorageSort, name: str, state: str, standing: StorageStanding) -> None:
    section.add(
        StorageState,
        line.number,
        source="lvm",
        sort=sort,
        name=name,
        of=section.state.get("VG") if sort == "volume" else None,
        state=state,
        standing=standing,
    )


def _volume(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    if (name := section.state.get("LV")) is not None:
        state = match["state"]
        _put(section, line, "volume", name, state, "degraded" if state == "suspended" else "healthy")


def _snapshot(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    if (name := section.state.get("LV")) is not None:
        _put(section, line, "volume", name, "snapshot that no longer works", "degraded")


def _belong(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["belong"] = int(match["count"])


def _active(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    total, count = section.state.get("belong"), int(match["count"])
    if total is not None and (name := section.state.get("VG")) is not None:
        state = f"{count} of {total} disks active"
        _put(section, line, "volume group", name, state, "degraded" if count < total else "healthy")


def _room(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    name = section.state.get("LV")
    if name is None:
        return
    share = float(match["share"].replace(",", "."))
    scope = f"{section.state['VG']}/{name}" if "VG" in section.state else name
    section.add(
        Room,
        line.number,
        source="lvm",
        sort="pool",
        name=f"metadata of {scope}" if match["what"].endswith("metadata") else scope,
        share=share,
        left=round(100 - share, 2),
        state=f"{match['share']} %",
        standing=room_standing(share),
    )


_ROWS: Final = Rows(
    Row("title", r"--- (?P<what>(?:Logical|(?:NEW )?Physical) volume|Volume group) ---$", _title, Fate.FRAME),
    Row("name", rf"(?P<what>[LP]V|VG) Name{_GAP}(?P<name>\S.{{0,120}})$", _named, fate=Fate.FRAME, opens=False),
    Row("state", rf"LV Status{_GAP}(?P<state>available|NOT available|suspended)$", _volume, opens=False),
    Row("snapshot", rf"LV snapshot status{_GAP}INACTIVE destination\b.{{0,80}}$", _snapshot, opens=False),
    Row("disks", rf"Cur PV{_GAP}(?P<count>\d{{1,5}})$", _belong, fate=Fate.FRAME, opens=False),
    Row("active disks", rf"Act PV{_GAP}(?P<count>\d{{1,5}})$", _active, opens=False),
    Row(
        "room",
        rf"(?P<what>Allocated (?:pool data|metadata|to snapshot)){_GAP}(?P<share>\d{{1,3}}(?:[.,]\d{{1,4}})?)%$",
        _room,
    ),
    everyday(
        "value",
        r"(?:LV|VG|PV|PE|System ID|Format|Metadata Areas|MAX LV|Max PV|Cur LV|Open LV|Total PE|Alloc PE|Free {1,2}PE"
        r"|Free PE|Allocated PE|Allocatable|# open|Current LE|Segments|Allocation|Read ahead sectors|Block device"
        r"|Mapped size|COW-table|Snapshot chunk size|Persistent|Mirrored volumes|Clustered|Shared|Stripes|Stripe size"
        r"|Physical volume|Logical volume|Type|- currently set to)\b.{0,200}$",
        opens=False,
    ),
)


@parser("lvm_details", version=1, product="storage", rows=_ROWS)
def lvm_details(section: OpenSection, out: Output) -> None:
    """``lvdisplay`` and its kin: volumes, groups and disks."""
    _ROWS.read(section, out, "no value of a volume")
