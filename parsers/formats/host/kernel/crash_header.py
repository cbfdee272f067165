"""What ``crash`` prints first of a dump of the kernel's memory, and the message with which the kernel stopped.

          KERNEL: /usr/lib/debug/lib/modules/4.18.0-477.el8.x86_64/vmlinux
        DUMPFILE: /var/crash/127.0.0.1-2031-06-03-02:10:11/vmcore  [PARTIAL DUMP]
            DATE: Tue Jun  3 02:10:11 CEST 2031
        NODENAME: heron1
           PANIC: "Kernel panic - not syncing: hung_task: blocked tasks"

    Crash event 0 was a PANIC !                 what HP-UX's own analysis of a dump says
    Panic string : Data page fault

Yields an ``Event`` of the panic with the words as printed; the node, and the time of the dump. Tolerated: missing
lines, a panic alone. Source: crash(8); crashinfo of
HP-UX, recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.host.logs.kernel_log_kinds import UNLISTED, meaning_of
from parsers.messages.catalogue import Found
from parsers.output import Output
from parsers.records import Event
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.times.clock import find_instant

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


_ENDS: Final = {"MCA": "machine-check", "HPMC": "machine-check"}
"""How HP-UX names an end by the hardware. A TOC or INIT is one that somebody or something asked for."""
_CRASH: Final = re.compile(r"(?:Note: )?Crash event \d{1,3} was an? (?P<end>PANIC|MCA|HPMC|LPMC|TOC|INIT) ?!")
_STRING: Final = re.compile(r"Panic [Ss]tring ?: {0,4}(?P<text>\S.{0,300})$")
_BY: Final = re.compile(r"(?:Note: )?This appears to be an? (?P<by>Oracle CRS) initiated (?:INIT|TOC)\b")
_VALUE: Final = re.compile(
    r"(?P<name>System Name|Node Name|Model|BIOS revision|HP-UX version|Kernel whatstring|Number of CPU's|Disabled CPU's"
    r"|CPU type|CPU Architecture|Load average) {1,12}: {0,4}(?P<value>\S.{0,200})$"
)
_IS_VALUE: Final = _VALUE.pattern.replace("?P<name>", "?:").replace("?P<value>", "?:")
_DUMPED: Final = re.compile(r"Dump time (?P<time>\S.{10,60})$")
_OF_CRASHINFO: Final = (
    r"(?:(?:Note: )?Crash event \d{1,3} was an? [A-Z]{3,5} ?!|Panic [Ss]tring ?: {0,4}\S"
    r"|(?:Note: )?This (?:appears|seems) to be an? |HP-UX version {1,12}: B\.|Dump time \S"
    r"|Node Name {6,12}: \w|System has been up \d)"
)


@parser(
    "crashinfo",
    version=1,
    product="",
    claims=_OF_CRASHINFO,
    owns=rf"{_OF_CRASHINFO}|{_IS_VALUE}|=[ =]|System has been up ",
)
def crashinfo(section: OpenSection, out: Output) -> None:
    """How a host of HP-UX ended, as the analysis of its dump says."""
    for line in section:
        text = line.text.strip()
        if (crash := _CRASH.match(text)) is not None and crash["end"] in _ENDS:
            section.add(Event, line.number, source="kernel", kind=_ENDS[crash["end"]], weight="disaster", text=text)
        elif (string := _STRING.match(text)) is not None:
            panic(section, line.number, string["text"])
        elif (by := _BY.match(text)) is not None:
            section.add(
                Event, line.number, source="kernel", kind="reset-by-other", about=by["by"], weight="disaster", text=text
            )
        elif (
            (value := _VALUE.match(text)) is not None and value["name"] == "Node Name" and value["value"] != "localhost"
        ):
            section.is_on(value["value"])
            out.frame()
        elif (dumped := _DUMPED.match(text)) is not None and (instant := find_instant(dumped["time"])) is not None:
            section.stamp(instant[0])
            out.frame()
        else:
            out.frame()
