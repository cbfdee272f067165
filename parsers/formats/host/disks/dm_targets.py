"""``dmsetup status``, ``dmsetup table`` and ``dmsetup info -c``: maps of device-mapper by what they are made of.

    larder: 0 2097152 multipath 2 0 0 0 2 1 A 0 1 2 8:160 A 0 0 1 E 0 1 2 8:176 F 3 0 1
    vg_owl-root: 0 104857600 linear                      (device, state, failures of each path)
    vg_owl-pool: 0 8388608 thin-pool 2 406/2048 1023/102400 - rw discard_passdown

    Name             Maj Min Stat Open Targ Event  UUID
    larder           253   3 Ls-w    1    1      4 mpath-3600a0b80000000000000000000000001

Yields ``StorageState`` of a map: of multipath by how many paths failed and how many requests are queued, of raid and
mirror by the letters of their legs, of a thin pool by its mode, of any map by whether it is suspended (second letter of
``Stat``) and whether its target is ``error``; ``Setting`` with the kind of target, and the features of a table. Source:
dmsetup(8), Linux Documentation/admin-guide/device-mapper, recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import Setting
from parsers.records.states import HealthStanding, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.headed import Column, Table
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_TOOL: Final = "dmsetup"
_TARGETS: Final = (
    r"linear|striped|multipath|raid|mirror|thin-pool|thin|snapshot-origin|snapshot-merge|snapshot|crypt|error|zero"
    r"|cache|writecache|delay|flakey|verity|integrity|era|vdo|clone|log-writes|dust"
)
_PATH = re.compile(r"(?<!\S)\d{1,7}:\d{1,7} ([AF]) \d{1,10}(?!\S)")
_QUEUED = re.compile(r"\d \d{1,9}(?= )")
_FEATURES = re.compile(r"[1-9] ([a-z]\w{3,40}(?: [a-z]\w{3,40}){0,5})")
_LEGS = re.compile(r"(?:\braid\w{1,12} \d{1,4}|\d{1,20}/\d{1,20} 1) ([AaDR]{1,253})(?= |$)")


def _target(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    name, target, rest = match["name"], match["target"], (match["rest"] or "").strip()
    section.add(Setting, line.number, scope=name, source=_TOOL, name="target", value=target)
    if target == "multipath" and (features := _FEATURES.match(rest)):
        section.add(Setting, line.number, scope=name, source=_TOOL, name="features", value=features[1])
    found = _standing(target, rest)
    if found is not None:
        _state(section, line.number, name, *found)


def _standing(target: str, rest: str) -> tuple[str, HealthStanding] | None:
    """How a map stands by its target; None where that says nothing."""
    if target == "error":
        return "target error: every request fails", "degraded"
    if target == "multipath":
        return _multipath(rest)
    if target in ("raid", "mirror"):
        return _legs(target, rest)
    return _pool(rest) if target in ("thin-pool", "thin", "snapshot", "cache") else None


def _multipath(rest: str) -> tuple[str, HealthStanding] | None:
    states = _PATH.findall(rest)
    if not states:
        return None
    lost = states.count("F")
    if not lost:
        return f"all {len(states)} paths active", "healthy"
    if lost < len(states):
        return f"{lost} of {len(states)} paths failed", "degraded"
    queued = _QUEUED.match(rest)
    count = int(queued[0].split()[1]) if queued else 0
    return f"no path left, {lost} of {lost} failed" + (f", {count} requests queued" if count else ""), "failed"


def _legs(target: str, rest: str) -> tuple[str, HealthStanding] | None:
    """Letters of the members: A works, a is not yet in step, D is dead, R can't be read."""
    found = _LEGS.search(f"raid {rest}" if target == "raid" else rest)
    if found is None:
        return None
    lost = sum(found[1].count(letter) for letter in "DR")
    if lost == len(found[1]):
        return f"all {lost} legs failed ({found[1]})", "failed"
    if lost:
        return f"{lost} of {len(found[1])} legs failed ({found[1]})", "degraded"
    return (f"legs {found[1]}", "hint" if "a" in found[1] else "healthy")


def _pool(rest: str) -> tuple[str, HealthStanding] | None:
    words = rest.split()
    if words[:1] in (["Fail"], ["Error"], ["Invalid"], ["Overflow"]):
        return f"{words[0].lower()}: it serves no request", "failed"
    if "out_of_data_space" in words:
        return "out of data space", "failed"
    wrong = [word for word in ("ro", "needs_check") if word in words]
    if wrong and len(words) > 3:
        return " and ".join({"ro": "read only", "needs_check": "needs a check"}[word] for word in wrong), "degraded"
    return ("mode rw", "healthy") if "rw" in words else None


def _state(section: OpenSection, line: int, name: str, state: str, standing: HealthStanding) -> None:
    section.add(StorageState, line, source=_TOOL, sort="map", name=name, state=state, standing=standing)


_STATUS: Final = Rows(
    Row(
        "map",
        rf"(?P<name>[\w.+:-]{{1,128}}): \d{{1,20}} \d{{1,20}} (?P<target>{_TARGETS})(?P<rest>(?: .{{0,4000}})?)$",
        _target,
    ),
    Row("none", r"No devices found\s{0,4}$", fate=Fate.EVERYDAY, opens=False),
)


@parser("dmsetup_status", version=1, product="storage", rows=_STATUS, commands=(_TOOL,))
def dmsetup_status(section: OpenSection, out: Output) -> None:
    """``dmsetup status`` and ``dmsetup table``: a line for each target of a map."""
    _STATUS.read(section, out, "no target of a map")


_INFO: Final = Table(
    Column("Name", cell=r"[\w.+:-]{1,128}$", needed=True),
    Column("Maj", cell=r"\d{1,7}$"),
    Column("Min", cell=r"\d{1,7}$"),
    Column("Stat", cell=r"[L-][Iis-][s-]?[wr-]?[\w-]{0,3}$", needed=True),
    Column("Open", cell=r"\d{1,7}$", needed=True),
    Column("Targ", cell=r"\d{1,7}$"),
    Column("Event", cell=r"\d{1,12}$"),
    Column("UUID"),
    row=r"[\w.+:-]{1,128}\s{1,40}\d{1,7}\s{1,12}\d{1,7}\s{1,12}[L-][Iis-]",
)  # fmt: skip


@parser("dmsetup_columns", version=1, product="storage", rows=_INFO, commands=(_TOOL,))
def dmsetup_columns(section: OpenSection, out: Output) -> None:
    """``dmsetup info -c``: whether a map is suspended, by its letters."""
    for row in _INFO.rows(section, out, "no map with its letters"):
        letters = row.fields["Stat"]
        is_suspended = "s" in letters
        _state(
            section,
            row.line,
            row.fields["Name"],
            "suspended" if is_suspended else f"active ({letters})",
            "degraded" if is_suspended else "healthy",
        )


_CHOSEN: Final = Table(
    Column("Name", cell=r"[\w.+:-]{1,128}$", needed=True),
    Column("Suspended", cell=r"(?:Suspended|Active)$", needed=True),
    Column("Open"),
    Column("Segs"),
    Column("Events"),
    Column("Attr"),
    Column("Tables"),
    Column("UUID"),
    Column("Maj"),
    Column("Min"),
    row=r"[\w.+:-]{1,128}\s{1,80}(?:\S{1,130}\s{1,60}){0,8}(?:Suspended|Active)(?:\s|$)",
)


@parser("dmsetup_suspended", version=1, product="storage", rows=_CHOSEN, commands=(_TOOL,))
def dmsetup_suspended(section: OpenSection, out: Output) -> None:
    """``dmsetup info -c -o name,suspended``: whether a map is suspended, in a word."""
    for row in _CHOSEN.rows(section, out, "no map with its state"):
        is_suspended = row.fields["Suspended"] == "Suspended"
        _state(
            section,
            row.line,
            row.fields["Name"],
            "suspended" if is_suspended else "active",
            "degraded" if is_suspended else "healthy",
        )


def _word(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    is_suspended = match["word"] == "Suspended"
    standing: HealthStanding = "degraded" if is_suspended else "healthy"
    _state(section, line.number, match["name"], "suspended" if is_suspended else "active", standing)


_WORDS: Final = Rows(Row("map", r"(?P<name>[\w.+-]{1,128}):(?P<word>Suspended|Active)$", _word))


@parser(
    "dmsetup_words",
    version=1,
    product="storage",
    claims=r"(?!)",
    owns=_WORDS.owns,
    commands=(_TOOL,),
    places=r"\bdmsetup\b.{1,80}\bsuspended\b",
)
def dmsetup_words(section: OpenSection, out: Output) -> None:
    """``dmsetup info -c --noheadings -o name,suspended``: a map and its state between colons."""
    _WORDS.read(section, out, "no map with its state")
