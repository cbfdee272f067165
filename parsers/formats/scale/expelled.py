"""Nodes that are kept out of a cluster of Storage Scale: ``mmexpelnode --list``.

    Node List
    ---------------------
    10.44.1.64 (tarn-c7.tarn.lab)

Yields ``HealthState``: such a node can not join until somebody takes it off the list, which names no other node. The
rows are known by the command above them alone, and a name without an address only where it stands directly below other
rows: what follows a gap may be how somebody signs. No times. Tolerated: names without an address, a reason in a further
column. Source: IBM Storage Scale documentation, the command named; its layout is recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import NodeAlias
from parsers.records.states import HealthState
from parsers.registry import parser
from parsers.sections.below import is_below, keep_row
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_NAME: Final = r"[A-Za-z0-9][\w.-]{0,252}"
_ADDRESS: Final = r"(?:\d{1,3}\.){3}\d{1,3}|[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:.]{1,44}"


def _list(section: OpenSection, line: Line, _found: re.Match[str]) -> None:
    keep_row(section, line)


def _none(section: OpenSection, _line: Line, _found: re.Match[str]) -> None:
    section.state["is_empty"] = True


def _node(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    name = found["name"] or found["alone"]
    is_in_list = not section.state.get("is_empty", False) and is_below(section, line)
    if not (found["name"] or is_in_list):
        return
    keep_row(section, line)
    if found["address"] and found["name"]:
        section.add(NodeAlias, line.number, node=name, alias=found["address"], kind="address")
    reason = (found["reason"] or "").strip()
    section.add(
        HealthState,
        line.number,
        source="mmexpelnode --list",
        component=f"node {name}",
        state=reason if reason.lower().startswith("expel") else f"expelled {reason}".strip(),
        standing="degraded",
    )


_ROWS: Final = Rows(
    Row(
        "heading",
        r"(?:Expelled )?Nodes?(?: List| [Nn]ame)?(?: {1,80}(?:Reason|Address|Status|Remarks))*:?$",
        _list,
        fate=Fate.FRAME,
        opens=False,
    ),
    Row("ruler", r"[-=]{3,240}(?: {1,8}[-=]{3,240}){0,4}$", _list, fate=Fate.FRAME, opens=False),
    Row(
        "none",
        r"(?i:\(?none\)?|no (?:expelled )?nodes?(?: are)?(?: currently)?(?: expelled)?\.?)$",
        _none,
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row("word of the command", r"mmexpelnode: Propagating .{1,200}$", fate=Fate.EVERYDAY),
    Row(
        "node",
        rf"(?:(?P<address>{_ADDRESS}) \((?P<name>{_NAME})\)|(?P<alone>{_NAME}))(?: {{2,80}}(?P<reason>\S.{{0,120}}))?$",
        _node,
        opens=False,
    ),
)


@parser(
    "scale_expelled",
    version=2,
    product="spectrum-scale",
    rows=_ROWS,
    commands=("mmexpelnode",),
    places=r"\bmmexpelnode\b.{0,20} [-\u2013\u2014]{1,2}l(?:ist)?\b",
)
def scale_expelled(section: OpenSection, out: Output) -> None:
    """``mmexpelnode --list``: nodes that must not join."""
    _ROWS.read(section, out, "no node that is kept out")
