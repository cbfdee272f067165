"""What a message of a system log says. No parser; the rows stand in ``parsers/messages/linux.toml``."""

from __future__ import annotations

import re
from typing import Final

from parsers.catalogue import Found, find, group_of

_REPEATED: Final = re.compile(r"message repeated (\d{1,9}) times: \[ ?(.*)\]$")
_LEVEL: Final = re.compile(r"(?:notice|warning|error|info|debug|crit): {1,4}(?:\w{2,40}: {1,4})?")
_TAG: Final = re.compile(r"(?:(?:notice|warning|error|info|debug|crit|alert|emerg) {1,4})?\[[A-Z]{2,8} {0,6}\] ")


def meaning_of(program: str, text: str) -> Found | None:
    """What a message of a program says; None for an ordinary line."""
    group = group_of(program)
    if group is None:
        return None
    times = 1.0
    if text.startswith("message repeated") and (again := _REPEATED.match(text)):
        times, text = float(again[1]), again[2].strip()
    if group == "totem" and (tag := _TAG.match(text)):
        text = text[tag.end() :]
    elif group == "fencing" and (level := _LEVEL.match(text)):
        text = text[level.end() :]
    found = find(group, text)
    return found._replace(about=None, value=times, unit="lines") if found is not None and found.kind == "totem-retransmit" else found
