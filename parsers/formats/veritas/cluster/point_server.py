"""Nodes that a coordination point server knows: ``cpsadm -a list_nodes``, ``list_membership``.

    ClusterName   UUID                                   Hostname(Node ID)   Registered
    pond          {7c1e9a44-1dd2-11b2-8e21-00144fa1b2c3} carp1(0)            1
    List of registered nodes: 0

Yields ``ClusterMember`` for each node, up where it is registered, ``NodeAlias`` of its name and number, ``Setting`` for
the list of numbers. No times. Tolerated: cut rows. Source: cpsadm(1M); the layout is recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import NodeAlias, Setting
from parsers.records.states import ClusterMember
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_NAME: Final = r"[A-Za-z0-9][\w.-]{0,126}"
_SERVER: Final = re.compile(r"\s-s\s{1,8}([\w.:-]{1,127})")


def _server(section: OpenSection) -> str:
    """The server that the command asks, in words."""
    named = _SERVER.search(section.command.text) if section.command is not None else None
    return f" {named[1]}" if named is not None else ""


def _node(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    is_there = match["there"] == "1"
    section.add(
        ClusterMember,
        line.number,
        source="cpsadm list_nodes",
        member=match["name"],
        layer="fencing",
        state=f"{'registered' if is_there else 'not registered'} on coordination point server{_server(section)}",
        standing="up" if is_there else "down",
    )
    section.add(NodeAlias, line.number, node=match["name"], alias=match["id"], kind="id")


def _list(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(
        Setting, line.number, source="cpsadm list_membership", name="registered nodes", value=match["ids"] or "none"
    )


_ROWS: Final = Rows(
    Row("heading", r"Clus(?:ter)?Name\s{1,60}UUID\s{1,60}Hostname\(Node ID\)\s{1,40}Registered$", fate=Fate.FRAME),
    Row("ruler", r"[=-]{4,40}(?:\s{1,60}[=-]{4,60}){0,4}$", fate=Fate.FRAME, opens=False),
    Row(
        "node",
        rf"\S{{1,127}}\s{{1,60}}\{{[0-9a-fA-F-]{{8,40}}\}}\s{{1,60}}(?P<name>{_NAME})\s?\((?P<id>\d{{1,5}})\)\s{{1,60}}"
        r"(?P<there>[01])$",
        _node,
    ),
    Row("list", r"List of registered nodes: {0,8}(?P<ids>(?:\d{1,5}[ ,]{0,3}){0,128})$", _list),
    also=r"\S{1,127}\s{1,60}\{[0-9a-fA-F]{2,12}-",
)


@parser("cps_nodes", version=1, product="veritas", rows=_ROWS, commands=("cpsadm",))
def cps_nodes(section: OpenSection, out: Output) -> None:
    """``cpsadm``: nodes with their registration."""
    _ROWS.read(section, out, "no node with its registration")
