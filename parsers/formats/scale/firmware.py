"""Firmware of Spectrum Scale RAID for people: ``mmlsfirmware``.

                              enclosure       firmware   available
    type         product id   serial number   level      firmware location
    ----         ----------   -------------   --------   -------- --------
    enclosure    EB4U24       KT21313978      5C2A,5C2A  5C2A     Rack TARN U20-23
    drive        HD8T7200     KT21313978      E4K2       *E4K5    Rack TARN U20-23, Enclosure KT21313978 Drawer 1 Slot 3

Yields ``HealthState``: a part with the level that it has and, where that is another one, the level that is there to be
installed (a star in front of it). No times. Tolerated: several levels of one part, adapters of a host by their number.
Source: IBM Spectrum Scale RAID documentation, mmlsfirmware command; the layout is recalled.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records.states import HealthState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_SORTS: Final = r"(?:storage-enclosure|enclosure|drive|host-adapter)"
_UNKNOWN: Final = "not_available"
_SLOT: Final = re.compile(r"(?:\bDrawer (\d{1,3}) )?\bSlot (\d{1,4})", re.IGNORECASE)


def _part(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    levels, wanted = found["level"].split(","), found["wanted"]
    slot = _SLOT.search(found["place"] or "")
    place = f" in slot {'-'.join(part for part in slot.groups() if part)}" if slot else ""
    known = [level for level in levels if level != _UNKNOWN]
    if not known:
        state = "level not known"
    elif len(set(known)) > 1:
        state = f"levels {' and '.join(dict.fromkeys(known))} side by side"
    elif wanted.startswith("*"):
        state = f"{known[0]}, newest {wanted[1:]}"
    else:
        state = known[0]
    section.add(
        HealthState,
        line.number,
        source="mmlsfirmware",
        component=f"firmware of {found['sort']} {found['serial']}{place}",
        state=state,
        standing="healthy" if state in known else "hint",
    )


_ROWS: Final = Rows(
    Row("upper heading", r"(?:enclosure|adapter)\s{1,60}firmware\s{1,60}available$", fate=Fate.FRAME),
    Row("heading", r"type\s{1,60}product id\s{1,60}serial number\s{1,60}level\s", fate=Fate.FRAME),
    Row("ruler", r"-{3,40}(?:\s{1,40}-{3,40}){3,6}$", fate=Fate.FRAME, opens=False),
    Row(
        "part",
        rf"(?P<sort>{_SORTS})\s{{1,40}}\S{{1,40}}\s{{1,40}}(?P<serial>[\w.-]{{1,40}})\s{{1,40}}"
        rf"(?P<level>[\w.,-]{{1,80}})\s{{1,40}}(?P<wanted>\*?[\w.,-]{{1,80}})(?:\s{{1,40}}(?P<place>\S.{{0,200}}))?$",
        _part,
    ),
)


@parser("scale_firmware", version=1, product="spectrum-scale", rows=_ROWS, commands=("mmlsfirmware",))
def scale_firmware(section: OpenSection, out: Output) -> None:
    """``mmlsfirmware``: levels of enclosures, drives and adapters."""
    _ROWS.read(section, out, "no part with its level")
