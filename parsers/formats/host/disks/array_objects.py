"""Objects of a Storwize, FlashSystem or SAN Volume Controller, as its ``ls`` commands list them.

    id name  status IO_group_name config_node ... canister_id          lsnodecanister
    1  node1 online io_grp0       yes             1
    id status error_sequence_number use    tech_type ... slot_id       lsdrive
    2  failed 414                   failed tier_enterprise 3
    sequence_number:last_timestamp:object_type:...:status:fixed:event_id:error_code:description

Yields ``HealthState`` of each object whose table names its state: a node, drive, pool, volume, array, battery, power
supply, port or host. A volume whose cache is corrupt, an array without redundancy and a battery near its end are
degraded whatever their state. Of the log of events what is an alert that nobody fixed. Cells may be empty, so a row is
cut where its headings begin, or at colons where the table was asked for so. No times. Source: IBM Storwize and
FlashSystem command-line reference, ``lsdrive`` and its kin, recalled.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.records.states import HealthStanding, HealthState
from parsers.registry import parser

if TYPE_CHECKING:
    from collections.abc import Mapping

    from parsers.output import Output
    from parsers.sections.open_section import OpenSection

_HEADING: Final = (
    r"(?:id|mdisk_id|enclosure_id|sequence_number)"
    r"(?=[ :][^\n]{0,400}\b(?:IO_group_id|tech_type|extent_size|vdisk_UID|raid_status|battery_id|PSU_id|fc_io_port_id"
    r"|iogrp_count|canister_id|error_code)\b)(?=[^\n]{0,400}[ :]status\b)[^\n]{0,600}$"
)
_ROW: Final = r"\d{1,12}[ :][^\n]{0,800}$"
_SORTS: Final = {
    "panel_name": "node",
    "config_node": "node",
    "tech_type": "drive",
    "extent_size": "pool",
    "vdisk_UID": "volume",
    "raid_status": "array",
    "battery_id": "battery",
    "PSU_id": "power supply",
    "fc_io_port_id": "port",
    "iogrp_count": "host",
    "canister_id": "canister",
}
"""By a heading that only one of the tables has: what its rows are."""
_NAMES: Final = {"array": "mdisk_name", "battery": "battery_id", "power supply": "PSU_id", "drive": "id"}
_WRONG: Final = re.compile(r"offline|degraded\w{0,20}|excluded|service|failed|inactive_configured|starting|flushing")
_WELL: Final = re.compile(r"online|active|inactive_unconfigured")
_TITLE = re.compile(r"[A-Za-z_]{1,60}")


def _columns(text: str) -> list[tuple[str, int]]:
    return [(found[0], found.start()) for found in _TITLE.finditer(text)]


def _cells(text: str, columns: list[tuple[str, int]], *, by_colon: bool) -> dict[str, str]:
    names = [name for name, _ in columns]
    if by_colon:
        return dict(zip(names, text.split(":"), strict=False))
    ends = [start for _, start in columns[1:]] + [len(text)]
    return {name: text[start:end].strip() for (name, start), end in zip(columns, ends, strict=True)}


def _faults(cells: Mapping[str, str], sort: str) -> list[str]:
    found = [
        value
        for key in ("status", "raid_status", "use")
        if (value := cells.get(key, "")) and _WRONG.fullmatch(value) and (sort, value) != ("host", "offline")
    ]
    if sort == "array" and cells.get("redundancy") == "0":
        found.append("no redundancy is left")
    if cells.get("fast_write_state") == "corrupt":
        found.append("its cache is corrupt")
    if cells.get("end_of_life_warning") == "yes":
        found.append("near the end of its life")
    return list(dict.fromkeys(found))


def _object(section: OpenSection, number: int, cells: Mapping[str, str]) -> bool:
    sort = next((word for key, word in _SORTS.items() if key in cells), "")
    name = cells.get(_NAMES.get(sort, "name")) or cells.get("id") or ""
    if not (sort and name and re.fullmatch(r"[a-z_]{2,30}", cells.get("status", ""))):
        return False
    if sort == "port":
        name = f"{cells.get('port_id') or name} of {cells.get('node_name') or 'a node'}"
    elif sort in ("battery", "power supply") and cells.get("enclosure_id"):
        name = f"{name} of enclosure {cells['enclosure_id']}"
    faults = _faults(cells, sort)
    standing: HealthStanding = "degraded" if faults else "healthy"
    if not faults and _WELL.fullmatch(cells["status"]) is None:
        standing = "hint" if sort == "host" else "unknown"
    section.add(
        HealthState,
        number,
        source="storwize",
        component=f"{sort} {name}",
        state=", ".join(faults) or cells["status"],
        standing=standing,
    )
    return True


def _event(section: OpenSection, number: int, cells: Mapping[str, str]) -> bool:
    if cells.get("fixed") not in ("yes", "no") or not cells.get("description"):
        return False
    is_open = cells.get("status") == "alert" and cells["fixed"] == "no"
    about = cells.get("object_name") or f"{cells.get('object_type', '')} {cells.get('object_id', '')}".strip()
    code = f" (error {cells['error_code']})" if cells.get("error_code") else ""
    section.add(
        HealthState,
        number,
        source="storwize",
        component=about or "storage",
        state=f"{cells['description']}{code}",
        standing="degraded" if is_open else "healthy",
    )
    return True


@parser(
    "array_objects",
    version=1,
    product="storage",
    claims=_HEADING,
    owns=_ROW,
    commands=("lsdrive", "lsmdiskgrp", "lsvdisk", "lsnodecanister", "lsarray", "lseventlog", "lsportfc"),
)
def array_objects(section: OpenSection, out: Output) -> None:
    """Read the heading, then rows below it."""
    for line in section:
        text = line.text.rstrip()
        if re.match(_HEADING, text.lstrip()) is not None:
            section.state["columns"] = _columns(text)
            section.state["by colon"] = ":" in text
            out.frame()
            continue
        columns = section.state.get("columns")
        if columns is None:
            out.skip(line, "a row without the heading of its table")
            continue
        cells = _cells(text, columns, by_colon=section.state["by colon"])
        read = _event if "fixed" in cells else _object
        if not read(section, line.number, cells):
            out.skip(line, "a row that does not fit its heading")
