"""Which release of VxFS the files show: what the version gate rests on."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.model import Ref
from parsers.dataclass import dataclass
from parsers.records import Version

PRODUCTS: Final = ("VRTSvxfs", "vxfs")
LAZY_TUNING: Final = "lazy-isize-enable"
LAZY_SINCE: Final = (6, 1)
_NUMBERS = re.compile(r"\d{1,6}")


@dataclass(frozen=True, slots=True)
class Release:
    """A release of VxFS as one node shows it."""

    node: str | None
    version: str
    ref: Ref

    @property
    def numbers(self) -> tuple[int, ...]:
        """``6.1.100.000`` as numbers that can be compared."""
        return tuple(int(number) for number in _NUMBERS.findall(self.version)[:4])


class Releases:
    """Releases of VxFS in a case."""

    def __init__(self, records: Records) -> None:
        self._records = records

    @cached_property
    def all(self) -> tuple[Release, ...]:
        """In artifact and line order."""
        rows = self._records.of(Version, pl.col("product").is_in(PRODUCTS))
        found = (Release(one.node, one.version, one.ref) for one in rows)
        return tuple(release for release in found if len(release.numbers) > 1)

    @cached_property
    def too_old(self) -> tuple[Release, ...]:
        """Those that do not know lazy_isize_enable."""
        return tuple(release for release in self.all if release.numbers < LAZY_SINCE)

    def knows(self, tuning: str) -> bool:
        """Whether a release is shown, and every one that is shown knows the parameter of a tuning."""
        return tuning == LAZY_TUNING and bool(self.all) and not self.too_old
