"""Members that left a Linux cluster, as its own log names them: not the node whose log it is."""

from __future__ import annotations

import re
from typing import Final

from apps.diagnosis.engine.core.events import Events, LogLine
from apps.diagnosis.engine.core.nodes import Nodes

LEFT_MOST: Final = 8
_LEFT: Final = re.compile(r"(?:[Mm]embers?|Sync) left(?:\[\d{1,4}\])?:? ((?:\d{1,10}(?:[ ,]{1,2}|$)){1,64})")
_NAMED: Final = re.compile(r"\[\d{1,10}\]$")  # "kite2[2]" in older logs of Pacemaker
_NUMBER: Final = re.compile(r"\d{1,10}")


def members_left(events: Events, names: Nodes) -> tuple[str, ...]:
    """Members that a new membership lacks, by name where the case tells it, else by id; where no log says that, those
    whose peers call them lost.
    """
    found = [
        names.name(number)
        for line in events.lines("totem-membership")
        if (match := _LEFT.search(line.text))
        for number in _NUMBER.findall(match[1])
    ]
    found = found or [_NAMED.sub("", line.about) for line in events.lines("node-left") if line.about]
    return tuple(dict.fromkeys(found))[:LEFT_MOST]


def is_later(end: LogLine, line: LogLine) -> bool:
    """Whether a line of the same node stands behind another in time, or in the text where a time is missing."""
    if end.node != line.node:
        return False
    if end.at is not None and line.at is not None and end.at != line.at:
        return end.at > line.at
    return (end.ref.artifact, end.ref.line) > (line.ref.artifact, line.ref.line)
