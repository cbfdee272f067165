"""What the memory of a Solaris host holds: ``echo ::memstat | mdb -k``.

    Page Summary                Pages                MB  %Tot        Usage Type/Subtype      Pages    Bytes  %Tot
    Kernel                     212331              1658   10%        Kernel                2123312    16.1g  6.3%
    Anon                      1091233              8525   53%        User/Anon            12331223    94.0g 36.7%
    Free (cachelist)            91233               712    4%        Free (freelist)      12982312    99.0g 38.6%
    Free (freelist)            612331              4783   30%        Total                33554432     256g  100%

Yields ``HealthState`` of the memory below the total: degraded where what is free comes to less than the part below
which the kernel searches for pages all the time. Caches of files and of ZFS give pages back before that. Tolerated: a
table without its total, which says nothing. Source: mdb(1) of Solaris; lotsfree and desfree of its tunables: 1/64 and
half of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records.states import HealthState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows, heading

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_SCARCE: Final = 100 / 128
"""Per cent of the memory: desfree."""
_REST: Final = r"\s{1,60}(?P<pages>\d{1,16})\s{1,40}\d[\d.]{0,16}[kmgt]?\s{1,40}\d{1,3}(?:\.\d)?%"


def _free(section: OpenSection, _line: Line, match: re.Match[str]) -> None:
    section.state["free"] = section.state.get("free", 0) + int(match["pages"])
    section.state["listed"] = section.state.get("listed", False) or match["list"] == "freelist"


def _total(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    total, free = int(match["pages"]), section.state.pop("free", None)
    if not total or free is None or not section.state.pop("listed", False):
        return
    share = 100 * free / total
    section.add(
        HealthState,
        line.number,
        source="memstat",
        component="memory",
        state=f"{share:.1f} % free",
        standing="degraded" if share < _SCARCE else "healthy",
    )


_ROWS: Final = Rows(
    heading("heading", r"Page Summary\s{1,60}Pages\s|Usage Type/Subtype\s{1,60}Pages\s"),
    Row("ruler", r"-{8,40}(?:\s{1,12}-{3,40}){2,4}$", fate=Fate.FRAME, opens=False),
    Row("free", rf"\s{{0,8}}Free \((?P<list>cachelist|freelist)\){_REST}", _free, fate=Fate.EVERYDAY),
    Row(
        "total", r"Total\s{1,60}(?P<pages>\d{1,16})\s{1,40}\d[\d.]{0,16}[kmgt]?(?:\s{1,40}100%)?$", _total, opens=False
    ),
    Row("physical", r"Physical\s{1,60}\d{1,16}\s{1,40}\d{1,16}$", fate=Fate.FRAME, opens=False),
    Row(
        "use",
        rf"\s{{0,8}}(?:Kernel|ZFS|Anon|User|Exec|Page|Boot|Guest|Defdump|Regular|Metadata|OSM|Other|Process|Shared|ISM|DISM"
        rf"|Vmtask|In use|Unused|Total)\b[\w /()-]{{0,40}}{_REST.replace('?P<pages>', '?:')}",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
)


@parser("memstat", version=1, product="", rows=_ROWS, places=r"::memstat")
def memstat(section: OpenSection, out: Output) -> None:
    """``::memstat``: kernel, programs, caches and what is free."""
    _ROWS.read(section, out, "no use of memory")
