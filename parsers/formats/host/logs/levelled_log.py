"""Logs of programs, monitors and forwarders that have no reader of their own: a moment, a level and a message on each
line (``levelled`` says in which orders).

    2027-03-09T14:20:03Z ERROR  mmfsd      Disk failure. Volume work. rc = 5. Physical volume nsd_021.
    2027-03-09 14:20:03 - storage.watch - ERROR - mount /srv/mail is gone

Every other reader goes first. A line opens such a log where the catalogue knows its message, or where its level is one
of errors; then all lines of that form belong to it. Yields ``Event`` for lines that mean something; the level of a
program that nobody knows weighs a notice. Source: as there.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.host.logs.levelled import Levelled, has_object, is_known, is_quiet_alike, levelled, meaning_in
from parsers.lookup import claimed
from parsers.messages.catalogue import level_weight
from parsers.output import Output
from parsers.registry import parser
from parsers.sections.message_events import add_message
from parsers.sections.reader import OpenSection
from parsers.times.clock import find_instant

_CONTINUED: Final = re.compile(
    r"\s+at [\w.$<>]{1,200}\(|Caused by: |[\w.$]{4,200}(?:Exception|Error)\b|Traceback \(most recent|\s+File \""
    r"|\s{1,8}/[\w./@-]{1,200}\.go:\d|[\w.-]{1,60}(?:/[\w.-]{1,60}){1,8}\.\S{1,160}$"
)


def _is_alone(text: str) -> bool:
    one = levelled(text)
    if one is None:
        return False
    if level_weight(one.level) in ("trouble", "disaster") or is_known(one.program) or has_object(text):
        return True
    return meaning_in(one) is not None


def _owns(text: str, before: str) -> bool:
    if _CONTINUED.match(text) is not None:
        return True
    return levelled(text.strip()) is not None and claimed(text) is None


@parser(
    "levelled_log",
    messages=True,
    version=1,
    product="",
    claims=r"(?!)",
    owns=_owns,
    alone=_is_alone,
    alone_alike=is_quiet_alike,
)
def levelled_log(section: OpenSection, out: Output) -> None:
    """Messages with a level, of any program."""
    for line in section:
        one = levelled(line.text.strip())
        if one is None:
            out.everyday(1)  # the rest of a message: where a program was when it failed
        elif not put_levelled(section, line.number, one):
            out.everyday(1)


def put_levelled(section: OpenSection, number: int, one: Levelled) -> bool:
    """Put the event of a message out, if it is no everyday one."""
    found = meaning_in(one)
    instant = find_instant(one.stamp) if one.stamp else None
    if instant is not None:
        section.stamp(instant[0])
    if found is None:
        return False
    add_message(
        section,
        number,
        found,
        source=one.program or "log",
        text=one.text,
        node=one.host or section.node,
        at=instant[0].us if instant else section.at,
        zone_min=instant[0].zone_min if instant else section.zone_min,
    )
    return True
