"""Shared disk groups as the file system's cluster activates them: ``cfsdgadm display``.

      Node Name : carp1                                   NODE NAME        ACTIVATION MODE
      DISK GROUP              ACTIVATION MODE             carp1             sw  (sw)
        potdg                   sw  (sw)                  carp2             off (sw)

Yields ``StorageState`` of each disk group on each node: the mode that is in force, and in parentheses the one that is
set. The group of the second layout is that of the command. No times. Tolerated: cut rows. Source: cfsdgadm(1M); the
layout is recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records.states import HealthStanding, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_MODE: Final = r"off|ew|exclusive-?write|ro|read-?only|sr|shared-?read|sw|shared-?write|rw"
_NAME: Final = r"[A-Za-z0-9][\w.-]{0,126}"
_GROUP: Final = re.compile(r"(?!display$|-)[A-Za-z][\w.-]{0,126}$")


def _title(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["of_nodes"] = match["what"].startswith("NODE")


def _mode(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    now = match["now"].lower()
    meant = (match["meant"] or now).lower()
    standing: HealthStanding = "hint" if now == meant == "off" else "healthy" if now == meant else "degraded"
    is_of_node = section.state.get("of_nodes", False)
    section.add(
        StorageState,
        line.number,
        node=match["name"] if is_of_node else section.node,
        source="cfsdgadm display",
        sort="disk group",
        name=_group(section) if is_of_node else match["name"],
        state=f"activation is {now}" + (f" where {meant} is set" if now != meant else ""),
        standing=standing,
    )


def _group(section: OpenSection) -> str | None:
    """The group that the command asks for."""
    words = section.command.args if section.command is not None else ()
    return next((word for word in reversed(words) if _GROUP.match(word)), None)


_ROWS: Final = Rows(
    Row("title", r"(?P<what>DISK ?GROUP|NODE NAME)\s{1,60}ACTIVATION MODE$", _title, fate=Fate.FRAME),
    Row(
        "mode",
        rf"(?P<name>{_NAME})\s{{1,60}}(?P<now>(?i:{_MODE}))\s{{0,20}}\((?P<meant>(?i:{_MODE}))\)$",
        _mode,
    ),
    Row("mode alone", rf"(?P<name>{_NAME})\s{{1,60}}(?P<now>(?i:{_MODE}))(?P<meant>)$", _mode, opens=False),
    Row("node", r"Node Name ?: ?\S{1,128}$", fate=Fate.FRAME, opens=False),
    also=rf"{_NAME}\s{{1,60}}(?:{_MODE})\s{{0,20}}\(",
)


@parser("cfs_groups", version=2, product="veritas", rows=_ROWS, commands=("cfsdgadm",))
def cfs_groups(section: OpenSection, out: Output) -> None:
    """``cfsdgadm display``: how disk groups are activated on each node."""
    _ROWS.read(section, out, "no disk group with its mode")
