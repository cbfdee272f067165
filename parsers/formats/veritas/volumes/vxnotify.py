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

from parsers.formats.veritas.log import PLACEHOLDER
from parsers.messages.catalogue import find
from parsers.output import Output
from parsers.registry import parser
from parsers.sections.message_events import OfLine, add_message
from parsers.sections.reader import OpenSection
from parsers.tables.rows import lines_of
from parsers.times.clock import find_instant

_STAMP: Final = (
    r"[A-Z][a-z]{2} {1,40}[A-Z][a-z]{2} {1,40}\d{1,2} {1,40}\d\d:\d\d:\d\d {1,40}(?:[A-Z]{2,5} {1,40})?\d{4}"
)
_NODE: Final = r"(?:[A-Za-z0-9][\w.-]{1,126}: {1,4})?"
"""What a parallel shell puts in front: another log with such stamps would take the line with it."""
_VERB: Final = r"[a-z][a-z-]{2,15}"
_GAP: Final = r"\s{1,40}"
_NAME: Final = rf"{_GAP}\S{{1,120}}{_GAP}"
_THING: Final = (
    rf"{_VERB}{_GAP}(?:dg{_NAME}dgid|disk{_NAME}(?:dm|dg)|plex{_NAME}volume|volume{_NAME}(?:dg|rg)|subdisk{_NAME}plex"
    rf"|rlink{_NAME}(?:rvg|rg|dg)|rvg{_NAME}dg)\s"
)
_TIMED: Final = rf"{_NODE}{_STAMP}:{_GAP}{_VERB}{_GAP}(?:dg|disk|plex|volume|subdisk|rlink|rvg)\s"
_SPOKEN: Final = r"(?:dis)?connected$|more\s{1,40}events$|waiting\s{1,40}\.\.\.$"
_LINE: Final = re.compile(
    rf"(?:(?P<node>[A-Za-z0-9][\w.-]{{1,126}}): {{1,4}}(?={_STAMP}))?(?:(?P<stamp>{_STAMP}):\s{{1,40}})?"
    rf"(?P<text>(?:{_THING}|{_SPOKEN}|{_VERB}{_GAP}[a-z]{{2,8}}\s).*)$"
)


@parser(
    "vxnotify",
    messages=True,
    version=1,
    product="veritas",
    claims=rf"{_TIMED}|{_NODE}{_STAMP}:\s{{1,40}}(?:{_SPOKEN})|{_THING}",
    owns=rf"(?:{_STAMP}:\s{{1,40}})?(?:{_THING}|{_SPOKEN})|{_NODE}{_STAMP}:\s{{1,40}}[a-z]",
    commands=("vxnotify",),
    priority=5,
)
def vxnotify(section: OpenSection, out: Output) -> None:
    """What was detached, disabled or lost."""
    for line, match in lines_of(section, out, _LINE, "no event of an object"):
        text = " ".join(match["text"].split())
        if not match["stamp"] and PLACEHOLDER.search(text) is not None:
            out.skip(line, "a manual's words for names")
            continue
        found = find("vxnotify", text)
        instant = find_instant(match["stamp"]) if match["stamp"] else None
        if instant is not None:
            section.stamp(instant[0])
        if found is None:
            out.everyday()
            continue
        of_line: OfLine = {"at": instant[0].us, "zone_min": instant[0].zone_min} if instant is not None else {}
        if match["node"]:
            of_line["node"] = match["node"]
        add_message(section, line.number, found, source="vxnotify", text=text, **of_line)
