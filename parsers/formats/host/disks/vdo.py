"""``vdo status``: volumes of the Virtual Data Optimizer, and what the kernel says of each.

    Kernel module:
      Loaded: true
    VDOs:
      pots:
        Activate: enabled
        Device mapper status: 0 8388608 vdo /dev/sdk normal - online online 2048 524288
        Operating mode: read-only

Yields ``StorageState`` of each volume: failed where it takes no writes any more, degraded where it is not started or
keeps no index, a hint while it recovers. All else is everyday. No times. Source: vdo(8) and the kernel's documentation
of dm-vdo.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.records.states import StorageState
from parsers.registry import parser

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.records.states import HealthStanding
    from parsers.sections.reader import OpenSection
    from parsers.text import Line

_OPENS: Final = r"VDO status:$|VDOs:$|Device mapper status: (?:not available$|\d{1,15} \d{1,15} vdo )"
_PAIR: Final = re.compile(r"(?P<indent> {0,16})(?P<name>[A-Za-z/][\w /().-]{0,80}):(?: (?P<value>\S.{0,300})?)?$")
_STATUS: Final = re.compile(
    r"\d{1,15} \d{1,15} vdo (?P<device>\S{1,200}) (?P<mode>[a-z-]{4,20}) (?P<recovery>\S{1,20}) (?P<index>[a-z-]{4,20})"
)
_MODES: Final[dict[str, HealthStanding]] = {"normal": "healthy", "recovering": "hint", "read-only": "failed"}
_TITLES: Final = ("VDO status", "Kernel module", "Version information", "Configuration", "VDOs", "VDO statistics")


@parser(
    "vdo_status",
    version=1,
    product="storage",
    claims=_OPENS,
    owns=rf"{_OPENS}|(?!INFO: task |\w{{2,30}}: [\w/ ]{{0,20}}error, )"
    r"[A-Za-z/][\w /().-]{0,80}:(?: \S.{0,300})?\s{0,8}$",
    commands=("vdo",),
    places=r"\bvdo status\b",
    priority=1,
    names_hosts=True,
)
def vdo_status(section: OpenSection, out: Output) -> None:
    """Volumes one after the other, each with its values set in below its name."""
    for line in section:
        pair = _PAIR.match(line.text.rstrip())
        if pair is None:
            out.skip(line, "no name with a value")
            continue
        name, value = pair["name"], (pair["value"] or "").strip()
        if not value:
            if name not in _TITLES and not name.startswith("/"):
                section.state["volume"] = name
            out.frame()
        elif name == "Device mapper status":
            _volume(section, line, value)
        else:
            if name == "Loaded":
                section.state["loaded"] = value
            out.everyday()


def _volume(section: OpenSection, line: Line, value: str) -> None:
    """How a volume stands by the table of the kernel, or that the kernel does not know it."""
    standing: HealthStanding = "degraded"
    match = _STATUS.match(value)
    if match is None:
        is_unloaded = section.state.get("loaded") == "false"
        state = "not started, its kernel module is not loaded" if is_unloaded else "not started"
    else:
        state, standing = match["mode"], _MODES.get(match["mode"], "unknown")
        if standing == "healthy" and match["index"] in ("error", "offline"):
            state, standing = f"{state}, its index is in state {match['index']}", "degraded"
    section.add(
        StorageState,
        line.number,
        source="vdo status",
        sort="volume",
        name=section.state.get("volume"),
        state=state,
        standing=standing,
    )
