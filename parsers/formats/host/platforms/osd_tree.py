"""The tree of Ceph's storage daemons: ``ceph osd tree``.

    ID  CLASS  WEIGHT   TYPE NAME           STATUS  REWEIGHT  PRI-AFF
    -1         3.63879  root default
    -3         1.81940      host larder-a
     0    hdd  0.90970          osd.0           up   1.00000  1.00000
     1    hdd  0.90970          osd.1         down         0  1.00000

Yields ``StorageState`` of each daemon, as a disk of the host above it: degraded where it is down or destroyed, a hint
where it is up and given no data (a weight of 0). Older releases have no class and ``UP/DOWN`` as the heading. No times.
Source: the manual of Ceph on monitoring of its daemons, recalled.
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

_TOOL: Final = "ceph"
_WEIGHT: Final = r"-?\d{1,9}(?:\.\d{1,9})?"


def _bucket(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    if match["type"] == "host":
        section.state["host"] = match["name"]


def _daemon(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    status, weight = match["status"], float(match["reweight"])
    standing: HealthStanding = "degraded" if status != "up" else "hint" if weight == 0 else "healthy"
    state = status if weight else f"{status}, out (it is given no data)"
    host = section.state.get("host")
    section.add(
        StorageState,
        line.number,
        source=_TOOL,
        sort="disk",
        name=match["name"],
        of=host,
        state=state,
        standing=standing,
    )


_TREE: Final = Rows(
    Row(
        "heading",
        r"ID\s{1,6}(?:CLASS\s{1,6})?WEIGHT\s{1,8}TYPE NAME\s{1,60}(?:STATUS|UP/DOWN)\s{1,6}REWEIGHT\s",
        fate=Fate.FRAME,
    ),
    Row(
        "bucket",
        rf"-\d{{1,6}}\s{{1,20}}{_WEIGHT}\s{{1,12}}(?P<type>root|region|datacenter|room|pod|pdu|row|rack|chassis|host) "
        r"(?P<name>\S{1,128})\s{0,20}$",
        _bucket,
        fate=Fate.FRAME,
        opens=False,
    ),
    Row(
        "daemon",
        rf"\d{{1,6}}\s{{1,12}}(?:[\w-]{{1,20}}\s{{1,12}})?{_WEIGHT}\s{{1,60}}(?P<name>osd\.\d{{1,6}})\s{{1,60}}"
        rf"(?P<status>up|down|destroyed|DNE)\s{{1,20}}(?P<reweight>{_WEIGHT})(?:\s{{1,20}}{_WEIGHT})?\s{{0,8}}$",
        _daemon,
    ),
)


@parser("osd_tree", version=1, product="storage", rows=_TREE, commands=(_TOOL,))
def osd_tree(section: OpenSection, out: Output) -> None:
    """``ceph osd tree``: hosts and their storage daemons."""
    _TREE.read(section, out, "no row of the tree")
