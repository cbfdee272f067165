"""Whether the volumes of a disk group can be started: ``vxinfo``, ``vxinfo -p``.

    rolls          fsgen    Started          vol  rolls          fsgen    Started
    crumbs         fsgen    Unstartable      plex rolls-01       ACTIVE
    oven           gen      Startable        vol  crumbs         fsgen    Unstartable
                                             plex crumbs-01      NODEVICE

Yields ``StorageState`` per volume, and with ``-p`` per plex, which belongs to the volume above it. A volume that could
be started and is not is off by itself or on purpose. The disk group is that of the command. No times. Source:
vxinfo(1M), Veritas Volume Manager troubleshooting guide.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.veritas.command_objects import group_of
from parsers.output import Output
from parsers.records.states import HealthStanding, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_NAME: Final = r"[A-Za-z0-9][\w.-]{0,126}"
_USES: Final = r"(?:fsgen|gen|raid5|root|swap)"
_STATES: Final = r"(?:Started|Startable|Unstartable)"
_PLEX_STATES: Final = (
    r"(?:ACTIVE|CLEAN|EMPTY|STALE|OFFLINE|LOG|BADLOG|TEMP|TEMPRM|TEMPRMSD|SNAPATT|SNAPDONE|SNAPTMP|SNAPDIS|IOFAIL"
    r"|NODEVICE|NODAREC|REMOVED|RECOVER|DISABLED|FAILING)"
)
_VOLUMES: Final[dict[str, HealthStanding]] = {"Started": "healthy", "Startable": "hint", "Unstartable": "failed"}
_GOOD: Final = ("ACTIVE", "LOG", "CLEAN", "TEMP", "SNAP")  # how the names of such states begin


def _volume(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["volume"] = match["name"]
    section.add(
        StorageState,
        line.number,
        source="vxinfo",
        sort="volume",
        name=match["name"],
        of=group_of(section.command),
        state=match["state"],
        standing=_VOLUMES[match["state"]],
    )


def _plex(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(
        StorageState,
        line.number,
        source="vxinfo",
        sort="plex",
        name=match["name"],
        of=section.state.get("volume"),
        state=match["state"],
        standing="healthy" if match["state"].startswith(_GOOD) else "degraded",
    )


_ROWS: Final = Rows(
    Row("volume", rf"(?:vol\s{{1,20}})?(?P<name>{_NAME})\s{{1,60}}{_USES}\s{{1,40}}(?P<state>{_STATES})$", _volume),
    Row("plex", rf"plex\s{{1,20}}(?P<name>{_NAME})\s{{1,60}}(?P<state>{_PLEX_STATES})$", _plex, opens=False),
    also=r"(?:vol|plex)\s{1,20}[A-Za-z0-9]",
)


@parser("vxinfo", version=1, product="veritas", rows=_ROWS, commands=("vxinfo",))
def vxinfo(section: OpenSection, out: Output) -> None:
    """``vxinfo``: volumes that run and volumes that can't be started."""
    _ROWS.read(section, out, "no volume or plex with its state")
