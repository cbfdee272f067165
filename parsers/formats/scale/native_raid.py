"""Disks of the native RAID of Storage Scale: ``mmlspdisk``, ``mmvdisk pdisk list``, ``mmvdisk recoverygroup list
--fault-tolerance``.

    pdisk:
       name = "e3d1s07"
       recoveryGroup = "ESSRGL"
       state = "dead/systemDrain/noRGD/noVCD/noData"

    recovery group  pdisk       paths  array  capacity  free space  FRU (type)  state
    rg_2            n004p011        0  DA1    3576 GiB      12 GiB  X00         missing/drained

     system index        1 node             critical

Yields ``HealthState``: a pdisk by its state, a part of the configuration by the fault tolerance that is left. No times.
Tolerated: further keys, cut rows. Source: IBM Storage Scale RAID documentation, the commands named; layouts recalled.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records import HealthStanding, HealthState
from parsers.registry import parser
from parsers.rows import Row, Rows

if TYPE_CHECKING:
    from parsers.open_section import OpenSection
    from parsers.output import Output
    from parsers.text import Line

SOURCE: Final = "pdisks"
_GONE = re.compile(r"(?:^|/)(?:dead|missing|failing|failed|undrainable|PTOW|VWCE)")
_SIZE: Final = r"\d{1,6}(?:[.,]\d{1,3})? {0,2}[KMGTP]i?B"


def pdisk_standing(state: str) -> HealthStanding:
    """What the words of a pdisk's state come to: ``ok`` alone is in order."""
    if _GONE.search(state):
        return "failed"
    return "healthy" if state.partition("/")[0] == "ok" and "drain" not in state.lower() else "degraded"


def _put(section: OpenSection, line: Line, what: str, state: str, standing: HealthStanding) -> None:
    section.add(HealthState, line.number, source=SOURCE, component=what, state=state, standing=standing)


def _key(section: OpenSection, _line: Line, found: re.Match[str]) -> None:
    section.state[found["key"]] = found["value"]


def _state(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    group = section.state.get("recoveryGroup")
    name = f"pdisk {section.state.get('name', 'without a name')}{f' of {group}' if group else ''}"
    _put(section, line, name, found["state"], pdisk_standing(found["state"]))


def _listed(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    state = f"{found['state']}, {found['paths']} paths"
    _put(section, line, f"pdisk {found['pdisk']} of {found['group']}", state, pdisk_standing(found["state"]))


def _tolerance(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    remark = found["remark"] or ""
    is_low = found["left"].startswith("0") or "critical" in remark
    state = f"fault tolerance {found['left']} {remark}".strip()
    _put(section, line, found["what"], state, "degraded" if is_low else "healthy")


_ROWS: Final = Rows(
    Row("pdisk", r"pdisk:$", fate=Fate.FRAME),
    Row("state", r'state = "(?P<state>[a-zA-Z][\w/.-]{1,200})"', _state, opens=False),
    Row(
        "key", r'(?P<key>name|recoveryGroup|declusteredArray) = "(?P<value>[^"]{0,200})"', _key, Fate.FRAME, opens=False
    ),
    Row("further key", r"[a-zA-Z]\w{1,40} = \S|nPaths = |nErrors ", fate=Fate.EVERYDAY, opens=False),
    Row(
        "table",
        r"recovery group {1,40}pdisk\b|declustered$|config data {2,40}\S|declustered array {2,40}system\b",
        fate=Fate.FRAME,
    ),
    Row(
        "more of the heading",
        r"fault tolerance {2,40}vdisk set|-{3,80}(?: {1,20}-{3,80}){1,16} {0,8}$",
        fate=Fate.FRAME,
        opens=False,
    ),
    Row(
        "listed",
        r"(?P<group>[\w.-]{1,100}) {1,40}(?P<pdisk>[\w.-]{1,100}) {1,40}(?P<paths>\d{1,3}) "
        rf"{{1,40}}[\w.-]{{1,60}} {{1,40}}{_SIZE} {{1,40}}{_SIZE}(?: {{1,40}}\S{{1,60}}){{1,3}}? "
        r"{1,40}(?P<state>[a-zA-Z][\w/.-]{1,200}) {0,40}$",
        _listed,
    ),
    Row(
        "tolerance",
        r"(?P<what>system index|mirrored [a-z]{1,20}|[a-z]{1,20} "
        r"(?:descriptor|index|vdisk|configuration)|[\w.-]{1,60}) {2,60}(?P<left>\d{1,3} "
        r"(?:node|pdisk|enclosure|drawer|rack)s?(?: \+ \d{1,3} \w{1,20})?)(?: "
        r"{2,60}(?P<remark>\S.{0,100}?))? {0,40}$",
        _tolerance,
        opens=False,
    ),
)


@parser(
    "scale_pdisks",
    version=1,
    product="spectrum-scale",
    claims=_ROWS.claims,
    owns=_ROWS.owns,
    commands=("mmlspdisk", "mmvdisk"),
)
def scale_pdisks(section: OpenSection, out: Output) -> None:
    """States of pdisks, and the fault tolerance that is left."""
    _ROWS.read(section, out, "no pdisk with its state")
