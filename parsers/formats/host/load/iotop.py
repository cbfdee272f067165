"""``iotop``: which processes wait for disks, and for what share of the time.

    Total DISK READ :       0.00 B/s | Total DISK WRITE :      41.20 K/s
        TID  PRIO  USER     DISK READ  DISK WRITE  SWAPIN     IO>    COMMAND
        812 be/3 root        0.00 B/s   11.20 K/s  0.00 % 99.99 % [jbd2/dm-9-8]

Yields ``Counter``: the share as the ticks of a second that the process was kept waiting, which is how the kernel counts
them, with the process as scope. Without delay accounting the column holds words: such rows are everyday. Source:
iotop(8).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import Counter
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

SOURCE: Final = "iotop"
_TIME: Final = r"(?:\d\d:\d\d:\d\d\s{1,4})?"
_RATE: Final = r"\d{1,9}(?:\.\d{1,3})? [BKMGT]/s"
_BEGIN: Final = (
    rf"{_TIME}(?P<pid>\d{{1,10}})\s{{1,8}}(?:be|rt|id|\?\w{{0,4}})(?:/\d)?\s{{1,4}}\S{{1,32}}\s{{1,20}}"
    rf"{_RATE}\s{{1,12}}{_RATE}"
)


def _kept(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(
        Counter,
        line.number,
        scope=f"{match['name'].strip('[] ')[:80]}:{match['pid']}",
        source=SOURCE,
        name="iodelay",
        kind="delta",
        unit="ticks",
        value=float(match["share"]),
        sample=line.number,
        interval_s=1.0,
    )


_ROWS: Final = Rows(
    Row(
        "process",
        rf"{_BEGIN}\s{{1,12}}(?:\d{{1,3}}\.\d\d %\s{{1,8}})?(?P<share>\d{{1,3}}\.\d\d) %\s{{1,8}}"
        r"(?P<name>(?!\d{1,3}\.)\S.{0,200}?)\s{0,8}$",
        _kept,
    ),
    Row("process without its share", rf"{_BEGIN}\s{{1,12}}\?unavailable\?", fate=Fate.EVERYDAY),
    Row(
        "sums",
        rf"{_TIME}(?:Total|Actual|Current) DISK READ\s?:\s{{1,20}}{_RATE}\s{{1,8}}\|"
        r"\s{1,8}(?:Total|Actual|Current) DISK WRITE\s?:",
        fate=Fate.FRAME,
    ),
    Row("heading", rf"{_TIME}(?:TID|PID|TIME)\s.{{0,20}}PRIO\s{{1,4}}USER\s{{1,12}}DISK READ\s", fate=Fate.FRAME),
    also=_BEGIN.replace("?P<pid>", "?:"),
)


@parser("iotop", version=1, product="", rows=_ROWS, commands=("iotop",))
def iotop(section: OpenSection, out: Output) -> None:
    """Processes, each with its share of time."""
    _ROWS.read(section, out, "no row of a process")
