"""What monitors send when a check turns bad or well again: Nagios and its kin, Zabbix, and the Alertmanager.

    ***** Icinga *****
    Notification Type: PROBLEM
    Service: multipath
    Host: perch2
    State: CRITICAL
    Additional Info:
    CRITICAL - 2 paths of mpatha are down

    Problem started at 02:11:09 on 2031.11.02
    Problem name: mount /data is read-only
    Host: perch2
    Severity: High

    Labels:
     - alertname = ClusterRingFaulty
     - instance = perch2:9664
     - severity = critical
    Annotations:
     - summary = ring 1 of corosync is faulty

Yields ``Event`` for a problem: the words of the check at its state or severity, and ``ClusterMember`` for a host that
is down. What is in order by its state is a healthy ``HealthState``, what is well again everyday. Source: the templates
of these monitors, as recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.host.logs.kernel_log_kinds import UNLISTED
from parsers.formats.host.logs.levelled import Levelled, meaning_in
from parsers.formats.host.logs.monitor_checks import put_down, shown
from parsers.messages.catalogue import Found, Weight
from parsers.output import Output
from parsers.records.states import HealthState
from parsers.registry import parser
from parsers.sections.message_events import add_message
from parsers.sections.reader import OpenSection

_KINDS: Final = r"(?:PROBLEM|RECOVERY|ACKNOWLEDGEMENT|FLAPPINGST(?:ART|OP)|DOWNTIME(?:START|END)|CUSTOM)"
_OPENS: Final = (
    r"\*{3,8} (?:Nagios|Icinga\d?|Naemon|Centreon|Shinken|OMD|Checkmk)[\w ]{0,20} \*{3,8}$"
    rf"|Notification Type: {_KINDS}\b|(?:Subject: .{{0,60}}?)?\*\* {_KINDS} (?:Service|Host) Alert: \S"
    r"|Problem (?:started at|has been resolved (?:at|in)|name:) |Trigger(?: status: (?:PROBLEM|OK)\b|: \S)"
    r"|\[(?:FIRING(?::\d{1,5})?|RESOLVED)\] \S|Alerts (?:Firing|Resolved):$|(?:- )?alertname = "
    r"|Alert Name:\s{1,20}\S"
)
_PAIR: Final = re.compile(
    r"(?:- )?(?P<key>Alert Name|Message|Topic|Time|Notification Type|Service|Host(?: ?[Nn]ame)?|Address|State|Date/Time"
    r"|(?:Additional )?Info"
    r"|Problem name|Severity|Trigger(?: status| severity| URL)?|Operational (?:problem|data)|Original problem ID"
    r"|Problem duration|Item values|Labels|Annotations|Source|Comment|Author|When|URL|[a-z][a-z_]{1,60}(?= = ))"
    r"(?:: ?| = )(?P<value>.{0,2000})$"
)
_RESULT: Final = re.compile(r"(?:OK|UP|WARN(?:ING)?|CRIT(?:ICAL)?|UNKNOWN|DOWN|PING)\b ?[:-]? ?\S|\d{1,3}\. \S")
_INFO: Final = ("Additional Info", "Info")
_HOSTS: Final = ("Host", "Host name", "Hostname", "instance")
_SEVERITIES: Final = ("Severity", "Trigger severity", "severity")
_CALLED: Final = ("Service", "Problem name", "Trigger", "alertname", "Alert Name")
_FIRST: Final = frozenset(("Notification Type", "Problem name", "Trigger", "alertname", "Alert Name"))
"""Keys of which each notification has one."""
_MESSAGES: Final = (*_INFO, "Message", "text", "summary", "description", "message")
_PORT: Final = re.compile(r":\d{1,5}$")
_LEVELS: Final = {
    "critical": "error",
    "crit": "error",
    "down": "error",
    "unreachable": "error",
    "disaster": "error",
    "high": "error",
    "error": "error",
    "page": "error",
    "warning": "warning",
    "warn": "warning",
    "average": "warning",
    "unknown": "warning",
}
_DOWN: Final = ("DOWN", "UNREACHABLE")
_OVER: Final = ("RECOVERY", "DOWNTIME", "FLAPPINGSTOP", "OK", "UP")
_WELL: Final = ("OK", "UP")
_IS_OVER: Final = re.compile(r"Problem has been resolved|\[RESOLVED\]|Alerts Resolved:")
_IS_NEW: Final = re.compile(r"Problem started at|\[FIRING|Alerts Firing:|\*{3,8} [A-Z]")


def _owns(text: str, before: str) -> bool:
    line = text.strip()
    return (
        re.match(_OPENS, line) is not None
        or _PAIR.match(line) is not None
        or _RESULT.match(line) is not None
        or before.strip().rstrip(":") in _INFO
    )


@parser("monitor_mails", version=2, product="", claims=_OPENS, owns=_owns, priority=1, names_hosts=True)
def monitor_mails(section: OpenSection, out: Output) -> None:
    """One notification after the other."""
    notice = _Notice(section)
    for line in section:
        notice.take(line.number, line.text.strip())
        out.everyday()
    notice.put()


class _Notice:
    """What a notification tells so far."""

    def __init__(self, section: OpenSection) -> None:
        self._section = section
        self._words: dict[str, str] = {}
        self._number = 0
        self._is_over = False

    def take(self, number: int, text: str) -> None:
        """One line; a key that comes again begins the next notification."""
        pair = _PAIR.match(text)
        is_new = _IS_NEW.match(text) is not None
        if is_new or (pair is not None and pair["key"] in _FIRST and pair["key"] in self._words):
            self.put()
        if is_new or _IS_OVER.match(text) is not None:
            self._is_over = not is_new
        if pair is not None:
            self._number = self._number or number
            self._words.setdefault(pair["key"], pair["value"].strip())
        elif self._words and re.match(_OPENS, text) is None:
            self._words.setdefault("text", text)

    def put(self) -> None:
        """What it says, unless it says that all is well again."""
        words, number = self._words, self._number
        self._words, self._number = {}, 0
        state, severity = words.get("State", ""), _first(words, _SEVERITIES)
        level = level_of(state or severity)
        ways = (state, words.get("Notification Type", ""), words.get("Trigger status", ""))
        host = _PORT.sub("", _first(words, _HOSTS)) or self._section.node or ""
        if state in _WELL:
            put_well(self._section, number, _first(words, _CALLED) or "host", host, state)
        if not level or self._is_over or any(way.upper().startswith(_OVER) for way in ways):
            return
        service, message = _first(words, _CALLED), _first(words, _MESSAGES) or state
        if service:
            text = f"{service}: {message}" if message else service
            put_service(self._section, number, Levelled("", host, service, level, text))
        elif host and state in _DOWN:
            put_down(self._section, number, host)


def level_of(word: str) -> str:
    """The level of a message of that state or severity; empty where nothing is wrong."""
    return _LEVELS.get(word.split(" ", 1)[0].lower(), "")


def put_service(section: OpenSection, number: int, one: Levelled) -> None:
    """What a monitor says of a service or an alert that is wrong."""
    found = meaning_in(one)
    if found is None or found.kind == UNLISTED:
        weight: Weight = "trouble" if one.level == "error" else "notice"
        found = Found("monitor-alert", shown(one.text), weight=weight)
    add_message(section, number, found, source="monitor", text=one.text, node=one.host or None)


def put_well(section: OpenSection, number: int, called: str, host: str, state: str) -> None:
    """What a monitor says is in order, or again so."""
    section.add(
        HealthState,
        number,
        node=host or None,
        source="monitor",
        component=called,
        state=state,
        standing="healthy",
    )


def _first(words: dict[str, str], keys: tuple[str, ...]) -> str:
    return next((words[key] for key in keys if words.get(key)), "")
