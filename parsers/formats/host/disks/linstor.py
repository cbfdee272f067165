"""Lists of LINSTOR: ``linstor resource list``, ``volume list``, ``node list`` and ``storage-pool list``.

    ┊ ResourceName ┊ Node ┊ Port ┊ Usage  ┊ Conns            ┊        State ┊ CreatedOn ┊
    ╞═══════════════════════════════════════════════════════════════════════════════════╡
    ┊ larder       ┊ yak  ┊ 7001 ┊ InUse  ┊ Ok               ┊     UpToDate ┊           ┊
    ┊ larder       ┊ ibex ┊ 7001 ┊ Unused ┊ StandAlone(yak)  ┊     Outdated ┊           ┊

Yields ``StorageState``: of the copy on a node, degraded where it is not up to date, a hint while it is brought up to
date; of its connections, degraded where one is missing; of a pool that has errors; and ``ClusterMember`` for nodes. A
node without a disk is in order: it was made so. Tolerated: bars of any form, other columns. Source: LINSTOR User's
Guide, recalled.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from parsers.output import Output
from parsers.records.states import ClusterMember, HealthStanding, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection

_BAR: Final = r"[┊|│┃]"
_HEADING: Final = (
    rf"{_BAR}?\s{{0,20}}(?:ResourceName|Resource|Node|StoragePool)\s{{1,80}}{_BAR}"
    rf"(?=[^\n]{{0,400}}\b(?:Conns|Usage|MinorNr|NodeType|PoolName)\s)[^\n]{{1,400}}\bState\s{{1,80}}{_BAR}"
)
_RULER: Final = re.compile(r"[╭╞╰├┌└|+╔╚╠][─═━=+┄┈╌|-]{8,400}[╮╡╯┤┐┘|+╗╝╣]?$")
_ROW: Final = rf"{_BAR}?\s{{0,80}}[\w.-]{{1,128}}\s{{1,80}}{_BAR}\s"
_CUT: Final = re.compile(_BAR)
_LONE_ROW: Final = (
    r"[\u250a\u2502\u2503|]\s{0,20}[\w.-]{1,128}\s{1,80}[\u250a\u2502\u2503|]\s{1,20}[\w.-]{1,128}\s{1,80}[\u250a\u2502\u2503|]"
    r"\s{1,20}(?:\d{1,5}|[A-Z]{3,10}(?:,[A-Z]{3,10}){0,4})\s{1,20}[\u250a\u2502\u2503|]\s{1,20}(?:InUse|Unused|\s{3,8})\s{1,20}[\u250a\u2502\u2503|]"
)
_LONE_NAMES: Final = ("ResourceName", "Node", "Port", "Usage", "Conns", "State")
"""Columns of a row of ``resource list`` that somebody picked out; when it was made stands behind them."""
_EDGES: Final = re.compile(rf"^{_BAR}|{_BAR}$")
_TOP: Final = r"╭─{8,400}╮$"
_GOOD: Final = re.compile(r"(?:UpToDate|Diskless|TieBreaker|Created|Ok|Online)\b", re.IGNORECASE)
_MENDED: Final = re.compile(r"(?:SyncTarget|SyncSource|PausedSync|Verify|Deleting|Connecting)", re.IGNORECASE)


@parser(
    "linstor",
    version=2,
    product="storage",
    claims=rf"{_TOP}|{_HEADING}|{_LONE_ROW}",
    owns=rf"{_HEADING}|{_LONE_ROW}|{_RULER.pattern}|{_ROW}|{_BAR}\s",
    commands=("linstor",),
)
def linstor(section: OpenSection, out: Output) -> None:
    """A row for each copy, volume, node or pool."""
    names: list[str] = section.state.get("names", [])
    for line in section:
        text = line.text.strip()
        cells = [cell.strip() for cell in _CUT.split(_EDGES.sub("", text))]
        if _RULER.match(text) is not None:
            out.frame()
        elif re.match(_HEADING, text) is not None:
            names = section.state["names"] = cells
            out.frame()
        elif names and len(cells) == len(names):
            _put(section, line.number, dict(zip(names, cells, strict=True)))
        elif not names and re.match(_LONE_ROW, text) is not None and len(cells) >= len(_LONE_NAMES):
            _put(section, line.number, dict(zip(_LONE_NAMES, cells, strict=False)))
        else:
            out.skip(line, "no row of the list")


def _put(section: OpenSection, line: int, row: Mapping[str, str]) -> None:
    node, state = row.get("Node") or section.node, row["State"]
    if "NodeType" in row:
        is_up = _GOOD.match(state) is not None
        section.add(
            ClusterMember,
            line,
            source="linstor",
            member=node,
            state=state,
            layer="volumes",
            standing="up" if is_up else "down",
        )
        return
    name = row.get("ResourceName") or row.get("Resource")
    if name is None:
        pool: HealthStanding = "healthy" if _GOOD.match(state) else "degraded"
        section.add(
            StorageState,
            line,
            node=node,
            source="linstor",
            sort="disk group",
            name=row["StoragePool"],
            state=state,
            standing=pool,
        )
        return
    own: HealthStanding = "healthy" if _GOOD.match(state) else "hint" if _MENDED.match(state) else "degraded"
    section.add(StorageState, line, node=node, source="linstor", sort="disk", name=name, state=state, standing=own)
    if (links := row.get("Conns", "")) and not _GOOD.match(links):
        section.add(
            StorageState,
            line,
            node=node,
            source="linstor",
            sort="replication link",
            name=name,
            state=links,
            standing="degraded",
        )
