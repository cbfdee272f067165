"""Arrays of Linux software RAID: ``/proc/mdstat``, ``mdadm --detail`` and ``mdadm --examine``.

    md4 : active raid1 sdk1[2](F) sdj1[0]                    /dev/md4:
          1046528 blocks super 1.2 [2/1] [U_]                         State : clean, degraded
          [=>...]  recovery = 12.6% (...) finish=127.5min
        Number   Major   Minor   RaidDevice State
           0       8      145        0      active sync   /dev/sdj1

Yields ``StorageState``: of an array degraded where members are missing, failing where none more may fail, failed where
it is inactive or no longer complete enough to work, a hint while it is rebuilt or checked; of a member degraded where
it is faulty or removed. What a member says of itself (``--examine``): degraded where its checksum is wrong, where it
sees others missing, or where it has seen fewer events than another member of the same array. Other figures of ``mdadm``
are ``Setting`` with the array as scope. Source: md(4), mdadm(8), recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import Counter, Setting
from parsers.records.states import HealthStanding, StorageStanding, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_MEMBER = re.compile(r"(?P<name>[\w/.-]{1,64})\[\d{1,4}\](?P<mark>\([A-Z]\))?")
_TOTAL: Final = "mdadm"
_LEVEL = re.compile(r" (raid[0-9]{1,2}|linear|multipath)\b")
_MAY_BE_LOST: Final = {"raid0": 0, "linear": 0, "raid4": 1, "raid5": 1, "raid6": 2}
"""Members that an array of this level does without. A mirror does with one; of a RAID 10 which ones decides."""
_PAIRS = re.compile(r"[U_]{2}")
"""Copies of the same data, as a RAID 10 lays them out unless it is told otherwise."""
_CONTAINER: Final = " super external:"
"""What a controller of the board keeps of its disks: never active itself, but the arrays in it are."""


def _array(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["array"] = match["name"]
    level = _LEVEL.search(match["members"] or "")
    section.state["level"] = level[1] if level else ""
    members = [(one["name"], one["mark"] or "") for one in _MEMBER.finditer(match["members"] or "")]
    if match["state"].startswith("inactive"):
        below = section.peek()
        is_container = below is not None and _CONTAINER in below.text
        _state(section, line, "array", match["name"], None, match["state"], "healthy" if is_container else "failed")
    for name, mark in members:
        is_lost = mark == "(F)"
        standing: HealthStanding = "degraded" if is_lost else "healthy"
        _state(section, line, "disk", name, match["name"], f"faulty {mark}" if is_lost else f"member {mark}", standing)
    if not members:
        _state(section, line, "array", match["name"], None, match["state"], "unknown")


def _blocks(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    name = section.state.get("array")
    due, there = match["due"], match["there"]
    if due is None:
        section.add(Setting, line.number, scope=name, source="mdstat", name="blocks", value=match["blocks"])
        return
    is_whole = int(there) >= int(due) and "_" not in (match["map"] or "")
    state = f"{there} of {due} members work {match['map'] or ''}".strip()
    standing: StorageStanding = "healthy"
    if not is_whole:
        left, standing = _what_is_left(section.state.get("level", ""), int(due), int(there), match["map"] or "")
        state = f"{state}, {left}" if left else state
    _state(section, line, "array", name, None, state, standing)


def _what_is_left(level: str, due: int, there: int, members: str) -> tuple[str, StorageStanding]:
    """How many more members an array may lose that lacks some, in words. members: which ones work, in their order."""
    spare = due - 1 if level == "raid1" else _MAY_BE_LOST.get(level)
    if spare is None:
        pairs = _PAIRS.findall(members) if level == "raid10" and due % 2 == 0 else []
        is_gone = not there or "__" in pairs
        bare = len([pair for pair in pairs if pair in ("U_", "_U")])
        return (
            f"{bare} pairs lack copies" if bare and not is_gone else "",
            "failed" if is_gone else "degraded",
        )
    left = spare - (due - there)
    if left < 0 or not there:
        return "too few for its level", "failed"
    return f"{left or 'none'} more may fail", "degraded" if left else "failing"


_DONE: Final = re.compile(r"(?P<what>[a-z]{5,8}) ?= ?(?P<share>\d{1,3}(?:\.\d)?)%")


def _rebuilt(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state = " ".join(match["what"].split())
    _state(section, line, "array", section.state.get("array"), None, state, "hint")
    if (done := _DONE.match(state)) is not None:
        section.add(
            Counter,
            line.number,
            scope=section.state.get("array"),
            source="mdstat",
            name=done["what"],
            unit="%",
            value=float(done["share"]),
        )


_MDSTAT: Final = Rows(
    Row("personalities", r"Personalities :(?:\s|$)", fate=Fate.FRAME),
    Row(
        "array",
        r"(?P<name>md[\w.-]{1,40}) : (?P<state>(?:in)?active(?: \([\w -]{1,20}\)){0,2})"
        r"(?P<members>(?: \S{1,80}){0,200})$",
        _array,
    ),
    Row(
        "blocks",
        r"(?P<blocks>\d{1,20}) blocks(?P<more>[^\[\]]{0,120})(?:\[(?P<due>\d{1,4})/(?P<there>\d{1,4})\])?"
        r"(?:\s{1,4}(?P<map>\[[U_]{1,200}\]))?",
        _blocks,
        opens=False,
    ),
    Row(
        "progress",
        r"(?:\[[=>.]{3,80}\]\s{1,8})?(?P<what>(?:recovery|resync|check|reshape|repair)\s{0,2}=\s{0,4}\S{1,40}.{0,120})$",
        _rebuilt,
        opens=False,
    ),
    Row("bitmap", r"bitmap: \d", fate=Fate.FRAME, opens=False),
    Row("unused", r"unused devices: ", fate=Fate.FRAME),
)


@parser("mdstat", version=2, product="storage", rows=_MDSTAT)
def mdstat(section: OpenSection, out: Output) -> None:
    """``/proc/mdstat``: a few lines for each array."""
    _MDSTAT.read(section, out, "no line of an array")


_IN_ORDER: Final = frozenset(
    "clean,active,active-idle,write-pending,readonly,read-auto,delayed,pending,no errors".split(",")
)
_ACTIVE = re.compile(r"Active Devices\s{1,4}: (\d{1,4})$")
_OF_DISKS: Final = frozenset(("active", "sync", "spare", "journal", "writemostly", "failfast", "replacement"))


def _detail(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["array"] = match["name"]
    section.state["level"] = ""
    section.state["members"] = 0  # counted where the state calls the array whole


def _value(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    name, value, array = match["name"].strip(), match["value"].strip(), section.state.get("array")
    section.add(Setting, line.number, scope=array, source=_TOTAL, name=name, value=value)
    if name == "Raid Devices" and value.isdigit():
        section.state["members"] = int(value)
    elif name == "Raid Level":
        section.state["level"] = value
    elif name == "Active Devices" and value.isdigit() and int(value) < section.state.get("members", 0):
        due = section.state["members"]
        left, stands = _what_is_left(section.state.get("level", ""), due, int(value), "")
        lack = f"{value} of {due} members are active" + (f", {left}" if left else "")
        _state(section, line, "array", array, None, lack, stands)
    if name != "State":
        return
    words = {word.strip() for word in value.lower().split(",")}
    standing: HealthStanding = (
        "failed"
        if {"inactive", "broken", "not started"} & words or any("failed" in word for word in words)
        else "degraded"
        if "degraded" in words
        else "hint"
        if {"recovering", "resyncing", "reshaping", "checking"} & words
        else "healthy"
        if words <= _IN_ORDER
        else "unknown"
    )
    if standing == "degraded":
        _degraded(section, line, array, value)
        return
    if standing != "healthy":
        section.state["members"] = 0
    _state(section, line, "array", array, None, value, standing)


def _degraded(section: OpenSection, line: Line, array: str | None, value: str) -> None:
    """An array that lacks members: how many are active stands on the line below."""
    due, below = section.state.get("members", 0), section.peek()
    section.state["members"] = 0
    active = _ACTIVE.match(below.text.strip()) if below is not None else None
    if active is None or not due or int(active[1]) >= due:
        _state(section, line, "array", array, None, value, "degraded")
        return
    left, standing = _what_is_left(section.state.get("level", ""), due, int(active[1]), "")
    there = f"{value.removeprefix('clean, ') if value.count(',') > 1 else value}: {active[1]} of {due} active"
    _state(section, line, "array", array, None, f"{there}, {left}" if left else there, standing)


def _disk(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state = match["state"].strip()
    is_lost = re.search(r"\b(?:faulty|removed|missing)\b", state) is not None
    is_known = set(state.lower().split()) <= _OF_DISKS or re.match(r"active sync(?: set-[A-Z])?\b", state) is not None
    standing: HealthStanding = (
        "degraded" if is_lost else "hint" if "rebuilding" in state else "healthy" if is_known else "unknown"
    )
    _state(section, line, "disk", match["name"] or f"slot {match['slot']}", section.state.get("array"), state, standing)


_NAMES: Final = (
    r"Version|Creation Time|Raid Level|Array Size|Used Dev Size|Raid Devices|Total Devices|Persistence|Intent Bitmap"
    r"|Update Time|State|Active Devices|Working Devices|Failed Devices|Spare Devices|Layout|Chunk Size"
    r"|Consistency Policy|Rebuild Status|Resync Status|Check Status|Reshape Status|Name|UUID|Events|Preferred Minor"
)
_IN_TROUBLE: Final = (
    r"(?:clean|active)(?:, (?:no-errors|Not Started|degraded|recovering|resyncing|reshaping|checking|FAILED)){1,4} ?"
)
"""Words behind which no member of an array says its own state: known without the name of the array above."""
_MDADM: Final = Rows(
    Row("device", r"(?P<name>/dev/md[\w/.:-]{1,120}):$", _detail, fate=Fate.FRAME),
    Row("state", rf"(?P<name>State)\s{{1,4}}: (?P<value>{_IN_TROUBLE})$", _value),
    Row("value", rf"\*{{0,2}}(?P<name>{_NAMES})\s{{1,4}}: (?P<value>\S.{{0,200}}?)\*{{0,2}}$", _value, opens=False),
    Row("scanned", r"(?:ARRAY|INACTIVE-ARRAY) (?:/dev/md\S{1,80}|<ignore>) ", fate=Fate.EVERYDAY),
    Row("members scanned", r"devices=/dev/\S{1,2000}$", fate=Fate.EVERYDAY, opens=False),
    Row("heading", r"Number\s{1,8}Major\s{1,8}Minor\s{1,8}RaidDevice\s{1,8}State", fate=Fate.FRAME),
    Row(
        "member",
        r"(?:\d{1,4}|-)\s{1,12}\d{1,6}\s{1,12}\d{1,6}\s{1,12}(?P<slot>\d{1,4}|-)\s{1,12}"
        r"(?P<state>[a-z]{4,20}(?: (?:[a-z-]{2,20}|set-[A-Z])){0,4})\s{0,20}(?P<name>/dev/\S{1,120})?$",
        _disk,
        opens=False,
    ),
)


@parser("mdadm", version=4, product="storage", rows=_MDADM, commands=(_TOTAL,))
def mdadm(section: OpenSection, out: Output) -> None:
    """``mdadm --detail``: an array and its members."""
    _MDADM.read(section, out, "no value and no member of an array")


_ALIKE: Final = 1
"""Members of an array that stopped in the middle of a write may be one event apart."""


def _examined(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["member"], section.state["of"] = match["name"], None


def _member_view(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    name, value, state = match["name"].strip(), match["value"].strip(), section.state
    member: str | None = state.get("member")
    section.add(Setting, line.number, scope=member, source="mdadm --examine", name=name, value=value)
    if name in ("Array UUID", "UUID"):
        state["of"] = value
    elif name == "Events" and value.isdigit():
        _compare(section, line, int(value))
    elif name == "Checksum" and "expected" in value:
        _state(section, line, "disk", member, state.get("of"), f"checksum {value}", "degraded")
    elif name == "Array State":
        seen = value.split(" ")[0]
        lost = seen.count(".")
        view = f"sees {lost} of {len(seen)} members missing ({seen})" if lost else f"sees all members ({seen})"
        _state(section, line, "disk", member, state.get("of"), view, "degraded" if lost else "healthy")


def _compare(section: OpenSection, line: Line, events: int) -> None:
    """Tell of the members that were left behind, as soon as one with more events is seen."""
    state, of = section.state, section.state.get("of")
    if of is None:
        return
    most, members = state.setdefault("events", {}).get(of, (events, ()))
    here = (line, state.get("member"), events)
    if events + _ALIKE < most:
        _left_behind(section, here, of, most)
        return
    if events > most + _ALIKE:
        for one in members:
            _left_behind(section, one, of, events)
        members = ()
    state["events"][of] = (max(most, events), (*members, here)[:_MEMBERS_KEPT])


_MEMBERS_KEPT: Final = 256


def _left_behind(section: OpenSection, one: tuple[Line, str | None, int], of: str, most: int) -> None:
    line, member, events = one
    _state(section, line, "disk", member, of, f"{most - events} events behind another member", "degraded")


_OF_MEMBER: Final = (
    r"Version|Feature Map|Array UUID|UUID|Name|Creation Time|Raid Level|Raid Devices|Total Devices|Preferred Minor"
    r"|Avail Dev Size|Used Dev Size|Array Size|Data Offset|Super Offset|New Offset|Unused Space|State|Device UUID"
    r"|Internal Bitmap|Intent Bitmap|Update Time|Bad Block Log|Checksum|Events|Layout|Chunk Size|Device Role"
    r"|Array State|Recovery Offset|Reshape pos'n|Delta Devices|New Layout|New Chunksize|Journal|Active Devices"
    r"|Working Devices|Failed Devices|Spare Devices|Array Slot|Flags|Prev Chunksize"
)
_EXAMINE: Final = Rows(
    Row("device", r"(?P<name>/dev/(?!md)[\w/.:-]{2,120}):$", _examined, fate=Fate.FRAME),
    Row("magic", r"Magic : [0-9a-f]{8}$", fate=Fate.FRAME),
    Row("value", rf"(?P<name>{_OF_MEMBER})\s{{1,4}}: (?P<value>\S.{{0,200}})$", _member_view, opens=False),
    Row("heading", r"Number\s{1,8}Major\s{1,8}Minor\s{1,8}RaidDevice\s{1,8}State", fate=Fate.FRAME, opens=False),
    Row("member", r"(?:this|\d{1,4})\s{1,12}\d{1,4}\s{1,12}\d{1,6}\s{1,12}-?\d", fate=Fate.FRAME, opens=False),
)


@parser("mdadm_examine", version=1, product="storage", rows=_EXAMINE, commands=(_TOTAL,))
def mdadm_examine(section: OpenSection, out: Output) -> None:
    """``mdadm --examine``: what each member has written of its array."""
    _EXAMINE.read(section, out, "no value of a member of an array")


def _state(
    section: OpenSection, line: Line, sort: str, name: str | None, of: str | None, state: str, standing: StorageStanding
) -> None:
    section.add(
        StorageState,
        line.number,
        source="mdadm",
        sort="disk" if sort == "disk" else "array",
        name=name,
        of=of,
        state=state.strip(),
        standing=standing,
    )
