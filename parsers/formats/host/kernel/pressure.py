"""Pressure stall information of Linux: ``/proc/pressure/io``, ``memory`` and ``cpu``.

    some avg10=98.12 avg60=97.50 avg300=95.11 total=9918822331
    full avg10=96.50 avg60=95.10 avg300=92.70 total=9811223311

Yields ``Counter`` (gauge, %): the share of the last 10, 60 and 300 s in which some tasks, or all of them (``full``),
stood still for want of the resource, which the path of the file names; with several files the command names them in
turn. And ``ListedState`` where all tasks stood still for memory, or for what no name tells, for a fifth of a minute.
Source: the kernel's accounting/psi.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records import Counter
from parsers.records.states import ListedState
from parsers.registry import parser
from parsers.sections.reader import OpenSection

_ROW: Final = r"(?:some|full) avg10=\d{1,3}\.\d\d avg60=\d{1,3}\.\d\d avg300=\d{1,3}\.\d\d total=\d{1,20}$"
_FIGURE = re.compile(r"(avg\d{2,3})=(\d{1,3}\.\d\d)")
_STOOD = re.compile(r"full avg10=\d{1,3}\.\d\d avg60=(\d{1,3}\.\d\d)")
LONG: Final = 20.0
"""Per cent of a minute: a host that is short of memory for a moment has a few."""
JUDGED: Final = ("io", "cpu")
"""The wait for disks is judged with that of vmstat; no host stands still as a whole for want of a processor."""
_RESOURCE = re.compile(r"\bpressure[/_](io|memory|cpu|irq)\b")


@parser("pressure", version=1, product="", claims=_ROW)
def pressure(section: OpenSection, out: Output) -> None:
    """``/proc/pressure``: two lines for each resource, of a processor often one."""
    command = section.command
    named = _RESOURCE.findall(" ".join(command.args) if command is not None else "") or _RESOURCE.findall(section.path)
    at, before = -1, ""
    for line in section:
        kind = line.text.strip()[:4]
        at += kind == "some" or (kind == "full" and before != "some")
        before = kind
        resource = named[min(at, len(named) - 1)] if named else "of unknown sort"
        stood = _STOOD.match(line.text.strip())
        if stood and float(stood[1]) >= LONG and resource not in JUDGED:
            section.add(
                ListedState,
                line.number,
                source=f"pressure {resource}",
                name=f"pressure {resource}",
                state=f"all tasks stood {stood[1]} % of a minute",
                standing="wrong",
                row=line.text.strip(),
            )
        for window, share in _FIGURE.findall(line.text):
            section.add(
                Counter,
                line.number,
                source=f"pressure {resource}",
                name=f"{kind} {window}",
                kind="gauge",
                unit="%",
                value=float(share),
                sample=line.number,
            )
