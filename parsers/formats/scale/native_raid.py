"""Disks of the native RAID of Storage Scale: ``mmlspdisk``, ``mmvdisk pdisk list``, ``mmvdisk recoverygroup list
--fault-tolerance``.

    pdisk:
       name = "e3d1s07"
       recoveryGroup = "ESSRGL"
       state = "dead/systemDrain/noRGD/noVCD/noData"

    recovery group  pdisk       paths  array  capacity  free space  FRU (type)  state
    rg_2            n004p011        0  DA1    3576 GiB      12 GiB  X00         missing/drained

    recovery group  remarks                                                  mmvdisk recoverygroup list --not-ok
    rg_2            server lund04 'down', DA1 needs service

     system index        1 node             critical

Yields ``HealthState``: a pdisk by its state, a part of the configuration by the fault tolerance that is left. No times.
Tolerated: further keys, cut rows. Source: IBM Storage Scale RAID documentation, the commands named; layouts recalled.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records.states import HealthStanding, HealthState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

SOURCE: Final = "pdisks"
_GONE = re.compile(r"(?:^|/)(?:dead|missing|failing|failed|undrainable|PTOW|VWCE)")
_DRAINED = re.compile(r"(?:^|/)drained(?:/|$)")
_AWAY = re.compile(r"\b(?:down|not active|inactive|unavailable|critical|failed|offline|missing)\b")
_PDISK_STATE: Final = (
    r"(?:ok|dead|missing|failing|failed|formatting|init|slow|readonly|suspended|diagnosing|draining|drained|replace"
    r"|undrainable|noPath|noRGD|noVCD|noData|(?:system|admin|service)Drain|PTOW|VWCE|simulated\w{4,10})"
)
_CODE: Final = r"(?:\d{1,2}\+[1-3]p|[2-4]WayReplication|Unreplicated)"
_LEFT: Final = r"\d{1,3} (?:node|pdisk|enclosure|drawer|rack)s?(?: \+ \d{1,3} \w{1,20})?"
"""How many parts may still fail."""
_SIZE: Final = r"\d{1,6}(?:[.,]\d{1,3})? {0,2}(?:[KMGTP]i?B|bytes)"


def pdisk_standing(state: str) -> HealthStanding:
    """What the words of a pdisk's state come to: ``ok`` alone is in order; what was drained holds nothing any more."""
    if _GONE.search(state) and not _DRAINED.search(state):
        return "failed"
    return "healthy" if state == "ok" else "degraded"


def _put(section: OpenSection, line: Line, what: str, state: str, standing: HealthStanding) -> None:
    section.add(HealthState, line.number, source=SOURCE, component=what, state=state, standing=standing)


def _key(section: OpenSection, _line: Line, found: re.Match[str]) -> None:
    section.state[found["key"]] = found["value"]


def _state(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    group = section.state.get("recoveryGroup")
    name = f"pdisk {section.state.get('name', 'without a name')}{f' of {group}' if group else ''}"
    _put(section, line, name, found["state"], pdisk_standing(found["state"]))


def _table(section: OpenSection, _line: Line, found: re.Match[str]) -> None:
    section.state["array first"] = found["array"] is not None


def _listed(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    """The column of the arrays stands before the names of the disks or behind them, as the heading says."""
    pdisk = found["second"] if section.state.get("array first") and found["second"] else found["pdisk"]
    state = f"{found['state']}, paths: {found['paths']}"
    _put(section, line, f"pdisk {pdisk} of {found['group']}", state, pdisk_standing(found["state"]))


def _tolerance(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    remark = found["remark"] or ""
    is_low = found["left"].startswith("0") or "critical" in remark
    state = f"fault tolerance {found['left']} {remark}".strip()
    _put(section, line, found["what"], state, "degraded" if is_low else "healthy")


def _all_ok(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    _put(section, line, f"all {found['what']}", "ok", "healthy")


def _remarked(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    """A recovery group that is listed because it is not in order, with what is the matter."""
    remark = found["remark"].strip()
    is_gone = _AWAY.search(remark) is not None
    _put(section, line, f"recovery group {found['group']}", remark, "failed" if is_gone else "degraded")


def _served(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    """Which server has the group of the blocks above."""
    group = section.state.get("group")
    name = f"recovery group {group}" if group else "recovery group"
    if found["server"] == "-":
        _put(section, line, name, "no server has it active", "failed")
    else:
        _put(section, line, name, f"active on {found['server']}", "healthy")


def _array(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    group = section.state.get("group")
    what = f"declustered array {found['name']}{f' of {group}' if group else ''}"
    task = found["task"] or found["duty"]
    is_rebuilt = task.startswith(("rebuild", "repair"))
    state = f"{task} {found['progress'] or ''}".strip()
    if found["priority"]:
        state = f"{state}, priority {found['priority']}"
    if found["service"] == "yes":
        state = f"needs service, {state}"
    _put(section, line, what, state, "degraded" if found["service"] == "yes" or is_rebuilt else "healthy")


def _group(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    state = "active"
    standing: HealthStanding = "healthy"
    if found["active"] == "no":
        state, standing = "no server has it active", "failed"
    elif found["service"] != "no":
        state, standing = f"needs service: {found['service']}", "degraded"
    section.state["group"] = found["name"]
    name = f"recovery group {found['name']}"
    section.add(HealthState, line.number, source=SOURCE, component=name, state=state, standing=standing)


def _of_group(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    group = section.state.get("group")
    name = f"pdisk {found['pdisk']}{f' of {group}' if group else ''}"
    _put(section, line, name, found["state"], pdisk_standing(found["state"]))


def _vdisk(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    state = found["state"]
    standing: HealthStanding = (
        "healthy" if state == "ok" else "failed" if state in ("offline", "critical") else "degraded"
    )
    _put(section, line, f"vdisk {found['vdisk']}", state, standing)


def _vdisk_bears(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    """A dash where what may still fail should stand, beside a remark: nothing may while the remark holds."""
    remark = found["remark"] or ""
    is_low = found["left"].startswith("0") or (found["left"] == "-" and remark != "") or "critical" in remark
    state = f"fault tolerance {'none' if found['left'] == '-' else found['left']} {remark}".strip()
    _put(section, line, f"vdisk {found['vdisk']}", state, "degraded" if is_low else "healthy")


def _vdisk_set(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    """The part of a vdisk set that lies in one recovery group."""
    state = found["state"]
    standing: HealthStanding = "healthy" if state.startswith("ok") else "degraded"
    if _AWAY.search(state) is not None:
        standing = "failed"
    _put(section, line, f"vdisk set {found['set']} of {found['group']}", state, standing)


def _server(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    is_on = found["active"] == "yes"
    section.add(
        HealthState,
        line.number,
        node=found["server"],
        source=SOURCE,
        component="server of a recovery group",
        state="active" if is_on else f"not active ({found['remark']})" if found["remark"] else "not active",
        standing="healthy" if is_on else "failed",
    )


_ROWS: Final = Rows(
    Row("pdisk", r"pdisk:$", fate=Fate.FRAME),
    Row("state", r'state = "(?P<state>[a-zA-Z][\w/.-]{1,200})"', _state, opens=False),
    Row(
        "key", r'(?P<key>name|recoveryGroup|declusteredArray) = "(?P<value>[^"]{0,200})"', _key, Fate.FRAME, opens=False
    ),
    Row("server of a pdisk", r'server = "[A-Za-z0-9][^"\s]{0,252}"$', fate=Fate.EVERYDAY),
    Row("further key", r"[a-zA-Z]\w{1,40} =(?: \S|$)|nPaths = |nErrors ", fate=Fate.EVERYDAY, opens=False),
    Row(
        "table",
        r"recovery group {1,40}(?P<array>array {1,40})?pdisk\b|declustered$|config data {2,40}\S"
        r"|declustered array {2,40}system\b",
        _table,
        Fate.FRAME,
    ),
    Row(
        "more of the heading",
        r"fault tolerance {2,40}vdisk set|-{3,80}(?: {1,20}-{2,80}){1,16} {0,8}$",
        fate=Fate.FRAME,
        opens=False,
    ),
    Row(
        "listed",
        r"(?P<group>[\w.-]{1,100}) {1,40}(?P<pdisk>[\w.-]{1,100}) {1,40}"
        r"(?:(?P<second>[A-Za-z][\w.-]{0,60}) {1,40})?(?P<paths>\d{1,3}) "
        rf"{{1,40}}(?:[A-Za-z][\w.-]{{0,60}} {{1,40}})?{_SIZE} {{1,40}}{_SIZE}(?: {{1,40}}\S{{1,60}}){{1,3}}? "
        r"{1,40}(?P<state>[a-z][\w/.-]{1,200}) {0,40}$",
        _listed,
    ),
    Row("all in order", r"(?:mmvdisk|mmlspdisk): All (?P<what>[a-z][a-z ]{2,30}s) are ok", _all_ok),
    Row(
        "array",
        r"(?P<name>[A-Za-z][\w-]{0,40}) {1,40}(?P<service>yes|no) {1,20}[\d-][^\n]{4,160}?"
        r"(?: \d{1,4} days {1,20}(?P<task>[a-z][\w-]{2,30})|(?: \d{1,4} ?d)? {1,20}"
        r"(?P<duty>(?:rebuild|repair)-[\w/-]{2,30}|rebalance|scrub|inactive))"
        r"(?: {1,20}\d{1,4} ?d(?:ays)?)?(?: {1,20}\(?(?P<progress>\d{1,3}%)\)?)?"
        r"(?: {1,20}(?P<priority>low|medium|high))?(?: {2,60}\S{1,40}){0,2} {0,40}$",
        _array,
    ),
    Row(
        "group",
        r"(?P<name>[\w.-]{1,100}) {1,40}(?:[A-Za-z][\w.-]{0,100} {1,40})?(?P<active>yes|no) {1,60}"
        r"(?:(?P<server>-|[A-Za-z0-9][\w.-]{0,252}"
        r"(?:,[A-Za-z0-9][\w.-]{0,252}){0,4}) {1,40})?"
        r"(?P<service>yes|no|unknown) {1,40}(?:\d{1,5}|-)(?: {1,40}\S.{0,200})?$",
        _group,
        opens=False,
    ),
    Row(
        "pdisk of a group",
        r"(?P<pdisk>[\w.-]{1,100}) {1,40}\d{1,3}, {1,8}\d{1,3} {1,20}[\w.-]{1,60} {1,40}"
        rf"{_SIZE} {{1,40}}[\w-]{{1,30}} {{1,40}}(?P<state>[a-zA-Z][\w/.-]{{1,200}}) {{0,40}}$",
        _of_group,
    ),
    Row(
        "headings",
        r"needs {2,60}user$|number of {1,20}declustered {2,60}user\b"
        r"|recovery group {1,40}(?:node class|active|arrays|remarks)\b"
        r"|declustered {2,60}(?:array|needs|checksum|current|paths|block)"
        r"|declustered (?:needs replace|current allowable)"
        r"|array {1,40}(?:service|paths)\b|pdisk {1,40}(?:n\. active|total|active)|RAID code {2,40}"
        r"|vdisk {1,40}RAID code|vdisk set {2,40}recovery group {2,40}count\b"
        r"|member vdisks {0,8}$|active recovery group server\b|number {2,40}server {2,80}active\b"
        r"|pdisk {2,40}array\b",
        fate=Fate.FRAME,
    ),
    Row(
        "upper line of a heading",
        r"node$|recovery {2,80}\S|server {2,80}\S|n\. active, {1,40}declustered\b",
        fate=Fate.FRAME,
        opens=False,
    ),
    Row(
        "vdisk",
        rf"(?P<vdisk>[\w.-]{{1,100}}) {{1,60}}(?:[\w.-]{{1,100}} {{1,60}}){{0,3}}{_CODE} [^\n]{{3,160}}? "
        r"(?P<state>ok|offline|degraded|critical|unknown)(?: [^\n]{0,100})?$",
        _vdisk,
        opens=False,
    ),
    Row(
        "vdisk with what it bears",
        rf"(?P<vdisk>[\w.-]{{1,100}}) {{1,60}}{_CODE} {{1,60}}(?P<left>-|{_LEFT})"
        r"(?: {1,60}(?P<remark>[a-z]\S.{0,100}?))? {0,40}$",
        _vdisk_bears,
        opens=False,
    ),
    Row(
        "part of a vdisk set",
        r"(?P<set>[\w.-]{1,100}) {1,60}(?P<group>[\w.-]{1,100}) {1,40}\d{1,4} "
        rf"{{1,40}}{_SIZE} {{1,40}}{_SIZE} "
        r"{1,40}(?P<state>ok|offline|degraded|critical|unknown)(?: [^\n]{0,100})?$",
        _vdisk_set,
        opens=False,
    ),
    Row(
        "server",
        r"\d{1,6} {1,40}(?P<server>[A-Za-z][\w.-]{0,252}) {1,80}(?P<active>yes|no)(?: {1,40}(?P<remark>\S.{0,100}?))?"
        r" {0,40}$",
        _server,
        opens=False,
    ),
    Row(
        "servers of a group",
        r"(?P<server>-|[A-Za-z][\w.-]{0,252}) {2,80}[A-Za-z][\w.-]{0,252}(?:,[A-Za-z][\w.-]{0,252}){1,8} {0,40}$",
        _served,
        opens=False,
    ),
    Row(
        "row of a pdisk",
        rf"(?P<pdisk>[\w.-]{{1,100}}) {{1,60}}[\w.-]{{1,60}},? [^\n]{{0,60}}?{_SIZE}(?: [^\n]{{0,100}}?)? "
        rf"(?P<state>{_PDISK_STATE}(?:/{_PDISK_STATE}){{0,12}})"
        r"(?:, [^\n]{0,100}|(?: {2,60}[^\s,]{1,40}){0,2} {0,80})$",
        _of_group,
        opens=False,
    ),
    Row(
        "format",
        r"[\w.-]{1,100} {1,40}\d{1,4} {1,20}\d{1,5} {1,20}\d{1,6}(?: {1,20}\d{1,3}(?:\.\d{1,3}){2,3}){1,2}$",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row(
        "tolerance",
        r"(?P<what>system index|mirrored [a-z]{1,20}|[a-z]{1,20} "
        rf"(?:descriptor|index|vdisk|configuration)|[\w.-]{{1,60}}) {{2,60}}(?P<left>{_LEFT})(?: "
        r"{2,60}(?P<remark>\S.{0,100}?))? {0,40}$",
        _tolerance,
        opens=False,
    ),
    Row(
        "group with remarks",
        r"(?P<group>[\w.-]{1,100}) {2,60}(?P<remark>(?:server|declustered array|DA\w{1,10}|pdisk|vdisk|log group) "
        r"[^\n]{0,200}?\b(?:needs? service|down|not active|inactive|unavailable|unassigned|critical|degraded|failed"
        r"|failing|missing|offline)\b[^\n]{0,200})$",
        _remarked,
        opens=False,
    ),
)


@parser(
    "scale_pdisks",
    version=11,
    product="spectrum-scale",
    rows=_ROWS,
    commands=("mmlspdisk", "mmvdisk", "mmlsrecoverygroup"),
    places=r"\bmm(?:vdisk|lspdisk|lsrecoverygroup)\b",
)
def scale_pdisks(section: OpenSection, out: Output) -> None:
    """States of pdisks, and the fault tolerance that is left."""
    _ROWS.read(section, out, "no pdisk with its state")
