"""How full the paging space is: ``lsps -a``, ``-s`` of AIX, ``swap -l``, ``-s`` of Solaris, ``swapinfo`` of HP-UX.

    Page Space      Physical Volume   Volume Group    Size %Used   Active    Auto    Type   Chksum
    hd6             hdisk0            rootvg        8192MB    14     yes     yes      lv       0
    Total Paging Space   Percent Used                     swapfile             dev    swaplo   blocks     free
          8192MB              14%                         /dev/dsk/c1t0d0s1   32,1      16   8392000   8392000
    TYPE      AVAIL    USED    FREE  USED   LIMIT RESERVE  PRI  NAME
    dev        4096    1201    2895   29%       0       -    1  /dev/vg00/lvol2
    total: 1023312k bytes allocated + 512332k reserved = 1535644k used, 91233k available

Yields ``Room`` for each space, or for all of them. Nearly full is ``spent``: on AIX processes are ended then. No times.
Tolerated: collapsed blanks, missing headings. Source: lsps(1), swap(1M), swapinfo(1M); layouts are recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.filling import paging_standing
from parsers.ledger import Fate
from parsers.output import Output
from parsers.records.states import Room
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line


def _room(section: OpenSection, line: Line, source: str, name: str | None, share: float, of: str | None = None) -> None:
    section.add(
        Room,
        line.number,
        source=source,
        sort="paging space",
        name=name,
        of=of,
        share=share,
        state=f"{share:.0f} % used",
        standing=paging_standing(share),
    )


def _aix(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _room(section, line, "lsps", match["name"], float(match["share"]), match["group"])


def _sum(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _room(section, line, "lsps", "in all", float(match["share"]))


def _solaris(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    blocks, free = _size(match["blocks"]), _size(match["free"])
    if blocks:
        _room(section, line, "swap -l", match["name"], 100 * max(0.0, blocks - free) / blocks)


def _solaris_sum(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """Memory and swap space together, as programs may reserve of them."""
    used, left = _size(match["used"]), _size(match["left"])
    if used + left:
        _room(section, line, "swap -s", "in all, with memory", 100 * used / (used + left))


def _size(text: str) -> float:
    """Of one row, all in one unit or each with its own."""
    factor = _UNITS.get(text[-1].upper())
    return float(text) if factor is None else float(text[:-1]) * factor


def _hpux(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _room(section, line, "swapinfo", match["name"], float(match["share"]))


_UNITS: Final = {"K": 2.0**10, "M": 2.0**20, "G": 2.0**30, "T": 2.0**40}
_SIZE: Final = r"\d{1,16}(?:\.\d{1,3})?[KMGTkmgt]?"
_SPACES: Final = Rows(
    Row("heading of AIX", r"Page Space\s{1,40}Physical Volume\s{1,40}Volume Group\s", fate=Fate.FRAME),
    Row("heading of the sum", r"Total Paging Space\s{1,40}Percent Used$", fate=Fate.FRAME),
    Row(
        "space of AIX",
        r"(?P<name>\w[\w.-]{0,60})\s{1,60}\w[\w.-]{0,60}\s{1,60}(?P<group>\w[\w.-]{0,60})\s{1,60}\d{1,12}[MG]B\s{1,40}"
        r"(?P<share>\d{1,3})\s{1,40}(?:yes|no)\s{1,40}(?:yes|no)\s{1,40}(?:lv|nfs)\b",
        _aix,
    ),
    Row("sum", r"\d{1,12}[MG]B\s{1,60}(?P<share>\d{1,3})%$", _sum, opens=False),
    Row(
        "heading of Solaris",
        r"swapfile\s{1,60}dev\s{1,40}swaplo\s{1,40}blocks\s{1,40}free(?:\s{1,40}encrypted)?$",
        fate=Fate.FRAME,
    ),
    Row(
        "space of Solaris",
        rf"(?P<name>(?:/|swapfile)\S{{0,200}})\s{{1,60}}(?:\d{{1,6}},\d{{1,6}}|-)\s{{1,40}}\d{{1,12}}[KM]?\s{{1,40}}"
        rf"(?P<blocks>{_SIZE})\s{{1,40}}(?P<free>{_SIZE})(?:\s{{1,40}}(?:yes|no))?$",
        _solaris,
        opens=False,
    ),
    Row(
        "sum of Solaris",
        rf"total: {_SIZE}(?: bytes)? allocated \+ {_SIZE} reserved = (?P<used>{_SIZE}) used, (?P<left>{_SIZE}) "
        r"available$",
        _solaris_sum,
    ),
    Row(
        "units of HP-UX", r"[KMG]b\s{1,40}[KMG]b\s{1,40}[KMG]b\s{1,40}PCT\s{1,40}START/\s{1,40}[KMG]b$", fate=Fate.FRAME
    ),
    Row("heading of HP-UX", r"TYPE\s{1,40}AVAIL\s{1,40}USED\s{1,40}FREE\s{1,40}USED\s{1,40}LIMIT\s", fate=Fate.FRAME),
    Row(
        "space of HP-UX",
        r"(?:dev|localfs|fs)\s{1,40}\d{1,12}\s{1,40}\d{1,12}\s{1,40}\d{1,12}\s{1,40}(?P<share>\d{1,3})%\s{1,40}\S{1,16}"
        r"\s{1,40}\S{1,16}\s{1,40}\d{1,4}\s{1,40}(?P<name>/\S{1,200})$",
        _hpux,
    ),
    Row(
        "sums of HP-UX",
        r"(?:reserve|memory|total|hold)\s{1,40}(?:-|\d{1,12})\s{1,40}\d{1,12}\s",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    also=r"\w[\w.-]{0,60}\s{1,60}hdisk\d{1,5}\s",
)


@parser("paging_space", version=2, product="", rows=_SPACES, commands=("lsps", "swapinfo", "swap"))
def paging_space(section: OpenSection, out: Output) -> None:
    """``lsps``, ``swap -l``, ``swapinfo``: a row for each space."""
    _SPACES.read(section, out, "no paging space with its share")
