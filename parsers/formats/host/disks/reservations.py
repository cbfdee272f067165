"""Reservations of SCSI on a disk, as ``sg_persist`` and ``mpathpersist`` print them.

    PR generation=0x6, 2 registered reservation keys follow:       PR generation=0x6, Reservation follows:
      0x5b0a0001                                                      Key=0x5b0a0001
      0x5b0a0002                                                      scope: LU_SCOPE,  type: Write Exclusive, ...
    PR generation=0x14, there are NO registered reservation keys    PR generation=0x6, there is NO reservation held

Yields ``Setting`` with the disk as scope: the registered keys (or ``none``), the key that holds the reservation and its
type. Whether a key is missing depends on who has to be registered, which the output does not tell. The disk is that of
the command. Source: sg_persist(8), recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import Setting
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_TOOL: Final = "sg_persist"


def _disk(section: OpenSection) -> str | None:
    command = section.command
    if command is None:
        return None
    return next((word for word in reversed(command.args) if word.startswith("/dev/")), None)


def _put(section: OpenSection, line: Line, name: str, value: str) -> None:
    section.add(Setting, line.number, scope=_disk(section), source=_TOOL, name=name, value=value)


def _counted(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put(section, line, "registered keys", "none" if match["none"] else match["count"])


def _key(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put(section, line, "registered key", match["key"])


def _holder(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put(section, line, "key that holds the reservation", match["key"])


def _sort(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put(section, line, "type of the reservation", match["type"].strip())


_ROWS: Final = Rows(
    Row(
        "keys",
        r"PR generation=0x[0-9a-fA-F]{1,8}, (?:(?P<count>\d{1,5}) registered reservation keys? follows?:"
        r"|there (?:are|is) (?P<none>NO) registered reservation keys?)",
        _counted,
    ),
    Row(
        "reservation",
        r"PR generation=0x[0-9a-fA-F]{1,8}, (?:Reservation follows:|there is NO reservation held)",
        fate=Fate.FRAME,
    ),
    Row("key", r"(?P<key>0x[0-9a-fA-F]{1,16})$", _key, opens=False),
    Row("holder", r"Key ?= ?(?P<key>0x[0-9a-fA-F]{1,16})$", _holder, opens=False),
    Row("type", r"scope: ?\w{2,16}, {1,4}type: (?P<type>\S.{0,80})$", _sort, opens=False),
    Row("model", r"[A-Z][\w.-]{1,8}\s{2,12}\S.{0,40}\s{2,12}\w{1,8}$", fate=Fate.FRAME, opens=False),
    Row("sort of device", r"Peripheral device type: \w", fate=Fate.FRAME),
)


@parser(
    "sg_persist",
    version=1,
    product="storage",
    rows=_ROWS,
    places=r"^(?:sudo )?(?:\S{0,80}/)?(?:sg_persist|mpathpersist)\b",
    commands=(_TOOL, "mpathpersist"),
)
def sg_persist(section: OpenSection, out: Output) -> None:
    """Keys and reservation of one disk."""
    _ROWS.read(section, out, "no key and no reservation")
