"""What scripts around ``vxfenadm`` print of the registration keys on coordinator disks, a line for each disk.

    03/14/27 02:00:01: Checking /dev/vx/rdmp/ash0_10 for Registration keys ...  found 2
    03/14/27 02:00:02: Warning: Registration keys missing for /dev/vx/rdmp/ash0_12. Check if device is accessible

Yields ``HealthState`` per disk: none is wrong, and so are fewer than another disk of the list has. No times. Tolerated:
rows left out. Source: the script of a technote on monitoring the keys of vxfen.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records.states import HealthState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_WHEN: Final = r"(?:[\d/-]{6,10} {1,4}\d\d:\d\d:\d\d:? {0,4})?"
_DISKS_MOST: Final = 1_000


def _counted(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    counts: dict[str, tuple[int, int]] = section.state.setdefault("counts", {})
    if found["disk"] in counts or len(counts) < _DISKS_MOST:
        counts[found["disk"]] = (line.number, int(found["keys"]))


_ROWS: Final = Rows(
    Row(
        "count",
        rf"{_WHEN}Checking (?P<disk>/\S{{1,200}}) for (?i:registration) keys\b[ .]{{0,20}}found {{0,4}}"
        r"(?P<keys>\d{1,6})$",
        _counted,
        Fate.EVERYDAY,
    ),
    Row(
        "none, said again",
        rf"{_WHEN}Warning: (?i:registration) keys missing for /",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
)


@parser("vxfen_keys", version=1, product="veritas", rows=_ROWS)
def vxfen_keys(section: OpenSection, out: Output) -> None:
    """How many keys each coordinator disk has."""
    _ROWS.read(section, out, "no count of the keys of a disk")
    counts: dict[str, tuple[int, int]] = section.state.get("counts", {})
    most = max((keys for _, keys in counts.values()), default=0)
    for disk, (line, keys) in counts.items():
        of_most = f" of {most}" if keys < most else ""
        section.add(
            HealthState,
            line,
            source="vxfenadm",
            component=f"coordinator disk {disk}",
            state=f"{keys}{of_most} registration keys",
            standing="healthy" if 0 < keys == most else "degraded",
        )
