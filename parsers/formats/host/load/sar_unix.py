"""``sar -d`` and ``sar -u`` of Solaris, HP-UX and AIX: disks and processors over time.

    10:00:00   device        %busy   avque   r+w/s  blks/s  avwait  avserv      10:00:00    %usr    %sys    %wio   %idle
    10:00:05   sd1              2     0.0       4      61     0.0     4.2       10:00:05       3       2      40      55
               ssd7            99    37.4     140    2210   210.4    56.7
    Average    sd1              2     0.0       4      55     0.0     4.1

Yields ``DiskIo`` per second, reads and writes together: ``avserv`` is the mean of a request, ``avwait`` what it waited
in the queue before, blocks are those of 512 bytes, ``Kbs/s`` of AIX kB; ``Counter`` per share of the processors' time,
by the names that sysstat gives them. The time of a row is the one above it; the interval is that between two rows. No
date. Means at the end are read over, as are partitions of a disk on Solaris. Tolerated: cut rows. Source: sar(1M) of
HP-UX, sar(1) of Solaris, sar of the AIX commands reference, recalled.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.formats.host.load.sysstat_tables import figure
from parsers.ledger import Fate
from parsers.records import DAY_US, Counter, DiskIo
from parsers.registry import parser
from parsers.tables.rows import Row, Rows
from parsers.times.clock import time_of_day

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_TIME: Final = r"\d\d:\d\d:\d\d"
_GAP: Final = r"\s{1,20}"
_PROCESSORS: Final = {"%usr": "%user", "%sys": "%system", "%wio": "%iowait", "%idle": "%idle"}
_NUMBER: Final = r"\d{1,12}(?:[.,]\d{1,4})?"
_SIX: Final = rf"(?P<cells>{_NUMBER}(?:{_GAP}{_NUMBER}){{5}})"
_NAME: Final = r"(?P<name>[a-z][\w./-]{1,60})"


def _move(section: OpenSection, clock: str) -> None:
    """The time of the rows to come."""
    state, at = section.state, time_of_day(clock)
    if at is None or at == state.get("at"):
        return
    before = state.get("at")
    state.update(at=at, step=((at - before) % DAY_US) / 1e6 if before is not None else None)


def _mean(section: OpenSection, _line: Line, _match: re.Match[str]) -> None:
    """Means over the whole run follow, one device a row: the rows themselves were read."""
    section.state["names"] = ()


def _heading(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _move(section, match["clock"])
    section.state["names"] = match["names"].split()


def _disk(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    if match["clock"]:
        _move(section, match["clock"])
    state = section.state
    if not state.get("names"):
        return
    busy, queue, rate, moved, waited, served = map(figure, match["cells"].split())
    unit = 1024.0 if "Kbs/s" in state.get("names", ()) else 512.0
    section.add(
        DiskIo,
        line.number,
        at=state.get("at"),
        source="sar -d",
        device=match["name"],
        per_s=True,
        count=rate,
        bytes=moved * unit if moved is not None else None,
        mean_ms=served,
        queue_ms=waited,
        util=busy,
        queue=queue,
        interval_s=state.get("step"),
    )


def _shares(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _move(section, match["clock"])
    state = section.state
    for name, text in zip(state.get("names", ()), match["shares"].split(), strict=False):
        if name in _PROCESSORS:
            section.add(
                Counter,
                line.number,
                at=state.get("at"),
                source="sar",
                name=_PROCESSORS[name],
                kind="gauge",
                value=figure(text),
                sample=line.number,
            )


_ROWS: Final = Rows(
    Row(
        "heading of disks",
        rf"(?P<clock>{_TIME}){_GAP}(?P<names>device{_GAP}%busy{_GAP}avque{_GAP}r\+w/s{_GAP}(?:blks|Kbs)/s{_GAP}avwait"
        rf"{_GAP}avserv)\s{{0,8}}$",
        _heading,
        fate=Fate.FRAME,
    ),
    Row(
        "heading of processors",
        rf"(?P<clock>{_TIME}){_GAP}(?P<names>%usr{_GAP}%sys{_GAP}%wio{_GAP}%idle(?:{_GAP}physc(?:{_GAP}%entc)?)?)$",
        _heading,
        fate=Fate.FRAME,
    ),
    Row(
        "mean",
        rf"Average\s{{1,20}}(?:[a-z][\w./-]{{1,60}}(?:,[a-z])?\s{{1,40}})?{_NUMBER}\s",
        _mean,
        fate=Fate.FRAME,
        opens=False,
    ),
    Row(
        "partition",
        rf"(?:{_TIME}{_GAP})?[a-z]\w{{1,40}},[a-z]\s{{1,40}}{_NUMBER}\s",
        fate=Fate.FRAME,
        opens=False,
    ),
    Row("disk", rf"(?:(?P<clock>{_TIME}){_GAP})?{_NAME}\s{{1,40}}{_SIX}$", _disk, Fate.EVERYDAY, opens=False),
    Row(
        "shares",
        rf"(?P<clock>{_TIME}){_GAP}(?P<shares>{_NUMBER}(?:{_GAP}{_NUMBER}){{3,5}})$",
        _shares,
        opens=False,
    ),
    also=rf"(?:{_TIME}{_GAP})?{_NAME}\s{{1,40}}{_NUMBER}\s",
)


@parser("sar_unix", version=1, product="storage", rows=_ROWS, commands=("sar",))
def sar_unix(section: OpenSection, out: Output) -> None:
    """``sar`` of other kinds of Unix than Linux: disks and processors."""
    _ROWS.read(section, out, "no row of sar")
