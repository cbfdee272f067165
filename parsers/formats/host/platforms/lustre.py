"""Targets of Lustre: ``lfs df``, ``lctl dl``, ``lctl get_param health_check`` and of imports.

    fs01-OST0001_UUID   : inactive device            3 IN osc fs01-OST0001-osc-ffff8801 3f2e9c1a-... 4
    OST0002             : Resource temporarily unavailable
    health_check=NOT HEALTHY                         state: DISCONN

Yields ``StorageState`` of a target that is not there, ``HealthState`` of a server, ``Room`` of a target by the share
that is taken, ``Connection`` of a client to a target. No times. Source: the manual of Lustre on lfs and lctl.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.filling import room_standing
from parsers.ledger import Fate
from parsers.output import Output
from parsers.records.states import Connection, HealthState, LinkStanding, Room, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows, heading
from parsers.text import Line

_TARGET: Final = r"(?:[\w-]{1,40}-)?(?:OST|MDT)[0-9a-f]{4}(?:_UUID)?"
_STATES: Final = {"IN": "inactive", "AT": "attached, not set up", "ST": "stopped", "DN": "down", "--": "not known"}
_SIZE: Final = r"\d[\d.]{0,20}[KMGTPE]?"


def _away(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _state(section, line, match["target"], match["state"])


def _state(section: OpenSection, line: Line, target: str, state: str | None) -> None:
    section.add(
        StorageState,
        line.number,
        source="lustre",
        sort="volume",
        name=target.removesuffix("_UUID"),
        state=state or "there",
        standing="degraded" if state else "healthy",
    )


def _room(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    share = float(match["share"])
    section.add(
        Room,
        line.number,
        source="lfs df",
        name=match["target"].removesuffix("_UUID"),
        of=match["mount"],
        share=share,
        state=f"{match['share']}% used, {match['left']} left",
        standing=room_standing(share),
    )


def _device(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _state(section, line, match["name"], _STATES.get(match["state"]))


def _health(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state = match["state"]
    section.add(
        HealthState,
        line.number,
        source="lctl health_check",
        component="Lustre",
        state=state,
        standing="healthy" if state == "healthy" else "degraded",
    )


def _target(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["target"] = match["target"]


def _import(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state = match["state"]
    standing: LinkStanding = "up" if state in ("FULL", "IDLE") else "unknown" if state == "NEW" else "down"
    section.add(
        Connection,
        line.number,
        source="lctl import",
        link=(section.state.get("target") or "a target of Lustre").removesuffix("_UUID"),
        state=state,
        standing=standing,
    )


_ROWS: Final = Rows(
    heading("columns", r"UUID {1,60}(?:1K-blocks|bytes|Inodes|blocks) {1,40}I?Used\b"),
    Row(
        "target that is away",
        rf"(?P<target>{_TARGET}) {{1,40}}: (?P<state>inactive device|[A-Z][a-z].{{5,80}})$",
        _away,
    ),
    Row(
        "room of a target",
        rf"(?P<target>{_TARGET}) {{1,60}}{_SIZE} {{1,40}}{_SIZE} {{1,40}}(?P<left>{_SIZE}) {{1,20}}"
        r"(?P<share>\d{1,3})% {1,20}(?P<mount>/\S{1,250}?)\[(?:OST|MDT):\d{1,5}\]",
        _room,
    ),
    heading("sum", rf"filesystem[ _]summary: {{1,60}}{_SIZE} "),
    Row(
        "device",
        r"\d{1,5} (?P<state>UP|IN|AT|ST|DN|--) (?P<sort>[a-z]{3,12}) (?P<name>[\w.@-]{3,120}) [\w@.-]{3,60} \d{1,9}$",
        _device,
    ),
    Row(
        "health",
        r"(?:health_check=)?(?P<state>healthy|NOT HEALTHY|LBUG|device \S{3,80} reported unhealthy)$",
        _health,
        opens=False,
    ),
    heading("health below", r"health_check=$"),
    Row("health beside its name", r"health_check=(?P<state>healthy|NOT HEALTHY|LBUG)$", _health),
    Row("target of an import", rf"target: (?P<target>{_TARGET})$", _target, fate=Fate.FRAME),
    Row(
        "state of an import",
        r"state: (?P<state>FULL|IDLE|NEW|DISCONN|CONNECTING|REPLAY(?:_LOCKS|_WAIT)?|RECOVER|EVICTED|CLOSED)$",
        _import,
        opens=False,
    ),
    Row(
        "rest of an import",
        r"(?:current_connection|connection_attempts|failover_nids|instance): ?\S?",
        fate=Fate.FRAME,
        opens=False,
    ),
    also=rf"{_TARGET}\s|\d{{1,5}} [A-Z-]{{2}} [a-z]{{3,12}} ",
)


@parser("lustre", version=1, product="storage", rows=_ROWS, commands=("lfs", "lctl"), places=r"\bl(?:fs|ctl) ")
def lustre(section: OpenSection, out: Output) -> None:
    """Targets with their states and their room."""
    _ROWS.read(section, out, "no target with its state")
