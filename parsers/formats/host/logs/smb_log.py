"""Logs of Samba (``log.smbd``, ``log.winbindd``): a head with moment, level and place, and the words below it.

    [2031/03/26 14:43:45.400759,  0] ../../source3/lib/dbwrap/dbwrap_ctdb.c:855(fetch_locked)
      db_ctdb_fetch_locked for /var/lib/ctdb/volatile/locking.tdb.0 key 1A2B, chain 4711 needed 1 attempts, 41220 ...
    [2031/03/26 14:43:46.100812,  1, pid=7312, effective(0, 0), real(0, 0)] ../source3/smbd/service.c:1120(close_cnum)
      client7 (ipv4:10.1.1.7:51212) closed connection to service projects

Yields ``Event`` of source ``smbd`` for messages that matter (``parsers/messages``), and for unknown ones of the levels
0 and 1 that sound like trouble; all others are everyday ones. Times as printed, local. Source: smb.conf(5), logs as
people send them.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.host.logs.kernel_log_kinds import UNLISTED
from parsers.messages.catalogue import ANY_PROGRAM, Found, find, sounding
from parsers.output import Output
from parsers.registry import parser
from parsers.sections.message_events import TEXT_KEPT, add_message
from parsers.sections.reader import OpenSection
from parsers.times.clock import Instant, find_instant

_HEAD: Final = (
    r"\[\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?,\s{1,12}\d{1,2}(?:, [^\]]{1,120})?\]\s{1,12}"
    r"\S{1,120}\.[ch]:\d{1,6}\(\w{1,80}\)"
)
_PARTS = re.compile(
    r"\[(?P<stamp>\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?),\s{1,12}(?P<level>\d{1,2})(?:, [^\]]{1,120})?\]\s{1,12}"
    r"\S{1,120}\.[ch]:\d{1,6}\(\w{1,80}\)\s{0,4}(?P<text>.{0,2000})"
)
_IS_HEAD = re.compile(_HEAD)
_LOUD: Final = ("0", "1")
"""Levels that a server logs without being asked for more."""


def _owns(text: str, before: str) -> bool:
    if _IS_HEAD.match(text.lstrip()) is not None:
        return True
    if (head := _IS_HEAD.match(before.lstrip())) is not None:
        return text[:2].isspace() or head.end() == len(before.strip())  # collectors take the indentation away
    return text[:2].isspace() and before[:2].isspace()


@parser("smb_log", version=2, product="", claims=_HEAD, owns=_owns)
def smb_log(section: OpenSection, out: Output) -> None:
    """``log.smbd``: lines that matter."""
    at: Instant | None = section.state.get("at")
    level: str = section.state.get("level", "")
    for line in section:
        text = line.text.strip()
        if (match := _PARTS.match(text)) is not None:
            found = find_instant(match["stamp"].replace("/", "-"))
            at = section.state["at"] = found[0] if found is not None else None
            level = section.state["level"] = match["level"]
            if at is not None:
                section.stamp(at)
            text = match["text"].strip()
        meaning = _meaning(text, level)
        if meaning is None or meaning.weight in ("", "everyday"):
            out.everyday()
        else:
            moment = at.us if at is not None else None
            add_message(section, line.number, meaning, source="smbd", text=text[:TEXT_KEPT], at=moment)


def _meaning(text: str, level: str) -> Found | None:
    if not text:
        return None
    found = find("smb", text) or find(ANY_PROGRAM, text)
    if found is None and level in _LOUD and (weight := sounding(text)):
        return Found(UNLISTED, weight=weight)
    return found
