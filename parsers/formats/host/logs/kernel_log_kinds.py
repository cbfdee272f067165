"""What a message of a system log says. No parser; the rows stand in ``parsers/messages``."""

from __future__ import annotations

import re
from typing import Final

from parsers.messages.catalogue import (
    ANY_PROGRAM,
    WEIGHTS,
    Found,
    find,
    group_of,
    is_of_site,
    level_weight,
    sounding,
    weighed,
)

UNLISTED: Final = "unlisted-message"
EVERYDAY: Final = "everyday"
_REPEATED: Final = re.compile(r"message repeated (\d{1,9}) times: \[ ?(.*)\]$")
_LEVEL: Final = re.compile(
    r"(emerg|alert|crit|error|err|warning|notice|info|debug): {1,4}(?:[a-z_]\w{1,60}(?<!\d):\s{1,16})?"
)
_BRACKETED: Final = re.compile(
    # Daemons of heartbeat and of the first Pacemaker: ``crmd: [2194]: ERROR: process_lrm_event: ...``
    r"\[\d{1,9}\]: {1,4}(?i:(emerg|alert|crit|error|err|warning|warn|notice|info|debug)): {1,4}"
    r"(?:[a-z_]\w{1,60}(?<!\d):\s{1,16})?"
)
_TAG: Final = re.compile(
    # What goes to standard error has a stamp of its own behind that of the journal.
    r"(?:[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d(?:\.\d{1,6})? {1,4}(?=[a-z]))?"
    r"(?:(emerg|alert|crit|error|warning|notice|info|debug) {1,4})?\[[A-Z]{2,8} {0,6}\] "
)
_FUNCTION: Final = re.compile(r"^[a-z]{2,20}(?:_[a-z]{2,20}){1,6} (?=[A-Z])")
"""The function that speaks, where corosync is set to name it."""
SPOKEN: Final = (
    r"(?:\[(?:EMERG|PANIC|ALERT|CRIT(?:ICAL)?|FATAL|ERROR)\] {1,4}"
    r"|(?:EMERG|PANIC|ALERT|CRIT(?:ICAL)?|FATAL|ERROR)(?: ERROR)?: {1,4})(?=\S)"
)
_SPOKEN: Final = re.compile(SPOKEN)
"""A level that a program writes in front of its words, whatever its daemon of logs knows of it."""
_SOLARIS: Final = re.compile(r"\[ID \d{1,9} \w{1,12}\.(\w{1,10})\] ")
GRAVE: Final = rf"(?:{SPOKEN}|\[ID \d{{1,9}} (?:(?:kern|daemon)\.(?:emerg|alert|crit|error)|kern\.warning)\] )"
"""A message that calls itself an error, or that the daemon of logs of Solaris calls one: of programs of the system, for
mail and the programs of users cry so every day. A warning of a driver counts where its words sound like trouble.
"""
_OF_DRIVER: Final = re.compile(r"\[ID \d{1,9} kern\.(\w{4,8})\] ")
_GRAVE: Final = re.compile(GRAVE)
_SHOUTED: Final = re.compile(
    r"(WARNING|NOTICE|ERROR|CRITICAL|PANIC): (?!CPU: )(?=msgcnt|mesg |VxVM|vx|V-\d|GAB|LLT|fd|fp\(|Qlogic |/|\w{2,20}:)"
)
_CODE: Final = re.compile(r"\bV-\d{1,2}(?:-\d{1,6}){1,3}\b")
_WRITER: Final = re.compile(r"([a-z][\w.-]{1,40})\[\d{1,9}\]: ")
_MESSAGE_NUMBER: Final = re.compile(r"\bmesg 0{0,2}(\d{1,3}): ")


def meaning_of(program: str, text: str, level: str = "") -> Found | None:
    """What a message of a program says; None for an ordinary line. level: of the line's head, where it has one."""
    group = group_of(program)
    if group is None:
        failed = find(ANY_PROGRAM, text, level=level)
        return failed if failed is not None or _GRAVE.match(text) is None else _of_nobody(text)
    times = 1.0
    if text.startswith("message repeated") and (again := _REPEATED.match(text)):
        times, text = float(again[1]), again[2].strip()
    text, own = _plain(group, text)
    found = find(group, text, code=code_of(text), level=own or level, program=program)
    if (found is None or found.kind == EVERYDAY) and (written := _of_writer(program, text, own or level)) is not None:
        return written
    if found is None:
        if is_of_site(group):
            return None
        spoken = match[0].strip("[]: ").split()[0] if (match := _SPOKEN.match(text)) is not None else ""
        weight = max(sounding(text), level_weight(own or level), level_weight(spoken), key=WEIGHTS.index)
        return Found(UNLISTED, weight=weight) if weight else None
    if found.kind == EVERYDAY:
        return None
    if found.kind == "totem-retransmit":
        return found._replace(about=None, value=times, unit="lines")
    return weighed(found, own or level)


def _of_writer(program: str, text: str, level: str) -> Found | None:
    """Before the journal runs, programs write into the ring buffer of the kernel."""
    writer = _WRITER.match(text) if program == "kernel" else None
    return meaning_of(writer[1], text[writer.end() :], level) if writer is not None else None


def _of_nobody(text: str) -> Found | None:
    """What a program nobody listens to calls an error; a driver of Solaris whose words sound like trouble means it."""
    if (driver := _OF_DRIVER.match(text)) is None:
        return Found(UNLISTED, weight="notice")  # no alarm, and no all-clear either: nobody can say what it is worth
    weight = sounding(text[driver.end() :])
    if driver[1] == "warning":
        return Found(UNLISTED, weight=weight) if weight else None
    return Found(UNLISTED, weight=weight or "notice")


def plain_text(program: str, text: str) -> str:
    """The message of a program as it is looked up."""
    return _plain(group_of(program) or program, text)[0]


def _plain(group: str, text: str) -> tuple[str, str]:
    """The text without what Unix kinds and daemons put in front of it, and the level that this names."""
    level = ""
    for pattern in _FRONTS.get(group, (_SOLARIS, _SHOUTED)):
        if (front := pattern.match(text)) is not None:
            level, text = (front[1] or "").lower() or level, text[front.end() :].lstrip()
    if group == "totem":
        text = _FUNCTION.sub("", text, count=1)
    return text, level


_GANESHA: Final = re.compile(
    r"(?:\[[^\]]{1,60}\] ?)?(?:\S{1,80}:\d{1,6} :)?(?:[A-Za-z_]\w{1,80} :)?[A-Z0-9][\w .-]{0,40}:"
    r"(FATAL|MAJ|CRIT|WARN|EVENT|INFO|DEBUG|M_DBG|F_DBG) ?:"
)
"""The thread, the function, the part of the server and the level."""
_PACKAGE: Final = re.compile(
    r"(?:\[?[DIWEC]\]? \| )?(?:rafthttp|raft|wal|mvcc|embed|etcdmain|etcdhttp|auth|compactor|snap)()?: "
)
"""The part of etcd that speaks, where its log is none of JSON."""
_FRONTS: Final = {
    "etcd": (_PACKAGE,),
    "totem": (_TAG,),
    "fencing": (_LEVEL, _BRACKETED),
    "pacemaker": (_LEVEL, _BRACKETED),
    "ganesha": (_GANESHA,),
}


def code_of(text: str) -> str:
    """The code of a Veritas message; old ones of VxFS carry their number only."""
    if (code := _CODE.search(text)) is not None:
        return code[0]
    number = _MESSAGE_NUMBER.search(text)
    return f"V-2-{number[1]}" if number is not None else ""
