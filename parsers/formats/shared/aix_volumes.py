"""Volume groups and disks of AIX (``lsvg``, ``lspv``), and resource groups of PowerHA (``clRGinfo -s``).

    VOLUME GROUP:       tankvg                   VG IDENTIFIER:  00f939e200004c00000001
    TOTAL PVs:          2                        VG DESCRIPTORS: 3
    STALE PVs:          1                        STALE PPs:      88
    ACTIVE PVs:         1                        AUTO ON:        no
    hdisk3          000baf2b9e10273d                    tankvg          removed
    orarg:ERROR:finch:non-concurrent:OHN:FNPN:NFB:ignore::: : :::

Yields ``StorageState`` of a group, degraded where some of its disks are stale or not active, and of a disk, degraded
where it is removed or missing; ``ServiceState`` per resource group and node. A disk that belongs to no group or whose
group is not active is everyday. No times. Tolerated: a list without its first lines. Source: lsvg and lspv of the AIX
commands reference, clRGinfo of PowerHA SystemMirror, recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.registry import parser
from parsers.rows import Row, Rows, everyday
from parsers.sections import OpenSection
from parsers.state_records import HealthStanding, ServiceStanding, ServiceState, StorageSort, StorageState
from parsers.text import Line


def _put(section: OpenSection, line: Line, sort: StorageSort, name: str | None, state: str, *, is_bad: bool) -> None:
    standing: HealthStanding = "degraded" if is_bad else "healthy"
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
    state = f"{disks} stale disks, {parts} stale partitions" if is_bad else "nothing stale"
    _put(section, line, "disk group", section.state.get("volume group"), state, is_bad=is_bad)


def _active(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    count, total = int(match["count"]), section.state.get("total")
    if total is not None:
        state = f"{count} of {total} disks active"
        _put(section, line, "disk group", section.state.get("volume group"), state, is_bad=count < total)


def _disk(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["group"] = match["group"] if match["group"] != "None" else None
    state = match["state"] or "in no active group"
    _put(section, line, "disk", match["name"], state, is_bad=state in ("removed", "missing"))


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


@parser("lsvg", version=1, product="storage", rows=_LSVG)
def lsvg(section: OpenSection, out: Output) -> None:
    """``lsvg`` with the name of a group: whether it has all its disks."""
    _LSVG.read(section, out, "no value of a volume group")


_LSPV: Final = Rows(
    Row(
        "disk",
        r"(?P<name>hdisk(?:power)?\d{1,6})\s{1,24}(?:[0-9a-f]{16}|none)\s{1,40}(?P<group>[A-Za-z_][\w.-]{0,40})"
        r"(?:\s{1,24}(?P<state>active|concurrent|removed|missing|locked|defined))?$",
        _disk,
    ),
)


@parser("lspv", version=1, product="storage", rows=_LSPV, commands=("lspv",))
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


_RESOURCES: Final = Rows(
    Row("section of a monitor", r"<<<aix_hacmp_resources(?::[\w()]{1,40})?>>>$", fate=Fate.FRAME),
    Row(
        "group",
        r"(?P<name>[A-Za-z][\w.-]{0,63}):(?P<state>(?:ONLINE|OFFLINE)(?: SECONDARY)?|(?:TEMPORARY )?ERROR"
        r"|ACQUIRING|RELEASING|UNMANAGED|UNKNOWN):(?P<node>[A-Za-z][\w.-]{0,63}):(?:non-)?concurrent:.{0,200}$",
        _resources,
    ),
)


@parser("clrginfo", version=1, product="", rows=_RESOURCES)
def clrginfo(section: OpenSection, out: Output) -> None:
    """``clRGinfo -s``: each resource group on each node."""
    _RESOURCES.read(section, out, "no state of a resource group")
