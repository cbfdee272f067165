"""``corosync-cfgtool -s``, ``-n`` and ``-b``: the rings or links of the totem, as one node has them.

    Printing ring status.                       Local node ID 1, transport knet
    Local node ID 2                             LINK ID 0 udp
    RING ID 1                                           addr    = 10.7.0.11
            id      = 10.7.1.21                         status:
            status  = Marking ringid 1 interface                nodeid:          2:     disconnected
                      10.7.1.21 FAULTY

    nodeid: 2 reachable                                                                          -n
       LINK: 0 udp (10.7.0.11->10.7.0.12) enabled connected mtu: 1397

Yields ``HeartbeatLink`` of the totem: a ring as the node itself has it, or a link as it reaches one node, up or down;
``NodeAlias`` for the node's own id. A node that is only a number stays a number of the link. No times. Tolerated: rows
left out. Source: corosync-cfgtool(8), tools/corosync-cfgtool.c of corosync 1.4 to 3.1.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from parsers.output import Output
from parsers.records import NodeAlias
from parsers.records.states import HeartbeatLink, LinkStanding
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

_LOCAL = re.compile(r"Local node ID:?\s{1,8}(?P<id>\d{1,12})(?:,|\s|$)")
_LINK = re.compile(r"(?:RING|LINK) ID:?\s{1,8}(?P<link>\d{1,3})(?:\s|$)")
_ADDRESS = re.compile(r"(?:id|addr)\s{0,40}=\s{0,8}(?P<address>\S{1,80})$")
_RING = re.compile(r"status\s{0,40}=\s{0,8}(?P<state>\S.{0,300})$")
_MARK = re.compile(r"^Marking (?:seqid \d{1,12} )?ringid ")
_PEER = re.compile(r"nodeid:?\s{0,40}(?P<id>\d{1,12}):\s{1,60}(?P<state>[a-z]\S{1,40}(?:\s.{0,120})?)$")
_NODE = re.compile(r"nodeid:\s{1,8}(?P<id>\d{1,12})\s{1,8}(?P<state>(?:un)?reachable)")
_WAY = re.compile(
    r"LINK:\s{1,8}(?P<link>\d{1,3})\s{1,8}\w{1,10}\s{1,8}\((?P<address>\S{1,80}?)->\S{1,80}\)\s(?P<state>.{1,200})$"
)
_CLAIMS: Final = (
    r"(?:Printing (?:ring|link) status\.|Local node ID:?\s{1,8}\d|(?:RING|LINK) ID:?\s{1,8}\d{1,3}(?:\s|$))"
)
_OWNS: Final = (
    rf"{_CLAIMS}|(?:id|addr|status)\s{{0,40}}=|status:\s{{0,8}}$|nodeid:?\s{{0,40}}\d{{1,12}}[: ]|LINK:\s{{1,8}}\d"
)
_BITS: Final[dict[str, LinkStanding]] = {
    "3": "up",
    "n": "unknown",
    "1": "down",
    "2": "down",
    "0": "down",
    "?": "unknown",
}
"""Of ``-b``: two bits a node, enabled and connected; ``n`` is the node itself."""


LOOPBACK: Final = ("127.", "::1")
"""Where corosync binds a ring whose own network it does not find: no other node hears it there."""


class _Now(NamedTuple):
    """The link that the next rows speak of."""

    link: str | None = None
    address: str | None = None
    peer: str | None = None


@parser(
    "corosync_rings", version=3, product="gfs2", claims=_CLAIMS, owns=_OWNS, commands=("corosync-cfgtool",), priority=1
)
def corosync_rings(section: OpenSection, out: Output) -> None:
    """``corosync-cfgtool``: rings and links of the totem."""
    now: _Now = section.state.get("now", _Now())
    for line in section:
        text = line.text.strip()
        now = section.state["now"] = _moved(now, text)
        if match := _LOCAL.match(text):
            if section.node:
                out.add(NodeAlias(line=line.number, node=section.node, alias=match["id"], kind="id"))
        elif (match := _RING.match(text)) and re.fullmatch(r"[0-3n?]{1,64}", match["state"]):
            for number, bits in enumerate(match["state"], start=1):
                _put(section, line, now, str(number), bits, _BITS[bits])
        elif match:
            _put(section, line, now, None, *_ring(now, match["state"]))
        elif match := _PEER.match(text):
            if not match["state"].startswith("localhost"):
                _put(section, line, now, match["id"], match["state"], _of_link(match["state"]))
        elif match := _WAY.match(text):
            way = now._replace(link=match["link"], address=match["address"])
            _put(section, line, way, now.peer, match["state"], _of_link(match["state"]))
        elif _LINK.match(text) or _ADDRESS.match(text) or _NODE.match(text) or text.startswith(("Printing", "status:")):
            out.frame()
        else:
            out.skip(line, "no ring and no link with its state")


def _moved(now: _Now, text: str) -> _Now:
    if match := _LINK.match(text):
        return _Now(match["link"])
    if match := _ADDRESS.match(text):
        return now._replace(address=match["address"])
    if match := _NODE.match(text):
        return _Now(peer=match["id"])
    return now


def _put(section: OpenSection, line: Line, now: _Now, peer: str | None, state: str, standing: LinkStanding) -> None:
    section.add(
        HeartbeatLink,
        line.number,
        source="corosync-cfgtool",
        protocol="totem",
        link=f"{now.link or '?'}{f' to node {peer}' if peer else ''}",
        address=now.address,
        state=" ".join(state.split()),
        standing=standing,
    )


def _ring(now: _Now, state: str) -> tuple[str, LinkStanding]:
    """The state of a ring of the node itself, and what that means."""
    if (now.address or "").startswith(LOOPBACK):
        return f"bound to loopback {now.address}", "down"
    return _MARK.sub("ring ", state), _of_ring(state)


def _of_ring(state: str) -> LinkStanding:
    if "FAULTY" in state or "faulty" in state:
        return "down"
    return "up" if "no faults" in state or state == "OK" else "unknown"


def _of_link(state: str) -> LinkStanding:
    words = state.lower()
    if "disconnected" in words or "connected:0" in words or "disabled" in words or "enabled:0" in words:
        return "down"
    return "up" if "connected" in words else "unknown"
