"""What ``mkfs`` and ``newfs`` print of a new VxFS file system, and ``fstyp -v`` of one that is there.

    version 16 layout                                                     magic a501fcf5  version 9  ctime Mon ...
    409600 sectors, 204800 blocks of size 1024, log size 1024 blocks
    largefiles supported                                                  bsize  8192 size  10485760 dsize  1048 ...

Yields ``Setting``: version of the layout, size of a block and of the intent log; whatever else it supports is everyday.
No times. Source: mkfs_vxfs(1M), fstyp_vxfs(1M).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import Setting
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line


def _set(section: OpenSection, line: Line, name: str, value: str) -> None:
    section.add(Setting, line.number, scope=section.scope, source="mkfs vxfs", name=name, value=value)


def _version(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _set(section, line, "layout version", match["version"])


def _size(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _set(section, line, "block size", match["block"])
    if log := match.groupdict().get("log"):
        _set(section, line, "log size", log)


_ROWS: Final = Rows(
    Row("version", r"version (?P<version>\d{1,3}) layout$", _version),
    Row(
        "size",
        r"\d{1,20} sectors, \d{1,20} blocks of size (?P<block>\d{1,9})(?:, log size (?P<log>\d{1,12} blocks))?$",
        _size,
    ),
    Row("super-block", r"magic a501fcf5\s{1,8}version\s{1,8}(?P<version>\d{1,3})\s{1,8}ctime \S", _version),
    Row(
        "sizes of the super-block",
        r"bsize\s{1,8}(?P<block>\d{1,9})\s{1,8}size\s{1,8}\d{1,20}\s{1,8}dsize\s.{1,120}$",
        _size,
    ),
    Row(
        "further words of the super-block",
        r"(?:vxfs|(?:logstart|defiextsize|aufirst|bstart|nindir|auilen|inopb|logsize|oltext|oltsize|dflags|oltext\[0\])\s"
        r".{1,200}|(?:[a-z][a-z0-9_\[\]]{2,16}\s{1,8}(?:0x)?[0-9a-f]{1,20}\s{0,8}){2,8})$",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row(
        "property",
        r"(?:rcq size \d{1,12} blocks|(?:no)?largefiles(?: not)? supported|maxlink(?: not)? supported"
        r"|WORM(?: not)? supported|unlimited inodes, (?:no)?largefiles(?: not)? supported"
        r"|\d{1,20} data blocks, \d{1,20} free data blocks|\d{1,12} allocation units? of \d{1,20} blocks"
        r"(?:, \d{1,20} data blocks)?|(?:first|last) allocation unit (?:starts at block|has) \d{1,20}(?: data blocks)?"
        r"|overhead per allocation unit is \d{1,12} blocks)$",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
)


@parser("vxfs_layout", version=2, product="veritas", rows=_ROWS)
def vxfs_layout(section: OpenSection, out: Output) -> None:
    """``mkfs -t vxfs``: layout and sizes of a new file system."""
    _ROWS.read(section, out, "no property of a new file system")
