"""What ``vxtunefs`` and the volume manager say about the I/O of a VxFS mount, and the values that would match the
volume.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records, in_order
from apps.diagnosis.engine.core.facts.setting_history import plain
from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.core.model import Advice, Ref
from apps.diagnosis.engine.storage.disk_requests import Trace
from parsers.dataclass import dataclass
from parsers.records import DiskName

SECTOR: Final = 512
LAYOUT: Final = ("stripe columns", "stripe width sectors", "layout")
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


class Tunables:
    """Parameters of VxFS in force, and the layout of the volumes below."""

    def __init__(self, settings: Settings, records: Records) -> None:
        self._settings = settings
        self._records = records

    def of(self, *names: str) -> list[Tunable]:
        """Last values of these parameters, by mount, in the order of the text."""
        last: dict[tuple[str | None, str | None, str], Tunable] = {}
        if not self._settings.in_force.height:
            return []
        for row in in_order(self._settings.in_force, pl.col("name").is_in(names)).iter_rows(named=True):
            value = plain(row["value"])
            if value.lstrip("-").isdecimal():
                found = Tunable(row["name"], int(value), row["scope"], Ref(row["artifact"], row["line"]))
                last[row["node"], row["scope"], row["name"]] = found
        return list(last.values())

    @cached_property
    def stripes(self) -> tuple[Stripe, ...]:
        """Striped volumes whose mount is known."""
        names = self._records.frame(DiskName, pl.col("fs").is_not_null())
        mounts = dict(names.select("name", "fs").iter_rows())
        found: dict[str, dict[str, str]] = {}
        rows = self._settings.all.filter(pl.col("name").is_in(LAYOUT)).select("scope", "name", "value")
        for scope, name, value in rows.iter_rows():
            if scope in mounts:
                found.setdefault(scope, {})[name] = value
        return tuple(_stripes(mounts, found))

    def for_stripes(self, op: str) -> list[Advice]:
        """Preferred request size and number of streams that match the stripe, where they differ: the gate is a layout
        that is shown.
        """
        advice: list[Advice] = []
        for stripe in self.stripes:
            whole = stripe.is_raid5 and op == "write"
            size = stripe.unit * (stripe.columns - 1) if whole else stripe.unit
            streams = 1 if whole else stripe.columns
            now = {
                tunable.name: tunable.value
                for tunable in self.of(f"{op}_pref_io", f"{op}_nstream")
                if tunable.scope == stripe.mount
            }
            wanted = {f"{op}_pref_io": size, f"{op}_nstream": streams}
            advice += [
                Advice(TUNING_OF[name], stripe.mount, (("value", str(value)),))
                for name, value in wanted.items()
                if name in now and now[name] != value
            ]
        return advice

    def explaining(self, slow: Trace, fast: Trace) -> tuple[Tunable, Tunable] | None:
        """A limit of direct I/O that differs between two mounts so that it explains two traces: of the slow one, and of
        the fast one.
        """
        if slow.request is None or slow.request != fast.request or not fast.is_direct:
            return None
        if slow.is_buffered:
            bounds, request = self.of("discovered_direct_iosz"), slow.request
            return _last_of(bounds, lambda value: value >= request, lambda value: value < request)
        if slow.is_direct:
            bounds = self.of("max_direct_iosz")
            return _last_of(bounds, lambda value: value == slow.size, lambda value: value == fast.size)
        return None


def _last_of(
    bounds: Sequence[Tunable], is_one: Callable[[int], bool], is_other: Callable[[int], bool]
) -> tuple[Tunable, Tunable] | None:
    """The last bound that is the one, and the last that is the other; None where one of them is missing."""
    ones, others = ([bound for bound in bounds if test(bound.value)] for test in (is_one, is_other))
    return (ones[-1], others[-1]) if ones and others else None


def _stripes(mounts: dict[str, str], found: dict[str, dict[str, str]]) -> Iterator[Stripe]:
    for volume, values in sorted(found.items()):
        columns, width = values.get("stripe columns", ""), values.get("stripe width sectors", "")
        if columns.isdecimal() and width.isdecimal() and int(columns) > 1 and int(width):
            yield Stripe(mounts[volume], int(columns), int(width) * SECTOR, values.get("layout", ""))
