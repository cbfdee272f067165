"""Samples of the performance monitor of Storage Scale: ``mmperfmon query``, also ``--csv``.

    Legend:
     1:     lund1|GPFSFilesystem|lund.lab|fs1|gpfs_fs_bytes_read
     2:     lund1|CPU|cpu_user

    Row           Timestamp gpfs_fs_bytes_read cpu_user
      1 2026-01-05-10:12:00            1024000     0.41
      2 2026-01-05-10:13:00               null     0.39

    Row,Timestamp,lund1|CPU|cpu_user,gpfs_fs_bytes_read
    1,2026-01-05-10:12:00,0.41,null

Yields ``Counter`` (gauge) for each cell that holds a figure, with the node, the scope and the name of its column in the
legend, in the unit behind it; without a legend the heading names it. Columns stand in the order of the legend. Times
have no zone. Tolerated: cut rows, several tables. Source: IBM Storage Scale documentation, mmperfmon command.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from parsers.grammars.cells import figure
from parsers.ledger import Fate
from parsers.records import Counter
from parsers.registry import parser
from parsers.tables.rows import Row, Rows
from parsers.times.clock import find_instant

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

COLUMNS_MOST: Final = 400


class _Key(NamedTuple):
    node: str | None
    scope: str | None
    name: str


def _legend(section: OpenSection, _line: Line, _found: re.Match[str]) -> None:
    section.state["keys"] = {}


def _key(section: OpenSection, _line: Line, found: re.Match[str]) -> None:
    keys = section.state.setdefault("keys", {})
    if len(keys) < COLUMNS_MOST:
        keys[int(found["number"])] = _key_of(found["key"])


def _key_of(text: str) -> _Key:
    node, *parts = text.split("|")
    *middle, name = parts
    return _Key(node, "|".join(middle[1:]) or None, name)


def _csv_heading(section: OpenSection, _line: Line, found: re.Match[str]) -> None:
    names = found["names"].strip(",").split(",")[:COLUMNS_MOST]
    section.state["names"] = names
    section.state["keys"] = {number: _key_of(name) for number, name in enumerate(names, 1) if "|" in name}


def _heading(section: OpenSection, _line: Line, found: re.Match[str]) -> None:
    section.state["names"] = found["names"].split()[:COLUMNS_MOST]


def _csv_sample(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    _put(section, line, found["at"], found["cells"].replace(",", " "))


def _sample(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    _put(section, line, found["at"], found["cells"])


def _put(section: OpenSection, line: Line, moment: str, cells: str) -> None:
    instant = find_instant(f"{moment[:10]} {moment[11:]}")
    keys, names = section.state.get("keys", {}), section.state.get("names", [])
    for number, cell in enumerate(islice(_CELLS.finditer(cells), COLUMNS_MOST), 1):
        name = names[number - 1] if number <= len(names) else f"column {number}"
        key = keys.get(number, _Key(section.node, None, name))
        value = figure(cell["figure"])
        section.add(
            Counter,
            line.number,
            node=key.node,
            scope=key.scope,
            source="mmperfmon",
            name=key.name,
            kind="gauge",
            value=value,
            unit=cell["unit"] or "",
            at=instant[0].us if instant else None,
            sample=line.number,
        )


_FIGURE: Final = r"null|-?[\d.,]{1,30}(?:e[+-]?\d{1,3})?"
_UNIT: Final = r"(?:[kKMGTP]i?)?B(?:/s)?|[kMG]?bit/s|[mun]?s|%"
_CELL: Final = rf"(?:{_FIGURE})(?: (?:{_UNIT}))?"
_CELLS: Final = re.compile(rf"(?P<figure>{_FIGURE})(?: (?P<unit>{_UNIT})(?= |$))?")
_ROWS: Final = Rows(
    Row("legend", r"Legend:$", _legend, Fate.FRAME, opens=False),
    Row(
        "key",
        r"(?P<number>\d{1,4}): {1,40}(?P<key>[A-Za-z0-9][\w.-]{0,252}\|\w{2,60}(?:\|[^|\s]{1,200}){1,8})$",
        _key,
        Fate.FRAME,
    ),
    Row("heading", r"Row {1,40}Timestamp {1,40}(?P<names>\S.{0,8000})$", _heading, Fate.FRAME),
    Row(
        "heading of CSV",
        r"Row,Timestamp,(?P<names>[A-Za-z]\w{0,60}[^\s]{0,8000})$",
        _csv_heading,
        Fate.FRAME,
    ),
    Row(
        "sample of CSV",
        r"\d{1,6},(?P<at>\d{4}-\d\d-\d\d-\d\d:\d\d:\d\d),"
        r"(?P<cells>(?:null|-?[\d.]{1,30})(?:,(?:null|-?[\d.e+-]{1,30})){0,400},?)$",
        _csv_sample,
    ),
    Row(
        "sample",
        r"\d{1,6} {1,40}(?P<at>\d{4}-\d\d-\d\d-\d\d:\d\d:\d\d) {1,60}"
        rf"(?P<cells>{_CELL}(?: {{1,80}}{_CELL}){{0,400}})$",
        _sample,
    ),
)


@parser(
    "scale_mmperfmon", version=2, product="spectrum-scale", rows=_ROWS, commands=("mmperfmon",), places=r"\bmmperfmon\b"
)
def scale_mmperfmon(section: OpenSection, out: Output) -> None:
    """``mmperfmon query``: samples by column of the legend."""
    _ROWS.read(section, out, "no sample with its moment")
