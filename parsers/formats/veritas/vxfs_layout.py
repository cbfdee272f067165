"""What ``mkfs`` and ``newfs`` print of a new VxFS file system.

    version 16 layout
    409600 sectors, 204800 blocks of size 1024, log size 1024 blocks
    largefiles supported

Yields ``Setting``: version of the layout, size of a block and of the intent log; whatever else it supports is everyday.
No times. Source: mkfs_vxfs(1M).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import Setting
from parsers.registry import parser
from parsers.rows import Row, Rows
from parsers.sections import OpenSection
from parsers.text import Line


def _set(section: OpenSection, line: Line, name: str, value: str) -> None:
    section.add(Setting, line.number, scope=section.scope, source="mkfs vxfs", name=name, value=value)


def _version(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _set(section, line, "layout version", match["version"])


def _size(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _set(section, line, "block size", match["block"])
    if match["log"]:
        _set(section, line, "log size", match["log"])


_ROWS: Final = Rows(
    Row("version", r"version (?P<version>\d{1,3}) layout$", _version),
    Row(
        "size",
        r"\d{1,20} sectors, \d{1,20} blocks of size (?P<block>\d{1,9})(?:, log size (?P<log>\d{1,12} blocks))?$",
        _size,
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


@parser("vxfs_layout", version=1, product="veritas", rows=_ROWS)
def vxfs_layout(section: OpenSection, out: Output) -> None:
    """``mkfs -t vxfs``: layout and sizes of a new file system."""
    _ROWS.read(section, out, "no property of a new file system")
