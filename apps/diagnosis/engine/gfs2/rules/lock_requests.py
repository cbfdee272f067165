"""Rule on requests that the lock manager has not granted, where no glock dump shows them (GL-18)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import polars as pl

from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.records import Records, grouped
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.gfs2.glocks import GlockFacts
from parsers.dataclass import dataclass
from parsers.formats.gfs2.dlm_names import glock_of
from parsers.records.locks import DlmLock

SHOWN: Final = 3
MOST: Final = 200_000
_RESOURCE: Final = ("lockspace", "resource")
WAITING: Final = ("waiting", "converting")


@dataclass(frozen=True, slots=True)
class ManagerWaitWords:
    """what: the glock, or the name of a resource that is none. longest: seconds of the oldest request, or between two
    tables that show the same one. holders: nodes with a lock on it; waiters: nodes that ask, whether they are many;
    pid: that of the oldest request.
    """

    what: str
    space: str | None
    waits: int
    longest: float | None
    holders: tuple[str, ...]
    waiters: tuple[str, ...]
    many: bool
    pid: int | None


class _Locked(NamedTuple):
    """A lock in a table: granted, or asked for."""

    artifact: int
    line: int
    node: str | None
    at: int | None
    zone_min: int | None
    lockspace: str | None
    resource: str
    queue: str
    lkb: int | None
    owner_node: int | None
    pid: int | None
    age_s: float | None

    @property
    def ref(self) -> Ref:
        """Where it stands."""
        return Ref(self.artifact, self.line)


@rule("GL-18", needs=(Records, Nodes, GlockFacts), words=ManagerWaitWords)
def manager_wait(records: Records, nodes: Nodes, glocks: GlockFacts, limits: Limits) -> Iterator[Seen]:
    """Symptom: processes hang, and only the lock manager's tables were sent.

    Reasoning: a lock stands in the queue of waiting or converting requests; its age is printed, or follows from two
    tables that show the same request. What a glock dump of the case shows is left to the rules on glocks.
    Source: fs/dlm/debug_fs.c, dlm_tool(8); limits proposed.
    """
    if not records.has(DlmLock):
        return
    known = {lock.object for lock in glocks.locks} if glocks.any else set()
    rows = records.scan(DlmLock).filter(pl.col("resource").is_not_null() & pl.col("queue").is_not_null())
    # Most requests are young: their resources, and those of other lockspaces with their names, are not looked at.
    may_be_long = pl.col("age_s").is_null() | (pl.col("age_s") >= limits.short_s)
    contended = rows.filter(pl.col("queue").is_in(WAITING) & may_be_long).select(_RESOURCE).unique()
    of_contended = rows.join(contended, on=_RESOURCE, how="semi", nulls_equal=True)
    frame = of_contended.head(MOST).select(_Locked._fields).collect().sort("artifact", "line")
    new = (
        one for one in map(_Locked._make, frame.iter_rows()) if (glock_of(one.resource) or one.resource) not in known
    )
    found = [
        seen
        for (space, name), own in grouped(new, lambda one: (one.lockspace, one.resource)).items()
        if (seen := _judged(space, name, own, nodes, limits)) is not None
    ]
    yield from sorted(found, key=lambda seen: -seen.weight)[:SHOWN]


def _judged(space: str | None, name: str, locks: Sequence[_Locked], nodes: Nodes, limits: Limits) -> Seen | None:
    requests = _requests([one for one in locks if one.queue in WAITING])
    if not requests:  # another lockspace has a resource of the same name that waits, or the rows were cut before it
        return None
    oldest = max(requests, key=lambda one: one.age_s or 0.0)
    if oldest.age_s is not None and oldest.age_s < limits.short_s:
        return None
    granted = [one for one in locks if one.queue == "granted"]
    waiters = tuple(dict.fromkeys(_owner(one, nodes) for one in requests))
    glock = glock_of(name)
    return Seen(
        level="once" if oldest.age_s is None else "stands" if oldest.age_s >= limits.long_s else "waits",
        words=ManagerWaitWords(
            what=f"glock {glock}" if glock else f"resource {name}",
            space=space,
            waits=len(requests),
            longest=oldest.age_s,
            holders=tuple(dict.fromkeys(_owner(one, nodes) for one in granted)),
            waiters=waiters,
            many=len(waiters) > 1,
            pid=oldest.pid if oldest.pid is not None and oldest.pid > 0 else None,
        ),
        lines=[one.ref for one in (*granted[:2], oldest)],
        most_lines=4,
        nodes=[_named(one, nodes) for one in (*granted, *requests)],
        times=(oldest.at,),
        zone_min=oldest.zone_min,
        borne_by=(len(locks), len({one.node for one in locks})),
        parts=("table",),
        weight=oldest.age_s or 0.0,
    )


def _requests(locks: Sequence[_Locked]) -> list[_Locked]:
    """Each request once, as its last table shows it, with its age: printed, else from the first table to the last."""
    tables = grouped(locks, lambda one: (one.node, one.lkb) if one.lkb is not None else one.ref)
    return [_aged(shown[0].at, shown[-1]) for shown in tables.values()]


def _aged(first: int | None, last: _Locked) -> _Locked:
    if last.age_s is not None or first is None or last.at is None or last.at <= first:
        return last
    return last._replace(age_s=(last.at - first) / 1e6)


def _owner(lock: _Locked, nodes: Nodes) -> str:
    """The node that a lock belongs to, in words."""
    own = "" if lock.owner_node else phrase("views.own-node")
    return _named(lock, nodes) or own or f"node {lock.owner_node}"


def _named(lock: _Locked, nodes: Nodes) -> str | None:
    """The node that a lock belongs to: by its id, else the one that printed the table."""
    number = str(lock.owner_node or "")
    if not number:
        return lock.node
    name = nodes.name(number)
    return name if name != number else None
