"""``ping_pong`` of ctdb: how many byte-range locks a second one process gets on one file.

    # ping_pong -rw /srv/scans/pp.dat 4
    data increment = 3
         412 locks/sec
         409 locks/sec

Yields ``Measurement`` with tool ``ping_pong``: the median of the rates after the first three (of all where there are no
more), in locks/s, and ``data increment``. It rewrites its line without a line end: a capture has one very long line,
which is cut at the carriage returns. Calls that failed become ``Event``. These are POSIX locks: the figure tells
nothing about glocks. No times. Source: ping_pong.c of ctdb.
"""

from __future__ import annotations

import re
from statistics import median
from typing import Final

from parsers.output import Output
from parsers.records import Event, Measurement
from parsers.registry import parser
from parsers.sections.reader import OpenSection

_RATE: Final = r"\d{1,10} locks/sec\b"
_INCREMENT: Final = r"data increment = \d"
_FAILED: Final = (
    r"(?:initial )?(?:un)?lock at \d{1,10} failed! - |check_lock failed: |file already locked, calling check_lock"
)
_CLAIMS: Final = rf"(?:{_RATE}|{_INCREMENT}|{_FAILED}|Holding lock, press any key|Working POSIX byte range locks)"
_RATES = re.compile(r"(\d{1,10}) locks/sec")
_STEP = re.compile(r"data increment = (\d{1,10})")
_UNSTEADY: Final = 3


@parser("ping_pong", version=1, product="gfs2", claims=_CLAIMS, commands=("ping_pong",))
def ping_pong(section: OpenSection, out: Output) -> None:
    """``ping_pong``: rates of a run, as their median."""
    rates: list[tuple[int, float]] = []
    for line in section:
        found = _RATES.findall(line.text)
        rates += [(line.number, float(rate)) for rate in found]
        if match := _STEP.search(line.text):
            _measured(section, out, line.number, "data increment", float(match[1]), "")
        elif not found and re.match(_FAILED, line.text.strip()):
            section.add(Event, line.number, source="ping_pong", kind="posix-lock-failed", text=line.text.strip())
    if rates:
        steady = rates[_UNSTEADY:] or rates
        what = f"POSIX locks, median of {len(steady)}" if len(steady) > 1 else "POSIX locks"
        _measured(section, out, steady[0][0], what, median(rate for _, rate in steady), "locks/s")


def _measured(section: OpenSection, out: Output, line: int, what: str, value: float, unit: str) -> None:
    command = section.command
    section.add(
        Measurement,
        line,
        tool="ping_pong",
        what=what,
        value=value,
        unit=unit,
        command=command.text if command is not None and "ping_pong" in command.text else None,
    )
