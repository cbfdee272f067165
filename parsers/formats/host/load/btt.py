"""``btt``: what a trace of block requests (``blktrace``) adds up to.

    ==================== All Devices ====================
                ALL           MIN           AVG           MAX           N
    --------------- ------------- ------------- ------------- -----------
    Q2C               0.000212345   0.421234567   9.012345678        8812
    D2C               0.000198765   0.411234567   8.912345678        8812

Yields ``DiskIo`` of all disks of the trace together: from the driver to its answer (``D2C``), and where that row is
missing from the queue to the answer (``Q2C``). Other rows and tables are everyday. No times. Tolerated: rows left out.
Source: btt(1).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import DiskIo
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows, everyday
from parsers.text import Line

_SECONDS: Final = r"\d{1,6}\.\d{9}"
_STEPS: Final = r"(?:Q2Q|Q2A|Q2G|S2G|G2I|Q2M|I2D|M2D)"
_WAITED: Final = (
    rf"\s{{1,40}}(?:{_SECONDS})\s{{1,20}}(?P<mean>{_SECONDS})\s{{1,20}}(?P<longest>{_SECONDS})"
    r"\s{1,20}(?P<count>\d{1,15})$"
)


def _served(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state.pop("queued", None)
    section.state["served"] = True
    _put(section, line.number, match)


def _queued(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    if not section.state.get("served"):
        section.state["queued"] = (line.number, match)


def _put(section: OpenSection, line: int, match: re.Match[str]) -> None:
    section.add(
        DiskIo,
        line,
        source="btt",
        device="all disks",
        op="",
        mean_ms=float(match["mean"]) * 1000,
        max_ms=float(match["longest"]) * 1000,
    )


_ROWS: Final = Rows(
    Row(
        "title",
        r"={10,30} (?:All Devices|Device \w{3,20}(?: \w{1,20}){0,4}|Plug \w{4,20}|Active Requests.{0,40}|Per Process)"
        r" ={10,30}$",
        fate=Fate.FRAME,
    ),
    Row("heading", r"ALL\s{1,20}MIN\s{1,20}AVG\s{1,20}MAX\s{1,20}N$", fate=Fate.FRAME),
    Row("ruler", r"-{5,20}(?: [-|]{1,20}){1,12}$", fate=Fate.FRAME, opens=False),
    Row("driver", rf"D2C{_WAITED}", _served),
    Row("queue", rf"Q2C{_WAITED}", _queued, fate=Fate.EVERYDAY),
    everyday("step", rf"{_STEPS}(?:\s{{1,40}}{_SECONDS}){{3}}\s{{1,20}}\d{{1,15}}$"),
    everyday("device", r"(?:\(\s{0,4}\d{1,4},\s{0,6}\d{1,7}\)|Overall|DEV|Average)\s{1,8}\|.{1,200}$", opens=False),
)


@parser("btt", version=1, product="storage", rows=_ROWS, commands=("btt",))
def btt(section: OpenSection, out: Output) -> None:
    """How long requests took, in all."""
    _ROWS.read(section, out, "no row of a trace")
    if (queued := section.state.pop("queued", None)) is not None:
        _put(section, *queued)
