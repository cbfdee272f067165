"""``multipathd show paths`` and ``multipathd show maps status``: paths and maps of device-mapper as tables; and what
``multipath -v3`` tells of each path on its way.

    hcil    dev dev_t pri dm_st  chk_st dev_st  next_check
    7:0:0:3 sdk 8:160 50  active ready  running XXXXXX.... 12/20
    8:0:0:3 sdl 8:176 10  failed faulty running X......... 2/20

    name   failback  queueing paths dm-st  write_prot
    larder immediate 5 chk    0     active rw

    sdz: path checker = tur (controller setting)              May 13 10:47:47 | sdz: tur state = down

Yields ``DiskPath`` of no map, with the states of device-mapper, checker and kernel, and ``StorageState`` of a map that
has no path. Any columns that the format of the command asks for. Source: multipathd(8), recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.host.disks.multipath import standing_of
from parsers.ledger import Fate
from parsers.output import Output
from parsers.records.states import DiskPath, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.headed import Column, Table
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_STATE: Final = (
    r"(?:active|failed|undef|ready|faulty|ghost|shaky|i/o|delayed|running|offline|blocked|\[\w{4,9}\]|\S{3,20})"
)
_ONE: Final = r"(?:(?:sd|hd|vd|xvd|sr|loop|dasd|nvme|dm-|cciss|md|ram|fd|scd)[\w!-]{0,20})"
_PATHS: Final = Table(
    Column("hcil", cell=r"(?:\d{1,6}:\d{1,6}:\d{1,6}:\d{1,20}|#:#:#:#)$"),
    Column("dev", cell=r"[\w!-]{2,40}$", needed=True),
    Column("dev_t", cell=r"\d{1,6}:\d{1,7}$"),
    Column("dm_st", cell=_STATE),
    Column("chk_st", cell=_STATE, needed=True),
    Column("dev_st", cell=_STATE),
    Column("pri"), Column("next_check"), Column("uuid"), Column("multipath", cell=r"[\w.:+\[\]-]{1,128}$"),
    row=rf"(?:(?:[\w.:-]{{8,80}}|mpath\w{{1,30}})\s{{1,40}})?(?:\d{{1,6}}:\d{{1,6}}:\d{{1,6}}:\d{{1,20}}|#:#:#:#|{_ONE})\s",
)  # fmt: skip
_MAPS: Final = Table(
    Column("name", cell=r"[\w.:+-]{1,128}$"),
    Column("uuid", cell=r"[\w.:+-]{1,128}$"),
    Column("sysfs", cell=r"dm-\d{1,6}$"),
    Column("failback"),
    Column("queueing"),
    Column("paths", cell=r"\d{1,5}$", needed=True),
    Column("dm-st", cell=r"\w{3,12}$", needed=True),
    Column("write_prot"),
    Column("size"),
    Column("features"),
    Column("action"),
    Column("vend/prod/rev"),
    Column("path_faults"),
    row=(
        r"[\w.:+-]{1,128}\s{1,40}(?:immediate|manual|followover|-|\d{1,6}|[23]?[\da-f]{16,32}|eui\.[\da-f]{16,32}|dm-\d{1,6}"
        r"|active|suspended|on|off)(?:\s|$)"
    ),
)


@parser("multipathd_paths", version=2, product="storage", rows=_PATHS)
def multipathd_paths(section: OpenSection, out: Output) -> None:
    """``multipathd show paths``."""
    for row in _PATHS.rows(section, out, "no path with its states"):
        state = " ".join(row.fields[name] for name in ("dm_st", "chk_st", "dev_st") if name in row.fields)
        section.add(
            DiskPath,
            row.line,
            source="multipathd show paths",
            map=row.text("multipath"),
            device=row.fields["dev"],
            address=row.text("hcil"),
            state=state,
            standing=standing_of(state),
            layer="device-mapper",
        )


_BARE = re.compile(
    r"(?!\d{1,7}[:|.)\]]?\s|[|`\\]|\[)"  # a number of the line in front, or the tree of a map
    rf"(?=(?:.{{0,300}}\s)?(?:(?P<device>{_ONE})|(?P<address>\d{{1,6}}:\d{{1,6}}:\d{{1,6}}:\d{{1,20}}))(?!\S))"
    r"(?=(?:.{0,300}?\s)?(?P<state>(?:active|failed|undef) (?:ready|faulty|ghost|shaky)"
    r"|(?:ready|faulty|ghost|shaky) (?:active|failed|undef))(?!\S))(?:\S{1,200} {1,40}){2,20}\S{1,200}$"
)


def _is_bare(text: str, _before: str) -> bool:
    return _BARE.match(text.strip()) is not None


@parser(
    "multipathd_raw",
    version=1,
    product="storage",
    claims=r"(?!)",
    owns=_is_bare,
    commands=("multipathd",),
    places=r"\bmultipathd\b.{1,40}\braw\b",
)
def multipathd_raw(section: OpenSection, out: Output) -> None:
    """``multipathd show paths raw format``: no heading, the states of device-mapper and checker side by side."""
    for line in section:
        match = _BARE.match(line.text.strip())
        if match is None:
            out.skip(line, "no path with its states")
            continue
        section.add(
            DiskPath,
            line.number,
            source="multipathd show paths",
            device=match["device"],
            address=match["address"],
            state=match["state"],
            standing=standing_of(match["state"]),
            layer="device-mapper",
        )


@parser("multipathd_maps", version=2, product="storage", rows=_MAPS)
def multipathd_maps(section: OpenSection, out: Output) -> None:
    """``multipathd show maps status``."""
    for row in _MAPS.rows(section, out, "no map with its paths"):
        paths, is_live = row.integer("paths"), row.fields["dm-st"] == "active"
        section.add(
            StorageState,
            row.line,
            source="multipathd show maps",
            sort="map",
            name=row.text("name") or row.text("uuid") or row.text("sysfs"),
            state=f"{paths} paths" if paths else "no path left" if is_live else row.fields["dm-st"],
            standing="failed" if not paths else "healthy" if is_live else "degraded",
        )


def _checked(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(
        DiskPath,
        line.number,
        source="multipath -v3",
        device=match["device"],
        state=match["state"],
        standing="up"
        if match["state"] == "up"
        else standing_of("faulty" if match["state"] == "down" else match["state"]),
        layer="device-mapper",
    )


_FRONT: Final = r"(?:[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d \| |\d{1,8}\.\d{6} \| )?"
_QUERIED: Final = (
    r"size|vendor|product|rev|h:b:t:l|tgt_node_name|path[ _]checker|checker timeout|state|serial|getprio|prio|uid"
    r"|uid_attribute|getuid|get_uid|getuid_callout|mask|dev_t|detect_\w{2,12}|node name|tpgs|prio args"
)
_VERBOSE: Final = Rows(
    Row(
        "answer of a checker",
        rf"{_FRONT}(?P<device>{_ONE}): [a-z][\w ]{{1,20}} state = (?P<state>up|down|ghost|shaky|pending|timeout)$",
        _checked,
        opens=False,
    ),
    Row("value of a path", rf"{_FRONT}{_ONE}: (?:{_QUERIED}) = ", fate=Fate.EVERYDAY),
    Row("path left out", rf"{_FRONT}{_ONE}: (?:blacklisted|device node name blacklisted)", fate=Fate.EVERYDAY),
    Row("geometry", rf"{_FRONT}{_ONE}: \d{{1,9}} cyl, \d{{1,9}} heads, ", fate=Fate.EVERYDAY, opens=False),
    Row("word of a table", rf"{_FRONT}\*word = \S{{1,80}}, len = \d", fate=Fate.EVERYDAY),
    Row("table of a map", rf"{_FRONT}(?:params|status) = \d", fate=Fate.EVERYDAY, opens=False),
    Row(
        "callout",
        rf"{_FRONT}(?:process \d{{1,9}} forking to exec |forked \d{{1,9}}$)",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row("heading", rf"{_FRONT}=+ (?:paths list|path info|path) ?.{{0,60}}=+$", fate=Fate.FRAME, opens=False),
)


@parser("multipath_verbose", version=1, product="storage", rows=_VERBOSE)
def multipath_verbose(section: OpenSection, out: Output) -> None:
    """``multipath -v3`` and above: what it asks of each path."""
    _VERBOSE.read(section, out, "no value of a path")
