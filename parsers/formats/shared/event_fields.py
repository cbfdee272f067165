"""Events with names for their parts: rows of a table that a monitor exports, and the lines of its notifications.

    "Severity","Event time","Message","Event name","Entity","Component","Node"
    "Error","2031-06-02 09:50:12","Disk nsd7 is down","disk_down","nsd7","DISK","lund03"

    Severity:     ERROR
    Event:        disk_down
    Component:    DISK
    Entity:       nsd7
    Reported by:  lund03
    Message:      Disk nsd7 is down.

Yields ``Event`` and, of the health of Spectrum Scale, what its objects yield (``health_objects``); of other programs
what a line of a log with a level yields (``levelled``). A severity and a message are needed; other names are moment,
node, event, entity and component, in several wordings. Every other reader goes first. Source: exports and mails of
monitors, as recalled.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from parsers.formats.host.logs.levelled import of_values
from parsers.formats.host.logs.levelled_log import put_levelled
from parsers.formats.scale.health_objects import put_health
from parsers.grammars.json_walk import Opened
from parsers.grammars.marked_tables import HEADING, ROW, RULER, cells_of, mark_of
from parsers.lookup import claimed
from parsers.output import Output
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

NAME: Final = "event_fields"
_LEVELS: Final = (
    r"(?i:emerg(?:ency)?|alert|crit(?:ical)?|fatal|err(?:or)?|severe|major|minor|high|disaster|average|warn(?:ing)?|notice"
    r"|fault|risk|tip|info(?:rmation(?:al)?)?|ok|cleared|normal)"
)
_NAMES: Final[dict[str, tuple[str, ...]]] = {
    "severity": ("severity", "level", "priority", "eventseverity", "alertseverity", "schweregrad"),
    "message": (
        "message", "messagetext", "description", "summary", "text", "details", "eventmessage", "problem", "problemname",
        "alert", "meldung",
    ),
    "timestamp": (
        "time", "timestamp", "eventtime", "date", "datetime", "lastseen", "raised", "occurred", "firstoccurrence",
        "activesince", "created", "lastoccurrence", "zeit",
    ),
    "node": (
        "node", "host", "hostname", "nodename", "reportedby", "reportingnode", "system", "systemname", "server",
        "source",
        "knoten",
    ),
    "name": ("event", "eventname", "name", "alertname", "eventid", "trigger"),
    "entityname": ("entity", "entityname", "object", "resource", "objectname"),
    "entitytype": ("entitytype", "objecttype", "resourcetype"),
    "component": ("component", "componentname", "service", "category", "subsystem"),
}  # fmt: skip
_FIELD_OF: Final = {name: field for field, names in _NAMES.items() for name in names}
_WORDS: Final = re.compile(r"[^a-z0-9]+")
_TABLE: Final = (
    r"(?=\D{8,500}$)(?=[^\n]{0,400}(?i:\b(?:severity|level|priority)\b))"
    rf"(?=[^\n]{{0,400}}(?i:\b(?:message|description|summary|text|details|problem)\b)){HEADING}"
)
_PAIR: Final = re.compile(r"(?P<key>[A-Za-z][A-Za-z /_-]{1,30}?)\s{0,4}[:=]\s{0,30}(?P<value>\S.{0,2000})$")
_OPENS: Final = (
    rf"(?:(?i:severity|event severity|level|alert level)\s{{0,4}}[:=]\s{{0,30}}{_LEVELS}\.?\s{{0,8}}$"
    r"|(?i:event name|reported by|reporting node)\s{0,4}[:=]\s{0,30}\S{1,120}\s{0,8}$)"
)
_CLAIMS: Final = rf"(?:{_TABLE}|{_OPENS})"
_IS_TABLE: Final = re.compile(_TABLE)
_OWNS: Final = rf"(?:{_CLAIMS}|{ROW}|[A-Za-z][A-Za-z /_-]{{1,30}}?\s{{0,4}}[:=]\s{{0,30}}\S)"
_OF_EVENTS: Final = frozenset(("event", "eventname", "eventid", "alertname", "trigger", "reportedby", "reportingnode"))
"""What a notification has and a ticket, which has a severity and a summary too, has not."""
_LEAST_PAIRS: Final = 3
_MOST_PAIRS: Final = 20
_WINDOW: Final = 4 << 10
_LIKE: Final = {
    "major": "error",
    "high": "error",
    "disaster": "crit",
    "minor": "warning",
    "average": "error",
    "fault": "error",
    "risk": "warning",
}
"""Words of monitors for the levels of a log."""


@parser(NAME, version=2, product="", claims=_CLAIMS, owns=_OWNS, priority=-49)
def event_fields(section: OpenSection, out: Output) -> None:
    """Rows below a heading, and blocks of named lines."""
    names: list[str] = []
    mark = ""
    block = _Block(section, out)
    for line in section:
        text = line.text.strip()
        if _IS_TABLE.match(text):
            block.close()
            mark = mark_of(text)
            names = cells_of(text, mark)
            out.frame()
        elif RULER.match(text):
            out.frame()
        elif names and len(cells := cells_of(text, mark, len(names))) == len(names):
            if not _put(section, line.number, names, cells):
                out.ignore()
        elif (match := _PAIR.match(text)) is not None:
            block.take(line, match["key"], match["value"])
            _rest(section, block)
        else:
            out.skip(line, "no part of an event")
    block.close()


def _rest(section: OpenSection, block: _Block) -> None:
    """The lines right below that have a name in front: also one of a moment, which alone would be a line of its own."""
    data = section.window(_WINDOW)
    texts: list[str] = []
    first, at = section.line_number + 1, 0
    for raw in data.splitlines(keepends=True)[:_MOST_PAIRS]:
        text = raw.decode("utf-8", "replace").rstrip("\r\n")
        match = _PAIR.match(text.strip())
        if match is None or not text.isprintable() or _is_of_another(text.strip()):
            break
        block.take(Line(first + len(texts), text, text), match["key"], match["value"])
        texts.append(text)
        at += len(raw)
    if texts:
        section.take(len(texts), size=at, texts=texts)


def _is_of_another(text: str) -> bool:
    owner = claimed(text)
    return owner is not None and owner.name != NAME


class _Block:
    """Lines of one event, each with a name in front."""

    def __init__(self, section: OpenSection, out: Output) -> None:
        self._section = section
        self._out = out
        self._lines: list[Line] = []
        self._names: list[str] = []
        self._values: list[str] = []

    def take(self, line: Line, name: str, value: str) -> None:
        """One line; a name that comes again begins the next event."""
        if name in self._names:
            self.close()
        self._lines.append(line)
        self._names.append(name)
        self._values.append(value)

    def close(self) -> None:
        """The event is whole."""
        lines, names, values = self._lines, self._names, self._values
        self._lines, self._names, self._values = [], [], []
        if not lines:
            return
        fields = _fields(names, values)
        is_event = any(_WORDS.sub("", name.lower()) in _OF_EVENTS for name in names)
        if is_event and len(lines) >= _LEAST_PAIRS and "severity" in fields:
            at = lines[_moment_at(names)].number
            if _put(self._section, at, names, values):
                self._out.frame(len(lines))
            else:
                self._out.ignore(len(lines))
            return
        for line in lines:
            self._out.skip(line, "no event with its severity and message")


def _moment_at(names: Sequence[str]) -> int:
    """The line to be shown: that of the message, else of the severity."""
    fields = [_FIELD_OF.get(_WORDS.sub("", name.lower())) for name in names]
    return next((fields.index(field) for field in ("message", "name", "severity") if field in fields), 0)


def _fields(names: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, cell in zip(names, cells, strict=True):
        field = _FIELD_OF.get(_WORDS.sub("", name.lower()))
        if field is not None and cell.strip():
            found.setdefault(field, cell.strip())
    return found


def _is_over(names: Sequence[str], cells: Sequence[str]) -> bool:
    """Whether the state of an event says that it counts no more."""
    return any(
        _WORDS.sub("", name.lower()) in _STATE_NAMES and cell.strip().lower() in _OVER
        for name, cell in zip(names, cells, strict=True)
    )


_STATE_NAMES: Final = frozenset(("state", "status", "eventstate", "alertstate"))
_OVER: Final = frozenset(("cleared", "resolved", "closed", "suppressed"))


def _put(section: OpenSection, number: int, names: Sequence[str], cells: Sequence[str]) -> bool:
    """Put one event out; False where it is an everyday one, or none."""
    fields = _fields(names, cells)
    if "severity" not in fields or _is_over(names, cells):
        return False
    if "component" in fields:
        values: dict[str, str | float | bool | None] = {**fields, "reportingnode": fields.get("node", "")}
        values["component"] = fields["component"].upper().replace(" ", "_")
        if "entityname" not in fields:  # then its words name the part, and the row is of the node
            values |= {"entityname": fields.get("node", ""), "entitytype": "NODE"}
        if put_health(section, Opened("", number), values):
            return True
    level = fields["severity"].lower()
    one = of_values({**fields, "level": _LIKE.get(level, level), "component": fields.get("component", "")})
    return one is not None and put_levelled(section, number, one)
