"""Rule on requests that the lock manager has not granted, where no glock dump shows them (GL-18)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import polars as pl

from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.nodes import Nodes
from apps.diagnosis.engine.core.phrases import phrase
from apps.diagnosis.engine.core.records import Records
from apps.diagnosis.engine.core.registry import rule
from apps.diagnosis.engine.core.seen import Seen
from apps.diagnosis.engine.gfs2.glocks import GlockFacts
from parsers.dataclass import dataclass
from parsers.formats.gfs2.dlm_names import glock_of
from parsers.lock_records import DlmLock

SHOWN: Final = 3
MOST: Final = 200_000
_COLUMNS: Final = (
    *("artifact", "line", "node", "at", "zone_min", "lockspace", "resource", "queue"),
    *("lkb", "owner_node", "pid", "age_s"),
)
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


class _Request(NamedTuple):
    row: dict[str, Any]
    age_s: float | None


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
    frame = of_contended.head(MOST).select(_COLUMNS).collect().sort("artifact", "line")
    by_resource: dict[tuple[str | None, str], list[dict[str, Any]]] = {}
    for row in frame.iter_rows(named=True):
        if (glock_of(row["resource"]) or row["resource"]) not in known:
            by_resource.setdefault((row["lockspace"], row["resource"]), []).append(row)
    found = [seen for key, own in by_resource.items() if (seen := _judged(key, own, nodes, limits)) is not None]
    yield from sorted(found, key=lambda seen: -seen.weight)[:SHOWN]


def _judged(key: tuple[str | None, str], rows: list[dict[str, Any]], nodes: Nodes, limits: Limits) -> Seen | None:
    requests = _requests([row for row in rows if row["queue"] in WAITING])
    if not requests:  # another lockspace has a resource of the same name that waits, or the rows were cut before it
        return None
    oldest = max(requests, key=lambda one: one.age_s or 0.0)
    if oldest.age_s is not None and oldest.age_s < limits.short_s:
        return None
    granted = [row for row in rows if row["queue"] == "granted"]
    holders = tuple(dict.fromkeys(_owner(row, nodes) for row in granted))
    waiters = tuple(dict.fromkeys(_owner(one.row, nodes) for one in requests))
    level = "once" if oldest.age_s is None else "stands" if oldest.age_s >= limits.long_s else "waits"
    pid, glock = oldest.row["pid"], glock_of(key[1])
    return Seen(
        level=level,
        words=ManagerWaitWords(
            what=f"glock {glock}" if glock else f"resource {key[1]}",
            space=key[0],
            waits=len(requests),
            longest=oldest.age_s,
            holders=holders,
            waiters=waiters,
            many=len(waiters) > 1,
            pid=pid if pid is not None and pid > 0 else None,
        ),
        lines=[Ref(row["artifact"], row["line"]) for row in (*granted[:2], oldest.row)],
        most_lines=4,
        nodes=tuple(_named(row, nodes) for row in (*granted, *(one.row for one in requests))),
        times=(oldest.row["at"],),
        zone_min=oldest.row["zone_min"],
        borne_by=(len(rows), len({row["node"] for row in rows})),
        parts=("table",),
        weight=oldest.age_s or 0.0,
    )


def _requests(rows: list[dict[str, Any]]) -> list[_Request]:
    """Each request once, as its last table shows it, with its age: printed, else from the first table to the last."""
    first: dict[Any, dict[str, Any]] = {}
    last: dict[Any, dict[str, Any]] = {}
    for row in rows:
        key = (row["node"], row["lkb"]) if row["lkb"] is not None else (row["artifact"], row["line"])
        first.setdefault(key, row)
        last[key] = row
    found = []
    for key, row in last.items():
        at, then = row["at"], first[key]["at"]
        apart = (at - then) / 1e6 if at is not None and then is not None and at > then else None
        found.append(_Request(row, row["age_s"] if row["age_s"] is not None else apart))
    return found


def _owner(row: dict[str, Any], nodes: Nodes) -> str:
    """The node that a lock belongs to, in words."""
    own = "" if row["owner_node"] else phrase("views.own-node")
    return _named(row, nodes) or own or f"node {row['owner_node']}"


def _named(row: dict[str, Any], nodes: Nodes) -> str | None:
    """The node that a lock belongs to: by its id, else the one that printed the table."""
    number = row["owner_node"]
    if not number:
        node: str | None = row["node"]
        return node
    name = nodes.name(str(number))
    return name if name != str(number) else None
