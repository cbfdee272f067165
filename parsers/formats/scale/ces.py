"""Protocol nodes of Spectrum Scale for people: ``mmces node list``, ``mmces address list``, ``mmces service list``.

     Node Number  Node Name    Node Groups  Node Flags
     3            lund03                    Failed

    Address       Node        Group  Attribute
    10.89.0.8     unassigned  none   none

    Enabled services: NFS SMB
    lund03:  NFS is not running, SMB is running

Yields ``HealthState``: a protocol node, an address, a service of a node. A service that does not run counts as failed
where it is enabled. ``mmces state show`` stands in ``health``. No times. Source: IBM Storage Scale documentation, mmces
command; layouts recalled.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.formats.scale.health_events import event_kind, named_in
from parsers.ledger import Fate
from parsers.records import Event
from parsers.records.states import HealthStanding, HealthState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

TEXT_KEPT: Final = 400
_NAME: Final = r"[A-Za-z0-9][\w.-]{0,252}"
_ADDRESS: Final = r"(?:(?:\d{1,3}\.){3}\d{1,3}|[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:.]{1,44})"
_FLAGS: Final = r"(?:none|[A-Z][A-Za-z-]{2,30}(?:,[A-Z][A-Za-z-]{2,30}){0,6})"

_FLAG = re.compile(_FLAGS)


def flag_standing(flags: str) -> HealthStanding:
    """What the flags of a protocol node come to; one is suspended on purpose."""
    words = flags.lower()
    if "fail" in words or "network-down" in words:
        return "failed"
    return "healthy" if words == "none" else "hint"


def _put(section: OpenSection, line: Line, node: str | None, what: str, state: str, standing: HealthStanding) -> None:
    section.add(
        HealthState,
        line.number,
        node=node or section.node,
        source="mmces",
        component=what,
        state=state,
        standing=standing,
    )


def _nodes(section: OpenSection, _line: Line, found: re.Match[str]) -> None:
    section.state["flags first"] = found["first"] == "Flags"


def _member(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    flags = found["flags"] or "none"
    if section.state.get("flags first") and found["other"]:
        flags = found["other"]
    if _FLAG.fullmatch(flags) is None:
        flags = "none"  # only its group is shown
    _put(section, line, found["node"], "CES node", "in order" if flags == "none" else flags, flag_standing(flags))


def _address(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    is_free = found["node"].lower() == "unassigned"
    state = "no node serves it" if is_free else f"on {found['node']}"
    _put(section, line, None, f"CES address {found['address']}", state, "degraded" if is_free else "healthy")


def _enabled(section: OpenSection, _line: Line, found: re.Match[str]) -> None:
    section.state["enabled"] = found["names"].replace(",", " ").split()


def _services(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    enabled = section.state.get("enabled")
    for name, is_off in re.findall(r"([A-Z][A-Z0-9_]{1,11}) is (not )?running", found["states"]):
        is_meant = enabled is None or name in enabled
        standing: HealthStanding = "healthy" if not is_off else "failed" if is_meant else "hint"
        _put(section, line, found["node"], f"CES {name}", "not running" if is_off else "running", standing)


def _active(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    kind, weight = event_kind(found["event"], found["severity"])
    details = (found["details"] or "").strip()
    section.add(
        Event,
        line.number,
        node=found["node"],
        source="mmhealth",
        kind=kind,
        about=named_in(details),
        weight=weight,
        text=f"{found['event']} {found['severity']}: {details}"[:TEXT_KEPT],
    )


_ROWS: Final = Rows(
    Row(
        "active events",
        r"Node {2,60}Component {2,60}Event(?: Name)? {2,60}Severity(?: {2,60}Details)?$",
        fate=Fate.FRAME,
    ),
    Row(
        "event",
        rf"(?P<node>{_NAME}) {{1,60}}[A-Z][A-Z0-9_]{{1,20}} {{1,60}}(?P<event>[a-z][\w-]{{2,120}}) {{1,60}}"
        r"(?P<severity>INFO|TIP|WARNING|ERROR|CRITICAL)(?: {1,60}(?P<details>\S.{0,2000}))?$",
        _active,
        opens=False,
    ),
    Row(
        "nodes",
        r"Node(?: Number)? {1,20}(?:Node )?Name {1,40}(?:Node|C[Ee][Ss]) (?P<first>Groups?|Flags) {1,40}"
        r"(?:Node|C[Ee][Ss]) (?:Groups?|Flags)",
        _nodes,
        Fate.FRAME,
    ),
    Row(
        "addresses",
        r"(?:Address|cesAddress) {1,40}(?:C[Ee][Ss] ?|ces)?Node {1,40}"
        r"(?:(?:C[Ee][Ss] ?)?Group {1,40}Attributes?|attributes {1,40}cesGroup)",
        fate=Fate.FRAME,
    ),
    Row("ruler", r"-{3,240}(?: {1,8}-{3,80}){0,6} {0,8}$", fate=Fate.FRAME, opens=False),
    Row("enabled", r"Enabled services: (?P<names>[A-Z][A-Z0-9_ ,]{1,100})$", _enabled, Fate.FRAME),
    Row(
        "services",
        rf"(?:(?P<node>{_NAME}): {{1,8}})?(?P<states>[A-Z][A-Z0-9_]{{1,11}} is (?:not )?running"
        r"(?:, {0,4}[A-Z][A-Z0-9_]{1,11} is (?:not )?running){0,8})$",
        _services,
    ),
    Row(
        "address",
        rf"(?P<address>{_ADDRESS}) {{1,60}}(?P<node>{_NAME})(?: {{1,60}}\S{{1,200}}){{1,4}}$",
        _address,
        opens=False,
    ),
    Row(
        "node",
        rf"\d{{1,6}} {{1,40}}(?P<node>{_NAME}) {{1,80}}(?:(?P<other>[\w,-]{{1,100}}) {{1,60}})?"
        rf"(?P<flags>{_FLAGS}|(?<= )[\w,-]{{1,100}})$",
        _member,
        opens=False,
    ),
)


@parser("scale_ces", version=3, product="spectrum-scale", rows=_ROWS, commands=("mmces",))
def scale_ces(section: OpenSection, out: Output) -> None:
    """``mmces``: protocol nodes, their addresses and services."""
    _ROWS.read(section, out, "no node, address or service of CES")
