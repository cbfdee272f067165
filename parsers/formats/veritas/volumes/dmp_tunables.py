"""Tunables of the volume manager and of DMP, and how disks are named: ``vxdmpadm gettune``, ``vxtune``, ``vxddladm get
namingscheme``.

                Tunable               Current Value  Default Value
    ------------------------------    -------------  -------------
    dmp_daemon_count                         10               10

    NAMING_SCHEME       PERSISTENCE    LOWERCASE      USE_AVID
    ============================================================
    Enclosure Based     Yes            Yes            Yes

Yields ``Setting`` for each value in force. No times. Source: vxdmpadm(1M), vxtune(1M), vxddladm(1M).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records import Setting
from parsers.registry import parser
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_RULER: Final = Row("ruler", r"[-=]{8,80}(?: {1,40}[-=]{4,40}){0,4}$", fate=Fate.FRAME, opens=False)


def _tunable(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    default = match["default"]
    section.add(
        Setting, line.number, source="vxdmpadm gettune", name=match["name"], value=match["value"], default=default
    )


_TUNABLES: Final = Rows(
    Row(
        "heading",
        r"Tunable\s{1,60}Current [Vv]alue\s{1,40}Default [Vv]alue(?:\s{1,40}[A-Z]\w{2,20})?$",
        fate=Fate.FRAME,
    ),
    _RULER,
    Row(
        "tunable",
        r"(?P<name>(?:dmp|vol|vx|auto)\w{2,40})\s{1,60}(?P<value>\S{1,40})\s{1,60}(?P<default>\S{1,40})"
        r"(?:\s{1,40}\S{1,40}){0,2}$",
        _tunable,
        opens=False,
    ),
)


def _naming(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(Setting, line.number, source="vxddladm", name="naming scheme", value=match["scheme"])


_NAMING: Final = Rows(
    Row("heading", r"NAMING_SCHEME\s{1,40}PERSISTENCE\b", fate=Fate.FRAME),
    _RULER,
    Row(
        "scheme",
        r"(?P<scheme>(?:OS Native|Enclosure Based|[A-Z]\w{1,20}))\s{1,40}(?:Yes|No)(?:\s{1,40}\w{1,20}){0,3}$",
        _naming,
        opens=False,
    ),
)


@parser("vx_tunables", version=1, product="veritas", rows=_TUNABLES)
def vx_tunables(section: OpenSection, out: Output) -> None:
    """``vxdmpadm gettune``, ``vxtune``: tunables with their values."""
    _TUNABLES.read(section, out, "no tunable with its value")


@parser("vx_naming", version=1, product="veritas", rows=_NAMING)
def vx_naming(section: OpenSection, out: Output) -> None:
    """``vxddladm get namingscheme``: how disks are named."""
    _NAMING.read(section, out, "no scheme of names")
