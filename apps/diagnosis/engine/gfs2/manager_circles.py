"""Circles of waits by the lock manager's tables alone: each process waits for a lock that the next one was granted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, Final

import polars as pl

from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.nodes import Nodes
from apps.diagnosis.engine.core.records import Records
from parsers.dataclass import dataclass
from parsers.formats.gfs2.dlm_names import glock_of
from parsers.lock_records import DlmLock

WAITING: Final = ("waiting", "converting")
ROWS_MOST: Final = 50_000
_COLUMNS: Final = (
    *("artifact", "line", "node", "lockspace", "resource", "queue"),
    *("requested", "granted", "owner_node", "pid"),
)
_TOGETHER: Final[dict[str, frozenset[str]]] = {
    "EX": frozenset(),
    "PW": frozenset(("CR",)),
    "PR": frozenset(("PR", "CR")),
    "CW": frozenset(("CW", "CR")),
    "CR": frozenset(("PW", "PR", "CW", "CR")),
}
"""Modes that may be granted beside another one; NL beside all."""


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
        waits: dict[str, list[dict[str, Any]]] = defaultdict(list)
        granted: dict[tuple[Any, Any], list[dict[str, Any]]] = defaultdict(list)
        for row in self._rows():
            if row["queue"] in WAITING:
                waits[self._process(row)].append(row)
            elif row["queue"] == "granted":
                granted[row["lockspace"], row["resource"]].append(row)
        after: dict[str, dict[str, dict[str, Any]]] = {
            waiter: {
                self._process(held): row
                for row in own
                for held in granted[row["lockspace"], row["resource"]]
                if _exclude(row["requested"], held["granted"]) and self._process(held) != waiter
            }
            for waiter, own in waits.items()
        }
        circle = _circle(after)
        return (self._made(circle, after),) if circle else ()

    def _rows(self) -> Iterable[dict[str, Any]]:
        if not self._records.has(DlmLock):
            return ()
        rows = self._records.scan(DlmLock).filter(
            pl.col("resource").is_not_null() & pl.col("queue").is_not_null() & (pl.col("pid") > 0)
        )
        contended = rows.filter(pl.col("queue").is_in(WAITING)).select("resource").unique()
        frame = rows.join(contended, on="resource", how="semi").head(ROWS_MOST).select(_COLUMNS).collect()
        waiting = frame.filter(pl.col("queue").is_in(WAITING))
        frame = frame.join(waiting.select("pid").unique(), on="pid", how="semi")  # others are on no circle
        return self._nodes.named(frame).sort("artifact", "line").iter_rows(named=True)

    def _process(self, row: Mapping[str, Any]) -> str:
        number = row["owner_node"]
        node = self._nodes.name(str(number)) if number else row["node"]
        return f"{node or 'a node'}:{row['pid']}"

    def _made(self, circle: list[str], after: Mapping[str, Mapping[str, dict[str, Any]]]) -> ManagerCircle:
        names: list[str] = []
        lines: list[Ref] = []
        for number, process in enumerate(circle):
            row = after[process][circle[(number + 1) % len(circle)]]
            names += [process, glock_of(row["resource"]) or str(row["resource"])]
            lines.append(Ref(row["artifact"], row["line"]))
        nodes = tuple(dict.fromkeys(process.rpartition(":")[0] for process in circle))
        return ManagerCircle(tuple(names), len(circle), tuple(lines), nodes)


def _exclude(wanted: str | None, held: str | None) -> bool:
    """Whether a mode can't be granted beside one that is."""
    return wanted in _TOGETHER and held in _TOGETHER and held not in _TOGETHER[wanted]


def _circle(after: Mapping[str, Mapping[str, Any]]) -> list[str]:
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
