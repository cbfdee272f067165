"""What rows of ``mm... -Y`` tell of disks, file systems, filesets and requests. No parser of its own."""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.scale.figures.iohist import device_name
from parsers.formats.scale.tables.table import TableRow
from parsers.formats.scale.tables.tables_state import file_system_named
from parsers.output import Output
from parsers.records import Counter, DiskIo, DiskName, Setting, Version
from parsers.sections.reader import OpenSection

FORMAT: Final = "file system format of "
_UID = re.compile(r"[0-9A-Fa-f]{16}$")
_LEVEL = re.compile(r"\d{1,3}\.\d{2} ?\(\d")
_PARTS: Final = {"data": "data", "metadata": "metadata", "fsTotal": "total"}
_INODES: Final = (
    ("Number of used inodes", "usedInodes"),
    ("Number of free inodes", "freeInodes"),
    ("Number of allocated inodes", "allocatedInodes"),
    ("Maximum number of inodes", "maxInodes"),
)
_FILESET: Final = ("maxInodes", "allocInodes", "usedInodes", "freeInodes")


def disk_uid(text: str | None) -> str | None:
    """Volume id as the I/O history prints it: two groups of eight digits."""
    return f"{text[:8]}:{text[8:]}".upper() if text and _UID.match(text) else None


def usage_of(metadata: str | None, data: str | None) -> str | None:
    """What a disk holds, from the two columns of the tables."""
    if metadata is None or data is None:
        return None
    held = (metadata.lower() == "yes", data.lower() == "yes")
    return {(True, True): "both", (True, False): "metadata", (False, True): "data", (False, False): "none"}[held]


def nsd(row: TableRow, section: OpenSection, out: Output) -> None:
    """``mmlsnsd``: a disk with its servers; with ``-X`` its device on one node."""
    name, device = row.text("diskName"), row.text("localDiskName")
    if name is None:
        return
    servers = (row.text("serverList") or "").replace(",", " ")
    section.add(
        DiskName,
        row.line,
        name=name,
        device=device,
        node=servers if device and " " not in servers else None,
        fs=row.text("fileSystem"),
        servers="" if device else servers,
        uid=disk_uid(row.text("volumeId")),
    )


def disk(row: TableRow, section: OpenSection, out: Output) -> None:
    """``mmlsdisk``: a disk of a file system and its state."""
    name = row.text("nsdName")
    if name is None:
        return
    state = " ".join(part for part in (row.text("status"), row.text("availability")) if part)
    out.add(
        DiskName(
            line=row.line,
            name=name,
            fs=file_system_named(section),
            state=state or None,
            uid=disk_uid(row.text("diskUID")),
            number=row.integer("diskID"),
            pool=row.text("storagePool"),
            usage=usage_of(row.text("metadata"), row.text("data")),
            failure_group=row.text("failureGroup"),
            thin=row.text("thinDiskType"),
            at=section.at,
            zone_min=section.zone_min,
        )
    )


def file_system(row: TableRow, section: OpenSection, out: Output) -> None:
    """``mmlsfs``: an attribute."""
    fs, name, value = row.text("deviceName"), row.text("fieldName"), row.text("data")
    if name is None or value is None:
        return
    out.add(
        Setting(
            line=row.line, scope=fs, source="mmlsfs", name=name, value=value, at=section.at, zone_min=section.zone_min
        )
    )
    if name == "filesystemVersion" and _LEVEL.match(value):
        out.add(
            Version(line=row.line, at=section.at, zone_min=section.zone_min, product=f"{FORMAT}{fs}", version=value)
        )


def free_space(row: TableRow, section: OpenSection, out: Output) -> None:
    """``mmdf``: size and free space of a disk, a pool, all data, all metadata, the whole."""
    own = f"disk {row.text('nsdName')}" if row.record == "nsd" else f"pool {row.text('poolName')}"
    what = _PARTS.get(row.record, own)
    size = row.number("diskSize", "poolSize", "totalData", "totalMetadata", "fsSize")
    put_space(row.line, section, out, what, size, row.number("freeBlocks"))


def put_space(
    line: int, section: OpenSection, out: Output, what: str, size_kb: float | None, free_kb: float | None
) -> None:
    """Size and free space in full blocks, in KB."""
    for name, value in ((f"{what} size", size_kb), (f"{what} free", free_kb)):
        if value is not None:
            put_count(line, section, out, name, value, scope=file_system_named(section), unit="KB")


def put_count(
    line: int,
    section: OpenSection,
    out: Output,
    name: str,
    value: float,
    *,
    scope: str | None,
    unit: str,
    source: str = "mmdf",
) -> None:
    """A gauge of a file system or a fileset."""
    out.add(
        Counter(
            line=line,
            scope=scope,
            source=source,
            name=name,
            kind="gauge",
            unit=unit,
            value=value,
            at=section.at,
            zone_min=section.zone_min,
            sample=line,
        )
    )


def inodes(row: TableRow, section: OpenSection, out: Output) -> None:
    """``mmdf``: inodes of a file system, under the names that its table for people has."""
    for name, column in _INODES:
        if (value := row.number(column)) is not None:
            put_count(row.line, section, out, name, value, scope=file_system_named(section), unit="inodes")


def fileset(row: TableRow, section: OpenSection, out: Output) -> None:
    """``mmlsfileset``: inodes of a fileset that has its own."""
    fs, name = row.text("filesystemName") or file_system_named(section), row.text("filesetName")
    if name is None or not row.number("maxInodes"):
        return
    for column in _FILESET:
        if (value := row.number(column)) is not None:
            put_count(
                row.line, section, out, column, value, scope=f"{fs or ''}:{name}", unit="inodes", source="mmlsfileset"
            )


def request(row: TableRow, section: OpenSection, out: Output) -> None:
    """``mmdiag --iohist -Y``: a request; columns under any of the names that releases gave them."""
    milliseconds, op = row.number("ioTimeMS", "timeMS", "time_ms"), row.text("rw", "RW")
    if milliseconds is None or op not in ("R", "W"):
        return
    sectors = row.number("nSec", "nSectors", "sectors")
    device = row.text("devName", "diskUID", "diskUid", "nsdID")
    out.add(
        DiskIo(
            line=row.line,
            node=row.node or section.node,
            zone_min=section.zone_min,
            source="iohist",
            op="read" if op == "R" else "write",
            count=1,
            device=device_name(device) if device else None,
            bytes=None if sectors is None else sectors * 512,
            mean_ms=milliseconds,
            what=row.text("bufType"),
            where=row.text("ioType"),
            peer=row.text("nsdNode"),
            disk_number=row.integer("disk", "diskNum"),
            sector=row.integer("sectorNum", "sector"),
            tag1=row.integer("info1", "tag1"),
            tag2=row.integer("info2", "tag2"),
            context=row.text("context"),
            thread=row.text("thread"),
        )
    )
