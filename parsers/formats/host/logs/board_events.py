"""The event log of a server's management board: ``ipmitool sel list`` and ``sel elist``.

       1 | 05/02/2024 | 03:12:44 | Power Supply #0x61 | Failure detected | Asserted
       2 | Pre-Init  |0000000012| Fan #0x31 | Lower Critical going low
      3a | 05/03/24 | 11:40:10 CEST | DIMM_B2 | Uncorrectable ECC | Asserted
     3a3 | 05/02/2025 | 02:31:40 PM CEST | Memory DIMM_B2 | Uncorrectable ECC | Asserted

Yields ``Event`` of each row that means something; one that ends what was (``Deasserted``) and those of an ordinary day
are everyday, and so are cut ones. Times as printed: those of the board, mostly UTC. Source: ipmitool(1), recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.host.logs.kernel_log_kinds import UNLISTED, meaning_of
from parsers.output import Output
from parsers.registry import parser
from parsers.sections.message_events import add_message
from parsers.sections.reader import OpenSection
from parsers.text import Line
from parsers.times.clock import time_of_day, wall

_CENTURY: Final = 100
_NOON_US: Final = 12 * 3600 * 1_000_000
_FRONT: Final = (
    r"[0-9a-f]{1,6} {0,4}\| {0,4}(?:(?P<month>\d\d)/(?P<day>\d\d)/(?P<year>\d{2,4}) {0,4}\| {0,4}"
    r"(?P<clock>\d\d:\d\d:\d\d)(?: (?P<half>[AP])M)?"
    r"(?: [A-Z]{3,5})?|Pre-Init ?(?:Time-stamp)? {0,4}\| {0,4}\d{0,10}) {0,4}\| "
)


def _put(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A row in the words that the daemons of such boards log."""
    text = " ".join(match["text"].replace("|", " ").split())
    found = meaning_of("ipmievd", text) if match["end"] != "Deasserted" else None
    if found is None or found.kind == UNLISTED or found.weight in ("", "everyday"):
        return
    at = None
    if match["year"]:
        year = int(match["year"])
        at = wall(
            year if year > _CENTURY else 2000 + year,
            int(match["month"]),
            int(match["day"]),
            _seconds(match["clock"], match["half"]),
        )
    add_message(
        section,
        line.number,
        found if found.about else found._replace(about=match["sensor"].strip()),
        source="ipmitool",
        text=text,
        at=at,
    )


def _seconds(clock: str, half: str | None) -> int:
    """Time of day; newer releases print twelve hours and their half."""
    shown = time_of_day(clock) or 0
    return shown if half is None else shown % _NOON_US + _NOON_US * (half == "P")


_EVENT: Final = re.compile(
    rf"{_FRONT}(?P<text>(?P<sensor>[^|]{{1,80}})\|(?P<rest>.{{1,200}}?))(?:\| {{0,4}}(?P<end>Asserted|Deasserted))?$"
)
_CLAIMS: Final = rf"(?:{re.sub(r'[?]P<[a-z]+>', '?:', _FRONT)}[^|]|SEL has no entries$)"


@parser("board_events", version=2, product="", claims=_CLAIMS, commands=("ipmitool",))
def board_events(section: OpenSection, out: Output) -> None:
    """``ipmitool sel list``: what the board noted."""
    for line in section:
        match = _EVENT.match(line.text.strip())
        before = out.rows
        if match is not None:
            _put(section, line, match)
        if out.rows == before:
            out.everyday()  # the end of something, or an event of an ordinary day
