"""Logs of PowerHA (HACMP) and what commands of the volume manager of AIX answer.

    Jul 19 10:48:13 finch user:notice PowerHA SystemMirror for AIX: EVENT START: node_down wren
    Oct 29 2031 19:14:15 EVENT FAILED: 1: get_disk_vg_fs datavg 1
    2031-07-19T10:48:13|die: clstrmgr on node 2 is exiting with code 4
    Oct 29 2031 19:14:15 cl_pvo: Failed to vary on volume group datavg in passive mode
    :cl_pvo:datavg[16] varyonvg -n -c -P datavg
    0516-052 varyonvg: Volume group cannot be varied on without a quorum.

Yields ``Event`` for messages that matter (``parsers/messages``); all others, and what the scripts trace of themselves,
are everyday. Times as printed, local. Tolerated: lines without a year, a log without its host. Source: the
troubleshooting guide of PowerHA SystemMirror and messages of AIX, recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.messages.catalogue import find
from parsers.output import Output
from parsers.registry import parser
from parsers.sections.message_events import add_message
from parsers.sections.reader import OpenSection
from parsers.tables.rows import lines_of
from parsers.times.clock import MONTH, Instant, find_instant

_STAMP: Final = (
    rf"(?:{MONTH} {{1,2}}\d{{1,2}} (?:\d{{4}} )?\d\d:\d\d:\d\d|\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{{1,6}})?\|?)"
)
_PRODUCT: Final = r"(?:(?:PowerHA SystemMirror|HACMP)(?: for AIX)?(?: -)?: {0,2}|HACMP: )"
_EVENT: Final = r"EVENT (?:START|COMPLETED|FAILED|PREAMBLE|[A-Z ]{3,20}):"
_SCRIPT: Final = r"cl_?\w{2,24}: \S"
_DAEMON: Final = r"(?:die: )?(?:clstrmgr(?:ES)?\b|topsvcs\b|grpsvcs\b|hagsd\b)"
_TRACE: Final = r"[:+][\w.-]{0,40}(?::[\w.-]{0,60})?\[\+?\d{1,5}\] "
_COMMAND: Final = r"0516-\d{1,4} \w{2,24}: "
_CLAIMS: Final = (
    rf"(?:{_STAMP} ?(?:[\w.-]{{1,64}} \w{{2,8}}:\w{{2,8}} )?(?:{_PRODUCT}|(?:{_EVENT}"
    rf"|!{{5,20}} (?:ERROR|WARNING) !{{5,20}}|{_SCRIPT}|{_DAEMON}))|{_TRACE}|{_COMMAND})"
)
_LINE = re.compile(
    rf"(?:(?P<stamp>{_STAMP}) ?(?:(?P<host>[\w.-]{{1,64}}) \w{{2,8}}:\w{{2,8}} )?{_PRODUCT}?)?(?P<text>\S.{{0,1000}})$"
)
_IS_NAME = re.compile(r"[A-Za-z_][\w.-]{0,40}")
_IS_TRACE = re.compile(_TRACE)


@parser("powerha", version=1, product="", claims=_CLAIMS, owns=rf"{_CLAIMS}|\*{{10,80}}$")
def powerha(section: OpenSection, out: Output) -> None:
    """``cluster.log``, ``hacmp.out`` and ``clstrmgr.debug``: what the cluster did, and what failed of it."""
    for line, match in lines_of(section, out, _LINE, "no message of PowerHA"):
        text, stamp = match["text"], (match["stamp"] or "").rstrip("|")
        instant = _instant(section, stamp)
        if instant is not None:
            section.stamp(instant)
        found = None if _IS_TRACE.match(text) is not None else find("powerha", text)
        if found is None or found.weight in ("", "everyday"):
            out.everyday(1)
            continue
        if found.about is None:
            found = found._replace(about=_group_of(section))
        node = match["host"] or section.node
        at = None if instant is None else instant.us
        add_message(section, line.number, found, source="powerha", text=text, node=node, at=at)


def _group_of(section: OpenSection) -> str | None:
    """The volume group that somebody asked for, where the answer does not name it."""
    command = section.command
    if command is None or command.program not in ("varyonvg", "importvg", "syncvg"):
        return None
    named = [word for word in command.args if _IS_NAME.fullmatch(word)]
    return named[-1] if named else None


def _instant(section: OpenSection, stamp: str) -> Instant | None:
    if not stamp:
        return None
    if (found := find_instant(stamp)) is not None and found[0].dated:
        return found[0]
    month, day, clock = stamp.split()[0], stamp.split()[1], stamp.split()[-1]
    us = section.years.stamp(month, day, clock)
    return None if us is None else Instant(us, None)
