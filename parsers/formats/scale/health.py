"""Health of Spectrum Scale as people see it: ``mmhealth node show``, ``mmhealth cluster show``.

    Node name:      lund03.lab
    Node status:    DEGRADED
    Status Change:  2 hours ago

    Component      Status        Status Change     Reasons & Notices
    ----------------------------------------------------------------
    GPFS           TIPS          17 min. ago       callhome_not_enabled, swapped_warn
      fs1          HEALTHY       17 min. ago       -

    Event                 Parameter  Severity    Active Since         Event Message
    callhome_not_enabled  GPFS       TIP         1 hour ago           Call home is not installed, configured, or enabled.

    Component     Node            Status        Reasons                 mmhealth cluster show NODE
    Component     Total    Failed    Degraded    Healthy    Other       mmhealth cluster show

Yields ``HealthState`` (a component, with its part behind a blank, and its state; reasons follow the state), ``Event`` (how long it is
active is printed in words, so its moment stays unknown) and ``Counter`` (components by state). Columns come from the header: words parted
by two blanks or more. Tolerated: other columns, headers printed again, cut rows, codes of colour. Source: IBM Storage Scale, mmhealth
command.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from parsers.formats.scale.tables_state import health_standing
from parsers.output import Output
from parsers.records import Counter, Event, HealthState
from parsers.registry import parser
from parsers.sections import OpenSection

_STATES: Final = r"(?:HEALTHY|DEGRADED|FAILED|TIPS|UNKNOWN|CHECKING|DISABLED|DEPEND|STARTING|STOPPED|SUSPENDED|ONLINE|OFFLINE|INIT)"
_NODE_HEAD: Final = r"Node (?:name|status): {1,40}\S"
_TABLE: Final = r"Component {2,40}(?:Node {2,40})?(?:Status|Total)\b"
_EVENTS: Final = r"Event {2,60}Parameter {2,60}(?:Severity|Active)\b"
CLAIM: Final = rf"Node name: {{4,40}}[\w.-]{{1,253}}$|Node status: {{1,40}}{_STATES}\b|{_TABLE}|{_EVENTS}"
_ROW: Final = r"\S{1,200} {2,60}(?:[A-Z]{2,20}|\d{1,9}|[\w./:-]{1,253} {2,60}[A-Z]{2,20})(?: |$)"
_OWNS: Final = rf"{CLAIM}|{_NODE_HEAD}|Status Change: {{1,40}}\S|-{{8,400}}$|There are no active|{_ROW}"
_CELLS: Final = re.compile(r" {2,400}")
_STATE = re.compile(rf"{_STATES}$")
_NAME = re.compile(r"[a-z][a-z0-9_]{2,120}$")
_COUNTS: Final = ("Total", "Failed", "Degraded", "Healthy", "Tips", "Other")


@dataclass(slots=True)
class _Table:
    """What the lines above tell: whose health it is, the columns with the blanks in front of them, and the component whose parts follow."""

    node: str | None = None
    columns: list[str] = field(default_factory=list)
    component: str = ""
    head: int = 0
    indent: int = 0


@parser("scale_health", version=3, product="spectrum-scale", claims=CLAIM, owns=_OWNS, commands=("mmhealth",))
def scale_health(section: OpenSection, out: Output) -> None:
    """``mmhealth``: tables for people."""
    table: _Table = section.state.setdefault("table", _Table(node=section.node))
    for line in section:
        text = line.text.strip()
        indent = len(line.text) - len(line.text.lstrip())
        if text.startswith(("---", "Status Change:", "There are no")):
            continue
        cells = _CELLS.split(text)
        if text.startswith("Node "):
            _head(section, out, table, line.number, text)
        elif cells[0] in ("Component", "Event") and len(cells) > 2:
            table.columns, table.component, table.head, table.indent = cells, "", line.number, indent
        elif not table.columns or not _row(section, out, table, line.number, cells, is_part=indent > table.indent):
            out.skip(line, "no row of a table of mmhealth")


def _head(section: OpenSection, out: Output, table: _Table, line: int, text: str) -> None:
    """``Node name: ...`` and ``Node status: ...``."""
    name, _, value = text.partition(":")
    value = value.strip()
    if name == "Node name":
        table.node, table.columns = value, []
    else:
        out.add(_health(section, line, table.node, "NODE", value))


def _health(section: OpenSection, line: int, node: str | None, component: str, state: str) -> HealthState:
    return HealthState(
        line=line, node=node or section.node, at=section.at, zone_min=section.zone_min, source="mmhealth", component=component,
        state=state, standing=health_standing(state),
    )  # fmt: skip


def _row(section: OpenSection, out: Output, table: _Table, line: int, cells: list[str], *, is_part: bool) -> bool:
    """One row below a header; whether it was understood."""
    if table.columns[0] == "Event":
        return _event(section, out, table, line, cells)
    if "Total" in table.columns:
        return _counts(section, out, table, line, cells)
    row = dict(zip(table.columns, cells, strict=False))
    state = row.get("Status", "")
    if _STATE.match(state) is None:
        return False
    node = row.get("Node", table.node)
    if is_part and table.component:
        group = f"{table.component} {row['Component']}"
    else:
        group = table.component = row["Component"]
    reasons = next((value for name, value in row.items() if name.startswith("Reasons") and value != "-"), "")
    out.add(_health(section, line, node, group, f"{state}: {reasons}" if reasons else state))
    return True


def _counts(section: OpenSection, out: Output, table: _Table, line: int, cells: list[str]) -> bool:
    row = dict(zip(table.columns, cells, strict=False))
    figures = {name: row[name] for name in _COUNTS if row.get(name, "").isdigit()}
    for name, value in figures.items():
        section.add(
            Counter, line, scope=cells[0], source="mmhealth cluster", name=name.lower(), kind="gauge",
            value=float(value[:15]), sample=table.head,
        )  # fmt: skip
    return bool(figures)


def _event(section: OpenSection, out: Output, table: _Table, line: int, cells: list[str]) -> bool:
    row = dict(zip(table.columns, cells, strict=False))
    name, message = row["Event"], " ".join(cells[len(table.columns) - 1 :])
    if _NAME.match(name) is None or len(cells) < len(table.columns):
        return False
    text = ": ".join(part for part in (row.get("Severity", ""), message) if part)
    out.add(
        Event(
            line=line, node=table.node or section.node, source="mmhealth", kind=name.replace("_", "-"), about=row.get("Parameter"),
            text=text,
        )
    )  # fmt: skip
    return True
