"""Which release of VxFS the files show: what the version gate rests on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.facts import CaseFacts
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


def vxfs_releases(case: CaseFacts) -> tuple[Release, ...]:
    """Releases of VxFS in artifact and line order."""
    if not case.facts.has(Version):
        return ()
    rows = case.named(case.facts.frame(Version).filter(pl.col("product").is_in(PRODUCTS))).sort("artifact", "line")
    columns = rows.select("node", "version", "artifact", "line").iter_rows()
    found = (Release(node, version, Ref(artifact, line)) for node, version, artifact, line in columns)
    return tuple(release for release in found if len(release.numbers) > 1)


def too_old(case: CaseFacts) -> tuple[Release, ...]:
    """Releases that do not know lazy_isize_enable."""
    return tuple(release for release in vxfs_releases(case) if release.numbers < LAZY_SINCE)


def knows(case: CaseFacts, tuning: str) -> bool:
    """Whether a release is shown, and every one that is shown knows the parameter of a tuning."""
    return tuning == LAZY_TUNING and bool(vxfs_releases(case)) and not too_old(case)
