"""Health of Spectrum Scale as objects of JSON: answers of its REST interface, and rows of ``mmhealth -Y`` that a script
turned into objects. No parser of its own.

    {"component": "GPFS", "entityName": "lund03", "entityType": "NODE", "name": "gpfs_down", "severity": "ERROR",
     "state": "FAILED", "reportingNode": "lund03.lab", "activeSince": "2031-11-18 02:07:58,002", "message": "..."}
    {"component": "NETWORK", "entityName": "eth1", "entityType": "NIC", "reportingNode": "lund03.lab",
     "state": "HEALTHY"}

An object with the name of an event, or with a message, is an ``Event``: its name says what it means, as in the tables
for people. One with a state is a ``HealthState``, an event too, for its state is that of the part now. Keys in any
case. Times have the zone that is printed. Source: IBM Storage Scale documentation, REST endpoints of health.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from parsers.formats.scale.health_events import event_kind, is_event, named_in
from parsers.formats.scale.tables.tables_state import health_standing
from parsers.grammars.json_walk import Opened, Scalar
from parsers.records import Event
from parsers.records.states import HealthState
from parsers.sections.reader import OpenSection
from parsers.times.clock import find_instant

TEXT_KEPT: Final = 400
_TIMES: Final = ("activesince", "timestamp", "time")
_STATES: Final = ("state", "status")


def put_health(section: OpenSection, found: Opened, values: Mapping[str, Scalar]) -> bool:
    """Put what an object says of a component; False where it is none of health. ``values``: keys in small letters."""
    component, entity = _text(values, "component"), _text(values, "entityname")
    if not component or not ("entitytype" in values or "entityname" in values):
        return False
    node = _text(values, "reportingnode", "node") or (entity if _is_node(values) else "")
    state = _text(values, *_STATES).upper()
    name, message = _text(values, "name", "event", "eventname"), _text(values, "message")
    moment = find_instant(_text(values, *_TIMES).replace(",", ".")[:60])
    at, zone = (moment[0].us, moment[0].zone_min) if moment else (section.at, section.zone_min)
    standing = health_standing(state)
    if not component.isupper() and not is_event(name):
        return False  # as monitors of others spell their components
    component = component.upper()
    if not name and not message and standing == "unknown":
        return False
    shared: dict[str, Any] = {"node": node or section.node, "at": at, "zone_min": zone, "source": "mmhealth"}
    if name or message:
        severity = _text(values, "severity").upper()
        kind, weight = event_kind(name or "health-event", severity)
        about = _about(values, entity, message)
        text = f"{severity}: {message or name}".removeprefix(": ")[:TEXT_KEPT]
        section.add(Event, found.line, **shared, kind=kind, about=about, weight=weight, text=text)
    if standing != "unknown":
        part = component if not entity or _is_node(values) else f"{component} {entity}"
        shown = f"{state}: {name}" if name and standing != "healthy" else state
        section.add(HealthState, found.line, **shared, component=part, state=shown, standing=standing)
    return True


def _is_node(values: Mapping[str, Scalar]) -> bool:
    return _text(values, "entitytype").upper() == "NODE"


def _about(values: Mapping[str, Scalar], entity: str, message: str) -> str | None:
    """What the event is about: the part that it names; of an event of the whole node what its words name."""
    if entity and not _is_node(values):
        return entity
    named = _text(values, "identifier") or named_in(message)
    return named if named and named != entity else None


def _text(values: Mapping[str, Scalar], *names: str) -> str:
    """The first of some values that is a text and holds something."""
    return next((value.strip() for name in names if isinstance(value := values.get(name), str) and value.strip()), "")
