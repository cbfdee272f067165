"""``topas`` of AIX: its main screen, as it is copied from a terminal.

    Topas Monitor for host:    lund5                EVENTS/QUEUES    FILE/TTY
    Tue Mar 14 10:22:31 2028   Interval:  2         Cswitch    4123  Readch  1204.3K
    CPU  User%  Kern%  Wait%  Idle%                 Reads      1822  Rawin         0
    ALL    6.2    9.8   71.4   12.6                 Runqueue    2.0  Dirblk        0
    Disk    Busy%     KBPS     TPS KB-Read KB-Writ  Waitqueue  38.0
    hdisk7  100.0   1824.0    88.0   912.0   912.0  PAGING           Real,MB   65536

Yields ``DiskIo`` (busy in %, KB and requests a second) for each disk, ``Counter`` of the shares of processors, of the
queues and of paging, by the names that vmstat gives them. The columns at the right belong to other tables, so a line
may hold rows of two. Tolerated: a screen without its right side or its top. Source: topas of the AIX commands
reference, recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.host.load.sysstat_tables import figure
from parsers.output import Output
from parsers.records import Counter, DiskIo
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line
from parsers.times.clock import find_instant

_TITLE: Final = r"Topas Monitor for host:\s{0,20}\S"
_PROCESSORS: Final = r"(?:CPU|Kernel)\s{1,12}User%\s{1,12}Kern%\s{1,12}Wait%\s{1,12}Idle%"
_DISKS: Final = r"Disk\s{1,20}Busy%\s{1,20}[KB]{1,2}PS\s{1,20}TPS\s"
_SIDE_NAMES: Final = (
    r"Cswitch|Syscall|Reads|Writes|Forks|Execs|Runqueue|Waitqueue|Faults|Steals|PgspIn|PgspOut|PageIn|PageOut|Sios"
    r"|Rawin|Ttyout|Igets|Namei|Dirblk|Readch|Writech|Real,MB|Size,MB|SerV2|CliV2|SerV3|CliV3|% ?(?:Comp|Noncomp"
    r"|Client|Used|Free)|MEMORY|PAGING(?: SPACE)?|NFS \(calls/sec\)|WPAR (?:Activ|Total)|Press:"
)
_NUMBER: Final = r"\d{1,12}(?:[.,]\d{1,3})?"
_DISK: Final = rf"(?:hdisk|cd|vpath|hdiskpower|dlmfdrv|Total)\w{{0,12}}(?:\s{{1,20}}{_NUMBER}K?){{5}}"
_SHARES: Final = rf"(?:ALL|[Tt]otal|User|cpu\d{{1,4}}|\d{{1,4}})(?:\s{{1,12}}{_NUMBER}){{4}}"
_OWNS: Final = (
    rf"(?:{_TITLE}|{_PROCESSORS}|{_DISKS}|{_DISK}|{_SHARES}|(?:{_SIDE_NAMES})(?:\s|$)"
    r"|Network\s{1,12}[KB]{1,2}PS\s|FileSystem\s{1,12}[KB]{1,2}PS\s|Name\s{1,20}PID\s"
    r"|[A-Z][a-z]{2} [A-Z][a-z]{2} .{0,40}Interval:"
    rf"|[A-Za-z][\w.#-]{{0,30}}\s{{1,20}}\d{{1,10}}\s{{1,12}}{_NUMBER}\s{{1,12}}{_NUMBER}K?\s{{1,12}}\w"
    rf"|[a-z]{{2}}\d{{1,3}}(?:\s{{1,12}}{_NUMBER}K?){{5}})"
)
_DISK_ROW = re.compile(
    rf"(?P<name>(?!Total)[A-Za-z]\w{{2,16}})\s{{1,20}}(?P<busy>{_NUMBER})\s{{1,20}}(?P<kb>{_NUMBER}K?)"
    rf"\s{{1,20}}(?P<tps>{_NUMBER})(?:\s{{1,20}}{_NUMBER}K?){{2}}(?!\S)"
)
_SHARES_ROW = re.compile(
    rf"(?:ALL|Total|total)\s{{1,12}}(?P<us>{_NUMBER})\s{{1,12}}(?P<sy>{_NUMBER})\s{{1,12}}(?P<wa>{_NUMBER})"
    rf"\s{{1,12}}(?P<id>{_NUMBER})(?!\S)"
)
_SIDE = re.compile(rf"(?<!\S)(?P<name>Runqueue|Waitqueue|PgspIn|PgspOut)\s{{1,12}}(?P<value>{_NUMBER})(?!\S)")
_SIDE_MEANS: Final = {"Runqueue": "r", "Waitqueue": "b", "PgspIn": "pi", "PgspOut": "po"}
_HOST = re.compile(r"Topas Monitor for host:\s{0,20}(?P<host>[A-Za-z0-9][\w.-]{0,252})")
_KIB: Final = 1024.0


def _counts(section: OpenSection, line: Line, figures: dict[str, str | None]) -> None:
    screen = section.state.setdefault("screen", line.number)
    for name, value in figures.items():
        section.add(
            Counter,
            line.number,
            at=section.state.get("at"),
            source="topas",
            name=name,
            kind="gauge",
            value=figure(value or ""),
            sample=screen,
        )


def _row(section: OpenSection, line: Line, text: str) -> bool:
    """The rows of a line, of the left and of the right side."""
    found = False
    if section.state.get("table") == "disks" and (disk := _DISK_ROW.match(text)):
        size = figure(disk["kb"].rstrip("K")) or 0.0
        section.add(
            DiskIo,
            line.number,
            at=section.state.get("at"),
            source="topas",
            device=disk["name"],
            per_s=True,
            count=figure(disk["tps"]),
            bytes=size * _KIB * (_KIB if disk["kb"].endswith("K") else 1.0),
            util=figure(disk["busy"]),
        )
        found = True
    elif section.state.get("table") == "processors" and (shares := _SHARES_ROW.match(text)):
        _counts(section, line, shares.groupdict())
        found = True
    for side in _SIDE.finditer(text):
        _counts(section, line, {_SIDE_MEANS[side["name"]]: side["value"]})
        found = True
    return found


@parser(
    "topas",
    version=1,
    product="storage",
    claims=rf"(?:{_TITLE}|{_DISKS}|{_PROCESSORS})",
    owns=_OWNS,
    commands=("topas", "topas_nmon"),
    priority=1,
)
def topas(section: OpenSection, out: Output) -> None:
    """The main screen of topas."""
    for line in section:
        text = line.text.strip()
        if host := _HOST.match(text):
            section.is_on(host["host"])
            section.state["screen"] = line.number
        if "Interval:" in text and (instant := find_instant(text.partition("Interval:")[0].strip())):
            section.state["at"] = instant[0].us
        if re.match(_DISKS, text):
            section.state["table"] = "disks"
        elif re.match(_PROCESSORS, text):
            section.state["table"] = "processors"
        elif re.match(r"(?:Network|FileSystem|Name|WLM-Class)\s", text):
            section.state["table"] = ""
        if not _row(section, line, text):
            out.frame()
