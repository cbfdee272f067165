"""Logical volumes, volume groups and physical volumes: ``lvs``, ``vgs`` and ``pvs`` of LVM.

      LV      VG     Attr       LSize   Pool  Origin Data%  Meta%  Move Log Cpy%Sync Convert
      thin0   vgdata twi-aotz-- 2.00t                83.20  12.33
      gfs     vgdata Vwi-aotz-- 3.00t   thin0        61.00
      VG     #PV #LV #SN Attr   VSize   VFree
      vgdata   2   3   0 wz--nc 200.00g 12.00g
      PV         VG     Fmt  Attr PSize   PFree
      /dev/sdb   vgdata lvm2 a--  100.00g    0
      LVM2_VG_NAME='vgdata'|LVM2_VG_ATTR='wz-pn-'|LVM2_VG_SIZE='200.00g'             with --nameprefixes

Yields ``Setting`` for each cell but the percentages, scope ``vg/lv``, the group or the device; ``Counter`` (gauge, unit
%) for ``Data%``, ``Meta%``, ``Snap%``, ``Cpy%Sync``: an empty cell gives nothing. ``Room`` of thin pools, their
metadata, and old snapshots. ``StorageState`` by the letters of ``Attr``: missing disks, partial groups and volumes,
suspended ones, pools without space. The heading tells where a cell
begins, as empty ones leave no mark; rows without a heading above are not read. No times. Tolerated: a shifted table,
further columns, cut rows. Source: the layout is recalled of lvs(8), vgs(8), pvs(8), which were not at hand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from parsers.filling import room_standing
from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import Counter, Setting
from parsers.records.states import Room, StorageSort, StorageStanding, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows, heading
from parsers.text import Line

_NAME: Final = r"[A-Za-z0-9+_.\[][\w+.\]-]{0,127}"
_TITLES: Final = r"(?:[LVP]V|VG) {1,200}(?:#?[A-Z][\w%#]{1,20} {1,200}){0,24}?Attr\b"
_VGS: Final = r"VG {1,128}#PV {1,8}#LV\b"
_FIELD: Final = r"LVM2_[A-Z0-9_]{2,40}='[^'\n]{0,400}'"
_FIELDS: Final = rf"{_FIELD}(?:[|,; ]{_FIELD}){{1,120}}"
CLAIM: Final = rf"(?:{_TITLES}|{_VGS}|{_FIELDS})"
_LV_ROW: Final = rf"{_NAME} {{1,128}}{_NAME} {{1,128}}[-a-zA-Z]{{6,10}} {{1,20}}<?\d"
_VG_ROW: Final = rf"{_NAME} {{1,128}}(?:\d{{1,6}} {{1,8}}\d{{1,6}} {{1,8}}\d|[wr][z-][x-][p-][cnli-][cs-] {{1,40}}\S)"
_PV_ROW: Final = r"(?:/dev/\S{1,200}|unknown device|\[unknown\]) {1,200}\S"
_OWNS: Final = rf"(?:{CLAIM}|{_LV_ROW}|{_VG_ROW}|{_PV_ROW})"
_TITLE = re.compile(r"\S{1,24}")
_CELL = re.compile(r"\S{1,200}")
_FIELD_OF = re.compile(r"LVM2_([A-Z0-9_]{2,40})='([^'\n]{0,400})'")
_NAMED: Final = {
    "lv_name": "LV", "vg_name": "VG", "pv_name": "PV", "lv_attr": "Attr", "vg_attr": "Attr", "pv_attr": "Attr",
    "lv_size": "LSize", "data_percent": "Data%", "metadata_percent": "Meta%", "snap_percent": "Snap%",
    "copy_percent": "Cpy%Sync",
}  # fmt: skip
"""Titles by the fields of which they are the heading."""
_PERCENT: Final = frozenset(("Data%", "Meta%", "Snap%", "Cpy%Sync"))
_FIGURE = re.compile(r"\d{1,3}(?:[.,]\d{1,4})?")
_SUSPENDED: Final = "sSc"
_LETTERS: Final = {"LV": 9, "PV": 3, "VG": 5}
COLUMNS_MOST: Final = 40


@parser("lvm", version=6, product="storage", claims=CLAIM, owns=_OWNS, commands=("lvs", "vgs", "pvs"))
def lvm(section: OpenSection, out: Output) -> None:
    """``lvs``, ``vgs`` and ``pvs``: volumes, their groups and devices."""
    titles: list[tuple[str, int]] = section.state.get("titles", [])
    for line in section:
        text = line.text.strip()[:2000].replace("unknown device", "unknown-device", 1)
        if fields := _FIELD_OF.findall(text):
            if not put_fields(section, line.number, {name.lower(): value for name, value in fields}):
                out.ledger.change(1, Fate.EVERYDAY)
            continue
        if re.match(CLAIM, text):
            titles = section.state["titles"] = [(match[0], match.start()) for match in _TITLE.finditer(text)][
                :COLUMNS_MOST
            ]
            continue
        cells = _cells(text, titles)
        scope = _scope(cells, titles)
        if scope is None:
            out.skip(line, "a row of volumes without its heading")
            continue
        _state(section, line.number, titles[0][0], cells, scope)
        _rooms(section, line.number, cells, scope)
        for name, value in cells.items():
            _put(section, out, line.number, scope, titles[0][0], name, value)


def put_fields(section: OpenSection, line: int, fields: Mapping[str, str]) -> bool:
    """What a volume, a group or a device says by the names of its fields; False where its letters are missing."""
    for table, attribute in (("LV", "lv_attr"), ("PV", "pv_attr"), ("VG", "vg_attr")):
        name = fields.get(f"{table.lower()}_name")
        if name and len(fields.get(attribute, "")) >= _LETTERS[table]:
            kept = {
                field: value for field, value in fields.items() if field[:2] == table.lower() or field[2:] != "_attr"
            }
            cells = {_NAMED[field]: value.strip() for field, value in kept.items() if field in _NAMED and value.strip()}
            scope = f"{cells['VG']}/{name}" if table == "LV" and "VG" in cells else name
            _state(section, line, table, cells, scope)
            _rooms(section, line, cells, scope)
            return True
    return False


def _cells(text: str, titles: Sequence[tuple[str, int]]) -> dict[str, str]:
    """Cells by title: each begins below its own title, or right of it where figures stand at the right edge."""
    found: dict[str, str] = {}
    spans = [(name, start, end) for (name, start), (_, end) in pairwise([*titles, ("", 4000)])]
    place = 0
    for match in _CELL.finditer(text):
        while place < len(spans) and match.start() >= spans[place][2]:
            place += 1
        if place == len(spans):
            break
        found.setdefault(spans[place][0], match[0])
    return found


def _scope(cells: dict[str, str], titles: Sequence[tuple[str, int]]) -> str | None:
    first = cells.get(titles[0][0]) if titles else None
    if first is None or len(cells) < 2:
        return None
    return f"{cells['VG']}/{first}" if titles[0][0] == "LV" and "VG" in cells else first


def _state(section: OpenSection, line: int, table: str, cells: dict[str, str], scope: str) -> None:
    """What the letters of ``Attr`` say: parts of a group or volume that are missing, a volume that is suspended."""
    letters = cells.get("Attr", "").ljust(10, "-")
    name, of = cells[table], cells.get("VG") if table != "VG" else None
    sort: StorageSort = "volume" if table == "LV" else "volume group" if table == "VG" else "disk"
    state, standing = _state_of(table, letters, name)
    section.add(
        StorageState, line, source=f"{table.lower()}s", sort=sort, name=name, of=of, state=state, standing=standing
    )


def _rooms(section: OpenSection, line: int, cells: dict[str, str], scope: str) -> None:
    """What writes stop for once it is full: a pool's data or metadata, or what a snapshot may keep."""
    letter = cells.get("Attr", "")[:1]
    wanted = {"t": ("Data%", "Meta%"), "s": ("Data%", "Snap%"), "S": ("Data%", "Snap%")}.get(letter, ())
    for title in wanted:
        value = cells.get(title, "")
        if _FIGURE.fullmatch(value):
            share = float(value.replace(",", "."))
            what = "metadata of " if title == "Meta%" else ""
            section.add(
                Room,
                line,
                source="lvs",
                sort="pool",
                name=f"{what}{scope}",
                share=share,
                left=round(100 - share, 2),
                state=f"{value} % of {cells.get('LSize', 'its size')}" if not what else f"{value} %",
                standing=room_standing(share),
            )


def _state_of(table: str, letters: str, name: str) -> tuple[str, StorageStanding]:
    if table == "PV":
        is_missing = letters[2] == "m" or name.startswith(("unknown", "[unknown"))
        return ("missing", "missing") if is_missing else ("present", "healthy")
    if table == "VG":
        return ("partial: a disk is missing", "degraded") if letters[3] == "p" else ("whole", "healthy")
    if letters[8] == "p":
        return "partial: a disk is missing", "failed" if letters[0] not in "rRmM" else "degraded"
    if letters[8] in "DM":
        return ("out of data space" if letters[8] == "D" else "its metadata is read-only"), "failed"
    if letters[4] in _SUSPENDED:
        return "suspended", "degraded"
    if letters[4] in "IM" or letters[8] == "F":
        return "invalid or failed", "failed"
    if letters[8] == "r":
        return "has to be refreshed", "degraded"
    if letters[8] == "m":
        return "its copies differ", "degraded"
    # Of another sort nobody can say whether it is to be on; a pool that is off keeps its volumes off as well.
    return ("inactive pool", "hint") if letters[0] == "t" and letters[4] == "-" else ("whole", "healthy")


def _put(section: OpenSection, out: Output, line: int, scope: str, table: str, name: str, value: str) -> None:
    source = f"{table.lower()}s"
    if name in _PERCENT and _FIGURE.fullmatch(value):
        section.add(
            Counter,
            line,
            scope=scope,
            source=source,
            name=name,
            kind="gauge",
            unit="%",
            value=float(value.replace(",", ".")),
            sample=line,
        )
    elif name != table:
        section.add(Setting, line, scope=scope, source=source, name=name, value=value)


def _scanned(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    is_gone = match["device"] in ("unknown device", "[unknown]")
    section.add(
        StorageState,
        line.number,
        source="pvscan",
        sort="disk",
        name="unknown device" if is_gone else match["device"],
        of=match["group"],
        state="missing" if is_gone else "there",
        standing="missing" if is_gone else "healthy",
    )


_SCANNED: Final = Rows(
    Row(
        "volume of a disk",
        r"PV (?P<device>/dev/\S{1,200}|unknown device|\[unknown\]) {1,80}"
        r"(?:VG (?P<group>\S{1,128}) {1,80})?lvm[12] {1,8}\[<?\d.{2,60}\]$",
        _scanned,
    ),
    heading("sum", r"Total: \d{1,6} \[.{2,40}\] / in use: \d"),
)


@parser("pvscan", version=1, product="storage", rows=_SCANNED)
def pvscan(section: OpenSection, out: Output) -> None:
    """``pvscan``: disks of volume groups, and those that nobody found."""
    _SCANNED.read(section, out, "no disk with its group")
