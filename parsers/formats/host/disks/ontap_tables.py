"""What the ``show`` commands of a NetApp ONTAP cluster say of its nodes, aggregates, volumes and addresses.

    ontap-b        ontap-a        false    Takeover is not possible: ...     storage failover show
    ontap-b   false  true       201 days 03:58 AFF-A250                      system node show
    aggr_b 12.11TB    6.40TB   47% online       9 ontap-b   raid_dp,         storage aggregate show
                                                            degraded
    svm_1     vol_2        aggr_b       offline    RW        500GB           volume show
              lif_b2       up/down  10.71.2.61/24  ontap-b   e1b     true    network interface show
    11/30/2026 11:50:00 ontap-b   EMERGENCY   monitor.shutdown: ...          event log show

Yields ``HealthState`` of each, and of an event of the log from ERROR upward, which is a state of its own: what is
over says so in another event. An address that is not at home is a hint. No times. Source: NetApp ONTAP command
reference, recalled.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.records.states import HealthStanding, HealthState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows, everyday, heading

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_NAME: Final = r"[A-Za-z][\w.-]{0,62}"
_GAP: Final = r"\s{1,30}"
_SIZE: Final = r"\d{1,6}(?:\.\d{1,3})?(?:[KMGTP]?B)"
_FULL: Final = 98
"""Percent; proposed: an aggregate or volume with less than that is in use as it was meant."""


def _state(section: OpenSection, line: Line, component: str, state: str, standing: HealthStanding) -> None:
    section.add(HealthState, line.number, source="ontap", component=component, state=state, standing=standing)


def _failover(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    able = match["able"] == "true"
    state = match["words"].strip() or ("takeover is possible" if able else "takeover is not possible")
    _state(section, line, f"failover of {match['node']}", state, "healthy" if able else "degraded")


def _node(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    well = match["health"] == "true"
    state = "healthy" if well else "not healthy"
    _state(section, line, f"node {match['node']}", state, "healthy" if well else "degraded")


def _space(section: OpenSection, line: Line, match: re.Match[str], sort: str) -> None:
    name, state, used = match["name"], match["state"], int(match["used"] or 0)
    section.state["aggregate"] = name
    is_well = state == "online"
    _state(section, line, f"{sort} {name}", state, "healthy" if is_well else "degraded")
    if used >= _FULL:
        _state(section, line, f"room of {sort} {name}", f"{used} % used", "degraded")


def _aggregate(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _space(section, line, match, "aggregate")


def _volume(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _space(section, line, match, "volume")


def _raid(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    if (name := section.state.get("aggregate")) is not None:
        _state(section, line, f"RAID of {name}", match["raid"], "healthy" if match["raid"] == "normal" else "degraded")


def _address(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    admin, oper, home = match["admin"], match["oper"], match["home"]
    down, away = admin == "up" and oper == "down", home == "false"
    words = f"{admin}/{oper}" + (", not at home" if away else "")
    _state(section, line, f"interface {match['name']}", words, "degraded" if down else "hint" if away else "healthy")


def _logged(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _state(section, line, f"{match['node']} {match['event']}", match["words"].strip(), "degraded")


_ROWS: Final = Rows(
    heading("heading", r"Node\s{1,20}Partner\s{1,20}Possible State Description"),
    heading("heading", r"Node\s{1,20}Health Eligibility Uptime\b"),
    heading("heading", r"Aggregate\s{1,20}Size Available Used% State\b"),
    heading("heading", r"Vserver\s{1,20}Volume\s{1,20}Aggregate\s{1,20}State\b"),
    heading("heading", r"Vserver\s{1,20}Interface\s{1,20}Admin/Oper\b"),
    heading("heading", r"Logical\s{1,20}Status\s{1,20}Network\s{1,40}Current\s{1,20}Current\s{1,20}Is$"),
    heading("heading", r"Time\s{1,30}Node\s{1,30}Severity\s{1,30}Event$"),
    Row(
        "takeover",
        rf"(?P<node>{_NAME}){_GAP}{_NAME}{_GAP}(?P<able>true|false){_GAP}(?P<words>(?:Connected to|Takeover|In takeover"
        r"|Waiting for|Unknown|Pending|Partial)[^\n]{0,200})$",
        _failover,
    ),
    Row(
        "node",
        rf"(?P<node>{_NAME}){_GAP}(?P<health>true|false){_GAP}(?:true|false){_GAP}\d{{1,5}} days \d\d:\d\d\b"
        r"[^\n]{0,100}$",
        _node,
    ),
    Row(
        "aggregate",
        rf"(?P<name>{_NAME}){_GAP}{_SIZE}{_GAP}{_SIZE}{_GAP}(?P<used>\d{{1,3}})%{_GAP}(?P<state>[a-z_]{{4,20}}){_GAP}"
        rf"\d{{1,5}}{_GAP}{_NAME}{_GAP}raid\w{{0,8}},?[^\n]{{0,40}}$",
        _aggregate,
    ),
    Row(
        "state of its RAID",
        r"(?P<raid>normal|degraded|reconstruct|partial|failed|mirror degraded)$",
        _raid,
        opens=False,
    ),
    Row(
        "volume",
        rf"{_NAME}{_GAP}(?P<name>{_NAME}){_GAP}{_NAME}{_GAP}(?P<state>online|offline|restricted|mixed){_GAP}(?:RW|DP|LS){_GAP}"
        rf"(?:{_SIZE}|-){_GAP}(?:{_SIZE}|-){_GAP}(?:(?P<used>\d{{1,3}})%|-)$",
        _volume,
    ),
    Row(
        "address",
        rf"(?P<name>{_NAME}){_GAP}(?P<admin>up|down)/(?P<oper>up|down){_GAP}[\da-fA-F.:]{{3,40}}(?:/\d{{1,3}})?{_GAP}{_NAME}{_GAP}"
        rf"{_NAME}{_GAP}(?P<home>true|false)$",
        _address,
    ),
    Row(
        "event",
        rf"\d{{1,2}}/\d{{1,2}}/\d{{4}} \d\d:\d\d:\d\d{_GAP}(?P<node>{_NAME}){_GAP}(?:EMERGENCY|ALERT|ERROR)"
        r"\s{1,30}(?P<event>[a-z][\w.]{3,80}): (?P<words>[^\n]{1,400})$",
        _logged,
    ),
    everyday(
        "everyday event",
        rf"\d{{1,2}}/\d{{1,2}}/\d{{4}} \d\d:\d\d:\d\d{_GAP}{_NAME}{_GAP}(?:NOTICE|INFORMATIONAL|DEBUG){_GAP}"
        r"[a-z][\w.]{3,80}: ",
    ),
    everyday("count", r"\d{1,6} entries were displayed\.$", opens=False),
    everyday("owner of addresses", rf"{_NAME}$", opens=False),
)


_PLACES: Final = r"\b(?:storage|network|volume|event|vserver)(?: [a-z-]{1,20}){1,3} show\b"


@parser("ontap_tables", version=1, product="storage", rows=_ROWS, places=_PLACES)
def ontap_tables(section: OpenSection, out: Output) -> None:
    """Rows of what the cluster shows."""
    _ROWS.read(section, out, "no row of the cluster")
