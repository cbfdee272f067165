"""Listings of Spectrum Scale for people: ``mmlsmount``, ``mmlsnodeclass``, ``mmlslicense``, ``mmlssnapshot``, and
``mmlsdisk -m``.

    File system nest is mounted on 2 nodes:
      10.88.0.1       lund01                    lund.lab
    File system loft is not mounted.

    Disk name     IO performed on node     Device             Availability
    lund_nsd07    lund03                   /dev/dm-17         up

    Node Class Name       Members
    --------------------- -----------------------------------------------------------
    nsdNodes              lund01.lab,lund02.lab

     Node name              Required license    Designated license
    lund02                  server              client               *

    Snapshots in file system nest:
    Directory                SnapId    Status  Created                   Fileset
    daily-2                  12        Valid   Tue Mar  4 12:04:41 2031

Yields ``ServiceState`` (a mount on a node), ``NodeAlias``, ``DiskName``, ``Setting`` (classes of a node, its license, a
snapshot) and ``Counter`` (sums of the license listing). A mark behind a license says that it does not suffice. No times
but those of snapshots, which stand in their value. Source: IBM Storage Scale documentation, the commands named.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.formats.scale.tables.tables_state import file_system_named
from parsers.ledger import Fate
from parsers.records import Counter, DiskName, NodeAlias, Setting
from parsers.records.states import HealthState, ListedState, ServiceStanding, ServiceState
from parsers.registry import parser
from parsers.sections.below import is_below, keep_row
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

MEMBERS_KEPT: Final = 2_000
_NAME: Final = r"[A-Za-z0-9][\w.-]{0,252}"
_ADDRESS: Final = r"(?:(?:\d{1,3}\.){3}\d{1,3}|[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:.]{1,44})"
_RULER: Final = r"-{4,240}(?: {1,8}-{4,240}){0,8} {0,8}$"


def _mount(section: OpenSection, line: Line, fs: str, on: str | None, state: str, standing: ServiceStanding) -> None:
    section.add(
        ServiceState,
        line.number,
        source="mmlsmount",
        sort="mount",
        group=fs,
        on=on,
        state=state,
        standing=standing,
    )


def _mounted(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    section.state["mounted"] = found["fs"]
    section.add(
        Counter,
        line.number,
        scope=found["fs"],
        source="mmlsmount",
        name="nodes that mount it",
        kind="gauge",
        unit="nodes",
        value=float(found["number"] or 1),
        sample=line.number,
    )


def _not_mounted(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    section.state["mounted"] = None
    _mount(section, line, found["fs"], None, "not mounted on any node", "offline")


def _node(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    section.add(NodeAlias, line.number, node=found["node"], alias=found["address"], kind="address")
    if (fs := section.state.get("mounted")) is not None:
        _mount(section, line, fs, found["node"], found["remark"] or found["mode"] or "mounted", "online")


_MOUNTS: Final = Rows(
    Row(
        "mounted",
        r"File system (?P<fs>\S{1,250})(?: \([^()]{1,300}\))? is mounted on (?P<number>\d{1,6})? ?node",
        _mounted,
    ),
    Row("not mounted", r"File system (?P<fs>\S{1,250})(?: \([^()]{1,300}\))? is not mounted\.?$", _not_mounted),
    Row(
        "node",
        rf"(?P<address>{_ADDRESS}) {{1,80}}(?P<node>{_NAME})(?: {{1,80}}{_NAME})?"
        r"(?: {1,80}(?:\((?P<remark>[a-z ]{3,40})\)|(?P<mode>[a-z]{2,20} [a-z]{2,20})))? {0,40}$",
        _node,
        opens=False,
    ),
)


@parser("scale_mounts", version=1, product="spectrum-scale", rows=_MOUNTS, commands=("mmlsmount",))
def scale_mounts(section: OpenSection, out: Output) -> None:
    """``mmlsmount -L``: which node mounts which file system."""
    _MOUNTS.read(section, out, "no node that mounts it")


def _path(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    section.add(DiskName, line.number, name=found["disk"], fs=file_system_named(section), state=found["availability"])


_PATHS: Final = Rows(
    Row("heading", r"Disk name {1,400}IO performed on node\b", fate=Fate.FRAME),
    Row("ruler", _RULER, fate=Fate.FRAME, opens=False),
    Row(
        "path",
        rf"(?P<disk>\S{{1,253}}) {{1,400}}(?:{_NAME}|-) {{1,400}}(?:/dev/\S{{1,200}}|\S{{1,200}}) {{1,400}}"
        r"(?P<availability>up|down|recovering|unrecovered)(?: [^\n]{0,400})?$",
        _path,
        opens=False,
    ),
)


@parser("scale_disk_paths", version=1, product="spectrum-scale", rows=_PATHS, commands=("mmlsdisk",))
def scale_disk_paths(section: OpenSection, out: Output) -> None:
    """``mmlsdisk -m`` and ``-M``: over which node the I/O to each disk goes, and whether the disk is up."""
    _PATHS.read(section, out, "no disk with its path")


def _above(section: OpenSection, line: Line, _found: re.Match[str]) -> None:
    keep_row(section, line)


def _class(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    if not (found["gap"] or is_below(section, line)):
        return
    section.state["class"] = found["name"]
    _members(section, line, found["members"])


def _more(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    if is_below(section, line):
        _members(section, line, found["members"])


def _members(section: OpenSection, line: Line, members: str) -> None:
    keep_row(section, line)
    for node in members.split(",")[:MEMBERS_KEPT]:
        if node:
            section.add(
                Setting,
                line.number,
                node=node,
                source="mmlsnodeclass",
                name="node class",
                value=section.state.get("class", ""),
            )


_LIST: Final = rf"{_NAME}(?:,{_NAME}){{0,2000}},?"
_CLASSES: Final = Rows(
    Row("heading", r"Node Class Name {1,40}Members$", _above, fate=Fate.FRAME),
    Row("ruler", _RULER, _above, fate=Fate.FRAME, opens=False),
    Row("class", rf"(?P<name>{_NAME})(?: | (?P<gap> {{1,79}}))(?P<members>{_LIST})$", _class, opens=False),
    Row("more members", rf"(?P<members>{_LIST})$", _more, opens=False),
)


@parser("scale_node_classes", version=2, product="spectrum-scale", rows=_CLASSES, commands=("mmlsnodeclass",))
def scale_node_classes(section: OpenSection, out: Output) -> None:
    """``mmlsnodeclass``: nodes of each class."""
    _CLASSES.read(section, out, "no class with its members")


def _license(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    section.add(
        Setting,
        line.number,
        node=found["node"],
        source="mmlslicense",
        name="license",
        value=found["has"],
        note=f"required: {found['needs']}{', does not suffice' if found['lacks'] else ''}",
    )


def _sum(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    if "still requiring" in found["name"] and int(found["value"]):
        section.add(
            ListedState,
            line.number,
            source="mmlslicense",
            name="licenses",
            state=f"{found['value']} {found['name'].removeprefix('Number of ')}",
            standing="wrong",
            row=line.text.strip(),
        )
    section.add(
        Counter,
        line.number,
        source="mmlslicense",
        name=found["name"],
        kind="gauge",
        unit="nodes",
        value=float(found["value"]),
        sample=line.number,
    )


_LICENSES: Final = Rows(
    Row("heading", r"Node name {1,40}Required license {1,40}Designated license", fate=Fate.FRAME),
    Row("ruler", _RULER, fate=Fate.FRAME, opens=False),
    Row("summary", r"Summary information$", fate=Fate.FRAME),
    Row(
        "license",
        rf"(?P<node>{_NAME}) {{1,60}}(?P<needs>server|client|FPO|fpo|none) {{1,40}}(?P<has>server|client|FPO|fpo|none)"
        r"(?: {1,40}(?P<lacks>\*))? {0,20}$",
        _license,
        opens=False,
    ),
    Row(
        "sum",
        r"(?P<name>Number of nodes (?:defined in the cluster|with [A-Za-z]{3,6} license designation"
        r"|still requiring [A-Za-z]{3,6} license designation)): {1,80}(?P<value>\d{1,6})$",
        _sum,
    ),
    Row("edition", r"This node runs IBM [A-Z]", fate=Fate.EVERYDAY, opens=False),
)


@parser("scale_licenses", version=2, product="spectrum-scale", rows=_LICENSES, commands=("mmlslicense",))
def scale_licenses(section: OpenSection, out: Output) -> None:
    """``mmlslicense``: license of each node."""
    _LICENSES.read(section, out, "no node with its license")


def _snapshots_of(section: OpenSection, _line: Line, found: re.Match[str]) -> None:
    section.speaks_of(scope=found["fs"])


def _snapshot(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    state = f"{found['status']}, created {found['created']}{', fileset ' + found['set'] if found['set'] else ''}"
    section.add(Setting, line.number, source="mmlssnapshot", name=f"snapshot {found['name']}", value=state)
    section.add(
        HealthState,
        line.number,
        source="mmlssnapshot",
        component=f"snapshot {found['name']}",
        state=found["status"],
        standing="healthy" if found["status"].lower() == "valid" else "degraded",
    )


_SNAPSHOTS: Final = Rows(
    Row("title", r"Snapshots in file system (?P<fs>\S{1,250}?):", _snapshots_of, Fate.FRAME),
    Row("heading", r"Directory {1,60}SnapId {1,40}Status {1,40}Created\b", fate=Fate.FRAME),
    Row(
        "snapshot",
        r"(?P<name>\S{1,255}) {1,80}\d{1,9} {1,40}(?P<status>[A-Z][A-Za-z]{2,30}) {1,40}"
        r"(?P<created>[A-Z][a-z]{2} [A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d \d{4})(?: {1,40}(?P<set>\S{1,255}))?"
        r"(?: {1,40}[\d.]{1,20}[KMGT]?){0,2}$",
        _snapshot,
    ),
)


@parser("scale_snapshots", version=1, product="spectrum-scale", rows=_SNAPSHOTS, commands=("mmlssnapshot",))
def scale_snapshots(section: OpenSection, out: Output) -> None:
    """``mmlssnapshot``: snapshots with their status."""
    _SNAPSHOTS.read(section, out, "no snapshot with its status")
