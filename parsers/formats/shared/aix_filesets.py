"""What is installed on AIX: ``lslpp -l`` and ``lslpp -L``, and the level of the system itself: ``oslevel -s``.

      Fileset                      Level  State      Description
    Path: /usr/lib/objrepos
      gpfs.base                  5.1.9.2  APPLIED    GPFS File Manager
      bos.net.tcp.client         7.2.5.7    C     F    TCP/IP Client Support          lslpp -L
    7200-05-07-2346                                                                  oslevel -s

Yields ``Version`` of what the nodes of a cluster run together (``gpfs.base`` as spectrum-scale, packages of Veritas)
and of the system (product kernel); ``ListedState`` of a fileset that is broken: wrong. Others are everyday. No times.
Tolerated: cut rows, missing headings where the name of a fileset tells. Source: lslpp and oslevel of the AIX commands
reference, recalled.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records import Version
from parsers.records.states import ListedState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows, everyday, heading

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_LEVEL: Final = r"\d{1,4}(?:\.\d{1,5}){3}"
_PRODUCTS: Final = {"gpfs.base": "spectrum-scale"}


def _fileset(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    name = match["name"]
    product = _PRODUCTS.get(name) or name.partition(".")[0]
    section.add(Version, line.number, product=product, version=match["level"])


def _broken(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    row = " ".join(line.text.split())[:400]
    name, level = match["name"], match["level"]
    section.add(
        ListedState, line.number, source="lslpp", name=name, state=f"{level} is broken", standing="wrong", row=row
    )


_VERITAS: Final = r"VRTS[a-z]\w{1,30}(?:\.[\w-]{1,40})?"
_INSTALLED: Final = r"(?:APPLIED|APPLYING|COMMITTED|COMMITTING|OBSOLETE|EFIX LOCKED|[ACEOL])"
_ANY: Final = r"(?P<name>[A-Za-z][\w+-]{1,40}(?:\.[\w+-]{1,40}){0,8})"
_FILESETS: Final = Rows(
    heading("heading", r"Fileset\s{1,40}Level\s{1,20}State\s{1,20}"),
    Row("place", r"Path: /(?:usr|etc)/\S{1,60}$", fate=Fate.FRAME, opens=False),
    Row("ruler", r"-{20,120}$", fate=Fate.FRAME, opens=False),
    Row("broken", rf"{_ANY}\s{{1,60}}(?P<level>{_LEVEL})\s{{1,20}}(?:BROKEN|B)(?:\s|$)", _broken, opens=False),
    Row(
        "fileset of a cluster",
        rf"(?P<name>gpfs\.base)\s{{1,60}}(?P<level>{_LEVEL})\s{{1,20}}{_INSTALLED}(?:\s|$)",
        _fileset,
    ),
    Row(
        "package of Veritas",
        rf"(?P<name>{_VERITAS})\s{{1,60}}(?P<level>{_LEVEL})\s{{1,20}}{_INSTALLED}(?:\s|$)",
        _fileset,
        opens=False,
    ),
    everyday("fileset", rf"{_ANY}\s{{1,60}}{_LEVEL}\s{{1,20}}{_INSTALLED}(?:\s|$)", opens=False),
    Row("codes", r"(?:State|Type) [Cc]odes: ?|[A-Z] -- [A-Z]", fate=Fate.FRAME, opens=False),
)


@parser("aix_filesets", version=1, product="", rows=_FILESETS, commands=("lslpp",))
def aix_filesets(section: OpenSection, out: Output) -> None:
    """``lslpp -l``: filesets with their levels."""
    _FILESETS.read(section, out, "no fileset with its level")


def _level(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(Version, line.number, product="kernel", version=match["level"])


_OSLEVEL: Final = Rows(Row("level", r"(?P<level>[5-9]\d00-\d\d-\d\d-\d{4})$", _level))


@parser("oslevel", version=1, product="", rows=_OSLEVEL, commands=("oslevel",))
def oslevel(section: OpenSection, out: Output) -> None:
    """``oslevel -s``: technology level, service pack and when that came."""
    _OSLEVEL.read(section, out, "no level of the system")
