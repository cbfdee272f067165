"""Virtual adapters of a virtual I/O server and what it maps to them: ``lsmap``.

    SVSA            Physloc                                      Client Partition ID
    --------------- -------------------------------------------- ------------------
    vhost3          U8233.E8B.06000AB-V1-C14                     0x00000007

    VTD                   vt_larder
    Status                Available
    LUN                   0x8100000000000000
    Backing device        hdisk22
    Physloc               U78A0.001.DNWK000-P1-C2-T1-W5005-L1000000000000

    Name          Physloc                            ClntID ClntName       ClntOS
    vfchost0      U8233.E8B.06000AB-V1-C20                3 larder1        AIX
    Status:LOGGED_IN
    FC name:fcs0                    FC loc code:U78A0.001.DNWK000-P1-C3-T1

Yields ``StorageState``: of each target device, degraded where it is only defined, which its client sees as a disk that
is away; of each virtual adapter of Fibre Channel, a hint where its client is not logged in: it may be off. No times.
Source: lsmap of the Virtual I/O Server commands, recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records.states import HealthStanding, StorageSort, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows, everyday
from parsers.text import Line

_STANDINGS: Final[dict[str, HealthStanding]] = {
    "available": "healthy",
    "logged_in": "healthy",
    "defined": "degraded",
    "stopped": "degraded",
    "not_logged_in": "hint",
    "no_client": "hint",
}


def _adapter(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state.update(adapter=match["name"], target=None, state=None)


def _target(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state.update(target=match["name"], state=None)


def _state(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    target, adapter = section.state.get("target"), section.state.get("adapter")
    _put(
        section,
        line,
        "virtual disk" if target else "controller",
        target or adapter,
        match["state"],
        adapter if target else None,
    )


def _put(section: OpenSection, line: Line, sort: StorageSort, name: str | None, state: str, of: str | None) -> None:
    standing = _STANDINGS.get(state.lower(), "unknown")
    section.add(
        StorageState,
        line.number,
        source="lsmap",
        sort=sort,
        name=name,
        of=of,
        state=state,
        standing=standing,
    )


_ROWS: Final = Rows(
    Row(
        "headings",
        r"SVSA {1,40}Physloc\b.{0,80}$|SVEA {1,40}Physloc$|Name {1,40}Physloc {1,80}ClntID {1,20}ClntName.{0,40}$",
        fate=Fate.FRAME,
    ),
    Row("ruler", r"-{6,80}(?: {1,4}-{4,80}){1,5}$", fate=Fate.FRAME, opens=False),
    Row(
        "adapter",
        r"(?P<name>(?:vhost|vfchost|ent)\d{1,5}) {1,40}U[\w.-]{4,80}(?: {1,80}(?:0x[\dA-Fa-f]{8}|\d{1,5}|-))?"
        r"(?: .{0,80})?$",
        _adapter,
        fate=Fate.FRAME,
    ),
    everyday("nothing mapped", r"(?:VTD|SEA) {2,60}NO [A-Z ]{4,40} FOUND$"),
    Row("target", r"VTD {2,60}(?P<name>[\w.-]{1,60})$|SEA {2,60}(?P<shared>ent\d{1,5})$", _target, fate=Fate.FRAME),
    Row("state", r"Status(?: {2,60}|: ?)(?P<state>[A-Za-z_]{4,20})$", _state, opens=False),
    everyday(
        "settings",
        r"(?:LUN|Backing device|Physloc|Mirrored)(?: {2,60}\S.{0,120})?$",
        r"(?:FC name|FC loc code|Ports logged in|Flags|VFC client name|VFC client DRC)\b ?:.{0,160}$",
        opens=False,
    ),
)


@parser("lsmap", version=1, product="storage", rows=_ROWS, commands=("lsmap",))
def lsmap(section: OpenSection, out: Output) -> None:
    """What a virtual I/O server maps to its clients."""
    _ROWS.read(section, out, "no target device with its state")
