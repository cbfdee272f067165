"""What ``crash`` prints first of a dump of the kernel's memory, and the message with which the kernel stopped.

          KERNEL: /usr/lib/debug/lib/modules/4.18.0-477.el8.x86_64/vmlinux
        DUMPFILE: /var/crash/127.0.0.1-2031-06-03-02:10:11/vmcore  [PARTIAL DUMP]
            DATE: Tue Jun  3 02:10:11 CEST 2031
        NODENAME: heron1
           PANIC: "Kernel panic - not syncing: hung_task: blocked tasks"

Yields an ``Event`` of the panic with the words as printed; the node, and the time of the dump. Tolerated: missing
lines, a panic alone. Source: crash(8).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.catalogue import Found
from parsers.clock import find_instant
from parsers.formats.host.kernel_log_kinds import UNLISTED, meaning_of
from parsers.output import Output
from parsers.records import Event
from parsers.registry import parser
from parsers.sections import OpenSection

_NAMES: Final = (
    r"(?:KERNEL|DEBUG KERNEL|SYSTEM MAP|DUMPFILE|DUMPFILES|CPUS|DATE|UPTIME|LOAD AVERAGE|TASKS|NODENAME|RELEASE"
    r"|VERSION|MACHINE|MEMORY|PANIC|PID|COMMAND|TASK|CPU|STATE)"
)
_PAIR = re.compile(rf"({_NAMES}): {{1,4}}(\S.{{0,400}})$")
_PANIC: Final = r"PANIC: {1,4}\"[^\"]"
_CLAIMS: Final = (
    rf"(?:{_PANIC}|(?:KERNEL|DEBUG KERNEL|SYSTEM MAP|DUMPFILE): {{1,4}}/|(?:UPTIME|LOAD AVERAGE|TASKS|MEMORY"
    r"|CPUS): {1,4}\d|(?:NODENAME|RELEASE|MACHINE): {1,4}\w)"
)


@parser("crash_header", version=1, product="", claims=_CLAIMS, owns=rf"{_NAMES}: {{1,4}}\S", commands=("crash",))
def crash_header(section: OpenSection, out: Output) -> None:
    """Node, time and panic of a dump."""
    for line in section:
        match = _PAIR.match(line.text.strip())
        if match is None:
            out.skip(line, "no line of the head of a dump")
        elif match[1] == "NODENAME":
            section.is_on(match[2].strip())
        elif match[1] == "DATE" and (instant := find_instant(match[2])) is not None:
            section.stamp(instant[0])
        elif match[1] == "PANIC":
            panic(section, line.number, match[2].strip().strip('"'))
        else:
            out.frame()


def panic(section: OpenSection, number: int, text: str) -> None:
    """The event of a kernel that stopped with this message."""
    found = meaning_of("kernel", text)
    if found is None or found.kind == UNLISTED or found.weight in ("", "everyday", "notice"):
        found = meaning_of("kernel", f"Kernel panic - not syncing: {text}") or Found("kernel-panic", weight="disaster")
    section.add(
        Event,
        number,
        source="kernel",
        kind=found.kind,
        about=found.about,
        weight=found.weight,
        text=text[:400],
    )
