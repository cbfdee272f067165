"""Which columns ``ps`` prints, told by its command line: for outputs whose header was filtered away or not asked for.
No parser of its own.

ps -eo pid,stat,wchan:32,comm --no-headers        PID STAT WCHAN COMMAND ps aux | grep mmfsd
USER PID %CPU %MEM VSZ RSS TTY STAT START TIME COMMAND
"""

from __future__ import annotations

import re
from typing import Final

from parsers.headings.transcript import Command

PLACE: Final = r"(?:^|[\s;&|(/])ps\s{1,8}\S"

_NAMES: Final = {
    "pid": "PID", "tgid": "TGID", "ppid": "PPID", "tid": "TID", "lwp": "LWP", "spid": "SPID", "stat": "STAT",
    "state": "S", "s": "S",
    "wchan": "WCHAN", "nwchan": "NWCHAN", "comm": "COMMAND", "ucomm": "COMMAND", "ucmd": "CMD", "cmd": "CMD",
    "args": "COMMAND",
    "command": "COMMAND", "user": "USER", "euser": "USER", "ruser": "RUSER", "uname": "USER", "uid": "UID",
    "euid": "UID", "pcpu": "%CPU",
    "%cpu": "%CPU", "c": "C", "pmem": "%MEM", "%mem": "%MEM", "rss": "RSS", "rssize": "RSS", "vsz": "VSZ",
    "vsize": "VSZ", "sz": "SZ",
    "tty": "TTY", "tt": "TTY", "tname": "TTY", "time": "TIME", "cputime": "TIME",
    "etime": "ELAPSED", "etimes": "ELAPSED", "start": "STARTED",
    "start_time": "START", "stime": "STIME", "ni": "NI", "nice": "NI", "pri": "PRI", "cls": "CLS", "class": "CLS",
    "policy": "POL",
    "psr": "PSR", "rtprio": "RTPRIO", "nlwp": "NLWP", "thcount": "THCNT", "f": "F", "flags": "F", "addr": "ADDR",
    "min_flt": "MINFL",
    "maj_flt": "MAJFL", "pgid": "PGID", "sid": "SID", "sess": "SESS",
}  # fmt: skip
_STARTED: Final = ("LSTART",) * 5  # Mon Mar  4 10:11:12 2031
COLUMNS_OF_AUX: Final = ["USER", "PID", "%CPU", "%MEM", "VSZ", "RSS", "TTY", "STAT", "START", "TIME", "COMMAND"]
_FULL: Final = "UID PID PPID C STIME TTY TIME CMD"
_LONG: Final = "F S UID PID PPID C PRI NI ADDR SZ WCHAN STIME TTY TIME CMD"
_OWN_COLUMNS = re.compile(r"(?:-?[A-Za-z]{0,8}o|--format)=?(.{0,400})$", re.DOTALL)
_TOGETHER = re.compile(r"[aAeTuwx]{0,4}o$")


def columns_of(command: Command) -> list[str]:
    """Names of the columns as a header would print them; empty where an option is not known."""
    if command.program != "ps":
        return []
    requested = _requested(command.args)
    if requested is not None:
        return requested
    options = "".join(word for word in command.args if not word.startswith("--"))
    letters = {char for char in options if char.isalpha()}
    if not options.startswith("-"):
        return COLUMNS_OF_AUX if "u" in letters and letters <= set("auxw") else []
    if not letters <= set("aAefFlwx") or "F" in letters:
        return []
    return (_LONG if "l" in letters else _FULL).split() if "f" in letters else []


def asks_for_all(command: Command) -> bool:
    """Whether all tasks of the host are printed."""
    options = [word for word in command.args[:1] if not word.startswith("--")]
    return not command.filters and any("e" in word or "A" in word or {"a", "x"} <= set(word) for word in options)


def _requested(words: tuple[str, ...]) -> list[str] | None:
    """The columns after ``-o``, of which there may be several; None where none are asked for."""
    found: list[str] = []
    is_list = False
    for word in words:
        listed = word
        if word.startswith("-") or (not is_list and _TOGETHER.match(word) is not None):
            match = _OWN_COLUMNS.match(word)
            is_list, listed = match is not None, match[1] if match else ""
        if is_list:
            found += [name for name in re.split(r"[,\s\"']{1,20}", listed) if name]
    if not found:
        return None
    names: list[str] = []
    for name in found:
        plain = re.split(r"[:=]", name.lower(), maxsplit=1)[0]
        names += _STARTED if plain == "lstart" else (_NAMES.get(plain, ""),)
    return names if all(names) else []
