"""``porterrshow`` of Brocade switches: what each port of a fabric counted since somebody cleared it.

           frames    enc  crc  crc   too   too   bad  enc  disc  link  loss  loss  frjt  fbsy  c3timeout
         tx     rx   in   err  g_eof shrt  long  eof  out   c3   fail  sync  sig               tx   rx
      3: 611.3m 2.1g 0    0    0     0     0     0    0     1    0     0     0     0     0     0    0

Yields ``HealthState`` of each port: degraded where frames were damaged on its own link (``crc g_eof``), or requests
were thrown away because the far side took none in time (``c3timeout tx``), each so often that no restart of a host
explains it; healthy where it counted frames and neither. A port without frames is everyday. Counts end in k, m or g. No
times. Source: Brocade Fabric OS command reference, ``porterrshow``, recalled.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.records.states import HealthState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows, everyday, heading

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_COUNT: Final = r"\d{1,12}(?:\.\d{1,3})?[kmgt]?"
_UNITS: Final = {"k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
_DAMAGED: Final = 100
"""Frames; proposed: a port that comes up damages a few."""
_UNSENT: Final = 1_000
"""Requests; proposed."""
_OF_LINK: Final = 4
_OF_TIME: Final = 15


def _value(text: str) -> float:
    factor = _UNITS.get(text[-1])
    return float(text[:-1]) * factor if factor is not None else float(text)


def _port(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    shown = match["counts"].split()
    counts = [_value(one) for one in shown]
    damaged, unsent = counts[_OF_LINK], counts[_OF_TIME] if len(counts) > _OF_TIME else 0.0
    wrong = []
    if damaged >= _DAMAGED:
        wrong.append(f"{shown[_OF_LINK]} frames damaged on its link")
    if unsent >= _UNSENT:
        wrong.append(f"{shown[_OF_TIME]} frames thrown away that its far side did not take in time")
    section.add(
        HealthState,
        line.number,
        source="porterrshow",
        component=f"port {match['port']}",
        state=", ".join(wrong) or "no frames damaged on its link",
        standing="degraded" if wrong else "healthy",
    )


_ROWS: Final = Rows(
    heading("heading", r"frames\s{1,40}enc\s{1,20}crc\s{1,20}crc\s{1,20}too\s"),
    heading("heading of counts", r"tx\s{1,40}rx\s{1,40}in\s{1,20}err\s{1,20}g_eof\s"),
    heading("called", r"(?:/fabos/cliexec/)?porterrshow\b[^\n]{0,40}:$|CURRENT CONTEXT -- "),
    everyday("port without frames", r"\d{1,4}:\s{1,20}0\s{1,20}0(?:\s{1,20}\S{1,14}){12,18}$", opens=False),
    Row(
        "port",
        rf"(?P<port>\d{{1,4}}):\s{{1,20}}(?P<counts>{_COUNT}(?:\s{{1,20}}{_COUNT}){{13,19}})\s{{0,8}}$",
        _port,
        opens=False,
    ),
    also=r"\d{1,4}:\s{1,20}\d",
)


@parser("fabric_ports", version=1, product="storage", rows=_ROWS, commands=("porterrshow",))
def fabric_ports(section: OpenSection, out: Output) -> None:
    """Ports of a switch with what they counted."""
    _ROWS.read(section, out, "no port with its counts")
