"""A rule on services that run on another node in a later look (ST-72)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from apps.diagnosis.engine.core.facts.look_order import LookOrder
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from parsers.dataclass import dataclass
from parsers.records.states import Manager, ServiceState

MOVABLE: Final = ("group", "resource")
UNDATED: Final = ("undated",)
MOST: Final = 8
_Where = Mapping[str, ServiceState | Manager]


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
