"""``vxdmpadm getsubpaths`` of Veritas Dynamic Multi-Pathing: the paths below a DMP node, of a controller, of an array
port, or all.

    heron1# vxdmpadm getsubpaths dmpnodename=reed0_0a11
    NAME         STATE[A]   PATH-TYPE[M] CTLR-NAME  ENCLR-TYPE   ENCLR-NAME    ATTRS
    ================================================================================
    sdd          DISABLED        -          c1         KESTREL      reed0            -
    sdl          ENABLED(A)      -          c2         KESTREL      reed0            -

Yields ``DiskPath`` with the DMP node as map: from its column, else from the command. DISABLED, also by hand (M), is
down. Where the heading has ``STATE[A]``, a path that is enabled without (A) stands by; else it is up. A list by
controller or array port holds only some of the paths of each node: its paths have no map, so that nobody takes them for
all. No times. Source: vxdmpadm(1M), administrator's guides of Veritas Volume Manager 4.1 to 6.0.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records.states import DiskPath, PathStanding
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.headed import Column, Table

_HEAD: Final = r"NAME\s{1,60}STATE(?:\[[A-Z-]\])?\s{1,60}PATH-TYPE(?:\[[A-Z-]\])?(?:\s|$)"
_STATE: Final = r"(?:ENABLED|DISABLED)(?:[(\[][A-Z][)\]])?"
_TYPE: Final = r"(?:-|PRIMARY|SECONDARY|(?i:active|standby|unavailable)\S{0,40})(?:\([A-Z]\))?"
_ROW: Final = rf"\S{{1,120}}\s{{1,60}}{_STATE}(?:\s|$)"
_ALONE: Final = (
    rf"\S{{1,120}}\s{{1,60}}(?:ENABLED[(\[][A-Z][)\]]|DISABLED(?:[(\[][A-Z][)\]])?)\s{{1,60}}{_TYPE}"
    r"(?:\s{1,60}\S{1,120}){3,5}\s{0,8}$"
)
"""A row by itself, as a search among the rows leaves it."""
_OF_ALL: Final = ("NAME", "STATE", "PATH-TYPE", "DMPNODENAME", "ENCLR-NAME", "CTLR", "ATTRS")
_OF_ONE: Final = ("NAME", "STATE", "PATH-TYPE", "CTLR-NAME", "ENCLR-TYPE", "ENCLR-NAME", "ATTRS")
_RULE: Final = re.compile(r"={10,200}$")
_PART: Final = re.compile(r"\b(?:ctlr|portid|pwwn)=")
_NODE: Final = re.compile(r"\b(?:dmp|tpd)nodename=([\w.:+-]{1,120})")


@parser(
    "dmp_paths",
    version=2,
    product="veritas",
    claims=rf"(?:{_HEAD}|{_ALONE})",
    owns=rf"(?:{_HEAD}|{_ROW}|={{10,200}}$)",
    commands=("vxdmpadm",),
)
def dmp_paths(section: OpenSection, out: Output) -> None:
    """``vxdmpadm getsubpaths``: a row for each path."""
    command = section.command.text if section.command is not None else ""
    named = _NODE.search(command)
    section.state.setdefault("columns", list(_OF_ONE if named else _OF_ALL))
    section.state.setdefault("whole", False)
    section.state.setdefault("active_marked", False)
    for line in section:
        text = line.text.strip()
        if re.match(_HEAD, text):
            section.state["columns"] = columns = [name.partition("[")[0] for name in text.split()]
            section.state["whole"] = not _PART.search(command) and not {"DMPNODENAME", "ENCLR-TYPE"} <= set(columns)
            section.state["active_marked"] = "STATE[A]" in text
            continue
        if _RULE.match(text):
            out.ignore()
            continue
        cells = dict(zip(section.state.get("columns", ()), text.split(), strict=False))
        if not re.fullmatch(_STATE, cells.get("STATE", "")):
            out.skip(line, "no path with its state")
            continue
        node = cells.get("DMPNODENAME") or (named[1] if named else None)
        section.add(
            DiskPath,
            line.number,
            source="vxdmpadm getsubpaths",
            map=node if section.state["whole"] else None,
            device=cells["NAME"],
            state=cells["STATE"],
            standing=_standing(cells["STATE"], active_marked=section.state["active_marked"]),
            layer="dmp",
        )


def _standing(state: str, *, active_marked: bool) -> PathStanding:
    if state.startswith("DISABLED"):
        return "down"
    return "standby" if active_marked and state == "ENABLED" else "up"


_OF_DISKS: Final = Table(
    Column("SUBPATH", cell=r"\S{1,120}$", needed=True),
    Column("DANAME", cell=r"\S{1,120}$", needed=True),
    Column("DMNAME", cell=r"\S{1,120}$"),
    Column("GROUP", cell=r"\S{1,120}$"),
    Column("STATE", cell=rf"{_STATE}$", needed=True),
    row=r"(?:\S{1,120}\s{1,60}){4}[A-Z]{2,8}(?:\([A-Z]\))?$",
)


@parser("vxdisk_path", version=1, product="veritas", rows=_OF_DISKS, commands=("vxdisk",))
def vxdisk_path(section: OpenSection, out: Output) -> None:
    """``vxdisk path``: the paths of all disks."""
    for row in _OF_DISKS.rows(section, out, "no path with its disk and state"):
        state = row.fields["STATE"]
        section.add(
            DiskPath,
            row.line,
            source="vxdisk path",
            map=row.fields["DANAME"],
            device=row.fields["SUBPATH"],
            state=state,
            standing=_standing(state, active_marked=False),
            layer="dmp",
        )
