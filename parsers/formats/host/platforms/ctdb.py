"""Nodes of CTDB, which keeps Samba's locks on a cluster file system: ``ctdb status`` and ``ctdb nodestatus``.

    Number of nodes:3
    pnn:0 10.9.0.1        OK (THIS NODE)
    pnn:1 10.9.0.2        BANNED|INACTIVE
    pnn:2 10.9.0.3        UNHEALTHY
    Generation:1712009921
    hash:0 lmaster:0
    Recovery mode:RECOVERY (1)
    Recovery master:0

Yields ``ServiceState``: CTDB of each node (faulted where it is banned, not healthy or not connected; disabled where
somebody disabled or stopped it) and of the cluster while its databases are recovered (unsure: no lock of Samba is
granted before that ends). ``ctdb scriptstatus`` lists the scripts that watch its services:

    50.samba             ERROR      0.101 Tue Nov 10 10:11:02 2026
      OUTPUT: ERROR: samba tcp port 445 is not responding

Source: ctdb(1).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records.states import ServiceStanding, ServiceState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_FLAGS: Final = r"(?:OK|DISCONNECTED|UNHEALTHY|BANNED|DISABLED|STOPPED|DELETED|INACTIVE|PARTIALLYONLINE|UNKNOWN)"
_WRONG: Final = frozenset(("DISCONNECTED", "UNHEALTHY", "BANNED", "PARTIALLYONLINE", "UNKNOWN"))
_ON_PURPOSE: Final = frozenset(("DISABLED", "STOPPED", "DELETED", "INACTIVE"))


def _standing(flags: set[str]) -> ServiceStanding:
    return "faulted" if flags & _WRONG else "disabled" if flags & _ON_PURPOSE else "online"


def _node(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    standing = _standing(set(match["flags"].split("|")))
    name = f"CTDB of node {match['pnn']} ({match['address']})"
    _put(section, line, name, match["flags"], standing)


def _mode(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    mode = match["mode"]
    state = "recovers its databases" if mode == "RECOVERY" else "recovery mode normal"
    _put(section, line, "CTDB", state, "unsure" if mode == "RECOVERY" else "online")


_ROWS: Final = Rows(
    Row("count", r"Number of nodes: ?\d{1,5}(?: \(including \d{1,5} deleted nodes\))?$", fate=Fate.FRAME),
    Row(
        "node",
        rf"pnn: ?(?P<pnn>\d{{1,5}}) (?P<address>[\w.:-]{{2,60}}) {{1,20}}(?P<flags>{_FLAGS}(?:\|{_FLAGS}){{0,8}})"
        r"(?: ?\(THIS NODE\))?$",
        _node,
    ),
    Row("generation", r"(?:Generation|Size): ?\w{1,20}$", fate=Fate.FRAME, opens=False),
    Row("hash", r"hash: ?\d{1,5} lmaster: ?\d{1,5}$", fate=Fate.FRAME, opens=False),
    Row("mode", r"Recovery mode: ?(?P<mode>NORMAL|RECOVERY) \(\d\)$", _mode),
    Row("master", r"(?:Recovery master|Leader): ?(?:\d{1,5}|UNKNOWN)$", fate=Fate.FRAME, opens=False),
)


@parser("ctdb_status", version=1, product="", rows=_ROWS, commands=("ctdb", "onnode"))
def ctdb_status(section: OpenSection, out: Output) -> None:
    """``ctdb status``: one line for each node."""
    _ROWS.read(section, out, "no node of CTDB")


def _put(section: OpenSection, line: Line, name: str, state: str, standing: ServiceStanding) -> None:
    section.add(
        ServiceState,
        line.number,
        source="ctdb status",
        sort="resource",
        group="CTDB",
        resource=name,
        state=state,
        standing=standing,
    )


_SCRIPTS: Final[dict[str, ServiceStanding]] = {
    "OK": "online", "DISABLED": "disabled", "ERROR": "faulted", "TIMEDOUT": "faulted", "UNKNOWN": "unsure",
}  # fmt: skip


def _script(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["script"] = match["name"]
    section.add(
        ServiceState,
        line.number,
        source="ctdb scriptstatus",
        sort="resource",
        group="CTDB",
        resource=f"event script {match['name']}",
        state=match["state"],
        standing=_SCRIPTS[match["state"]],
    )


_EVENTS: Final = Rows(
    Row(
        "script",
        rf"(?P<name>\d{{2}}\.[\w.-]{{2,60}})\s{{1,40}}(?P<state>{'|'.join(_SCRIPTS)})"
        r"(?:\s{1,20}\d{1,6}\.\d{1,9} \S.{0,60})?$",
        _script,
    ),
    Row("event", r"(?:monitor|startup|recovered|takeip|releaseip|ipreallocated) event script$", fate=Fate.FRAME),
    Row("summary", r"\d{1,4} scripts were executed last \w{2,20} cycle$", fate=Fate.FRAME),
    Row("output", r"OUTPUT: ?\S.{0,900}$", fate=Fate.EVERYDAY, opens=False),
)


@parser("ctdb_scripts", version=1, product="", rows=_EVENTS, commands=("ctdb", "onnode"))
def ctdb_scripts(section: OpenSection, out: Output) -> None:
    """``ctdb scriptstatus``: scripts that watch the services of a node."""
    _EVENTS.read(section, out, "no script of CTDB")
