"""Events of maps of device-mapper as ``udevadm monitor --property`` and ``udevadm info`` print them.

    KERNEL[51234.120011] change   /devices/virtual/block/dm-3 (block)
    DM_ACTION=PATH_FAILED
    DM_NAME=mpathb
    DM_NR_VALID_PATHS=0
    DM_PATH=8:32

Yields ``StorageState`` of the map by how many of its paths are left, at its event: degraded where a path was lost,
failed where none is left, healthy where one came back. Other properties are everyday. Source: multipath events of the
kernel, Documentation/admin-guide/device-mapper/dm-uevent.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records.states import StorageStanding, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line


def _event(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["map"] = None


def _action(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["action"] = match["value"]


def _name(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["map"] = match["value"]


def _paths(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    left, is_loss = int(match["value"]), section.state.pop("action", "") != "PATH_REINSTATED"
    standing: StorageStanding = "failed" if not left else "degraded" if is_loss else "healthy"
    state = "no path left" if not left else f"a path failed, {left} left" if is_loss else f"{left} paths"
    section.add(
        StorageState,
        line.number,
        source="udev",
        sort="map",
        name=section.state.get("map"),
        state=state,
        standing=standing,
    )


_ROWS: Final = Rows(
    Row(
        "event",
        r"(?:KERNEL|UDEV  ?)\[\d{1,12}\.\d{1,9}\] (?:add|remove|change|move|online|offline|bind|unbind)\s{1,8}/",
        _event,
        fate=Fate.EVERYDAY,
    ),
    Row("action", r"(?:E: )?DM_ACTION=(?P<value>PATH_FAILED|PATH_REINSTATED)$", _action, fate=Fate.EVERYDAY),
    Row("map", r"(?:E: )?DM_NAME=(?P<value>[\w.:+-]{1,128})$", _name, fate=Fate.FRAME, opens=False),
    Row("paths", r"(?:E: )?DM_NR_VALID_PATHS=(?P<value>\d{1,6})$", _paths, opens=False),
    Row("place", r"(?:E: )?DEV(?:NAME|PATH)=/(?:dev|devices/virtual/block)/dm-\d", fate=Fate.EVERYDAY),
    Row("property", r"(?:E: )?[A-Z][A-Z0-9_]{1,60}=", fate=Fate.EVERYDAY, opens=False),
    Row("caption", r"(?:monitor will print the received events|UDEV - |KERNEL - )", fate=Fate.FRAME, opens=False),
)


@parser("map_events", version=1, product="storage", rows=_ROWS, commands=("udevadm",))
def map_events(section: OpenSection, out: Output) -> None:
    """Events of the kernel about maps and their paths."""
    _ROWS.read(section, out, "no property of an event")
