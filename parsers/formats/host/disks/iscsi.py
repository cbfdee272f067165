"""Sessions of iSCSI and the disks behind them: ``iscsiadm -m session -P 1`` to ``-P 3``.

    Target: iqn.2031-03.lab.larder:shelf2 (non-flash)
            Current Portal: 10.4.0.9:3260,1
                    SID: 4
                    iSCSI Connection State: LOGGED IN
                    iSCSI Session State: LOGGED_IN
                    Internal iscsid Session State: NO CHANGE
                            Attached scsi disk sdk          State: running

Yields ``StorageState``: a session by its target and portal, degraded unless it is logged in; a disk, failed where the
kernel took it offline, degraded where it is blocked. All other values are ``Setting`` with the target as scope. The
list without ``-P`` names sessions and no state, that of ``-m node`` the portals to which there is to be one. Source:
iscsiadm(8), recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import Setting
from parsers.records.states import HealthStanding, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_IN_ORDER: Final = frozenset(("LOGGED IN", "LOGGED_IN", "NO CHANGE", "NO_CHANGE"))
_TOOL: Final = "iscsiadm"


def _target(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state.update(target=match["name"], portal=None)
    section.add(Setting, line.number, scope=match["name"], source=_TOOL, name="Target", value=match["name"])


def _session(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    name, state, target = match["name"], match["state"].strip(), section.state.get("target")
    if name.startswith("Internal"):
        section.add(Setting, line.number, scope=target, source=_TOOL, name=name, value=state)
        return
    portal = section.state.get("portal")
    standing: HealthStanding = "healthy" if state in _IN_ORDER else "degraded"
    state_text = state if state in _IN_ORDER else f"{name.removesuffix(' State').replace('iSCSI C', 'iSCSI c')} {state}"
    section.add(
        StorageState,
        line.number,
        source=_TOOL,
        sort="session",
        name=target or (f"to {portal}" if portal else None),
        of=portal if target else None,
        state=state_text.replace("iSCSI Session", "iSCSI session"),
        standing=standing,
    )


def _disk(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state = match["state"]
    standing: HealthStanding = (
        "healthy" if state == "running" else "degraded" if state in ("blocked", "transport-offline") else "failed"
    )
    section.add(
        StorageState,
        line.number,
        source=_TOOL,
        sort="disk",
        name=match["name"],
        of=section.state.get("target"),
        state=state,
        standing=standing,
    )


def _value(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    value = (match["value"] or "").strip() or "empty"
    if match["name"] == "Current Portal":
        section.state["portal"] = value.partition(",")[0]
    section.add(
        Setting,
        line.number,
        scope=section.state.get("target"),
        source=_TOOL,
        name=" ".join(match["name"].split()),
        value=value,
    )


def _listed(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(Setting, line.number, scope=match["target"], source=_TOOL, name="session", value=match["sid"])
    section.add(Setting, line.number, scope=match["target"], source=_TOOL, name="session to", value=match["at"])


def _known(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A portal of the table of the host."""
    section.add(Setting, line.number, scope=match["target"], source=_TOOL, name="portal", value=match["at"])


_VALUES: Final = (
    r"Current Portal|Persistent Portal|Iface \w{2,16}(?: \w{2,12})?|SID|Recovery Timeout|Target Reset Timeout"
    r"|LUN Reset Timeout|Abort Timeout|username(?:_in)?|HeaderDigest|DataDigest|Max\w{4,30}|FirstBurstLength"
    r"|ImmediateData|InitialR2T|Host Number"
)
_SESSIONS: Final = Rows(
    Row("portal", r"(?P<name>Current Portal):(?P<value> {0,4}[\w.\[\]:-]{3,80}:\d{1,5},\d{1,9})$", _value),
    Row("target", r"Target: (?P<name>(?:iqn|eui|naa)\.\S{1,223})", _target),
    Row(
        "state",
        r"(?P<name>iSCSI Connection State|iSCSI Session State|Internal iscsid Session State): (?P<state>\S.{0,60})$",
        _session,
    ),
    Row("disk", r"Attached scsi disk (?P<name>\S{1,64})\s{1,20}State: (?P<state>[\w-]{2,40})", _disk),
    Row("lun", r"scsi\d{1,6} Channel \d{1,4} Id \d{1,6} Lun: \d{1,20}", fate=Fate.FRAME, opens=False),
    Row("version", r"iSCSI Transport Class version \S", fate=Fate.FRAME),
    Row(
        "listed",
        r"(?:tcp|iser|bnx2i|cxgb\w{1,4}|qla4xxx): \[(?P<sid>\d{1,9})\] (?P<at>[^\s,]{1,80})\S{0,12} "
        r"(?P<target>\S{1,223})",
        _listed,
    ),
    Row(
        "known",
        r"(?P<at>\[?[\w.:-]{3,60}\]?:\d{1,5}),\d{1,5} (?P<target>(?:iqn|eui|naa)\.\S{1,219})$",
        _known,
    ),
    Row("release", r"version \d", fate=Fate.FRAME, opens=False),
    Row("password", r"password(?:_in)?: ", fate=Fate.FRAME, opens=False),
    Row("value", rf"(?P<name>{_VALUES}):(?P<value>.{{0,200}})$", _value, opens=False),
    Row(
        "title",
        r"(?:\*{3,40}|(?:Interface|Timeouts|CHAP|Negotiated iSCSI params|Attached SCSI devices):|-{3,40})\s{0,8}$",
        fate=Fate.FRAME,
        opens=False,
    ),
)


@parser("iscsi_sessions", version=3, product="storage", rows=_SESSIONS, commands=(_TOOL,))
def iscsi_sessions(section: OpenSection, out: Output) -> None:
    """``iscsiadm -m session``: targets, sessions and disks."""
    _SESSIONS.read(section, out, "no line of a session")
