"""Devices of AIX: ``lsdev``.

    hdisk7 Available C2-T1-01 MPIO IBM 2107 FC Disk
    fcs1   Defined   C3-T1    8Gb PCI Express Dual Port FC Adapter

Yields ``StorageState`` of disks, ports and adapters: one that is defined and not available is known from before, and
was not found or not configured when the host was looked through. Devices of other sorts are passed over. No times.
Source: lsdev of AIX, its manual.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records.states import StorageState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    import re

    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_STATE: Final = r"(?P<state>Available|Defined|Stopped)"
_REST: Final = r"(?:\s{1,40}\S.{0,200})?$"


def _device(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state, name = match["state"], match["name"]
    section.add(
        StorageState,
        line.number,
        source="lsdev",
        sort="disk" if name.startswith("hdisk") else "controller",
        name=name,
        state=state if state == "Available" else f"{state}, not Available",
        standing="healthy" if state == "Available" else "degraded",
    )


_ROWS: Final = Rows(
    Row("device", rf"(?P<name>(?:hdisk|fcs|fscsi|sissas|sas|iscsi|vscsi)\d{{1,5}})\s{{1,40}}{_STATE}{_REST}", _device),
    Row(
        "other device",
        rf"[a-z][a-z_]{{0,15}}\d{{0,5}}\s{{1,40}}(?:Available|Defined|Stopped){_REST}",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row("heading", r"name\s{1,40}status\s{1,40}(?:physloc|location)\s{1,40}description$", fate=Fate.FRAME),
)


@parser("aix_devices", version=1, product="storage", rows=_ROWS, commands=("lsdev",))
def aix_devices(section: OpenSection, out: Output) -> None:
    """``lsdev``: which devices are available."""
    _ROWS.read(section, out, "no device with its state")
