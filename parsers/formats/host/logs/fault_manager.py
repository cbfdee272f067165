"""What the fault manager of Solaris says of broken parts: its messages, ``fmadm faulty`` and ``fmdump``.

    SUNW-MSG-ID: ZFS-8000-D3, TYPE: Fault, VER: 1, SEVERITY: Major   TIME            EVENT-ID  MSG-ID       SEVERITY
    EVENT-TIME: Tue Jun  3 11:40:02 CEST 2031                        Jun 03 11:40:02 6b0c..    ZFS-8000-D3  Major
    PLATFORM: T5-2, CSN: -, HOSTNAME: heron1                         Host        : heron1
    EVENT-ID: 6b0c33aa-0d0e-4c1e-9a55-1f0b6c2d7e88                   Affects     : zfs://pool=tank/vdev=9a1
    DESC: A ZFS device failed.

Yields an ``Event`` of source ``fmd`` per fault, its kind by ``parsers/messages``, on the host that it names; a repair
names the fault that it ends by the id of the event. Rows of ``fmdump -e`` are the errors that led to one: everyday.
Tolerated: missing and wrapped lines. Source: fmd(8), fmadm(8), fmdump(8), recalled.
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import Final

from parsers.dataclass import dataclass
from parsers.formats.host.logs.kernel_log_kinds import meaning_of
from parsers.messages.catalogue import Found
from parsers.output import Output
from parsers.registry import parser
from parsers.sections.message_events import add_message
from parsers.sections.reader import OpenSection
from parsers.times.clock import find_instant

PROGRAM: Final = "fmd"
REPAIRED: Final = "solaris-fault-repaired"
_KEPT: Final = 1000
_CODE: Final = r"[A-Z][A-Z0-9]{1,11}-8\d{3}-[0-9A-Z]{2,4}"
_ID: Final = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_HEAD: Final = rf"SUNW-MSG-ID: {_CODE}, TYPE: \w{{3,12}}, VER: \d{{1,3}}, SEVERITY: \w{{3,12}}\b"
_AT: Final = r"[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d(?:\.\d{1,9})?(?: \d{4})?"
_ROW: Final = rf"{_AT} {{1,4}}[0-9a-f-]{{30,40}} {{1,8}}{_CODE}(?: {{1,12}}[A-Z][a-z]{{3,12}})?$"
_HEADING: Final = r"TIME {2,24}(?:(?:UUID|EVENT-ID) {2,50}(?:SUNW-)?MSG-ID\b|CLASS$)"
_ERROR: Final = rf"{_AT} {{1,4}}(?:ereport|list)\.[\w.-]{{2,120}}$"
_NAME: Final = (
    r"(?P<name>EVENT-TIME|PLATFORM|SOURCE|EVENT-ID|DESC|AUTO-RESPONSE|IMPACT|REC-ACTION|Problem Status|Diag Engine"
    r"|Host|Platform|Chassis_id|Product_sn|Fault class|Problem class|Affects?|Problem in|FRU|Description|Response"
    r"|Impact|Action|System|Location|Certainty|Suspect \d{1,3} of \d{1,3}|Fault \w{4,10}, {1,4}faulty"
    r"|Name|Manufacturer|Revision|Part_Number|Serial_Number|Chassis|Resource|Status|\d{1,3}%)"
)
_NAMED: Final = re.compile(rf"{_NAME}\s{{0,16}}(?::|,|\s{{2,12}})\s{{0,16}}(?P<value>.{{0,400}})$")
_BELOW: Final = r"(?:Fault|Problem) class {1,8}: {1,4}(?:fault|defect|alert)\.|Affects {1,8}: {1,4}\w{2,8}://"
"""What stands below the line of the host, which is a heading: those parts are read over."""
_OF_HOST: Final = r"Host {8}: (?P<host>[A-Za-z0-9][\w.-]{0,127})$"
"""So many blanks stand nowhere else: the line goes on with the fault, and is no heading of another node."""
_OPENS: Final = rf"(?:{_HEAD}|{_HEADING}|{_ROW}|{_BELOW}|{_OF_HOST.replace('?P<host>', '?:')})"
_RULER: Final = re.compile(r"-{5,100}(?: {1,4}-{5,100}){0,5}$")
_EVENT_ID: Final = re.compile(rf"EVENT-ID: ({_ID})")
_SERVICE: Final = re.compile(r"(svc:/[\w./:,-]{1,160}?)(?=[.,]? |#|$)")
_OF_DISK: Final = re.compile(r"(?:dev|zfs)://\S{1,160}|svc:/\S{1,160}|hc://\S{1,160}")
_HOST: Final = re.compile(r"HOSTNAME: ([A-Za-z0-9][\w.-]{0,127})")
_HEAD_LINE: Final = re.compile(_HEAD)
_HOST_LINE: Final = re.compile(_OF_HOST)
_ROW_LINE: Final = re.compile(
    rf"(?P<at>{_AT}) {{1,4}}(?P<id>[0-9a-f-]{{30,40}}) {{1,8}}(?P<code>{_CODE})(?: {{1,12}}(?P<word>\w{{4,13}}))?$"
)
_HEADING_LINE, _ERROR_LINE = re.compile(_HEADING), re.compile(_ERROR)
_LINES: Final = (_HEAD_LINE, _NAMED, _ROW_LINE, _HEADING_LINE, _ERROR_LINE, _RULER)
PARTS: Final = frozenset(
    ("EVENT-TIME", "PLATFORM", "SOURCE", "EVENT-ID", "DESC", "AUTO-RESPONSE", "IMPACT", "REC-ACTION", "CSN", "HOSTNAME")
)
"""What stands in front of the further lines of a message, where a log makes a line of each: it looks like a program."""


def of_its_event(known: dict[str, str | None], found: Found, text: str) -> Found:
    """A message of the fault manager with the name by which a repair finds its fault again: that of the service, else
    the code. known: the names of faults by the ids of their events.
    """
    service, event = _SERVICE.search(text), _EVENT_ID.search(text)
    if found.kind == REPAIRED:
        return found._replace(about=known.get(event[1]) if event is not None else None)
    if service is not None and found.about is not None and found.about.startswith("SMF-"):
        found = found._replace(about=service[1])
    if event is not None and len(known) < _KEPT:
        known[event[1]] = found.about
    return found


@dataclass(slots=True)
class _Fault:
    """One message, or one row with what stands below it."""

    number: int
    parts: list[str]
    node: str | None = None
    at: int | None = None
    zone_min: int | None = None
    resource: str = ""
    last: str = field(default="")


def _owns(text: str, before: str) -> bool:
    body = text.strip()
    is_set_in = before.strip() != "" and text[:1] in " \t" and not before.endswith("\n")
    return is_set_in or any(pattern.match(body) is not None for pattern in _LINES)


@parser("fault_manager", version=2, product="", claims=_OPENS, owns=_owns, commands=("fmadm", "fmdump"))
def fault_manager(section: OpenSection, out: Output) -> None:
    """Faults that Solaris found, each with its part."""
    fault: _Fault | None = None
    for line in section:
        text = line.text.strip()
        if _HEAD_LINE.match(text) is not None:
            _settle(section, fault)
            fault = _Fault(line.number, [text])
        elif (row := _ROW_LINE.match(text)) is not None:
            _settle(section, fault)
            fault = _of_row(section, line.number, row)
        elif _ERROR_LINE.match(text) is not None:
            out.everyday()
        elif fault is None and (host := _HOST_LINE.match(text)) is not None:
            section.is_on(host["host"])
            out.frame()
        elif fault is not None and (named := _NAMED.match(text)) is not None:
            _take(fault, named["name"], named["value"])
            out.frame()
        elif fault is not None and text and _RULER.match(text) is None and _HEADING_LINE.match(text) is None:
            _take(fault, fault.last, text)
            out.frame()
        else:
            out.frame()
    _settle(section, fault)


def _of_row(section: OpenSection, number: int, row: re.Match[str]) -> _Fault:
    word = row["word"] or "Major"
    sort = "Repair" if word in ("Repaired", "Resolved") else "Fault"
    head = f"SUNW-MSG-ID: {row['code']}, TYPE: {sort}, VER: 1, SEVERITY: {word}"
    fault = _Fault(number, [head, f"EVENT-ID: {row['id']}"], section.node)
    words = row["at"].split()
    if len(words) > 3 and (found := find_instant(row["at"])) is not None:
        fault.at = found[0].us
    elif len(words) == 3:
        fault.at = section.years.stamp(words[0], words[1], words[2])
    return fault


def _take(fault: _Fault, name: str, value: str) -> None:
    """A named value, or what goes on with the one above."""
    fault.last = name
    if name == "EVENT-TIME" and (found := find_instant(value)) is not None:
        fault.at, fault.zone_min = found[0].us, found[0].zone_min
    elif name == "Host":
        fault.node = value.split()[0] if value else None
    elif name.startswith(("Affect", "Problem in", "Resource")) and not fault.resource:
        place = _OF_DISK.search(value)
        fault.resource = place[0] if place is not None else ""
    fault.parts.append(f"{name}: {value}")


def _settle(section: OpenSection, fault: _Fault | None) -> None:
    """The fault is whole now."""
    if fault is None:
        return
    text = " ".join(fault.parts)
    found = meaning_of(PROGRAM, text)
    if found is None:
        return
    known: dict[str, str | None] = section.state.setdefault("faults", {})
    found = of_its_event(known, found, text)
    if fault.resource and found.about is not None and found.kind != REPAIRED:
        found = found._replace(about=f"{found.about}, {fault.resource}")
    host = _HOST.search(text)
    node = host[1] if host is not None else fault.node or section.node
    add_message(
        section, fault.number, found, source=PROGRAM, text=text, node=node, at=fault.at, zone_min=fault.zone_min
    )
