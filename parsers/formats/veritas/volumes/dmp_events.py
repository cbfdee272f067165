"""``/etc/vx/dmpevents.log``: what DMP saw of its paths.

    Sat Mar 20 14:02:11.343: Disabled Path sdd belonging to Dmpnode reed0_0b21 due to path failure

Yields ``Event`` of kinds by ``parsers/messages``, with its own time; other lines are everyday. Source: DMP
administrator's guides.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.messages.catalogue import find
from parsers.output import Output
from parsers.records import Event
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import lines_of
from parsers.times.clock import find_instant

_DAY: Final = r"[A-Z][a-z]{2} [A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d"
_STAMP: Final = rf"(?:{_DAY}(?:\.\d{{1,6}})?(?: [A-Z]{{3,5}})? \d{{4}}|{_DAY}\.\d{{1,6}})"
_WORDS: Final = (
    r"(?:I/O |Disabled |Enabled |Path |Dmpnode |Throttled |Marked |Quiesced |Reconfigur|Added |Removed "
    r"|Failback|Failover|SCSI |SAN |Array )"
)
_CLAIMS: Final = rf"(?:{_STAMP}): {_WORDS}"
_LINE: Final = re.compile(rf"(?P<stamp>{_STAMP}): (?P<text>.+)$")


@parser("dmp_events", version=2, product="veritas", claims=_CLAIMS, owns=rf"(?:{_STAMP}): \S", priority=4)
def dmp_events(section: OpenSection, out: Output) -> None:
    """Events of DMP: paths and nodes lost and found."""
    for line, match in lines_of(section, out, _LINE, "no event with its time"):
        instant = find_instant(match["stamp"])
        at = instant[0].us if instant is not None else _of_year(section, match["stamp"])
        if instant is not None:
            section.stamp(instant[0])
        found = find("dmpevents", match["text"])
        if found is None:
            out.everyday()
            continue
        out.add(
            Event(
                line=line.number,
                node=section.node,
                at=at,
                source="dmpevents",
                kind=found.kind,
                about=found.about,
                weight=found.weight,
                text=match["text"][:400],
            )
        )


def _of_year(section: OpenSection, stamp: str) -> int | None:
    """A stamp without a year: that of the text."""
    _, month, day, clock = stamp.split()[:4]
    return section.years.stamp(month, day, clock)
