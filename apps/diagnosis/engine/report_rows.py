"""Rows of the JSON that show records as they were read: events, links, members, versions, claims, disk I/O."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import Any, Final

import polars as pl

from apps.diagnosis.engine.core.facts.case import Case, Printer
from apps.diagnosis.engine.core.facts.nodes import Nodes
from parsers.records import Claim, DiskIo, Event, Record, Version
from parsers.records.kinds import LINKS, MEMBERS
from parsers.records.states import (
    ClusterMember,
    DiskPath,
    FencingKeys,
    HealthState,
    HeartbeatLink,
    Interface,
    Manager,
    Role,
    ServiceState,
)

WHOLE_BELOW: Final = 2**53


class Written(str):
    """A value that is JSON already."""

    __slots__ = ()


Rows = Iterator[dict[str, Any]]
_DISK_KEYS: Final = ("artifact", "node", "source", "device", "op")
_DISK_FIELDS: Final = ("node", "source", "device", "op", "count", "bytes", "mean_ms", "max_ms", "util", "queue")


def event_rows(case: Case, report: Printer) -> Rows:
    """Log lines that matter, in the order of the input."""
    for part in case.store.parts(Event):
        for row in case.get(Nodes).named(part.rows.collect()).iter_rows(named=True):
            yield _placed(row, report, ("node", "source", "kind", "text"), at=True)


def link_rows(case: Case, report: Printer) -> Iterator[Written]:
    """What connects a node to something, with its state as printed."""

    def shown(kind: type[Record], row: dict[str, Any]) -> dict[str, Any]:
        return _placed(_as_link(kind, row), report, ("node", "peer", "link", "address", "state"))

    return _all_of(case, LINKS, shown)


def member_rows(case: Case, report: Printer) -> Iterator[Written]:
    """Who belongs to what, and how it stands; ``members`` as a list of known names."""

    def shown(kind: type[Record], printed: dict[str, Any]) -> dict[str, Any]:
        row = {"generation": None, "members": "", **printed, **_as_member(kind, printed)}
        members = [case.get(Nodes).name(name) for name in (row["members"] or "").split()]
        return {**_placed(row, report, ("node", "source", "group", "generation", "state")), "members": members}

    return _all_of(case, MEMBERS, shown)


def _all_of(
    case: Case, kinds: Sequence[type[Record]], shown: Callable[[type[Record], dict[str, Any]], dict[str, Any]]
) -> Iterator[Written]:
    """Records of several kinds in the order of files and lines, as they are shown. Tools print the same again and
    again: rows that differ in their moment and line alone are made once.
    """
    order = {source.artifact: number for number, source in enumerate(case.store.sources)}
    found: list[tuple[int, int, int, tuple[Any, ...]]] = []
    columns: list[list[str]] = []
    for number, kind in enumerate(kinds):
        frame = case.get(Nodes).named(case.store.frame(kind))
        if not frame.height:  # of most kinds: a query that finds nothing costs as much as one of a thousand rows
            columns.append([])
            continue
        columns.append([name for name in frame.columns if name not in _OF_A_MOMENT])
        places = map(order.__getitem__, frame["artifact"].to_list())
        numbers = [number] * frame.height
        found += zip(places, frame["line"].to_list(), numbers, frame.select(columns[-1]).iter_rows(), strict=True)
    known: dict[tuple[int, tuple[Any, ...]], tuple[str, str]] = {}
    for _, line, number, values in sorted(found, key=itemgetter(0, 1)):
        if (texts := known.get((number, values))) is None:
            if len(known) >= MOST_KEPT:
                known.clear()
            row = shown(kinds[number], {**dict(zip(columns[number], values, strict=True)), "line": line})
            texts = known[number, values] = _around_line(row)
        yield Written(f"{texts[0]}{line}{texts[1]}")


_OF_A_MOMENT: Final = frozenset(("line", "at", "zone_min"))
"""Columns that tell one print of a row from the next."""
MOST_KEPT: Final = 20_000
"""Rows that are remembered; then again."""


def _around_line(row: dict[str, Any]) -> tuple[str, str]:
    """A row as JSON, in front of the number of its line and behind it."""
    place = list(row).index("line")
    head, tail = dict(list(row.items())[:place]), dict(list(row.items())[place + 1 :])
    behind = json.dumps(tail, ensure_ascii=False)
    return f'{json.dumps(head, ensure_ascii=False)[:-1]}, "line": ', f", {behind[1:]}" if tail else "}"


def _as_link(kind: type[Record], row: dict[str, Any]) -> dict[str, Any]:
    if kind is DiskPath:
        return {**row, "peer": row["map"], "link": row["device"]}
    if kind is Interface:
        return {**row, "peer": None, "link": row["name"]}
    return {**row, "state": row["state"] or row["priority"]} if kind is HeartbeatLink else row


def _as_member(kind: type[Record], row: dict[str, Any]) -> dict[str, Any]:
    """The columns of ``members`` that a kind names otherwise."""
    if kind is ClusterMember:
        return {"group": row["of"] or row["member"], "members": row["member"] if row["layer"] == "locks" else ""}
    if kind is Manager:
        return {"members": row["manager"], **_as_managed(row["role"], row["of"])}
    if kind is HealthState:
        return {"group": row["component"]}
    if kind is ServiceState:
        is_alone = row["sort"] == "resource" and row["group"] is None
        group = f"resource {row['resource']}" if is_alone else row["group"]
        return {"group": group, "members": row["on"] if is_alone or row["sort"] != "resource" else ""}
    return {"group": row["device"], "members": row["holders"]} if kind is FencingKeys else {}


def _as_managed(role: Role, of: str | None) -> dict[str, str | None]:
    if role == "volume master":
        return {"group": "CVM master", "state": None}
    if role == "file system primary":
        return {"group": "CFS primary", "state": of}
    return {"group": "Cluster manager" if role == "cluster manager" else of, "state": "manager"}


def version_rows(case: Case, report: Printer) -> Rows:
    """Releases of products, kernels and formats."""
    return _plain(case, report, Version, ("node", "product", "version"))


def claim_rows(case: Case, report: Printer) -> Rows:
    """Figures that people state; a range gives a row for each of its ends."""
    for row in case.store.frame(Claim).iter_rows(named=True):
        ends = [row["value"]] if row["high"] is None else [row["value"], row["high"]]
        for value in ends:
            yield _placed({**row, "value": value}, report, ("speaker", "what", "value", "unit", "text"))


def disk_io_rows(case: Case, report: Printer) -> Rows:
    """What tools counted, as printed; single requests of an I/O history summed up by device and operation."""
    if not case.store.has(DiskIo):
        return
    single = pl.col("count").eq(1) & ~pl.col("per_s") & pl.col("interval_s").is_null()
    for part in case.store.parts(DiskIo):
        for row in case.get(Nodes).named(part.rows.filter(~single.fill_null(False)).collect()).iter_rows(named=True):
            yield _placed(row, report, _DISK_FIELDS)
    requests = case.store.scan(DiskIo).filter(single.fill_null(False))
    summed = requests.group_by(_DISK_KEYS, maintain_order=True).agg(
        pl.col("count").sum(),
        pl.col("bytes").sum(),
        pl.col("mean_ms").mean(),
        pl.col("max_ms").fill_null(pl.col("mean_ms")).max(),
        pl.lit(None, pl.Float64()).alias("util"),
        pl.lit(None, pl.Float64()).alias("queue"),
        pl.col("line").min(),
    )
    for row in case.get(Nodes).named(summed.collect()).iter_rows(named=True):
        yield _placed(row, report, _DISK_FIELDS)


def _plain(case: Case, report: Printer, kind: type[Record], fields: tuple[str, ...]) -> Rows:
    for row in case.get(Nodes).named(case.store.frame(kind)).iter_rows(named=True):
        yield _placed(row, report, fields)


def _placed(row: dict[str, Any], report: Printer, fields: tuple[str, ...], *, at: bool = False) -> dict[str, Any]:
    when = {"at": report.clock.text(row["at"], row["zone_min"])} if at else {}
    return {
        **{field: _whole(row[field]) for field in fields},
        **when,
        "path": report.path(row["artifact"]),
        "line": row["line"],
    }


def _whole(value: Any) -> Any:
    """A count is a whole number where it is one."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < WHOLE_BELOW else value
