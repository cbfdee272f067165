"""Logs of Ceph: the one of the cluster (``ceph.log``, ``ceph -w``), those of its daemons, and ``ceph health detail`` on
placement groups.

    2031-03-18T18:36:14.293172+0000 mon.carp1 (mon.0) 976 : cluster [WRN] Health check failed: 1 osds down (OSD_DOWN)
    2031-03-18 18:36:50.511608 osd.3 [WRN] 17 slow requests, 6 included below; oldest blocked for > 2894.7 secs
    2031-03-18T18:36:52.001+0000 7fc70d6a9700 -1 osd.3 412 heartbeat_check: no reply from 10.9.0.4:6804 osd.7 since ...
    2031-03-18 18:36:50.511608 mon.carp1 mon.0 10.9.0.4:6789/0 976 : cluster [WRN] 3 slow requests are blocked > 32 sec
    pg 3.17 is stuck undersized for 6857.440037, current state stale+active+undersized+degraded, last acting [0,1]

Yields ``Event`` of source ``ceph`` for messages that matter (``parsers/messages/ceph.toml``), weighed by their level
too; unknown ones that sound like trouble count as well. Source: the manual of Ceph on its logs and health checks.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.host.logs.kernel_log_kinds import UNLISTED
from parsers.messages.catalogue import Found, find, level_weight, sounding
from parsers.output import Output
from parsers.registry import parser
from parsers.sections.message_events import add_message
from parsers.sections.reader import OpenSection
from parsers.tables.rows import lines_of
from parsers.times.clock import find_instant

_STAMP: Final = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\.\d{3,6}(?:[+-]\d{4}|Z)?"
_PASSED: Final = r"(?:(?:cluster|audit|debug) |\d{4}-\S{12,30} [A-Z]{4,8}:[\w.@-]{3,160}:)"
"""What stands before a line that somebody else took down: its channel, or the log of whoever ran the daemon."""
_AT: Final = r"(?:mon|osd|mgr|mds|client)\.[\w.-]{1,80} \S{7,60}/\d{1,10} \d{1,12} : "
"""Until Mimic: the rank or the id, the address, and the number of the message."""
_WHO: Final = r"(?:mon|osd|mgr|mds|client)\.[\w.-]{1,80}"
_LEVEL: Final = r"\[(?:DBG|INF|WRN|ERR|SEC)\]"
_OF_CLUSTER: Final = (
    rf"{_PASSED}?{_STAMP} {_WHO} (?:\([\w.:/ -]{{3,80}}\) \d{{1,12}} : |{_AT})?(?:\w{{4,10}} )?{_LEVEL} "
)
_OF_DASHBOARD: Final = rf"{_STAMP} {_LEVEL} {{1,4}}{_WHO} "
"""As the web page of a cluster lists its log: the level goes before the daemon."""
_OF_DAEMON: Final = rf"{_PASSED}?{_STAMP} {{1,4}}[0-9a-f]{{8,16}} {{1,4}}-?\d{{1,2}} "
_OF_GROUP: Final = r"pg [0-9a-f]{1,6}\.[0-9a-f]{1,6} is (?:stuck |not |[a-z]{4,20}(?:\+[a-z_]{4,20}){0,8}, )"
_LINE = re.compile(
    rf"(?:{_PASSED}?(?P<stamp>{_STAMP}) {{1,4}})?"
    rf"(?:\[(?P<first>[A-Z]{{3}})\] {{1,4}}(?={_WHO} )"
    rf"|(?P<who>{_WHO}) .{{0,100}}?\[(?P<level>[A-Z]{{3}})\] |[0-9a-f]{{8,16}} {{1,4}}(?P<priority>-?\d{{1,2}}) )?"
    r"(?P<text>\S.{0,4000})$"
)
_LEVELS: Final = {"WRN": "warning", "ERR": "err", "SEC": "warning"}
_AN_ERROR: Final = "-1"
"""Priority of what a daemon prints of errors, and of some things at its start and end."""
_PASSED_ON: Final = re.compile(r"log_channel\(\w{3,12}\) log \[(?P<level>[A-Z]{3})\] : ")
"""What a daemon sends to the log of the cluster stands in its own as well."""


@parser(
    "ceph_log",
    version=3,
    product="storage",
    claims=rf"(?:{_OF_CLUSTER}|{_OF_DASHBOARD}|{_OF_DAEMON}|{_OF_GROUP})",
    messages=True,
)
def ceph_log(section: OpenSection, out: Output) -> None:
    """One event for each message that says something."""
    for line, match in lines_of(section, out, _LINE, "a message that is cut"):
        found = find_instant(match["stamp"]) if match["stamp"] else None
        if found is not None:
            section.stamp(found[0])
        text, level = match["text"], match["level"] or match["first"] or ""
        if (passed := _PASSED_ON.search(text)) is not None:
            text, level = text[passed.end() :], passed["level"]
        meaning = find("ceph", text) or _unlisted(text, level, match["priority"])
        if meaning is None or meaning.weight == "everyday":
            out.everyday()
            continue
        if meaning.about is None and (match["who"] or "").startswith("osd."):
            meaning = meaning._replace(about=match["who"])
        own = level_weight(_LEVELS.get(level, ""))
        if own == "trouble" and meaning.weight == "notice":
            meaning = meaning._replace(weight=own)
        add_message(section, line.number, meaning, source="ceph", text=text, at=found[0].us if found else None)


def _unlisted(text: str, level: str, priority: str | None) -> Found | None:
    """What a message of no row weighs whose words sound like trouble: by its level, or by the priority of its line."""
    weight = sounding(text) if level in _LEVELS or priority == _AN_ERROR else ""
    if not weight:
        return None
    return Found(UNLISTED, weight=weight if level in _LEVELS else "notice")
