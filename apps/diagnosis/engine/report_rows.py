"""Rows of the JSON that show records as they were read: events, links, members, versions, claims, disk I/O."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import polars as pl

from apps.diagnosis.engine.core.case import Case, Printer
from apps.diagnosis.engine.core.nodes import Nodes
from parsers.record_types import LINKS, MEMBERS
from parsers.records import Claim, DiskIo, Event, Record, Version
from parsers.state_records import (
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
Rows = Iterator[dict[str, Any]]
_DISK_KEYS: Final = ("artifact", "node", "source", "device", "op")
_DISK_FIELDS: Final = ("node", "source", "device", "op", "count", "bytes", "mean_ms", "max_ms", "util", "queue")


def event_rows(case: Case, report: Printer) -> Rows:
    """Log lines that matter, in the order of the input."""
    for part in case.store.parts(Event):
        for row in case.get(Nodes).named(part.rows.collect()).iter_rows(named=True):
            yield _placed(row, report, ("node", "source", "kind", "text"), at=True)


def link_rows(case: Case, report: Printer) -> Rows:
    """What connects a node to something, with its state as printed."""
    for kind, row in _all_of(case, LINKS):
        yield _placed(_as_link(kind, row), report, ("node", "peer", "link", "address", "state"))


def member_rows(case: Case, report: Printer) -> Rows:
    """Who belongs to what, and how it stands; ``members`` as a list of known names."""
    for kind, printed in _all_of(case, MEMBERS):
        row = {"generation": None, "members": "", **printed, **_as_member(kind, printed)}
        members = [case.get(Nodes).name(name) for name in (row["members"] or "").split()]
        yield {**_placed(row, report, ("node", "source", "group", "generation", "state")), "members": members}


def _all_of(case: Case, kinds: Sequence[type[Record]]) -> Iterator[tuple[type[Record], dict[str, Any]]]:
    """Records of several kinds in the order of files and lines."""
    order = {source.artifact: number for number, source in enumerate(case.store.sources)}
    rows = [
        (kind, row) for kind in kinds for row in case.get(Nodes).named(case.store.frame(kind)).iter_rows(named=True)
    ]
    return iter(sorted(rows, key=lambda one: (order[one[1]["artifact"]], one[1]["line"])))


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
