"""What checks of a cluster print for a monitor, and the log of such a monitor.

    CLUSTER OK: 3 nodes online, 12 resource instances configured                  crm_mon -s, crm_mon --as-nagios
    CLUSTER WARN: offline node: perch3, standby node: perch4
    CRITICAL: megacli:[Volumes(1): DISK0.0:Degraded; Devices(2): 12=Online 8=Failed]         check_raid
    CRM CRITICAL - NO QUORUM, perch3 OFFLINE                                      check_crm and its kin
    [1694682694] SERVICE ALERT: perch1;CRM;CRITICAL;HARD;3;CRM CRITICAL - No DC   Nagios, Icinga, Naemon
    [1694682700] HOST ALERT: perch3;DOWN;HARD;3;PING CRITICAL - Packet loss = 100%

Yields ``ClusterMember`` for nodes that are named with their state, ``Quorum`` where it is gone or kept, and ``Event``
for another state of a service of the log that is the last one of it, at the level of that state: what recovered, and
states that the monitor still tries (``SOFT``), are everyday. Source: crm_mon(8), the plugins of Nagios and its log.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from parsers.formats.host.logs.kernel_log_kinds import UNLISTED
from parsers.formats.host.logs.levelled import Levelled, meaning_in
from parsers.formats.host.logs.levelled_log import put_levelled
from parsers.messages.catalogue import Found
from parsers.output import Output
from parsers.records.states import ClusterMember, NodeStanding, Quorum
from parsers.registry import parser
from parsers.sections.message_events import add_message
from parsers.sections.reader import OpenSection
from parsers.times.clock import Instant, parse_instant

_STATE: Final = r"OK|WARN(?:ING)?|CRIT(?:ICAL)?|UNKNOWN"
_OF_DISKS: Final = r"(?:RAID|MDADM|MDSTAT|MULTIPATH|DRBD|ZPOOL|ZFS|BTRFS|LVM|SMART|ISCSI|CEPH|GLUSTER|NFS)(?!:)"
_CHECKS: Final = rf"(?i:CLUSTER|(?:check_)?(?:crm|pacemaker|pcs|corosync|ha)|PACEMAKER CLUSTER)|{_OF_DISKS}"
_WHEN: Final = r"(?:\[?(?P<when>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S{0,18}?)\]? (?:(?P<node>[\w.-]{1,128}) \| )?)?"
"""What whoever keeps the results of a check puts in front of each."""
_CHECK: Final = rf"{_WHEN}(?P<check>{_CHECKS})(?:[ :-]{{1,3}})(?P<level>{_STATE})(?: ?[:-] ?(?P<said>\S?.{{0,800}})|$)"
_BOXED: Final = rf"(?P<level>{_STATE}): (?P<check>[a-z][a-z0-9_-]{{2,24}}):\[(?P<said>\S.{{0,2000}}\])"
"""What a check of RAID controllers prints of each tool that it asked."""
_STAMP: Final = r"(?:\[(?P<at>\d{10})\]|(?P<iso>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S{0,20}))"
_LOGGED: Final = (
    rf"{_STAMP} (?P<what>(?:CURRENT |INITIAL )?(?:SERVICE|HOST) (?:STATE|ALERT)): (?P<host>[\w.-]{{1,128}});"
    r"(?P<rest>\S.{0,2000})"
)
_OTHER: Final = r"(?:\[\d{10}\]|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S{0,20}) (?:[A-Z]{3,20} ){1,4}[A-Z]{3,20}: \S"
_PLUGIN: Final = (
    rf"(?:(?P<check>[A-Za-z][\w/.-]{{1,30}}(?: [\w/.-]{{1,30}}){{0,2}}?)(?: ?[:-])? )??(?P<level>{_STATE}) ?[:-] "
    r"(?P<said>[^|]{3,2000}?)\|\s{0,4}'?[^=|'\s][^=|']{0,80}'?=-?\d[\d.]{0,20}[a-zA-Z%]{0,4}(?:;|\s|$)"
)
"""What a plugin of Nagios prints of any check: figures with their limits close it."""
_BARE: Final = re.compile(r"\(\?P<\w{1,20}>")
_CLAIMS_OF_ALL: Final = rf"(?:{_BARE.sub('(?:', _CHECK)}$|{_BARE.sub('(?:', _LOGGED)}$|{_BARE.sub('(?:', _PLUGIN)}"
_CLAIMS: Final = rf"{_CLAIMS_OF_ALL}|{_BARE.sub('(?:', _BOXED)}$)"
_IS_CHECK: Final = re.compile(rf"{_CHECK}$")
_IS_BOXED: Final = re.compile(rf"{_BOXED}$")
_IS_PLUGIN: Final = re.compile(_PLUGIN)
_IS_LOGGED: Final = re.compile(rf"{_LOGGED}$")
_IS_OTHER: Final = re.compile(_OTHER)
_NODE: Final = r"(?![a-z]{2,20} node)[A-Za-z0-9][\w.-]{0,126}"
_BEFORE: Final = re.compile(
    rf"\b(?P<state>offline|standby|pending|unclean|maintenance) nodes?: (?P<names>{_NODE}(?:,? {_NODE}){{0,64}})",
    re.IGNORECASE,
)
_BEHIND: Final = re.compile(rf"(?:^|[ ,])(?P<name>{_NODE}) (?P<state>OFFLINE|STANDBY|UNCLEAN)\b")
_NO_QUORUM: Final = re.compile(r"\b(?:no|without|lost) quorum\b|\bquorum (?:is )?lost\b", re.IGNORECASE)
_STANDING: Final[dict[str, NodeStanding]] = {
    "offline": "down", "standby": "leaving", "unclean": "unclean", "pending": "joining",
}  # fmt: skip
_LEVELS: Final = {
    "CRITICAL": "error", "CRIT": "error", "DOWN": "error", "UNREACHABLE": "error", "UNKNOWN": "warning",
    "WARNING": "warning", "WARN": "warning",
}  # fmt: skip
_KEPT: Final = 4096


class _Last(NamedTuple):
    number: int
    at: Instant | None
    level: str
    text: str


@parser(
    "monitor_checks",
    messages=True,
    version=4,
    product="gfs2",
    claims=_CLAIMS,
    owns=rf"(?:{_CLAIMS}|{_OTHER})",
    commands=("check_crm", "check_pacemaker"),
    priority=1,
)
def monitor_checks(section: OpenSection, out: Output) -> None:
    """Results of checks, and lines of a monitor's log."""
    last: dict[tuple[str, str], _Last] = {}
    for line in section:
        text = line.text.strip()
        if (match := _IS_LOGGED.match(text)) is not None:
            _keep(last, line.number, match)
            out.everyday()
        elif (match := _IS_CHECK.match(text)) is not None:
            if match["when"] and (moment := parse_instant(match["when"])) is not None:
                section.stamp(moment)
            _put_result(section, line.number, match)
            out.everyday()
        elif (match := _IS_BOXED.match(text)) is not None:
            _put_boxed(section, line.number, match)
            out.everyday()
        elif (match := _IS_PLUGIN.match(text)) is not None:
            _put_plugin(section, line.number, match)
            out.everyday()
        elif _IS_OTHER.match(text) is not None:
            out.everyday()
        else:
            out.skip(line, "no result of a check")
    for (host, service), one in last.items():
        if one.level:
            _put_last(section, host, service, one)


def _put_boxed(section: OpenSection, number: int, match: re.Match[str]) -> None:
    if _LEVELS.get(match["level"]):
        text = f"{match['check']}: {match['said'].removesuffix(']')}"
        found = Found("monitor-alert", shown(text), weight="trouble")
        add_message(section, number, found, source="check", text=text, node=section.node, at=section.at)


def _put_result(section: OpenSection, number: int, match: re.Match[str]) -> None:
    """What a check printed: where it names neither node nor quorum, its words at its level."""
    node, stated, level = match["node"] or section.node, match["said"] or "", _LEVELS.get(match["level"], "")
    if not _put_check(section, number, stated, node) and level and " " in stated:
        is_loss = level == "error" or re.match(_OF_DISKS, match["check"]) is not None
        found = Found(UNLISTED, weight="trouble" if is_loss else "notice")
        text = f"{match['check']}: {stated}"
        add_message(section, number, found, source="check", text=text, node=node, at=section.at)


def _put_plugin(section: OpenSection, number: int, match: re.Match[str]) -> None:
    """What a plugin of any check printed, in front of its figures."""
    level, stated = _LEVELS.get(match["level"], ""), " ".join(match["said"].split())
    if not level or _put_check(section, number, stated, section.node):
        return
    check = match["check"] or (section.command.program.rpartition("/")[2] if section.command is not None else "")
    text = f"{check}: {stated}" if check else stated
    found = meaning_in(Levelled("", section.node or "", check, level, text))
    if found is None or found.kind == UNLISTED:
        found = Found("monitor-alert", shown(text), weight="trouble" if level == "error" else "notice")
    add_message(section, number, found, source="check", text=text, node=section.node, at=section.at)


def shown(text: str) -> str:
    """As much of it as a title bears."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN].rpartition(' ')[0] or text[:_SHOWN]} \u2026"


_SHOWN: Final = 60


def _keep(last: dict[tuple[str, str], _Last], number: int, match: re.Match[str]) -> None:
    """The state that a service or host has after this line."""
    is_host = match["what"].removeprefix("CURRENT ").removeprefix("INITIAL ").startswith("HOST")
    parts = match["rest"].split(";", 3 if is_host else 4)
    service, parts = ("", parts) if is_host else (parts[0], parts[1:])
    if len(parts) < 4 or (len(last) >= _KEPT and (match["host"], service) not in last):
        return
    state, how, _, output = parts
    level = _LEVELS.get(state, "") if how == "HARD" else ""
    if level or state in ("OK", "UP"):
        last[match["host"], service] = _Last(number, _moment(match), level, output)


def _moment(match: re.Match[str]) -> Instant | None:
    return Instant(int(match["at"]) * 1_000_000, 0) if match["at"] else parse_instant(match["iso"])


def _put_last(section: OpenSection, host: str, service: str, one: _Last) -> None:
    if one.at is not None:
        section.stamp(one.at)
    check = _IS_CHECK.match(one.text)
    if check is not None and _put_check(section, one.number, check["said"] or "", host):
        return
    if not service:
        put_down(section, one.number, host)
    else:
        put_levelled(section, one.number, Levelled("", host, service, one.level, f"{service}: {one.text}"))


def put_down(section: OpenSection, number: int, host: str) -> None:
    """A host that the monitor calls down."""
    section.add(ClusterMember, number, node=section.node, source="check", member=host, state="down", standing="down")


def _put_check(section: OpenSection, number: int, output: str, node: str | None) -> bool:
    """Nodes and the quorum that a check tells of; whether it names any."""
    named = [(name, match["state"]) for match in _BEFORE.finditer(output) for name in re.split(r",? ", match["names"])]
    named += [(match["name"], match["state"]) for match in _BEHIND.finditer(output) if match["name"] not in dict(named)]
    for name, state in named:
        standing = _STANDING.get(state.lower(), "unknown")
        section.add(ClusterMember, number, node=node, source="check", member=name, state=state, standing=standing)
    if is_gone := _NO_QUORUM.search(output) is not None:
        section.add(Quorum, number, node=node, source="check", quorate=False, state=output[:200])
    return bool(named) or is_gone
