"""Rules on a later look: services that run on another node (ST-72), settings and releases that are others (ST-86)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from apps.diagnosis.engine.core.facts.look_order import Look, LookOrder
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import setting
from apps.diagnosis.engine.storage.rules.releases import TOGETHER
from apps.diagnosis.engine.storage.rules.uneven_settings import (
    ALIKE,
    AMONG_MANY,
    HARMFUL,
    MOST_NAMES,
    apart,
    named,
    plain,
)
from parsers.dataclass import dataclass
from parsers.records import CommandRun, Setting, Version
from parsers.records.states import Manager, ServiceState

KEPT: Final = setting("kept-between-looks")
MOVABLE: Final = ("group", "resource")
UNDATED: Final = ("undated",)
MOST: Final = 8
ASSIGNED: Final = re.compile(r"([\w.-]{2,80})=(?=\S)")  # what a command gives a value
_Where = Mapping[str, ServiceState | Manager]
_Row = Setting | Version
_Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class MovedWords:
    """name: of the first that moved, further: how many more; first, last: the nodes that it ran on."""

    name: str
    further: int
    first: str
    last: str


@rule("ST-72", needs=(Records, LookOrder), words=MovedWords)
def moved(records: Records, order: LookOrder, _: Limits) -> Iterator[Seen]:
    """Symptom: sessions broke off once, and all runs again.

    Reasoning: a group, a resource or the manager of a cluster runs on one node in the first look and on another one in
    the last look: somebody moved it, or its node failed it.
    Source: crm_mon(8), hastatus(1M), mmlsmgr.
    """
    places: list[ServiceState | Manager] = [
        one for one in records.of(ServiceState) if one.sort in MOVABLE and one.on and one.standing == "online"
    ]
    places += [one for one in records.of(Manager) if one.manager]
    for looks in order.series(places):
        first, last = (_where(look.rows) for look in (looks[0], looks[-1]))
        others = [name for name in first if name in last and _node(first[name]) != _node(last[name])]
        if others:
            name = others[0]
            yield Seen(
                level="moved",
                words=MovedWords(name, len(others) - 1, _node(first[name]), _node(last[name])),
                lines=[row[one].ref for one in others[:MOST] for row in (first, last)],
                nodes=(_node(first[name]), _node(last[name])),
                times=[look.at for look in (looks[0], looks[-1]) if look.at is not None],
                borne_by=(2, 2),
                parts=("meant",) if looks[-1].at is not None else ("meant", *UNDATED),
                weight=float(len(others)),
            )


def _where(rows: Sequence[ServiceState | Manager]) -> _Where:
    """What runs on one node alone."""
    found: dict[str, ServiceState | Manager] = {}
    several: set[str] = set()
    for row in rows:
        name = _name(row)
        if name in found and _node(found[name]) != _node(row):
            several.add(name)
        found[name] = row
    return {name: row for name, row in found.items() if name and name not in several}


def _name(row: ServiceState | Manager) -> str:
    if isinstance(row, Manager):
        return f"{row.role} {row.of or ''}".strip()
    return row.resource or row.group or ""


def _node(row: ServiceState | Manager) -> str:
    return (row.manager if isinstance(row, Manager) else row.on) or ""


@dataclass(frozen=True, slots=True)
class ChangedWords:
    """name: of the first that changed; before, after: its values; more: the names of further ones."""

    node: str | None
    name: str
    before: str
    after: str
    more: tuple[str, ...]


@rule("ST-86", needs=(Records, Settings, LookOrder), words=ChangedWords)
def setting_changed(records: Records, settings: Settings, order: LookOrder, _: Limits) -> Iterator[Seen]:
    """Symptom: a node behaves otherwise than before, and each look is in order by itself.

    Reasoning: the first and the last look of one command at a node show two values of one setting or release, and no
    command that was sent too gives it one.
    Source: documentation of each tool named in the table of settings.
    """
    rows: list[_Row] = [one for meaning in (HARMFUL, ALIKE, AMONG_MANY, KEPT) for one in settings.shown(meaning)]
    rows += [one for one in records.of(Version) if TOGETHER.match(one.product)]
    by_node: dict[str | None, dict[_Key, tuple[_Row, _Row]]] = defaultdict(dict)
    for looks in order.series(rows):
        # What no text gives a node may be of two of them, but where only the look tells two files apart.
        if looks[0].node or looks[0].artifact != looks[-1].artifact:
            by_node[looks[0].node].update(_changed(looks))
    typed = _typed(rows, records.of(CommandRun)) if any(by_node.values()) else set()
    for node, pairs in by_node.items():
        if unknown := {key: pair for key, pair in pairs.items() if key[0] not in typed}:
            yield _seen(node, unknown)


def _typed(rows: Iterable[_Row], runs: Sequence[CommandRun]) -> set[str]:
    """What commands give a value, also where it is read from the row of the command."""
    prompts = {(run.artifact, run.line) for run in runs}
    named_in = {name for run in runs for name in ASSIGNED.findall(run.command)}
    return named_in | {row.name for row in rows if isinstance(row, Setting) and (row.artifact, row.line) in prompts}


def _changed(looks: Sequence[Look[_Row]]) -> Iterator[tuple[_Key, tuple[_Row, _Row]]]:
    """What the first look and the last one show otherwise."""
    first, last = (_lone(look.rows) for look in (looks[0], looks[-1]))
    for key, row in first.items():
        after = last.get(key)
        if after is not None and plain(_value(row)) != plain(_value(after)):
            yield key, (row, after)


def _lone(rows: Sequence[_Row]) -> Mapping[_Key, _Row]:
    """What one look shows once, or with one value."""
    found: dict[_Key, _Row] = {}
    several: set[_Key] = set()
    for row in rows:
        key = (row.name, row.scope or "") if isinstance(row, Setting) else (row.product, "")
        if key in found and plain(_value(found[key])) != plain(_value(row)):
            several.add(key)
        found[key] = row
    return {key: row for key, row in found.items() if key not in several}


def _value(row: _Row) -> str:
    return row.value if isinstance(row, Setting) else row.version


def _seen(node: str | None, pairs: Mapping[_Key, tuple[_Row, _Row]]) -> Seen:
    keys = list(pairs)
    before, after = apart(*map(_value, pairs[keys[0]]))
    times = [row.at for key in keys for row in pairs[key] if row.at is not None]
    return Seen(
        level="changed",
        words=ChangedWords(node, named(*keys[0]), before, after, tuple(named(*key) for key in keys[1 : 1 + MOST])),
        lines=[row.ref for key in keys[:MOST_NAMES] for row in pairs[key]],
        nodes=(node,),
        times=times,
        borne_by=(2, 2),
        parts=("meant",) if times else ("meant", *UNDATED),
        weight=float(len(keys)),
    )
