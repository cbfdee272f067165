"""Rows of any ``mm... -Y`` table: colon-separated cells that a HEADER row names, each percent-encoded by itself. No
parser of its own.

mmgetstate::HEADER:version:reserved:reserved:nodeName:nodeNumber:state:quorum:nodesUp:totalNodes:remarks:cnfsState:
mmgetstate::0:1:::lund01:1:active:2:3:4:quorum node:(undefined):
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

from parsers.dataclass import dataclass
from parsers.formats.scale.waits.cut_rows import ROW_LIMIT, CutRows, goes_on
from parsers.formats.scale.waits.line import BULLETS, NODE
from parsers.grammars.cells import Cells
from parsers.sections.reader import OpenSection
from parsers.text import Line

_COMMAND: Final = r"(?:mm[a-z]{2,24}|fs)"
CLAIM: Final = rf"{BULLETS}{NODE}{_COMMAND}:[A-Za-z]{{0,40}}:(?:HEADER|\d{{1,9}}):"
_ROW = re.compile(
    rf"{BULLETS}(?:([A-Za-z0-9][\w.-]{{0,252}}): "
    rf"{{0,8}})?({_COMMAND}):([A-Za-z]{{0,40}}):(HEADER|\d{{1,9}}):(.{{0,{ROW_LIMIT}}})$",
    re.DOTALL,
)
_STARTS = re.compile(CLAIM)
_PLAIN = re.compile(
    rf"(?=({_COMMAND}:[A-Za-z]{{0,40}}:(?:HEADER|\d))){_COMMAND}:[A-Za-z]{{0,40}}:(?:HEADER|\d{{1,9}}):"
    r"(?:[!-\"'-;=?-Z^_a-z~]|%[0-9A-Fa-f]{2}| (?!:)){0,4000}:",
    re.ASCII,
)
"""A whole row in which nothing is to be cleaned, and that is no prompt."""
_MOST_BLANKS: Final = 7
_FRAME: Final = ("version", "reserved", "reserved")
_OF_HEALTH: Final = (*_FRAME, "node", "component", "entityname", "entitytype")
_DOCUMENTED: Final = {
    ("mmhealth", "State"): (*_OF_HEALTH, "status", "laststatuschange"),
    ("mmhealth", "Event"): (
        *_OF_HEALTH, "event", "arguments", "activesince", "identifier", "ishidden", "message", "eventtype", "severity",
    ),
    ("mmgetstate", ""): (
        *_FRAME, "nodeName", "nodeNumber", "state", "quorum", "nodesUp", "totalNodes", "remarks", "cnfsState",
    ),
    ("mmlsdisk", ""): (
        *_FRAME, "nsdName", "driverType", "sectorSize", "failureGroup", "metadata", "data", "status", "availability",
        "diskID", "storagePool", "remarks", "numQuorumDisks", "readQuorumValue", "writeQuorumValue", "diskSizeKB",
        "diskUID", "thinDiskType",
    ),
}  # fmt: skip
"""Columns of the tables that are searched most, whose HEADER the filter drops."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow(Cells):
    """One data row: its place, the table it belongs to, and its cells by column name."""

    node: str | None
    command: str
    record: str


def plain_head(text: str) -> str:
    """What tells the table of a row that reads as it stands; nothing where it may not."""
    match = _PLAIN.fullmatch(text)
    return match[1] if match is not None and text.count(" ") <= _MOST_BLANKS and ": " not in text else ""


def owns(text: str, before: str) -> bool:
    """A row, or what a line break inside a cell left of one."""
    return _STARTS.match(text.lstrip()) is not None or goes_on(before, text)


class TableReader:
    """Joins what was cut, and names the cells after the last HEADER of their table."""

    def __init__(self, section: OpenSection) -> None:
        self._columns: dict[tuple[str, str], tuple[str, ...]] = section.state.setdefault("columns", {})
        self._cut = CutRows(section)
        self._lines: list[Line] = []

    def take(self, line: Line) -> tuple[list[Line], TableRow | bool] | None:
        """What ends where this line begins: its lines with a row, True for a HEADER, False for neither."""
        if self._lines and not _STARTS.match(line.text.lstrip()) and goes_on(self._lines[-1].text, line.text):
            self._lines.append(line)
            return None
        done = self.finish()
        self._lines = [line]
        return done

    def finish(self) -> tuple[list[Line], TableRow | bool] | None:
        """The row that is open."""
        lines, self._lines = self._lines, []
        return (lines, self._read(lines[0].number, self._cut.whole(lines).strip())) if lines else None

    def _read(self, line: int, text: str) -> TableRow | bool:
        match = _ROW.match(text[:ROW_LIMIT])
        if match is None:
            return False
        node, command, record, kind, rest = match.groups()
        cells = rest.split(":")
        if "%" in rest:
            cells = [unquote(cell) if "%" in cell else cell for cell in cells]
        if kind == "HEADER":
            self._columns[command, record] = tuple(cells)
            self._columns["", record] = tuple(cells)  # a HEADER may bear another first word than its rows
            return True
        columns = self._columns.get((command, record)) or self._columns.get(("", record))
        columns = columns or _DOCUMENTED.get((command, record), ())
        if len(cells) + 1 < len(columns) and not columns[-1] and cells[-1].isdigit():
            cells = cells[:-1]  # a row that was cut: of its last figure some digits may be missing
        fields = dict(zip(columns, cells, strict=False))
        fields.pop("", None)
        fields |= {name: cells[at] for name, at in _named_twice(columns) if at < len(cells)}
        return TableRow(line=line, node=node, command=command, record=record, fields=fields)


@lru_cache(maxsize=256)
def _named_twice(columns: tuple[str, ...]) -> list[tuple[str, int]]:
    """The first place of each name that several columns bear: that one counts."""
    names = ((at, name, columns[:at], columns[at + 1 :]) for at, name in enumerate(columns) if name)
    return [(name, at) for at, name, before, behind in names if name in behind and name not in before]
