"""``sfcache list`` of SmartIO: areas of a cache on local devices.

    NAME               TYPE       SIZE        ASSOC-TYPE     STATE       DEVICE
    area_1             VxFS       59.55g      AUTO           ONLINE      ash0_0
    area_2             VxVM       59.55g      AUTO           FAILED      ash1_0

Yields ``HealthState`` per area: without its device requests go to the disks. No times. Source: sfcache(1M).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records.states import HealthStanding, HealthState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    import re

    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_STANDINGS: Final[dict[str, HealthStanding]] = {"ONLINE": "healthy", "OFFLINE": "hint"}


def _area(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    section.add(
        HealthState,
        line.number,
        source="sfcache list",
        component=f"cache area {found['name']} on {found['device']}",
        state=found["state"],
        standing=_STANDINGS.get(found["state"], "degraded"),
    )


_ROWS: Final = Rows(
    Row("heading", r"NAME\s{1,40}TYPE\s{1,40}SIZE\s{1,40}ASSOC-TYPE\s{1,40}STATE\b", fate=Fate.FRAME),
    Row(
        "area",
        r"(?P<name>\S{1,80})\s{1,40}(?:VxFS|VxVM)\s{1,40}\d[\d.]{0,12}[kmgtp]?\s{1,40}(?:NO)?AUTO\s{1,40}"
        r"(?P<state>[A-Z][A-Z_-]{2,20})\s{1,40}(?P<device>\S{1,80})$",
        _area,
    ),
)


@parser("vxfs_cache_areas", version=1, product="veritas", rows=_ROWS, commands=("sfcache",), priority=1)
def vxfs_cache_areas(section: OpenSection, out: Output) -> None:
    """Areas of the cache with their state."""
    _ROWS.read(section, out, "no area with its state")
