"""Disks that ``format`` of Solaris finds.

    Searching for disks...done

    AVAILABLE DISK SELECTIONS:
           0. c1t0d0 <SUN72G cyl 14087 alt 2 hd 24 sec 424>  root
              /pci@1c,600000/scsi@2/sd@0,0
           1. c1t1d0 <drive not available>
              /pci@1c,600000/scsi@2/sd@1,0
    Specify disk (enter its number):

Yields ``StorageState`` per disk: degraded where it does not answer, a hint where nobody knows its type or it has no
label, as with a new LUN. The command is a word of too many texts to be known by a prompt. No times. Tolerated: rows
without their device. Source: format(1M), recalled.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records.states import HealthStanding, StorageState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows, everyday, heading

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_DISK: Final = r"(?:c\d{1,3}t\w{1,40}d\d{1,5}(?:s\d)?|c\d{1,3}d\d{1,5})"
_TREES: Final = r"pci|scsi_vhci|devices|sbus|iommu|ssm|io-unit|dev/chassis|virtual-devices|xpvd"
_AWAY: Final = re.compile(r"not available|offline|unreadable|failed|unresponsive|reserved")
_UNKNOWN: Final = re.compile(r"unknown|not formatted|no label|not labeled|corrupt|configured with capacity of 0")


def _disk(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    shown = found["shown"].strip()
    standing: HealthStanding = (
        "degraded" if _AWAY.search(shown) is not None else "hint" if _UNKNOWN.search(shown) is not None else "healthy"
    )
    section.add(
        StorageState,
        line.number,
        source="format",
        sort="disk",
        name=found["disk"],
        state=shown if standing != "healthy" else "found",
        standing=standing,
    )


_ROWS: Final = Rows(
    heading("command", r"[\w.@:~-]{0,80}[#$] {0,2}(?:echo \| ?)?format(?: {0,2}[<|] {0,2}[\w/]{1,40})?$"),
    heading("headings", r"Searching for disks\.{3}(?:done)?$", r"AVAILABLE DISK SELECTIONS:$"),
    Row("disk", rf"\d{{1,4}}\. (?P<disk>{_DISK}) {{1,20}}<(?P<shown>[^>]{{1,120}})>", _disk),
    everyday("device", rf"/(?:{_TREES})\S{{0,200}}(?: .{{0,80}})?$", opens=False),
    everyday("label", rf"{_DISK}: configured with capacity of [\d.]{{1,12}}[KMGT]B$", opens=False),
    Row("question", r"Specify disk \(enter its number\)", fate=Fate.FRAME),
)


@parser("format_disks", version=1, product="storage", rows=_ROWS)
def format_disks(section: OpenSection, out: Output) -> None:
    """``format``: disks, and which of them do not answer."""
    _ROWS.read(section, out, "no disk with its type")
