"""Parts of ``mmdiag`` that are lists of figures: ``--stats``, ``--memory``, ``--tokenmgr``, ``--lroc``, ``--commands``.

    === mmdiag: stats ===
      OpenFile counts: total created 104795 (in use 100000, free 4795)
        cached 100000, currently open 2+3, cache limit 100000 (min 10, max 100000),

    === mmdiag: memory ===
    mmfsd heap size: 1572864 bytes
           128 bytes in use

Yields ``Counter`` (gauge) for each figure with its words, the scope being the title above it, and ``HealthState`` for
each pool of memory that tells how often it could not give what was asked of it. A line without a figure
is unread unless it ends in a colon. No times. Tolerated: wrapped lines, further lines. Source: IBM Storage Scale
documentation, mmdiag command.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records import Counter
from parsers.records.states import HealthStanding, HealthState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

PAIRS_KEPT: Final = 40
_BEHIND = re.compile(
    r"([A-Za-z][A-Za-z /-]{1,60}?)(?: {1,40}\(#?\w{2,12}\))?[:=]? {1,40}(\d{1,18}(?:\.\d{1,6})?)([KMG]?)(?![\w.])"
)
_BEFORE = re.compile(r"(\d{1,18}) {1,8}([a-z][a-z ()/-]{2,80})$")
_TITLE = re.compile(r"([A-Z][^:]{2,80}):(?: |$)")


def _begin(section: OpenSection, _line: Line, found: re.Match[str]) -> None:
    section.state["part"], section.state["title"] = found["part"], None


def _put(section: OpenSection, line: Line, name: str, value: str, unit: str = "") -> None:
    section.add(
        Counter,
        line.number,
        scope=section.state.get("title"),
        source=f"mmdiag --{section.state.get('part', 'stats')}",
        name=" ".join(name.split()),
        kind="gauge",
        unit=unit,
        value=float(value),
        sample=line.number,
    )


def _figures(section: OpenSection, line: Line, _found: re.Match[str]) -> None:
    text = line.text.strip()[:2000]
    if (title := _TITLE.match(text)) is not None:
        section.state["title"] = title[1].strip()
    if (before := _BEFORE.match(text)) is not None:
        _put(section, line, before[2], before[1])
        if before[2].strip() == "allocation failures":
            _pool(section, line, int(before[1]))
        return
    for name, value, unit in _BEHIND.findall(text)[:PAIRS_KEPT]:
        _put(section, line, name.strip(), value, f"{unit}B" if unit else "")


def _pool(section: OpenSection, line: Line, failures: int) -> None:
    """A pool of the daemon's memory, and whether it could give what was asked of it."""
    section.add(
        HealthState,
        line.number,
        source="mmdiag --memory",
        component=f"memory pool {section.state.get('pool') or 'of the daemon'}",
        state=f"{failures} allocation failures",
        standing="degraded" if failures else "healthy",
    )


def _local_cache(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    """The cache on local devices of a node."""
    state = found["state"].strip()
    standing: HealthStanding = "healthy" if state == "Running" else "degraded"
    section.add(
        HealthState,
        line.number,
        source="mmdiag --lroc",
        component="local read-only cache",
        state=state,
        standing=standing,
    )


def _title(section: OpenSection, _line: Line, found: re.Match[str]) -> None:
    section.state["title"] = found["title"].strip()
    if "pool" in found.re.groupindex:
        section.state["pool"] = found["pool"]


_ROWS: Final = Rows(
    Row("part", r"=== mmdiag: (?P<part>stats|memory|tokenmgr|lroc|pagepool) ===$", _begin, Fate.FRAME),
    Row("no local cache", r"LROC Device\(s\): '(?:NULL)?' status [A-Z]", fate=Fate.EVERYDAY, opens=False),
    Row(
        "local cache",
        r"LROC Device\(s\): '(?P<devices>[^'\n]{1,800})' status (?P<state>[A-Z][^\n]{2,80})$",
        _local_cache,
        opens=False,
    ),
    Row("title", r"(?P<title>[A-Z][A-Za-z ]{2,60}(?:\S{0,80})?):?$", _title, Fate.FRAME, opens=False),
    Row(
        "title of a pool",
        r"(?P<title>Statistics for MemoryPool id \d{1,6})(?: \(\"(?P<pool>[^\"]{1,80})\"\))?",
        _title,
        Fate.FRAME,
        opens=False,
    ),
    Row(
        "figures",
        r"(?=[^\n]{0,400}[A-Za-z)][:=]? {1,40}\d)[A-Za-z][^\n]{3,2000}$|\d{1,18} {1,8}[a-z][a-z ()/-]{2,80}$",
        _figures,
        opens=False,
    ),
    Row("address", r"(?:\d{1,3}\.){3}\d{1,3}$", fate=Fate.EVERYDAY, opens=False),
)


@parser("scale_diag_figures", version=4, product="spectrum-scale", rows=_ROWS, commands=("mmdiag",), priority=-1)
def scale_diag_figures(section: OpenSection, out: Output) -> None:
    """Figures of the daemon."""
    _ROWS.read(section, out, "no figure of mmdiag")
