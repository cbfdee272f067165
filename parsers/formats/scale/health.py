"""Health of Spectrum Scale as people see it: ``mmhealth node show``, ``mmhealth cluster show``, ``mmhealth node
eventlog``, ``mmhealth event show``, ``mmces state show``, ``mmces events list``.

    Node name:      lund03.lab
    Node status:    DEGRADED
    Status Change:  2 hours ago

    Component      Status        Status Change     Reasons & Notices
    ----------------------------------------------------------------
    GPFS           TIPS          17 min. ago       callhome_not_enabled, swapped_warn
      fs1          HEALTHY       17 min. ago       -

    Event                 Parameter  Severity    Active Since         Event Message
    callhome_not_enabled  GPFS       TIP         1 hour ago           Call home is not installed, configured, or
    enabled.

    Timestamp                         Event Name         Severity   Details
    2031-11-18 02:07:58.002771 CET    gpfs_down          ERROR      The service process is not running on this node.

    Timestamp                        Node Name    Event Name    Severity   Details        mmces events list
    2031-11-18 02:08:11.310112 CET   lund01       smbd_down     ERROR      The SMB daemon is not running.

    NODE      AUTH       BLOCK      NETWORK    NFS       SMB       CES
    lund01    HEALTHY    DISABLED   HEALTHY    FAILED    HEALTHY   FAILED

    Component     Node            Status        Reasons                 mmhealth cluster show NODE
    Component     Total    Failed    Degraded    Healthy    Other       mmhealth cluster show

Yields ``HealthState`` (a component, with its part behind a blank, and its state; reasons follow the state), ``Event``
(events of the log with their moment, active ones without, as how long they last is printed in words, and the reasons of
what failed) and ``Counter`` (components by state). What an event means stands in
``parsers/messages/scale-health.toml``. An event that is only explained is none. Columns come from the header: words
parted by two blanks or more. Tolerated: other columns, headers printed again, cut rows, codes of colour. Source: IBM
Storage Scale, mmhealth and mmces commands.
"""

from __future__ import annotations

import re
from dataclasses import field, replace
from typing import Final

from parsers.dataclass import dataclass
from parsers.formats.scale.health_events import event_kind, named_in
from parsers.formats.scale.tables.tables_state import health_standing
from parsers.grammars.cells import is_whole
from parsers.output import Output
from parsers.records import Counter, Event
from parsers.records.states import HealthState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import whole
from parsers.times.clock import find_instant

_STATES: Final = (
    r"(?:HEALTHY|DEGRADED|FAILED|TIPS|CRITICAL|ERROR|UNHEALTHY|DEGRADING|NOT_CONFIGURED|IGNORED|UNKNOWN"
    r"|CHECKING|DISABLED|DEPEND|STARTING|STOPPED|SUSPENDED|ONLINE|OFFLINE|INIT)"
)
_NODE_HEAD: Final = r"Node (?:name|status): {1,40}\S"
_TABLE: Final = (
    r"Component(?: {2,40}(?:Node {2,40})?(?:Status|Total)\b"
    r"| (?:Node )?(?:Status (?:Status Change|Reasons)|Total Failed)\b)"
)
_EVENTS: Final = r"Event {2,60}Parameter {2,60}(?:Severity|Active)\b"
_LOG_HEAD: Final = r"Timestamp {2,60}(?:(?:Component|Node(?: Name)?) {1,60})?Event(?: Name)?(?: {2,60}\S|$)"
_WHEN: Final = r"\d{4}-\d\d-\d\d[ T_]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?(?:[A-Z]{2,5}|[+-]\d\d:?\d\d))?"
_SEVERITY: Final = r"(?:INFO(?:_[A-Z_]{1,20})?|TIP|WARNING|ERROR|CRITICAL)"
_BETWEEN: Final = r"(?:(?:[A-Z_]{2,30}|(?P<on>[A-Za-z0-9][\w.-]{0,252})) {1,60})?"
"""The component or, in the log of the protocol nodes, the node."""
_LOG_ROW: Final = (
    rf"{_WHEN} {{1,40}}(?:[A-Z_]{{2,30}} {{1,40}}|[A-Za-z0-9][\w.-]{{0,252}} {{2,60}}(?=[a-z0-9]{{1,60}}_))?"
    rf"[a-z][\w-]{{2,120}} {{1,60}}(?:\d{{1,9}} {{1,40}})?{_SEVERITY}(?: |$)"
)
_LOGGED = re.compile(
    rf"(?P<when>{_WHEN}) {{1,40}}{_BETWEEN}(?P<event>[a-z][\w-]{{2,120}}) {{1,60}}(?:\d{{1,9}} {{1,40}})?"
    rf"(?P<severity>{_SEVERITY})(?: {{1,40}}(?P<details>.{{0,2000}}))?$"
)
_BEGUN = re.compile(rf"{_WHEN} {{1,40}}{_BETWEEN}[a-z][\w-]{{2,120}}$")
"""A row of the log that a mail broke in front of its severity, for the gap between the two is wide."""
_WEIGHED = re.compile(rf"{_SEVERITY}(?: |$)")
_REST_OF_ROW = re.compile(r"[a-z(]")
_SERVICE: Final = r"[A-Z][A-Z0-9_]{1,15}"
_CES_HEAD: Final = (
    rf"NODE {{1,60}}(?=(?:{_SERVICE} {{1,60}}){{0,16}}(?:CES|NFS|SMB)\b)"
    rf"(?:{_SERVICE} {{1,60}}){{1,16}}{_SERVICE} {{0,60}}$"
    rf"|NODE {{2,60}}(?:{_SERVICE} {{2,60}}){{1,16}}{_SERVICE} {{0,60}}$"
)
_CES_ROW: Final = rf"(?!{_STATES} )[\w.-]{{1,253}} {{1,60}}(?:{_STATES} {{1,60}}){{1,16}}{_STATES} {{0,60}}$"
_REST_OF_HEAD = re.compile(rf"(?:{_SERVICE} {{1,60}}){{0,16}}CES$")
_REST_OF_STATES = re.compile(rf"(?:{_STATES} {{1,60}}){{0,16}}{_STATES}$")
_BEGUN_ROW = re.compile(rf"(?!{_STATES} )[\w.-]{{1,253}}(?: {{1,60}}{_STATES}){{1,16}}$")
_EXPLAINED: Final = r"(?:Event (?:Name|ID)|Description|Cause|User Action|Severity|State): {1,60}\S"
_OF_NODE: Final = rf"Node name: {{4,40}}[\w.-]{{1,253}}$|Node status: {{1,40}}{_STATES}\b"
CLAIM: Final = rf"Event Name: {{2,60}}[a-z]|{_LOG_HEAD}|{_LOG_ROW}|{_CES_HEAD}|{_OF_NODE}|{_TABLE}|{_EVENTS}"
_ROW_CLOSE: Final = rf"[A-Za-z][\w.:/-]{{0,120}} {_STATES} (?:\d{{1,6}} [a-z]{{2,8}}\.? ago|[Nn]ow|{_WHEN}) \S"
_COUNTS_CLOSE: Final = r"[A-Z][A-Z_]{1,30}(?: \d{1,6}){3,8}$"
_ROW: Final = r"\S{1,200} {2,60}(?:[A-Z]{2,20}|\d{1,9}|[\w./:-]{1,253} {2,60}[A-Z]{2,20})(?: |$)"
_ROW_OF_WORDS: Final = r"[A-Za-z]\S{0,199} {2,60}(?:[\w./:-]{1,253} {2,60})?[A-Za-z][A-Za-z_]{2,24}(?: {2,60}\S|$)"
"""With a state in small letters, or one that nobody knows."""
_OWNS: Final = (
    rf"{CLAIM}|{_CES_ROW}|{_EXPLAINED}|{_NODE_HEAD}|Status Change: {{1,40}}\S|-{{8,400}}$|There are no active|{_ROW}"
    rf"|{_ROW_OF_WORDS}|{_ROW_CLOSE}|{_COUNTS_CLOSE}"
)
_CELLS: Final = re.compile(r" {2,400}")
_HEADS_ONE_BLANK: Final = ("Component Status Status Change Reasons", "Component Status Reasons")
"""Headers whose columns stand one blank apart, as a chat or a form leaves them."""
_COLUMNS_ONE_BLANK: Final = ["Component", "Status", "Reasons"]
_ROW_ONE_BLANK = re.compile(
    rf"(?P<component>\S{{1,200}}) (?P<state>{_STATES})(?: (?:\d{{1,6}} [a-z]{{2,8}}\.? ago|[Nn]ow|{_WHEN}))?"
    r"(?: (?P<reasons>.{1,400}))?$"
)
_STATE = re.compile(rf"{_STATES}$")
_WORD_OF_STATE = re.compile(r"[A-Za-z][A-Za-z_]{2,24}$")
_KNOWN: Final = _STATES.strip("(?:)").split("|")
_REASON = re.compile(r"([a-z][a-z0-9_-]{2,120})(?:\(([^()]{1,200})\))?")
_SERVICES = re.compile(_CES_HEAD)
_FRAME = re.compile(rf"{_LOG_HEAD}|{_EXPLAINED}|Severity {{2,60}}Details\b")
_OWNED = re.compile(_OWNS)
_LOG_LINE = re.compile(rf"{_LOG_ROW}|{_SEVERITY} ")
REASONS_KEPT: Final = 40
TEXT_KEPT: Final = 400
_NAME = re.compile(r"[a-z][a-z0-9_-]{2,120}$")
_COUNTS: Final = ("Total", "Failed", "Degraded", "Healthy", "Tips", "Other")


@dataclass(slots=True)
class _Table:
    """What the lines above tell: whose health it is, the columns with the blanks in front of them, and the component
    whose parts follow.
    """

    node: str | None = None
    columns: list[str] = field(default_factory=list)
    component: str = ""
    head: int = 0
    indent: int = 0


def _is_rest(above: str, body: str) -> bool:
    """Whether a line is the rest of a row of the log that was broken."""
    if not above or not body:
        return False
    if _BEGUN.match(above) is not None:
        return _WEIGHED.match(body) is not None
    if _REST_OF_STATES.match(body) is not None:
        return _BEGUN_ROW.match(above) is not None
    if _REST_OF_HEAD.match(body) is not None:
        return _SERVICES.match(above) is not None and not above.endswith("CES")
    is_open = above[-1] not in ".!?" or body[0] == "("
    return is_open and _LOG_LINE.match(above) is not None and _REST_OF_ROW.match(body) is not None


def _owns(text: str, before: str) -> bool:
    body, above = text.strip(), before.strip()
    if _OWNED.match(body) is not None or _BEGUN.match(body) is not None or _FRAME.match(body) is not None:
        return True
    return _is_rest(above, body)


@parser("scale_health", version=11, product="spectrum-scale", claims=CLAIM, owns=_owns, commands=("mmhealth", "mmces"))
def scale_health(section: OpenSection, out: Output) -> None:
    """``mmhealth``: tables for people."""
    table: _Table = section.state.setdefault("table", _Table(node=section.node))
    for line, text in whole(section, out, _is_rest):
        indent = len(line.text) - len(line.text.lstrip())
        if text.startswith(("---", "Status Change:", "There are no")) or _FRAME.match(text):
            out.frame()
            continue
        if logged := _LOGGED.match(text):
            _logged(section, out, table, line.number, logged)
            continue
        cells = _cells(text, table)
        if text.startswith("Node "):
            _head(section, out, table, line.number, text)
        elif (cells[0] in ("Component", "Event") and len(cells) > 2) or _SERVICES.match(text):
            table.columns = text.split() if _SERVICES.match(text) else cells
            table.component, table.head, table.indent = "", line.number, indent
        elif not table.columns or not _row(section, out, table, line.number, cells, is_part=indent > table.indent):
            out.skip(line, "no row of a table of mmhealth")


def _cells(text: str, table: _Table) -> list[str]:
    """Cells of a row; those of a table whose columns stand one blank apart are told by its states."""
    cells = _CELLS.split(text)
    if len(cells) > 1:
        return cells
    if text.startswith(_HEADS_ONE_BLANK):
        return _COLUMNS_ONE_BLANK
    if text.startswith("Component Total ") or "Total" in table.columns:
        return text.split()
    if table.columns == _COLUMNS_ONE_BLANK and (row := _ROW_ONE_BLANK.match(text)):
        return [row["component"], row["state"], row["reasons"] or "-"]
    return cells


def _head(section: OpenSection, out: Output, table: _Table, line: int, text: str) -> None:
    """``Node name: ...`` and ``Node status: ...``."""
    name, _, value = text.partition(":")
    value = value.strip()
    if name == "Node name":
        table.node, table.columns = value, []
    else:
        out.add(_health(section, line, table.node, "NODE", value.upper()))


def _health(section: OpenSection, line: int, node: str | None, component: str, state: str) -> HealthState:
    return HealthState(
        line=line,
        node=node or section.node,
        at=section.at,
        zone_min=section.zone_min,
        source="mmhealth",
        component=component,
        state=state,
        standing=health_standing(state),
    )


def _row(section: OpenSection, out: Output, table: _Table, line: int, cells: list[str], *, is_part: bool) -> bool:
    """One row below a header; whether it was understood."""
    if table.columns[0] == "NODE":
        return _services(section, out, table, line, cells)
    if table.columns[0] == "Event":
        return _event(section, out, table, line, cells)
    if "Total" in table.columns:
        return _counts(section, out, table, line, cells)
    row = dict(zip(table.columns, cells, strict=False))
    state = row.get("Status", "").upper()
    if _WORD_OF_STATE.match(state) is None or any(known != state and known.startswith(state) for known in _KNOWN):
        return False  # a state that was cut is none
    node = row.get("Node", table.node)
    if is_part and table.component:
        group = f"{table.component} {row['Component']}"
    else:
        group = table.component = row["Component"]
    reasons = next((value for name, value in row.items() if name.startswith("Reasons") and value != "-"), "")
    out.add(_health(section, line, node, group, f"{state}: {reasons}" if reasons else state))
    if health_standing(state) in ("failed", "degraded", "unknown"):  # what a state of no weight rests on may have one
        _reasons(section, out, line, node, reasons)
    return True


def _reasons(section: OpenSection, out: Output, line: int, node: str | None, reasons: str) -> None:
    """``stale_mount(hull), gpfs_down``: each is an event."""
    for name, about in _REASON.findall(reasons)[:REASONS_KEPT]:
        kind, weight = event_kind(name, "", "notice")
        out.add(
            Event(
                line=line,
                node=node or section.node,
                at=None,
                source="mmhealth",
                kind=kind,
                about=about or None,
                weight=weight,
                text=f"{name}({about})" if about else name,
            )
        )


def _services(section: OpenSection, out: Output, table: _Table, line: int, cells: list[str]) -> bool:
    """A protocol node: the state of each of its services."""
    words = " ".join(cells).split()
    if len(words) != len(table.columns) or not all(_STATE.match(word) for word in words[1:]):
        return False
    for name, state in zip(table.columns[1:], words[1:], strict=True):
        out.add(_health(section, line, words[0], name if name == "CES" else f"CES {name}", state))
    return True


def _logged(section: OpenSection, out: Output, table: _Table, line: int, row: re.Match[str]) -> None:
    """An event of the log, with its moment."""
    instant = find_instant(row["when"].replace("_", " "))
    if instant is not None:
        section.stamp(instant[0])
    kind, weight = event_kind(row["event"], row["severity"])
    details = row["details"] or ""
    out.add(
        Event(
            line=line,
            node=row["on"] or table.node or section.node,
            at=instant[0].us if instant else None,
            zone_min=instant[0].zone_min if instant else None,
            source="mmhealth",
            kind=kind,
            about=named_in(details),
            weight=weight,
            text=f"{row['severity']}: {details or row['event']}"[:TEXT_KEPT],
        )
    )


def _counts(section: OpenSection, out: Output, table: _Table, line: int, cells: list[str]) -> bool:
    row = dict(zip(table.columns, cells, strict=False))
    figures = {name: row[name] for name in _COUNTS if is_whole(row.get(name, ""))}
    failed, degraded, total = (int(figures.get(name, "0")[:9]) for name in ("Failed", "Degraded", "Total"))
    if "Total" in figures and failed + degraded > total:
        return False  # a column is missing or too many: whose figures these are is not known
    for name, value in figures.items():
        section.add(
            Counter,
            line,
            scope=cells[0],
            source="mmhealth cluster",
            name=name.lower(),
            kind="gauge",
            value=float(value[:15]),
            sample=table.head,
        )
    if figures and "Failed" in figures:
        state = "FAILED" if failed else "DEGRADED" if degraded else "HEALTHY"
        of = f"{failed or degraded} of {total} " if failed or degraded else ""
        # the sum speaks of nodes of the cluster, and of the one that prints it no more than of the others
        out.add(replace(_health(section, line, None, cells[0], state), node=None, state=f"{of}{state}"))
    return bool(figures)


def _event(section: OpenSection, out: Output, table: _Table, line: int, cells: list[str]) -> bool:
    row = dict(zip(table.columns, cells, strict=False))
    name, message = row["Event"], " ".join(cells[len(table.columns) - 1 :])
    if _NAME.match(name) is None or len(cells) < len(table.columns):
        return False
    text = ": ".join(part for part in (row.get("Severity", ""), message) if part)
    kind, weight = event_kind(name, row.get("Severity", ""))
    out.add(
        Event(
            line=line,
            node=table.node or section.node,
            source="mmhealth",
            kind=kind,
            about=row.get("Parameter"),
            weight=weight,
            text=text,
        )
    )
    return True
