"""Members that left a Linux cluster, as its own log names them: not the node whose log it is."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Final

from apps.diagnosis.engine.core.facts.events import Events, LogLine
from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.times.line_order import Stand, is_behind
from apps.diagnosis.engine.core.words.metrics import log

LEFT_MOST: Final = 8
MEMBERSHIP: Final = log("membership-of-linux-cluster")
_LEFT: Final = re.compile(r"(?:[Mm]embers?|Sync) left(?:\[\d{1,4}\])?:? ((?:\d{1,10}(?:[ ,]{1,2}|$)){1,64})")
_LISTED: Final = re.compile(r"Members\[\d{1,4}\]: ((?:\d{1,10}(?: |$)){1,64})")
_NAMED: Final = re.compile(r"\[\d{1,10}\]$")  # "kite2[2]" in older logs of Pacemaker
_NUMBER: Final = re.compile(r"\d{1,10}")


def members_left(events: Events, names: Nodes) -> tuple[str, ...]:
    """Members that a new membership lacks, by name where the case tells it, else by id; where no log says that, those
    that one list of members has and the last one lacks, or whose peers call them lost.
    """
    found = [
        names.name(number)
        for line in events.lines("totem-membership")
        if (match := _LEFT.search(line.text))
        for number in _NUMBER.findall(match[1])
    ]
    found = found or [names.name(number) for number in _missing(events)]
    found = found or [_NAMED.sub("", line.about) for line in events.lines("node-left") if line.about]
    return tuple(dict.fromkeys(found))[:LEFT_MOST]


def _missing(events: Events) -> list[str]:
    """Ids that stand in a list of members of a node and not in its last one; where it printed one list only, those to
    which its lock manager closed the connection at that time.
    """
    lists: dict[str | None, list[tuple[str, ...]]] = defaultdict(list)
    for line in events.lines("totem-joined", "totem-membership"):
        if match := _LISTED.search(line.text):
            lists[line.node].append(tuple(_NUMBER.findall(match[1])))
    found = [one for own in lists.values() for past in own[:-1] for one in past if one not in own[-1]]
    last = {one for own in lists.values() for one in own[-1]}
    closed = [line.about for line in events.lines("dlm-connection-closed") if line.about and line.node in lists]
    return sorted({*found, *(one for one in closed if one not in last)}, key=lambda one: (len(one), one))


def is_later(end: LogLine, line: LogLine) -> bool:
    """Whether a line of the same node stands behind another in time, or in the text where a time is missing."""
    return end.node == line.node and is_behind(_stand(end), _stand(line))


def _stand(line: LogLine) -> Stand:
    return Stand(line.at, line.zone_min, line.ref.artifact, line.ref.line)
