"""Log of CTDB (``log.ctdb``), which has no node and no kernel in front of its words.

    2031/03/26 14:43:45.400759 ctdbd[25187]: dead count reached for node 1
    2031/03/26 14:43:50.100812 ctdb-recoverd[25190]: Unable to take recovery lock - contention

Yields ``Event`` of source ``ctdb`` for messages that matter (``parsers/messages``), and for unknown ones that sound
like trouble; all others are everyday ones. Times as printed, local. Source: ctdb(7), ctdbd_wrapper(1); the layout is
recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.host.logs.kernel_log_kinds import UNLISTED
from parsers.ledger import Fate
from parsers.messages.catalogue import Found, find, sounding
from parsers.output import Output
from parsers.records import Event
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import lines_of
from parsers.times.clock import Instant, find_instant

_HEAD: Final = (
    r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d\.\d{6} (?:ctdb(?:d|-[a-z]{3,16}|_[a-z]{3,16})?\[\d{1,9}\]: ?|\[ {0,8}\d{1,9}\]: ?)"
)
_LINE = re.compile(r"(?P<stamp>\d{4}/\d\d/\d\d \d\d:\d\d:\d\d\.\d{6}) (?P<head>[^:]{2,40}: ?)(?P<text>.*)$")
_CUT: Final = 400


@parser("ctdb_log", messages=True, version=1, product="", claims=_HEAD, owns=_HEAD)
def ctdb_log(section: OpenSection, out: Output) -> None:
    """``log.ctdb``: lines that matter."""
    for line, match in lines_of(section, out, _LINE, "no message of CTDB"):
        found = find_instant(match["stamp"].replace("/", "-"))
        instant: Instant | None = found[0] if found is not None else None
        if instant is not None:
            section.stamp(instant)
        meaning = find("ctdb", match["text"])
        if meaning is None and (weight := sounding(match["text"])):
            meaning = Found(UNLISTED, weight=weight)
        if meaning is None or meaning.weight in ("", "everyday"):
            out.ledger.change(1, Fate.EVERYDAY)
            continue
        section.add(
            Event,
            line.number,
            at=instant.us if instant is not None else None,
            source="ctdb",
            kind=meaning.kind,
            about=meaning.about,
            weight=meaning.weight,
            text=match["text"][:_CUT],
        )
