"""What rows of ``mm... -Y`` tell of quotas, mounts and pdisks, and rows of tables that nobody knows: those keep their
cells under the names of their columns, and words of health among them are states. No parser of its own.
"""

from __future__ import annotations

from typing import Final

from parsers.formats.scale.native_raid import pdisk_standing
from parsers.formats.scale.quota import put_limit
from parsers.formats.scale.tables.table import TableRow
from parsers.formats.scale.tables.tables_state import health_standing
from parsers.output import Output
from parsers.records import NodeAlias, Setting
from parsers.records.states import HealthState, RoomSort, ServiceState
from parsers.sections.reader import OpenSection

VALUE_KEPT: Final = 1_000
_KINDS: Final = {"USR": "user", "GRP": "group", "FILESET": "fileset"}
_NAMES: Final = (
    "name", "Name", "nodeName", "node", "NODE", "pdiskName", "rgName", "recoveryGroup", "vdiskName", "filesetName",
    "filesystemName", "fileSystem", "deviceName", "cluster", "clusterName", "address", "policyName", "component",
)  # fmt: skip
_FRAME: Final = frozenset(("version", "reserved", ""))


def quota(row: TableRow, section: OpenSection, out: Output) -> None:
    """``mmlsquota``, ``mmrepquota``: what is taken of a limit, blocks in KB."""
    name, fs = row.text("name", "id"), row.text("filesystemName")
    kind = _KINDS.get(row.text("quotaType") or "", (row.text("quotaType") or "").lower())
    what = f"{kind} {name or ''}".strip()
    sorts: tuple[tuple[RoomSort, str], ...] = (("quota of", "block"), ("inode quota of", "files"))
    for sort, prefix in sorts:
        used = row.number(f"{prefix}Usage")
        if used is not None:
            limits = (used, row.number(f"{prefix}Quota") or 0.0, row.number(f"{prefix}Limit") or 0.0)
            put_limit(section, row.line, sort, what, fs, limits, row.text(f"{prefix}Grace") or "", tool=row.command)


def mount(row: TableRow, section: OpenSection, out: Output) -> None:
    """``mmlsmount``: a node that mounts a file system."""
    fs, node, address = row.text("localDevName", "filesystemName"), row.text("nodeName"), row.text("nodeIP")
    if node and address:
        out.add(NodeAlias(line=row.line, node=node, alias=address, kind="address"))
    section.add(
        ServiceState,
        row.line,
        source="mmlsmount",
        sort="mount",
        group=fs,
        on=node,
        state=row.text("mountMode") or ("mounted" if node else "not mounted on any node"),
        standing="online" if node else "offline",
    )


def pdisk(row: TableRow, section: OpenSection, out: Output) -> None:
    """``mmvdisk pdisk list``, ``mmlspdisk``: a pdisk with its state."""
    name, state, group = row.text("pdiskName", "pdisk", "name"), row.text("state"), row.text("recoveryGroup", "rgName")
    if name is None or state is None:
        anything(row, section, out)
        return
    what = f"pdisk {name}{f' of {group}' if group else ''}"
    section.add(HealthState, row.line, source="pdisks", component=what, state=state, standing=pdisk_standing(state))


def repository_check(row: TableRow, section: OpenSection, out: Output) -> None:
    """``mmccr check``: one check of the configuration repository on one node, with what it found amiss."""
    check, code = row.text("CheckMnemonic"), row.text("ErrorCode")
    if check is None or code is None:
        return
    failed = row.text("ListOfFailedEntities")
    message = f"{row.text('ErrorMsg') or ''}{f' ({failed})' if failed else ''}".strip()
    section.add(
        HealthState,
        row.line,
        source="mmccr",
        component=f"repository check {check}",
        state=", ".join(filter(None, (row.text("Severity") or code, message))),
        standing="healthy" if code == "0" else "failed" if row.text("Severity") == "FATAL" else "degraded",
    )


def anything(row: TableRow, section: OpenSection, out: Output) -> None:
    """A row of a table that nobody knows."""
    name = row.text(*_NAMES) or ""
    filled = {column: " ".join(value.split()) for column, value in row.fields.items() if column not in _FRAME}
    cells = {column: value for column, value in filled.items() if value}
    value = ", ".join(f"{column}={cell}" for column, cell in cells.items())[:VALUE_KEPT]
    section.add(
        Setting,
        row.line,
        node=row.node or section.node,
        source=f"{row.command} {row.record}".strip(),
        name=f"row of {name}" if name else "row",
        value=value,
    )
    for column, cell in cells.items():
        if (standing := health_standing(cell)) != "unknown":
            section.add(
                HealthState,
                row.line,
                node=row.text("node", "nodeName", "NODE") or row.node or section.node,
                source=row.command,
                component=f"{column} of {name}" if name and name != cell else column,
                state=cell,
                standing=standing,
            )
