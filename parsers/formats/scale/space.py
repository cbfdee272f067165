"""Room in Spectrum Scale file systems, for people: ``mmdf``, ``mmlsfileset -L``, ``mmlspool``; and ``mmlsqos``.

    disk                disk size  failure holds    holds           free in KB          free in KB
    name                    in KB    group metadata data        in full blocks        in fragments
    Disks in storage pool: system (Maximum disk size allowed is 15.87 GB)
    lund_nsd07            1048576        1 Yes      Yes          204800 ( 20%)         11384 ( 1%)
    (pool total)          5242880                               1114112 ( 21%)         56920 ( 1%)
    (metadata)            4194304                               1931264 ( 46%)          8032 ( 0%)
    Number of used inodes:            4108

    Filesets in file system 'fs1':
    Name         Id      RootInode  ParentId Created                      InodeSpace      MaxInodes    AllocInodes
    Comment
    projects      1         524291         0 Fri Nov 12 12:04:41 2031        1              1048576          52224

    QOS values::    pool=system,other=inf,maintenance/all_local=500Iops
    12:31:41 misc iops=11 ioql=0.01653 qsdl=1.2e-06 et=5

Yields ``Counter`` (KB of full blocks: ``metadata size``, ``metadata free``, ``pool system free``, ``disk lund_nsd07
free``; inodes under their printed names; ``misc iops``), ``Setting`` (limits of a class). The file system is the one in
the command or heading. Tolerated: cut rows, decimal commas. Source: IBM Storage Scale documentation, the commands
named.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.scale.tables.tables_disks import put_count, put_space
from parsers.formats.scale.tables.tables_state import file_system_named, limits_of_pools, qos_setting
from parsers.grammars.cells import figure
from parsers.output import Output
from parsers.records import Counter, Setting
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line
from parsers.times.clock import time_of_day

_SHARE: Final = r"\( {0,3}\d{1,3} {0,2}%\)"
_KB: Final = {"K": 1.0, "M": 1024.0, "G": 1024.0**2, "T": 1024.0**3, "P": 1024.0**4}
_AMOUNT: Final = r"\d{1,20}(?:[.,]\d{1,3})?[KMGTP]?"
_DF_HEAD: Final = r"(?:disk {1,40}disk size {1,20}failure\b|name {1,40}(?:in [KMGTP]B {1,20})?group\b)"
_DF_UNIT = re.compile(r"name {1,40}in ([KMGTP])B {1,20}group\b")
_DF_POOL: Final = r"Disks in storage pool: \S"
_DF_TOTAL: Final = rf"\((?:pool total|data|metadata|total)\) {{1,80}}{_AMOUNT} {{1,80}}{_AMOUNT} {{1,8}}{_SHARE}"
_YES_NO: Final = r"(?:[Yy]es|[Nn]o)"
_DF_DISK: Final = (
    rf"\S{{1,253}} {{1,80}}{_AMOUNT} {{1,40}}\S{{1,40}} {{1,20}}{_YES_NO} {{1,20}}{_YES_NO} {{1,40}}{_AMOUNT} "
    rf"{{1,8}}{_SHARE}"
)
_INODES_NAME: Final = (
    r"(?:Total (?:of )?)?(?:[Nn]umber of (?:used|free|allocated)|Maximum number of) inodes(?: in all [Ii]node spaces)?"
)
_DF_INODES: Final = rf"{_INODES_NAME}:"
_DF_CLAIM: Final = rf"{_DF_HEAD}|{_DF_POOL}|{_DF_TOTAL}|{_DF_DISK}|{_DF_INODES}|Inode Information$"
_DF_OWNS: Final = rf"{_DF_CLAIM}|[-=]{{5,20}}(?: {{1,80}}[-=]{{4,40}}){{0,9}} {{0,8}}$"
_POOL_OF = re.compile(r"Disks in storage pool: (\S{1,200})")
_TOTAL = re.compile(rf"\((pool total|data|metadata|total)\) {{1,80}}({_AMOUNT}) {{1,80}}({_AMOUNT}) {{1,8}}{_SHARE}")
_DISK = re.compile(
    rf"(\S{{1,253}}) {{1,80}}({_AMOUNT}) {{1,40}}\S{{1,40}} {{1,20}}\w{{2,3}} {{1,20}}\w{{2,3}} "
    rf"{{1,40}}({_AMOUNT}) {{1,8}}{_SHARE}"
)
_INODES = re.compile(rf"{_INODES_NAME}:\s{{1,40}}(\d{{1,20}})$")
_INODES_OF = re.compile(r"(?i:number of (?:used|free|allocated)|maximum number of) inodes")

_SETS_HEAD: Final = r"Filesets in file system '?[\w./-]{1,200}'?:"
_SETS_COLUMNS: Final = r"Name {1,80}(?:Id {1,20}RootInode|Status {1,20}Path)\b"
_CREATED: Final = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d \d{4}"
_SETS_ROW: Final = rf"\S{{1,255}} {{1,80}}\d{{1,9}} {{1,40}}\d{{1,20}} {{1,40}}(?:--|\d{{1,9}}) {{1,8}}{_CREATED}"
_SETS_CLAIM: Final = rf"{_SETS_HEAD}|{_SETS_COLUMNS}|{_SETS_ROW}"
_SETS_OWNS: Final = (
    rf"{_SETS_CLAIM}|\S{{1,255}} {{1,80}}(?:Linked|Unlinked|Deleted)\b|Collecting fileset usage information"
)
_SETS_LINKED: Final = re.compile(r"\S{1,255} {1,80}(?:Linked|Unlinked|Deleted)\b")
SET_CELLS: Final = {"created": 8, "linked": 3}
_SETS_FS = re.compile(r"Filesets in file system '?([\w./-]{1,200}?)'?:")
_WHEN = re.compile(_CREATED)
_CREATED_COLUMNS: Final = ("Name", "Id", "RootInode", "ParentId", "Created", "InodeSpace", "MaxInodes", "AllocInodes")
_LINKED_COLUMNS: Final = ("Name", "Status", "Path", "InodeSpace", "MaxInodes", "AllocInodes", "UsedInodes")
_SET_FIGURES: Final = {
    "MaxInodes": "maxInodes",
    "AllocInodes": "allocInodes",
    "UsedInodes": "usedInodes",
    "FreeInodes": "freeInodes",
}

_POOL_HEAD: Final = (
    r"Storage pools in file system at '?\S{1,400}?'?:|Name {1,80}Id {1,20}BlkSize {1,20}Data {1,20}Meta\b"
)
_POOL_KIND: Final = r"\S{1,200} {1,80}\d{1,9} {1,20}\d{1,6} {0,2}[KMG]B {1,20}(?:yes|no) {1,20}(?:yes|no) {1,40}\d"
_POOL_SIZES: Final = rf"(\d{{1,20}}) {{1,40}}(\d{{1,20}}) {{1,4}}{_SHARE}"
_POOL_ROW: Final = (
    r"(\S{1,200}) {1,80}\d{1,9} {1,20}\d{1,6} {0,2}[KMG]B {1,20}(yes|no) {1,20}(yes|no) "
    rf"{{1,40}}{_POOL_SIZES}(?: {{1,40}}{_POOL_SIZES})?"
)
_POOL_CLAIM: Final = rf"{_POOL_HEAD}|{_POOL_KIND}"
_POOL = re.compile(_POOL_ROW)
_POOL_AT = re.compile(r"Storage pools in file system at '?(\S{1,400}?)'?:")

_QOS_KEY: Final = r"QOS (?:config|values|status)::"
_QOS_STATS: Final = r"\d\d:\d\d:\d\d {1,8}[a-z][\w/]{1,60} {1,8}iops=\S"
_QOS_CLAIM: Final = rf"{_QOS_KEY}|{_QOS_STATS}|=== for pool \S"
_QOS_SAMPLE = re.compile(r"(\d\d:\d\d:\d\d) {1,8}([a-z][\w/]{1,60}) {1,8}(iops=.{1,400})$")
_QOS_PAIR = re.compile(r"([A-Za-z]{2,8})=(\S{1,40})")
_QOS_UNITS: Final = {"iops": "/s", "ioql": "requests", "qsdl": "requests", "MBs": "MB/s"}


@parser("scale_df", version=3, product="spectrum-scale", claims=_DF_CLAIM, owns=_DF_OWNS, commands=("mmdf",))
def scale_df(section: OpenSection, out: Output) -> None:
    """``mmdf``: room on disks and in pools, and inodes."""
    pool = section.state.get("pool")
    if (fs := file_system_named(section)) is not None:
        section.speaks_of(scope=fs)
    for line in section:
        text = line.text.strip()
        if found := _POOL_OF.match(text):
            pool = section.state["pool"] = found[1]
        elif total := _TOTAL.match(text):
            what = f"pool {pool or 'total'}" if total[1] == "pool total" else total[1]
            put_space(line.number, section, out, what, _in_kb(total[2], section), _in_kb(total[3], section))
        elif disk := _DISK.match(text):
            put_space(line.number, section, out, f"disk {disk[1]}", _in_kb(disk[2], section), _in_kb(disk[3], section))
        elif inodes := _INODES.match(text):
            put_count(line.number, section, out, _inodes_name(text), float(inodes[1]), scope=fs, unit="inodes")
        elif unit := _DF_UNIT.match(text):
            section.state["unit"] = unit[1]
            out.frame()
        elif text[:1] in "-=" or re.match(rf"{_DF_HEAD}|Inode Information$", text):
            out.ignore()
        else:
            out.skip(line, "no size with its free space")


def _inodes_name(text: str) -> str:
    """The name of a count of inodes, whether of one inode space or the total of all."""
    found = _INODES_OF.search(text)
    return f"{found[0][0].upper()}{found[0][1:]}" if found is not None else ""


def _in_kb(amount: str, section: OpenSection) -> float:
    """An amount with its own unit, else in that of the heading, in KB."""
    if amount[-1] in _KB:
        return float(amount[:-1].replace(",", ".")) * _KB[amount[-1]]
    return float(amount.replace(",", ".")) * _KB[section.state.get("unit", "K")]


@parser(
    "scale_filesets",
    version=2,
    product="spectrum-scale",
    claims=_SETS_CLAIM,
    owns=_SETS_OWNS,
    commands=("mmlsfileset",),
)
def scale_filesets(section: OpenSection, out: Output) -> None:
    """``mmlsfileset``: filesets with their state, and with ``-L`` or ``-i`` their inodes."""
    state = section.state
    for line in section:
        text = line.text.strip()
        if found := _SETS_FS.match(text):
            state["fs"] = found[1]
            section.speaks_of(scope=found[1])
            out.frame()
        elif re.match(_SETS_COLUMNS, text):
            state["columns"] = text.split()
            out.frame()
        elif text.startswith("Collecting "):
            out.frame()
        elif (is_linked := _SETS_LINKED.match(text) is not None) or re.match(_SETS_ROW, text):
            cells = _WHEN.sub("created", text, count=1).split()
            if len(cells) < SET_CELLS["linked" if is_linked else "created"]:
                out.skip(line, "a fileset that is cut")
            else:
                _put_fileset(line, cells, section, out, is_linked=is_linked)
        else:
            out.skip(line, "no fileset")


def _put_fileset(line: Line, cells: list[str], section: OpenSection, out: Output, *, is_linked: bool) -> None:
    columns = section.state.get("columns") or (_LINKED_COLUMNS if is_linked else _CREATED_COLUMNS)
    row = dict(zip(columns, cells, strict=False))
    fs = section.state.get("fs") or file_system_named(section) or ""
    scope = f"{fs}:{row.get('Name', cells[0])}"
    state = ", ".join(f"{name} {row[name]}" for name in ("Status", "Path", "InodeSpace") if name in row)
    out.add(Setting(line=line.number, scope=scope, source="mmlsfileset", name="fileset", value=state))
    figures = {name: figure(row[column]) for column, name in _SET_FIGURES.items() if column in row}
    if not figures.get("maxInodes"):
        return  # it uses the inodes of another fileset
    for name, value in figures.items():
        if value is not None:
            put_count(line.number, section, out, name, value, scope=scope, unit="inodes", source="mmlsfileset")


@parser("scale_pools", version=1, product="spectrum-scale", claims=_POOL_CLAIM, commands=("mmlspool",))
def scale_pools(section: OpenSection, out: Output) -> None:
    """``mmlspool``: room in storage pools for data and for metadata."""
    for line in section:
        text = line.text.strip()
        if found := _POOL_AT.match(text):
            section.state["fs"] = found[1].rsplit("/", 1)[-1]
            section.speaks_of(scope=found[1])
        elif row := _POOL.match(text):
            _put_pool(line.number, row, section, out)
        else:
            out.ignore()


def _put_pool(line: int, row: re.Match[str], section: OpenSection, out: Output) -> None:
    name, data, meta, size, free, meta_size, meta_free = row.groups()
    scope = file_system_named(section) or section.state.get("fs")
    for held, what, sizes in ((data, "data", (size, free)), (meta, "metadata", (meta_size, meta_free))):
        if held == "yes" and sizes[0] is not None:
            for word, value in zip(("size", "free"), sizes, strict=True):
                put_count(
                    line,
                    section,
                    out,
                    f"pool {name} {what} {word}",
                    float(value),
                    scope=scope,
                    unit="KB",
                    source="mmlspool",
                )


@parser("scale_qos", version=1, product="spectrum-scale", claims=_QOS_CLAIM, commands=("mmlsqos",))
def scale_qos(section: OpenSection, out: Output) -> None:
    """``mmlsqos``: limits of classes, and what they did."""
    for line in section:
        text = line.text.strip()
        if text.startswith("QOS values::"):
            limits_of_pools(line.number, text.partition("::")[2].strip(), section, out)
        elif text.startswith("QOS status::"):
            qos_setting(line.number, section, out, "qos status", text.partition("::")[2].strip())
        elif text.startswith("=== for pool"):
            section.state["pool"] = text.removeprefix("=== for pool").strip(" =")
        elif sample := _QOS_SAMPLE.match(text):
            _put_sample(line.number, sample, section, out)
        else:
            out.ignore()


def _put_sample(line: int, sample: re.Match[str], section: OpenSection, out: Output) -> None:
    pairs = dict(_QOS_PAIR.findall(sample[3]))
    interval = figure(pairs.get("et", ""))
    for name, text in pairs.items():
        if name in _QOS_UNITS:
            out.add(
                Counter(
                    line=line,
                    scope=section.state.get("pool"),
                    source="mmlsqos",
                    name=f"{sample[2]} {name}",
                    kind="gauge",
                    unit=_QOS_UNITS[name],
                    value=figure(text),
                    at=time_of_day(sample[1]),
                    zone_min=section.zone_min,
                    interval_s=interval,
                    sample=line,
                )
            )
