"""``mcelog``: machine checks, each taken apart over some lines.

    Hardware event. This is not a software error.
    MCE 0
    CPU 9 BANK 5
    TIME 1932955880 Thu Apr  3 04:11:20 2031
    MCi status:
    Uncorrected error
    Processor context corrupt
    MCA: MEMORY CONTROLLER RD_CHANNEL1_ERR
    STATUS fa00000000400405 MCGSTATUS 0

Yields ``Event``: of an error that could not be corrected, about its processor and bank, and of one of the memory that
was corrected. The status word tells which it is (bit 61, and the code of a memory controller in its last bits); where
it is cut off, the words above it do. Time: seconds since 1970. Source: mcelog(8), the manual of the processors.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import Event
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows, everyday
from parsers.text import Line

_UNCORRECTED: Final = 1 << 61
_MEMORY_BITS: Final = 0xEF80
_MEMORY: Final = 0x0080
_SECOND: Final = 1_000_000
_FIGURES: Final = 9
"""Of seconds since 1970; fewer were cut."""


def _begin(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state.update(place=None, at=None, told=False)


def _place(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state.update(place=f"CPU {match['cpu']} bank {match['bank']}", told=False)


def _time(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    if len(match["seconds"]) >= _FIGURES:
        section.state["at"] = int(match["seconds"]) * _SECOND


def _put(section: OpenSection, line: Line, kind: str) -> None:
    at = section.state.get("at")
    section.add(
        Event,
        line.number,
        source="mcelog",
        kind=kind,
        about=section.state.get("place"),
        weight="trouble" if kind == "memory-corrected" else "disaster",
        text=line.text.strip()[:400],
        at=at if at is not None else section.at,
        zone_min=0 if at is not None else section.zone_min,
    )
    section.state["told"] = True


def _uncorrected(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put(section, line, "machine-check")


def _status(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    status = int(match["status"], 16)
    if section.state.get("told"):
        return
    if status & _UNCORRECTED:
        _put(section, line, "machine-check")
    elif status & _MEMORY_BITS == _MEMORY:
        _put(section, line, "memory-corrected")


_ROWS: Final = Rows(
    Row("beginning", r"Hardware event\. This is not a software error\.?$", _begin, fate=Fate.FRAME),
    Row("number", r"MCE \d{1,6}$", fate=Fate.FRAME, opens=False),
    Row("place", r"CPU (?P<cpu>\d{1,5}) BANK (?P<bank>\d{1,4})\b.{0,120}$", _place, fate=Fate.FRAME),
    Row("time", r"TIME (?P<seconds>\d{1,10})\b.{0,60}$", _time, fate=Fate.FRAME, opens=False),
    Row("uncorrected", r"Uncorrected error$", _uncorrected, opens=False),
    Row(
        "status",
        r"STATUS (?P<status>[0-9a-f]{1,16}) MCGSTATUS [0-9a-f]{1,16}$",
        _status,
        fate=Fate.FRAME,
        opens=False,
    ),
    everyday(
        "parts of a status",
        r"(?:MCG status|MCi status):.{0,60}$",
        r"(?:MISC|ADDR|TSC|RIP|MCGCAP|CPUID|SOCKET|PPIN|MICROCODE)\b.{0,160}$",
        r"(?:Error (?:overflow|enabled)|Corrected error|Large number of corrected|MCi_(?:MISC|ADDR) register valid"
        r"|Processor context corrupt|Threshold based error status: \w{3,9}|Transaction: |Memory |MCA: |SRA[OR]|RIPV"
        r"|MCIP|EIPV|Generic CACHE|Data CACHE|Instruction CACHE|BUS )[^\n]{0,160}$",
        r"mcelog: [^\n]{1,160}$",
        opens=False,
    ),
)


@parser("mcelog", version=1, product="", rows=_ROWS, commands=("mcelog",))
def mcelog(section: OpenSection, out: Output) -> None:
    """Machine checks."""
    _ROWS.read(section, out, "no part of a machine check")
