"""How the members of etcd stand: ``etcdctl endpoint health`` and ``cluster-health`` of releases before 3.

    https://10.9.0.4:2379 is healthy: successfully committed proposal: took = 2.103ms
    https://10.9.0.5:2379 is unhealthy: failed to commit proposal: context deadline exceeded
    member b3b41c7fa80c57 is unhealthy: got unhealthy result from https://pike1:2379
    cluster is degraded

Yields ``HealthState`` of each member and of the whole. No times. Tolerated: a list of some members. Source: etcd
source, etcdctl.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records.states import HealthStanding, HealthState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_STANDINGS: Final[dict[str, HealthStanding]] = {"healthy": "healthy", "unavailable": "failed"}
"""Every other state is one of less than all."""


def _member(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    reason = match["reason"] if match["state"] != "healthy" else ""
    state = f"{match['state']}: {reason}" if reason else match["state"]
    _put(section, line, f"etcd member {match['name']}", state[:300], _STANDINGS.get(match["state"], "degraded"))


def _whole(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put(section, line, "etcd", match["state"], _STANDINGS.get(match["state"], "degraded"))


def _put(section: OpenSection, line: Line, component: str, state: str, standing: HealthStanding) -> None:
    section.add(HealthState, line.number, source="etcdctl", component=component, state=state, standing=standing)


_ROWS: Final = Rows(
    Row(
        "member",
        r"(?:member )?(?P<name>[0-9a-f]{8,16}|(?:https?://)?[\w.\[\]:-]{3,128}:\d{1,5}) is "
        r"(?P<state>healthy|unhealthy|unreachable): (?P<reason>\S.{0,400})$",
        _member,
    ),
    Row("whole", r"cluster is (?P<state>healthy|degraded|unhealthy|unavailable)$", _whole, opens=False),
    Row("sum", r"Error: unhealthy cluster$", fate=Fate.FRAME, opens=False),
)


@parser("etcd_health", version=1, product="", rows=_ROWS, commands=("etcdctl",))
def etcd_health(section: OpenSection, out: Output) -> None:
    """Members of etcd, healthy or not."""
    _ROWS.read(section, out, "no member of etcd")
