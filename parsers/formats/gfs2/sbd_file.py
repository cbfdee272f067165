"""``/etc/sysconfig/sbd`` (``/etc/default/sbd``): how the daemon of fencing by a shared disk or a watchdog starts.

    SBD_DEVICE="/dev/disk/by-id/scsi-36001405a-part1"
    SBD_STARTMODE=always
    SBD_WATCHDOG_TIMEOUT=5

Yields ``Setting`` by the names of the file, without quotes, and ``disk of sbd`` for disks under names that hold on all
nodes; an empty value stays one. A value in a comment is the
default and everyday. Where a device is set, its own timeouts are in force (``sbd dump``). Source: sbd(8) and the file.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.records import Setting
from parsers.registry import parser
from parsers.tables.rows import Row, Rows, everyday

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line


_BY_ID: Final = re.compile(r"/dev/disk/by-(?:id|partuuid|uuid|partlabel)/\S{1,200}$")
"""A name that is the same on every node."""


def _value(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    value = match["value"].strip("\"' ")
    section.add(Setting, line.number, source="sysconfig sbd", name=match["name"], value=value)
    if match["name"] == "SBD_DEVICE" and value and all(_BY_ID.match(one) for one in value.split(";")):
        section.add(Setting, line.number, source="sysconfig sbd", name="disk of sbd", value=value)


_ROWS: Final = Rows(
    Row("value", r"(?P<name>SBD_[A-Z][A-Z_]{2,40})=(?P<value>[^\n]{0,400})$", _value),
    everyday("comment", r"#", opens=False),
)


@parser("sbd_file", version=2, product="gfs2", rows=_ROWS, places=r"(?:sysconfig|default)[/_]sbd\b")
def sbd_file(section: OpenSection, out: Output) -> None:
    """Names and values."""
    _ROWS.read(section, out, "no value of sbd")
