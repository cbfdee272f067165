"""Disk and node tables of Spectrum Scale for people: ``mmlsnsd`` (also ``-X``, ``-m``, ``-M``, ``-L``), ``mmlsdisk``
(also ``-L``), ``mmgetstate``.

     File system   Disk name    NSD servers
    ---------------------------------------------------------------------------
     fs1           lund_nsd07   lund03,lund04
     (free disk)   lund_nsd08   (directly attached)

     Disk name       NSD volume ID      Device          Devtype  Node name or Class       Remarks
     lund_nsd07      0A14030B5E4C4BB8   /dev/dm-17      dmm      lund03                   server node

    disk         driver   sector     failure holds    holds                                    storage
    name         type       size       group metadata data  status        availability disk id pool         remarks
    lund_nsd07   nsd         512           1 Yes      Yes   ready         up                 1 system        desc

     Node number  Node name        GPFS state
           1      lund01           active

Yields ``DiskName`` and ``ClusterMember`` (state of a node). Columns are read by the words of their header; rows without
a header by their own form. No times. Tolerated: other widths, further columns, cut rows, quote marks. Source: IBM
Storage Scale documentation, the commands named.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.scale.tables.tables_disks import disk_uid, usage_of
from parsers.formats.scale.tables.tables_state import daemon_standing, file_system_named
from parsers.grammars.cells import is_whole
from parsers.output import Output
from parsers.records import Counter, DiskName, Event
from parsers.records.states import NOT_ANSWERED, ClusterMember, HealthState, Quorum
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

_NAME: Final = r"[A-Za-z0-9][\w.-]{0,252}"
_RULE: Final = r"[-=]{8,240}(?: {1,4}[-=]{2,240}){0,20} {0,8}$"

_NSD_HEAD: Final = r"(?:File system {1,80}Disk name {1,80}NSD |Disk name {1,80}NSD volume ID\b)"
_NSD_ROW: Final = rf"{_NAME} {{1,80}}[0-9A-F]{{16}} {{1,80}}(?:/dev/\S{{1,200}}|-) {{1,80}}\S"
_SERVED: Final = (
    rf"(?:\(free disk\)|{_NAME}) {{1,80}}{_NAME}(?: {{1,80}}[0-9A-F]{{16}})? {{1,80}}(?:\(directly attached\)"
    rf"|{_NAME}(?:,{_NAME}){{0,31}}) {{0,40}}$"
)
_NSD_COLUMNS: Final = (
    "File system", "Disk name", "NSD volume ID", "NSD servers", "Device type", "Devtype", "Device",
    "Node name or Class", "Node name",
    "Remarks",
)  # fmt: skip
_CELL = re.compile(r"\([a-z][a-z ]{1,40}\)|\S{1,2000}")

_REMARK: Final = re.compile(r"^[>| \t]{0,40}(\((?:not found|error)[^()\n]{0,40}\)(?: [a-z]{4,10} node)?)\s{0,40}$")
_DISK_HEAD: Final = (
    r"(?:disk {1,40}driver {1,20}sector {1,20}failure\b|name {1,40}type {1,20}size {1,20}group {1,20}metadata "
    r"{1,20}data\b)"
)
_DISK_ROW: Final = (
    r"\S{1,253} {1,80}(?:nsd|disk) {1,40}\d{3,5} {1,40}\S{1,40} {1,20}(?:Yes|No|yes|no) "
    r"{1,20}(?:Yes|No|yes|no) {1,20}[a-z]"
)
_ATTENTION: Final = "Attention: Due to an earlier configuration change"
_DISK_FOOT: Final = (
    rf"Number of quorum disks:|(?:Read|Write) quorum value:|{_ATTENTION}"
    r"|may contain data that is at risk\b|is no longer properly (?:replicated|balanced)\b"
)
_DISK_COLUMNS: Final = ("name", "type", "size", "group", "metadata", "data", "status", "availability", "pool")
_AVAILABILITY: Final = _DISK_COLUMNS.index("availability")
_AVAILABLE: Final = ("up", "down", "recovering", "unrecovered")
"""Words of a column whose heading a mail or a terminal may have broken."""
_LAST_CELLS: Final = re.compile(
    rf"^[>| \t]{{0,40}}((?:{'|'.join(_AVAILABLE)})(?:\s{{1,40}}\S{{1,60}}){{0,4}})\s{{0,40}}$"
)

_PROPERLY = re.compile(r"\bno longer properly (?:replicated|balanced)\b")
_NEXT_LINE: Final = 400
_EMPTIED = re.compile(r"\b(?:being|to be) emptied\b")

_STATE_HEAD: Final = r"Node number {1,20}Node name {1,80}(?:Quorum|GPFS state)\b"
_STATES: Final = r"(?:active|arbitrating|down|unknown|unresponsive|starting|stopping)"
_END: Final = r"(?! {1,60}\d)(?: |$)"
"""Behind a state stand remarks; a figure there makes it a row of another table."""
_STATE_ROW: Final = (
    rf"\d{{1,6}} {{1,20}}{_NAME} {{1,80}}(?:\d{{1,6}}\*? {{1,20}}\d{{1,6}} {{1,20}}\d{{1,6}} {{1,20}})?{_STATES}{_END}"
)
_STATE_ROW_ALONE: Final = (
    rf"(?=\d{{1,6}} {{1,20}}\S{{0,80}}?[\d.]|\d{{1,6}}  |\d{{1,6}} {{1,20}}\S{{1,80}} (?: |\d)){_STATE_ROW}"
)
"""A row that no heading announces: set in columns, or of a name as nodes have it. "2 nodes down" is a sentence."""
_STATE = re.compile(
    rf"\d{{1,6}} {{1,20}}({_NAME}) {{1,80}}(?:(\d{{1,6}})\*? {{1,20}}(\d{{1,6}}) {{1,20}}(\d{{1,6}}) "
    rf"{{1,20}})?({_STATES}){_END}"
)
_UNREACHED_HEAD: Final = r"(?:mm[a-z]{2,20}: )?(?:Attention: )?The following nodes (?:could not be|were not) reached:?"
_UNREACHED = re.compile(rf"{_UNREACHED_HEAD}(?: (.{{1,2000}}))?$")
_ALONE = re.compile(rf"{_NAME} {{0,8}}$")
_SUMMARY: Final = (
    _UNREACHED_HEAD
    + r"|Summary information|Number of (?:local|remote|quorum|nodes)[a-z ]{1,80}:|Quorum = \d|Quorum achieved"
)
_SUM_ALONE: Final = (
    r"Number of (?:(?:local|remote) nodes (?:active|joined)|quorum nodes (?:defined|active)) in (?:the|this) cluster:"
    r"|Quorum = \d{1,4}, {0,4}Quorum (?:not )?achieved"
)
"""Sums without the rows of the nodes above them; the first sum stands among licences too."""
_QUORUM = re.compile(r"(?:Quorum = \d{1,4}, {0,4})?(Quorum (not )?achieved)")
_SUMS: Final = {
    "Number of nodes defined in the cluster": ("nodes", True),
    "Number of local nodes active in the cluster": ("nodes", False),
    "Number of quorum nodes defined in the cluster": ("quorum", True),
    "Number of quorum nodes active in the cluster": ("quorum", False),
}
"""Sums below the states, each with the sort of nodes and whether it counts them all."""
_TOTAL = re.compile(r"(Number of [a-z ]{1,80}):\s{1,40}(\d{1,9})$")


@parser(
    "scale_nsd",
    version=3,
    product="spectrum-scale",
    claims=rf"{_NSD_HEAD}|{_NSD_ROW}",
    owns=rf"{_NSD_HEAD}|{_NSD_ROW}|{_RULE}|{_SERVED}",
    commands=("mmlsnsd",),
)
def scale_nsd(section: OpenSection, out: Output) -> None:
    """``mmlsnsd``: which disk is called what on which node, and who serves it."""
    columns: list[str] = section.state.setdefault("columns", [])
    for line in section:
        text = line.text.strip()
        if re.match(_NSD_HEAD, text):
            columns[:] = _header(text)
            continue
        if re.match(_RULE, text):
            out.ignore()
            continue
        row = _nsd_row(text, columns)
        name = row.get("Disk name")
        if name is None:
            out.skip(line, "no disk with its servers or device")
            continue
        if not row.get("Remarks") and (remark := _broken_off(section, out, _REMARK)):
            row["Remarks"] = remark
        device, node = row.get("Device"), row.get("Node name or Class") or row.get("Node name")
        servers = row.get("NSD servers", "")
        fs = row.get("File system", "")
        section.add(
            DiskName,
            line.number,
            name=name,
            device=None if device == "-" else device,
            node=node if node != "-" else None,
            fs=None if fs.startswith("(") or not fs else fs,
            servers="" if servers.startswith("(") else servers.replace(",", " "),
            uid=disk_uid(row.get("NSD volume ID")),
            state=_remark(row.get("Remarks", "")),
        )
        _seen_on_node(section, line.number, row, node if node != "-" else None)


def _broken_off(section: OpenSection, out: Output, cells: re.Pattern[str]) -> str:
    """The last cells of a row, which a mail put on a line of their own; empty where none stand there."""
    below = section.peek()
    if below is None or (match := cells.search(below.raw)) is None or section.beyond() is None:
        return ""
    out.frame()
    return match[1]


def _seen_on_node(section: OpenSection, line: int, row: dict[str, str], node: str | None) -> None:
    """Whether a node that should reach the disk itself has found it; other nodes have no device of it by design."""
    remark = row.get("Remarks", "")
    is_lost = "not found" in remark or "error" in remark.lower()
    if node is None or not (is_lost or "server node" in remark):
        return
    section.add(
        HealthState,
        line,
        node=node,
        source="mmlsnsd",
        component=f"NSD {row['Disk name']}",
        state=remark if is_lost else f"device {row.get('Device', '')}".strip(),
        standing="degraded" if is_lost else "healthy",
    )


def _remark(text: str) -> str | None:
    """A remark that tells of a fault; ``server node`` is none."""
    return text if text and text != "server node" else None


def _header(text: str) -> list[str]:
    """Names of the columns in their order, the longer name where one begins another."""
    places: dict[int, str] = {}
    for name in _NSD_COLUMNS:
        place = text.find(name)
        if place >= 0 and not any(start <= place < start + len(known) for start, known in places.items()):
            places[place] = name
    return [places[place] for place in sorted(places)]


def _guessed(text: str, cells: list[str]) -> list[str]:
    """Columns of a row whose header is not here."""
    if not re.match(_NSD_ROW, text):
        return ["File system", "Disk name", "NSD servers"]
    typed = ["Devtype"] if len(cells) > 4 and cells[4] != "server" else []
    return ["Disk name", "NSD volume ID", "Device", *typed, "Node name", "Remarks"]


def _nsd_row(text: str, columns: list[str]) -> dict[str, str]:
    """Cells by column; the last column takes what is left."""
    cells = _CELL.findall(text)
    columns = columns or _guessed(text, cells)
    if len(cells) < min(3, len(columns)):
        return {}
    last = len(columns) - 1
    return {
        name: " ".join(cells[i:]) if i == last and name == "Remarks" else cells[i]
        for i, name in enumerate(columns)
        if i < len(cells)
    }


@parser(
    "scale_disk",
    version=3,
    product="spectrum-scale",
    claims=rf"{_DISK_HEAD}|{_DISK_ROW}|{_ATTENTION}",
    owns=rf"{_DISK_HEAD}|{_DISK_ROW}|{_RULE}|{_DISK_FOOT}",
    commands=("mmlsdisk",),
)
def scale_disk(section: OpenSection, out: Output) -> None:
    """``mmlsdisk``: disks of a file system with their state."""
    columns: list[str] = section.state.setdefault("columns", [])
    fs = file_system_named(section)
    if fs is not None:
        section.speaks_of(scope=fs)
    for line in section:
        text = _EMPTIED.sub(lambda found: found[0].replace(" ", "-"), line.text.strip())
        if text.startswith("name ") and re.match(_DISK_HEAD, text):
            columns[:] = _disk_columns(text)
        elif re.match(_DISK_ROW, text):
            if len(text.split()) == _AVAILABILITY:
                text = f"{text} {_broken_off(section, out, _LAST_CELLS)}".rstrip()
            _put_disk(line.number, text, columns, fs, section, out)
        elif text.startswith("Attention: Due to"):
            _warn(section, line, text, fs)
        elif re.match(rf"{_DISK_HEAD}|{_RULE}|{_DISK_FOOT}", text):
            out.frame()
        else:
            out.skip(line, "no disk with its state")


def _warn(section: OpenSection, line: Line, text: str, fs: str | None) -> None:
    """What an earlier change left behind: the line below says whether data is at risk, or only lies unevenly."""
    following = section.window(_NEXT_LINE).partition(b"\n")[0]
    is_short_of_copies = _PROPERLY.search(f"{text} {following.decode('utf-8', 'replace')}") is not None
    kind = "not-replicated" if is_short_of_copies else "data-at-risk"
    section.add(Event, line.number, source="mmlsdisk", kind=kind, about=fs, weight="trouble", text=text)


def _disk_columns(text: str) -> list[str]:
    """Names of the columns from the lower line of the header; older releases break "avail-ability" over both lines."""
    names = text.replace("disk id", "disk_id").split()
    return ["availability" if name == "ability" else name for name in names]


def _put_disk(line: int, text: str, columns: list[str], fs: str | None, section: OpenSection, out: Output) -> None:
    cells = text.split()
    is_cut = "availability" not in columns and len(cells) > _AVAILABILITY and cells[_AVAILABILITY] in _AVAILABLE
    names = columns if columns and not is_cut else list(_DISK_COLUMNS)
    if names is not columns and len(cells) > 8 and cells[8].isdigit():
        names = [*names[:8], "disk_id", "pool", "remarks"]
    row = dict(zip(names, cells, strict=False))
    number = row.get("disk_id", "")
    state = " ".join(part for part in (row.get("status", "").replace("-", " "), row.get("availability")) if part)
    out.add(
        DiskName(
            line=line,
            name=row["name"],
            fs=fs,
            state=state or None,
            number=int(number) if is_whole(number, 9) else None,
            pool=row.get("pool"),
            usage=usage_of(row.get("metadata"), row.get("data")),
            failure_group=row.get("group"),
            at=section.at,
            zone_min=section.zone_min,
        )
    )


_OF_STATES = re.compile(rf"{_STATE_HEAD}|{_STATE_ROW}|{_RULE}|{_SUMMARY}")


def _owns_state(text: str, before: str) -> bool:
    """A row, or a name alone below the words that nodes were not reached."""
    line, above = text.strip(), before.strip()
    if _OF_STATES.match(line):
        return True
    is_below = _UNREACHED.match(above) is not None or _ALONE.match(above) is not None
    return is_below and _ALONE.match(line) is not None


@parser(
    "scale_state",
    version=8,
    product="spectrum-scale",
    claims=rf"{_STATE_HEAD}|{_STATE_ROW_ALONE}|{_UNREACHED_HEAD}|{_SUM_ALONE}",
    owns=_owns_state,
    commands=("mmgetstate",),
)
def scale_state(section: OpenSection, out: Output) -> None:
    """``mmgetstate``: state of every node."""
    for line in section:
        text = line.text.strip()
        if row := _STATE.match(text):
            _node_row(section, out, line, row)
        elif quorum := _QUORUM.match(text):
            section.add(Quorum, line.number, layer="daemon", state=quorum[1], quorate=quorum[2] is None)
        elif total := _TOTAL.match(text):
            _count(line.number, section, out, total[1], total[2])
            _missing(line.number, section, total[1], int(total[2]))
        elif (unreached := _UNREACHED.match(text)) is not None:
            section.state["unreached"] = True
            _not_reached(line.number, section, unreached[1] or "")
            out.frame()
        elif section.state.get("unreached") and _ALONE.match(text):
            _not_reached(line.number, section, text)
        else:
            out.ignore()


def _node_row(section: OpenSection, out: Output, line: Line, row: re.Match[str]) -> None:
    section.state["listed"] = section.state.get("listed", 0) + 1
    section.add(
        ClusterMember,
        line.number,
        source="mmgetstate",
        member=row[1],
        layer="daemon",
        state=row[5],
        standing=daemon_standing(row[5]),
    )
    if row[2] and "counted" not in section.state:
        section.state["counted"] = True
        for name, value in zip(("quorum", "nodesUp", "totalNodes"), row.group(2, 3, 4), strict=True):
            _count(line.number, section, out, name, value)


def _too_few(section: OpenSection, line: int, what: str, number: int, whole: int) -> None:
    section.add(
        HealthState,
        line,
        source="mmgetstate",
        component=f"{what} of the cluster",
        state=f"{number} of {whole} are active",
        standing="degraded",
    )


def _missing(line: int, section: OpenSection, name: str, number: int) -> None:
    """Fewer active than there are, by the sums below the rows; where the rows name all nodes, they say it better."""
    what = _SUMS.get(name)
    if what is None:
        return
    sort, is_whole = what
    if is_whole:
        section.state[sort] = number
        return
    whole = section.state.get(sort, 0)
    if number < whole and section.state.get("listed", 0) < section.state.get("nodes", whole):
        _too_few(section, line, "quorum nodes" if sort == "quorum" else "nodes", number, whole)


def _not_reached(line: int, section: OpenSection, names: str) -> None:
    for name in names.replace(",", " ").split():
        section.add(
            ClusterMember,
            line,
            source="mmgetstate",
            member=name,
            layer="daemon",
            state=NOT_ANSWERED[0],
            standing="unknown",
        )


def _count(line: int, section: OpenSection, out: Output, name: str, value: str) -> None:
    section.add(
        Counter,
        line,
        source="mmgetstate",
        name=name,
        kind="gauge",
        unit="nodes",
        value=float(value),
        sample=line,
    )
