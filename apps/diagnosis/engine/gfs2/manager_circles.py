"""Circles of waits by the lock manager's tables alone: each process waits for a lock that the next one was granted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Final, NamedTuple

import polars as pl

from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.records import Records, grouped
from apps.diagnosis.engine.core.model import Ref
from parsers.dataclass import dataclass
from parsers.formats.gfs2.dlm_names import glock_of
from parsers.records.locks import DlmLock

WAITING: Final = ("waiting", "converting")
ROWS_MOST: Final = 50_000
_TOGETHER: Final[dict[str, frozenset[str]]] = {
    "EX": frozenset(),
    "PW": frozenset(("CR",)),
    "PR": frozenset(("PR", "CR")),
    "CW": frozenset(("CW", "CR")),
    "CR": frozenset(("PW", "PR", "CW", "CR")),
}
"""Modes that may be granted beside another one; NL beside all."""


class _Lock(NamedTuple):
    """A lock in a table of the manager."""

    artifact: int
    line: int
    node: str | None
    lockspace: str | None
    resource: str
    queue: str
    requested: str | None
    granted: str | None
    owner_node: int | None
    pid: int


@dataclass(frozen=True, slots=True)
class ManagerCircle:
    """names: processes and what they wait for, in the order of waiting; lines: the requests."""

    names: tuple[str, ...]
    processes: int
    lines: tuple[Ref, ...]
    nodes: tuple[str, ...]


class ManagerCircles:
    """Circles in the tables of a case."""

    def __init__(self, records: Records, nodes: Nodes) -> None:
        self._records = records
        self._nodes = nodes

    @cached_property
    def all(self) -> tuple[ManagerCircle, ...]:
        """One circle at the most: the first that is found in the order of the lines."""
        locks = [(self._process(one), one) for one in self._locks()]
        granted = grouped(
            (one for one in locks if one[1].queue == "granted"), lambda one: (one[1].lockspace, one[1].resource)
        )
        after: dict[str, dict[str, _Lock]] = {}
        for waiter, wait in locks:
            if wait.queue in WAITING:
                after.setdefault(waiter, {}).update(
                    (holder, wait)
                    for holder, held in granted.get((wait.lockspace, wait.resource), ())
                    if holder != waiter and _exclude(wait.requested, held.granted)
                )
        circle = _circle(after)
        return (self._made(circle, after),) if circle else ()

    def _locks(self) -> Iterable[_Lock]:
        if not self._records.has(DlmLock):
            return ()
        rows = self._records.scan(DlmLock).filter(
            pl.col("resource").is_not_null() & pl.col("queue").is_not_null() & (pl.col("pid") > 0)
        )
        contended = rows.filter(pl.col("queue").is_in(WAITING)).select("resource").unique()
        frame = rows.join(contended, on="resource", how="semi").head(ROWS_MOST).select(_Lock._fields).collect()
        waiting = frame.filter(pl.col("queue").is_in(WAITING))
        frame = frame.join(waiting.select("pid").unique(), on="pid", how="semi")  # others are on no circle
        return map(_Lock._make, self._nodes.named(frame).sort("artifact", "line").iter_rows())

    def _process(self, lock: _Lock) -> str:
        node = self._nodes.name(str(lock.owner_node)) if lock.owner_node else lock.node
        return f"{node or 'a node'}:{lock.pid}"

    def _made(self, circle: list[str], after: Mapping[str, Mapping[str, _Lock]]) -> ManagerCircle:
        names: list[str] = []
        lines: list[Ref] = []
        for number, process in enumerate(circle):
            wait = after[process][circle[(number + 1) % len(circle)]]
            names += [process, glock_of(wait.resource) or wait.resource]
            lines.append(Ref(wait.artifact, wait.line))
        nodes = tuple(dict.fromkeys(process.rpartition(":")[0] for process in circle))
        return ManagerCircle(tuple(names), len(circle), tuple(lines), nodes)


def _exclude(wanted: str | None, held: str | None) -> bool:
    """Whether a mode can't be granted beside one that is."""
    return wanted in _TOGETHER and held in _TOGETHER and held not in _TOGETHER[wanted]


def _circle(after: Mapping[str, Mapping[str, _Lock]]) -> list[str]:
    """The processes of a circle; empty where there is none."""
    done: set[str] = set()
    for start in after:
        if start in done:
            continue
        path: list[str] = [start]
        on_path = {start: 0}
        ways = [iter(after[start])]
        while ways:
            further = next(ways[-1], None)
            if further is None:
                ways.pop()
                left = path.pop()
                del on_path[left]
                done.add(left)
            elif further in on_path:
                return path[on_path[further] :]
            elif further in after and further not in done:
                on_path[further] = len(path)
                path.append(further)
                ways.append(iter(after[further]))
    return []
