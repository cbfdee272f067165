"""``gluster volume profile VOLUME info``: how long the calls on each brick take.

    Brick: carp2:/bricks/b1/pond
    ----------------------------
    Cumulative Stats:
       Block Size:                  1b+                  32b+
     No. of Reads:                    4                    92
     %-latency   Avg-latency   Min-Latency   Max-Latency   No. of calls         Fop
     ---------   -----------   -----------   -----------   ------------        ----
         0.14    723.81 us      49.00 us     104.00 us              2    GETXATTR
        88.10   2104512.00 us  812.00 us  9120000.00 us           412       FSYNC

        Duration: 812 seconds
       Data Read: 0 bytes

Yields ``DiskIo`` of reads, writes and flushes of the brick to disk, with the mean and the longest time since the
profile was begun, or of an interval: what the file system and the disk below the brick took. Other calls on files are
everyday rows, and so are sizes and sums. The host of the brick is its node. Old releases print microseconds, new ones
nanoseconds. No times. Source: gluster(8), xlators/debug/io-stats.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.headings.node_banners import looks_like_host
from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import DiskIo
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows, everyday, heading
from parsers.text import Line

SOURCE: Final = "gluster volume profile"
_TIME: Final = r"\d{1,16}(?:\.\d{1,4})? (?:ns|us|ms)"
_MS: Final = {"ns": 1e-6, "us": 1e-3, "ms": 1.0}
_CALLS: Final = {"READ": "read", "WRITE": "write", "FSYNC": "other", "FLUSH": "", "FDATASYNC": "other"}
"""Of a flush the brick does next to nothing."""


def _brick(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["brick"] = match["brick"]


def _call(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    op = _CALLS.get(match["call"])
    if not op or match["count"] == "0":
        return
    brick = section.state.get("brick")
    host = brick.partition(":")[0] if brick else ""
    for one in ("", op):
        section.add(
            DiskIo,
            line.number,
            node=host if host and looks_like_host(host) else section.node,
            source=SOURCE,
            device=f"{match['call']} on {brick or 'a brick'}",
            op=one,
            mean_ms=_ms(match["mean"]),
            max_ms=_ms(match["longest"]),
        )


def _ms(cell: str) -> float:
    value, unit = cell.split()
    return round(float(value) * _MS[unit], 6)


_ROWS: Final = Rows(
    Row("brick", r"Brick: (?P<brick>[\w.-]{1,128}:/\S{1,300})$", _brick, fate=Fate.FRAME),
    heading("stretch", r"(?:Cumulative|Interval \d{1,9}) Stats:$"),
    heading(
        "headings",
        r"%-latency\s{1,9}Avg-latency\s{1,9}Min-Latency\s{1,9}Max-Latency\s{1,9}No\. of calls\s{1,20}Fop$",
    ),
    everyday(
        "call of which no time is kept",
        rf"\d{{1,3}}\.\d\d\s{{1,20}}(?:{_TIME}\s{{1,20}}){{3}}\d{{1,18}}\s{{1,20}}"
        r"(?!(?:READ|WRITE|FSYNC|FDATASYNC)$)[A-Z]{3,20}$",
    ),
    everyday(
        "calls that were not made", rf"\d{{1,3}}\.\d\d\s{{1,20}}(?:{_TIME}\s{{1,20}}){{3}}0\s{{1,20}}[A-Z]{{3,20}}$"
    ),
    Row(
        "call",
        rf"\d{{1,3}}\.\d\d\s{{1,20}}(?P<mean>{_TIME})\s{{1,20}}{_TIME}\s{{1,20}}(?P<longest>{_TIME})\s{{1,20}}"
        r"(?P<count>\d{1,18})\s{1,20}(?P<call>[A-Z]{3,20})$",
        _call,
    ),
    Row("ruler", r"-{3,200}(?:\s{1,12}-{3,20}){0,6}$", fate=Fate.FRAME, opens=False),
    everyday(
        "sizes and sums",
        r"(?:Block Size:|No\. of (?:Reads|Writes):)(?:\s{1,40}\S{1,20}){1,4}$",
        r"(?:Duration|Data Read|Data Written|BytesRead|BytesWritten)\s?: ?\d{1,20}(?: (?:seconds|bytes))?$",
        opens=False,
    ),
)


@parser("gluster_profile", version=1, product="storage", claims=_ROWS.claims, owns=_ROWS.owns)
def gluster_profile(section: OpenSection, out: Output) -> None:
    """Calls of each brick."""
    _ROWS.read(section, out, "no row of a profile")
