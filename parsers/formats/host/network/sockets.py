"""Connections of TCP: ``ss -ti``, ``ss -tan`` and ``netstat -an``.

    State  Recv-Q Send-Q  Local Address:Port  Peer Address:Port
    ESTAB  0      812331  10.2.0.8:1191       10.2.0.9:49121
         cubic wscale:7,7 rto:51200 backoff:8 rtt:210.5/40.2 mss:1448 cwnd:1 unacked:231 retrans:8/1542

    tcp        0 812331 10.2.0.8:21064          10.2.0.9:49121          ESTABLISHED

Yields ``Connection`` of each established one whose figures are shown: down where its last segment was sent again three
times in a row or more without an answer, else up. ``HealthState`` of one between lock managers in which a mebibyte or
more waits to be taken: their messages are small. Others are everyday lines. Source: ss(8), netstat(8), tcp_info of the
kernel.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records.states import Connection, HealthState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

AGAIN: Final = 3
"""Times in a row that a segment is sent again: by then the timer alone has waited more than a second."""
WAITING: Final = 1 << 20
"""Bytes of a queue between lock managers: thousands of messages."""
_OF_LOCKS: Final = re.compile(r":21064$")
_ADDRESS: Final = r"(?:\[[\w:.%]{2,60}\]|[\w.:*%-]{1,60}):(?:\d{1,5}|\*|[a-z][\w-]{0,30})"
_STATES: Final = (
    r"(?:ESTAB|SYN-SENT|SYN-RECV|FIN-WAIT-[12]|TIME-WAIT|CLOSE-WAIT|LAST-ACK|CLOSING|LISTEN|UNCONN|ESTABLISHED)"
)
_FILTERED: Final = "connection"
"""Where one state was asked for, its column is left out."""
_BACKOFF = re.compile(r"\bbackoff:(\d{1,4})\b")
_RETRANS = re.compile(r"\bretrans:(\d{1,6})/(\d{1,12})\b")


def _row(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["open"] = (match["state"] or _FILTERED, match["sent"], match["local"], match["peer"])
    _queues(section, line, match)


def _queues(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """What waits on a connection between lock managers, of which one end has the port that all of them know."""
    ends = match["local"], match["peer"]
    if not any(map(_OF_LOCKS.search, ends)):
        return
    came, sent = int(match["came"]), int(match["sent"])
    most = max(came, sent)
    state = f"{most} bytes that {'this node' if came >= sent else 'the peer'} did not take" if most else "queues empty"
    section.add(
        HealthState,
        line.number,
        source="ss",
        component=f"DLM connection {ends[0]} to {ends[1]}",
        state=state,
        standing="degraded" if most >= WAITING else "healthy",
    )


def _figures(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state, unsent, local, peer = section.state.get("open") or ("cut", "0", "", "")
    backoff, retrans = _BACKOFF.search(match[0]), _RETRANS.search(match[0])
    again = max(int(backoff[1]) if backoff else 0, int(retrans[1]) if retrans else 0)
    trouble = f"{state} with {unsent} bytes not taken"
    if again:
        trouble += f"; a segment sent again {again} times in a row"
    section.add(
        Connection,
        line.number,
        source="ss",
        link=f"tcp {local} to {peer}" if peer else "tcp",
        address=peer.rsplit(":", 1)[0].strip("[]") or None,
        state=trouble,
        standing="down" if again >= AGAIN else "up",
    )


_ROWS: Final = Rows(
    Row(
        "heading",
        r"(?:Netid\s{1,24})?(?:State\s{1,24})?Recv-Q\s{1,24}Send-Q\s{1,60}Local Address:Port\s{1,80}Peer Address:Port",
        fate=Fate.FRAME,
    ),
    Row(
        "connection",
        rf"(?:tcp\s{{1,8}})?(?:(?P<state>{_STATES})\s{{1,24}})?(?P<came>\d{{1,12}})\s{{1,24}}(?P<sent>\d{{1,12}})\s{{1,80}}"
        rf"(?P<local>{_ADDRESS})\s{{1,60}}(?P<peer>{_ADDRESS})(?:\s.{{0,400}})?$",
        _row,
        fate=Fate.EVERYDAY,
    ),
    Row(
        "connection of netstat",
        r"tcp[46]?\s{1,24}(?P<came>\d{1,12})\s{1,24}(?P<sent>\d{1,12})\s{1,24}"
        rf"(?P<local>{_ADDRESS})\s{{1,60}}(?P<peer>{_ADDRESS})\s{{1,40}}(?:ESTABLISHED)(?:\s.{{0,200}})?$",
        _queues,
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row(
        "figures",
        r"(?:(?:ts|sack|ecn|ecnseen|fastopen|skmem:\(\S{1,200}\)) ){0,6}"
        r"(?:cubic|reno|bbr|dctcp|vegas|htcp|westwood)\b.{0,900}$",
        _figures,
        opens=False,
    ),
)


@parser("sockets", version=3, product="", rows=_ROWS, commands=("ss",))
def sockets(section: OpenSection, out: Output) -> None:
    """``ss``: connections, each with its figures below."""
    _ROWS.read(section, out, "no connection")
