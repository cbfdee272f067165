"""Tables whose cells are parted by a bar, a semicolon, a comma or a tab: of disks over time, and of states.

    # hostname;interval;timestamp;DEV;tps;rkB/s;wkB/s;aqu-sz;await;%util
    n4;10;2031-03-09 10:00:20 UTC;sdb;15.00;400.00;100.00;40.60;1810.10;100.00
    | Disk | Availability | Servers |
    |------|--------------|---------|
    | nsd2 | down         | io1,io2 |

    host,filesystem,size_gb,used_gb,used_pct,mount
    n4,pots,20480,11270,55,/srv/pots

Yields ``DiskIo`` per second where the heading names a device and what ``iostat`` measures, with the host and the moment
of the row; ``Room`` where it names what is filled and the share that is used; else ``ListedState`` where a heading is
that of a state, with all cells as the row. A row has as many cells as the heading. Every other reader goes first.
Source: ``sadf -d``, exports of monitors and tables of markdown, as recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.dataclass import dataclass
from parsers.filling import room_standing
from parsers.formats.host.listings.listing import MOST_ROWS, Shown, may_be_away, put_rows, standing_of_word
from parsers.formats.host.load.sysstat_tables import Place, Table
from parsers.grammars.cells import figure
from parsers.output import Output
from parsers.records.states import Room, RoomSort
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line
from parsers.times.clock import find_instant

_STATE: Final = r"(?:state|status|health|condition|availability|severity)"
_CELL: Final = r"[A-Za-z%][\w%/.()-]{0,40}"
_WIDE: Final = r"[A-Za-z%][\w%/.() -]{0,40}"
_SHARE: Final = (
    r"(?:used?|usage|full|filled|capacity|utili[sz]ation)[ _.-]?(?:%|pct|perc(?:ent)?)"
    r"|(?:pct|perc(?:ent)?|%)[ _.-]?(?:used?|full|filled)"
)
_FILLED: Final = r"file[ _]?system|fs(?:name)?|mount(?:[ _]?point|ed[ _]on)?|volume|pool|fileset"
"""What is filled, and its share in per cent: both are needed for a table of room."""
_ROOM: Final = (
    rf"(?=(?:[^\n]{{0,600}}[|;,\t])?\s?(?:{_FILLED})\s?[|;,\t])"
    rf"[^\n]{{0,600}}[|;,\t]\s?(?:{_SHARE})\s?(?:[|;,\t]|$)"
)
_NEEDED: Final = rf"(?=[^\n]{{0,600}}(?i:(?:[\s_/|;,\t-]|^){_STATE}(?![\w])|(?:r_|w_)?await\b|%util\b)|(?i:{_ROOM}))"
_OF_SADF: Final = r"#\s{0,3}hostname;interval;timestamp;[^\n]{1,600}$"
"""One of many tables of a text: what stands below another one is none of it."""
_CLAIMS: Final = (
    rf"{_OF_SADF}|{_NEEDED}(?:#\s{{0,3}})?(?:"
    rf"\|?\s{{0,20}}{_WIDE}(?:\|\s{{0,20}}{_WIDE}){{2,60}}\|?\s{{0,8}}$"
    rf"|{_CELL}(?:;{_CELL}){{2,60}};?$|{_CELL}(?:,{_CELL}){{2,60}},?$)"
)
_HEADING = re.compile(_CLAIMS)
_RULER: Final = r"\|?[\s:|+=-]{3,600}$"
_OWNS: Final = rf"(?:{_CLAIMS}|{_RULER}|[^\n]{{0,600}}[|;,][^\n]{{0,600}}[|;,])"
_SHARE_NAME: Final = re.compile(_SHARE, re.IGNORECASE)
_STATED = re.compile(rf"(?:.{{0,30}}[\s_/-])?{_STATE}", re.IGNORECASE)
_DEVICE: Final = ("device", "dev", "disk", "device:")
_HOST: Final = ("host", "hostname", "node", "server")
_MOMENT: Final = ("time", "timestamp", "date", "datetime", "at")
_FILLED_NAMES: Final = tuple(
    "mount mountpoint mount_point mounted_on filesystem file_system fs fsname volume fileset pool".split()
)
_SPECIAL: Final = ("fileset", "pool")
"""Parts of a file system: the name of that stands in another column."""
_MEASURED: Final = frozenset(("await", "r_await", "w_await", "%util"))
_THINGS: Final = frozenset(
    """
    array bond controller daemon dataset device disk file_system filesystem fs group hba interface iface link lun lv map
    mount mountpoint mpath multipath nic nsd path pool port process raid resource service target unit vdisk vg volume
    """.split()
)
"""What a host has: a row that names one besides the host is about it."""
_MARKS: Final = "|;,"
SOURCE: Final = "sar -d"
"""No row of such a table is an average since boot."""


@dataclass(frozen=True, slots=True)
class _Heading:
    """The names of the columns as printed, and what parts them."""

    names: tuple[str, ...]
    mark: str

    def at(self, *names: str) -> int | None:
        """The first column with one of some names."""
        return next((at for at, name in enumerate(self.names) if name.lower().replace(" ", "_") in names), None)


@parser("delimited", version=2, product="", claims=_CLAIMS, owns=_OWNS, priority=-55)
def delimited(section: OpenSection, out: Output) -> None:
    """Rows of disks or of states."""
    heading: _Heading | None = None
    disks: Table | None = None
    rows: list[Shown] = []
    for line in section:
        text = line.text.strip()
        if _HEADING.match(text):
            heading = _heading(text)
            _flush(disks, out)
            put_rows(section, rows)
            disks, rows = _disks(heading), []
            out.frame()
        elif re.fullmatch(_RULER, text):
            out.frame()
        elif heading is None or len(cells := _row(text, heading)) != len(heading.names):
            out.skip(line, "a row with more or fewer cells than its heading")
        elif disks is not None:
            _disk(section, line, heading, cells, disks)
        elif _room(section, line, heading, cells):
            continue
        elif not _state(rows, line, heading, cells, section):
            out.skip(line, "a row without a state")
        if disks is not None and disks.full:
            disks.flush(out)
        if len(rows) >= MOST_ROWS:
            put_rows(section, rows)
            rows = []
    _flush(disks, out)
    put_rows(section, rows)


def _flush(disks: Table | None, out: Output) -> None:
    if disks is not None:
        disks.flush(out)


def _heading(text: str) -> _Heading:
    plain = text.removeprefix("#").strip()
    mark = max(_MARKS, key=plain.count)
    return _Heading(tuple(_cells(plain, mark)), mark)


def _cells(text: str, mark: str) -> list[str]:
    return [cell.strip() for cell in text.strip().removeprefix(mark).removesuffix(mark).split(mark)]


def _row(text: str, heading: _Heading) -> list[str]:
    """The cells of a row; an empty one at its end leaves only its mark."""
    cells = _cells(text, heading.mark)
    return [*cells, ""] if text.endswith(heading.mark) and len(cells) + 1 == len(heading.names) else cells


def _disks(heading: _Heading) -> Table | None:
    device = heading.at(*_DEVICE)
    if device is None or _MEASURED.isdisjoint(heading.names):
        return None
    names = ["Device" if at == device else name for at, name in enumerate(heading.names)]
    return Table(SOURCE, tuple(names), device)


def _disk(section: OpenSection, line: Line, heading: _Heading, cells: list[str], disks: Table) -> None:
    host, moment = heading.at(*_HOST), heading.at(*_MOMENT)
    found = find_instant(cells[moment]) if moment is not None else None
    disks.at_place(
        Place(
            node=cells[host] if host is not None and cells[host] else section.node,
            at=found[0].us if found else section.at,
            zone_min=found[0].zone_min if found else section.zone_min,
            sample=line.number,
        )
    )
    disks.lines.append(line.number)
    disks.cells.append(cells)


def _room(section: OpenSection, line: Line, heading: _Heading, cells: list[str]) -> bool:
    """How full something is, where a column has its name and another one the share."""
    shares = [at for at, name in enumerate(heading.names) if _SHARE_NAME.fullmatch(name)]
    names = [at for one in _FILLED_NAMES if (at := heading.at(one)) is not None and cells[at]]
    share = figure(cells[shares[0]].rstrip("% ")) if shares else None
    if share is None or not names:
        return False
    host, moment = heading.at(*_HOST), heading.at(*_MOMENT)
    found = find_instant(cells[moment]) if moment is not None else None
    part = heading.at(*_SPECIAL)
    sort: RoomSort = "file system"
    if part is not None and cells[part]:
        sort = "fileset" if heading.names[part].lower() == "fileset" else "pool"
    section.add(
        Room,
        line.number,
        node=cells[host] if host is not None and cells[host] else section.node,
        at=found[0].us if found else section.at,
        zone_min=found[0].zone_min if found else section.zone_min,
        source="export",
        sort=sort,
        name=cells[part] if part is not None and sort != "file system" else cells[names[0]],
        of=cells[names[0]] if sort != "file system" and names[0] != part else None,
        share=share,
        state=f"{share:g} % full",
        standing=room_standing(share),
    )
    return True


def _state(rows: list[Shown], line: Line, heading: _Heading, cells: list[str], section: OpenSection) -> bool:
    """A row is about what its first cells name; the gravest of its states counts, of equal ones the first."""
    stated = [at for at, name in enumerate(heading.names) if at and _STATED.fullmatch(name)]
    order = ("unknown", "good", "hint", "wrong")
    worst = max(stated, key=lambda at: order.index(standing_of_word(cells[at])), default=None)
    if worst is None or not cells[0] or not cells[worst]:
        return False
    at, parts = _subject(heading, cells, min(stated))
    sort, name = heading.names[at].lower(), " ".join(parts)
    rows.append(
        Shown(
            line.number,
            f"{sort} {name}" if re.fullmatch(r"[a-z]{2,16}", sort) and sort != "name" else name,
            cells[worst],
            standing_of_word(cells[worst]),
            ", ".join(f"{one}: {cell}" for one, cell in zip(heading.names, cells, strict=True)),
            may_be_away(heading.names, dict(zip(heading.names, cells, strict=True)), section.command),
            cells[0] if at else None,
        )
    )
    return True


def _subject(heading: _Heading, cells: list[str], stated: int) -> tuple[int, list[str]]:
    """What a row is about: the column that names its sort, and its names. That is the first one, but for rows that
    name a host and then what it has there: a map, and its path.
    """
    if heading.names[0].lower() not in _HOST:
        return 0, [cells[0]]
    named = [at for at in range(1, stated) if heading.names[at].lower().replace(" ", "_") in _THINGS and cells[at]]
    return (named[0], [cells[at] for at in named]) if named else (0, [cells[0]])
