"""``vxnotify``: events of the volume manager as they happen.

    Wed Mar  4 12:19:08 2020: connected
    Wed Mar  4 12:21:43 2020: detach disk teal0_04 dm shop03 dg shop dgid 1582730145.12.teal1
    Wed Mar  4 12:21:43 2020: detach plex cart-02 volume cart dg shop dgid 1582730145.12.teal1
    disable dg shop dgid 1582730145.12.teal1

Yields ``Event`` of kinds by ``parsers/messages``; what was imported, started or attached is everyday. The time stands
in front where ``-t`` asked for it. Source: vxnotify(1M).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.catalogue import find
from parsers.clock import find_instant
from parsers.message_events import OfLine, add_message
from parsers.output import Output
from parsers.registry import parser
from parsers.rows import lines_of
from parsers.sections import OpenSection

_STAMP: Final = r"[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d (?:[A-Z]{2,5} )?\d{4}"
_VERB: Final = r"[a-z][a-z-]{2,15}"
_THING: Final = (
    rf"{_VERB} (?:dg \S{{1,120}} dgid|disk \S{{1,120}} (?:dm|dg)|plex \S{{1,120}} volume|volume \S{{1,120}} (?:dg|rg)"
    r"|subdisk \S{1,120} plex|rlink \S{1,120} (?:rvg|rg|dg)|rvg \S{1,120} dg) \S"
)
_TIMED: Final = rf"{_STAMP}: {_VERB} (?:dg|disk|plex|volume|subdisk|rlink|rvg) \S"
_SPOKEN: Final = r"(?:dis)?connected$|more events$|waiting \.\.\.$"
_LINE: Final = re.compile(rf"(?:(?P<stamp>{_STAMP}): )?(?P<text>(?:{_THING}|{_SPOKEN}|{_VERB} [a-z]{{2,8}} \S).*)$")


@parser(
    "vxnotify",
    version=1,
    product="veritas",
    claims=rf"{_TIMED}|{_STAMP}: (?:{_SPOKEN})|{_THING}",
    owns=rf"(?:{_STAMP}: )?(?:{_THING}|{_SPOKEN})|{_STAMP}: [a-z]",
    commands=("vxnotify",),
    priority=5,
)
def vxnotify(section: OpenSection, out: Output) -> None:
    """What was detached, disabled or lost."""
    for line, match in lines_of(section, out, _LINE, "no event of an object"):
        found = find("vxnotify", match["text"])
        instant = find_instant(match["stamp"]) if match["stamp"] else None
        if instant is not None:
            section.stamp(instant[0])
        if found is None:
            out.everyday()
            continue
        of_line: OfLine = {"at": instant[0].us, "zone_min": instant[0].zone_min} if instant is not None else {}
        add_message(section, line.number, found, source="vxnotify", text=match["text"], **of_line)
