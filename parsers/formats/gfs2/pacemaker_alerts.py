"""Alerts of Pacemaker: what its agents write into a file or a mail, and the variables that they are given.

    02:11:05.220144: Node 'perch3' is now 'lost'                                  alert_file
    02:11:31.402011: Fencing Operation reboot of perch3 by perch1 for pacemaker-controld.2015@perch1: Timer expired
    02:12:03.902011: Resource operation 'monitor (10s)' for 'pool_fs' on 'perch1': not running
    Subject: 02:11:05.220144 pond: Node 'perch3' is now 'lost'                    alert_smtp
    CRM_alert_kind=fencing
    CRM_alert_desc=Operation reboot of perch3 by perch1 for stonith_admin.81@perch1: OK (ref=7f0c)

Yields ``Event``: what the log of the daemon says in the same case. A stamp has the form that the site chose; a time of
day alone is kept as such. The variables count where no line in words stands in front. Source: Pacemaker Administration,
"Alerts", and the agents that come with it.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.host.logs.kernel_log_kinds import meaning_of
from parsers.output import Output
from parsers.registry import parser
from parsers.sections.message_events import add_message
from parsers.sections.reader import OpenSection
from parsers.times.clock import find_instant, time_of_day

_STAMP: Final = r"(?:\d{4}\.\s{1,2})?(?P<stamp>[\d:.,/T+Z -]{5,40}?)(?: \([\d:.]{8,20}\))?:?[ ]"
_NAME: Final = r"[A-Za-z0-9][\w.-]{0,126}"
_SENTENCE: Final = (
    rf"(?:Node '(?P<node>{_NAME})' is now '(?P<state>\w{{2,20}})'|Fencing (?P<fencing>Operation \S.{{0,300}})"
    r"|Resource operation '(?P<task>[\w-]{2,30})(?P<often> \([\w.]{1,20}\))?' for '(?P<resource>[^']{1,120})'"
    rf" on '(?P<on>{_NAME})': (?P<result>\S.{{0,200}})"
    r"|Attribute '[^']{1,120}' on node '[^']{1,120}' was updated to '[^']{0,200}')"
)
_LINE: Final = rf"(?:Subject: {{0,4}})?(?:{_STAMP})?(?:[\w.-]{{1,80}}: )?{_SENTENCE}"
_VARIABLE: Final = r"(?:export )?CRM_alert_(?P<name>\w{2,30})=(?P<quote>['\"]?)(?P<value>.{0,400}?)(?P=quote)"
_BARE: Final = re.compile(r"\(\?P<\w{1,20}>|\(\?P=quote\)")
_CLAIMS: Final = (
    rf"(?:{_BARE.sub(lambda one: '(?:' if one[0].endswith('>') else '', _LINE)}$|(?:export )?CRM_alert_\w{{2,30}}=)"
)
_IS_LINE: Final = re.compile(rf"{_LINE}$")
_IS_VARIABLE: Final = re.compile(rf"{_VARIABLE}$")
_REFERENCE: Final = re.compile(r" \(ref=[\w-]{1,80}\)")
_WELL: Final = re.compile(r"(?i)ok\b|cancelled|complete")


@parser("pacemaker_alerts", version=2, product="gfs2", claims=_CLAIMS)
def pacemaker_alerts(section: OpenSection, out: Output) -> None:
    """Alerts as lines in words, or as variables."""
    values: dict[str, tuple[int, str]] = {}
    for line in section:
        text = line.text.strip()
        if (match := _IS_LINE.match(text)) is not None:
            _put(section, line.number, match["stamp"] or "", _of_words(match))
            out.everyday(1)
        elif (match := _IS_VARIABLE.match(text)) is not None:
            if match["name"] in values:
                _close(section, values)
            values[match["name"]] = line.number, match["value"]
            out.frame()
        else:
            out.skip(line, "no alert")
    _close(section, values)


def _close(section: OpenSection, values: dict[str, tuple[int, str]]) -> None:
    """One set of variables is whole; the line in words above it may have said the same."""
    number, description = values.get("desc", (0, ""))
    given = {name: value for name, (_, value) in values.items()}
    values.clear()
    program, message = _of_values(given, description)
    if _REFERENCE.sub("", message) != section.state.pop("last", None):
        _put(section, number, given.get("timestamp", ""), (program, message))


def _of_words(match: re.Match[str]) -> tuple[str, str]:
    """The program that would have logged it, and its message."""
    if match["fencing"]:
        return "pacemaker-fenced", match["fencing"]
    if match["node"]:
        return "pacemaker-controld", f"Node {match['node']} state is now {match['state']}"
    if match["task"]:
        return _of_resource(match["task"], match["resource"], match["on"], match["result"], again=bool(match["often"]))
    return "", ""


_AT_LAST: Final = " at last"
"""Where a log tells the moment, an alert has one of its own."""


def _of_values(given: dict[str, str], description: str) -> tuple[str, str]:
    node = given.get("node", "")
    if given.get("kind") == "fencing":
        return "pacemaker-fenced", description
    if given.get("kind") == "node":
        return "pacemaker-controld", f"Node {node} state is now {description}"
    if given.get("kind") == "resource":
        again = given.get("interval", "0") not in ("", "0")
        return _of_resource(given.get("task", "operation"), given.get("rsc", "?"), node, description, again=again)
    return "", ""


def _of_resource(task: str, name: str, node: str, result: str, *, again: bool) -> tuple[str, str]:
    """A probe that finds nothing running is as it should be; a monitor that comes again is not."""
    if _WELL.match(result) or (task == "monitor" and not again):
        return "", ""
    return "pacemaker-controld", f"Unexpected result ({result}) was recorded for {task} of {name} on {node}{_AT_LAST}"


def _put(section: OpenSection, number: int, stamp: str, description: tuple[str, str]) -> None:
    """The event of an alert."""
    program, message = description[0], _REFERENCE.sub("", description[1])
    found = meaning_of(program, message) if program else None
    if found is None:
        return
    section.state["last"] = message
    instant = found_at[0] if (found_at := find_instant(stamp)) is not None else None
    at = instant.us if instant is not None else time_of_day(stamp.strip())
    if instant is not None:
        section.stamp(instant)
    zone = instant.zone_min if instant is not None else None
    text = message.removesuffix(_AT_LAST)
    add_message(section, number, found, source=program, text=text, node=section.node, at=at, zone_min=zone)
