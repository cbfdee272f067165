"""What AIX says of its hardware: the error log (``errpt`` and ``errpt -a``) and the paths of its disks (``lspath``).

    IDENTIFIER TIMESTAMP  T C RESOURCE_NAME  DESCRIPTION          LABEL:          SC_DISK_PCM_ERR1
    DE3B8540   0412031527 P H hdisk8         PATH HAS FAILED      Date/Time:       Mon Apr 12 03:15:26 2027
                                                                  Description
    Enabled hdisk8 fscsi0                                         PATH HAS FAILED
    Apr 12 03:15:26 hdisk8 P SC_DISK_ERR4 path 1 READ(10) COMMAND TIMEOUT (30 Sec rtry 02)      decoded by a tool
    Failed  hdisk8 fscsi1

Yields ``Event`` of source ``errpt``: its kind by ``parsers/messages`` from type, class, resource and description in one
text (``PERM H hdisk8: PATH HAS FAILED``), for each entry of the log; ``DiskPath`` for each path. The short list prints
minutes and a year of two digits; the long one seconds and the node. A description that is the message of another
product means what its code says. Details of the long form (causes, actions, dumps) are left out. Source: errpt, errlog,
lspath of the AIX commands reference, recalled.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from parsers.formats.host.kernel.crash_header import panic
from parsers.formats.host.logs.kernel_log_kinds import code_of
from parsers.formats.scale.logs.syslog import entry_kind, entry_weight
from parsers.ledger import Fate
from parsers.messages.catalogue import Found, find
from parsers.output import Output
from parsers.records import DiskName, Event
from parsers.records.states import DiskPath, PathStanding
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line
from parsers.times.clock import find_instant, wall

_TYPES: Final = {"P": "PERM", "T": "TEMP", "I": "INFO", "U": "UNKN"}
_CUT: Final = 400
_HARDWARE = re.compile(r"(?:hdisk|hdiskpower|pdisk|fcs|fscsi|vscsi|sissas|sas|ent|proc|mem|sysplanar)\d")
"""Resources whose entries are of the class of hardware, where the line of the class was left out."""


_WRITERS: Final = {"V-2": "vxfs", "V-5": "vxvm", "V-11": "vxfen", "V-14": "llt", "V-15": "gab", "V-16": "vcs"}


def _of_its_writer(text: str) -> Found | None:
    """What a description means that holds the message of a product with its code."""
    code = code_of(text)
    return find(_WRITERS.get("-".join(code.split("-")[:2]), "kernel"), text, code=code) if code else None


def _listed(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    month, day, hour, minute, year = (int(match["stamp"][place : place + 2]) for place in range(0, 10, 2))
    is_time = hour < 24 and minute < 60
    at = wall(2000 + year, month, day, (hour * 60 + minute) * 60_000_000) if is_time else None
    _event(section, line, at, _TYPES[match["type"]], match["cls"], match["resource"], match["text"])


def _event(
    section: OpenSection, line: Line, at: int | None, sort: str, cls: str, resource: str | None, text: str
) -> None:
    message = f"{sort} {cls} {resource or 'device'}: {' '.join(text.split())}"[:_CUT]
    found = _of_its_writer(text) or find("errpt", message)
    if found is None:
        return
    section.add(
        Event,
        line.number,
        at=at,
        source="errpt",
        kind=found.kind,
        about=found.about,
        weight=found.weight,
        text=message,
    )


def _decoded(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """An entry whose sense data a tool decoded: its label stands for the description, with the words of the code."""
    text = f"{_OF_LABELS.get(match['label'], match['label'])}: {match['text']}"
    at = section.years.stamp(match["month"], match["day"], match["clock"])
    _event(section, line, at, _TYPES[match["type"]], "H", match["resource"], text)


_SHORT: Final = Rows(
    Row(
        "decoded entry",
        r"(?P<month>[A-Z][a-z]{2}) {1,2}(?P<day>\d{1,2}) (?P<clock>\d\d:\d\d:\d\d) "
        r"(?P<resource>(?:hdisk|hdiskpower|pdisk|fcs|fscsi|vscsi|sissas|sas|ent)\d{1,5}) (?P<type>[PTIU]) "
        r"(?P<label>[A-Z][A-Z0-9_]{4,30}) (?P<text>\S.{3,200})$",
        _decoded,
    ),
    Row("heading", r"IDENTIFIER\s{1,8}TIMESTAMP\s{1,8}T\s{1,8}C\s{1,8}RESOURCE_NAME", fate=Fate.FRAME),
    Row(
        "entry",
        r"[0-9A-F]{8}\s{1,12}(?P<stamp>\d{10})\s{1,8}(?P<type>[PTIU])\s{1,8}(?P<cls>[HSOU])\s{1,8}"
        r"(?P<resource>\S{1,64})\s{1,40}(?P<text>\S.{1,200})$",
        _listed,
    ),
)


@parser("errpt", version=3, product="", rows=_SHORT, commands=("errpt",))
def errpt(section: OpenSection, out: Output) -> None:
    """``errpt``: a line for each entry of the error log."""
    _SHORT.read(section, out, "no entry of the error log")


_KEPT: Final = re.compile(r"(Date/Time|Class|Type|Resource Name|Node Id):\s{1,30}(\S.{0,120})$")
_NAMED: Final = (
    r"(?:LABEL|IDENTIFIER|Date/Time|Sequence Number|Machine Id|Node Id|Class|Type|WPAR|Resource Name|Resource Class"
    r"|Resource Type|Location|VPD):(?:\s|$)"
)
_PARTS: Final = (
    r"(?:Description|Probable Causes|User Causes|Install Causes|Failure Causes|Recommended Actions|Detail Data"
    r"|Symptom Data|Duplicates|PANIC STRING|ASSERT STRING)\s{0,8}$"
)
_DETAILS: Final = (
    r"(?:[A-Z][A-Z0-9 ,./()_'&-]{3,120}$|[0-9A-F]{4}(?: [0-9A-F]{4}){0,15}\s{0,8}$|-{40,100}$"
    r"|[A-Z][\w ()/-]{2,40}\.{2,40}\S|[0-9a-fA-F]{1,16}$|Number of duplicates|Time of (?:first|last) duplicate)"
)
_TITLE_OF_DETAIL: Final = re.compile(r"[A-Z][A-Z0-9 ,./()_&-]{3,120}$")
_DETAIL: Final = re.compile(r"(?:/[\w./-]{0,200}|[a-z][\w.-]{1,60})(?:, [\w./-]{1,200})?$")
"""A path or a name below its title in capitals: of a file system, a program, a volume group."""
_LONG_LINE: Final = re.compile(rf"(?:{_NAMED}|{_PARTS}|{_DETAILS})")
_PART: Final = re.compile(_PARTS)
_TITLES: Final = re.compile(
    r"(?<!\S)(?:(?:LABEL|IDENTIFIER|Date/Time|Sequence Number|Machine Id|Node Id|Class|Type|WPAR"
    r"|Resource (?:Name|Class|Type)|Location|VPD):(?=\s)"
    r"|(?:Description|(?:Probable|User|Install|Failure) Causes|Recommended Actions|(?:Detail|Symptom) Data|Duplicates"
    r"|PANIC STRING|ASSERT STRING|PHYSICAL VOLUME|PROGRAM NAME)(?=\s[A-Z0-9]))"
)
LEAST_TITLES: Final = 3
"""Titles on one line, which holds a whole entry then."""
_VOLUMES: Final = ("PHYSICAL VOLUME", "VOLUME", "PROGRAM NAME")
_OF_LABELS: Final = {
    "CORE_DUMP": "SOFTWARE PROGRAM ABNORMALLY TERMINATED",
    "KERNEL_PANIC": "SOFTWARE PROGRAM ABNORMALLY TERMINATED",
    "LVM_SA_QUORCLOSE": "QUORUM LOST, VOLUME GROUP CLOSING",
    "LVM_SA_PVMISS": "PHYSICAL VOLUME DECLARED MISSING",
    "LVM_SA_STALEPP": "PHYSICAL PARTITION MARKED STALE",
    "LVM_IO_FAIL": "I/O ERROR DETECTED BY LVM",
    "LVM_HWFAIL": "HARDWARE DISK BLOCK RELOCATION FAILED",
    **{f"{disk}DISK_ERR{number}": "DISK OPERATION ERROR" for disk in ("", "SC_", "SCSI_") for number in range(1, 11)},
    **{f"{port}_ERR{number}": "LINK ERROR" for port in ("FCP", "FCS", "FCA", "FSCSI") for number in range(1, 13)},
    **{f"SC_DISK_PCM_ERR{number}": "PATH HAS FAILED" for number in (3, 6, 7)},
}
"""What the description says of entries that were cut before it."""
_LABELLED: Final = re.compile(r"LABEL:\s{1,20}([A-Z][A-Z0-9_]{2,40})")
_OF_SCALE: Final = re.compile(r"LABEL:\s{1,20}MMFS_([A-Z_]{3,40})")


def _is_of_an_entry(text: str, before: str) -> bool:
    """A named value, a title, what stands right below a title, or a detail in capitals or digits."""
    above = before.strip()
    return (
        _LONG_LINE.match(text.strip()) is not None
        or _PART.match(above) is not None
        or above in _VOLUMES
        or (_TITLE_OF_DETAIL.match(above) is not None and _DETAIL.match(text.strip()) is not None)
    )


@parser(
    "errpt_long",
    version=5,
    product="",
    claims=r"LABEL:\s{1,20}[A-Z][A-Z0-9_]{2,40}"
    r"(?:\s{0,8}$|\s{1,20}(?:IDENTIFIER|Date/Time|Class|Type|Resource Name):\s)",
    owns=_is_of_an_entry,
    commands=("errpt",),
)
def errpt_long(section: OpenSection, out: Output) -> None:
    """``errpt -a``: the entries with all that was kept of them."""
    for line in section:
        text = line.text.strip()
        pieces = _pieces(text)
        fates = [_piece(section, line, piece) for piece in pieces or [text]]
        if Fate.FACT not in fates:
            out.frame() if Fate.FRAME in fates else out.ignore()
    _settle(section)


def _pieces(text: str) -> list[str]:
    """The lines of an entry that came on one; empty where it is an ordinary line."""
    titles = [*_TITLES.finditer(text)]
    if len(titles) < LEAST_TITLES:
        return []
    ends = (match.end() for match in titles if not match[0].endswith(":"))
    cuts = sorted({0, *(match.start() for match in titles), *ends, len(text)})
    return [piece for begin, end in pairwise(cuts) if (piece := text[begin:end].strip())]


def _piece(section: OpenSection, line: Line, text: str) -> Fate:
    """A line of an entry, and what came of it."""
    state = section.state
    if text.startswith("LABEL:"):
        _settle(section)
        state.clear()
        if (entry := _OF_SCALE.match(text)) is not None:
            state["entry"] = entry[1]
        elif (label := _LABELLED.match(text)) is not None:
            state["label"] = (label[1], line)
        return Fate.FRAME
    if (kept := _KEPT.match(text)) is not None:
        state[kept[1]] = kept[2].strip()
        _placed(section, kept[1], kept[2].strip())
        return Fate.FRAME
    if state.pop("describes", False) and text:
        _described(section, line, text)
        return Fate.FACT
    if state.pop("panicked", False) and text:
        panic(section, line.number, text)
        return Fate.FACT
    if (title := state.pop("names", "")) and text:
        state[title] = text.split()[0]
        return Fate.FRAME
    state["describes"], state["panicked"] = text == "Description", text == "PANIC STRING"
    state["names"] = text if text in _VOLUMES else ""
    return Fate.ASIDE


def _placed(section: OpenSection, key: str, value: str) -> None:
    """Where and when an entry was written."""
    if key == "Node Id":
        section.is_on(value)
    elif key == "Date/Time" and (found := find_instant(value)) is not None:
        section.stamp(found[0])


def _settle(section: OpenSection) -> None:
    """An entry of Storage Scale is told at its end: the details below its description name what it is about. So is one
    whose description was cut off, by its label.
    """
    state = section.state
    name, at = state.pop("label", ("", None))
    if at is not None and (text := _OF_LABELS.get(name)) is not None:
        if "Resource Name" not in state and "PROGRAM NAME" in state:
            state["Resource Name"] = state["PROGRAM NAME"]
        _described(section, at, text)
    label, line = state.get("entry"), state.pop("described", None)
    if label is None or line is None:
        return
    kind, instant = entry_kind(label), find_instant(state.get("Date/Time", ""))
    section.add(
        Event,
        line,
        source="errpt",
        kind=kind,
        about=state.get("PHYSICAL VOLUME") or state.get("VOLUME"),
        at=instant[0].us if instant is not None else None,
        weight=entry_weight(kind),
        text=f"MMFS_{label}: {state.get('described as', '')}"[:_CUT],
    )
    if "PHYSICAL VOLUME" in state and "VOLUME" in state:
        section.add(DiskName, line, name=state["PHYSICAL VOLUME"], fs=state["VOLUME"])


def _described(section: OpenSection, line: Line, text: str) -> None:
    state = section.state
    state.pop("label", None)
    if "entry" in state:
        state["described"], state["described as"] = line.number, text
        return
    instant = find_instant(state.get("Date/Time", ""))
    _event(
        section,
        line,
        instant[0].us if instant is not None else None,
        state.get("Type", "UNKN"),
        state.get("Class") or ("H" if _HARDWARE.match(state.get("Resource Name", "")) else "U"),
        state.get("Resource Name"),
        text,
    )


PATH_STANDINGS: Final[dict[str, PathStanding]] = {
    "Enabled": "up",
    "Available": "up",
    "Failed": "down",
    "Missing": "down",
    "Disabled": "standby",
    "Defined": "unknown",
    "Detected": "unknown",
}


def _path(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """Without a connection the paths of one disk over one adapter are known by their order."""
    place = f"{match['disk']} {match['parent']}"
    number = section.state[place] = section.state.get(place, 0) + 1
    section.add(
        DiskPath,
        line.number,
        map=match["disk"],
        device=match["parent"],
        address=match["connection"] or f"{number}",
        state=match["state"],
        standing=PATH_STANDINGS[match["state"]],
        layer="mpio",
    )


_STATE: Final = rf"(?P<state>{'|'.join(PATH_STANDINGS)})"
_SEP: Final = r"[\s:,]{1,20}"
_DISK: Final = r"(?P<disk>(?:hdisk|hdiskpower|rmt|cd)\d{1,6})"
_PARENT: Final = r"(?P<parent>(?:fscsi|vscsi|iscsi|scsi|sas|sissas|nvme|fcs)\d{1,5})"
_PATHS: Final = Rows(
    Row("heading", r"[Ss]tatus\s{1,20}[Nn]ame\s{1,20}[Pp]arent(?:\s|$)", fate=Fate.FRAME),
    Row("path", rf"{_STATE}{_SEP}{_DISK}{_SEP}{_PARENT}(?:{_SEP}(?P<connection>[\w,.:]{{3,64}}))?", _path),
    Row("turned", rf"{_DISK}{_SEP}{_PARENT}(?:{_SEP}(?P<connection>[\w,.]{{3,64}}))?{_SEP}{_STATE}\b", _path),
)


@parser("lspath", version=3, product="storage", rows=_PATHS, commands=("lspath",))
def lspath(section: OpenSection, out: Output) -> None:
    """``lspath``: the paths of disks on AIX and VIOS, also with columns of one's own choice."""
    _PATHS.read(section, out, "no path of a disk")
