"""Paths of PowerPath: ``powermt display dev=all`` (``paths``), and ``powermt display`` by adapter.

    Pseudo name=emcpowerd
    Symmetrix ID=000190102233
    state=alive; policy=SymmOpt; priority=0; queued-IOs=2
    ### HW Path               I/O Paths    Interf.   Mode    State  Q-IOs Errors
       2 qla2xxx                 sdh       FA  3fA   active  dead       0      7

    ###  HW Path                       Summary   Total   Dead  IO/Sec Q-IOs Errors
       2 qla2xxx                       degraded     16      4       -     0     11

Yields ``DiskPath`` with the pseudo device as map: ``dead`` is down, a path that is alive in the mode ``standby`` stands
by; ``StorageState`` per adapter by its summary, and per device that is dead as a whole. No times. Tolerated: rows
without their heading, collapsed blanks. Source: the reference of the commands of PowerPath 5 to 7; layouts of AIX and
HP-UX are recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records.states import DiskPath, HealthStanding, PathStanding, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_NAME: Final = r"[\w.:/@,+-]{1,120}"


def _pseudo(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["map"] = match["name"]


def _path(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(
        DiskPath,
        line.number,
        source="powermt display",
        map=section.state.get("map"),
        device=match["device"],
        state=f"{match['mode']} {match['state']}",
        standing=_standing(match["mode"], match["state"]),
    )


def _standing(mode: str, state: str) -> PathStanding:
    if state == "dead":
        return "down"
    if state != "alive":
        return "unknown"
    return "standby" if mode == "standby" else "up"


_SUMMARIES: Final[dict[str, HealthStanding]] = {"optimal": "healthy", "degraded": "degraded", "failed": "failed"}


def _adapter(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    is_whole = match["dead"] == "0"
    section.add(
        StorageState,
        line.number,
        source="powermt display",
        sort="controller",
        name=f"{match['adapter']} {match['path']}",
        state=match["summary"] if is_whole else f"{match['summary']}, {match['dead']} of {match['total']} paths dead",
        standing=_SUMMARIES[match["summary"]],
    )


def _port(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    total, dead = int(match["total"]), int(match["dead"])
    section.add(
        StorageState,
        line.number,
        source="powermt display",
        sort="controller",
        name=f"{match['array']} {' '.join(match['port'].split())}",
        state=f"{dead} of {total} paths dead" if dead else "no path dead",
        standing="healthy" if not dead else "failed" if dead >= total else "degraded",
    )


def _device(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    if match["state"] == "dead":
        section.add(
            StorageState,
            line.number,
            source="powermt display",
            sort="disk",
            name=section.state.get("map"),
            state=match["state"],
            standing="failed",
        )


_PATHS: Final = Rows(
    Row("pseudo device", rf"Pseudo name=(?P<name>{_NAME})$", _pseudo, fate=Fate.FRAME),
    Row(
        "name of the device",
        r"(?:[A-Z][\w/ -]{1,40} ID|Logical device ID|Standard UID|VSS|Owner: \w{1,20}|Array failover mode)[=:]\s?\S",
        fate=Fate.FRAME,
        opens=False,
    ),
    Row("state of the device", r"state=(?P<state>\w{1,20}); policy=\S", _device, fate=Fate.EVERYDAY),
    Row("owner", r"Owner: default=", fate=Fate.FRAME, opens=False),
    Row("title", r"-{4,}\s{1,8}(?:Host(?: Bus Adapters| Devices)?)\s{1,8}-{3,}\s{1,60}-", fate=Fate.FRAME),
    Row("title of ports", r"-{4,}\s{1,8}Storage System (?:Paths|Ports)?\s?-{3,}\s{1,60}-", fate=Fate.FRAME),
    Row("heading of ports", r"ID\s{1,80}Interface\s{1,60}(?:Wt_Q\s{1,20})?Total\s{1,40}Dead\b", fate=Fate.FRAME),
    Row(
        "port of an array",
        r"(?P<array>[A-Z0-9]{8,24})\s{1,60}(?P<port>(?:FA|SP|CL|[A-Z]{1,4})\s{0,8}[\w:-]{1,16})\s{1,60}(?:\d{1,6}\s{1,20})?"
        r"(?P<total>\d{1,6})\s{1,40}(?P<dead>\d{1,6})(?:\s{1,40}[\d-]{1,12}){0,3}$",
        _port,
        opens=False,
    ),
    Row("heading", r"###\s{1,8}HW Path\s{1,80}(?:I/O Paths|Summary)\b", fate=Fate.FRAME),
    Row("ruler", r"={20,200}$", fate=Fate.FRAME, opens=False),
    Row("count of devices", r"[A-Za-z][\w/ -]{1,40} logical device count=\d{1,9}$", fate=Fate.FRAME),
    Row(
        "path",
        rf"\d{{1,6}}\s{{1,20}}{_NAME}\s{{1,80}}(?P<device>{_NAME})\s{{1,60}}\S{{1,40}}(?:\s{{1,8}}\S{{1,24}}){{0,2}}\s{{1,40}}"
        r"(?P<mode>active|standby|unlic|unmanaged|asb|uninit)(?:\s?\(\w{2,8}\))?\s{1,40}(?P<state>alive|dead|unknown)\s{1,40}\d{1,12}\s{1,40}\d{1,12}$",
        _path,
    ),
    Row(
        "adapter",
        rf"(?P<adapter>\d{{1,6}})\s{{1,20}}(?P<path>{_NAME})\s{{1,80}}(?P<summary>optimal|degraded|failed)\s{{1,40}}"
        r"(?P<total>\d{1,9})\s{1,40}(?P<dead>\d{1,9})\s{1,40}(?:-|\d{1,12})\s{1,40}\d{1,12}\s{1,40}\d{1,12}$",
        _adapter,
    ),
    also=r"(?:###\s|\d{1,6}\s{1,20}\S{1,120}\s{1,80}\S{1,120}\s{1,60}\S.{0,80}\s(?:active|standby)\b)",
)


@parser("powerpath", version=1, product="storage", rows=_PATHS, commands=("powermt",))
def powerpath(section: OpenSection, out: Output) -> None:
    """``powermt display``: paths and adapters."""
    _PATHS.read(section, out, "no path or adapter of PowerPath with its state")
