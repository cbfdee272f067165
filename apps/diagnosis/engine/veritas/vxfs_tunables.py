"""What ``vxtunefs`` and the volume manager say about the I/O of a VxFS mount, and the values that would match the volume."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.model import Advice, Ref
from apps.diagnosis.engine.core.readings import plain
from apps.diagnosis.engine.facts import CaseFacts
from apps.diagnosis.engine.storage.disk_requests import Trace
from parsers.records import DiskName

SECTOR: Final = 512


TUNING_OF: Final = {
    "read_pref_io": "read-pref-io",
    "write_pref_io": "write-pref-io",
    "read_nstream": "read-nstream",
    "write_nstream": "write-nstream",
    "discovered_direct_iosz": "discovered-direct-iosz",
    "max_direct_iosz": "max-direct-iosz",
}


@dataclass(frozen=True, slots=True)
class Tunable:
    """One value in force on a mount."""

    name: str
    value: int
    scope: str | None
    ref: Ref


def tunables(case: CaseFacts, *names: str) -> list[Tunable]:
    """Last values of these parameters, by mount, in the order of the text."""
    rows = case.in_force.filter((pl.col("source") == "vxtunefs") & pl.col("name").is_in(names)).sort("artifact", "line")
    last: dict[tuple[str | None, str | None, str], Tunable] = {}
    for row in rows.iter_rows(named=True):
        value = plain(row["value"])
        if value.lstrip("-").isdecimal():
            last[row["node"], row["scope"], row["name"]] = Tunable(row["name"], int(value), row["scope"], Ref(row["artifact"], row["line"]))
    return list(last.values())


@dataclass(frozen=True, slots=True)
class Stripe:
    """Layout of the volume under a mount."""

    mount: str
    columns: int
    unit: int
    layout: str

    @property
    def is_raid5(self) -> bool:
        """Parity is written with each stripe: whole stripes then."""
        return self.layout.upper().startswith("RAID")


def stripes(case: CaseFacts) -> Iterator[Stripe]:
    """Striped volumes whose mount is known."""
    names = case.facts.frame(DiskName).filter(pl.col("fs").is_not_null())
    mounts = dict(names.select("name", "fs").iter_rows())
    found: dict[str, dict[str, str]] = {}
    for scope, name, value in case.settings.filter(pl.col("source") == "vxprint").select("scope", "name", "value").iter_rows():
        if scope in mounts:
            found.setdefault(scope, {})[name] = value
    for volume, values in sorted(found.items()):
        columns, width = values.get("stripe columns", ""), values.get("stripe width sectors", "")
        if columns.isdecimal() and width.isdecimal() and int(columns) > 1 and int(width):
            yield Stripe(mounts[volume], int(columns), int(width) * SECTOR, values.get("layout", ""))


def stripe_advice(case: CaseFacts, op: str) -> list[Advice]:
    """Preferred request size and number of streams that match the stripe, where they differ: the gate is a layout that is shown."""
    advice: list[Advice] = []
    for stripe in stripes(case):
        whole = stripe.is_raid5 and op == "write"
        size = stripe.unit * (stripe.columns - 1) if whole else stripe.unit
        streams = 1 if whole else stripe.columns
        now = {tunable.name: tunable.value for tunable in tunables(case, f"{op}_pref_io", f"{op}_nstream") if tunable.scope == stripe.mount}
        wanted = {f"{op}_pref_io": size, f"{op}_nstream": streams}
        advice += [
            Advice(TUNING_OF[name], stripe.mount, (("value", str(value)),))
            for name, value in wanted.items()
            if name in now and now[name] != value
        ]
    return advice


def compared_advice(case: CaseFacts, slow: Trace, fast: Trace) -> tuple[list[Advice], str]:
    """Limits of direct I/O that differ between two mounts so that they explain the two traces, and the sentence that says so."""
    if slow.asked is None or slow.asked != fast.asked:
        return [], ""
    if slow.is_buffered and fast.is_direct:
        bounds = tunables(case, "discovered_direct_iosz")
        below, above = [one for one in bounds if one.value < slow.asked], [one for one in bounds if one.value >= slow.asked]
    elif slow.is_direct and fast.is_direct:
        bounds = tunables(case, "max_direct_iosz")
        above, below = [one for one in bounds if one.value == slow.size], [one for one in bounds if one.value == fast.size]
    else:
        return [], ""
    if not below or not above:
        return [], ""
    wanted, present = below[-1], above[-1]
    words = (
        f" {present.name} is {present.value} on {present.scope or 'one file system'} and {wanted.value} on {wanted.scope or 'the other'}:"
        " that alone explains the two sizes, if these are the two file systems."
    )
    return [Advice(TUNING_OF[present.name], present.scope, (("value", str(wanted.value)),))], words
