"""Objects of JSON that show a state, of tools and services that have no reader of their own.

    {"disks": [{"name": "d12", "fileSystem": "fs1", "availability": "down", "status": "ready"}]}
    {"time": "2031-03-09T11:11:12Z", "node": "ess3", "name": "disk_failed", "severity": "ERROR", "message": "..."}

Yields ``ListedState``: a row for each object with a value whose name is that of a state or a severity, where the word
is a known one. Objects of a health monitor that names its components are ``Event`` and ``HealthState``. What the object
is about is its name or identity; the node is the one that it names. Every other reader goes first. Objects may run over
lines or stand on one; depth and sizes are bounded. Source: answers of management interfaces, as recalled.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from parsers.formats.host.listings.listing import ROW_KEPT, names_disk, standing_of_word
from parsers.formats.host.listings.tool_objects import put_tool_object
from parsers.formats.host.logs.levelled import LEVEL_KEYS, TIME_KEYS, Levelled, is_alike, meaning_in, of_values
from parsers.formats.host.logs.levelled_log import put_levelled
from parsers.formats.host.platforms.kube_objects import put_kube
from parsers.formats.scale.health_objects import put_health
from parsers.formats.scale.waits.wait_objects import put_wait
from parsers.formats.shared.alert_objects import put_alert
from parsers.grammars.json_walk import LINE, Opened, Scalar, Walk
from parsers.headings.transcript import match_prompt
from parsers.ledger import Fate
from parsers.lookup import programs
from parsers.output import Output
from parsers.records.states import ListedStanding, ListedState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.stretches import AlikeRun
from parsers.text import Line
from parsers.times.clock import find_instant

_CLAIMS: Final = r'(?:[\[{]\s{0,4}){1,3}"[a-zA-Z@_][\w. -]{0,60}"\s{0,4}:|[\[{]\s{0,4}(?:[\[{]\s{0,4})?$'
_STATES: Final = re.compile(
    r"(?:[\w-]{1,30}[_ -]?)?(?:state|status|health|availability|condition|severity|level)", re.IGNORECASE
)
_NAMES: Final = ("name", "id", "device", "disk", "entity", "component", "object", "resource", "title", "key")
_GENERAL: Final = ("name", "id", "title", "key", "entity", "object")
_WORD: Final = re.compile(r"[a-z]{2,20}")
_NODES: Final = ("node", "host", "hostname", "nodename", "node_name", "server", "_hostname")
_TIMES: Final = ("time", "timestamp", "@timestamp", "date", "activesince", "detectedtime", "created")
"""Keys are compared in lower case."""
_SEVERITIES: Final[dict[str, ListedStanding]] = {
    "error": "wrong", "err": "wrong", "critical": "wrong", "crit": "wrong", "fatal": "wrong", "alert": "wrong",
    "emerg": "wrong", "warning": "hint", "warn": "hint", "info": "good", "notice": "good", "debug": "good",
    "tip": "good",
}  # fmt: skip
_GRAVER: Final[tuple[ListedStanding, ...]] = ("unknown", "good", "hint", "wrong")


@parser(
    "json_objects",
    version=7,
    product="",
    claims=_CLAIMS,
    owns=LINE,
    priority=-60,
    # An object begins behind the name of a host.
    places=r"\bansible\b.{0,200}\s-m\s{1,4}(?:ansible\.builtin\.)?(?:setup|gather_facts)\b",
)
def json_objects(section: OpenSection, out: Output) -> None:
    """Objects with a state, of any tool."""
    walk = Walk()
    first: Line | None = None
    last: Line | None = None
    shown = lines = 0
    alike: AlikeRun[str] = out.interned.setdefault("alike_objects", AlikeRun(_mark_of_moment))
    for line in section:
        first, last = first or line, line
        lines += 1
        rows, ended = out.rows, 0
        for one in walk.feed(line.text, line.number):  # one by one: what is around each changes as the walk goes on
            ended += 1
            shown += put_object(section, out, one, walk.around)
        if ended == 1 and not walk.around and out.rows == rows:
            taken = alike.take(section, line)
            _stamp(section, taken)
            lines, shown = lines + len(taken), shown + len(taken)
    shown += sum(put_object(section, out, found, ()) for found in walk.around if not found.is_list)  # the text was cut
    if shown and last is not None and walk.around and _ends_there(section):
        out.frame(lines - 1)
        out.skip(last, "the text ends inside of an object")
    elif shown:
        out.frame(lines)
    elif lines == 1 and first is not None and first.text.strip() in ("{", "["):
        out.frame()  # what follows has a reader of its own
    elif first is not None:
        out.skip(first, "no object of this text shows a state")
        out.ledger.change(lines - 1, Fate.UNREAD)


def _ends_there(section: OpenSection) -> bool:
    """Whether nothing follows that may go on with an open object: what it would have said may be the trouble."""
    below = section.peek()
    return below is None or match_prompt(below.text, programs()) is not None


def _stamp(section: OpenSection, taken: Iterable[tuple[str, str]]) -> None:
    """Tell the moments of messages that were passed over: of plain ones of one form the first and the last tell all."""
    forms: dict[tuple[int, str], set[str]] = {}
    for moment in {_moment_behind(mark, text) for text, mark in taken if mark}:
        is_plain = _PLAIN_MOMENT.fullmatch(moment) is not None
        forms.setdefault((len(moment), moment[-1]) if is_plain else (0, moment), set()).add(moment)
    for alike in forms.values():
        ends = [find_instant(one) for one in (min(alike), max(alike))]
        for found in map(find_instant, alike) if None in ends else ends:  # some may be no moments
            if found is not None:
                section.stamp(found[0])


def _is_listed(text: str) -> bool:
    return meaning_in(Levelled("", "", "", "info", text)) is not None


def _mark_of_moment(line: Line) -> str | None:
    """What stands in front of the moment of a message that tells nothing whatever its figures; empty where it has none
    that is read, None for any other line.
    """
    found = next(Walk().feed(line.text, line.number), None)
    if found is None or (one := _message(found)) is None or _has_figure_for_level(found):
        return None
    if _MOMENT_IN.search(one.text) is not None or meaning_in(one) is not None or not is_alike(one):
        return None
    if not one.stamp:
        return ""
    for key, value in found.values.items():
        if key.lower() in TIME_KEYS and value is not None:
            mark = f'"{key}":'
            if not isinstance(value, str):
                return "" if find_instant(one.stamp) is None else None
            return mark if line.text.count(mark) == 1 and _moment_behind(mark, line.text) == one.stamp else None
    return None


def _has_figure_for_level(found: Opened) -> bool:
    return any(key.lower() in LEVEL_KEYS and not str(value).isalpha() for key, value in found.values.items())


def _moment_behind(mark: str, text: str) -> str:
    """The text that stands behind a key."""
    begin = text.index('"', text.index(mark) + len(mark)) + 1
    return text[begin : text.index('"', begin)][:60]


_MOMENT_IN: Final = re.compile(r"\d:\d\d")
_PLAIN_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?Z?")


def put_object(section: OpenSection, out: Output, found: Opened, around: Sequence[Opened]) -> bool:
    values = _lower(found)
    if (
        put_alert(section, found, values, around)
        or put_health(section, found, values)
        or put_wait(section, out, found, values)
    ):
        return True
    if put_tool_object(section, found, values, around):
        return True
    message = _message(found) or _event_of_kubernetes(values)
    if message is not None:
        put_levelled(section, found.line, message)
        return True
    if (of_kubernetes := put_kube(section, found, values, around)) is not None:
        return of_kubernetes
    states = _states(found)
    if not states:
        return False
    key, (state, standing) = max(states.items(), key=lambda one: _GRAVER.index(one[1][1]))
    name = _name(found, values) or _part_of(found, around)
    if name and (entity := values.get("entityname")) and str(entity) not in name:
        name = f"{name} of {entity}"
    node, moment = _first_text(values, _NODES), _first_text(values, _TIMES)
    instant = find_instant(moment[:60]) if moment else None
    row = ", ".join(f"{one}: {value}" for one, value in found.values.items() if value is not None)
    section.add(
        ListedState,
        found.line,
        source="",
        name=name[:200] or key,
        state=state[:100],
        standing=standing,
        row=row[:ROW_KEPT],
        at=instant[0].us if instant else section.at,
        zone_min=instant[0].zone_min if instant else section.zone_min,
        on=node,
    )
    return True


def _states(found: Opened) -> dict[str, tuple[str, ListedStanding]]:
    """Keys that name a state, with it and with how the thing stands by it."""
    return {
        key: (text, standing)
        for key, value in found.values.items()
        if _STATES.fullmatch(key)
        and (text := str(value).strip())
        and (standing := _SEVERITIES.get(text.lower()) or standing_of_word(text)) != "unknown"
    }


def _first_text(values: Mapping[str, Scalar], names: Iterable[str]) -> str | None:
    return next((value for one in names if isinstance(value := values.get(one), str)), None)


def _lower(found: Opened) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {}
    for one, value in found.values.items():
        values.setdefault(one.lower(), value)
    return values


def _name(found: Opened, values: dict[str, Scalar]) -> str:
    of = _own_sort(values) or found.key if found.key.lower() in _OF_TREES else found.key
    called = next((_called(one, str(value), of) for one in _NAMES if (value := values.get(one))), "")
    return called or next(
        (
            _called("name", value, of)
            for one, value in values.items()
            if one.endswith("name") and one not in _NODES and isinstance(value, str) and value
        ),
        "",
    )


_OF_TREES: Final = frozenset(("nodes", "node", "children", "items", "elements", "vertices", "objects", "members"))
"""Lists that hold things of all sorts: each says itself what it is."""
_SORTS: Final = ("type", "class", "kind", "sort", "objecttype", "object_type", "node_type", "nodetype", "role")
_SORT: Final = re.compile(r"[a-z]{2,20}")
_SORTS_OF_HOSTS: Final = frozenset(("host", "server", "system", "machine", "node", "worker", "master", "member"))


def _own_sort(values: Mapping[str, Scalar]) -> str:
    """What an object says that it is; empty where it says nothing of the kind."""
    found = next((str(value).lower() for one in _SORTS if (value := values.get(one))), "")
    if found in _SORTS_OF_HOSTS or _SORT.fullmatch(found) is None:
        return "node" if found in _SORTS_OF_HOSTS else ""
    return "disk" if found == "osd" else found


def _part_of(found: Opened, around: Sequence[Opened]) -> str:
    """What an object without a name of its own is called: by its list, and by the nearest one around it with a name."""
    of = next((name for one in reversed(around) if not one.is_list and (name := _name(one, _lower(one)))), "")
    return f"{found.key} of {of}" if of and found.key else found.key


def _message(found: Opened) -> Levelled | None:
    """The message of a log, where an object is one: a level and words, and no name of a thing."""
    if found.is_list:
        return None
    values = {key.lower(): str(value) for key, value in found.values.items() if value is not None}
    return None if any(key in values for key in _NAMES if key != "component") else of_values(values)


def _event_of_kubernetes(values: Mapping[str, Scalar]) -> Levelled | None:
    """An event of Kubernetes: why in one word, and a message; its level is that it is a warning, or no word at all."""
    reason, text, sort = (values.get(one) for one in ("reason", "message", "type"))
    moment = _first_text(values, ("lasttimestamp", "firsttimestamp", "eventtime"))
    if not (isinstance(reason, str) and isinstance(text, str) and moment) or sort not in ("Normal", "Warning", None):
        return None
    level = "info" if sort == "Normal" else "warning"
    return Levelled(moment[:60], "", "", level, text if _is_listed(text) else f"{reason}: {text}")


def _called(key: str, value: str, of: str) -> str:
    """The name with the sort of thing in front, where the object or its list says it."""
    sort = key if key not in _GENERAL else of.removesuffix("s") if _WORD.fullmatch(of) else ""
    if sort == "node" and names_disk(value):
        sort = "disk"  # of a tree of parts, whose leaves are disks
    return f"{sort} {value}" if sort and " " not in value else value
