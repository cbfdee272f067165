"""How files of Spectrum Scale stand: ``mmlsattr -L``, and the short table of ``mmlsattr``.

    file name:            /quay/rolls/plan.dat             replication factors
    metadata replication: 2 max 2                        metadata(max) data(max) file    [flags]
    data replication:     2 max 2                        ------------- --------- ---------------
    flags:                illreplicated,unbalanced            2 (  2)   2 (  2) /quay/rolls/plan.dat  [illreplicated]
    storage pool name:    data

Yields ``HealthState`` per file: degraded where copies are missing, old or no longer apart, a hint where data merely
lies elsewhere than its rules say. Further attributes are everyday. Tolerated: rows left out, other attributes. Source:
IBM Storage Scale documentation, mmlsattr command; the short table is recalled.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records.states import HealthState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows, everyday, heading

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_HARMED: Final = ("illreplicated", "exposed", "dataupdatemiss", "metaupdatemiss", "broken")
"""A copy is missing, beside its sister, or was not written while its disk was down."""
_FLAGS: Final = r"[A-Za-z]{4,24}(?:, {0,2}[A-Za-z]{4,24}){0,8}"
_FACTORS: Final = r"\d \( {0,3}\d\) {1,8}\d \( {0,3}\d\) {1,8}"
_LISTS: Final = r"(?:metadata|data) replication"
_OTHER: Final = (
    r"(?:immutable|appendOnly|indefiniteRetention|expiration Time|storage pool name|fileset name|snapshot name"
    r"|creation time|(?:Misc|Windows) attributes|Encrypted|compression"
    r"|(?:user|gpfs|security|system|trusted|dmapi|pcache"
    r"|mcstore)\.[\w.-]{1,60}|block group factor|write affinity depth|Write Affinity Depth Failure Group[^:]{0,20}"
    r"|File system block size)"
)


def _file(section: OpenSection, _line: Line, found: re.Match[str]) -> None:
    section.state["file"] = found["file"]


def _flags(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    _put(section, line, found["flags"] or "", section.state.get("file"))


def _short(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    _put(section, line, found["flags"] or "", found["file"].strip())


def _put(section: OpenSection, line: Line, flags: str, file: str | None) -> None:
    is_harmed = any(flag.strip().lower() in _HARMED for flag in flags.split(","))
    section.add(
        HealthState,
        line.number,
        source="mmlsattr",
        component=f"file {file}" if file else "a file",
        state=flags or "no flags",
        standing="degraded" if is_harmed else "hint" if flags else "healthy",
    )


_ROWS: Final = Rows(
    Row("file", r"file name: {1,60}(?P<file>\S.{0,1000})$", _file, Fate.FRAME),
    everyday("copies", rf"{_LISTS}: {{1,60}}\d max \d$"),
    Row("flags", rf"flags:(?: {{1,60}}(?P<flags>{_FLAGS}))?$", _flags, opens=False),
    everyday("other", rf"{_OTHER}:(?: {{1,60}}\S.{{0,400}})?$", opens=False),
    heading("headings", r"replication factors$", r"metadata\(max\) {1,20}data\(max\) {1,20}file\b"),
    Row("ruler", r"-{8,40}(?: {1,8}-{3,40}){1,4}$", fate=Fate.FRAME, opens=False),
    Row(
        "short",
        rf"{_FACTORS}(?P<file>/[^\[]{{0,1000}}?)(?: {{1,8}}\[(?:flags: {{1,8}})?(?P<flags>{_FLAGS})\])?$",
        _short,
    ),
)


@parser(
    "scale_attributes",
    version=1,
    product="spectrum-scale",
    rows=_ROWS,
    commands=("mmlsattr",),
    places=r"\bmmlsattr\b",
)
def scale_attributes(section: OpenSection, out: Output) -> None:
    """``mmlsattr``: whether all copies of files are whole and apart."""
    _ROWS.read(section, out, "no attribute of a file")
