"""GAB of Veritas: ``gabconfig -a`` and ``-l``, ``gabport -p PORT``, ``gabshow.pl -port PORT flowcontrol``.

    GAB Port Memberships                                   Port h Information:
    =========================================              =========================================
    Port a gen 3b7e02 membership 01                        Flags:          0xa00
    Port f gen 3b7e0c membership ;12                       Membership:     carp1 carp2
    Port h gen 3b7e07 jeopardy   ;1                        heartbeat timeout:           20000 (msec)
    Send side                                              heartbeat statistics:
                    gp_xm_flwfrd(null)                          0 ~   4000 (msec): 2963
                    gp_xm_flwsetcnt      0                   4000 ~   8000 (msec): 1

Yields ``Membership`` (group: the letter of the port; state: membership, jeopardy or visible; members: node ids, or
names where they are printed), ``Counter`` with the port as scope (``gp_*cnt`` and buckets of heartbeats are cumulative,
the others gauges), ``Setting`` for the times of a port. Of the ids each character is one: a digit stands in the decade
that the last ``0`` or ``;`` opened. A title and its rule without any port below mean that GAB does not run:
``Membership`` without a group, state ``not running``. ``gabconfig -l`` lists what is set: ``Setting`` with the tool as
source. No time is printed: it comes from above. Tolerated: ports on one
line, missing titles, cut rows. Source: gabconfig(1M) 7.4.1 and 8.0, gabport(1M) 5.0; gabshow.pl of Storage Foundation
Cluster File System 6.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from parsers.headings.transcript import Command, match_prompt
from parsers.line_kinds import is_elision
from parsers.lookup import claimed, programs
from parsers.output import Output
from parsers.records import Counter, Setting
from parsers.records.states import GroupStanding, Membership
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.key_values import KeyValues
from parsers.text import Line

_RULE: Final = r"={8,200}$"
_RULED: Final = 48
"""Signs of the ruler at the least, as all releases print it."""
_TITLE: Final = "GAB Port Memberships"
_PORT: Final = r"Port {1,8}[a-z](?:\[[^\]]{0,40}\])? {1,8}gen {1,8}[0-9a-f]{1,16} {1,8}(?:membership|jeopardy|visible)"
_MEMBERS_CLAIMS: Final = rf"(?:{_TITLE}|{_PORT})"
_MEMBERS_OWNS: Final = re.compile(rf"(?:{_MEMBERS_CLAIMS}|{_RULE}|Port {{1,8}}[a-z] )")
_ROW = re.compile(
    r"Port {1,8}([a-z])(?:\[[^\]]{0,40}\])? {1,8}gen {1,8}([0-9a-f]{1,16}) {1,8}(membership|jeopardy|visible)"
    r"(?: {1,40}([0-9; ]{1,300}))?(?!\S)"
)
_CUT_ROW = re.compile(
    r"Port {1,8}([a-z])(?:\[[^\]]{0,40}\])? {1,8}gen {1,8}([0-9a-f]{1,16})(?: {1,8}[a-z]{0,12})?\s{0,8}$"
)
_WAITS: Final = re.compile(r"registration waiting for seed")

_PORT_CLAIMS: Final = (
    r"(?:Port [a-z] Information:|heartbeat (?:timeout|warn interval|statistics):|\d{1,9} {0,8}~ {0,8}\d{1,9} \(msec\):)"
)
_PORT_OWNS: Final = re.compile(rf"(?:{_PORT_CLAIMS}|{_RULE}|[A-Za-z][A-Za-z ]{{2,40}}:)")
_PORT_TITLE = re.compile(r"Port ([a-z]) Information:")
_BUCKET = re.compile(r"(\d{1,9}) {0,8}~ {0,8}(\d{1,9}) \(msec\): {0,8}(\d{1,18})(?!\S)")
_PORT_ROW = re.compile(r"([A-Za-z][A-Za-z ]{2,40}?) {0,8}: {0,40}(\S.{0,2000})?$")
_MSEC = re.compile(r"(\d{1,12}) \(msec\)$")

_FLOW_CLAIMS: Final = r"gp_(?:xm|rv)_flw[a-z]{1,20} {0,60}(?:\d|\(null\))"
_FLOW_OWNS: Final = re.compile(rf"(?:{_FLOW_CLAIMS}|{_RULE}|(?:Send|Receive) side$|gp_[a-z_]{{2,40}})")
_FLOW = re.compile(r"(gp_[a-z_]{2,40}) {0,60}(?:(\d{1,18})|(\(null\)))(?!\w)")


def ids_of(text: str) -> str:
    """Node ids of a membership as printed: ``;12`` is 1 and 2, ``01   ;1`` has a second decade."""
    decade, ids = -1, []
    for char in text:
        if char in "0;":
            decade += 1
        if char.isdigit():
            ids.append(10 * max(0, decade) + int(char))
    return " ".join(map(str, ids))


_STANDINGS: Final[dict[str, GroupStanding]] = {
    "membership": "normal", "jeopardy": "jeopardy", "visible": "visible", "not running": "stopped",
}  # fmt: skip


def _owns_members(text: str, before: str) -> bool:
    return is_elision(text) or _MEMBERS_OWNS.match(text.lstrip()) is not None


def _ends_there(section: OpenSection) -> bool:
    """Whether what stands below is something else, and no page or remark that came between the title and its rows."""
    below = section.peek()
    return (
        below is None
        or not below.text.strip()
        or claimed(below.text) is not None
        or match_prompt(below.text, programs()) is not None
        or section.mark_of(below) is not None
    )


@parser("gabconfig", version=3, product="veritas", claims=_MEMBERS_CLAIMS, owns=_owns_members, commands=("gabconfig",))
def gabconfig(section: OpenSection, out: Output) -> None:
    """``gabconfig -a``: which nodes are members of which port."""
    title: Line | None = section.state.get("title")
    is_ruled = section.state.get("ruled", False)
    waits = section.state.get("waits", False)
    for line in section:
        if is_elision(line.text):
            out.ignore()
            title = None
            continue
        rows = _ROW.findall(line.text)
        if _TITLE in line.text:
            title = line
        elif title is not None and _WAITS.search(line.text):
            out.everyday()
            waits = True
        elif line.text.strip().startswith("===="):
            # A shorter one with which the text ends is cut, and what followed with it.
            is_ruled = len(line.text.strip()) >= _RULED or not section.source.ends_open
        elif not rows:
            out.skip(line, "a port cut or of an unknown layout")
            title = None  # there is one: what it says is not known
            if (cut := _CUT_ROW.match(line.text.strip())) is not None:
                _member(section, out, line, cut[1], cut[2], "", "cut")
        for port, generation, state, who in rows:
            title = None
            _member(section, out, line, port, generation, ids_of(who), state)
    section.state["title"], section.state["ruled"], section.state["waits"] = title, is_ruled, waits
    if (
        title is not None
        and is_ruled
        and section.ended
        and not section.elided
        and (waits or _ends_there(section))
        and not (section.command and section.command.filters)
    ):
        _member(section, out, title, None, None, "", "not running")


def _member(
    section: OpenSection, out: Output, line: Line, port: str | None, generation: str | None, members: str, state: str
) -> None:
    section.add(
        Membership,
        line.number,
        source="gabconfig -a",
        sort="port",
        group=port,
        generation=generation,
        members=members,
        state=state,
        standing=_STANDINGS.get(state, "unknown"),
    )


def _owns_port(text: str, before: str) -> bool:
    return is_elision(text) or _PORT_OWNS.match(text.lstrip()) is not None


@parser("gabport", version=2, product="veritas", claims=_PORT_CLAIMS, owns=_owns_port, commands=("gabport",))
def gabport(section: OpenSection, out: Output) -> None:
    """``gabport -p``: times of a port and how long its heartbeats took."""
    for line in section:
        text = line.text.strip()
        if is_elision(text):
            out.ignore()
        elif title := _PORT_TITLE.match(text):
            section.state["port"] = title[1]
        elif buckets := _BUCKET.findall(text):
            _buckets(section, out, line, buckets)
        elif not text.startswith(("====", "heartbeat statistics")):
            _port_row(section, out, line, text)


def _port_of(section: OpenSection) -> str | None:
    return section.state.get("port") or port_argument(section.command)


def port_argument(command: Command | None) -> str | None:
    """The letter behind ``-p`` or ``-port``."""
    words = command.args if command is not None else ()
    pairs = pairwise(words)
    return next(
        (value for word, value in pairs if word in ("-p", "-port") and len(value) == 1 and value.isalpha()), None
    )


def _scope(port: str | None) -> str | None:
    return f"GAB port {port}" if port else None


def _buckets(section: OpenSection, out: Output, line: Line, buckets: list[tuple[str, str, str]]) -> None:
    out.extend(
        Counter,
        line=[line.number] * len(buckets),
        node=section.node,
        scope=_scope(_port_of(section)),
        source="gabport -p",
        name=[f"heartbeat {low} ~ {high} ms" for low, high, _ in buckets],
        kind="cumulative",
        unit="heartbeats",
        value=[int(count) for _, _, count in buckets],
        at=section.at,
        zone_min=section.zone_min,
        sample=line.number,
    )


def _port_row(section: OpenSection, out: Output, line: Line, text: str) -> None:
    row = _PORT_ROW.match(text)
    if row is None or row[2] is None:
        out.skip(line, "no value of a port")
    elif row[1] == "Membership":
        section.add(
            Membership,
            line.number,
            source="gabport -p",
            sort="port",
            group=_port_of(section),
            members=" ".join(row[2].split()),
            state="membership",
            standing="normal",
        )
    else:
        msec = _MSEC.match(row[2])
        section.add(
            Setting,
            line.number,
            scope=_scope(_port_of(section)),
            source="gabport -p",
            name=row[1],
            value=msec[1] if msec else row[2],
        )


def _owns_flow(text: str, before: str) -> bool:
    return is_elision(text) or _FLOW_OWNS.match(text.lstrip()) is not None


@parser(
    "gabshow",
    version=2,
    product="veritas",
    claims=_FLOW_CLAIMS,
    owns=_owns_flow,
    commands=("gabshow.pl",),
    places=r"\bgabshow\.pl .{0,80}\bflowcontrol\b",
)
def gabshow(section: OpenSection, out: Output) -> None:
    """``gabshow.pl -port PORT flowcontrol``: how often the port was stopped."""
    state = section.state
    for line in section:
        text = line.text.strip()
        rows = _FLOW.findall(text)
        if is_elision(text):
            out.ignore()
        elif not rows and not text.startswith(("====", "Send side", "Receive side")):
            out.skip(line, "no counter of flow control")
        values = [(name, int(value)) for name, value, _ in rows if value]
        if values:
            if values[0][0] in state.setdefault("seen", set()):
                state["seen"].clear()
            state["sample"] = line.number if not state["seen"] else state["sample"]
            state["seen"].update(name for name, _ in values)
            _flow(section, out, line, values)


def _flow(section: OpenSection, out: Output, line: Line, values: list[tuple[str, int]]) -> None:
    out.extend(
        Counter,
        line=[line.number] * len(values),
        node=section.node,
        scope=_scope(port_argument(section.command)),
        source="gabshow.pl flowcontrol",
        name=[name for name, _ in values],
        kind=["cumulative" if name.endswith("cnt") else "gauge" for name, _ in values],
        value=[value for _, value in values],
        at=section.at,
        zone_min=section.zone_min,
        sample=section.state["sample"],
    )


_DRIVER: Final = KeyValues(
    r"Driver state",
    r"Partition arbitration",
    r"Control port seed",
    r"Halt on process death",
    r"Missed heartbeat halt",
    r"Halt on rejoin",
    r"Keep on killing",
    r"Quorum flag",
    r"Restart",
    r"Node count",
    r"(?:Send|Recv|Bogus send|Bogus recv) queue limit",
    r"Disk HB interval \(ms\)",
    r"Disk HB miss count",
    r"IOFENCE timeout \(ms\)",
    r"Stable timeout \(ms\)",
    r"Kill_ntries",
    r"System process",
    caption=r"GAB Driver Configuration$",
    claimed_by=(r"Partition arbitration", r"Control port seed", r"IOFENCE timeout \(ms\)"),
)


@parser("gab_driver", version=1, product="veritas", rows=_DRIVER, commands=("gabconfig",))
def gab_driver(section: OpenSection, out: Output) -> None:
    """``gabconfig -l``: how the driver is set."""
    for pair in _DRIVER.pairs(section, out, "no value of the driver"):
        section.add(Setting, pair.line, source="gabconfig -l", name=pair.name, value=pair.value)
