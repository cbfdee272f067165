"""``IOR`` and ``mdtest``: how fast many processes wrote and read, or made and removed files, in each of their rounds.

    access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
    write     11210      11214      0.005601    4194304    1024.00    0.021      23.38      1.12       23.39      0

    SUMMARY rate: (of 3 iterations)
       Operation                     Max            Min           Mean        Std Dev
       File creation              1210.331         98.333        521.000      498.221

Yields ``Measurement`` of each round of IOR in MiB/s, and of mdtest of its fastest and its slowest round, each 1/s. No
times. Tolerated: releases with fewer columns. Source: the sources of IOR and mdtest, recalled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from parsers.records import Measurement
from parsers.registry import parser
from parsers.tables.rows import Row, Rows, everyday, heading

if TYPE_CHECKING:
    import re

    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_FIGURE: Final = r"\d{1,12}(?:\.\d{1,9})?"


def _put(section: OpenSection, line: Line, tool: str, what: str, value: str, unit: str) -> None:
    section.add(Measurement, line.number, tool=tool, what=what, value=float(value), unit=unit)


def _round(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put(section, line, "ior", match["what"], match["rate"], "MiB/s")


def _operation(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    for rate in ("most", "least"):
        _put(section, line, "mdtest", match["what"], match[rate], "1/s")


_ROWS: Final = Rows(
    heading("heading", r"access\s{1,12}bw\(MiB/s\)\s", r"SUMMARY(?: rate)?: \(of \d{1,6} iterations\)$"),
    heading("heading of operations", r"Operation\s{1,40}Max\s{1,24}Min\s{1,24}Mean\s{1,24}Std Dev$"),
    everyday("ruler", r"-{3,12}(?:\s{1,40}-{3,12}){3,12}$", opens=False),
    everyday("words about it", r"Results: ?$|Max (?:Write|Read): ", opens=False),
    Row(
        "round",
        rf"(?P<what>write|read)\s{{1,24}}(?P<rate>{_FIGURE})(?:\s{{1,24}}(?:{_FIGURE}|-|NA)){{5,10}}\s{{1,12}}\d{{1,5}}$",
        _round,
        opens=False,
    ),
    everyday("removed", r"remove\s{1,24}[\d.-]", opens=False),
    Row(
        "operation",
        r"(?P<what>(?:Directory|File|Tree) (?:creation|stat|read|removal|rename))\s{0,24}:?\s{1,40}"
        rf"(?P<most>{_FIGURE})\s{{1,24}}(?P<least>{_FIGURE})\s{{1,24}}{_FIGURE}\s{{1,24}}{_FIGURE}$",
        _operation,
    ),
)


@parser("ior", version=1, product="", rows=_ROWS, commands=("ior", "mdtest"))
def ior(section: OpenSection, out: Output) -> None:
    """Rates of each round."""
    _ROWS.read(section, out, "no rate of a round")
