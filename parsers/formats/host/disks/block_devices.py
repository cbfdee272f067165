"""Block devices with their states: ``lsblk`` with a column STATE, as ``lsblk -S`` or ``-o NAME,STATE,...`` print it.

    NAME                STATE     SIZE TYPE  MOUNTPOINT
    sda                 running   100G disk
    ├─sda1                          1G part  /boot
    sdc                 offline   500G disk
    └─mpatha            suspended 500G mpath

Yields ``StorageState``: a disk degraded where the kernel took it offline or blocks its requests, a map where it is
suspended, so that every request to it waits; else healthy. Rows without a state, such as partitions, are everyday ones.
Without the column nothing is told of states, and other readers keep the rows. Source: lsblk(8), the kernel's
documentation of scsi_device states.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records.states import HealthStanding, StorageSort, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.headed import Column, Span, Table

_TREE = re.compile(r"(?P<tree>[\s│├└─|`-]{0,80})(?P<name>[\w.!:+-]{1,128})(?= |$)")
STATES: Final[dict[str, HealthStanding]] = {
    "running": "healthy", "live": "healthy", "created": "hint", "quiesce": "hint", "offline": "degraded",
    "transport-offline": "degraded", "blocked": "degraded", "created-block": "degraded", "cancel": "hint",
    "deleted": "hint", "suspended": "degraded", "dead": "degraded", "deleting": "hint", "resetting": "hint",
    "connecting": "degraded", "new": "hint",
}  # fmt: skip
_MAPS: Final = frozenset(("mpath", "lvm", "crypt", "dm", "raid0", "raid1", "raid5", "raid6", "raid10", "linear"))
_SIZE: Final = r"\d[\d.,]{0,12}[BKMGTPE]?$"
_TABLE: Final = Table(
    Column("NAME", "KNAME", cell=r"\S{1,128}$", needed=True),
    Column("STATE", cell=rf"(?:{'|'.join(STATES)})$", needed=True),
    Column("TYPE", cell=r"[a-z][\w]{1,15}$"),
    Column("SIZE", cell=_SIZE),
    Column("MAJ:MIN", cell=r"\d{1,4}:\d{1,7}$"),
    Column("HCTL", cell=r"\d{1,6}:\d{1,4}:\d{1,6}:\d{1,20}$"),
    Column("RM", cell=r"[01]$"),
    Column("RO", cell=r"[01]$"),
    Column("FSTYPE"),
    Column("MOUNTPOINT", "MOUNTPOINTS"),
    Column("VENDOR"),
    Column("MODEL"),
    Column("REV"),
    Column("SERIAL"),
    Column("TRAN"),
    Column("WWN"),
    Column("UUID"),
    Column("LABEL"),
    row=r"(?!)",
)
_STATELESS: Final = rf"\s{{1,60}}(?:\d{{1,4}}:\d{{1,7}}\s|[01]\s|{_SIZE[:-1]}\s|part\b)"
_OTHERS: Final = r"(?:SIZE|TYPE|MAJ:MIN|FSTYPE|TRAN|VENDOR|RO|RM|MOUNTPOINTS?|MODEL|WWN)\b"
_CLAIM: Final = rf"(?=(?:K?NAME|HCTL)\s)(?=.{{0,200}}{_OTHERS}){_TABLE.claims}"
_ROW: Final = (
    rf"[│├└─|` -]{{0,80}}[\w.!:+-]{{1,128}}\s{{1,60}}(?:\S{{1,60}}\s{{1,60}}){{0,10}}?(?:{'|'.join(STATES)})\b"
)


@parser(
    "lsblk",
    version=1,
    product="",
    claims=_CLAIM,
    owns=rf"(?:{_CLAIM}|{_ROW}|[│├└─|` -]{{0,80}}[\w.!:+-]{{1,128}}{_STATELESS})",
    commands=("lsblk",),
)
def lsblk(section: OpenSection, out: Output) -> None:
    """``lsblk`` with states: a device a line, those that stand on others indented below them."""
    spans: tuple[Span, ...] = section.state.get("heading", ())
    for line in section:
        text = line.text.rstrip()
        if (found := _TABLE.heading(text)) is not None:
            spans = section.state["heading"] = found
            out.frame()
            continue
        plain, name = _untied(text)
        cells = _TABLE.cells(plain, spans) if spans else None
        if cells is not None:
            sort: StorageSort = "map" if cells.get("TYPE", "") in _MAPS or cells["STATE"] == "suspended" else "disk"
            section.add(
                StorageState,
                line.number,
                source="lsblk",
                sort=sort,
                name=cells.get("NAME") or name,
                state=cells["STATE"],
                standing=STATES[cells["STATE"]],
            )
        elif name and spans and not any(re.search(rf"\b{state}\b", text) for state in STATES):
            out.ledger.change(1, Fate.EVERYDAY)
        else:
            out.skip(line, "no device with its state")


def _untied(text: str) -> tuple[str, str]:
    """The row without the lines of the tree, its cells where they were; and the name."""
    match = _TREE.match(text)
    if match is None:
        return text, ""
    return match["name"] + " " * len(match["tree"]) + text[match.end() :], match["name"]
