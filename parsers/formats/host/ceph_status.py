"""What a Ceph cluster says of itself: ``ceph -s``, ``ceph health`` and its ``detail``.

      cluster:                                       HEALTH_WARN 1 osds down; Degraded data redundancy: 97 pgs degraded
        id:     6f1b1e40-0c21-4d9e-8f3f-0a7cb5f0     [WRN] OSD_DOWN: 1 osds down
        health: HEALTH_WARN                              osd.2 (root=default,host=larder2) is down
                1 osds down
      services:
        osd: 3 osds: 2 up (since 11m), 3 in (since 4d)

Yields ``StorageState`` of the cluster: failed where it says HEALTH_ERR, degraded where it says HEALTH_WARN, and of each
thing that it names as down. Older releases print the state of health in one row with its reasons. No times. Source: the
manual of Ceph on its health checks, recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import HealthStanding, Setting, StorageState
from parsers.registry import parser
from parsers.rows import Row, Rows
from parsers.sections import OpenSection
from parsers.text import Line

_TOOL: Final = "ceph"
_NAME: Final = "Ceph"
_STANDINGS: Final[dict[str, HealthStanding]] = {"OK": "healthy", "WARN": "degraded", "ERR": "failed"}


def _state(section: OpenSection, line: Line, name: str, state: str, standing: HealthStanding) -> None:
    section.add(StorageState, line.number, source=_TOOL, sort="array", name=name, state=state, standing=standing)


def _health(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """State and reasons; where the reasons have rows of their own, the first of them is waited for."""
    _tell(section)
    section.state["said"] = (line, match["state"], (match["why"] or "").strip())
    if match["why"].strip() or match["state"] == "OK":
        _tell(section)


def _reason(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    said = section.state.get("said")
    if said is not None:
        section.state["said"] = (*said[:2], match["why"].strip())
        _tell(section)


def _tell(section: OpenSection) -> None:
    said = section.state.pop("said", None)
    if said is not None:
        line, state, why = said
        words = f"HEALTH_{state}{f': {why}' if why else ''}"
        _state(section, line, _NAME, words[:200], _STANDINGS[state])


def _daemon(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    host = match["host"]
    section.add(
        StorageState,
        line.number,
        source=_TOOL,
        sort="disk",
        name=match["name"],
        of=host,
        state=match["state"],
        standing="degraded",
    )


def _value(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(Setting, line.number, scope=_NAME, source=_TOOL, name=match["name"], value=match["value"].strip())


_REASON: Final = (
    r"(?P<why>\d{1,9}(?:/\d{1,9})? .{0,160}|(?:Degraded|Reduced|Possible|Slow|Low|Long|too|mons?|clock|no |noout"
    r"|application|Module|insufficient|pool|nodeep|noscrub|norecover|nobackfill|norebalance)\b.{0,160})$"
)
_ROWS: Final = Rows(
    Row("cluster", r"cluster:$", fate=Fate.FRAME, opens=False),
    Row("health", r"health:? {1,4}HEALTH_(?P<state>OK|WARN|ERR)\b(?P<why>.{0,400})$", _health, fate=Fate.FRAME),
    Row("health alone", r"HEALTH_(?P<state>OK|WARN|ERR)\b(?P<why>.{0,400})$", _health, fate=Fate.FRAME),
    Row("check", r"(?:\[(?:WRN|ERR)\] )?[A-Z][A-Z_]{4,40}: \S", fate=Fate.FRAME, opens=False),
    Row(
        "daemon",
        r"(?P<name>(?:osd|mon|mds|mgr)\.[\w.-]{1,80}) "
        r"(?:\((?:[^()]{0,120}?host=(?P<host>[\w.-]{1,80}))?[^()]{0,120}\) )?is (?P<state>down\b.{0,80})$",
        _daemon,
        opens=False,
    ),
    Row("part", r"(?:services|data|io|progress|task status):$", fate=Fate.FRAME, opens=False),
    Row(
        "value",
        r"(?P<name>id|mon|mgr|mds|osd|rgw|rgws|rbd-mirror|pools|volumes|objects|usage|pgs|client|recovery|cache|flags"
        r"|monmap|osdmap|pgmap|fsmap|mdsmap):? {1,8}(?P<value>\S.{0,200})$",
        _value,
        opens=False,
    ),
    Row("groups of data", r"\d{1,9} {1,6}(?:[a-z_]{4,30}\+?){1,8}$", fate=Fate.FRAME, opens=False),
    Row("reason", _REASON, _reason, fate=Fate.FRAME, opens=False),
)


@parser(
    "ceph_status",
    version=1,
    product="storage",
    claims=_ROWS.claims,
    owns=_ROWS.owns,
    places=r"^(?:sudo )?(?:\S{0,80}/)?ceph (?:-s\b|status\b|health\b)",
    commands=(_TOOL,),
)
def ceph_status(section: OpenSection, out: Output) -> None:
    """The health of a Ceph cluster."""
    _ROWS.read(section, out, "no value of the cluster")
    _tell(section)
