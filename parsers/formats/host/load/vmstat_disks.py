"""``vmstat -d``: what each disk has done since the host started.

    disk- ------------reads------------ ------------writes----------- -----IO------
           total merged sectors      ms  total merged sectors      ms    cur    sec
    sda   112000   4100 8120000  412000  91002  12000 7120000  812000      0    900

Yields ``DiskIo``: requests, bytes and mean time of reads and of writes since the start, and the mean time of both; a
disk that did nothing is everyday. No times of its own. Source: vmstat(8).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import DiskIo
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

SOURCE: Final = "vmstat -d (since boot)"
LEAST: Final = 1_000
"""Requests of a disk whose mean tells how it answers."""
_SECTOR: Final = 512.0
_N: Final = r"\d{1,18}\s{1,20}"
_DISK: Final = rf"(?P<disk>[A-Za-z][\w!.-]{{1,60}})\s{{1,40}}(?:{_N}){{8}}\d{{1,9}}\s{{1,20}}\d{{1,15}}$"


def _disk(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    cells = [float(cell) for cell in match[0].split()[1:]]
    for op, (total, _, sectors, took_ms) in (("read", cells[:4]), ("write", cells[4:8])):
        if total:
            section.add(
                DiskIo,
                line.number,
                source=SOURCE,
                device=match["disk"],
                op=op,
                count=total,
                bytes=sectors * _SECTOR,
                mean_ms=round(took_ms / total, 4),
            )
    both = cells[0] + cells[4]
    if both >= LEAST:
        mean = round((cells[3] + cells[7]) / both, 4)
        section.add(DiskIo, line.number, source=SOURCE, device=match["disk"], mean_ms=mean)


_ROWS: Final = Rows(
    Row("groups", r"disk-? ?-{2,30}reads-{2,30} -{2,30}writes-{2,30} -{2,20}IO-{2,20}$", fate=Fate.FRAME),
    Row(
        "headings",
        r"total\s{1,9}merged\s{1,9}sectors\s{1,12}ms\s{1,12}total\s{1,9}merged\s{1,9}sectors\s{1,12}ms\s{1,12}cur\s{1,9}"
        r"sec$",
        fate=Fate.FRAME,
    ),
    Row("idle disk", r"[A-Za-z][\w!.-]{1,60}(?:\s{1,40}0){10}$", fate=Fate.EVERYDAY, opens=False),
    Row("disk", _DISK, _disk, opens=False),
    also=r"[A-Za-z][\w!.-]{1,60}(?:\s{1,40}\d{1,18}){3,9}$",
)


@parser("vmstat_disks", version=1, product="storage", rows=_ROWS)
def vmstat_disks(section: OpenSection, out: Output) -> None:
    """Totals of disks."""
    _ROWS.read(section, out, "no row of the list")
